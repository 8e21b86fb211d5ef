"""The commands of the README do what they say, on files as small as they can be."""

import itertools
import re
import shlex
import sys
from pathlib import Path

import pytest

import posewright as pw
from posewright.cli import main
from posewright.clips import golf_swing, walk

ROOT = Path(__file__).parents[2]
EDIT = "keys:\n- frame: 40\n  goal: {kind: move, site: left_wrist, by: [0, 0.01, 0]}\n"


def commands():
    blocks = re.findall(r"```\w*\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("posewright ")]
    return [shlex.split(line, comments=True)[1:] for line in lines]


@pytest.fixture
def folder(tmp_path):
    """What a reader of the README has; commands leave their results here for those after them."""
    person = pw.figure("human40")
    for name in ("swings", "clips"):
        (tmp_path / name).mkdir()
    for seed in range(3):
        golf_swing(person, seed=seed, fps=60).save(tmp_path / "swings" / f"{seed}.bvh")
    golf_swing(person, seed=1, fps=60).save(tmp_path / "swing.bvh")
    stroll = walk(person, steps=1, fps=20)
    for name in ("walk.bvh", "out.npz", "character.glb", "clips/walk.npz"):
        stroll.save(tmp_path / name)
    (tmp_path / "slope.yaml").write_text(EDIT)
    for name in ("examples/tasks/reach_and_look.yaml", "examples/tasks/drive.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    (tmp_path / "drive.yaml").write_bytes((ROOT / "examples/tasks/drive.yaml").read_bytes())
    return tmp_path


def test_the_commands_of_the_readme_work_one_after_the_other(folder, monkeypatch, capsys):
    assert {command[0] for command in commands()} >= {"pose", "info", "convert", "retarget", "edit", "design"}
    monkeypatch.chdir(folder)
    for command in commands():
        monkeypatch.setattr(sys, "argv", ["posewright", *(word for word in command if word != "--compare")])
        with pytest.raises(SystemExit) as left:
            main()
        assert not capsys.readouterr().err, command
        assert left.value.code in (0, 1)  # 1: a goal was missed, a limit broken
        written = [word for option, word in itertools.pairwise(command) if option in ("-o", "--report")]
        assert all(Path(name).stat().st_size for name in written)
