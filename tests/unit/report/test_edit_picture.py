"""Strips before and after an edit: key frames are among the moments, one camera, goals are marked."""

from __future__ import annotations

import numpy as np
import pytest

from posewright.clips import jump
from posewright.figures.catalogue import human40
from posewright.goals import Position
from posewright.motions import Motion
from posewright.motions.splines import KochanekBartels
from posewright.report.camera import DIRECTIONS, Extent
from posewright.report.result_pictures import edit_picture, marks_at, shown_frames
from posewright.report.scene import Scene, SceneBody

SMALL = {"width": 160, "height": 60}


@pytest.fixture(scope="module")
def clip() -> Motion:
    return jump(human40(), seed=2, fps=20.0)


def test_moments_are_even_and_make_way_for_keys():
    assert shown_frames(61, [], 7) == [0, 10, 20, 30, 40, 50, 60]
    assert shown_frames(61, [38], 7) == [0, 10, 20, 30, 38, 50, 60]
    assert shown_frames(61, [38, 41], 7) == [0, 10, 20, 30, 38, 41, 60]
    assert shown_frames(61, list(range(20)), 4) == [0, 6, 13, 19]
    assert shown_frames(2, [], 7) == [0, 1]
    assert shown_frames(1, [0], 7) == [0]


def test_rows_are_stacked_and_alike_motions_differ_by_colour_alone(clip):
    picture = edit_picture({"before": clip, "after": clip}, **SMALL)
    assert picture.shape[1:] == (160, 3)
    assert 40 < picture.shape[0] <= 120
    half = picture.shape[0] // 2
    empty = picture.astype(float).sum(axis=2) > 600.0
    assert (empty[: half - 10] == empty[half:-10]).mean() > 0.97, "both rows are seen by one camera"


def test_goals_at_keys_and_along_paths_are_drawn(clip):
    far = (0.0, 1.0, -0.6)
    path = KochanekBartels([5, 12], [far, (0.0, 1.2, -0.6)])
    keys = [
        Position("left_hand", far).at(-3),
        Position("right_hand", (0.0, 0.0, 0.0)).along(path, start=5, end=12),
        Position("head", (0.0, 9.0, 0.0), enabled=False).at(2),
    ]
    by = np.array([1.0, 0.0, 0.0])
    assert not list(marks_at(keys, clip, 3, by))
    assert not list(marks_at(keys, clip, 2, by)), "a goal that is off"
    (mark, *_) = marks_at(keys, clip, len(clip) - 3, by)
    np.testing.assert_allclose(mark.points[0], np.array(far) + by)
    (mark, *_) = marks_at(keys, clip, 12, by)
    np.testing.assert_allclose(mark.points[0], np.array([0.0, 1.2, -0.6]) + by)
    plain, marked = edit_picture({"before": clip}, **SMALL), edit_picture({"before": clip}, keys=keys, **SMALL)
    assert plain.shape == marked.shape
    assert (plain != marked).any()


def test_a_camera_says_where_points_are(clip):
    extent = Extent.of(Scene(bodies=(SceneBody(pose=clip.pose(0)),)))
    camera = extent.camera(DIRECTIONS["front"], aspect=2.0)
    middle = camera.seen_at(np.array([camera.target]), 200, 100)
    np.testing.assert_allclose(middle, [[100.0, 50.0]], atol=1e-9)
    right, up, _ = camera.axes
    beside = camera.seen_at(np.array([camera.target + 0.1 * right, camera.target + 0.1 * up]), 200, 100)
    assert beside[0, 0] > 100.0
    assert beside[1, 1] < 50.0
