"""Two angles in a polygon: the nearest point beside all edges and corners, and turned dofs beside the same unturned."""

import numpy as np
import pytest

from posewright.figures import Figure, Hinge, Joint
from posewright.figures.joint import X, Y, Z
from posewright.kernels.tree.points import AT_UPPER, FREE
from posewright.kernels.tree.polygons import (
    EDGE,
    END,
    KEPT,
    LEFT,
    NONE,
    Polygons,
    keep_within,
    release,
    turn,
    turn_back,
)
from posewright.kernels.tree.sweep import new_sweep

FIGURE = Figure(
    name="shoulder", joints=(Joint(name="shoulder", rotation=tuple(Hinge(axis=axis) for axis in (X, Y, Z))),)
)
DOFS = np.array([[2, 0]])


def polygon(seed: int, n: int = 5) -> tuple[Polygons, np.ndarray]:
    """Edges (with lengths of their own) and corners of a convex polygon around the origin."""
    rng = np.random.default_rng(seed)
    turns = np.sort(np.arange(n) * 2.0 * np.pi / n + rng.uniform(0.0, 4.0 / n, n))
    corners = rng.uniform(0.6, 1.6, 2) * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    ahead = np.roll(corners, -1, axis=0) - corners
    edges = np.stack([ahead[:, 1], -ahead[:, 0], ahead[:, 1] * corners[:, 0] - ahead[:, 0] * corners[:, 1]], axis=1)
    edges *= rng.uniform(0.5, 2.0, (n, 1))
    return Polygons(DOFS, np.array([0, n]), edges, np.full((1, 3), NONE)), corners


def limits(low: float = -np.inf, high: float = np.inf) -> np.ndarray:
    dofs = FIGURE.tables.dofs.copy()
    dofs["lower"], dofs["upper"] = low, high
    return dofs


def nearest(corners: np.ndarray, point: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Of all edges the nearest point, each by its own projection."""
    found = []
    for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        share = (weights * (point - a) * (b - a)).sum() / (weights * (b - a) ** 2).sum()
        found.append(a + np.clip(share, 0.0, 1.0) * (b - a))
    return min(found, key=lambda one: float((weights * (one - point) ** 2).sum()))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("weights", [(1.0, 1.0), (9.0, 1.0), (0.5, 3.0), (2.0, 0.0)])
def test_points_outside_go_to_the_nearest_that_is_inside(seed, weights):
    own, corners = polygon(seed)
    inside = own.edges[:, :2] @ np.zeros(2) <= own.edges[:, 2]
    assert inside.all()
    rng = np.random.default_rng(seed)
    weighed = np.array(weights) if min(weights) > 0.0 else np.ones(2)
    for point in rng.normal(scale=1.5, size=(20, 2)):
        q = np.array([point[1], 7.0, point[0]])
        keep_within(own, limits(), np.array([weights[1], 5.0, weights[0]]), q)
        assert q[1] == 7.0
        is_in = (own.edges[:, :2] @ point <= own.edges[:, 2]).all()
        np.testing.assert_allclose(q[[2, 0]], point if is_in else nearest(corners, point, weighed), atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_limits_of_both_angles_are_edges_too(seed):
    own, _ = polygon(seed)
    box = 0.35
    square = box * np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
    if (own.edges[:, :2] @ square.T > own.edges[:, 2:]).any():
        pytest.skip("the polygon cuts the box")
    for point in np.random.default_rng(seed).normal(scale=1.5, size=(20, 2)):
        q = np.array([point[1], 0.0, point[0]])
        keep_within(own, limits(-box, box), np.ones(3), q)
        np.testing.assert_allclose(q[[2, 0]], np.clip(point, -box, box), atol=1e-12)


def random_sweep(seed: int):
    """A sweep whose numbers are all at random, at an edge of its polygon or at a corner."""
    sweep, rng = new_sweep.__wrapped__(1, 3), np.random.default_rng(seed)
    for array in (sweep.S, sweep.K, sweep.t, sweep.q):
        array[:] = rng.normal(size=array.shape)
    sweep.D[:] = rng.uniform(0.5, 2.0, size=3)
    sweep.locks[:] = FREE
    return sweep


@pytest.mark.parametrize("seed", range(4))
def test_dofs_along_and_across_an_edge_mean_the_same_as_the_two_they_stand_for(seed):
    own, _ = polygon(seed)
    sweep, dofs, kept = random_sweep(seed), limits(), np.empty((1, KEPT))
    own.at[0, EDGE] = 1
    x, y = DOFS[0]
    before = {name: getattr(sweep, name).copy() for name in ("S", "K", "D", "t", "q")}
    turn(own, dofs, sweep, kept)
    rng = np.random.default_rng(seed)
    turned = {name: getattr(sweep, name).copy() for name in before}
    upper = dofs["upper"][y]
    sweep.d[:] = rng.normal(size=3)
    step = sweep.d.copy()
    assert turned["D"][x] == turned["D"][y] == before["D"][x]
    turn_back(own, dofs, sweep, kept)
    for name, values in before.items():
        np.testing.assert_allclose(getattr(sweep, name), values, atol=1e-12)
    np.testing.assert_array_equal(dofs["lower"], -np.inf)
    np.testing.assert_array_equal(dofs["upper"], np.inf)
    for name in ("S", "K"):  # what the step moves
        np.testing.assert_allclose(step @ turned[name], sweep.d @ before[name], atol=1e-12)
    for name in ("t", "q"):  # the pull, and what there is of damping
        pulls = turned["D"] * turned[name], before["D"] * before[name]
        assert step @ pulls[0] == pytest.approx(sweep.d @ pulls[1])
    assert (turned["D"] * step**2).sum() == pytest.approx((before["D"] * sweep.d**2).sum())
    # Across the edge, the second dof ends where the edge is.
    a, b, c = own.edges[1]
    beyond = a * (before["q"][x] + sweep.d[x]) + b * (before["q"][y] + sweep.d[y]) - c
    assert np.sign(beyond) == np.sign(turned["q"][y] + step[y] - upper)
    sweep.d[:] = step
    sweep.d[y] = upper - turned["q"][y]
    own.at[0] = NONE
    own.at[0, EDGE] = 1
    turn(own, dofs, sweep, kept)
    turn_back(own, dofs, sweep, kept)
    assert a * (sweep.q[x] + sweep.d[x]) + b * (sweep.q[y] + sweep.d[y]) == pytest.approx(c)


def test_at_a_corner_both_angles_stand_still_there():
    own, corners = polygon(1)
    sweep, dofs, kept = random_sweep(1), limits(), np.empty((1, KEPT))
    own.at[0, [EDGE, END]] = 1, 2  # edge k goes from corner k to the next
    turn(own, dofs, sweep, kept)
    x, y = DOFS[0]
    assert sweep.locks[x] == sweep.locks[y] == AT_UPPER
    assert dofs["lower"][x] == dofs["upper"][x]
    assert dofs["lower"][y] == dofs["upper"][y]
    sweep.d[:] = dofs["upper"] - sweep.q
    sweep.d[1] = 0.0
    assert turn_back(own, dofs, sweep, kept) == 0
    np.testing.assert_allclose((sweep.q + sweep.d)[[x, y]], corners[2], atol=1e-9)
    release(own, sweep)
    assert own.at[0].tolist() == [1, NONE, NONE]
    sweep.locks[y] = FREE
    release(own, sweep)
    assert own.at[0, EDGE] == NONE


def test_a_step_that_leaves_over_an_edge_goes_along_it_and_over_two_to_their_corner():
    own, corners = polygon(2)
    sweep, dofs, kept = random_sweep(2), limits(), np.empty((1, KEPT))
    x, y = DOFS[0]
    sweep.q[:], sweep.d[:] = 0.0, 0.0
    turn(own, dofs, sweep, kept)
    assert turn_back(own, dofs, sweep, kept) == 0
    assert own.at[0].tolist() == [NONE, NONE, NONE]

    def leave_over(edge: int) -> int:
        middle = 0.5 * (corners[edge] + corners[(edge + 1) % 5])
        turn(own, dofs, sweep, kept)
        if own.at[0, EDGE] == NONE:
            sweep.d[[x, y]] = 1.2 * middle
        else:
            a, b, ratio = kept[0, :3]
            u, v = 1.2 * middle[0], 1.2 * middle[1] * ratio
            sweep.d[[x, y]] = b * u - a * v, a * u + b * v
        return int(turn_back(own, dofs, sweep, kept))

    assert leave_over(0) == 1
    assert own.at[0].tolist() == [0, NONE, NONE]
    assert sweep.locks[y] == AT_UPPER
    assert leave_over(0) == 0
    assert leave_over(1) == 1
    assert own.at[0, [EDGE, END, LEFT]].tolist() == [1, NONE, 0]
    assert leave_over(0) == 1
    assert own.at[0, [EDGE, END]].tolist() == [1, 0]
    assert leave_over(3) == 0
