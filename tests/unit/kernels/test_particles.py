"""Random numbers by counter, turns put together, and drawing within limits."""

import math

import numpy as np
import pytest

import posewright as pw
from posewright.kernels.sampling.particles import blend, composed, draw
from posewright.kernels.sampling.random_numbers import key_of, two_normals, uniform
from posewright.problem.lowering import lower
from posewright.rotations import matrix_from_vector
from posewright.solvers.sampling.blocks import freedom_of


def test_numbers_depend_on_key_and_counter_alone():
    key = key_of(np.uint64(7), 3)
    assert uniform(key, 5) == uniform(key, 5)
    assert len({uniform(key, k) for k in range(1000)}) == 1000
    assert uniform(key, 0) != uniform(key_of(np.uint64(8), 3), 0)


def test_uniform_numbers_fill_the_interval():
    numbers = np.array([uniform(np.uint64(1), k) for k in range(20_000)])
    assert 0.0 < numbers.min() < 1e-3
    assert 1.0 - 1e-3 < numbers.max() < 1.0
    counts = np.histogram(numbers, 20, (0.0, 1.0))[0]
    assert ((counts - 1000) ** 2 / 1000).sum() < 45.0  # chi squared, 19 degrees of freedom: 0.999 quantile 43.8


def test_normal_numbers_are_standard_and_independent():
    pairs = np.array([two_normals(np.uint64(2), k) for k in range(20_000)])
    assert np.abs(pairs.mean(axis=0)).max() < 4.0 / math.sqrt(20_000)
    assert pairs.std(axis=0) == pytest.approx((1.0, 1.0), rel=0.03)
    assert abs(np.corrcoef(pairs.T)[0, 1]) < 0.03
    assert abs(np.corrcoef(pairs[:-1, 0], pairs[1:, 0])[0, 1]) < 0.03
    assert np.mean(np.abs(pairs) < 1.0) == pytest.approx(0.6827, abs=0.01)


def test_composed_is_the_product_of_rotations():
    rng = np.random.default_rng(1)
    for _ in range(50):
        a, b = rng.normal(size=(2, 3)) * rng.choice([1e-9, 0.1, 1.0, 4.0])
        c = np.array(composed(*a, *b))
        assert np.linalg.norm(c) <= math.pi + 1e-12
        assert matrix_from_vector(c) == pytest.approx(matrix_from_vector(a) @ matrix_from_vector(b), abs=1e-12)


def test_composed_knows_that_two_quaternions_are_one_rotation():
    w = np.array([0.3, -0.2, 1.1])
    longer = w * (1.0 - 2.0 * math.pi / np.linalg.norm(w))
    assert composed(*w, 0.1, 0.2, 0.3) == pytest.approx(composed(*longer, 0.1, 0.2, 0.3), abs=1e-12)
    assert composed(*-w, *longer) == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)


def test_blend_turns_balls_by_a_share_and_moves_numbers_straight(mixed_figure):
    problem = pw.Problem(mixed_figure, [pw.Position("finger", (1.0, 1.0, 1.0))])
    freedom = freedom_of(lower(problem), 1.0, all_that_moves=True)
    rng = np.random.default_rng(3)
    a, b = np.clip(rng.normal(size=(2, mixed_figure.n_dofs)), -1.0, 1.0)
    out = np.empty_like(a)
    blend(freedom, a, a, b, 1.0, out)
    assert out == pytest.approx(b, abs=1e-12)
    blend(freedom, a, a, b, 0.5, out)
    slide = mixed_figure.dof_index("root.tx")
    assert out[slide] == pytest.approx(0.5 * (a + b)[slide])
    ball = mixed_figure.dof_slice("leg")
    half = np.array(composed(*-a[ball], *b[ball]))
    assert composed(*-a[ball], *out[ball]) == pytest.approx(0.5 * half, abs=1e-12)


@pytest.mark.parametrize("spread", [0.01, 0.3])
def test_particles_are_drawn_about_their_mode_as_far_as_the_spread_says(mixed_figure, spread):
    """Numbers by the standard deviation of their coordinate, balls by turns, and none beyond limits."""
    problem = pw.Problem(mixed_figure, [pw.Position("finger", (1.0, 1.0, 1.0))])
    freedom, n = freedom_of(lower(problem), 1.0, all_that_moves=True), 400
    mode = np.array(mixed_figure.rest)
    mode[mixed_figure.dof_slice("leg")] = 0.4, -0.9, 0.3
    old, found, draws = mode + 7.0, np.empty((n, len(mode))), 0
    for k in range(n):
        draws += draw(freedom, mode, old, mode, spread, np.uint64(key_of(np.uint64(5), k)), 100, found[k])
    assert (found >= freedom.lower - 1e-12).all()
    assert (found <= freedom.upper + 1e-12).all()
    leg = mixed_figure.dof_slice("leg")
    turns = np.array([composed(*-mode[leg], *row[leg]) for row in found])
    away = found - mode
    away[:, leg] = turns
    wide = np.minimum(freedom.upper - mode, mode - freedom.lower) > 5.0 * spread * freedom.spread
    wide[mixed_figure.dof_slice("root")] = True
    balls = np.isin(mixed_figure.tables.dofs["joint"], [0, 2])
    some = wide & ~balls
    assert some[leg].all()
    assert some.sum() > 6
    np.testing.assert_allclose(away[:, some].std(axis=0) / (spread * freedom.spread[some]), 1.0, atol=0.15)
    np.testing.assert_allclose(away[:, some].mean(axis=0) / (spread * freedom.spread[some]), 0.0, atol=0.2)
    assert draws >= n


def test_a_block_that_finds_no_place_stays_where_the_particle_is(mixed_figure):
    problem = pw.Problem(mixed_figure, [pw.Position("finger", (1.0, 1.0, 1.0))])
    freedom = freedom_of(lower(problem), 1.0, all_that_moves=True)
    mode, old = np.array(mixed_figure.rest), 0.5 * np.array(mixed_figure.rest)
    spine = mixed_figure.dof_index("spine.rx")
    mode[spine] = 50.0  # far beyond its limit
    out = np.empty_like(mode)
    draw(freedom, mode, old, mode, 0.01, np.uint64(key_of(np.uint64(5), 1)), 30, out)
    assert out[spine] == old[spine]
    assert (np.delete(out, spine) != np.delete(old, spine)).any()
