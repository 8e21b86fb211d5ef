"""The greedy pass: bounds that never exceed the distance, and the distance itself."""

import numpy as np
import pytest

from posewright.kernels.posture_similarity import (
    RUN,
    WIDTH,
    admit,
    leader_bounds,
    member_bounds,
    members_distance,
    pair_distance,
    put,
)


@pytest.fixture(scope="module")
def poses() -> np.ndarray:
    turns = np.random.default_rng(0).normal(size=(WIDTH, 7, 4))
    turns[3] = turns[2] + 1e-4 * turns[4]  # nearly alike
    turns[5] = -turns[2]  # the same rotations, other signs
    return (turns / np.linalg.norm(turns, axis=2, keepdims=True)).astype(np.float32)


@pytest.fixture(scope="module")
def weights() -> np.ndarray:
    raw = np.random.default_rng(1).uniform(0.1, 1.0, 7)
    return raw / raw.sum()


def members_of(poses: np.ndarray) -> np.ndarray:
    members = np.zeros((2, poses.shape[1], 4, WIDTH), dtype=np.float32)
    for m in range(len(poses)):
        put(poses, m, members, m)
    return members


def angles(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    dots = np.abs((a.astype(np.float64) * b).sum(axis=-1))
    return 2.0 * np.arccos(np.minimum(dots, 1.0))


def test_the_distance_is_the_weighted_mean_of_angles_whatever_the_signs(poses, weights):
    members = members_of(poses)
    for f, m in ((0, 1), (2, 3), (2, 5), (30, 31)):
        expected = angles(poses[f], poses[m]) @ weights
        assert pair_distance(poses, f, members, m, weights, 9.0) == pytest.approx(expected, abs=1e-3)
    assert pair_distance(poses, 2, members, 5, weights, 9.0) < 1e-6
    assert pair_distance(poses, 0, members, 1, weights, 0.1) > 0.1  # given up early


def test_chords_never_exceed_the_distance(poses, weights):
    members, light = members_of(poses), weights.astype(np.float32)
    bounds, no_radii = np.empty(WIDTH, np.float32), np.zeros((2, WIDTH), np.float32)
    for f in range(8):
        exact = np.array([pair_distance(poses, f, members, m, weights, 9.0) for m in range(WIDTH)])
        assert leader_bounds(poses, f, members, 0, light, 9.0, no_radii, bounds)
        assert (bounds <= exact + 1e-3).all()
        assert not leader_bounds(poses, f, members, 1, light, 0.01, no_radii, bounds)  # nobody is there
        for run in range(WIDTH // RUN):
            assert member_bounds(poses, f, members, run, light, 9.0, bounds)
            assert (bounds[:RUN] <= exact[run * RUN : (run + 1) * RUN] + 1e-3).all()


def entered(poses: np.ndarray, weights: np.ndarray, threshold: float) -> tuple:
    blocks = len(poses) // WIDTH + 2
    members, leaders = (np.zeros((blocks, 7, 4, WIDTH), dtype=np.float32) for _ in range(2))
    radii, admitted = np.zeros((blocks, WIDTH), dtype=np.float32), np.empty(len(poses), dtype=np.int64)
    n, hint = admit(poses, members, 0, 0, leaders, radii, weights, threshold, admitted)
    return members, n, hint, leaders, radii, admitted


def test_poses_are_admitted_in_order_and_copies_are_not(poses, weights):
    members, n, hint, leaders, radii, admitted = entered(poses, weights, 0.01)
    assert sorted(set(range(WIDTH)) - set(admitted[:n].tolist())) == [3, 5]
    again, _ = admit(poses, members, n, hint, leaders, radii, weights, 0.01, admitted)
    assert again == n


@pytest.mark.parametrize("size", [1, RUN - 1, RUN, RUN + 3, 3 * RUN])
def test_every_member_is_within_the_radius_of_its_leader(poses, weights, size):
    members, n, _, leaders, radii, _ = entered(poses[:size].copy(), weights, -1.0)
    assert n == size  # below zero lets all in
    for m in range(size):
        run = m // RUN
        leader = run * RUN + (RUN // 2 if (run + 1) * RUN <= size else 0)
        np.testing.assert_array_equal(leaders[0, :, :, run], members[0, :, :, leader])
        assert members_distance(members, leader, m, weights) <= radii[0, run]
