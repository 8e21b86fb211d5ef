"""The feasible region of a problem: its rows, its bounds, and what they are called."""

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import build
from posewright.problem.feasible import feasible_region


def row(name, lower=-np.inf, upper=np.inf, **factors):
    coefficients = tuple((dof.replace("__", "."), factor) for dof, factor in factors.items())
    return pw.LinearConstraint(name=name, coefficients=coefficients, lower=lower, upper=upper)


def conflict(*constraints):
    with pytest.raises(pw.errors.Infeasible) as caught:
        pw.LeastSquares().solve(pw.Problem(build("human40"), constraints=constraints))
    return set(caught.value.rows)


def test_constraints_on_one_dof_that_contradict_each_other_are_both_named():
    one, two = row("one", 0.1, 0.1, left_knee__flexion=1.0), row("two", 0.2, 0.2, left_knee__flexion=1.0)
    assert conflict(one, two) == {"one", "two"}
    assert conflict(row("far", lower=9.0, left_knee__flexion=1.0)) == {"far", "left_knee.flexion (upper limit)"}
    assert conflict(row("far", upper=-9.0, left_knee__flexion=1.0)) == {"far", "left_knee.flexion (lower limit)"}


def test_a_row_against_a_constraint_on_one_dof_names_that_and_not_a_limit():
    bent = row("bent", lower=1.5, left_knee__flexion=1.0)
    both = row("both", upper=1.0, left_knee__flexion=1.0, right_knee__flexion=1.0)
    assert conflict(bent, both) == {"bent", "both", "right_knee.flexion (lower limit)"}


def test_bounds_that_say_the_same_twice_do_not_conflict():
    third = row("third", 0.1, 0.1, left_knee__flexion=1.0 / 3.0)
    whole = row("whole", 0.3, 0.3, left_knee__flexion=1.0)
    result = pw.LeastSquares().solve(pw.Problem(build("human40"), constraints=[third, whole]))
    assert result.pose["left_knee.flexion"] == pytest.approx(0.3, abs=1e-9)


def test_what_a_group_keeps_by_itself_does_not_hold_it():
    hinge = (pw.figures.Hinge(axis=(1.0, 0.0, 0.0), lower=-2.0, upper=2.0),)
    joints = [
        pw.figures.Joint(name="a", rotation=hinge),
        pw.figures.Joint(name="b", parent="a", offset=(0.0, 1.0, 0.0), rotation=hinge),
    ]
    group = pw.figures.JointGroup(
        name="bend", coordinates=("amount",), members=("a.rx", "b.rx"), matrix=((0.1,), (0.3,)), offset=(0.0, 0.0)
    )
    tip = pw.figures.Site(name="tip", joint="b", point=(0.0, 1.0, 0.0))
    figure = pw.Figure(name="finger", joints=joints, groups=(group,), sites=(tip,))
    follows = pw.LinearConstraint.coupling(
        "follows", "b.rx", "a.rx", 3.0
    )  # 0.3 - 3 · 0.1 is not zero in floating point
    problem = pw.Problem(
        pw.Space.grouped(figure), [pw.Line("tip", (0.0, 0.0, 0.5), (0.0, 1.0, 0.0))], constraints=[follows]
    )
    region = feasible_region(problem)
    assert region.lower[0] < -1.0
    assert region.upper[0] > 1.0
    assert pw.LeastSquares().solve(problem).reached
