"""Restarts leave singular starts, also where no dof has a limit."""

import math

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import chain
from posewright.problem.dense_problem import coordinate_ranges, dof_ranges
from posewright.problem.lowering import lower


@pytest.mark.parametrize("kind", ["ball", "hinge"])
@pytest.mark.parametrize("x", [1.5, -1.0])
def test_a_straight_chain_folds_onto_its_own_axis(kind, x):
    problem = pw.Problem(chain(4, joints=kind), [pw.Position("tip", (x, 0.0, 0.0))])
    assert pw.LeastSquares().solve(problem).reached
    assert pw.LeastSquares(restarts=0).solve(problem).stopped == "stationary"


@pytest.mark.parametrize(
    "goal",
    [
        pw.Aim("tip", (-5.0, 0.0, 0.0)),
        pw.Orientation("tip", x=(-1.0, 0.0, 0.0)),
        pw.Orientation("tip", x=(-1.0, 0.0, 0.0), y=(0.0, 1.0, 0.0)),
        pw.Orientation("tip", x=(-1.0, 0.0, 0.0), y=(0.0, -1.0, 0.0)),
    ],
    ids=["aim", "direction", "half a turn about y", "half a turn about z"],
)
def test_a_goal_exactly_opposite_is_reached(goal):
    assert pw.LeastSquares().solve(pw.Problem(chain(2), [goal])).reached


def test_turns_without_limits_get_half_a_turn_and_a_free_root_stays(mixed_figure):
    lowered = lower(pw.Problem(mixed_figure, [pw.Position("foot", (0.0, 0.0, 0.0))], frozen=["spine"]))
    ranges = dict(zip(mixed_figure.dof_names, dof_ranges(lowered).T.tolist(), strict=True))
    assert ranges["root.tx"] == ranges["root.wx"] == ranges["spine.rx"] == [-math.inf, math.inf]
    assert ranges["leg.wy"] == [-0.5 * math.pi, 0.5 * math.pi]
    assert ranges["arm.tz"] == [-0.1, 0.3]
    assert ranges["hand.rz"] == [-2.0, 2.0]
    assert np.array_equal(dof_ranges(lowered), coordinate_ranges(lowered))


def test_half_a_limit_is_completed():
    hinges = [pw.figures.Hinge(axis=(0.0, 0.0, 1.0), lower=-1.0), pw.figures.Hinge(axis=(0.0, 1.0, 0.0), upper=1.0)]
    figure = pw.Figure(name="two", joints=[pw.figures.Joint(name="j", rotation=tuple(hinges))])
    lowered = lower(pw.Problem(figure, [pw.Plane("j", (0.0, 1.0, 0.0), (0.0, 1.0, 0.0))]))
    low, high = dof_ranges(lowered)
    assert (low <= high).all()
    assert np.isfinite([low, high]).all()
    assert low[0] == -1.0
    assert high[1] == 1.0
