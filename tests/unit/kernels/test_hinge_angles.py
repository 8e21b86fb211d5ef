"""Angles of hinges from rotations, and rotation vectors that follow their branch."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from posewright.conventions import Array
from posewright.kernels.kinematics.hinge_angles import hinge_angles_all
from posewright.kernels.kinematics.rotations import follow_branches, twist


def unit(seed: int, n: int) -> Array:
    v = np.random.default_rng(seed).normal(size=(n, 3))
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def product(axes: Array, angles: Array) -> Array:
    turns = Rotation.identity(len(angles))
    for axis, column in zip(axes, angles.T, strict=True):
        turns = turns * Rotation.from_rotvec(column[:, None] * axis)
    return np.ascontiguousarray(turns.as_matrix())


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_angles_make_the_rotations_and_follow_them_without_jumps(n: int, seed: int) -> None:
    axes = unit(seed, n)
    angles = np.cumsum(np.random.default_rng(seed).uniform(-0.05, 0.05, (500, n)), axis=0)
    R = product(axes, angles)
    found = np.empty_like(angles)
    hinge_angles_all(axes, R, angles[:1], found)
    np.testing.assert_allclose(product(axes, found), R, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("n", [1, 2])
def test_one_and_two_hinges_count_full_turns(n: int) -> None:
    axes = unit(9, n)
    angles = np.linspace(0.3, 30.0, 300)[:, None] * np.array([1.0, -0.7])[:n]
    found = np.empty_like(angles)
    hinge_angles_all(axes, product(axes, angles), angles[:1], found)
    np.testing.assert_allclose(found, angles, rtol=0.0, atol=1e-11)


def test_out_of_reach_gives_the_nearest_twist_of_one_hinge() -> None:
    turns = Rotation.random(20, random_state=0)
    for R in turns.as_matrix():
        z = np.array([0.0, 0.0, 1.0])
        best = twist(np.ascontiguousarray(R), z)
        distance = [
            (Rotation.from_rotvec(angle * z).inv() * Rotation.from_matrix(R)).magnitude()
            for angle in (best, best + 1e-3, best - 1e-3)
        ]
        assert distance[0] <= min(distance[1:])


def test_oblique_hinges_out_of_reach_stay_finite() -> None:
    axes = np.array([[1.0, 0.0, 0.0], [0.8, 0.6, 0.0], [1.0, 0.0, 0.0]])
    R = np.ascontiguousarray(Rotation.random(50, random_state=1).as_matrix())
    found = np.empty((50, 3))
    hinge_angles_all(axes, R, np.zeros((1, 3)), found)
    assert np.isfinite(found).all()


def test_vectors_follow_a_turn_through_zero_and_past_full_turns() -> None:
    axis = unit(5, 1)[0]
    angles = np.concatenate([np.linspace(-4.0, 6.0, 101), np.linspace(6.0, 12.0, 60)])
    vectors = np.ascontiguousarray(Rotation.from_rotvec(angles[:, None] * axis).as_rotvec())
    follow_branches(vectors, angles[:1, None] * axis)
    np.testing.assert_allclose(vectors, angles[:, None] * axis, rtol=0.0, atol=1e-12)


def test_no_turn_after_a_full_turn_stays_a_full_turn() -> None:
    vectors = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    follow_branches(vectors, np.array([[0.0, 6.2, 0.0]]))
    np.testing.assert_allclose(vectors, [[0.0, 2 * np.pi, 0.0]] * 2)


@pytest.mark.parametrize("slant", [0.0, 0.3, 0.6, -0.5])
@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 0, 1)])
def test_axes_in_a_plane_need_not_be_at_right_angles(order: tuple[int, int, int], slant: float) -> None:
    """Two axes span a coordinate plane, the third is its normal: some products of components are 0 times 0."""
    axes = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [slant, 0.0, np.sqrt(1.0 - slant * slant)]])[:, list(order)]
    angles = np.cumsum(np.random.default_rng(3).uniform(-0.05, 0.05, (60, 3)), axis=0) + 0.2
    R = product(axes, angles)
    found = np.empty_like(angles)
    hinge_angles_all(axes, R, angles[:1], found)
    np.testing.assert_allclose(product(axes, found), R, rtol=0.0, atol=1e-10)
