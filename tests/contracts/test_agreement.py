"""Our optima are those of SLSQP and of the augmented Lagrangian; `posewright experiment agreement` asks 200 times."""

import sys

import numpy as np
import pytest

import posewright as pw
from posewright.experiments.agreement import EQUAL, STARTS, Comparison, compare, questions, verdict
from posewright.experiments.experiment import Outcome
from posewright.figures.catalogue import arm4
from posewright.solvers.registry import SOLVERS

MINIMISERS = [name for name in ("least_squares", "active_set_bfgs") if name in SOLVERS]


@pytest.fixture(scope="module")
def comparisons():
    outcome = Outcome()
    found = compare(10, outcome)
    assert not outcome.failures, "the oracles are in the extra `dev`"
    return found


def test_every_minimiser_is_compared_with_every_oracle(comparisons: list[Comparison]):
    assert [(one.ours, one.theirs, one.far) for one in comparisons] == [
        (ours, theirs, far)
        for ours in MINIMISERS
        for theirs in ("SLSQP", "augmented Lagrangian")
        for far in (False, True)
    ]
    assert all(sum(one.same_start.values()) == 5 and one.answers == 5 * STARTS for one in comparisons)


def test_with_several_starts_ours_is_never_worse(comparisons: list[Comparison]):
    for one in comparisons:
        assert one.many_starts["worse"] == 0, one
        assert one.many_starts["equal"] >= 4, one


def test_slsqp_gets_no_lower_from_where_ours_ends(comparisons: list[Comparison]):
    assert all(one.improvable == 0 for one in comparisons), comparisons


def test_without_an_oracle_it_is_not_accepted(monkeypatch):
    monkeypatch.setitem(sys.modules, "nlopt", None)  # as if it were not installed
    outcome = Outcome()
    assert {one.theirs for one in compare(1, outcome)} == {"SLSQP"}
    assert not outcome.accepted
    assert "nlopt" in outcome.failures[0]


def test_a_worse_answer_is_called_worse():
    far = pw.Problem(arm4(), [pw.Position("tip", (9.0, 3.0, 1.0))])
    early, end = pw.Scipy().stopping_after(3).solve(far), pw.Scipy().solve(far)
    assert early.cost > (1.0 + EQUAL) * end.cost
    assert [verdict(early, end), verdict(end, early), verdict(end, end)] == ["worse", "better", "equal"]


def test_questions_are_the_same_every_time():
    for first, second in zip(questions(6), questions(6), strict=True):
        assert first.problem.goals == second.problem.goals
        assert all(np.array_equal(a.q, b.q) for a, b in zip(first.starts, second.starts, strict=True))


@pytest.mark.parametrize("method", ["SLSQP", "trust-constr", "L-BFGS-B"])
def test_the_methods_of_scipy_agree_among_themselves(method):
    solver = pw.Scipy(method=method)
    for question in questions(10)[::5]:  # the arm: limits only
        assert verdict(solver.solve(question.problem), pw.Scipy().solve(question.problem)) == "equal"


@pytest.mark.parametrize("inner", ["LBFGS", "SLSQP"])
def test_the_inner_methods_of_nlopt_agree_among_themselves(inner):
    question = questions(5)[4]  # fingers: coupled by equalities
    answer = pw.Nlopt(inner=inner).solve(question.problem)
    assert answer.reached
    for row in question.problem.figure.constraints:
        value = row.value(dict(zip(answer.pose.figure.dof_names, answer.q.tolist(), strict=True)))
        assert row.lower - 1e-9 <= value <= row.upper + 1e-9


def test_trust_constr_keeps_linear_rows_and_l_bfgs_b_refuses_them():
    question = questions(5)[4]
    assert pw.Scipy(method="trust-constr").solve(question.problem).reached
    with pytest.raises(pw.errors.InvalidSetting, match=r"L-BFGS-B supports only limits of single.*use SLSQP"):
        pw.Scipy(method="L-BFGS-B").solve(question.problem)


def test_settings_that_do_not_exist_are_refused():
    with pytest.raises(
        pw.errors.InvalidSetting, match="method of Scipy is 'newton'; it must be SLSQP, trust-constr, L-BFGS-B"
    ):
        pw.Scipy(method="newton")
    with pytest.raises(pw.errors.InvalidSetting, match="inner of Nlopt is 'newton'; it must be LBFGS"):
        pw.Nlopt(inner="newton")
