"""Vectorised sines and cosines against extended precision, and the library's way for angles beyond."""

from __future__ import annotations

import math

import numpy as np
import pytest

from posewright.conventions import Array
from posewright.kernels.kinematics.trigonometry import LARGEST, sines_and_cosines


def both(angles: Array) -> tuple[Array, Array]:
    sines, cosines = np.empty_like(angles), np.empty_like(angles)
    sines_and_cosines(angles, sines, cosines)
    return sines, cosines


@pytest.mark.parametrize("reach", [1e-8, 1.0, 10.0, 1e3, LARGEST])
def test_accuracy(reach: float) -> None:
    angles = np.random.default_rng(0).uniform(-reach, reach, 20_000)
    sines, cosines = both(angles)
    assert np.abs(sines - np.sin(angles.astype(np.longdouble))).max() < 2.3e-16
    assert np.abs(cosines - np.cos(angles.astype(np.longdouble))).max() < 2.3e-16


def test_quarter_turns_and_their_neighbours() -> None:
    k = np.arange(-40, 41) * (np.pi / 2)
    angles = np.concatenate([k, np.nextafter(k, 1e9), np.nextafter(k, -1e9), k + np.pi / 4, k - np.pi / 4])
    sines, cosines = both(angles)
    np.testing.assert_allclose(sines, [math.sin(a) for a in angles], rtol=0, atol=2.3e-16)
    np.testing.assert_allclose(cosines, [math.cos(a) for a in angles], rtol=0, atol=2.3e-16)


def test_angles_beyond_and_nonsense_take_the_library_way() -> None:
    angles = np.array([0.5, 3.7e5, -1e15, 1e300])
    sines, cosines = both(angles)
    np.testing.assert_array_equal(sines, [math.sin(a) for a in angles])
    np.testing.assert_array_equal(cosines, [math.cos(a) for a in angles])
    sines, cosines = both(np.array([0.5, np.nan]))
    assert sines[0] == math.sin(0.5)
    assert np.isnan(sines[1])
    assert np.isnan(cosines[1])


def test_the_answer_does_not_depend_on_the_neighbours() -> None:
    angles = np.random.default_rng(1).uniform(-9.0, 9.0, 37)
    sines, cosines = both(angles)
    for k in range(37):
        alone = both(angles[k : k + 1].copy())
        assert (sines[k], cosines[k]) == (alone[0][0], alone[1][0])


def test_no_angles() -> None:
    assert both(np.empty(0))[0].size == 0
