"""The identities of strict levels: projector, conflict, step bound; also where ranks are lacking."""

import numpy as np
import pytest

from posewright.kernels.dense.strict_levels import (
    FREE,
    WISH,
    add_equality,
    add_level,
    begin_step,
    damping,
    level_work,
    project_out,
)


def random_levels(rng, n):
    """Levels of random rows; some repeat a row of their own or of a level above."""
    levels = []
    for _ in range(rng.integers(2, 5)):
        J = rng.normal(size=(rng.integers(1, 5), n))
        if rng.random() < 0.4:
            J = np.vstack([J, J[0] + 2.0 * J[-1]])
        if levels and rng.random() < 0.4:
            J[0] = levels[-1][0][0]
        levels.append((J, rng.normal(size=len(J))))
    return levels


@pytest.mark.parametrize("seed", range(40))
def test_steps_and_projector_are_those_of_the_formulas(seed):
    rng = np.random.default_rng(seed)
    n, b_max = int(rng.integers(4, 16)), 0.3
    work, step, count = level_work(20, n), np.zeros(n), 0
    locked = (rng.random(n) < 0.2).astype(float)
    step[locked == 1] = rng.normal(size=int(locked.sum()))
    begin_step(locked, work)
    P, stacked = np.diag(1.0 - locked), np.zeros((0, n))
    for J, wanted in random_levels(rng, n):
        before = step.copy()
        count = add_level(J, wanted, b_max, 0.0, work, count, step)
        U, sigma, Vt = np.linalg.svd(J @ P, full_matrices=False)
        kept = sigma > 1e-6 * max(1.0, sigma[0])
        y = wanted - J @ before
        squared = damping(np.linalg.norm(y) / b_max, sigma[kept].min(initial=np.inf))
        gains = (sigma / (sigma**2 + squared) * (U.T @ y))[kept] if kept.any() else np.zeros(0)
        assert step == pytest.approx(before + Vt[kept].T @ gains, abs=1e-9)
        assert np.linalg.norm(step - before) <= b_max + 1e-12
        stacked = np.vstack([stacked, J * (1 - locked)])
        P = np.diag(1.0 - locked) - np.linalg.pinv(stacked, rcond=1e-9) @ stacked
        V = work.basis[:count] * work.per_coordinate[FREE]
        assert np.diag(1.0 - locked) - V.T @ V == pytest.approx(P, abs=1e-11)
        v = rng.normal(size=n) * (1 - locked)
        projected = v.copy()
        project_out(work, count, projected)
        assert projected * (1 - locked) == pytest.approx(P @ v, abs=1e-11)


@pytest.mark.parametrize("seed", range(10))
def test_of_two_conflicting_levels_the_upper_one_is_exact(seed):
    rng = np.random.default_rng(seed)
    J = rng.normal(size=(3, 8))
    first, second = 1e-2 * rng.normal(size=3), 1e-2 * rng.normal(size=3)
    work, step = level_work(6, 8), np.zeros(8)
    count = add_level(J, first, 10.0, 0.0, work, 0, step)
    assert add_level(J, second, 10.0, 0.0, work, count, step) == count  # nothing is left to take
    assert J @ step == pytest.approx(first, abs=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_the_damping_bounds_every_step_and_vanishes_where_none_is_needed(seed):
    rng = np.random.default_rng(seed)
    for _ in range(400):
        sigma, d = np.sort(10.0 ** rng.uniform(-6, 2, 5)), 10.0 ** rng.uniform(-5, 3)
        squared = damping(d, sigma[0])
        assert (sigma / (sigma**2 + squared) <= (1.0 + 1e-12) / d).all() or squared == 0.0
        assert squared > 0.0 or sigma[0] >= d
        assert (sigma / (sigma**2 + squared)).max() <= (1.0 + 1e-9) / d


def test_an_equality_is_exact_and_kept_by_every_level_below():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 7))
    work, step = level_work(4, 7), np.zeros(7)
    count = add_equality(a, 0.3, work, 0, step)
    count = add_equality(b, -0.1, work, count, step)
    assert add_equality(a - 2.0 * b, 0.5, work, count, step) == count == 2  # follows from the two
    add_level(rng.normal(size=(4, 7)), rng.normal(size=4), 0.5, 0.0, work, count, step)
    assert [a @ step, b @ step] == pytest.approx([0.3, -0.1], abs=1e-14)


@pytest.mark.parametrize("seed", range(10))
def test_a_locked_coordinate_wishes_what_it_begins_to_do_when_it_is_free(seed):
    """With a column so short that its freedom changes nothing for the others."""
    rng = np.random.default_rng(seed)
    n = 9
    levels = [(rng.normal(size=(2, n)), 1e-2 * rng.normal(size=2)) for _ in range(3)]
    for J, _ in levels:
        J[:, 4] *= 1e-7
    wishes = []
    for lock in (1, 0):
        work, step, count = level_work(6, n), np.zeros(n), 0
        locked = np.zeros(n)
        locked[4] = lock
        begin_step(locked, work)
        count = add_equality(np.where(np.arange(n) == 4, 1e-7, levels[0][0][0] ** 2), 0.01, work, count, step)
        for J, wanted in levels:
            count = add_level(J, wanted, 10.0, 0.0, work, count, step)
        assert (step[4] == 0.0) == bool(lock)
        wishes.append(work.per_coordinate[WISH, 4])
    assert wishes[0] == pytest.approx(wishes[1], rel=1e-5)
