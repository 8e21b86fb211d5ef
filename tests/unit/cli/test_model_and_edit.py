"""`posewright model` and `posewright edit`: what they print, write and return."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import posewright as pw
from posewright.cli.app import command_line
from posewright.clips import jump
from posewright.errors import FileProblem, InvalidMotion, InvalidSetting
from posewright.figures.catalogue import human40
from posewright.formats import load_motion
from posewright.models import Latent, MotionModel

EDIT = """
keys:
  - frame: 14
    goal: {kind: move, site: pelvis, by: [0, BY, 0], tolerance: 0.002}
"""


def run(*arguments: object):
    return CliRunner().invoke(command_line, [*map(str, arguments)])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("jumps")
    for k, length in enumerate((0.4, 0.6, 0.8, 1.0, 1.2)):
        jump(human40(), length=length, height=0.15 + 0.03 * (k % 3), seed=k, fps=20.0).save(folder / f"{k}.npz")
    return folder


@pytest.fixture(scope="module")
def model(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "jump.model.npz"
    done = run("model", "fit", folder, "-o", path, "--frames", 20, "--explained-variance", 1.0, "--events", "flight")
    assert done.exit_code == 0, done.output
    return path


def test_a_folder_becomes_a_model(model):
    done = run("model", "info", model)
    assert done.exit_code == 0
    assert "5 clips of figure human40" in done.output
    assert "full rank" in done.output
    assert MotionModel.load(model).n_modes == 4
    assert len(MotionModel.load(model).events) == 2


def test_models_that_are_not_there_or_vary_in_nothing_are_told_of(folder, tmp_path):
    for name, said in (("none.npz", "no such file"), (".", "cannot be read")):
        with pytest.raises(FileProblem, match=said) as found:
            MotionModel.load(tmp_path / name)
        assert "truncated" not in str(found.value)
    done = run("model", "fit", folder / "0.npz", "-o", tmp_path / "one.npz")
    assert done.exit_code == 0
    assert "1 clip of figure human40" in done.output
    assert "nothing varies" in done.output
    assert "only replay" in done.output
    missing = run("model", "fit", tmp_path / "nowhere", "-o", tmp_path / "x.npz")
    assert isinstance(missing.exception, FileProblem)
    assert "no such file or folder" in str(missing.exception)


def test_a_group_of_commands_alone_prints_its_help_and_nothing_else(tmp_path):
    def said(*words: str) -> str:
        done = subprocess.run([sys.executable, "-m", "posewright", *words], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        return done.stderr

    assert "posewright: " not in said("model")
    assert said("model", "fit", "-o", "x.npz").endswith("see posewright model fit --help\n")


def test_a_clip_is_edited_with_and_without_a_model(folder, model, tmp_path):
    task = tmp_path / "edit.yaml"
    task.write_text(EDIT.replace("BY", "0.03"))
    motion, latent, picture = tmp_path / "out.npz", tmp_path / "out.latent.npz", tmp_path / "out.png"
    done = run("edit", folder / "2.npz", task, "--model", model, "-o", motion, "-o", latent, "-o", picture)
    assert done.exit_code == 0, done.output
    assert "reached" in done.output
    pattern = MotionModel.load(model)
    np.testing.assert_allclose(pattern.decode(Latent.load(latent, pattern)).q, load_motion(motion).q, atol=1e-10)
    assert picture.stat().st_size > 1000
    assert run("edit", folder / "2.npz", task, "-o", tmp_path / "joint.bvh").exit_code == 0


def test_a_missed_goal_is_exit_code_1(folder, tmp_path):
    task = tmp_path / "edit.yaml"
    task.write_text(EDIT.replace("pelvis", "left_hand").replace("BY", "0.03") + "frozen: true")
    assert isinstance(run("edit", folder / "2.npz", task, "-o", tmp_path / "o.npz").exception, FileProblem)
    task.write_text(
        "keys:\n"
        "  - frame: 3\n    goal: {kind: move, site: left_hand, by: [0, 0.1, 0]}\n"
        "  - frame: 3\n    goal: {kind: move, site: left_hand, by: [0, -0.1, 0], priority: 2}\n"
    )
    done = run("edit", folder / "2.npz", task, "-o", tmp_path / "o.npz")
    assert done.exit_code == 1
    assert "missed" in done.output


def test_bad_input_is_one_sentence(folder, model, tmp_path):
    (tmp_path / "empty").mkdir()
    task = tmp_path / "edit.yaml"
    task.write_text(EDIT.replace("BY", "0.03"))
    for arguments, words in (
        (("model", "fit", tmp_path / "empty", "-o", tmp_path / "m.npz"), "folder without motion files"),
        (("model", "fit", folder, "-o", tmp_path / "m.bvh"), "cannot write a motion model with suffix"),
        (("model", "info", folder / "0.npz"), "posewright-motion-model"),
        (("edit", folder / "0.npz", task, "-o", tmp_path / "o.latent.npz"), "--model"),
        (("edit", folder / "0.npz", task, "-o", tmp_path / "o.doc"), "suffix"),
    ):
        error = run(*arguments).exception
        assert isinstance(error, FileProblem)
        assert words in str(error)
    other = tmp_path / "other.npz"
    jump(human40().with_lengths({"left_knee": 1.2}), length=0.5, fps=20.0).save(other)
    error = run("model", "fit", folder, other, "-o", tmp_path / "m.npz").exception
    assert isinstance(error, InvalidMotion)


def test_one_clip_and_copies_of_one_make_a_model_that_only_replays(folder, tmp_path):
    task = tmp_path / "edit.yaml"
    task.write_text(EDIT.replace("BY", "0.03"))
    for clips in ([folder / "2.npz"], [folder / "2.npz"] * 3):
        path = tmp_path / f"{len(clips)}.model.npz"
        done = run("model", "fit", *clips, "-o", path, "--frames", 20)
        assert done.exit_code == 0
        assert "can only replay" in done.output
        error = run("edit", folder / "2.npz", task, "--model", path, "-o", tmp_path / "out.npz").exception
        assert isinstance(error, InvalidSetting)
        assert "cannot be used to edit motions" in str(error)
    assert not (tmp_path / "out.npz").exists()


EDITING = """
from posewright.workflows.editing import displacing

solve = displacing.evaluate_frames

def told(*arguments):
    displacing.evaluate_frames = solve
    print("solving", flush=True)
    return solve(*arguments)

displacing.evaluate_frames = told
from posewright.cli import main
main()
"""
"""The command, which says when its search begins."""
OUT_OF_REACH = """
keys:
  - {start: 0, end: -1, goal: {kind: position, site: left_hand, target: [0, 9, 0]}}
  - {start: 0, end: -1, goal: {kind: position, site: right_hand, target: [0, -9, 0], priority: 2}}
  - {start: 0, end: -1, goal: {kind: position, site: left_sole, target: [9, 0, 0], priority: 3}}
"""


def test_ctrl_c_leaves_what_was_there_and_says_one_sentence(folder, tmp_path):
    clip, task, out = tmp_path / "long.npz", tmp_path / "edit.yaml", tmp_path / "out.npz"
    short = load_motion(folder / "2.npz")
    short.with_q(np.tile(short.q, (60, 1))).save(clip)
    task.write_text(OUT_OF_REACH)
    out.write_bytes(b"an earlier edit")
    with subprocess.Popen(
        [sys.executable, "-c", EDITING, "edit", clip, task, "-o", out],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(pw.__file__).parents[1])},
    ) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "solving\n"
            time.sleep(0.3)  # in the midst of it
            child.send_signal(signal.SIGINT)
            left, said = child.communicate(timeout=60)
        finally:
            child.kill()  # or leaving the block would wait for it
    assert (child.returncode, left) == (130, "")
    assert said == "posewright: interrupted; what was complete is on disk\n"
    assert out.read_bytes() == b"an earlier edit"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["edit.yaml", "long.npz", "out.npz"]
