"""Doubts about a motion: said when there is reason, and only then."""

import numpy as np
import pytest

import posewright as pw
from posewright.conventions import GRAVITY
from posewright.formats import ReadOptions
from posewright.formats.assumptions import apparent_gravity, fall, has_t_pose_first, with_options
from posewright.motions import Motion


def hopper() -> pw.Figure:
    hinges = tuple(pw.figures.Hinge(axis=axis) for axis in ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)))
    return pw.Figure(
        name="hopper",
        joints=[
            pw.figures.Joint(name="hips", slides=pw.figures.free_slides(), rotation=hinges),
            pw.figures.Joint(name="chest", parent="hips", offset=(0.0, 0.7, 0.0), rotation=hinges),
            pw.figures.Joint(name="foot", parent="hips", offset=(0.0, -0.9, 0.0), rotation=hinges),
        ],
    )


def jump(true_fps: float, stated_fps: float, *, speed: float = 2.0, gravity: float = GRAVITY) -> Motion:
    """Standing, one jump, standing."""
    figure = hopper()
    time = np.arange(round(3.0 * true_fps)) / true_fps - 1.0
    height = np.maximum(0.0, speed * time - 0.5 * gravity * time**2) * (time > 0.0)
    q = np.zeros((len(time), figure.n_dofs))
    q[:, 1] = 0.9 + height
    q[:, 3:] = 0.3 * np.sin(time)[:, None]  # no T-pose at the start
    return Motion(figure, q, stated_fps)


@pytest.mark.parametrize("fps", [30.0, 60.0, 120.0])
def test_a_jump_at_the_right_rate_raises_no_doubt(fps: float) -> None:
    assert np.isclose(apparent_gravity(jump(fps, fps)), GRAVITY, rtol=0.1)
    assert with_options(jump(fps, fps), ReadOptions()).notes == ()


@pytest.mark.parametrize(("true", "stated"), [(60.0, 120.0), (30.0, 60.0), (120.0, 60.0), (60.0, 30.0), (30.0, 120.0)])
def test_a_wrong_rate_is_doubted_and_the_right_one_named(true: float, stated: float) -> None:
    motion = with_options(jump(true, stated), ReadOptions())
    assert motion.fps == stated  # never changed silently
    assert len(motion.notes) == 1
    assert f"{stated:g} per second is doubtful" in motion.notes[0]
    assert f"about {true:g} per second" in motion.notes[0]
    told = with_options(jump(true, stated), ReadOptions(fps=true))
    assert told.fps == true
    assert told.notes == (f"frame rate: {true:g} per second, as given",)


def test_without_a_flight_nothing_is_doubted() -> None:
    standing = jump(60.0, 60.0, speed=0.0)
    assert apparent_gravity(standing) is None
    lift = standing.q.copy()
    lift[40:120, 1] += np.linspace(0.0, 0.5, 80)  # carried upwards evenly: no parabola
    lift[120:, 1] += 0.5
    assert apparent_gravity(standing.with_q(lift)) is None


def test_a_t_pose_before_the_motion_is_left_out_and_that_is_said() -> None:
    figure = hopper()
    q = np.zeros((30, figure.n_dofs))
    q[1:, 3:] = 0.8 + 0.01 * np.arange(29)[:, None]
    motion = Motion(figure, q, 60.0)
    assert has_t_pose_first(motion)
    found = with_options(motion, ReadOptions())
    assert "frame 0 is left out: it is a T-pose" in found.notes[0]
    assert (len(found), found.first_frame) == (29, 1)
    assert found[3:].first_frame == 4
    kept = with_options(motion, ReadOptions(drop_first=False))
    assert (len(kept), kept.first_frame, kept.notes) == (30, 0, ())
    dropped = with_options(motion, ReadOptions(drop_first=True))
    assert len(dropped) == 29
    assert np.array_equal(dropped.q, q[1:])
    assert dropped.notes == ("frame 0 was skipped, as requested",)


def test_a_motion_that_starts_at_rest_has_no_t_pose_before_it() -> None:
    figure = hopper()
    q = np.zeros((30, figure.n_dofs))
    q[:, 3:] = 0.02 * np.arange(30)[:, None]
    assert not has_t_pose_first(Motion(figure, q, 60.0))
    assert not has_t_pose_first(Motion(figure, q[:1], 60.0))


TIME = np.arange(24) / 60.0


@pytest.mark.parametrize("gravity", [1.5, 9.81, 40.0])
def test_the_acceleration_of_a_throw_is_found(gravity: float) -> None:
    heights = 1.0 + 0.2 * gravity * TIME - 0.5 * gravity * TIME**2
    assert np.isclose(fall(heights, 60.0, 1.0), gravity)
    assert fall(heights, 60.0, 1.1 * gravity) == 0.0  # too weak to count
    wobble = 1e-4 * np.sin(200.0 * TIME)
    assert np.isclose(fall(heights + wobble, 60.0, 1.0), gravity, rtol=0.05)


@pytest.mark.parametrize(
    "heights",
    [
        np.ones(24),
        1.0 + 2.0 * TIME,  # carried
        1.0 - 2.0 * TIME + 4.9 * TIME**2,  # bent upwards
        1.0 + 0.1 * np.sin(40.0 * TIME),  # to and fro
        3.0 - 20.0 * TIME - 0.8 * TIME**2,  # hardly bent
    ],
)
def test_other_curves_are_no_fall(heights: np.ndarray) -> None:
    assert fall(heights, 60.0, 1.0) == 0.0
