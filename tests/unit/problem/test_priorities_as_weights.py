import numpy as np
import pytest

import posewright as pw


def elbow(angle, priority, name):
    return pw.PythonGoal(lambda pose: np.array([pose["hand.rx"] - angle]), 1, unit="rad", priority=priority, name=name)


def test_levels_beyond_the_strict_ones_weigh_100_times_less_each(mixed_figure):
    goals = [
        pw.Position("finger", (0.5, 1.0, 0.1), priority=2),
        pw.Position("foot", (0.2, -0.5, 0.3), priority=5, weight=3.0),
        pw.Aim("hand", (1.0, 1.0, 1.0), priority=9, weight=2.0),
        pw.Plane("arm", (0.0, 3.0, 0.0), (0.0, 1.0, 0.0), priority=1, enabled=False),
    ]
    problem = pw.Problem(mixed_figure, goals)
    same, nothing = problem.with_priorities_as_weights(strict=3)
    assert same is problem
    assert not nothing
    one, said = problem.with_priorities_as_weights(strict=1)
    assert [(goal.priority, goal.weight) for goal in one.goals[:3]] == [(1, 1.0), (1, pytest.approx(0.03)), (1, 2e-4)]
    assert said == ("priorities became weights, 100 per level",)
    two, said = problem.with_priorities_as_weights(strict=2)
    assert [(goal.priority, goal.weight) for goal in two.goals[:3]] == [(1, 1.0), (2, 3.0), (2, 0.02)]
    assert said == ("priorities beyond the second became weights, 100 per level",)


def test_goals_in_python_and_postures_beyond_the_second_level_weigh_less_too(mixed_figure):
    first = pw.Position("foot", (0.2, -0.5, 0.3))
    problem = pw.Problem(mixed_figure, [first, elbow(0.4, 2, "second"), elbow(0.1, 3, "third")])
    result = pw.LeastSquares().solve(problem)
    assert result.errors["foot"] < 1e-3
    assert result.pose["hand.rx"] == pytest.approx((0.4 + 0.01 * 0.1) / 1.01, abs=1e-4)
    leaning = pw.Problem(mixed_figure, [first, elbow(0.4, 2, "second"), pw.Posture(priority=3)])
    assert pw.LeastSquares().solve(leaning).errors["second"] < 0.01
