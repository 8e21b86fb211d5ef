"""Rotations as arrays against SciPy: exp, log, products, branches, slerp; near no turn and near half a turn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation, Slerp

from posewright import rotations as rot
from posewright.conventions import Array

ANGLES = (
    0.0,
    1e-150,
    1e-16,
    1e-12,
    1e-9,
    1e-7,
    1e-5,
    1e-3,
    1.0,
    2.0,
    3.0,
    np.pi - 1e-3,
    np.pi - 1e-8,
    np.pi - 1e-14,
    np.pi,
)


def scipy_wxyz(rotation: Rotation) -> Array:
    return np.roll(rotation.as_quat(), 1, axis=-1)


def vectors(angle: float) -> Array:
    axes = np.random.default_rng(0).normal(size=(20, 3))
    axes[:3] = np.eye(3)
    return angle * axes / np.linalg.norm(axes, axis=1, keepdims=True)


def same_up_to_sign(a: Array, b: Array) -> Array:
    return np.minimum(np.abs(a - b).max(-1), np.abs(a + b).max(-1))


@pytest.mark.parametrize("angle", ANGLES)
def test_exp_equals_scipy(angle: float) -> None:
    w = vectors(angle)
    expected = Rotation.from_rotvec(w)
    assert same_up_to_sign(rot.quaternion_from_vector(w), scipy_wxyz(expected)).max() < 1e-15
    np.testing.assert_allclose(rot.matrix_from_vector(w), expected.as_matrix(), rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("angle", ANGLES)
def test_log_inverts_exp(angle: float) -> None:
    w = vectors(angle)
    back = rot.vector_from_quaternion(rot.quaternion_from_vector(w))
    # At half a turn both w and -w are right.
    assert (same_up_to_sign(back, w) if angle > 3.14 else np.abs(back - w).max(-1)).max() < 1e-14
    from_matrix = rot.vector_from_matrix(rot.matrix_from_vector(w))
    assert (same_up_to_sign(from_matrix, w) if angle > 3.14 else np.abs(from_matrix - w).max(-1)).max() < 1e-14
    if angle > 0.0:
        np.testing.assert_allclose(np.linalg.norm(back, axis=1), angle, rtol=1e-12)


def test_products_conjugates_and_matrices() -> None:
    a, b = Rotation.random(30, random_state=1), Rotation.random(30, random_state=2)
    product = rot.quaternion_multiply(scipy_wxyz(a), scipy_wxyz(b))
    assert same_up_to_sign(product, scipy_wxyz(a * b)).max() < 1e-15
    assert same_up_to_sign(rot.quaternion_conjugate(scipy_wxyz(a)), scipy_wxyz(a.inv())).max() < 1e-15
    np.testing.assert_allclose(rot.matrix_from_quaternion(scipy_wxyz(a)), a.as_matrix(), rtol=0.0, atol=1e-14)
    q = rot.quaternion_from_matrix(a.as_matrix())
    assert (q[:, 0] >= 0.0).all()
    assert same_up_to_sign(q, scipy_wxyz(a)).max() < 1e-15


def test_half_turns_about_any_axis_have_a_quaternion() -> None:
    axes = vectors(1.0)
    halves = 2.0 * axes[:, :, None] * axes[:, None, :] - np.eye(3)
    q = rot.quaternion_from_matrix(halves)
    np.testing.assert_allclose(rot.matrix_from_quaternion(q), halves, rtol=0.0, atol=1e-14)


def test_leading_axes_are_kept() -> None:
    assert rot.quaternion_from_vector(np.zeros((2, 5, 3))).shape == (2, 5, 4)
    assert rot.matrix_from_vector(np.zeros(3)).shape == (3, 3)
    assert rot.vector_from_matrix(np.broadcast_to(np.eye(3), (4, 1, 3, 3))).shape == (4, 1, 3)


def test_antipodal_quaternions_have_one_logarithm() -> None:
    q = scipy_wxyz(Rotation.random(20, random_state=3))
    np.testing.assert_array_equal(rot.vector_from_quaternion(q), rot.vector_from_quaternion(-q))


def test_the_nearest_branch_is_the_same_rotation_and_the_nearest() -> None:
    rng = np.random.default_rng(4)
    w, reference = vectors(2.5), rng.normal(scale=5.0, size=(20, 3))
    found = rot.nearest_branch(w, reference)
    np.testing.assert_allclose(rot.matrix_from_vector(found), rot.matrix_from_vector(w), rtol=0.0, atol=1e-13)
    unit = w / 2.5
    every = unit[:, None] * (2.5 + 2.0 * np.pi * np.arange(-5, 6))[None, :, None]
    nearest = np.linalg.norm(every - reference[:, None], axis=-1).min(1)
    np.testing.assert_allclose(np.linalg.norm(found - reference, axis=-1), nearest, rtol=0.0, atol=1e-12)


def test_no_turn_is_a_full_turn_near_a_full_turn() -> None:
    near_full = rot.nearest_branch(np.zeros(3), np.array([0.0, 0.0, 6.0]))
    np.testing.assert_allclose(near_full, [0.0, 0.0, 2.0 * np.pi], rtol=1e-15)
    np.testing.assert_array_equal(rot.nearest_branch(np.zeros(3), np.array([0.0, 0.0, 3.0])), np.zeros(3))


def test_one_reference_is_where_to_begin_and_many_are_one_each() -> None:
    axis = np.array([0.6, 0.0, 0.8])
    angles = np.linspace(0.0, 14.0, 50)
    w = rot.vector_from_matrix(rot.matrix_from_vector(angles[:, None] * axis))
    np.testing.assert_allclose(rot.nearest_branch(w, np.zeros(3)), angles[:, None] * axis, rtol=0.0, atol=1e-13)
    each = rot.nearest_branch(w, np.zeros_like(w))
    np.testing.assert_array_equal(each, w)
    assert rot.nearest_branch(w[:0], np.zeros(3)).shape == (0, 3)


@pytest.mark.parametrize("fraction", [0.0, 0.25, 0.5, 1.0])
def test_slerp_equals_scipy_and_takes_the_short_way(fraction: float) -> None:
    ends = Rotation.random(2, random_state=5)
    a, b = scipy_wxyz(ends)
    expected = scipy_wxyz(Slerp([0.0, 1.0], ends)(fraction))
    assert same_up_to_sign(rot.slerp(a, b, np.array(fraction)), expected).max() < 1e-14
    assert same_up_to_sign(rot.slerp(a, -b, np.array(fraction)), expected).max() < 1e-14


def test_slerp_between_equal_and_nearly_equal_quaternions() -> None:
    a = scipy_wxyz(Rotation.from_rotvec([0.3, 0.2, -0.1]))
    assert same_up_to_sign(rot.slerp(a, a, np.array(0.5)), a).max() < 1e-15
    near = scipy_wxyz(Rotation.from_rotvec([0.3 + 1e-10, 0.2, -0.1]))
    assert same_up_to_sign(rot.slerp(a, near, np.array(0.5)), 0.5 * (a + near)).max() < 1e-15
