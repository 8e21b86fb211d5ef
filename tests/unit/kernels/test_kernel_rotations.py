"""Rotations of kernels against extended precision and against those of arrays."""

from __future__ import annotations

import math

import numpy as np
import pytest

from posewright.conventions import Array
from posewright.kernels.kinematics.rotations import (
    LARGEST,
    cosine_and_sinc,
    nearest_vector,
    quaternion_exp,
    quaternion_log,
    sines_and_cosines,
    turned_vector,
)
from posewright.rotations import quaternion_from_vector, quaternion_multiply, vector_from_quaternion


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


def test_half_angles_are_those_of_the_library():
    for h in (0.0, 1e-9, 1e-3, 0.7, 0.5 * math.pi, 2.0, 7.0):
        sinc = math.sin(h) / h if h else 1.0
        assert cosine_and_sinc(h * h) == pytest.approx((math.cos(h), sinc), abs=1e-15)


@pytest.mark.parametrize("length", [0.0, 1e-9, 1e-3, 1.0, 3.0, 5.0, 7.0])
def test_quaternions_and_vectors_go_back_and_forth(length):
    axis = np.array([2.0, -3.0, 6.0]) / 7.0
    w = quaternion_exp(*(length * axis))
    assert w == pytest.approx(quaternion_from_vector(length * axis).tolist(), abs=1e-15)
    near = nearest_vector(*quaternion_log(*w), *(length * axis))
    assert near == pytest.approx((length * axis).tolist(), abs=1e-14)


def test_a_quaternion_before_a_vector_is_a_product():
    a, w = quaternion_from_vector(np.array([0.3, -2.0, 1.0])), np.array([1.1, 0.4, -2.5])
    expected = vector_from_quaternion(quaternion_multiply(a, quaternion_from_vector(w)))
    assert turned_vector(*a, *w) == pytest.approx(expected.tolist(), abs=1e-14)
