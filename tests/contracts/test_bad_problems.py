"""Every bad question gets one clear sentence, or a stated result."""

import math
import re

import numpy as np
import pytest

import posewright as pw

NAN, INF = math.nan, math.inf
POINT = (0.3, 0.4, 0.5)


def row(name, lower=-INF, upper=INF, **coefficients):
    factors = tuple((dof.replace("_", "."), factor) for dof, factor in coefficients.items())
    return pw.LinearConstraint(name=name, coefficients=factors, lower=lower, upper=upper)


BAD = {
    "unknown site": (lambda f: pw.Problem(f, [pw.PositionGoal("fingr", POINT)]), "no site 'fingr'; did you mean 'fing"),
    "unknown target site": (lambda f: pw.Problem(f, [pw.PositionGoal("finger", "fot")]), "did you mean 'foot'"),
    "unknown site in an alternative": (
        lambda f: pw.Problem(f, [pw.AnyOf((pw.PositionGoal("fingr", POINT),))]),
        "did you mean 'finger'",
    ),
    "unknown joint of a chain": (
        lambda f: pw.LeastSquares().solve(pw.Problem(f, [pw.PositionGoal("finger", POINT, joints=("amr",))])),
        "no joint 'amr'; did you mean 'arm'",
    ),
    "unknown recruiting": (lambda f: pw.PositionGoal("finger", POINT, joints="torso"), r"limb, limb\+spine, whole"),
    "unknown frozen dof": (lambda f: pw.Problem(f, frozen=["hand.rq"]), "no joint or dof 'hand.rq'; did you mean"),
    "unknown dof of a constraint": (lambda f: pw.Problem(f, constraints=[row("r", hand_rq=1.0)]), "no dof 'hand.rq'"),
    "zero normal": (lambda f: pw.PlaneGoal("finger", POINT, (0, 0, 0)), "normal of PlaneGoal 'finger' is zero"),
    "zero direction": (lambda f: pw.LineGoal("finger", POINT, (0, 0, 0)), "direction of LineGoal 'finger' is zero"),
    "zero axis": (lambda f: pw.AimGoal("finger", POINT, axis=(0, 0, 0)), "axis of AimGoal 'finger' is zero"),
    "parallel directions": (lambda f: pw.OrientationGoal("finger", x=(1, 0, 0), y=(-2, 0, 0)), "are parallel"),
    "no direction": (lambda f: pw.OrientationGoal("finger"), "needs a direction for x or y"),
    "negative weight": (lambda f: pw.PositionGoal("finger", POINT, weight=-1.0), "weight is -1.0"),
    "infinite weight": (lambda f: pw.PositionGoal("finger", POINT, weight=INF), "weight is inf"),
    "priority zero": (lambda f: pw.PositionGoal("finger", POINT, priority=0), "priorities count from 1"),
    "zero tolerance": (lambda f: pw.PositionGoal("finger", POINT, tolerance=0.0), "tolerance is 0.0; it must"),
    "NaN target": (lambda f: pw.PositionGoal("finger", (0, NAN, 0)), "it must be three finite numbers"),
    "two numbers": (lambda f: pw.HalfSpaceGoal("finger", (0, 1), (0, 1, 0)), "it must be three finite numbers"),
    "negative radius": (lambda f: pw.AimGoal("finger", POINT, radius=-1.0), "radius of AimGoal 'finger' is -1.0"),
    "no alternatives": (lambda f: pw.AnyOf(()), "has no members"),
    "flat box": (lambda f: pw.outside("finger", box=((0, 0, 0), (1, 0, 1))), "is flat"),
    "polygon clockwise": (lambda f: pw.convex_polygon("p", "a", "b", [(0, 0), (0, 1), (1, 0)]), "run clockwise"),
    "polygon not convex": (
        lambda f: pw.convex_polygon("p", "a", "b", [(0, 0), (2, 0), (0.5, 0.5), (0, 2)]),
        "polygon 'p' is not convex",
    ),
    "limits the wrong way round": (lambda f: row("r", lower=1.0, upper=0.0, hand_rx=1.0), "lower must not exceed"),
    "conflicting equalities": (
        lambda f: pw.LeastSquares().solve(
            pw.Problem(
                f,
                [pw.PositionGoal("finger", POINT)],
                constraints=[
                    row("sum", 1.0, 1.0, hand_rx=1.0, hand_ry=1.0),
                    row("same sum", 2.0, 2.0, hand_rx=1.0, hand_ry=1.0),
                ],
            )
        ),
        "these conflict: (same sum, sum|sum, same sum)",
    ),
    "a constraint against the limits": (
        lambda f: pw.LeastSquares().solve(pw.Problem(f, constraints=[row("far", lower=9.0, hand_rx=1.0, hand_ry=1.0)])),
        "these conflict: .*far",
    ),
    "two goals of one name": (
        lambda f: pw.Problem(f, [pw.PositionGoal("finger", POINT), pw.AimGoal("finger", POINT)]),
        "two goals are called 'finger'",
    ),
    "a start of another figure": (
        lambda f: pw.LeastSquares().solve(
            pw.Problem(f, [pw.PositionGoal("finger", POINT)]),
            pw.Pose.rest(pw.Figure(name="other", joints=[pw.Joint(name="a", rotation=pw.Ball())])),
        ),
        "the start is a pose of figure 'other'; the problem is about 'mixed'",
    ),
    "a start that is too short": (
        lambda f: pw.LeastSquares().prepare(pw.Problem(f, [pw.PositionGoal("finger", POINT)])).solve(start=np.zeros(3)),
        r"the start has shape \(3,\); it must be \(18,\) finite numbers",
    ),
    "a start that is not finite": (
        lambda f: pw.LeastSquares().prepare(pw.Problem(f)).solve(start=np.full(f.n_dofs, NAN)),
        r"it must be \(18,\) finite numbers",
    ),
    "a new target that is not finite": (
        lambda f: pw.LeastSquares()
        .prepare(pw.Problem(f, [pw.PositionGoal("finger", POINT)]))
        .solve(targets={"finger": (0.0, NAN, 0.0)}),
        "the target of 'finger' is .*; it must be 3, 6 or 9 finite numbers",
    ),
    "new targets of the wrong shape": (
        lambda f: pw.LeastSquares()
        .prepare(pw.Problem(f, [pw.PositionGoal("finger", POINT)]))
        .solve(targets=np.zeros((2, 9))),
        r"targets have shape \(2, 9\); for this problem they must be \(1, 9\)",
    ),
    "many starts of the wrong shape": (
        lambda f: pw.LeastSquares().solve_many(
            pw.Problem(f, [pw.PositionGoal("finger", POINT)]), np.zeros((4, 1, 9)), np.zeros((3, f.n_dofs))
        ),
        r"starts have shape \(3, 18\); for these targets they must be finite and \(4, 18\) or \(18,\)",
    ),
    "many targets with a hole": (
        lambda f: pw.LeastSquares().solve_many(
            pw.Problem(f, [pw.PositionGoal("finger", POINT)]), np.stack([np.zeros((1, 9)), np.full((1, 9), NAN)])
        ),
        "the targets of solve 1 are not finite",
    ),
    "smoothness of joints that do not move": (
        lambda f: pw.Problem(pw.build("human40"), [pw.SmoothnessGoal(("neck", "head"))]), "its joints have no dofs"
    ),
    "smoothness of a joint with itself": (
        lambda f: pw.Problem(f, [pw.SmoothnessGoal(("arm", "arm"))]), "joint 'arm' stands twice in a row"
    ),
    "no masses": (
        lambda f: pw.LeastSquares().solve(
            pw.Problem(pw.Figure(name="light", joints=[pw.Joint(name="a")]), [pw.CentreOfMassGoal(POINT)])
        ),
        "figure 'light' has no masses",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_bad_question_is_told_in_one_sentence(mixed_figure, case):
    ask, sentence = BAD[case]
    with pytest.raises(pw.PosewrightError) as caught:
        ask(mixed_figure)
    assert re.search(sentence, str(caught.value)), str(caught.value)
    assert "\n" not in str(caught.value)
