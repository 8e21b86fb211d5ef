"""What every solver promises over time: limits in every frame, tracks followed, frames that hold together."""

import numpy as np
import pytest

import posewright as pw
from posewright.clips import throw
from posewright.figures.catalogue import build
from posewright.problem.motion_lowering import chain_length
from posewright.solvers.registry import SOLVERS

over_solvers = pytest.mark.parametrize("solver", [make() for make in SOLVERS.values()], ids=list(SOLVERS))


def reaching(goals=(), imitation=None):
    clip = throw(build("norman"), fps=20.0)[10:15]
    tracks = [pw.goals.follow("right_hand", clip), *goals]
    imitation = imitation or pw.Imitation(example=1e-4)
    return pw.MotionProblem(build("abnorman1"), tracks, clip, imitation=imitation, frozen=["pelvis"])


@over_solvers
def test_limits_and_frozen_joints_hold_in_every_frame(solver):
    problem = reaching()
    result = solver.solve(problem)
    figure = problem.figure
    assert (result.motion.q >= figure.lower - 1e-9).all()
    assert (result.motion.q <= figure.upper + 1e-9).all()
    pelvis = figure.dof_slice("pelvis")
    np.testing.assert_allclose(result.motion.q[:, pelvis], problem.near.q[:, pelvis], atol=1e-12)


@over_solvers
def test_the_track_is_followed(solver):
    result = solver.solve(reaching())
    assert result.errors_by_frame["right_hand"].shape == (5,)
    assert result.errors["right_hand"] < 0.02 * chain_length(result.problem)


@over_solvers
def test_a_plain_goal_holds_in_every_frame(solver):
    gaze = pw.Aim("view", (0.0, 1.5, 3.0), weight=1e-2)
    result = solver.solve(reaching([gaze]))
    assert list(result.errors) == ["right_hand", "view"]
    assert result.errors["view"] < np.radians(12.0)
