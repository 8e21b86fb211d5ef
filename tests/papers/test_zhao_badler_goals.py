"""Zhao & Badler 1994: the goals and how they are combined."""

import math
from itertools import pairwise

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import chain, human40
from posewright.figures.kinematics import site_frames
from posewright.figures.reach import reach
from posewright.problem.linearisation import linearise
from posewright.problem.lowering import lower


def cost(figure, goal, q):
    """P of one goal at a pose."""
    lowered = lower(pw.Problem(figure, [goal]))
    return float(sum(np.sum(rows.rho**2) for rows in linearise(lowered, lowered.targets, np.array(q), np.array(q))))


def tip(pose, site="tip"):
    return site_frames(pose.figure, pose.q, [site]).points[0]


def solve(space, *goals, start=None, **settings):
    return pw.LeastSquares(**settings).solve(pw.Problem(space, goals), start)


@pytest.fixture
def arm():
    """Four ball joints, 2 m long, a little bent."""
    return chain(4)


@pytest.fixture
def bent(arm):
    return pw.Pose(arm, np.random.default_rng(4).uniform(-0.4, 0.4, arm.n_dofs))


@pytest.mark.parametrize("seed", range(5))
def test_a_position_is_reached_within_a_ten_thousandth_of_the_chain(seed):
    figure = human40()
    rng = np.random.default_rng(seed)
    lower_, upper_ = np.maximum(figure.lower, -0.5), np.minimum(figure.upper, 0.5)
    wanted = tip(pw.Pose(figure, rng.uniform(lower_, upper_)), "left_hand")
    result = solve(figure, pw.Position("left_hand", wanted))
    assert result.reached
    assert np.linalg.norm(tip(result.pose, "left_hand") - wanted) < 1e-4 * reach(figure, "left_hand")


def test_a_position_costs_its_squared_distance(arm, bent):
    goal = pw.Position("tip", (0.3, 0.2, 0.1))
    assert cost(arm, goal, bent.q) == pytest.approx(np.sum((tip(bent) - (0.3, 0.2, 0.1)) ** 2), rel=1e-12)


def turned(figure, axis, degrees):
    return pw.Pose.rest(figure).with_values({f"segment1.w{axis}": math.radians(degrees)})


@pytest.mark.parametrize("degrees", [0.5, 5.0, 30.0])
def test_an_angle_of_delta_degrees_costs_as_much_as_one_metre(degrees):
    figure, radius = chain(1), math.degrees(1.0) / degrees
    along, up = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    off = turned(figure, "z", degrees).q
    angle = pw.Orientation("tip", x=along, y=up, radius=radius)
    assert cost(figure, angle, off) == pytest.approx(1.0, rel=1e-12)
    chord = pw.Orientation("tip", x=along, radius=radius)
    theta = math.radians(degrees)
    assert cost(figure, chord, off) == pytest.approx((2.0 * math.sin(0.5 * theta) / theta) ** 2, rel=1e-12)
    both = pw.Orientation("tip", x=along, y=up, radius=radius, measure="chord")
    assert cost(figure, both, off) == pytest.approx(2.0 * cost(figure, chord, off), rel=1e-12)


def test_orientations_are_reached(arm, bent):
    x, y = np.array([0.6, 0.0, 0.8]), np.array([0.8, 0.0, -0.6])
    result = solve(arm, pw.Orientation("tip", x=x, y=y), start=bent)
    frames = site_frames(arm, result.q, ["tip"])
    assert math.degrees(math.acos(min(1.0, frames.x_axes[0] @ x))) < 0.1
    assert math.degrees(math.acos(min(1.0, frames.y_axes[0] @ y))) < 0.1


@pytest.mark.parametrize("degrees", [10.0, 90.0, 179.0])
@pytest.mark.parametrize(("kept", "other"), [("x", "y"), ("y", "x")])
def test_one_free_direction_costs_nothing(kept, other, degrees):
    figure = chain(1)
    direction = {kept: (1.0, 0.0, 0.0) if kept == "x" else (0.0, 1.0, 0.0)}
    start = turned(figure, kept, degrees)
    result = solve(figure, goal := pw.Orientation("tip", **direction), start=start)
    assert cost(figure, goal, start.q) == pytest.approx(0.0, abs=1e-28)
    assert cost(figure, goal, turned(figure, other, degrees).q) > 0.01
    assert result.iterations == 0
    assert np.array_equal(result.q, start.q)
    placed = pw.Placement("tip", tip(start), **direction)
    assert solve(figure, placed, start=start).iterations == 0


def test_the_two_weights_of_a_placement_share_one(arm, bent):
    point, x, y = (0.5, 0.6, 0.7), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
    position = cost(arm, pw.Position("tip", point), bent.q)
    orientation = cost(arm, pw.Orientation("tip", x=x, y=y), bent.q)
    for share in (0.0, 0.25, 1.0):
        goal = pw.Placement("tip", point, x=x, y=y, position_share=share)
        assert cost(arm, goal, bent.q) == pytest.approx(share * position + (1.0 - share) * orientation, rel=1e-12)
    for share in (-0.5, 1.5, math.nan, "a"):
        with pytest.raises(pw.errors.InvalidSetting, match="must be a number from 0 to 1"):
            pw.Placement("tip", point, x=x, position_share=share)


@pytest.mark.parametrize("seed", range(3))
def test_an_axis_aims_at_a_point(arm, bent, seed):
    target = np.random.default_rng(seed).normal(size=3) * 2.0
    result = solve(arm, pw.Aim("tip", target, axis=(0.0, 0.6, 0.8)), start=bent)
    frames = site_frames(arm, result.q, ["segment4"])
    axis = 0.6 * frames.y_axes[0] + 0.8 * np.cross(frames.x_axes[0], frames.y_axes[0])
    there = target - tip(result.pose)
    angle = math.atan2(np.linalg.norm(np.cross(axis, there)), axis @ there)
    assert math.degrees(angle) < 0.1
    assert result.errors["tip"] == pytest.approx(angle, abs=1e-9)


def test_aiming_at_the_place_one_stands_on_is_undefined(arm, bent):
    goal = pw.Aim("tip", tip(bent))
    opposite = pw.Aim("tip", tip(bent), axis=(-1.0, 0.0, 0.0))  # the paper's gradient has no direction there
    assert cost(arm, goal, bent.q) == cost(arm, opposite, bent.q) > 0.0
    result = pw.LeastSquares(max_iterations=0).solve(pw.Problem(arm, [goal]), bent)
    assert not result.reached
    assert np.isinf(result.errors["tip"])


def test_a_line_is_reached_and_free_along_itself(arm, bent):
    point, direction = np.array([0.3, 0.5, -0.4]), np.array([0.0, 0.6, 0.8])
    result = solve(arm, pw.Line("tip", point + 100.0 * direction, 3.0 * direction), start=bent)
    off = tip(result.pose) - point
    across = np.linalg.norm(off - (off @ direction) * direction)
    assert across < 1e-4 * reach(arm, "tip")
    sliding = [cost(arm, pw.Line("tip", point + s * direction, direction), bent.q) for s in (0.0, -7.0, 40.0)]
    assert sliding == pytest.approx([sliding[0]] * 3, rel=1e-9)


def test_a_plane_is_reached_and_free_within_itself(arm, bent):
    point, normal = np.array([0.3, 0.5, -0.4]), np.array([0.6, 0.8, 0.0])
    result = solve(arm, pw.Plane("tip", point + np.array([80.0, -60.0, 9.0]), 5.0 * normal), start=bent)
    assert abs((tip(result.pose) - point) @ normal) < 1e-4 * reach(arm, "tip")
    assert cost(arm, pw.Plane("tip", point, normal), bent.q) == pytest.approx(
        ((tip(bent) - point) @ normal) ** 2, rel=1e-12
    )


def test_a_half_space_costs_nothing_inside_and_pushes_in_from_outside(arm, bent):
    normal = np.array([0.0, 0.6, 0.8])
    inside = pw.HalfSpace("tip", tip(bent) - 0.1 * normal, normal)
    assert cost(arm, inside, bent.q) == 0.0
    assert solve(arm, inside, start=bent).iterations == 0
    wall = tip(bent) + 0.3 * normal
    outside = pw.HalfSpace("tip", wall, normal)
    assert cost(arm, outside, bent.q) == pytest.approx(0.09, rel=1e-9)
    result = solve(arm, outside, start=bent)
    assert result.reached
    assert (tip(result.pose) - wall) @ normal > -1e-4 * reach(arm, "tip")


def test_doubling_a_weight_lowers_its_residual_in_conflict(arm):
    def errors(weight):
        left, right = (
            pw.Position("tip", (1.0, 1.0, 0.0), weight=weight),
            pw.Position("segment4", (1.0, -1.0, 0.0)),
        )
        return solve(arm, left, right, restarts=0).errors

    found = [errors(weight) for weight in (0.5, 1.0, 2.0, 4.0)]
    for lighter, heavier in pairwise(found):
        assert lighter["tip"] > 1.05 * heavier["tip"]
        assert lighter["segment4"] < heavier["segment4"]


@pytest.mark.parametrize("nearest", [0, 1, 2])
def test_of_several_the_nearest_is_met(arm, bent, nearest):
    points = [(0.5, 1.2, 0.3), (0.4, -1.2, 0.4), (0.3, 0.1, 1.3)]
    start = solve(arm, pw.Position("tip", np.array(points[nearest]) + 0.2), start=bent).pose
    goal = pw.AnyOf(tuple(pw.Position("tip", point) for point in points), name="one of three")
    result = solve(arm, goal, start=start)
    assert result.reached
    assert np.linalg.norm(tip(result.pose) - points[nearest]) < 1e-4 * reach(arm, "tip")


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_a_point_leaves_a_box_by_the_nearest_face(arm, bent, axis, side):
    where = tip(bent)
    low, high = where - 0.4, where + 0.4
    face = low if side < 0 else high
    face[axis] = where[axis] + 0.1 * side
    result = solve(arm, pw.Outside("tip", box=(tuple(low), tuple(high))), start=bent)
    assert result.reached
    moved = tip(result.pose)
    assert side * (moved[axis] - face[axis]) > -1e-4 * reach(arm, "tip")
    others = [k for k in range(3) if k != axis]
    assert ((low < moved) & (moved < high))[others].all(), "it left by another face"


@pytest.mark.parametrize("nearest", range(4))
def test_a_point_leaves_a_polyhedron_by_the_nearest_face(arm, bent, nearest):
    normals = np.array([(1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0)]) / math.sqrt(3.0)
    depths = np.where(np.arange(4) == nearest, 0.1, 0.3)  # m, from each face of a tetrahedron
    points = tip(bent) + depths[:, None] * normals
    goal = pw.Outside("tip", list(zip(points, normals, strict=True)))
    assert cost(arm, goal, bent.q) == pytest.approx(0.01, rel=1e-9)
    result = solve(arm, goal, start=bent)
    assert result.reached
    beyond = np.sum((tip(result.pose) - points) * normals, axis=1)
    assert beyond[nearest] > -1e-4 * reach(arm, "tip")
    assert (np.delete(beyond, nearest) < 0.0).all(), "it left by another face"


def test_outside_a_polyhedron_is_free_of_charge(arm, bent):
    faces = [
        ((0.0, -5.0, 0.0), (0.0, 1.0, 0.0)),
        ((0.0, -6.0, 0.0), (0.6, -0.8, 0.0)),
        ((0.0, -6.0, 0.0), (-0.6, -0.8, 0.0)),
    ]
    assert cost(arm, pw.Outside("tip", faces), bent.q) == 0.0
    assert solve(arm, pw.Outside("tip", faces), start=bent).iterations == 0
