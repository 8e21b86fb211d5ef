"""Controls mean the same in every solver: weights, chains, limits on the way, alternatives, goals already met."""

import warnings

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import build, chain
from posewright.figures.kinematics import site_frames
from posewright.problem.feasible import feasible_region
from posewright.solvers.registry import SOLVERS

over_solvers = pytest.mark.parametrize("solver", [make() for make in SOLVERS.values()], ids=list(SOLVERS))
ARM = {"left_shoulder", "left_elbow", "left_wrist"}


def movers(result):
    figure = result.pose.figure
    return {
        joint.name
        for joint in figure.joints
        if not np.array_equal(result.q[figure.dof_slice(joint.name)], figure.rest[figure.dof_slice(joint.name)])
    }


@over_solvers
@pytest.mark.parametrize("weight", [0.5, 1.0, 2.0, 4.0])
def test_two_goals_in_conflict_share_by_weight(solver, weight):
    """The last bone is half a metre long, and its ends are wanted two metres apart."""
    goals = [
        pw.Position("tip", (1.0, 1.0, 0.0), weight=weight),
        pw.Position("segment4", (1.0, -1.0, 0.0)),
    ]
    result = solver.solve(pw.Problem(chain(4), goals))
    assert result.errors["tip"] == pytest.approx(1.5 / (1.0 + weight), abs=5e-3)
    assert result.errors["segment4"] == pytest.approx(1.5 * weight / (1.0 + weight), abs=5e-3)


@over_solvers
@pytest.mark.parametrize(
    ("joints", "allowed"),
    [
        (("left_shoulder", "left_elbow"), {"left_shoulder", "left_elbow"}),
        ("limb", ARM | {"left_clavicle"}),
        ("limb+spine", ARM | {"left_clavicle", "waist", "back"}),
    ],
    ids=["named", "limb", "limb+spine"],
)
def test_only_the_chain_of_a_goal_moves(solver, joints, allowed):
    goal = pw.Position("left_hand", (0.4, 1.4, 0.4), joints=joints)
    moved = movers(solver.solve(pw.Problem(build("human40"), [goal])))
    assert {"left_shoulder", "left_elbow"} <= moved <= allowed


@over_solvers
def test_a_chain_that_two_goals_share_is_found_again_when_one_is_taken_away(solver):
    hand = pw.Position("left_hand", (0.4, 1.4, 0.4), joints="limb")
    other = pw.Position("right_hand", (-0.5, 1.2, 0.45), joints="limb+spine")
    problem = pw.Problem(build("human40"), [hand])
    both = problem.with_goal(other)
    assert "back" in movers(solver.solve(both))
    assert movers(solver.solve(both.without("right_hand"))) <= ARM | {"left_clavicle"}


@over_solvers
def test_limits_polygons_and_equalities_hold_after_every_iteration(solver):
    figure = build("human22")
    space = pw.Space.grouped(figure)
    far = [pw.Position("left_hand", (-1.5, 2.0, -1.0)), pw.Position("right_hand", (0.4, 1.2, -0.5))]
    alike = pw.LinearConstraint.coupling("elbows alike", "left_elbow.flexion", "right_elbow.flexion", 1.0)
    problem = pw.Problem(space, far, constraints=[alike])
    region = feasible_region(problem)
    outside = pw.Pose(figure, 2.0 * np.random.default_rng(3).normal(size=figure.n_dofs))
    assert region.violation(space.encode(outside.q)) > 0.1
    touched = 0
    for iterations in (*range(9), 15, 30):
        x = space.encode(solver.stopping_after(iterations).solve(problem, outside).q)
        assert region.violation(x) <= 1e-9
        touched += int((x - region.lower < 1e-9).sum() + (region.upper - x < 1e-9).sum())
        touched += int((region.b - region.A @ x < 1e-9)[region.n_equal :].sum())
    assert touched, "a case that touches nothing proves nothing"


@over_solvers
def test_aiming_at_the_place_one_stands_on_is_undefined_until_one_leaves_it(solver):
    figure = chain(4)
    bent = pw.Pose(figure, np.random.default_rng(4).uniform(-0.4, 0.4, figure.n_dofs))
    here = tuple(site_frames(figure, bent.q, ["tip"]).points[0])
    result = solver.solve(pw.Problem(figure, [pw.Aim("tip", here)]), bent)
    stays = np.linalg.norm(site_frames(figure, result.q, ["tip"]).points[0] - here) < 1e-9
    assert stays == ("undefined" in str(result))
    assert result.reached != stays
    towards = solver.solve(pw.Problem(figure, [pw.Aim("tip", here), pw.Position("tip", here, name="there")]))
    assert np.isfinite(towards.q).all()
    assert towards.errors["there"] < 5e-3


@over_solvers
def test_what_lies_beyond_a_wall_comes_back_and_what_lies_before_it_stays(solver):
    figure = chain(4)
    bent = pw.Pose(figure, np.random.default_rng(4).uniform(-0.4, 0.4, figure.n_dofs))
    normal = np.array([0.0, 0.6, 0.8])
    here = site_frames(figure, bent.q, ["tip"]).points[0]
    inside = solver.solve(pw.Problem(figure, [pw.HalfSpace("tip", here - 0.1 * normal, normal)]), bent)
    assert inside.iterations == 0
    assert np.array_equal(inside.q, bent.q)
    pushed = solver.solve(pw.Problem(figure, [pw.HalfSpace("tip", here + 0.3 * normal, normal)]), bent)
    assert pushed.reached
    there = site_frames(figure, pushed.q, ["tip"]).points[0]
    assert (there - here) @ normal > 0.3 - 2e-4


@pytest.mark.parametrize("name", [name for name, make in SOLVERS.items() if make.support.shares_evenly])
@pytest.mark.parametrize("nearest", [0, 1, 2])
def test_of_alternatives_the_nearest_is_met(name, nearest):
    figure = chain(4)
    points = np.array([(0.5, 1.2, 0.3), (0.4, -1.2, 0.4), (0.3, 0.1, 1.3)])
    start = pw.LeastSquares().solve(pw.Problem(figure, [pw.Position("tip", points[nearest] + 0.2)])).pose
    goal = pw.AnyOf(tuple(pw.Position("tip", point) for point in points), name="one of three")
    result = SOLVERS[name]().solve(pw.Problem(figure, [goal]), start)
    assert result.reached
    assert np.linalg.norm(site_frames(figure, result.q, ["tip"]).points[0] - points[nearest]) < 2e-4


def test_numbers_of_numpy_are_numbers():
    point = (-0.3, 1.2, 0.4)
    plain = pw.Position("right_hand", point, weight=2.0, priority=1, tolerance=0.25)
    numpy = pw.Position(
        "right_hand", np.array(point), weight=np.float32(2), priority=np.int64(1), tolerance=np.float32(0.25)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = pw.LeastSquares(max_iterations=np.int32(50)).solve(pw.Problem(build("human40"), [numpy]))
    assert np.array_equal(found.q, pw.LeastSquares(max_iterations=50).solve(pw.Problem(build("human40"), [plain])).q)
