"""Examples run headless, links in the docs lead somewhere, Python blocks in README and docs are true."""

import re
from pathlib import Path

import pytest
from acclaim_samples import AMC, ASF
from robot_samples import BIPED
from warm_python import run_python

import posewright as pw
from posewright.clips import walk

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("[0-9][0-9]_*.py"))
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(example, tmp_path):
    done = run_python(f"import runpy; runpy.run_path({str(example)!r}, run_name='__main__')", tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if not target.startswith(("http://", "https://", "mailto:")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_page_can_be_reached_from_the_readme():
    reached, ahead = set(), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        reached.add(page)
        found = re.findall(r"\]\(([^)#\s]+\.md)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
        links = {(page.parent / target).resolve() for target in found if not target.startswith("http")}
        ahead += links - reached - set(ahead)
    assert set((ROOT / "docs").rglob("*.md")) <= reached


def python_of(page):
    return "\n".join(re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL))


@pytest.fixture(scope="module")
def reader_files(tmp_path_factory):
    """The files that a reader of the docs is supposed to have."""
    folder = tmp_path_factory.mktemp("reader")
    walk(pw.figure("human40"), steps=4).save(folder / "walk.bvh")
    pw.figure("abnorman1").save(folder / "character.glb")
    (folder / "walker.urdf").write_text(BIPED, encoding="utf-8")
    for name in ("02.asf", "anna.asf"):
        (folder / name).write_text(ASF, encoding="utf-8")
    for name in ("02_01.amc", "take7.amc"):
        (folder / name).write_text(AMC, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    "page", [page for page in PAGES if python_of(page)], ids=lambda path: str(path.relative_to(ROOT))
)
def test_the_python_of_a_page_runs(page, reader_files):
    done = run_python(python_of(page), reader_files)
    assert done.returncode == 0, done.stderr[-2000:]
    if page.name == "README.md":
        assert done.stdout.startswith("reached after ")


def test_the_readme_has_exactly_two_commands_on_its_first_screen():
    text = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## ")[0]
    commands = re.findall(r"```\n(.*?)```", text, re.DOTALL)
    assert len(commands) == 2
    assert all(command.startswith("python3 -m venv .venv && ") and command.count("\n") == 1 for command in commands)
    assert commands[1].strip() in (ROOT / ".ci" / "run").read_text(encoding="utf-8").replace(
        "pip install -q", "pip install"
    )
