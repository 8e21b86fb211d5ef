"""What every procedural clip promises, on every built-in biped."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from posewright.clips import Clip, golf_swing, jump, kick, reach, run, sit, throw, walk
from posewright.conventions import Array
from posewright.figures.catalogue import build
from posewright.figures.figure import Figure
from posewright.figures.kinematics import site_frames
from posewright.motions import Motion

FIGURES = ("human", "human40", "norman", "abnorman1", "abnorman2")
CLIPS: dict[str, Callable[..., Clip]] = {
    "walk": lambda figure, **more: walk(figure, steps=4, **more),
    "run": lambda figure, **more: run(figure, steps=4, **more),
    "kick": kick,
    "sit": sit,
    "reach": lambda figure, **more: reach(figure, near_the_knees(figure), **more),
    "throw": throw,
    "golf_swing": golf_swing,
    "jump": jump,
}
# Arms shorter than the shoulders are wide cannot swing a club with both hands, and the clip says so.
EVERY = [(clip, figure) for figure in FIGURES for clip in CLIPS if (clip, figure) != ("golf_swing", "abnorman2")]


def near_the_knees(figure: Figure) -> Array:
    height = site_frames(figure, figure.rest, ["head_top"]).points[0, 1]
    return height * np.array([0.18, 0.42, 0.22])


@cache
def made(clip: str, figure: str) -> Clip:
    return CLIPS[clip](build(figure))


def stays(motion: Motion, site: str) -> list[Array]:
    """Points (frames, 3) of a site, one array per stay of at least 5 frames on the floor (within 0.05 mm)."""
    figure = motion.figure
    points = site_frames(figure, motion.q, [site]).points[:, 0]
    down = points[:, 1] - site_frames(figure, figure.rest, [site]).points[0, 1] < 5e-5
    edges = np.flatnonzero(np.diff(np.concatenate([[False], down, [False]]).astype(int)))
    return [points[a:b] for a, b in edges.reshape(-1, 2) if b - a >= 5]


def rolling_points(figure: Figure) -> list[str]:
    """What a foot stands on: its heel, and the ball of toes that bend or the tip of rigid ones."""
    front = {side: "toes" if figure.joint(f"{side}_toes").n_dofs else "toe_tip" for side in ("left", "right")}
    return [f"{side}_{part}" for side in front for part in ("heel", front[side])]


@pytest.mark.parametrize(("clip", "figure"), EVERY)
def test_limits_and_constraints_hold(clip: str, figure: str) -> None:
    motion = made(clip, figure)
    assert (motion.q >= motion.figure.lower).all()
    assert (motion.q <= motion.figure.upper).all()
    for row in motion.figure.constraints:
        values = sum(factor * motion.q[:, motion.figure.dof_index(dof)] for dof, factor in row.coefficients)
        assert np.max(values) <= row.upper + 1e-9, row.name
        assert np.min(values) >= row.lower - 1e-9, row.name


@pytest.mark.parametrize(("clip", "figure"), EVERY)
def test_feet_stay_where_they_stand(clip: str, figure: str) -> None:
    motion = made(clip, figure)
    stands = 0
    for site in rolling_points(motion.figure):
        for points in stays(motion, site):
            inside = points[1:-1]
            assert np.linalg.norm(inside - np.median(inside, axis=0), axis=1).max() < 1e-3, site
            stands += 1
    assert stands >= 2


@pytest.mark.parametrize(("clip", "figure"), EVERY)
def test_feet_do_not_sink_into_the_floor(clip: str, figure: str) -> None:
    motion = made(clip, figure)
    for site in ("left_heel", "left_toe_tip", "right_heel", "right_toe_tip"):
        assert site_frames(motion.figure, motion.q, [site]).points[..., 1].min() > -2e-3, site


@pytest.mark.parametrize(("clip", "figure"), EVERY)
def test_a_clip_is_a_motion_with_its_name_and_events_inside_it(clip: str, figure: str) -> None:
    motion = made(clip, figure)
    assert isinstance(motion, Motion)
    assert motion.name == clip
    assert motion.fps == 60.0
    assert motion.events
    assert all(0.0 <= time <= motion.duration + 0.02 for time in motion.events.values())
    assert type(motion[3:9]) is Motion


@pytest.mark.parametrize("clip", CLIPS)
def test_a_seed_decides_every_bit(clip: str) -> None:
    figure = build("human40")
    first = made(clip, "human40")
    np.testing.assert_array_equal(CLIPS[clip](figure).q, first.q)
    other = CLIPS[clip](figure, seed=1)
    frames = min(len(first), len(other))
    difference = np.abs(other.q[:frames, 3:] - first.q[:frames, 3:]).max()
    assert 1e-3 < difference < 1.0


@pytest.mark.parametrize("figure_name", ["human", "human40"])
@pytest.mark.parametrize("clip", CLIPS)
def test_accelerations_are_continuous(clip: str, figure_name: str) -> None:
    """A jump in acceleration would stay as large when frames are four times as dense; a steep change shrinks."""
    figure = build(figure_name)
    coarse, fine = (_largest_step(CLIPS[clip](figure, fps=fps)) for fps in (120.0, 480.0))
    assert fine < 0.8 * coarse


def _largest_step(motion: Motion) -> float:
    """The largest change of a joint's acceleration from one frame to the next, rad/s²."""
    return float(np.abs(np.diff(motion.q[:, 3:], 3, axis=0)).max() * motion.fps**2)


@pytest.mark.parametrize("figure", FIGURES)
def test_left_is_the_mirror_of_right(figure: str) -> None:
    body = build(figure)
    for clip in (kick, throw):
        left, right = clip(body, side="left"), clip(body, side="right")
        for part in ("hand", "toe_tip"):
            a = site_frames(body, left.q, [f"left_{part}"]).points[:, 0]
            b = site_frames(body, right.q, [f"right_{part}"]).points[:, 0]
            np.testing.assert_allclose(a * [-1.0, 1.0, 1.0], b, atol=1e-6)


def test_other_frame_rates_show_the_same_motion() -> None:
    figure = build("human40")
    slow, fast = throw(figure, fps=30.0), throw(figure, fps=60.0)
    hands = [site_frames(figure, motion.q, ["right_hand"]).points[:, 0] for motion in (slow, fast[::2])]
    frames = min(map(len, hands))
    assert np.linalg.norm(hands[0][:frames] - hands[1][:frames], axis=1).max() < 0.02
