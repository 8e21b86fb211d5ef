"""Several posture goals in one problem."""

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import build
from posewright.problem.lowered_problem import PostureObjective
from posewright.solvers.registry import SOLVERS

HAND = pw.Position("left_hand", (0.3, 1.2, 0.4))


def test_goals_together_cost_what_they_cost_one_by_one_but_for_a_constant():
    rng = np.random.default_rng(4)
    one, two, start = rng.normal(size=(3, 5))
    parts = [(rng.uniform(0, 2, 5), one), (rng.uniform(0, 2, 5), None), (np.eye(5)[2], two)]
    pull = PostureObjective.of(parts, 5)

    def apart(q):
        return sum(float(w @ (q - (start if r is None else r)) ** 2) for w, r in parts)

    def together(q):
        return float(pull.weights @ (q - pull.reference(start)) ** 2)

    here, there = rng.normal(size=(2, 5))
    assert apart(here) - apart(there) == pytest.approx(together(here) - together(there))


def test_one_goal_pulls_exactly_to_its_reference():
    start, reference = np.random.default_rng(5).normal(size=(2, 6))
    weights = np.array([0.3, 0.0, 1.7, 0.1, 1e-9, 3.0])
    assert np.array_equal(PostureObjective.of([(weights, None)], 6).reference(start), start)
    assert np.array_equal(
        PostureObjective.of([(weights, reference)], 6).reference(start)[weights > 0], reference[weights > 0]
    )


@pytest.mark.parametrize("name", SOLVERS)
def test_arms_and_legs_may_have_references_of_their_own(name):
    figure = build("human40")
    bent = pw.Pose.rest(figure).with_values({"right_elbow.flexion": 1.0, "right_knee.flexion": 0.2})
    raised = pw.Pose.rest(figure).with_values({"right_elbow.flexion": 0.1, "right_knee.flexion": 0.8})
    everything = dict.fromkeys(figure.joint_names, 0.0)
    goals = [
        HAND,
        pw.Posture(bent, everything | {"right_elbow": 1.0}, weight=0.1, name="arm"),
        pw.Posture(raised, everything | {"right_knee": 1.0}, weight=0.1, name="leg"),
    ]
    result = SOLVERS[name]().solve(pw.Problem(figure, goals))
    assert result.pose["right_elbow.flexion"] == pytest.approx(1.0, abs=1e-3)
    assert result.pose["right_knee.flexion"] == pytest.approx(0.8, abs=1e-3)
    assert result.errors["arm"] < 1e-3
    assert result.errors["leg"] < 1e-3


@pytest.mark.parametrize("name", SOLVERS)
def test_of_posture_goals_in_conflict_the_first_priority_wins_and_it_is_said(name):
    figure = build("human40")
    bent = pw.Pose.rest(figure).with_values({"right_elbow.flexion": 1.0})
    goals = [
        HAND,
        pw.Posture(bent, name="bent", weight=0.01),
        pw.Posture(name="start", priority=2, weight=0.01),
    ]
    result = SOLVERS[name]().solve(pw.Problem(figure, goals))
    rest = figure.rest[figure.dof_index("right_elbow.flexion")]
    assert result.pose["right_elbow.flexion"] == pytest.approx((100.0 + rest) / 101.0, abs=2e-3)
    assert any("posture goal" in said or "weights, 100 per level" in said for said in result.warnings)


def test_a_first_priority_does_not_silently_become_the_second():
    goals = [pw.Posture(weight=1.0), pw.Position("left_hand", (0.3, 1.2, 0.4), priority=2)]
    result = pw.LeastSquares().solve(pw.Problem(build("human40"), goals))
    assert result.warnings == ("a posture goal is served with the last priority, not with an earlier one",)
    last = [goals[1], pw.Posture(weight=1.0, priority=2)]
    assert pw.LeastSquares().solve(pw.Problem(build("human40"), last)).warnings == ()


def test_errors_cost_and_trace_are_about_the_reference_that_a_solve_was_given(mixed_figure):
    goals = [pw.Position("finger", (0.7, 1.2, 0.3)), pw.Posture(priority=2)]
    prepared = pw.LeastSquares().prepare(pw.Problem(mixed_figure, goals))
    rest = pw.Pose.rest(mixed_figure)
    wanted = rest.with_values({"spine.rx": 0.5, "hand.rz": -1.0})
    result = prepared.solve(reference=wanted.q)
    away = result.q - wanted.q
    assert result.errors["posture"] == pytest.approx(float(np.sqrt(np.mean(away**2))))
    assert result.cost == pytest.approx(float(away @ away) + result.errors["finger"] ** 2)
    assert result.trace[-1] == pytest.approx(result.cost)
    again = prepared.solve(start=rest)
    assert again.errors["posture"] == pytest.approx(float(np.sqrt(np.mean((again.q - rest.q) ** 2))))
