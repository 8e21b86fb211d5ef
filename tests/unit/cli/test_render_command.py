"""`posewright render`."""

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from posewright import formats
from posewright.cli.render import render
from posewright.errors import FileProblem, InvalidMotion, InvalidSetting
from posewright.figures import Ball, Capsule, Figure, Joint, Pose, free_slides
from posewright.motions import Motion


def walker() -> Motion:
    shape = (Capsule(start=(0, 0.1, 0), end=(0, 0.6, 0), start_radius=0.1, end_radius=0.05),)
    joint = Joint(name="root", slides=free_slides(), rotation=Ball(), shape=shape)
    q = np.zeros((21, 6))
    q[:, 2] = np.linspace(0.0, 1.0, 21)
    return Motion(Figure(name="walker", joints=(joint,)), q, fps=20.0)


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Run the command on a clip (or a figure) that the loader is made to return."""

    def invoke(*words: str, loaded: Motion | Figure | None = None) -> str:
        monkeypatch.setattr(formats, "load", lambda path, options: loaded or walker())
        monkeypatch.chdir(tmp_path)
        result = CliRunner().invoke(render, ["clip.bvh", *words], catch_exceptions=True)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == 0, result.output
        return result.stdout

    return invoke


def test_a_still_is_the_middle_of_the_clip_or_the_frame_asked_for(run, tmp_path) -> None:
    assert "still.png: 80x60" in run("-o", "still.png", "--size", "80x60")
    run("-o", "last.png", "--size", "80x60", "--frames", "-1")
    still, last = (np.asarray(Image.open(tmp_path / name)) for name in ("still.png", "last.png"))
    assert still.shape == last.shape == (60, 80, 3)


@pytest.mark.parametrize("kind", ["--sheet", "--strip"])
def test_sheets_and_strips(run, tmp_path, kind) -> None:
    run("-o", "many.png", kind, "--size", "160x90", "--camera", "side")
    assert Image.open(tmp_path / "many.png").size == (160, 90)


def test_films(run, tmp_path) -> None:
    assert "3 frames" in run("-o", "a.gif", "--size", "64x48", "--frames", "0:10:4", "--follow")
    assert Image.open(tmp_path / "a.gif").n_frames == 3
    run("-o", "a.mp4", "--size", "64x48", "--fps", "5", "--camera", "40,20")
    assert (tmp_path / "a.mp4").stat().st_size > 500


def test_a_figure_is_drawn_at_rest(run, tmp_path) -> None:
    figure = Pose.rest(walker().figure).figure
    run("-o", "figure.png", "--size", "32x32", loaded=figure)
    assert Image.open(tmp_path / "figure.png").size == (32, 32)
    with pytest.raises(InvalidSetting, match="contains a figure without frames"):
        run("-o", "figure.gif", loaded=figure)


@pytest.mark.parametrize(
    ("words", "kind", "message"),
    [
        (["-o", "x.jpg"], FileProblem, "suffix '.jpg'"),
        (["-o", "x.png", "--size", "big"], InvalidSetting, "WIDTHxHEIGHT"),
        (["-o", "x.png", "--camera", "sid"], InvalidSetting, "did you mean 'side'"),
        (["-o", "x.png", "--frames", "99"], InvalidMotion, "outside the motion's 21 frames"),
        (["-o", "x.png", "--frames", "30:40"], InvalidSetting, "selects no frame of"),
        (["-o", "x.png", "--frames", "one"], InvalidSetting, "START:STOP"),
        (["-o", "x.gif", "--sheet"], InvalidSetting, "make a PNG"),
        (["-o", "x.png", "--sheet", "--strip"], InvalidSetting, "cannot be combined"),
        (["-o", "x.mp4", "--size", "65x48"], InvalidSetting, "even, such as 66x48"),
        (["-o", "x.gif", "--fps", "99"], InvalidSetting, "at most 50"),
    ],
)
def test_bad_words_are_one_sentence(run, words, kind, message) -> None:
    with pytest.raises(kind, match=message):
        run(*words)
