"""Curves: through their keys, at rest at their ends, without a jump in acceleration."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posewright.clips.biped import measure
from posewright.clips.clip import Take
from posewright.clips.curves import ease, periodic, quintic, through
from posewright.figures.catalogue import human40
from posewright.motions.smoothing import smooth_above


@given(values=st.lists(st.floats(-3.0, 3.0), min_size=3, max_size=7))
@settings(max_examples=25)
def test_through_keys_without_a_jump_in_acceleration(values: list[float]) -> None:
    keys = list(zip(np.cumsum([0.3 + 0.2 * (k % 2) for k in range(len(values))]), values, strict=True))
    for time, value in keys:
        assert through(np.array([time]), keys)[0] == pytest.approx(value, abs=1e-12)
    t = np.linspace(keys[0][0] - 0.2, keys[-1][0] + 0.2, 6001)
    acceleration = np.diff(through(t, keys), 2) / (t[1] - t[0]) ** 2
    assert np.abs(np.diff(acceleration)).max() < 0.02 * max(1.0, np.abs(acceleration).max())


def test_an_ease_is_a_minimum_jerk_step() -> None:
    t = np.linspace(-1.0, 2.0, 31)
    step = ease(t, 0.0, 1.0)
    assert step[0] == 0.0
    assert step[-1] == 1.0
    assert (np.diff(step) >= 0.0).all()
    np.testing.assert_allclose(step + ease(1.0 - t, 0.0, 1.0), 1.0, atol=1e-12)
    inside = np.clip(t, 0.0, 1.0)
    np.testing.assert_allclose(step, 10.0 * inside**3 - 15.0 * inside**4 + 6.0 * inside**5, atol=1e-12)


def test_a_periodic_curve_repeats() -> None:
    keys = [(0.1, 1.0), (0.4, -0.5), (0.8, 0.2)]
    phase = np.linspace(0.0, 1.0, 20)
    np.testing.assert_allclose(periodic(phase, keys), periodic(phase + 3.0, keys), atol=1e-12)
    assert periodic(np.array([0.4, 5.4]), keys) == pytest.approx(-0.5)


def test_a_quintic_keeps_value_rate_and_acceleration() -> None:
    h = 1e-4
    y = quintic(np.array([-h, 0.0, h]), [(0.0, 1.0, 2.0, -3.0), (1.0, 0.0, 0.0, 0.0)])
    assert y[1] == pytest.approx(1.0)
    assert (y[2] - y[0]) / (2 * h) == pytest.approx(2.0, abs=1e-5)
    assert (y[2] - 2 * y[1] + y[0]) / h**2 == pytest.approx(-3.0, abs=1e-2)


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=60), st.integers(0, 9))
@settings(max_examples=25)
def test_a_smooth_cover_is_nowhere_below(values: list[float], reach: int) -> None:
    given_values = np.array(values)
    assert (smooth_above(given_values, reach) >= given_values - 1e-12).all()


def test_wandering_is_small_and_repeats_with_its_seed() -> None:
    t = np.linspace(0.0, 20.0, 400)
    first, again = (Take(measure(human40()), np.random.default_rng(5), t, 20.0).wander(0.1) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    assert 0.05 < np.abs(first).max() < 0.13
