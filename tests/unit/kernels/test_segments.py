"""Nearest points of two segments, and gaps between capsules, against brute force."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from posewright.kernels.kinematics.capsule_gaps import pair_gaps
from posewright.kernels.kinematics.segments import nearest_points


def segments(seed):
    """Any, long and short, nearly parallel, parallel, crossing or a point."""
    rng = np.random.default_rng(seed)
    a, u, v = rng.normal(size=(3, 3)) * rng.choice([0.1, 1.0, 3.0], size=(3, 1))
    kind = seed % 5
    if kind == 1:
        v = rng.uniform(-2.0, 2.0) * u
    elif kind == 2:
        v = u + 1e-5 * rng.normal(size=3)
    elif kind == 3:
        u = np.zeros(3)
    elif kind == 4:
        a = rng.uniform() * v - rng.uniform() * u
    return a, u, v


@pytest.mark.parametrize("seed", range(60))
def test_no_two_points_are_nearer_to_each_other(seed):
    a, u, v = segments(seed)
    s, t, square = nearest_points(tuple(a), tuple(u), tuple(v))
    assert 0.0 <= s <= 1.0
    assert 0.0 <= t <= 1.0
    assert square == pytest.approx(np.sum((a + s * u - t * v) ** 2), abs=1e-12)
    best = lsq_linear(np.column_stack([u, -v]), -a, bounds=(0.0, 1.0), tol=1e-14)
    assert np.sqrt(square) == pytest.approx(np.sqrt(2.0 * best.cost), abs=2e-5)


def test_the_gap_of_tapered_capsules_is_what_their_radii_leave_where_they_are_nearest():
    """Two crossed rods, the first nearest at a quarter of its length, the second at three quarters."""
    ends = np.array([[[-1.0, 0.0, 0.0], [3.0, 0.0, 0.0]], [[0.0, 2.0, -3.0], [0.0, 2.0, 1.0]]])
    radii = np.array([[0.1, 0.5], [0.8, 0.4]])
    gaps = np.empty(1)
    one, where = np.eye(3).reshape(1, 1, 3, 3), np.zeros((1, 1, 3))
    pair_gaps(one, where, np.zeros(2, np.int64), ends, radii, np.array([[0, 1]]), gaps)
    assert gaps[0] == pytest.approx(2.0 - 0.2 - 0.5)
