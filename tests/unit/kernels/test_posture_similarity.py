"""The greedy pass: bounds that never exceed the distance, and the distance itself."""

import numpy as np
import pytest

from posewright.kernels.posture_similarity import WIDTH, admit, chord_bounds, pair_distance, put


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
    members = members_of(poses)
    bounds = np.empty(WIDTH, np.float32)
    for f in range(8):
        assert chord_bounds(poses, f, members, 0, weights.astype(np.float32), 9.0, bounds)
        exact = [pair_distance(poses, f, members, m, weights, 9.0) for m in range(WIDTH)]
        assert (bounds <= np.array(exact) + 1e-3).all()
        assert not chord_bounds(poses, f, members, 1, weights.astype(np.float32), 0.01, bounds)  # nobody is there


def test_poses_are_admitted_in_order_and_copies_are_not(poses, weights):
    members = np.zeros((3, 7, 4, WIDTH), dtype=np.float32)
    admitted = np.empty(len(poses), dtype=np.int64)
    n, hint = admit(poses, members, 0, 0, weights, 0.01, admitted)
    assert sorted(set(range(WIDTH)) - set(admitted[:n].tolist())) == [3, 5]
    again, _ = admit(poses, members, n, hint, weights, 0.01, admitted)
    assert again == n
