"""Zhao & Badler 1994: assembly, chains, limits, linear constraints, minima."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

import posewright as pw
from posewright.figures.catalogue import build, chain
from posewright.figures.kinematics import site_frames
from posewright.kernels.dense import least_squares as least_squares_dense
from posewright.kernels.dense import search_control as descent
from posewright.kernels.dense.problem import evaluate
from posewright.kernels.dense.step import N_PLACES
from posewright.problem.dense_problem import coordinate_ranges, dense_problem, point_of
from posewright.problem.feasible import feasible_region
from posewright.problem.linearisation import linearise
from posewright.problem.lowering import lower
from posewright.solvers.dense_prepared import DensePrepared
from posewright.solvers.least_squares import TreePrepared

ARM = ("clavicle", "shoulder", "elbow", "wrist")
LEFT_ARM, RIGHT_ARM = (tuple(f"{side}_{joint}" for joint in ARM) for side in ("left", "right"))


def spine(figure):
    return tuple(joint.name for joint in figure.joints if joint.name[0] in "LT" and joint.name[1:].isdigit())


def moved(figure, q, joint):
    where = figure.dof_slice(joint)
    return not np.array_equal(q[where], figure.rest[where])


def test_the_assembled_gradient_is_the_sum_of_the_parts(mixed_figure):
    goals = [
        pw.Position("finger", (0.2, 0.5, 0.1), weight=2.0, joints=("arm", "hand")),
        pw.Aim("foot", (1.0, 1.0, 1.0), weight=0.3, joints=("root", "leg")),
        pw.Plane("hand", (0.0, 3.0, 0.0), (0.0, 1.0, 0.0), joints=("spine",)),
    ]
    q = np.random.default_rng(1).uniform(-0.5, 0.5, mixed_figure.n_dofs)

    def gradient(some):
        lowered = lower(pw.Problem(mixed_figure, some))
        return 2.0 * sum(rows.pull for rows in linearise(lowered, lowered.targets, q, q))

    whole = gradient(goals)
    np.testing.assert_allclose(whole, sum(gradient([goal]) for goal in goals), rtol=1e-12, atol=1e-12)
    joined = pw.Problem(mixed_figure, goals)
    lowered = lower(joined)
    problem = dense_problem(lowered)
    point = point_of(problem)
    evaluate(problem, lowered.targets, q, point)
    np.testing.assert_allclose(2.0 * point.J.T @ point.rho, whole, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("joints", [("left_shoulder", "left_elbow"), "limb", "limb+spine"])
def test_joints_outside_the_chain_do_not_move(joints):
    figure = build("human40")
    goal = pw.Position("left_hand", (0.4, 1.4, 0.4), joints=joints)
    result = pw.LeastSquares().solve(pw.Problem(figure, [goal]))
    movers = {joint.name for joint in figure.joints if moved(figure, result.q, joint.name)}
    assert {"left_shoulder", "left_elbow"} <= movers
    assert not movers & {"pelvis", "left_hip", "right_shoulder", "right_elbow", "head"}
    if joints == ("left_shoulder", "left_elbow"):
        assert movers == set(joints)


def test_a_shared_waist_enters_both_goals_and_leaves_with_its_goal():
    figure = build("human22")
    space = pw.Space.grouped(figure)
    left = pw.Position("left_hand", (0.3, 1.0, 0.8), joints=(*spine(figure), *LEFT_ARM))
    right = pw.Position("right_hand", (-0.45, 1.1, 0.35), joints=RIGHT_ARM)
    alone = pw.Problem(space, [right])
    both = alone.with_goal(left)
    bend = [space.names.index(f"spine.{name}") for name in ("flexion", "lateral", "axial")]

    def columns(problem):
        lowered = lower(problem)
        rows = linearise(lowered, lowered.targets, space.encode(figure.rest), figure.rest)
        return lowered.scale[bend], [np.abs(part.J[:, bend]).max() for part in rows]

    scale, sizes = columns(both)
    assert (scale == 1.0).all()
    assert min(sizes) > 0.1, "the waist must enter both"
    assert not columns(alone)[0].any()
    for problem, bends in ((alone, False), (both, True), (both.without("left_hand"), False)):
        result = pw.LeastSquares().solve(problem)
        assert result.errors["right_hand"] < 1e-3
        assert moved(figure, result.q, "L5") is bends


def test_goals_are_added_switched_off_and_deleted_and_each_solve_reflects_it(mixed_figure):
    solver = pw.LeastSquares()
    finger, foot = pw.Position("finger", (0.5, 1.0, 0.1)), pw.Position("foot", (0.2, -0.5, 0.3))
    problem = pw.Problem(mixed_figure, [finger])
    first = solver.solve(problem)
    assert set(first.errors) == {"finger"}
    more = problem.with_goal(foot)
    second = solver.solve(more, start=first.pose)
    assert second.reached
    assert set(second.errors) == {"finger", "foot"}
    moved_foot = replace(foot, target=(0.3, -0.4, 0.2))
    off = more.replacing(replace(finger, enabled=False)).replacing(moved_foot)
    third = solver.solve(off, start=second.pose)
    assert set(third.errors) == {"foot"}
    assert third.reached
    fourth = solver.solve(off.replacing(finger).without("foot"), start=third.pose)
    assert set(fourth.errors) == {"finger"}
    assert fourth.reached
    assert problem.goals == (finger,), "the first problem is still what it was"


def outside_limits(problem, q):
    return feasible_region(problem).violation(problem.space.encode(q))


def limited_problems():
    """Which way it is solved, and a problem that cannot be met within the limits."""
    figure = build("human40")
    far = [pw.Position("left_hand", (-1.5, 2.0, -1.0)), pw.Position("right_hand", (0.4, 1.2, -0.5))]
    yield TreePrepared, pw.Problem(figure, far)
    figure = build("human22")
    yield DensePrepared, pw.Problem(pw.Space.grouped(figure), far)
    yield DensePrepared, pw.Problem(figure, [far[0], replace(far[1], priority=2)])


@pytest.mark.parametrize(("kind", "problem"), list(limited_problems()), ids=["tree", "groups", "levels"])
def test_every_iterate_is_within_the_limits(kind, problem):
    figure = problem.figure
    at_limit = 0
    start = pw.Pose(figure, np.random.default_rng(3).normal(size=figure.n_dofs) * 2.0)  # well outside
    for iterations in [*range(12), 20, 40]:
        solver = pw.LeastSquares(max_iterations=iterations, restarts=1)
        prepared = solver.prepare(problem)
        assert isinstance(prepared, kind)
        result = prepared.solve(start=start)
        assert outside_limits(problem, result.q) <= 1e-9
        at_limit += int(((result.q <= figure.lower) | (result.q >= figure.upper)).sum())
    assert at_limit, "a case that touches no limit proves nothing"


def test_no_step_in_between_leaves_the_region_either():
    _, problem = list(limited_problems())[1]
    lowered = lower(problem)
    tables = dense_problem(lowered)
    point, places = point_of(tables), np.zeros((N_PLACES, len(lowered.scale)))
    places[descent.LOW : descent.HIGH + 1] = coordinate_ranges(lowered)
    start = lowered.region.projected(problem.space.encode(problem.figure.rest))
    settings, state, x = pw.LeastSquares(restarts=2).settings(False), np.zeros(1, descent.STATE), np.empty(len(start))
    least_squares_dense.begin_at(tables, settings[0], state[0], start, x, places)
    action, steps = descent.AGAIN, 0
    while action != descent.DONE:
        evaluate(tables, lowered.targets, x, point)
        action = least_squares_dense.advance(
            tables, settings[0], state[0], point.q.copy(), False, np.zeros(1, np.int8), x, point, places
        )
        assert lowered.region.violation(x) <= 1e-9
        steps += 1
    assert steps > 20


def test_linear_equalities_hold():
    hand = build("hand")
    goals = [pw.Position(f"{finger}_tip", (0.0, 0.0, 0.1)) for finger in ("index", "middle", "ring")]
    result = pw.LeastSquares(restarts=2).solve(pw.Problem(hand, goals))
    values = dict(zip(hand.dof_names, result.q, strict=True))
    assert len(hand.constraints) == 5
    for row in hand.constraints:
        assert abs(row.value(values) - row.lower) <= 1e-9
    assert abs(values["index_end.flexion"]) > 0.01


def test_an_equality_of_the_problem_holds_from_a_start_that_breaks_it(mixed_figure):
    row = pw.LinearConstraint.coupling("same", "hand.rz", "spine.rx", 0.5, 0.2)
    start = pw.Pose.rest(mixed_figure).with_values({"hand.rz": 1.5, "spine.rx": -0.5})
    problem = pw.Problem(mixed_figure, [pw.Position("finger", (0.4, 0.9, 0.3))], constraints=[row])
    result = pw.LeastSquares().solve(problem, start)
    assert result.reached
    assert abs(result.pose["hand.rz"] - 0.5 * result.pose["spine.rx"] - 0.2) <= 1e-9


def test_the_arm_stays_inside_the_shoulder_polygon_and_may_lie_on_its_edge():
    figure = build("human22")
    polygon = [row for row in figure.constraints if row.name.startswith("left_shoulder_polygon")]
    assert len(polygon) == 10
    touched = 0
    for point in ((0.1, 1.2, -0.6), (-0.6, 1.5, 0.1), (0.5, 1.9, -0.4), (0.3, 1.3, 0.4)):
        goal = pw.Position("left_hand", point, joints=LEFT_ARM)
        result = pw.LeastSquares(restarts=3).solve(pw.Problem(pw.Space.grouped(figure), [goal]))
        values = dict(zip(figure.dof_names, result.q, strict=True))
        slack = np.array([row.upper - row.value(values) for row in polygon])
        assert slack.min() >= -1e-9
        touched += int(slack.min() < 1e-9)
    assert 0 < touched < 4


def test_experiment_1_d_an_unreachable_goal_ends_at_the_best_compromise():
    """Reach with the arm alone: a point and one normal, both out of its reach."""
    figure = build("human22")
    space = pw.Space.grouped(figure)
    goal = pw.Placement("left_hand", (0.5, 1.0, 0.75), y=(0.0, -1.0, 0.0), joints=LEFT_ARM)
    problem = pw.Problem(space, [goal])
    result = pw.LeastSquares().solve(problem)
    assert result.stopped == "stationary"
    assert not result.reached
    assert result.errors["left_hand"] > 0.1
    assert outside_limits(problem, result.q) <= 1e-9
    lowered = lower(problem)
    moving = np.flatnonzero(lowered.scale)
    found = space.encode(result.q)

    def cost(part):
        x = found.copy()
        x[moving] = part
        (rows,) = linearise(lowered, lowered.targets, x, figure.rest)
        return float(np.sum(rows.rho**2)), 2.0 * rows.pull[moving]

    region = lowered.region
    rows = {
        "type": "ineq",
        "fun": lambda part: region.b - region.A[:, moving] @ part,
        "jac": lambda _: -region.A[:, moving],
    }
    bounds = list(zip(region.lower[moving], region.upper[moving], strict=True))
    polished = minimize(cost, found[moving], jac=True, method="SLSQP", bounds=bounds, constraints=[rows], tol=1e-14)
    assert result.cost == pytest.approx(cost(found[moving])[0], rel=1e-9)
    assert result.cost <= polished.fun * (1.0 + 1e-6)
    explanation = result.explain()
    assert explanation["left_hand"].out_of_reach == pytest.approx(result.errors["left_hand"], rel=0.05)


def test_restarts_escape_a_local_minimum():
    """The goal is just across a limit: the way down ends at the limit, the goal is on the other side of it."""
    hinge = pw.figures.Hinge(axis=(0.0, 0.0, 1.0), lower=-3.0, upper=3.0, rest=1.0)
    figure = pw.Figure(
        name="clock",
        joints=[pw.figures.Joint(name="hand", rotation=(hinge,))],
        sites=[pw.figures.Site(name="tip", joint="hand", point=(1.0, 0.0, 0.0))],
    )
    problem = pw.Problem(figure, [pw.Position("tip", (math.cos(-2.6), math.sin(-2.6), 0.0))])
    stuck = pw.LeastSquares(restarts=0).solve(problem)
    assert stuck.q[0] == 3.0
    assert not stuck.reached
    assert stuck.stopped == "stationary"
    freed = [pw.LeastSquares(restarts=20, seed=seed).solve(problem) for seed in (1, 1, 2)]
    assert all(result.reached and result.restarts >= 1 for result in freed)
    assert np.array_equal(freed[0].q, freed[1].q)
    assert freed[0].q[0] == pytest.approx(-2.6, abs=1e-3)


def test_restarts_find_what_one_start_misses_on_a_chain_with_limits():
    free = chain(6, joints="hinge")
    joints = [replace(j, rotation=(replace(j.rotation[0], lower=-1.3, upper=1.3),)) for j in free.joints]
    figure = replace(free, joints=joints)
    frames = site_frames(figure, np.random.default_rng(7).uniform(-1.3, 1.3, (100, figure.n_dofs)), ["tip"])
    wanted = np.concatenate([frames.points, frames.x_axes, frames.y_axes], axis=2)
    x, y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    problem = pw.Problem(figure, [pw.Placement("tip", (0.0, 0.0, 0.0), x=x, y=y)])
    wanted = np.repeat(wanted, 2, axis=1)  # a point and a turn
    once = pw.LeastSquares(restarts=0).solve_many(problem, wanted).reached
    again = pw.LeastSquares(restarts=20).solve_many(problem, wanted).reached
    assert once.sum() < 95
    assert again.sum() > once.sum() + 5
    assert again[once].all()
