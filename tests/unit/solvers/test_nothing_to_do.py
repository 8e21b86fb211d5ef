"""Questions that need no search have stated answers."""

import numpy as np
import pytest

import posewright as pw

FAR = (3.0, 4.0, 5.0)


def solve(problem, start=None):
    return pw.LeastSquares().solve(problem, start)


def test_without_goals_the_start_is_the_answer(mixed_figure):
    start = pw.Pose.rest(mixed_figure).with_values({"hand.rz": 1.0})
    result = solve(pw.Problem(mixed_figure), start)
    assert result.stopped == "nothing to do"
    assert np.array_equal(result.q, start.q)
    assert result.iterations == 0
    assert not result.warnings


def test_without_goals_a_start_outside_the_limits_is_brought_inside(mixed_figure):
    result = solve(pw.Problem(mixed_figure), pw.Pose.rest(mixed_figure).with_values({"hand.rz": 9.0}))
    assert result.pose["hand.rz"] == mixed_figure.joint("hand").hinges[0].upper


def test_goals_that_are_off_or_weigh_nothing_move_nothing(mixed_figure):
    for goal in (pw.Position("finger", FAR, enabled=False), pw.Position("finger", FAR, weight=0.0)):
        result = solve(pw.Problem(mixed_figure, [goal]))
        assert result.stopped == "nothing to do"
        assert np.array_equal(result.q, mixed_figure.rest)
        assert result.cost == 0.0


def test_a_goal_on_a_frozen_chain_is_missed_and_named(mixed_figure):
    frozen = ["root", "spine", "arm", "hand"]
    result = solve(pw.Problem(mixed_figure, [pw.Position("finger", FAR)], frozen=frozen))
    assert result.stopped == "nothing to do"
    assert not result.reached
    assert result.warnings == ("'finger' cannot be met: its chain is frozen",)
    assert result.cost == pytest.approx(result.errors["finger"] ** 2)


def test_a_goal_that_is_met_on_a_frozen_chain_is_reached(mixed_figure):
    rest = solve(pw.Problem(mixed_figure, [pw.Position("finger", FAR, weight=0.0)])).pose
    point = pw.figures.kinematics.site_frames(mixed_figure, rest.q, ["finger"]).points[0]
    result = solve(pw.Problem(mixed_figure, [pw.Position("finger", point)], frozen=mixed_figure.joint_names))
    assert result.stopped == "reached"
    assert not result.warnings


def test_one_frozen_goal_does_not_stop_the_others(mixed_figure):
    goals = [pw.Position("finger", (0.5, 1.0, 0.1)), pw.Position("foot", FAR)]
    result = solve(pw.Problem(mixed_figure, goals, frozen=["root", "leg"]))
    assert result.errors["finger"] < 1e-3
    assert result.warnings == ("'foot' cannot be met: its chain is frozen",)


def test_many_idle_solves_evaluate_each_start(mixed_figure):
    problem = pw.Problem(mixed_figure, [pw.Position("finger", FAR)], frozen=mixed_figure.joint_names)
    prepared = pw.LeastSquares().prepare(problem)
    targets = np.repeat(prepared.lowered.targets[np.newaxis], 3, axis=0)
    targets[:, 0, 0] = (1.0, 2.0, 3.0)
    many = prepared.solve_many(targets)
    assert np.array_equal(many.q, np.tile(mixed_figure.rest, (3, 1)))
    assert not many.reached.any()
    assert len(set(many.errors["finger"])) == 3
