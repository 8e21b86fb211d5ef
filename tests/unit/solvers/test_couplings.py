"""Coupled dofs in motions: solved in stretches, kept exactly, as good as a dense solver where nothing is entwined."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import posewright as pw
from posewright.clips import throw
from posewright.constraints import LinearConstraint
from posewright.figures.catalogue import build
from posewright.solvers.motion import solving
from posewright.solvers.motion.clip_tracker import ClipTracker
from posewright.solvers.motion.couplings import couplings
from posewright.solvers.motion.frame_by_frame import FrameByFrame

KNEES = LinearConstraint.coupling("knees", "left_knee.flexion", "right_knee.flexion", 0.5, 0.1)
WRISTS = LinearConstraint.coupling("wrists", "left_wrist.twist", "right_wrist.twist", -1.5, 0.0)
SPINE = LinearConstraint.coupling("spine", "back.axial", "waist.axial", 0.7, 0.05)
OFFSET = np.array([0.05, 0.1, 0.0])
PRECISE = pw.LeastSquares(tracking=pw.solvers.Tracking(gain=1e-13, steps=200))


@cache
def throwing(frames=40):
    return throw(build("norman"), fps=30.0)[:frames]


def problem(*constraints, frames=40, sites=("right_hand", "right_sole"), **settings):
    figure = replace(build("norman"), constraints=constraints)
    clip = pw.Motion(figure, throwing(frames).q, 30.0)
    tracks = [pw.goals.follow(site, clip) for site in sites]
    tracks = [replace(track, points=track.points + OFFSET) for track in tracks]
    return pw.MotionProblem(figure, tracks, clip, imitation=pw.Imitation(example=1e-3), **settings)


def broken(motion):
    rows = [sum(f * motion.q[:, motion.figure.dof_index(d)] for d, f in c.coefficients) - c.upper
            for c in motion.figure.constraints]  # fmt: skip
    return float(np.abs(rows).max())


def is_quick(asked):
    return isinstance(solving.tracker(solving.lower_motion(asked), PRECISE), ClipTracker)


@pytest.mark.parametrize("ties", [(KNEES,), (WRISTS,), (KNEES, WRISTS)])
def test_followers_follow_exactly_and_the_answer_is_that_of_a_dense_solver(monkeypatch, ties):
    asked = problem(*ties, frames=8)
    assert is_quick(asked)
    quick = PRECISE.solve(asked)
    assert broken(quick.motion) < 1e-12
    assert np.all((quick.motion.q >= asked.figure.lower) & (quick.motion.q <= asked.figure.upper))
    monkeypatch.setattr(solving, "clip_tracker", lambda *_: None)
    dense = pw.LeastSquares(restarts=0).solve(asked)
    assert np.abs(quick.motion.q - dense.motion.q).max() < 1e-3
    for label, errors in quick.errors_by_frame.items():
        assert errors == pytest.approx(dense.errors_by_frame[label], abs=1e-4)


def test_entwined_dofs_are_kept_exactly_and_goals_are_nearly_as_near(monkeypatch):
    """Both joints of the spine carry the hand."""
    asked = problem(SPINE, frames=12)
    assert is_quick(asked)
    quick = PRECISE.solve(asked)
    assert broken(quick.motion) < 1e-12
    assert np.abs(np.diff(quick.motion.q[:, asked.figure.dof_index("waist.axial")])).max() > 0.0
    monkeypatch.setattr(solving, "clip_tracker", lambda *_: None)
    dense = pw.LeastSquares(restarts=0).solve(asked)
    means = [np.mean(list(one.errors_by_frame.values())) for one in (quick, dense)]
    assert means[0] < means[1] + 2e-3
    assert np.abs(quick.motion.q - dense.motion.q).max() < 0.1


def test_a_stream_gives_the_bits_of_the_clip():
    asked = problem(KNEES, SPINE)
    clip, stream = pw.LeastSquares().solve(asked).motion, pw.LeastSquares().stream(asked)
    for frame in range(len(asked)):
        answer = stream.solve(asked.near.q[frame], {goal.label: goal.points[frame] for goal in asked.goals})
        assert np.array_equal(answer.pose.q, clip.q[frame])


def test_speeds_hold_for_followers_too():
    from posewright.figures.transforms.limits import with_max_speeds

    figure = with_max_speeds(replace(build("norman"), constraints=(KNEES, SPINE)), {"left_knee": 0.5, "back": 0.4})
    clip = pw.Motion(figure, throwing().q, 30.0)
    track = pw.goals.follow("right_hand", clip)
    made = pw.LeastSquares().solve(pw.MotionProblem(figure, [track], clip, velocity_limits=True)).motion
    speeds = np.abs(np.diff(made.q, axis=0)) * made.fps / figure.max_speeds
    assert 0.999 < speeds.max() <= 1.0
    assert broken(made) < 1e-12


def test_the_narrowest_limits_hold():
    """The left knee bends as far as its own limit allows, so the right one stops where that leads it."""
    tie = LinearConstraint.coupling("knees", "left_knee.flexion", "right_knee.flexion", 3.0, 0.0)
    asked = problem(tie)
    made = pw.LeastSquares().solve(asked).motion
    assert np.all((made.q >= asked.figure.lower) & (made.q <= asked.figure.upper))
    assert broken(made) < 1e-12


def test_a_frozen_leader_leads():
    asked = problem(KNEES, frozen=["right_knee"])
    made = pw.LeastSquares().solve(asked).motion
    assert made.q[:, asked.figure.dof_index("right_knee.flexion")] == pytest.approx(
        asked.near.q[:, asked.figure.dof_index("right_knee.flexion")], abs=1e-9
    )
    assert broken(made) < 1e-9


# Groups of dofs.


def test_chains_of_followers_are_one_group():
    chain = (
        LinearConstraint.coupling("a", "left_elbow.flexion", "right_elbow.flexion", 2.0, 0.1),
        LinearConstraint.coupling("b", "left_wrist.flexion", "left_elbow.flexion", -0.5, 0.2),
        LinearConstraint.coupling("c", "right_wrist.flexion", "right_elbow.flexion", 1.0, 0.0),
    )
    figure = replace(build("norman"), constraints=chain)
    (group,) = couplings(figure, chain)
    q = np.zeros((3, figure.n_dofs))
    group.led_by(2).write(np.array([0.1, 0.2, 0.3]), q)
    assert broken(pw.Motion(figure, q, 30.0)) < 1e-12
    assert sorted(figure.dof_names[dof] for dof in group.dofs) == [
        "left_elbow.flexion", "left_wrist.flexion", "right_elbow.flexion", "right_wrist.flexion",
    ]  # fmt: skip


def test_other_relations_are_left_to_the_dense_solvers():
    relation = LinearConstraint(
        name="three", coefficients=(*KNEES.coefficients, ("waist.axial", 1.0)), lower=0.3, upper=0.3
    )
    asked = problem(relation, frames=2)
    assert isinstance(solving.tracker(solving.lower_motion(asked), PRECISE), FrameByFrame)


def test_contradicting_ties_are_left_to_the_dense_solvers():
    twice = LinearConstraint.coupling("again", "left_knee.flexion", "right_knee.flexion", 0.5, 0.2)
    assert couplings(build("norman"), (KNEES, twice)) is None
    assert len(couplings(build("norman"), (KNEES, KNEES))) == 1
