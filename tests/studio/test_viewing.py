"""Looking and not editing: `posewright view`, and one HTML file that needs nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from posewright import clips, figure
from posewright.studio.recording import recording
from posewright.studio.server.guard import Guard
from posewright.studio.server.viewing import viewer
from posewright.studio.standalone import standalone

from .conftest import StudioPage, serving
from .test_server import FILES, ORIGIN, talk

PAGE = {
    **FILES, "index.html": b"<!doctype html><html><head></head><body></body></html>",
    "studio.css": b"", "licences.txt": b"",
}  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A skinned clip and one of another figure, made by code."""
    folder = tmp_path_factory.mktemp("clips")
    skinned, plain = folder / "walk.glb", folder / "jump.npz"
    clips.walk(figure("human40"), steps=2, fps=30.0).save(skinned)
    clips.jump(figure("human"), fps=30.0).save(plain)
    return skinned, plain


@pytest.fixture
def viewing(browser: Any, files: tuple[Path, Path]) -> Iterator[StudioPage]:
    """`posewright view walk.glb jump.npz`."""
    with serving(*map(str, files), command="view") as address:
        context = browser.new_context(viewport={"width": 1366, "height": 768}, color_scheme="dark")
        page = StudioPage(context.new_page(), address)
        yield page
        context.close()
    assert page.complaints == []


def test_a_view_plays_turns_and_edits_nothing(viewing: StudioPage) -> None:
    first = viewing.until(lambda state: state["mesh"] and not state["busy"])
    hand = viewing.screen("left_wrist")
    viewing.drag(hand, (hand[0] + 300, hand[1] - 40))
    viewing.page.keyboard.press("Control+z")
    viewing.page.keyboard.press("k")
    viewing.page.keyboard.press("Delete")
    state = viewing.settle()
    assert (state["joints"], state["keys"], state["goals"], state["unsaved"]) == (first["joints"], [], [], False)
    moved = viewing.screen("left_wrist")
    assert abs(moved[0] - hand[0]) + abs(moved[1] - hand[1]) > 5.0  # the camera turned
    viewing.page.mouse.click(*viewing.screen("head"))
    assert viewing.until(lambda state: state["selection"])["selection"] in first["joints"]
    viewing.page.keyboard.press("Space")
    viewing.until(lambda state: state["frame"] > 3)
    for name in ("Undo", "Save", "Open", "Pose", "Retarget"):
        assert viewing.page.get_by_role("button", name=name, exact=True).count() == 0
        assert viewing.page.get_by_role("tab", name=name, exact=True).count() == 0


def test_a_view_of_several_files_shows_one_or_another(viewing: StudioPage) -> None:
    first = viewing.until(lambda state: state["mesh"] and not state["busy"])
    viewing.page.get_by_role("combobox", name="file").select_option("jump.npz")
    other = viewing.until(lambda state: state["figure"] != first["figure"] and not state["busy"])
    assert (other["mesh"], other["frames"]) != (first["mesh"], first["frames"])
    viewing.page.get_by_role("combobox", name="file").select_option("walk.glb")
    assert viewing.until(lambda state: state["mesh"] and not state["busy"])["joints"] == first["joints"]


def test_a_view_has_no_way_to_ask_for_anything() -> None:
    guard = Guard("127.0.0.1", 8123)
    shown = recording([("<img src=x onerror=alert(1)>", figure("human"))])
    with TestClient(viewer(shown, guard, PAGE), base_url=ORIGIN) as client:
        assert client.get("/recording").status_code == 403
        page = client.get("/", params={"token": guard.token})
        assert b'name="recording"' in page.content
        assert "default-src 'none'" in page.headers["content-security-policy"]
        assert client.get("/recording").content == shown
        assert client.post("/upload", params={"name": "x.bvh"}, content=b"x").status_code in (404, 405)
        assert client.get("/mesh/1").status_code == 404
        assert client.get("/", headers={"host": "evil.example:8123"}).status_code == 421
        with pytest.raises(WebSocketDisconnect), talk(client):
            pass


def test_one_file_opens_from_the_disk_asks_for_nothing_and_plays(
    browser: Any, files: tuple[Path, Path], tmp_path: Path
) -> None:
    out = tmp_path / "clip.html"
    done = subprocess.run(
        [sys.executable, "-m", "posewright", "render", str(files[0]), "-o", str(out)],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    size = re.search(r"clip\.html: \d+ frames, (\d+\.\d) MB", done.stdout)
    assert size is not None
    assert float(size[1]) == pytest.approx(out.stat().st_size / 1e6, abs=0.06)
    context = browser.new_context(viewport={"width": 800, "height": 600}, offline=True)
    page = StudioPage(context.new_page(), out.as_uri())
    first = page.until(lambda state: state["mesh"] and not state["busy"])
    page.page.get_by_role("button", name="Play").click()
    later = page.until(lambda state: state["frame"] > 3 and state["playing"])
    assert later["joints"] != first["joints"]
    context.close()
    assert page.complaints == []


def test_the_page_itself_is_less_than_a_megabyte(tmp_path: Path) -> None:
    from posewright.studio.page import built_page

    page = built_page()
    if page is None:
        pytest.skip("the page is not built here")
    assert len(standalone(page, b"", "nothing")) < 1_000_000


def test_names_are_text_in_the_file() -> None:
    name = "</title><script>alert(1)</script>"
    text = standalone(PAGE, recording([(name, figure("human"))]), name)
    assert name not in text
    assert "&lt;/title&gt;&lt;script&gt;" in text
    assert "connect-src 'none'" in text


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["view", "--no-browser", "nowhere.bvh"], "nowhere.bvh"),
        (["view", "--no-browser", "humn"], "did you mean 'human'"),
        (["view", "--no-browser"], "FILES"),
        (["render", "CLIP", "-o", "OUT", "--size", "640x480"], "--size is an option of pictures and films, not of"),
        (["render", "CLIP", "-o", "OUT", "--strip"], "--strip is an option of pictures and films"),
    ],
)
def test_bad_arguments_are_one_sentence(
    files: tuple[Path, Path], tmp_path: Path, arguments: list[str], says: str
) -> None:
    out = tmp_path / "clip.html"
    words = {"CLIP": str(files[0]), "OUT": str(out)}
    done = subprocess.run(
        [sys.executable, "-m", "posewright", *(words.get(word, word) for word in arguments)],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert not out.exists()
