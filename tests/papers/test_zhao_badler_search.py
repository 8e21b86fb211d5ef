"""Zhao & Badler 1994, appendix: the search itself."""

from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest
from scipy.optimize import lsq_linear

import posewright as pw
from posewright.figures.catalogue import build
from posewright.figures.kinematics import site_frames
from posewright.kernels.active_set import bfgs as kernels
from posewright.kernels.active_set.search import BY_X, G, S, X
from posewright.kernels.dense import search_control as descent
from posewright.problem.linearisation import linearise
from posewright.problem.lowering import lower
from posewright.solvers.active_set_bfgs import ActiveSetPrepared

SOLVER = pw.ActiveSetBfgs(restarts=0)


def random_problem(figure, seed):
    """18 dofs in a box, five sides of a polygon, one equality; the odd ones ask for what cannot all be had."""
    rng = np.random.default_rng(seed)
    pentagon = [(0.9 * np.cos(a), 0.7 * np.sin(a)) for a in np.linspace(0.0, 2.0 * np.pi, 6)[:-1]]
    rows = [
        *pw.LinearConstraint.polygon("polygon", "hand.rz", "hand.ry", pentagon),
        pw.LinearConstraint.coupling("spine follows hand", "spine.rx", "hand.rx", 0.4, 0.05),
    ]
    low, high = np.maximum(figure.lower, -0.8), np.minimum(figure.upper, 0.8)
    frames = site_frames(figure, rng.uniform(low, high), ["finger", "foot"])
    goals = [
        pw.Placement("finger", frames.points[0], x=frames.x_axes[0], y=frames.y_axes[0], name="finger"),
        pw.Position("foot", frames.points[1]),
    ]
    if seed % 2:
        goals.append(pw.Position("finger", frames.points[0] + rng.normal(size=3), weight=0.5, name="elsewhere"))
        goals.append(pw.Aim("foot", 3.0 * rng.normal(size=3), weight=0.3, name="aim"))
    return pw.Problem(figure, goals, constraints=rows, frozen=["root.ty"])


def kuhn_tucker_residual(problem, q):
    """Length of what is left of the gradient after the best non-negative push of the active constraints.

    Computed from the rows of the goals and by bounded least squares: nothing of the solver's is used.
    """
    lowered = lower(problem)
    region, x = lowered.region, problem.space.encode(q)
    moving = lowered.scale > 0.0
    gradient = 2.0 * sum(part.pull for part in linearise(lowered, lowered.targets, x, q))[moving]
    eye = np.eye(len(x))
    normals = [*region.A[: region.n_equal]]
    normals += [row for row, b in zip(region.A, region.b, strict=True) if abs(row @ x - b) < 1e-8][region.n_equal :]
    normals += [*(-eye[x - region.lower < 1e-8]), *eye[region.upper - x < 1e-8]]
    if not normals:
        return float(np.linalg.norm(gradient))
    N = np.array(normals)[:, moving]
    least = np.where(np.arange(len(N)) < region.n_equal, -np.inf, 0.0)
    return float(np.linalg.norm(gradient + N.T @ lsq_linear(N.T, -gradient, bounds=(least, np.inf), tol=1e-14).x))


class Step(NamedTuple):
    """One accepted line search, seen from outside."""

    gamma: float
    furthest: float
    cost: float
    slope: float
    next_cost: float
    next_slope: float
    forced: bool


class Course(NamedTuple):
    """Every evaluated point, every accepted step, and the cost where the search stood after each evaluation."""

    points: list[np.ndarray]
    steps: list[Step]
    costs: list[float]
    stopped: int


def followed(problem, start=None):
    """Drive a search from outside, evaluation by evaluation."""
    prepared = SOLVER.prepare(problem)
    assert isinstance(prepared, ActiveSetPrepared)
    tables, search, point = prepared._problem, prepared._search, prepared._point
    q = np.array(problem.figure.rest if start is None else start)
    start_x, targets = prepared.local(q[None])[0], prepared.lowered.targets
    x, gradient = (search.numbers[row, : len(start_x)] for row in (X, BY_X))
    g, s = (search.numbers[row, : prepared.n_variables] for row in (G, S))
    x[:], state, variables = start_x, search.state[0], search.variables
    state["max_iterations"] = SOLVER.max_iterations
    kernels.begin(search, False)
    course, action = Course([], [], [], 0), descent.AGAIN
    while action != descent.DONE:
        course.points.append(x.copy())
        cost = kernels.evaluate(tables, targets, problem.space.in_chart(q), search, point)
        reached = bool((point.errors <= tables.terms["tolerance"])[point.chosen].all())
        iterations, slope = int(state["iterations"]), float(g @ s)
        next_slope = float((variables["scale"] * gradient[variables["coordinate"]]) @ s)
        tried = float(state["gamma"]), float(state["furthest"]), float(state["cost"]), slope, cost, next_slope
        forced = bool(state["forced"])
        action = kernels.advance(tables, cost, reached, prepared._stop, point, search)
        if int(state["iterations"]) > iterations:
            course.steps.append(Step(*tried, forced))
        course.costs.append(float(state["cost"]))
    return course._replace(stopped=int(state["why"]))


def problems(figure):
    """Reachable and unreachable, in several spaces, with alternatives and half-spaces."""
    yield from (random_problem(figure, seed) for seed in range(8))
    human = build("human22")
    far = [pw.Position("left_hand", (-1.5, 2.0, -1.0)), pw.Position("right_hand", (0.4, 1.2, -0.5))]
    yield pw.Problem(pw.Space.grouped(human), far)
    yield pw.Problem(human, [replace(goal, priority=k + 1) for k, goal in enumerate(far)])
    yield pw.Problem(figure, [pw.Outside("finger", box=((-1.0, 0.0, -1.0), (1.0, 2.0, 1.0))), pw.Posture(weight=0.1)])
    yield pw.Problem(
        figure,
        [
            pw.HalfSpace("finger", (0.0, 1.2, 0.0), (0.0, 1.0, 0.0)),
            pw.Position("finger", (0.4, 0.8, 0.2), name="low"),
            pw.CentreOfMass((0.3, 0.0, 0.1)),
        ],
    )


@pytest.mark.parametrize("seed", range(40))
def test_every_random_problem_ends_at_a_kuhn_tucker_point(mixed_figure, seed):
    problem = random_problem(mixed_figure, seed)
    # Without tolerances nothing but stationarity ends the search.
    strict = [replace(goal, tolerance=1e-30) for goal in problem.goals]
    problem = pw.Problem(problem.space, strict, constraints=problem.constraints, frozen=problem.frozen)
    lowered = lower(problem)
    first = 2.0 * sum(p.pull for p in linearise(lowered, lowered.targets, mixed_figure.rest, mixed_figure.rest))
    result = SOLVER.solve(problem)
    assert result.stopped == "stationary"
    assert lowered.region.violation(problem.space.encode(result.q)) <= 1e-9
    assert kuhn_tucker_residual(problem, result.q) <= 2e-7 * max(1.0, np.linalg.norm(first))


def test_the_metric_of_least_squares_leads_to_the_same_minimum(mixed_figure):
    other = replace(SOLVER, gauss_newton=True)
    for seed in (1, 3, 5):
        problem = random_problem(mixed_figure, seed)
        found, plain = other.solve(problem), SOLVER.solve(problem)
        assert found.stopped == plain.stopped == "stationary"
        assert found.cost == pytest.approx(plain.cost, rel=1e-5)


def test_both_tests_of_the_line_search_hold_unless_a_limit_ends_it(mixed_figure):
    inside, at_limit = 0, 0
    for problem in problems(mixed_figure):
        for step in followed(problem).steps:
            assert step.slope < 0.0
            assert step.next_cost <= step.cost + SOLVER.sufficient_decrease * step.gamma * step.slope
            assert step.gamma <= step.furthest
            if step.gamma == step.furthest:
                at_limit += 1
            elif not step.forced:
                inside += 1
                assert step.next_slope >= SOLVER.curvature * step.slope
    assert at_limit > 20
    assert inside > 200


def test_and_identity_5_the_cost_never_rises_and_every_point_is_feasible(mixed_figure):
    for problem in problems(mixed_figure):
        region, figure = lower(problem).region, problem.figure
        outside = figure.rest + 2.0 * np.random.default_rng(2).normal(size=figure.n_dofs)
        for start in (figure.rest, outside):
            course = followed(problem, start)
            assert all(later <= earlier for earlier, later in pairwise(course.costs))
            assert course.costs[-1] < course.costs[0] or start is outside
            assert max(map(region.violation, course.points)) <= 1e-9
            assert course.stopped in (descent.REACHED, descent.STATIONARY)


def test_the_trace_of_a_result_never_rises_not_even_over_restarts(mixed_figure):
    problem = random_problem(mixed_figure, 7)
    result = pw.ActiveSetBfgs(restarts=2).solve(problem)
    assert result.restarts == 2
    assert len(result.trace) == result.iterations + 1
    assert all(later <= earlier for earlier, later in pairwise(result.trace))
    assert result.trace[-1] == result.cost


def test_a_stationary_answer_keeps_the_kuhn_tucker_conditions():
    """In groups, with polygons and many limits active."""
    figure = build("human22")
    goals = [pw.Position("left_hand", (-1.5, 2.0, -1.0)), pw.Position("right_hand", (0.4, 1.2, -0.5))]
    problem = pw.Problem(pw.Space.grouped(figure), goals)
    result = SOLVER.solve(problem)
    assert result.stopped == "stationary"
    assert kuhn_tucker_residual(problem, result.q) <= 1e-6
    x, region = problem.space.encode(result.q), lower(problem).region
    assert ((x - region.lower < 1e-9) | (region.upper - x < 1e-9)).sum() + (region.b - region.A @ x < 1e-9).sum() > 3
