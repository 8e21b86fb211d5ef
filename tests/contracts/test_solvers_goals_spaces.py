"""All solvers over all goals in all kinds of space: constraints hold, and no answer is worse than its start."""

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import build
from posewright.problem.feasible import feasible_region
from posewright.problem.linearisation import linearise
from posewright.problem.lowering import lower
from posewright.solvers.registry import SOLVERS

HAND = (0.3, 1.2, 0.4)


def goals_on(spine):
    """Every kind, by name; `spine` are two joints with alike dofs."""
    return {
        "position": [pw.Position("left_hand", HAND)],
        "orientation": [pw.Orientation("left_hand", x=(0.0, 0.0, 1.0), y=(0.0, 1.0, 0.0))],
        "placement": [pw.Placement("left_hand", HAND, x=(0.0, 0.0, 1.0), y=(0.0, -1.0, 0.0))],
        "aim": [pw.Aim("view", (0.5, 1.0, 2.0))],
        "line": [pw.Line("left_hand", HAND, (0.0, 1.0, 0.0))],
        "plane": [pw.Plane("left_hand", (0.0, 1.4, 0.0), (0.0, 1.0, 0.0))],
        "half-space": [pw.HalfSpace("left_hand", (0.0, 1.4, 0.0), (0.0, 1.0, 0.0))],
        "centre of mass": [pw.CentreOfMass((0.0, 0.0, 0.1))],
        "hands together": [pw.Position("left_hand", "right_hand")],
        "any of": [pw.Outside("left_hand", box=((-0.5, 0.0, -0.5), (0.5, 2.0, 0.5)))],
        "python": [pw.PythonGoal(lambda pose: np.array([pose["left_elbow.flexion"] - 1.0]), 1, unit="rad")],
        "posture": [pw.Position("left_hand", HAND), pw.Posture(weight=0.01)],
        "smoothness": [pw.Position("left_hand", HAND), pw.Smoothness(spine, weight=0.01)],
    }


def spaces():
    """Name, space, constraints and goals."""
    human40, human = build("human40"), build("human")
    alike = [pw.LinearConstraint.coupling("elbows alike", "left_elbow.flexion", "right_elbow.flexion", 1.0)]
    little = [
        pw.LinearConstraint(name="bend little", coefficients=(("L5.flexion", 1.0), ("L4.flexion", 1.0)), upper=0.1)
    ]
    short, vertebrae = ("waist", "back"), ("L5", "L4")
    upper = [
        "waist",
        "back",
        "neck",
        "head",
        "left_shoulder",
        "left_elbow",
        "left_wrist",
        "right_shoulder",
        "right_elbow",
    ]
    yield "all dofs", pw.Space.of(human40), (), short
    yield "all dofs, coupled", pw.Space.of(human40), alike, short
    yield "chain", pw.Space.chain(human40, upper), (), short
    yield "chart", pw.Space.of(human40).with_chart({"pelvis": (0.8, 0.0, 0.6, 0.0)}), alike, short
    yield "groups and polygons", pw.Space.grouped(human), (), vertebrae
    yield "groups, bounded", pw.Space.grouped(human), little, vertebrae


SPACES = {name: rest for name, *rest in spaces()}


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("where", SPACES)
def test_constraints_hold_and_no_answer_is_worse_than_its_start(name, where):
    space, rows, spine = SPACES[where]
    figure, solver = space.figure, SOLVERS[name]()
    for kind, goals in goals_on(spine).items():
        problem = pw.Problem(space, goals, constraints=rows)
        region, lowered = feasible_region(problem), lower(problem)
        x = region.projected(space.encode(figure.rest))
        before = sum(float(goal.rho @ goal.rho) for goal in linearise(lowered, lowered.targets, x, figure.rest))
        result = solver.solve(problem)
        assert region.violation(space.encode(result.q)) <= 1e-9, kind
        assert (result.q >= figure.lower - 1e-9).all(), kind
        assert (result.q <= figure.upper + 1e-9).all(), kind
        assert result.cost <= before + 1e-9, kind
        after = linearise(lowered, lowered.targets, space.encode(result.q), figure.rest)
        assert result.cost == pytest.approx(sum(float(goal.rho @ goal.rho) for goal in after), abs=1e-8), kind
        assert result.reached == all(error.reached for error in result.errors.parts), kind


@pytest.mark.parametrize("name", [name for name, make in SOLVERS.items() if make.support.strict_levels >= 2])
@pytest.mark.parametrize("where", SPACES)
@pytest.mark.parametrize("site", ["left_hand", "right_hand"])
def test_a_second_level_far_away_costs_the_first_nothing_whatever_its_kind(name, where, site):
    space, rows, spine = SPACES[where]
    solver = SOLVERS[name]()
    moon = pw.Position(site, (3.0, 30.0, -7.0), priority=2, name="moon")
    for kind, (goal, *_) in goals_on(spine).items():
        problem = pw.Problem(space, [goal], constraints=rows)
        assert solver.solve(problem).reached, kind
        result = solver.solve(problem.with_goal(moon))
        first = [error for error in result.errors.parts if error.label != "moon"]
        assert first, kind
        assert all(error.reached for error in first), (kind, result)
        assert feasible_region(problem).violation(space.encode(result.q)) <= 1e-9, kind
