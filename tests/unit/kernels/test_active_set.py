"""The active set against plain linear algebra: basis, multipliers, projections, through many additions and releases."""

import numpy as np
import pytest

import posewright as pw
from posewright.figures.catalogue import build
from posewright.kernels.active_set import constraints as kernels
from posewright.kernels.active_set.direction import aim, rechart, update_metric
from posewright.kernels.active_set.powell_search import ACCEPTED, FAILED, TRY, begin_line, judge_trial
from posewright.kernels.active_set.search import (
    ALPHA,
    BASE,
    LISTED,
    MARKS,
    NORMAL,
    STATE,
    VARIABLE,
    G,
    H,
    S,
    X,
    Y,
    new_search,
)
from posewright.kernels.dense.search_control import STALLED
from posewright.problem.dense_problem import dense_problem
from posewright.problem.lowering import lower
from posewright.rotations import matrix_from_vector


def random_search(n, m, seed, n_equal=1):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(m, n))
    rows /= np.linalg.norm(rows, axis=1)[:, None]
    variables = np.zeros(n, VARIABLE)
    variables["coordinate"], variables["scale"], variables["longest"] = np.arange(n), 1.0, 1.0
    variables["lower"], variables["upper"] = -1.0, 2.0
    search = new_search(variables, np.column_stack([rows, np.ones(m)]), n_equal, n_dofs=n, n_joints=1)
    kernels.reset_metric(search)
    return search


def normals_of(search, count):
    found = []
    for constraint in search.active[LISTED, :count]:
        kernels.write_normal(search, constraint)
        found.append(search.numbers[NORMAL, : len(search.variables)].copy())
    return np.array(found).reshape(count, len(search.variables))


@pytest.mark.parametrize("seed", range(4))
def test_additions_and_releases_agree_with_plain_algebra(seed):
    n, m = 9, 6
    search, rng = random_search(n, m, seed), np.random.default_rng(seed)
    g, numbers, listed = rng.normal(size=n), search.numbers, search.active[LISTED]
    for _ in range(60):
        count = int(search.state[0]["count"])
        outside = np.flatnonzero(search.active[MARKS, : m + 2 * n] == 0)
        if count and (rng.random() < 0.45 or count == n - 1):
            kernels.drop_constraint(search, int(rng.integers(count)))
        else:
            kernels.add_constraint(search, int(rng.choice(outside)))
        count = int(search.state[0]["count"])
        N = normals_of(search, count)
        assert set(listed[:count]) == set(np.flatnonzero(search.active[MARKS]))
        Q, L_inverse = numbers[H + n :][:count, :n], numbers[H + 2 * n + 1 :][:count, :count]
        np.testing.assert_allclose(Q @ Q.T, np.eye(count), rtol=0.0, atol=1e-12)
        np.testing.assert_allclose(np.tril(L_inverse) @ N, Q, rtol=0.0, atol=1e-10)
        inverse = np.linalg.inv(N @ N.T)
        kernels.write_multipliers(search, g)
        np.testing.assert_allclose(numbers[ALPHA, :count], inverse @ N @ g, rtol=0.0, atol=1e-9)
        # From the identity, H stays the projection along the active normals: Goldfarb's two formulas undo each other.
        np.testing.assert_allclose(numbers[H : H + n, :n], np.eye(n) - N.T @ inverse @ N, rtol=0.0, atol=1e-9)
        best, place = kernels.most_willing(search)
        free = [i for i in range(count) if listed[i] >= 1]
        if free:
            worth = (inverse @ N @ g)[free] / np.sqrt(np.diag(inverse)[free])
            assert best == pytest.approx(worth.max(), abs=1e-9)
            assert worth[free.index(place)] == pytest.approx(worth.max(), abs=1e-9)


def test_a_row_that_follows_from_others_is_not_added():
    search = random_search(3, 2, 1)
    search.constraints[1] = -search.constraints[0]
    assert kernels.add_constraint(search, 0)
    assert not kernels.add_constraint(search, 1)
    assert search.state[0]["count"] == 1
    assert search.active[MARKS, 1] == 0


def test_the_first_constraint_on_the_way_is_found():
    search = random_search(2, 1, 1, n_equal=0)
    search.constraints[0] = (1.0, 0.0, 1.0)
    search.numbers[BASE, :2] = (0.5, 0.0)
    assert kernels.first_hit(search, np.array([1.0, 0.1])) == (0.5, 0)
    assert kernels.first_hit(search, np.array([0.0, 4.0])) == (0.5, 1 + 2 + 1)
    assert kernels.first_hit(search, np.array([-3.0, 0.0])) == (0.5, 1)


@pytest.mark.parametrize("wanted", ["BFGS", "DFP"])
def test_the_metric_is_updated_by_whichever_formula_keeps_it_away_from_singular(wanted):
    n, rng = 5, np.random.default_rng(2)
    search, gamma, s = random_search(n, 0, 1, n_equal=0), 0.7, rng.normal(size=n)
    A = rng.normal(size=(n, n))
    metric = A @ A.T + np.eye(n)
    along = np.linalg.solve(metric, gamma * s + 0.5 * rng.normal(size=n))
    y = (0.1 if wanted == "BFGS" else 10.0) * along  # BFGS where σᵀy >= yᵀHy
    search.numbers[H : H + n, :n], search.numbers[S, :n], search.numbers[Y, :n] = metric, s, y
    search.state["gamma"] = gamma
    assert update_metric(search)
    sigma, Hy = gamma * s, metric @ y
    sy, yHy = sigma @ y, y @ Hy
    assert sy > 0.0
    assert (sy >= yHy) == (wanted == "BFGS")
    dfp = metric + np.outer(sigma, sigma) / sy - np.outer(Hy, Hy) / yHy
    v = np.sqrt(yHy) * (sigma / sy - Hy / yHy)
    expected = dfp + np.outer(v, v) if wanted == "BFGS" else dfp  # the two differ by a matrix of rank one
    found = search.numbers[H : H + n, :n]
    assert found == pytest.approx(expected, abs=1e-10)
    assert found @ y == pytest.approx(sigma, abs=1e-10)
    assert np.linalg.eigvalsh(found).min() > 0.0


@pytest.mark.parametrize("falls", [True, False])
def test_a_line_search_without_a_good_step_takes_the_best_that_lowers_the_cost_or_fails(falls):
    """The slope stays as steep as it was, so that no step passes the second test."""
    states = np.zeros(1, STATE)
    state = states[0]
    state["cost"], state["sufficient_decrease"], state["curvature"] = 1.0, 1e-4, 0.5
    begin_line(state, -1.0, 1.0, np.inf)
    tried = []
    while True:
        gamma = float(state["gamma"])
        cost = (0.9 if len(tried) == 4 else 0.95) - 1e-12 * len(tried) if falls and gamma < 1e3 else 2.0
        tried.append((cost, gamma))
        verdict = judge_trial(state, cost, -1.0)
        if verdict != TRY or state["forced"]:
            break
    assert len(tried) == 30
    assert verdict == (TRY if falls else FAILED)
    if falls:
        good = [(cost, gamma) for cost, gamma in tried if cost <= 1.0 - 1e-4 * gamma]
        assert state["gamma"] == min(good)[1]
        assert judge_trial(state, min(good)[0], -1.0) == ACCEPTED


@pytest.mark.parametrize(("least", "then"), [(0.3, 0.3), (0.12, 0.12), (0.04, 0.1)])
def test_after_a_step_too_far_the_least_of_the_cubic_is_tried_but_not_close_to_an_end(least, then):
    """Along a parabola, whose cubic is itself."""
    states = np.zeros(1, STATE)
    state = states[0]
    state["cost"], state["sufficient_decrease"], state["curvature"] = least**2, 1e-4, 0.5
    begin_line(state, -2.0 * least, 1.0, np.inf)
    assert judge_trial(state, (1.0 - least) ** 2, 2.0 * (1.0 - least)) == TRY
    assert state["gamma"] == pytest.approx(then)


def test_a_long_rotation_vector_is_replaced_and_what_the_metric_knew_of_it_forgotten():
    n, rng = 5, np.random.default_rng(4)
    search = random_search(n, 0, 1, n_equal=0)
    search.variables["turns"][1] = 1  # variables 1 to 3 are a ball
    A = rng.normal(size=(n, n))
    metric, w = A @ A.T, np.array([1.0, -3.0, 1.5])
    search.numbers[H : H + n, :n] = metric
    search.numbers[X, :n] = 0.3, *w, 0.7
    assert rechart(search)
    found, x = search.numbers[H : H + n, :n], search.numbers[X, :n]
    assert matrix_from_vector(x[1:4]) == pytest.approx(matrix_from_vector(w), abs=1e-12)
    assert np.linalg.norm(x[1:4]) <= np.pi
    assert x[[0, 4]].tolist() == [0.3, 0.7]
    assert np.array_equal(found[1:4], np.eye(n)[1:4])
    assert np.array_equal(found[:, 1:4], np.eye(n)[:, 1:4])
    assert np.array_equal(found[np.ix_([0, 4], [0, 4])], metric[np.ix_([0, 4], [0, 4])])
    assert not rechart(search)


@pytest.mark.parametrize("learned", [True, False])
def test_a_metric_that_shrank_is_forgotten_before_a_search_gives_up(learned):
    """By it no step is worth taking, but the cost is as steep as before."""
    n = 4
    search, g = random_search(n, 0, 1, n_equal=0), np.array([1.0, -2.0, 0.5, 0.0])
    search.variables["longest"] = 10.0
    search.numbers[G, :n], search.numbers[H : H + n, :n] = g, 1e-12 * np.eye(n)
    search.state["tolerance"], search.state["fresh"] = 1e-6, 0 if learned else 1
    problem = dense_problem(lower(pw.Problem(build("arm4"), [pw.Position("tip", (0.0, 1.0, 0.0))])))
    assert aim(problem, search) == learned
    assert search.state[0]["resets"] == int(learned)
    if learned:
        np.testing.assert_allclose(search.numbers[S, :n], -g)
    else:
        assert search.state[0]["why"] == STALLED
