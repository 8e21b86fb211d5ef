"""Targets that change from solve to solve, by name."""

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import build

POINT, UP, LEFT, AHEAD = (0.35, 1.1, 0.4), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
FIGURE = build("human40")


def placed(goal, changed, values):
    """The answer for a goal whose target changed, and for the same goal stated anew."""
    prepared = pw.LeastSquares().prepare(pw.Problem(FIGURE, [goal]))
    again = prepared.solve(targets={goal.label: values})
    return again, pw.LeastSquares().solve(pw.Problem(FIGURE, [changed]))


CASES = {
    "point": (pw.Position("left_hand", (0, 1, 0)), pw.Position("left_hand", POINT), POINT),
    "placement": (
        pw.Placement("left_hand", (0, 1, 0), x=LEFT, y=UP),
        pw.Placement("left_hand", POINT, x=AHEAD, y=(0.0, 1.0, 0.3)),
        (*POINT, 0.0, 0.0, 7.0, 0.0, 1.0, 0.3),
    ),
    "placement by chords": (
        pw.Placement("left_hand", (0, 1, 0), x=LEFT, y=UP, measure="chord"),
        pw.Placement("left_hand", POINT, x=AHEAD, y=UP, measure="chord"),
        (*POINT, *AHEAD, *UP),
    ),
    "placement with one direction": (
        pw.Placement("left_hand", (0, 1, 0), y=LEFT),
        pw.Placement("left_hand", POINT, y=AHEAD),
        (*POINT, *AHEAD),
    ),
    "orientation": (
        pw.Orientation("left_hand", x=LEFT, y=UP),
        pw.Orientation("left_hand", x=AHEAD, y=UP),
        (*AHEAD, *UP),
    ),
    "plane": (
        pw.Plane("left_hand", (0, 1, 0), UP),
        pw.Plane("left_hand", POINT, (3.0, 0.0, 4.0)),
        (*POINT, 3.0, 0.0, 4.0),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_new_target_is_what_the_goal_would_have_said(case):
    again, anew = placed(*CASES[case])
    assert np.array_equal(again.q, anew.q)
    assert again.errors == anew.errors


BAD = {
    "directions for a point": (pw.Position("left_hand", POINT), (*POINT, *UP), "takes 3 numbers: a point"),
    "one direction of two": (
        pw.Placement("left_hand", POINT, x=LEFT, y=UP),
        (*POINT, *UP),
        "has 6 numbers; this goal takes 9 numbers: a point and two directions",
    ),
    "a point for a direction": (pw.Orientation("left_hand", x=LEFT), (*POINT, *UP), "takes 3 numbers: a direction"),
    "no direction": (
        pw.Plane("left_hand", POINT, UP),
        (*POINT, 0, 0, 0),
        "direction of the target of 'left_hand' is zero",
    ),
    "parallel": (pw.Orientation("left_hand", x=LEFT, y=UP), (*UP, *UP), "are parallel"),
    "a site of the figure": (pw.Position("left_hand", "right_hand"), POINT, "is a site of the figure"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_target_that_does_not_fit_is_refused(case):
    goal, values, sentence = BAD[case]
    prepared = pw.LeastSquares().prepare(pw.Problem(FIGURE, [goal]))
    with pytest.raises(pw.errors.InvalidSetting, match=sentence):
        prepared.solve(targets={"left_hand": values})


@pytest.mark.parametrize("case", CASES)
def test_many_targets_by_name_are_those_of_as_many_solves(case):
    goal, _, values = CASES[case]
    feet = pw.Position("left_sole", (0.1, 0.0, 0.0))
    prepared = pw.LeastSquares().prepare(pw.Problem(FIGURE, [goal, feet]))
    rows = np.array([values, values]) + np.array([[0.0], [0.05]])
    bent = pw.Pose.rest(FIGURE).with_values({"left_elbow.flexion": 1.0})
    many = prepared.solve_many({goal.label: rows}, bent)
    for k, (q, row) in enumerate(zip(many.q, rows, strict=True)):
        one = prepared.fork().solve(targets={goal.label: row}, start=bent)
        np.testing.assert_array_equal(q, one.q)
        for key, errors in many.errors.items():
            assert errors[k] == pytest.approx(one.errors[key], abs=1e-9)
    assert repr(many) == f"<ManyResults: {many.reached.sum()} of 2 reached>"


MANY_BAD = {
    "one point": ({"left_hand": POINT}, r"must have a row per solve, got shape \(3,\)"),
    "words": ({"left_hand": [["a", "b", "c"]]}, "targets of 'left_hand' must be finite numbers"),
    "not as many": (
        {"left_hand": np.zeros((2, 3)), "right_hand": np.zeros((3, 3))},
        "must have the same number of targets; found 2 for 'left_hand', 3 for 'right_hand'",
    ),
    "none": ({}, "found none"),
    "directions for a point": ({"left_hand": np.ones((2, 6))}, "takes 3 numbers: a point"),
    "no such goal": ({"left_hnad": np.zeros((2, 3))}, "did you mean 'left_hand'"),
}


@pytest.mark.parametrize("case", MANY_BAD)
def test_many_targets_that_do_not_fit_are_refused(case):
    targets, sentence = MANY_BAD[case]
    problem = pw.Problem(FIGURE, [pw.Position("left_hand", POINT), pw.Position("right_hand", POINT)])
    with pytest.raises(pw.PosewrightError, match=sentence):
        pw.LeastSquares().solve_many(problem, targets)
