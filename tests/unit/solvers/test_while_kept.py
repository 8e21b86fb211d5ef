"""Motions near linear inequalities: quick as long as none is in the way, kept exactly from there on."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import posewright as pw
from posewright.clips import throw
from posewright.constraints import LinearConstraint
from posewright.figures.catalogue import build
from posewright.problem.motion_lowering import lower_motion
from posewright.solvers.motion import solving
from posewright.solvers.motion.clip_tracker import ClipTracker
from posewright.solvers.motion.frame_by_frame import FrameByFrame

ELBOW = ("right_elbow.flexion", "right_shoulder.elevation")
KNEES = LinearConstraint.coupling("knees", "left_knee.flexion", "right_knee.flexion", 0.5, 0.1)
PRECISE = pw.LeastSquares(tracking=pw.solvers.Tracking(gain=1e-13, steps=200), restarts=0)


@cache
def clip():
    return throw(build("norman"), fps=30.0)[:40]


def sum_of_angles(q):
    return sum(q[:, clip().figure.dof_index(dof)] for dof in ELBOW)


def problem(*constraints, **settings):
    figure = replace(build("norman"), constraints=constraints)
    example = pw.Motion(figure, clip().q, 30.0)
    tracks = [pw.goals.follow(site, example) for site in ("right_hand", "left_sole")]
    return pw.MotionProblem(figure, tracks, example, imitation=pw.Imitation(example=1e-3), **settings)


def at_most(value):
    return LinearConstraint(name="arm", coefficients=tuple((dof, 1.0) for dof in ELBOW), upper=value)


def solved(asked, solver=PRECISE):
    return solver.solve(asked).motion.q


@pytest.mark.parametrize("more", [(), (KNEES,)])
def test_rows_that_are_not_in_the_way_change_nothing(more):
    free = problem(*more)
    held = problem(*more, at_most(float(sum_of_angles(clip().q).max()) + 0.5))
    assert isinstance(solving.tracker(lower_motion(held), PRECISE), ClipTracker)
    np.testing.assert_array_equal(solved(held), solved(free))


def narrow():
    """A row that the second half of the clip would break, and the first frame that would."""
    sums = sum_of_angles(solved(problem()))
    most = float(sums[:20].max()) + 0.02
    first = int(np.flatnonzero(sums > most)[0])
    assert 2 < first < 38
    return at_most(most), first


def test_from_the_first_frame_that_would_break_a_row_all_frames_keep_it():
    row, first = narrow()
    q = solved(problem(row))
    np.testing.assert_array_equal(q[:first], solved(problem())[:first])
    assert sum_of_angles(q).max() <= row.upper + 1e-9
    assert sum_of_angles(q)[first:].max() == pytest.approx(row.upper, abs=1e-9), "it is in the way"
    assert np.abs(np.diff(q, axis=0))[first - 1].max() < 2.0 * np.abs(np.diff(clip().q, axis=0)).max()


def test_from_there_on_it_is_the_answer_frame_by_frame(monkeypatch):
    row, _ = narrow()
    asked = problem(row)
    q = solved(asked)
    monkeypatch.setattr(solving, "clip_tracker", lambda *_: None)
    assert isinstance(solving.tracker(lower_motion(asked), PRECISE), FrameByFrame)
    np.testing.assert_allclose(q, solved(asked), rtol=0.0, atol=2e-3)


def test_a_stream_gives_the_same_numbers():
    row, _ = narrow()
    asked = problem(row)
    stream = PRECISE.stream(asked)
    found = [
        stream.solve(asked.near.q[k], {track.label: track.points[k] for track in asked.goals}).pose.q
        for k in range(len(asked))
    ]
    np.testing.assert_array_equal(np.stack(found), solved(asked))


def test_a_first_frame_that_would_break_a_row_is_frame_by_frame_at_once():
    row = at_most(float(sum_of_angles(clip().q).min()) - 0.05)
    assert sum_of_angles(solved(problem(row))).max() <= row.upper + 1e-9


def test_other_solvers_and_other_spaces_are_asked_frame_by_frame():
    lowered = lower_motion(problem(at_most(1.0)))
    assert isinstance(solving.tracker(lowered, pw.Prioritized()), FrameByFrame)
