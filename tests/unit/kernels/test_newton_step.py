"""The step within bounds and rows is the solution of the quadratic program."""

import numpy as np
import pytest

from posewright.kernels.dense.newton_step import (
    DAMPING,
    HIGH,
    LOW,
    N_PER_ROW,
    N_PLACES,
    RADIUS,
    RIGHT,
    SLOPE,
    SOFTNESS,
    STEP,
    TURNED,
    UNIT,
    Model,
    newton_step,
    same_step,
)


def model_of(H, g, rows, low, high):
    n, m = len(g), len(rows) + 3  # too few for all bounds that are met
    places = np.zeros((N_PLACES, n))
    places[SLOPE], places[LOW], places[HIGH] = g, low, high
    places[DAMPING], places[RADIUS], places[UNIT] = 1e-6, 1e6, 1.0
    table = np.zeros((m, n + N_PER_ROW))
    for row, (E, right, softness) in zip(table, rows, strict=False):
        row[:n], row[n + RIGHT], row[n + SOFTNESS] = E, right, softness
    order = np.zeros((5, n), np.int64)
    order[2] = [np.flatnonzero(row)[-1] for row in H]
    empty = np.zeros((n, n)), np.zeros((m, n)), np.zeros((m, m)), order, np.array([-1, 0, 0])
    return Model(H, table, places, *empty)


def drawn(seed):
    """A convex model with the zeros of a tree, two soft rows, an equality and four inequalities."""
    random = np.random.default_rng(seed)
    n = 14
    apart = np.ones((n, n))
    apart[4:9, 9:], apart[9:, 4:9] = 0.0, 0.0  # two limbs
    limbs = [np.r_[0:9], np.r_[0:4, 9:14]]
    H = np.zeros((n, n))
    for limb in limbs:
        A = random.normal(size=(6, len(limb)))
        H[np.ix_(limb, limb)] += A.T @ A
    H += 1e-2 * np.eye(n)
    assert (H[apart == 0.0] == 0.0).all()
    g = random.normal(size=n)
    low, high = -random.uniform(0.0, 2.0, n), random.uniform(0.0, 2.0, n)
    rows = [(random.normal(size=n), random.normal(), 0.1) for _ in range(2)]
    rows += [(random.normal(size=n), 0.0, 0.0)]
    rows += [(random.normal(size=n), random.uniform(0.05, 0.4), 0.0) for _ in range(4)]
    return H, g, rows, low, high


@pytest.mark.parametrize("seed", range(40))
def test_a_step_that_claims_to_be_the_minimum_is_it_and_all_keep_bounds_and_rows(seed):
    H, g, rows, low, high = drawn(seed)
    model = model_of(H, g, rows, low, high)
    right, more, _ = newton_step(model, 2, 7, 1)
    d = model.places[STEP]
    assert more == 1.0
    assert (d >= low - 1e-9).all()
    assert (d <= high + 1e-9).all()
    assert abs(rows[2][0] @ d) <= 1e-8
    assert all(E @ d <= e + 1e-8 for E, e, _ in rows[3:])

    def cost(at):
        return at @ H @ at - 2.0 * g @ at + sum((E @ at - e) ** 2 / k for E, e, k in rows[:2]) + 1e-6 * at @ at

    if right:
        best = by_scipy(cost, rows, low, high)
        assert cost(d) <= best + 1e-6 * abs(best)
    assert cost(d) <= cost(np.zeros(len(g))) + 1e-9


@pytest.mark.parametrize("seed", range(20))
def test_a_step_after_changed_rows_is_that_of_a_model_with_such_rows(seed):
    H, g, rows, low, high = drawn(seed)
    model, n = model_of(H, g, rows, low, high), len(g)
    newton_step(model, 2, 7, 1)
    random = np.random.default_rng(seed)
    for k in (4, 6):
        rows[k] = random.normal(size=n), random.uniform(0.05, 0.4), 0.0
        model.rows[k, :n], model.rows[k, n + RIGHT], model.rows[k, n + TURNED] = rows[k][0], rows[k][1], 0.0
    other = model_of(H, g, rows, low, high)
    if same_step(model, 2, 7, 1)[0] and newton_step(other, 2, 7, 1)[0]:
        np.testing.assert_allclose(model.places[STEP], other.places[STEP], atol=1e-7)
    d = model.places[STEP]
    assert (d >= low - 1e-9).all()
    assert (d <= high + 1e-9).all()
    assert all(E @ d <= e + 1e-8 for E, e, _ in rows[3:])


def by_scipy(cost, rows, low, high):
    from scipy.optimize import LinearConstraint, minimize

    equal = LinearConstraint(rows[2][0], 0.0, 0.0)
    below = LinearConstraint(np.array([E for E, _, _ in rows[3:]]), -np.inf, [e for _, e, _ in rows[3:]])
    start, limits = np.zeros(len(low)), list(zip(low, high, strict=True))
    found = minimize(cost, start, method="SLSQP", bounds=limits, constraints=[equal, below], options={"maxiter": 500})
    return found.fun


def test_most_steps_are_the_minimum():
    models = [model_of(*drawn(seed)) for seed in range(40)]
    assert sum(newton_step(model, 2, 7, 1)[0] for model in models) >= 36


def test_a_model_that_curves_down_is_damped_until_it_does_not():
    H, g, rows, low, high = drawn(3)
    H[5, 5] -= 20.0
    model = model_of(H, g, rows[:2], low, high)
    _, more, _ = newton_step(model, 2, 2, 0)
    assert more > 1.0
    assert g @ model.places[STEP] > 0.0


@pytest.mark.parametrize("seed", range(40))
def test_soft_rows_may_hold_what_curves_down_in_the_tree(seed):
    H, g, rows, low, high = drawn(seed)
    across = np.where(np.arange(len(g)) < 4, rows[0][0], 0.0)  # in the trunk, so that limbs stay apart
    H -= np.outer(across, across) / 0.2
    rows = [(across, 0.3, 0.1), *rows[1:]]
    assert np.linalg.eigvalsh(H)[0] < -0.01
    model = model_of(H, g, rows, low, high)
    right, more, _ = newton_step(model, 2, 7, 1)
    d = model.places[STEP]
    assert more == 1.0
    assert right
    assert all(E @ d <= e + 1e-8 for E, e, _ in rows[3:])

    def cost(at):
        return at @ H @ at - 2.0 * g @ at + sum((E @ at - e) ** 2 / k for E, e, k in rows[:2]) + 1e-6 * at @ at

    best = by_scipy(cost, rows, low, high)
    assert cost(d) <= best + 1e-6 * abs(best)
