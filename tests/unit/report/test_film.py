"""Films, strips and sheets, and the files they are written to."""

import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from posewright.errors import FileProblem, InvalidSetting, MissingExtra
from posewright.figures import Ball, Capsule, Figure, Joint, free_slides
from posewright.motions import Motion
from posewright.report import image_files
from posewright.report.camera import DIRECTIONS
from posewright.report.film import Film
from posewright.report.image_files import write_gif, write_mp4, write_png


def hopping(frames: int = 31, fps: float = 60.0, travel: float = 2.0) -> Motion:
    """A ball on a stick that moves to its left and hops."""
    shape = (Capsule(start=(0, 0.1, 0), end=(0, 0.6, 0), start_radius=0.1, end_radius=0.05),)
    joint = Joint(name="root", slides=free_slides(), rotation=Ball(), shape=shape)
    q = np.zeros((frames, 6))
    q[:, 0] = np.linspace(0.0, travel, frames)
    q[:, 1] = 0.3 * np.abs(np.sin(np.linspace(0.0, 6.0, frames)))
    return Motion(Figure(name="hopper", joints=(joint,)), q, fps=fps)


def film(**more) -> Film:
    settings = {"motions": (hopping(),), "width": 64, "height": 48, "threads": 1}
    return Film(**{**settings, **more})


def test_a_film_has_the_duration_of_its_motion() -> None:
    assert film().rate == 30.0
    assert len(film()) == 16  # 0.5 s, both ends included
    assert len(film(fps=10.0)) == 6
    assert len(film(motions=(hopping(fps=12.0),))) == 31
    pictures = list(film(fps=10.0).pictures())
    assert len(pictures) == 6
    assert all(picture.shape == (48, 64, 3) for picture in pictures)


def columns_with_body(picture: np.ndarray) -> np.ndarray:
    red = picture[..., 0].astype(int) - picture[..., 2]
    return np.flatnonzero((red > 60).any(axis=0))


def test_a_fixed_camera_lets_the_figure_cross_the_picture_and_a_following_one_keeps_it() -> None:
    crossing = [columns_with_body(p).mean() for p in film(fps=10.0, direction=DIRECTIONS["front"]).pictures()]
    assert crossing[-1] - crossing[0] > 25
    kept = film(motions=(hopping(frames=181),), fps=5.0, direction=DIRECTIONS["front"], follow=True)
    places = [columns_with_body(p).mean() for p in kept.pictures()]
    assert max(places) - min(places) < 20


def test_a_strip_shows_several_moments_at_once() -> None:
    picture = film(width=160, direction=DIRECTIONS["front"]).strip(4)
    assert picture.shape == (48, 160, 3)
    tinted = (picture[..., 0].astype(int) - picture[..., 2] > 12).any(axis=0)
    assert np.count_nonzero(np.diff(tinted.astype(int)) == 1) == 4


def test_a_strip_spreads_a_motion_that_stays_in_its_place() -> None:
    still = film(motions=(hopping(travel=0.0),), width=320, height=96, direction=DIRECTIONS["front"])
    picture = still.strip(4)
    red = picture[..., 0].astype(int) - picture[..., 2]
    tinted, solid = (np.flatnonzero((red > threshold).any(axis=0)) for threshold in (12, 110))
    assert np.ptp(tinted) > 2.5 * np.ptp(solid)
    assert tinted.max() - solid.max() < 5  # the last moment is the solid one, at the right


def test_a_sheet_is_a_table_of_labelled_moments() -> None:
    wide = film(width=400, height=200)
    plain, labelled = wide.sheet(columns=4, rows=2, labels=False), wide.sheet(columns=4, rows=2)
    assert plain.shape == labelled.shape == (200, 400, 3)
    changed = (plain != labelled).any(axis=2)
    for row in range(2):
        for column in range(4):
            cell = changed[100 * row : 100 * row + 100, 100 * column : 100 * column + 100]
            assert cell[80:, :60].any()
            assert not cell[:70].any()
    with pytest.raises(InvalidSetting, match="0 x 2"):
        wide.sheet(columns=0, rows=2)


def test_two_motions_play_together_and_the_shorter_one_waits() -> None:
    both = film(motions=(hopping(frames=31), hopping(frames=61)))
    assert both.duration == pytest.approx(1.0)
    scene = both.scene(1.0)
    assert len(scene.bodies) == 2
    assert scene.bodies[0].pose["root.tx"] == pytest.approx(2.0)
    assert scene.bodies[0].colour != scene.bodies[1].colour


def test_one_frame_is_a_film_too() -> None:
    single = film(motions=(hopping(frames=1),))
    assert len(single) == 1
    assert single.strip(3).shape == (48, 64, 3)


def test_a_film_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidSetting, match="at least one motion"):
        film(motions=())
    with pytest.raises(InvalidSetting, match="must be positive"):
        film(fps=-1.0)


def test_a_png_holds_the_picture(tmp_path) -> None:
    picture = film().picture(0.2)
    write_png(picture, tmp_path / "one.png")
    assert (np.asarray(Image.open(tmp_path / "one.png")) == picture).all()


def test_a_gif_loops_in_time_and_near_its_colours(tmp_path) -> None:
    pictures = list(film().pictures())
    write_gif(pictures, tmp_path / "film.gif", fps=30.0)
    with Image.open(tmp_path / "film.gif") as gif:
        assert gif.info["loop"] == 0
        assert gif.n_frames == 16
        total = 0
        for k in range(gif.n_frames):
            gif.seek(k)
            total += gif.info["duration"]
            off = np.asarray(gif.convert("RGB")).astype(int) - pictures[k]
            assert abs(off).mean() < 4.0
        assert total == 530  # 16 frames of 1/30 s, to the hundredth of a second


def test_a_gif_faster_than_viewers_play_is_refused(tmp_path) -> None:
    with pytest.raises(InvalidSetting, match="at most 50, got 120"):
        write_gif([film().picture(0.0)], tmp_path / "fast.gif", fps=120.0)


def test_an_mp4_has_all_frames_and_the_right_duration(tmp_path) -> None:
    import imageio_ffmpeg

    write_mp4(film().pictures(), tmp_path / "film.mp4", fps=30.0)
    n_frames, seconds = imageio_ffmpeg.count_frames_and_secs(str(tmp_path / "film.mp4"))
    assert n_frames == 16
    assert seconds == pytest.approx(16 / 30.0, abs=0.02)
    reader = imageio_ffmpeg.read_frames(str(tmp_path / "film.mp4"))
    assert next(reader)["size"] == (64, 48)
    reader.close()


def test_an_mp4_of_odd_size_says_which_size_would_do(tmp_path) -> None:
    with pytest.raises(InvalidSetting, match="such as 66x48"):
        write_mp4([np.zeros((48, 65, 3), np.uint8)], tmp_path / "odd.mp4", fps=30.0)


@pytest.mark.parametrize("write", [write_gif, write_mp4])
def test_an_interrupted_film_leaves_the_old_file(write, tmp_path) -> None:
    target = tmp_path / f"film.{write.__name__[-3:]}"
    target.write_text("old")

    def pictures():
        yield np.zeros((48, 64, 3), np.uint8)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write(pictures(), target, fps=10.0)
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


def test_a_folder_that_does_not_exist_is_named(tmp_path) -> None:
    with pytest.raises(FileProblem, match=r"nowhere.*cannot write here"):
        write_png(np.zeros((2, 2, 3), np.uint8), tmp_path / "nowhere" / "x.png")


def test_a_missing_package_names_the_extra(monkeypatch, tmp_path) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(MissingExtra, match=r"needs Pillow.*pip install 'posewright\[render\]'"):
        write_png(np.zeros((2, 2, 3), np.uint8), tmp_path / "x.png")
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", None)
    with pytest.raises(MissingExtra, match=r"needs imageio-ffmpeg"):
        write_mp4([], tmp_path / "x.mp4", fps=30.0)


def test_pictures_need_no_pillow_until_they_are_written() -> None:
    program = "import sys; sys.modules['PIL'] = None; import posewright.report.film"
    subprocess.run([sys.executable, "-c", program], check=True)
    assert image_files.SUFFIXES == (".png", ".gif", ".mp4")
