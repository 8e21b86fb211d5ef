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


def prepared(figure):
    return pw.LeastSquares().prepare(pw.Problem(figure, [pw.Position("finger", POINT)]))


def again(figure, **given):
    return prepared(figure).solve(**given)


BAD = {
    "unknown site": (lambda f: pw.Problem(f, [pw.Position("fingr", POINT)]), "no site 'fingr'; did you mean 'fing"),
    "unknown target site": (lambda f: pw.Problem(f, [pw.Position("finger", "fot")]), "did you mean 'foot'"),
    "unknown site in an alternative": (
        lambda f: pw.Problem(f, [pw.AnyOf((pw.Position("fingr", POINT),))]),
        "did you mean 'finger'",
    ),
    "unknown joint of a chain": (
        lambda f: pw.LeastSquares().solve(pw.Problem(f, [pw.Position("finger", POINT, joints=("amr",))])),
        "no joint 'amr'; did you mean 'arm'",
    ),
    "unknown recruiting": (lambda f: pw.Position("finger", POINT, joints="torso"), r"'limb', 'limb\+spine' or 'whole'"),
    "unknown frozen dof": (lambda f: pw.Problem(f, frozen=["hand.rq"]), "no joint or dof 'hand.rq'; did you mean"),
    "unknown dof of a constraint": (lambda f: pw.Problem(f, constraints=[row("r", hand_rq=1.0)]), "no dof 'hand.rq'"),
    "two constraints of one name": (
        lambda f: pw.Problem(f, constraints=[row("r", spine_rx=1.0, upper=1.0), row("r", spine_rx=1.0, lower=0.0)]),
        "two constraints are called 'r'.* rename one of them",
    ),
    "zero normal": (lambda f: pw.Plane("finger", POINT, (0, 0, 0)), "normal of Plane 'finger' is zero"),
    "zero direction": (lambda f: pw.Line("finger", POINT, (0, 0, 0)), "direction of Line 'finger' is zero"),
    "zero axis": (lambda f: pw.Aim("finger", POINT, axis=(0, 0, 0)), "axis of Aim 'finger' is zero"),
    "parallel directions": (lambda f: pw.Orientation("finger", x=(1, 0, 0), y=(-2, 0, 0)), "are parallel"),
    "no direction": (lambda f: pw.Orientation("finger"), "needs exactly one of: directions x and/or y"),
    "negative weight": (lambda f: pw.Position("finger", POINT, weight=-1.0), "from 0 to 1e.100, got -1.0"),
    "infinite weight": (lambda f: pw.Position("finger", POINT, weight=INF), "from 0 to 1e.100, got inf"),
    "priority zero": (lambda f: pw.Position("finger", POINT, priority=0), "1 is served first, got 0"),
    "zero tolerance": (lambda f: pw.Position("finger", POINT, tolerance=0.0), "must be a positive number, got 0.0"),
    "NaN target": (lambda f: pw.Position("finger", (0, NAN, 0)), "must be three finite numbers"),
    "two numbers": (lambda f: pw.HalfSpace("finger", (0, 1), (0, 1, 0)), "must be three finite numbers"),
    "negative radius": (lambda f: pw.Aim("finger", POINT, radius=-1.0), "radius of Aim 'finger' must be .*, got -1.0"),
    "a measure that is none": (
        lambda f: pw.Orientation("finger", x=(1, 0, 0), measure="chrod"), "must be 'angle' or 'chord', got 'chrod'"
    ),
    "no alternatives": (lambda f: pw.AnyOf(()), "members of an AnyOf are empty"),
    "flat box": (lambda f: pw.Outside("finger", box=((0, 0, 0), (1, 0, 1))), "is flat"),
    "polygon clockwise": (
        lambda f: pw.LinearConstraint.polygon("p", "a", "b", [(0, 0), (0, 1), (1, 0)]), "run clockwise"
    ),
    "polygon not convex": (
        lambda f: pw.LinearConstraint.polygon("p", "a", "b", [(0, 0), (2, 0), (0.5, 0.5), (0, 2)]),
        "polygon 'p' is not convex",
    ),
    "limits the wrong way round": (lambda f: row("r", lower=1.0, upper=0.0, hand_rx=1.0), "lower must not exceed"),
    "conflicting equalities": (
        lambda f: pw.LeastSquares().solve(
            pw.Problem(
                f,
                [pw.Position("finger", POINT)],
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
        lambda f: pw.Problem(f, [pw.Position("finger", POINT), pw.Aim("finger", POINT)]),
        "two goals are called 'finger'",
    ),
    "a start of another figure": (
        lambda f: pw.LeastSquares().solve(
            pw.Problem(f, [pw.Position("finger", POINT)]),
            pw.Pose.rest(pw.Figure(name="other", joints=[pw.figures.Joint(name="a", rotation=pw.figures.Ball())])),
        ),
        "the start is a pose of figure 'other'; the problem is about 'mixed'",
    ),
    "a start by names": (
        lambda f: pw.LeastSquares().solve(pw.Problem(f, [pw.Position("finger", POINT)]), {"hand.rx": 1.0}),
        "the start is .*; it must be a pose or the numbers of one",
    ),
    "new targets in a list": (
        lambda f: pw.LeastSquares().prepare(pw.Problem(f, [pw.Position("finger", POINT)])).solve(targets=[POINT]),
        "they must be a mapping by goal labels, or an array",
    ),
    "a start that is too short": (
        lambda f: pw.LeastSquares().prepare(pw.Problem(f, [pw.Position("finger", POINT)])).solve(start=np.zeros(3)),
        r"the start has shape \(3,\); it must be \(18,\) finite numbers",
    ),
    "a start that is not finite": (
        lambda f: pw.LeastSquares().prepare(pw.Problem(f)).solve(start=np.full(f.n_dofs, NAN)),
        r"it must be \(18,\) finite numbers",
    ),
    "a new target that is not finite": (
        lambda f: pw.LeastSquares()
        .prepare(pw.Problem(f, [pw.Position("finger", POINT)]))
        .solve(targets={"finger": (0.0, NAN, 0.0)}),
        "the target of 'finger' must be finite numbers below",
    ),
    "a number for a new target": (
        lambda f: again(f, targets={"finger": 3.0}), r"has shape \(\); this goal takes 3 numbers: a point"
    ),
    "a site for a new target": (
        lambda f: again(f, targets={"finger": "foot"}), "the target of 'finger' must be finite numbers .*, got 'foot'"
    ),
    "words for a new target": (
        lambda f: again(f, targets={"finger": ["1", "2", "3"]}), "must be finite numbers below"
    ),
    "a column for a new target": (
        lambda f: again(f, targets={"finger": np.zeros((3, 1))}), r"has shape \(3, 1\); this goal takes 3"
    ),
    "a new target beyond all numbers": (lambda f: again(f, targets={"finger": (1e200, 0, 0)}), "numbers below 1e.150"),
    "a new target beyond all floats": (lambda f: again(f, targets={"finger": (10**400, 0, 0)}), "numbers below 1e.150"),
    "words for new targets": (lambda f: again(f, targets=np.array([["a"]])), "they must be an array of numbers"),
    "a short reference": (
        lambda f: again(f, reference=np.zeros(3)), r"the reference has shape \(3,\); it must be \(18,\)"
    ),
    "a hole in the reference": (lambda f: again(f, reference=np.full(18, NAN)), r"it must be \(18,\) finite numbers"),
    "a word for many starts": (
        lambda f: prepared(f).solve_many({"finger": [POINT]}, "rest"), "the starts are 'rest'; they must be a pose, or"
    ),
    "words for many targets": (
        lambda f: prepared(f).solve_many("rest"), "the targets are 'rest'; they must be an array"
    ),
    "a word for a chain": (lambda f: pw.Space.chain(f, "hand"), "what a chain is made of must be a list.*, got 'hand'"),
    "numbers for the pose of a chain": (
        lambda f: pw.Space.chain(f, ["hand"], at=[0.0]), "what a chain is at must be a Pose"
    ),
    "a word for the figure of a space": (
        lambda f: pw.Space.grouped("human40"), "what a space is of must be .*, got 'human40'"
    ),
    "a word for names": (
        lambda f: pw.Space(f, "a", np.ones((18, 1)), np.zeros(18)), "the names of a space must be.*, got 'a'"
    ),
    "a word beside a figure": (
        lambda f: f.beside("bob", prefix="bob_"), "the figure beside 'mixed' must be .*, got 'bob'"
    ),
    "a word for a chain of joints": (
        lambda f: pw.Smoothness("spine"), "the chain of a Smoothness must be.*, got 'spine'"
    ),
    "no joints for smoothness": (lambda f: pw.Smoothness(()), r"must be at least two joints, got \[\]"),
    "one corner of a box": (
        lambda f: pw.Outside("finger", box=[POINT]), "the box of .* must be two opposite corners"
    ),
    "a face without a normal": (
        lambda f: pw.Outside("finger", [POINT]), "one of the faces of .* must be a point and an outwar"
    ),
    "a number for faces": (
        lambda f: pw.Outside("finger", 3), "the faces of .* must be a list of face.*, got 3"
    ),
    "numbers for a residual": (
        lambda f: pw.PythonGoal([0.0], 1), r"the residual of .* must be a function, got \[0.0\]"
    ),
    "a word for a jacobian": (
        lambda f: pw.PythonGoal(len, 1, "steep"), "the jacobian of .* must be a function, got 'steep'"
    ),
    "a number for a name": (
        lambda f: pw.Position("finger", POINT, name=3), "the name of a Position must be.*, got 3"
    ),
    "numbers for joints": (
        lambda f: pw.Position("finger", POINT, joints=[3]), "joints of .* must be a list of names.*, got 3"
    ),
    "a list to be like": (
        lambda f: pw.Orientation("finger", like=["foot"]), r"the like of .* must be a name, got \['foot'\]"
    ),
    "an array for a point": (
        lambda f: pw.Position("finger", np.zeros((3, 3))), "must be three finite numbers, got a.* ndarray"
    ),
    "words for settings": (
        lambda f: pw.SequentialMonteCarlo(spread="wide"), "spread of SequentialMonteCarlo must be .*, got 'wide'"
    ),
    "no share": (
        lambda f: pw.SequentialMonteCarlo(gain=None), "gain of SequentialMonteCarlo must be .*, got None"
    ),
    "a word for a drift": (
        lambda f: pw.SequentialMonteCarlo(drift="rest"), "drift of SequentialMonteCarlo must be .*, got 'rest'"
    ),
    "a word for a slope": (
        lambda f: pw.ActiveSetBfgs(curvature="a"), "curvature of ActiveSetBfgs must be .*, got 'a'"
    ),
    "a word for a switch": (
        lambda f: pw.Prioritized(settle="no"), "settle of Prioritized must be True or Fal.*, got 'no'"
    ),
    "a precision below zero": (
        lambda f: pw.Scipy(precision=-1), "precision of Scipy must be a positive number.*"
    ),
    "a precision that is none": (
        lambda f: pw.Nlopt(precision=NAN), "precision of Nlopt must be a positive.*, got nan"
    ),
    "a word for sites": (
        lambda f: pw.predicates.AbovePlane("finger"), "the sites of AbovePlane must be a list of.*, got 'finger'"
    ),
    "numbers for sites": (lambda f: pw.predicates.NearPlane([3], 0.1), "the sites of NearPlane must be .*, got 3"),
    "a word for a band": (
        lambda f: pw.predicates.NearPlane(["finger"], "wide"), "near a plane' must be a positive.*, got 'wide'"
    ),
    "sites near no points": (
        lambda f: pw.predicates.NearPoints(["finger"], 0.1), "one of the points of .* must be a site with"
    ),
    "a word for a pose": (
        lambda f: pw.predicates.NearPoints.at("rest", ["finger"], 0.1), "where NearPoints are must be.*, got 'rest'"
    ),
    "a number for a twist": (
        lambda f: pw.predicates.SwingTwist("arm", twist=1.0), r"the twist of .* must be an array \(2,\) of numbers"
    ),
    "three numbers for a twist": (
        lambda f: pw.predicates.SwingTwist("arm", twist=(0, 1, 2)), r"the twist of .* must be an array \(2,\)"
    ),
    "a word for a swing": (
        lambda f: pw.predicates.SwingTwist("arm", swing="wide"), "an angle of .* must be a positive.*, got 'wide'"
    ),
    "a word for a body": (
        lambda f: pw.predicates.NoSelfIntersection("human40"), "the figure of NoSelfIntersection must be a Figure"
    ),
    "a word for a margin": (
        lambda f: pw.predicates.NoSelfIntersection(f, "wide"), "the margin of NoSelfIntersection must be .*, got 'wide'"
    ),
    "new targets of the wrong shape": (
        lambda f: pw.LeastSquares()
        .prepare(pw.Problem(f, [pw.Position("finger", POINT)]))
        .solve(targets=np.zeros((2, 9))),
        r"targets have shape \(2, 9\); for this problem they must be \(1, 9\)",
    ),
    "many starts of the wrong shape": (
        lambda f: pw.LeastSquares().solve_many(
            pw.Problem(f, [pw.Position("finger", POINT)]), np.zeros((4, 1, 9)), np.zeros((3, f.n_dofs))
        ),
        r"starts have shape \(3, 18\); for these targets they must be finite and \(4, 18\) or \(18,\)",
    ),
    "many targets with a hole": (
        lambda f: pw.LeastSquares().solve_many(
            pw.Problem(f, [pw.Position("finger", POINT)]), np.stack([np.zeros((1, 9)), np.full((1, 9), NAN)])
        ),
        "the targets of solve 1 are not finite",
    ),
    "a figure in place of a problem": (
        lambda f: pw.LeastSquares().solve(f),
        r"what is solved must be a Problem, such as Problem\(figure, goals\).*, got a Figure",
    ),
    "goals in place of a problem": (
        lambda f: pw.Prioritized().prepare([pw.Position("finger", POINT)]), "must be a Problem, such as Problem",
    ),
    "coefficients by name": (
        lambda f: pw.LinearConstraint(name="a", coefficients={"hand.rx": 1.0}, upper=1.0),
        "the coefficients of constraint 'a' must be pairs of a dof and a factor, got {'hand.rx': 1.0}",
    ),
    "a pose for the offset of a space": (
        lambda f: pw.Space(f, ("a",), np.ones((f.n_dofs, 1)), pw.Pose.rest(f)),
        "the offset of a space must be an array of numbers, got a Pose",
    ),
    "a derivative in Python that is not finite": (
        lambda f: pw.LeastSquares().solve(
            pw.Problem(f, [pw.PythonGoal(lambda pose: pose.q[:1], 1, lambda pose: NAN * pose.q[None], name="g")])
        ),
        "the jacobian of 'g' is not finite",
    ),
    "a derivative in Python that is a word": (
        lambda f: pw.LeastSquares().solve(
            pw.Problem(f, [pw.PythonGoal(lambda pose: pose.q[:1] + 1.0, 1, lambda pose: "steep", name="g")])
        ),
        r"the jacobian of 'g' is 'steep'; it must be \(1, 18\) numbers",
    ),
    "smoothness of joints that do not move": (
        lambda f: pw.Problem(pw.figure("human40"), [pw.Smoothness(("neck", "head"))]), "its joints have no dofs"
    ),
    "smoothness of a joint with itself": (
        lambda f: pw.Problem(f, [pw.Smoothness(("arm", "arm"))]), "joint 'arm' is named twice in a row"
    ),
    "words for a target": (lambda f: pw.Position("finger", ("a", "b", "c")), "must be three finite numbers"),
    "nothing for a target": (lambda f: pw.Position("finger", None), "must be three finite numbers, got None"),
    "a target beyond all numbers": (lambda f: pw.Position("finger", (1e200, 0, 0)), "numbers below 1e150"),
    "a number for a site": (lambda f: pw.Aim(3, POINT), "the site of an Aim must be a name, got 3"),
    "a word for a weight": (lambda f: pw.Position("finger", POINT, weight="2"), "must be a number from .*, got '2'"),
    "a huge weight": (lambda f: pw.Position("finger", POINT, weight=1e300), "from 0 to 1e.100, got 1e.300"),
    "half a priority": (lambda f: pw.Position("finger", POINT, priority=1.5), "1 is served first, got 1.5"),
    "a word for an alternative": (lambda f: pw.AnyOf(("finger",)), "must be a list of goals, got 'finger' in it"),
    "rows that are no number of rows": (lambda f: pw.PythonGoal(len, rows=1.0), "a whole number at least 1, got 1.0"),
    "a unit that is none": (lambda f: pw.PythonGoal(len, rows=1, unit="mm"), "must be 'm' or 'rad', got 'mm'"),
    "a word for a figure": (lambda f: pw.Problem("human"), "must be a figure or a space"),
    "a goal for a list": (lambda f: pw.Problem(f, pw.Position("finger", POINT)), "goals of a problem must be a list"),
    "words for goals": (lambda f: pw.Problem(f, ["finger"]), "a goal must be one of the kinds.*, got 'finger'"),
    "a word for frozen joints": (lambda f: pw.Problem(f, frozen="hand"), "frozen of a problem must be.*, got 'hand'"),
    "a chart of three numbers": (lambda f: pw.Space.of(f).with_chart({"root": (1, 0, 0)}), "must be a unit quaternion"),
    "a chain at another figure": (
        lambda f: pw.Space.chain(f, ["hand"], at=pw.Pose.rest(pw.figure("arm4"))), "cannot be at a pose of 'arm4'"
    ),
    "a polygon that crosses itself": (
        lambda f: pw.LinearConstraint.polygon("p", "a", "b", [(0, 10), (-6, -8), (9.5, 3), (-9.5, 3), (6, -8)]),
        "polygon 'p' is not convex",
    ),
    "a polygon of one dof": (
        lambda f: pw.LinearConstraint.polygon("p", "a", "a", [(0, 0), (1, 0), (0, 1)]), "names dof 'a' twice"
    ),
    "half an iteration": (lambda f: pw.LeastSquares(max_iterations=1.5), "max_iterations of LeastSquares must be"),
    "fewer than no restarts": (lambda f: pw.LeastSquares(restarts=-1), "restarts of LeastSquares must be"),
    "a seed too large": (lambda f: pw.ActiveSetBfgs(seed=2**70), "seed of ActiveSetBfgs must be a whole number"),
    "no masses": (
        lambda f: pw.LeastSquares().solve(
            pw.Problem(pw.Figure(name="light", joints=[pw.figures.Joint(name="a")]), [pw.CentreOfMass(POINT)])
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


GAP = (0.0, NAN, 1.0)
WITH_A_GAP = {
    "position": lambda: pw.Position("finger", GAP),
    "placement": lambda: pw.Placement("finger", GAP, x=(1, 0, 0)),
    "placement, direction": lambda: pw.Placement("finger", POINT, y=GAP),
    "orientation": lambda: pw.Orientation("finger", x=GAP, y=(0, 1, 0)),
    "aim": lambda: pw.Aim("finger", GAP),
    "aim, axis": lambda: pw.Aim("finger", POINT, axis=GAP),
    "line": lambda: pw.Line("finger", GAP, (0, 1, 0)),
    "line, direction": lambda: pw.Line("finger", POINT, GAP),
    "plane": lambda: pw.Plane("finger", GAP, (0, 1, 0)),
    "plane, normal": lambda: pw.Plane("finger", POINT, GAP),
    "half-space": lambda: pw.HalfSpace("finger", GAP, (0, 1, 0)),
    "half-space, normal": lambda: pw.HalfSpace("finger", POINT, GAP),
    "centre of mass": lambda: pw.CentreOfMass(GAP),
    "outside a box": lambda: pw.Outside("finger", box=((0, 0, 0), GAP)),
    "outside faces": lambda: pw.Outside("finger", [(POINT, GAP)]),
    "posture": lambda: pw.Posture(weights={"hand": NAN}),
}


@pytest.mark.parametrize("case", WITH_A_GAP)
def test_no_goal_takes_what_is_not_a_number(case):
    with pytest.raises(pw.errors.InvalidSetting, match=r"finite|, got nan"):
        WITH_A_GAP[case]()


@pytest.mark.parametrize("nothing", [(0, 0, 0), (0.0, 1e-300, 0.0)])
@pytest.mark.parametrize("kind", [pw.Line, pw.Plane, pw.HalfSpace])
def test_no_goal_takes_a_direction_of_no_length(kind, nothing):
    with pytest.raises(
        pw.errors.InvalidSetting, match=f"of {kind.__name__} 'finger' is zero; it must have a direction"
    ):
        kind("finger", POINT, nothing)
