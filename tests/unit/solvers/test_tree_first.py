"""Least squares with linear constraints: by the tree where the answer keeps them, by dense steps where it does not."""

from dataclasses import replace

import numpy as np
import pytest

import posewright as pw
from posewright.constraints import LinearConstraint
from posewright.figures.catalogue import build
from posewright.problem.lowering import lower
from posewright.solvers.least_squares import DenseLeastSquares, TreePrepared

HUMAN = build("human")
BARE = replace(HUMAN, constraints=())
EASY = (0.3, 1.2, 0.4)
"""m: in front, far from the edges of the shoulder's range"""


def reach(figure, target=EASY, **settings):
    return pw.Problem(figure, [pw.Position("left_hand", target)], **settings)


def reach_with_the_arm(figure, target, *goals):
    arm = {"left_clavicle", "left_shoulder", "left_elbow", "left_wrist"}
    still = [joint for joint in figure.joint_names if joint not in arm]
    return pw.Problem(figure, [pw.Position("left_hand", target), *goals], frozen=still)


def narrow(figure):
    """With a row that keeps the left arm from being raised."""
    dofs = ("left_shoulder.elevation", "left_shoulder.abduction")
    row = LinearConstraint(name="narrow", coefficients=tuple((dof, 1.0) for dof in dofs), upper=0.9)
    return replace(figure, constraints=(row,))


def test_an_answer_that_keeps_all_rows_is_that_of_the_figure_without_them():
    held, free = pw.LeastSquares().prepare(reach(HUMAN)), pw.LeastSquares().prepare(reach(BARE))
    assert isinstance(held, DenseLeastSquares)
    assert isinstance(free, TreePrepared)
    np.testing.assert_array_equal(held.solve().q, free.solve().q)


@pytest.mark.parametrize("posture", [0.0, 1e-3])
def test_an_answer_that_would_break_a_row_is_that_of_dense_steps(posture):
    figure = narrow(BARE)
    more = [pw.Posture(weight=posture)] if posture else []
    asked = reach_with_the_arm(figure, (0.3, 1.7, 0.3), *more)
    lowered = lower(asked)
    free = pw.LeastSquares().solve(reach_with_the_arm(BARE, (0.3, 1.7, 0.3), *more))
    assert lowered.region.violation(free.q) > 1e-3, "the row is in the way"
    found = pw.LeastSquares().solve(asked)
    assert lowered.region.violation(found.q) <= 1e-9
    np.testing.assert_array_equal(found.q, DenseLeastSquares(pw.LeastSquares(), lowered).solve().q)


def test_with_a_posture_goal_the_tree_and_dense_steps_find_the_same():
    asked = pw.Problem(HUMAN, [pw.Position("left_hand", EASY), pw.Posture(weight=1e-3)])
    dense = DenseLeastSquares(pw.LeastSquares(), lower(asked)).solve()
    found = pw.LeastSquares().solve(asked)
    assert found.cost <= dense.cost * (1.0 + 1e-6)
    np.testing.assert_allclose(found.q, dense.q, rtol=0.0, atol=1e-3)


def test_coupled_dofs_that_goals_move_stay_coupled():
    figure = replace(
        build("human40"),
        constraints=(LinearConstraint.coupling("elbows", "left_elbow.flexion", "right_elbow.flexion", 1.0, 0.0),),
    )
    found = pw.LeastSquares().solve(pw.Problem(figure, [pw.Position("left_hand", EASY)]))
    assert found.reached
    assert lower(reach(figure)).region.violation(found.q) <= 1e-9


def test_frozen_dofs_are_kept():
    found = pw.LeastSquares().solve(reach(HUMAN, frozen=["left_elbow"]))
    still = HUMAN.dofs_of("left_elbow")
    np.testing.assert_array_equal(found.q[still], HUMAN.rest[still])
    moved = np.flatnonzero(pw.LeastSquares().solve(reach_with_the_arm(HUMAN, EASY)).q != HUMAN.rest)
    assert {HUMAN.dof_names[d].partition("_")[0] for d in moved} == {"left"}


def test_many_solves_are_the_single_ones_whichever_way_each_went():
    prepared = pw.LeastSquares().prepare(reach_with_the_arm(narrow(BARE), EASY))
    random = np.random.default_rng(5)
    points = np.array([0.3, 1.2, 0.3]) + 0.4 * random.uniform(-1.0, 1.0, (12, 3))
    targets = np.repeat(prepared.targets[np.newaxis], len(points), axis=0)
    targets[:, 0, :3] = points
    many = prepared.solve_many(targets)
    single = [prepared.solve(one) for one in targets]
    np.testing.assert_array_equal(many.q, np.stack([result.q for result in single]))
    free = [pw.LeastSquares().solve(reach_with_the_arm(BARE, tuple(point))).q for point in points]
    same = [np.array_equal(result.q, q) for result, q in zip(single, free, strict=True)]
    assert any(same)
    assert not all(same)
    assert max(prepared.lowered.region.violation(q) for q in many.q) <= 1e-9


@pytest.mark.parametrize("figure", [HUMAN, narrow(BARE)])
def test_the_trace_falls_and_ends_at_the_answer(figure):
    found = pw.LeastSquares(restarts=0).solve(reach_with_the_arm(figure, (0.3, 1.2, 0.3)))
    assert found.trace[-1] == found.cost
    assert len(found.trace) == found.iterations + 1
    assert found.trace[-1] < 1e-3 * found.trace[0]
