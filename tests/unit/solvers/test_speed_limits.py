"""Velocity limits: held between all frames, by clips, streams and any solver; examples slowed down ahead of time."""

from functools import cache

import numpy as np
import pytest

import posewright as pw
from posewright.clips import throw
from posewright.errors import InvalidFigure, InvalidSetting, UnknownName
from posewright.figures.catalogue import build
from posewright.figures.transforms.limits import with_max_speeds
from posewright.motions.speeds import rate_limited
from posewright.solvers.motion import solving

SPEED = 1.5


def limited(speed):
    figure = build("norman")
    return with_max_speeds(figure, {joint.name: speed for joint in figure.joints[1:] if joint.n_dofs})


@cache
def slow():
    return limited(SPEED)


@cache
def throwing(frames=60):
    clip = throw(build("norman"), fps=30.0)
    return pw.Motion(slow(), clip.q, 30.0)[:frames]


def problem(frames=60, **settings):
    clip = throwing(frames)
    track = pw.goals.follow("right_hand", clip)
    return pw.MotionProblem(slow(), [track], clip, imitation=pw.Imitation(example=1e-3), **settings)


def fastest(motion):
    return float((np.abs(np.diff(motion.q, axis=0)) * motion.fps / motion.figure.max_speeds).max())


def test_no_dof_is_faster_than_allowed_and_the_result_says_which_were_held_back():
    free, held = pw.LeastSquares().solve(problem()), pw.LeastSquares().solve(problem(velocity_limits=True))
    assert fastest(free.motion) > 2.0
    assert 1.0 - 1e-6 < fastest(held.motion) <= 1.0
    assert free.at_speed_limit == {}
    assert held.at_speed_limit["right_elbow.flexion"] > 3
    assert any("joint speed limits hold the motion back" in warning for warning in held.warnings)
    assert np.array_equal(held.motion.q[0], free.motion.q[0])  # the first frame is free


def test_limits_that_are_never_reached_change_nothing():
    figure = limited(1e3)
    clip = pw.Motion(figure, throwing().q, 30.0)
    track = pw.goals.follow("right_hand", clip)
    answers = [
        pw.LeastSquares().solve(pw.MotionProblem(figure, [track], clip, velocity_limits=limits)).motion.q
        for limits in (False, True)
    ]
    assert np.array_equal(*answers)


def test_a_cut_is_free():
    cut = pw.LeastSquares().solve(problem(cuts=[30], velocity_limits=True)).motion
    assert fastest(cut[:30]) <= 1.0
    assert fastest(cut[30:]) <= 1.0


def test_a_stream_gives_the_bits_of_the_clip():
    asked = problem(velocity_limits=True)
    clip, stream = pw.LeastSquares().solve(asked).motion, pw.LeastSquares().stream(asked)
    points = asked.goals[0].points
    for frame in range(len(asked)):
        answer = stream.solve(asked.near.q[frame], {"right_hand": points[frame]})
        assert np.array_equal(answer.pose.q, clip.q[frame])


@pytest.mark.parametrize(
    "solver", [pw.LeastSquares(restarts=0), pw.Prioritized()], ids=["least squares", "prioritized"]
)
def test_frame_by_frame_holds_them_too(monkeypatch, solver):
    monkeypatch.setattr(solving, "clip_tracker", lambda *_: None)
    made = solver.solve(problem(12, velocity_limits=True))
    assert fastest(solver.solve(problem(12)).motion) > 1.0
    assert fastest(made.motion) <= 1.0 + 1e-8
    assert made.at_speed_limit


# Examples slowed down ahead of time.


def test_the_slowed_example_is_nearer_than_one_that_lags_behind():
    clip = throwing()
    slowed = clip.within_speeds()
    assert fastest(slowed) <= 1.0 + 1e-9
    lagging = [clip.q[0]]
    step = clip.figure.max_speeds / clip.fps
    for q in clip.q[1:]:
        lagging.append(np.clip(q, lagging[-1] - step, lagging[-1] + step))
    assert np.abs(slowed.q - clip.q).max() < 0.7 * np.abs(np.array(lagging) - clip.q).max()


def test_no_slow_curve_is_nearer():
    """A step of 1 with changes of at most 0.1: the best is half-way in the middle, 0.45 off on both sides."""
    values = np.repeat([[0.0], [1.0]], 20, axis=0)
    slowed = rate_limited(values, np.array([0.1]))
    assert np.abs(np.diff(slowed, axis=0)).max() == pytest.approx(0.1)
    assert np.abs(slowed - values).max() == pytest.approx(0.45)
    assert slowed[:10] == pytest.approx(values[:10], abs=1e-15)  # far from the step nothing changes


def test_slow_motions_stay_as_they_are():
    for figure in (build("norman"), limited(1e3)):
        clip = pw.Motion(figure, throwing().q, 30.0)
        assert np.array_equal(clip.within_speeds().q, clip.q)


# Speeds of one's own.


def test_speeds_by_joint_and_dof():
    figure = with_max_speeds(build("norman"), {"right_elbow": 3.0, "pelvis.tx": 2.0})
    speeds = dict(zip(figure.dof_names, figure.max_speeds.tolist(), strict=True))
    assert {name for name, speed in speeds.items() if speed < np.inf} == {"right_elbow.flexion", "pelvis.tx"}
    assert speeds["right_elbow.flexion"] == 3.0


def test_bad_speeds_are_refused():
    figure = build("norman")
    with pytest.raises(UnknownName, match="did you mean 'right_elbow'"):
        with_max_speeds(figure, {"rigth_elbow": 1.0})
    with pytest.raises(InvalidSetting, match="must be positive"):
        with_max_speeds(figure, {"right_elbow": 0.0})
    with pytest.raises(InvalidFigure, match="is a ball"):
        with_max_speeds(figure, {"pelvis.wx": 1.0})


def test_prioritized_says_that_it_weighs_goals_where_speeds_have_limits():
    said = pw.Prioritized(max_iterations=5).solve(problem(4, velocity_limits=True)).warnings
    assert any("weighed against the example" in warning for warning in said)
    assert not any("weighed" in warning for warning in pw.Prioritized(max_iterations=5).solve(problem(4)).warnings)
