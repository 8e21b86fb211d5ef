"""Quadratic programs: feasible, and stationary with multipliers of the right sign (Kuhn and Tucker)."""

import numpy as np
import pytest

from posewright.kernels.dense.qp_warm_start import solve_from_guess
from posewright.kernels.dense.quadratic import INFEASIBLE, SOLVED, solve_quadratic

FREE = np.array([[-np.inf, -np.inf], [np.inf, np.inf]])


def joined(A, b):
    """Rows with their bounds in the last column."""
    return np.column_stack([A, b])


def normals(active, A, n):
    rows = []
    for c in active:
        if c < len(A):
            rows.append(A[c])
        else:
            e = np.zeros(n)
            e[(c - len(A)) % n] = -1.0 if c < len(A) + n else 1.0
            rows.append(e)
    return np.array(rows).reshape(-1, n).T


def random_program(seed):
    """H, g, A, b, n_equal, lower, upper, with a point inside."""
    rng = np.random.default_rng(seed)
    n, m = rng.integers(2, 12), rng.integers(0, 10)
    n_equal = min(rng.integers(0, 3), m, n - 1)
    J = rng.normal(size=(n // 2 + 1, n))
    H, g = J.T @ J + np.diag(rng.uniform(1e-3, 1, n)), rng.normal(size=n)
    inside = 0.5 * rng.normal(size=n)
    A = rng.normal(size=(m, n))
    b = A @ inside + rng.uniform(0, 0.3, m)
    b[:n_equal] = A[:n_equal] @ inside
    lower, upper = inside - rng.uniform(0, 0.5, n), inside + rng.uniform(0, 0.5, n)
    if seed % 3 == 0:
        lower[:] = -np.inf
    return H, g, A, b, n_equal, lower, upper


@pytest.mark.parametrize("seed", range(60))
def test_the_answer_is_a_kuhn_tucker_point(seed):
    H, g, A, b, n_equal, lower, upper = random_program(seed)
    n = len(g)
    x, active, multipliers = np.empty(n), np.zeros(n + 1, np.int64), np.zeros(n + 1)
    status, count = solve_quadratic(
        H.copy(), g, joined(A, b), n_equal, np.stack([lower, upper]), x, active, multipliers
    )
    assert status == SOLVED
    gap = A @ x - b
    gap[:n_equal] = np.abs(gap[:n_equal])
    assert max(gap.max(initial=0), (lower - x).max(), (x - upper).max()) < 1e-10
    gradient = H @ x - g
    N = normals(active[:count], A, n)
    forces = np.linalg.lstsq(N, -gradient, rcond=None)[0]
    assert np.linalg.norm(gradient + N @ forces) < 1e-7
    assert all(force > -1e-7 for force, c in zip(forces, active[:count], strict=True) if c >= n_equal)
    assert multipliers[:count] == pytest.approx(forces, abs=1e-6)


def test_contradicting_rows_are_named():
    A, b = np.array([[0.0, 1.0], [1.0, 0.0], [-1.0, 0.0]]), np.array([5.0, 0.0, -1.0])  # x <= 0 and x >= 1
    active = np.zeros(3, np.int64)
    status, count = solve_quadratic(np.eye(2), np.zeros(2), joined(A, b), 0, FREE, np.empty(2), active, np.zeros(3))
    assert status == INFEASIBLE
    assert set(active[:count]) == {1, 2}


def test_equalities_that_repeat_are_harmless_and_those_that_contradict_are_not():
    A = np.array([[1.0, 1.0], [2.0, 2.0]])
    x, active = np.empty(2), np.zeros(3, np.int64)
    assert solve_quadratic(np.eye(2), np.zeros(2), joined(A, (1.0, 2.0)), 2, FREE, x, active, np.zeros(3))[0] == SOLVED
    assert x == pytest.approx([0.5, 0.5])
    assert (
        solve_quadratic(np.eye(2), np.zeros(2), joined(A, (1.0, 3.0)), 2, FREE, x, active, np.zeros(3))[0] == INFEASIBLE
    )


@pytest.mark.parametrize("seed", range(60))
def test_whatever_bounds_are_guessed_the_answer_is_the_same(seed):
    H, g, A, b, n_equal, lower, upper = random_program(seed)
    n, rng = len(g), np.random.default_rng(seed)
    if seed % 4 == 0:
        upper[0] = lower[0] = min(max(0.0, lower[0]), upper[0])
    x, active = np.empty(n), np.zeros(n + 1, np.int64)
    status, _ = solve_quadratic(
        H.copy(), g, joined(A, b), n_equal, np.stack([lower, upper]), x, active, np.zeros(n + 1)
    )
    held = rng.integers(-1, 2, n).astype(float)
    held[(held < 0) & np.isinf(lower)] = 0
    for _ in range(2):  # from a wild guess, then from the true one
        guessed, before = np.empty(n), (H.copy(), g.copy())
        assert solve_from_guess(H, g, joined(A, b), n_equal, np.stack([lower, upper]), held, guessed) == status
        assert np.array_equal(before[0], H)
        assert np.array_equal(before[1], g)
        if status != SOLVED:
            return
        assert guessed == pytest.approx(x, abs=1e-8)
        inside = lower < upper
        assert (x[inside & (held < 0)] <= lower[inside & (held < 0)] + 1e-9).all()
        assert (x[inside & (held > 0)] >= upper[inside & (held > 0)] - 1e-9).all()
