"""The active set against plain linear algebra: basis, multipliers, projections, through many additions and releases."""

import numpy as np
import pytest

from posewright.kernels.active_set import constraints as active_set
from posewright.kernels.active_set.constraints import ALPHA, VARIABLE, Region


def random_region(n, m, seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(m, n))
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    variables = np.zeros(n, VARIABLE)
    variables["coordinate"], variables["scale"], variables["longest"] = np.arange(n), 1.0, 1.0
    variables["lower"], variables["upper"] = -1.0, 2.0
    return Region(variables, np.column_stack([rows, np.ones(m)]), np.zeros((0, 2), np.int64), n_equal=1)


def empty_set(n, m):
    active = active_set.empty_set(n, m)
    active.H[:] = np.eye(n)
    return active


def normals_of(region, active, count):
    found = np.empty((count, len(active.H)))
    for i in range(count):
        active_set.normal_of(region, active.listed[i], found[i])
    return found


@pytest.mark.parametrize("seed", range(4))
def test_additions_and_releases_agree_with_plain_algebra(seed):
    n, m = 9, 6
    region, active, rng = random_region(n, m, seed), empty_set(n, m), np.random.default_rng(seed)
    count, g = 0, rng.normal(size=n)
    for _ in range(60):
        outside = np.flatnonzero(active.marks == 0)
        if count and (rng.random() < 0.45 or count == n - 1):
            count = active_set.drop_constraint(active, int(rng.integers(count)), count)
        else:
            count = active_set.add_constraint(region, active, int(rng.choice(outside)), count)
        N = normals_of(region, active, count)
        assert set(active.listed[:count]) == set(np.flatnonzero(active.marks))
        Q = active.Q[:count]
        np.testing.assert_allclose(Q @ Q.T, np.eye(count), rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(np.tril(active.L_inverse[:count, :count]) @ N, Q, rtol=0.0, atol=1e-10)
        inverse = np.linalg.inv(N @ N.T)
        active_set.multipliers(active, count, g)
        np.testing.assert_allclose(active.vectors[ALPHA, :count], inverse @ N @ g, rtol=0.0, atol=1e-9)
        # From the identity, H stays the projection along the active normals: Goldfarb's two formulas undo each other.
        np.testing.assert_allclose(active.H, np.eye(n) - N.T @ inverse @ N, rtol=0.0, atol=1e-9)
        best, place = active_set.most_willing(active, 1, count)
        free = [i for i in range(count) if active.listed[i] >= 1]
        if free:
            worth = (inverse @ N @ g)[free] / np.sqrt(np.diag(inverse)[free])
            assert best == pytest.approx(worth.max(), abs=1e-9)
            assert worth[free.index(place)] == pytest.approx(worth.max(), abs=1e-9)


def test_a_row_that_follows_from_others_is_not_added():
    region, active = random_region(3, 2, 1), empty_set(3, 2)
    region.rows[1] = -region.rows[0]
    count = active_set.add_constraint(region, active, 0, 0)
    assert count == 1
    assert active_set.add_constraint(region, active, 1, count) == 1
    assert active.marks[1] == 0


def test_the_first_constraint_on_the_way_is_found():
    region, active = random_region(2, 1, 1), empty_set(2, 1)
    region.rows[0] = (1.0, 0.0, 1.0)
    region = region._replace(n_equal=0)
    x = np.array([0.5, 0.0])
    assert active_set.first_hit(region, active, x, np.array([1.0, 0.1])) == (0.5, 0)
    assert active_set.first_hit(region, active, x, np.array([0.0, 4.0])) == (0.5, 1 + 2 + 1)
    assert active_set.first_hit(region, active, x, np.array([-3.0, 0.0])) == (0.5, 1)
