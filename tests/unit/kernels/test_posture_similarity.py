"""The greedy pass: bounds that never exceed the distance, and the distance itself."""

import numpy as np
import pytest

from posewright.kernels.postures.similarity import (
    PIVOTS,
    RUN,
    WIDTH,
    admit,
    choose_pivots,
    member_bounds,
    near_runs,
    pair_distance,
    pivot_chords,
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
    members, light, bounds = members_of(poses), weights.astype(np.float32), np.empty(RUN, np.float32)
    for f in range(8):
        exact = np.array([pair_distance(poses, f, members, m, weights, 9.0) for m in range(WIDTH)])
        for run in range(WIDTH // RUN):
            assert member_bounds(poses, f, members, run, light, 9.0, bounds)
            assert (bounds <= exact[run * RUN : (run + 1) * RUN] + 1e-3).all()
        assert not member_bounds(poses, f, members, WIDTH // RUN, light, 0.01, bounds)  # nobody is there


class Filled:
    """Members of a database under construction, with pivots or without."""

    def __init__(self, poses: np.ndarray, weights: np.ndarray, threshold: float, *, pivots_after: int) -> None:
        n_blocks = len(poses) // (RUN * WIDTH) + 1
        self.members = np.zeros((n_blocks * RUN, poses.shape[1], 4, WIDTH), dtype=np.float32)
        self.spans = np.zeros((2, n_blocks, PIVOTS, WIDTH), dtype=np.float32)
        self.pivots = np.zeros((poses.shape[1], 4, 0), dtype=np.float32)
        self.weights, self.n, self.hint, self.found = weights, 0, 0, []
        for first, last in ((0, pivots_after), (pivots_after, len(poses))):
            self.admit(poses[first:last].copy(), threshold, first)
            if self.n and not self.pivots.shape[2]:
                self.pivots = np.zeros((poses.shape[1], 4, PIVOTS), dtype=np.float32)
                choose_pivots(self.members, self.n, weights, self.pivots, self.spans)

    def admit(self, poses: np.ndarray, threshold: float, first: int = 0) -> None:
        admitted, before = np.empty(len(poses), dtype=np.int64), self.n
        state = self.members, before, self.hint, self.pivots, self.spans
        self.n, self.hint = admit(poses, *state, self.weights, threshold, admitted)
        self.found += (first + admitted[: self.n - before]).tolist()


@pytest.mark.parametrize("pivots_after", [0, 4, 20, WIDTH])
def test_poses_are_admitted_in_order_and_copies_are_not(poses, weights, pivots_after):
    filled = Filled(poses, weights, 0.01, pivots_after=pivots_after)
    assert filled.found == [m for m in range(WIDTH) if m not in (3, 5)]
    before = filled.n
    filled.admit(poses, 0.01)
    assert filled.n == before


def wandering(n: int, seed: int) -> np.ndarray:
    """Poses (n, 7, 4) of which neighbours are alike, and that come back now and then."""
    rng = np.random.default_rng(seed)
    turns = np.cumsum(0.05 * rng.normal(size=(n, 7, 4)), axis=0) + rng.normal(size=(1, 7, 4))
    turns[n // 2 :] = turns[: n - n // 2] + 0.02 * rng.normal(size=(n - n // 2, 7, 4))
    return (turns / np.linalg.norm(turns, axis=2, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("threshold", [0.02, 0.1, 0.4])
def test_pivots_change_nothing_but_the_time(weights, threshold):
    poses = wandering(700, 3)
    plain = Filled(poses, weights, threshold, pivots_after=len(poses))
    assert Filled(poses, weights, threshold, pivots_after=50).found == plain.found
    assert 2 < plain.n < len(poses)


def test_nobody_near_is_ruled_out_by_pivots(weights):
    poses, light = wandering(300, 4), weights.astype(np.float32)
    filled = Filled(poses, weights, -1.0, pivots_after=40)  # below zero lets all in
    assert filled.n == len(poses)
    chords, near = np.empty(PIVOTS, np.float32), np.empty(WIDTH, np.int32)
    for f in (0, 17, 151, 299):
        pivot_chords(poses, f, filled.pivots, light, chords)
        exact = np.array([pair_distance(poses, f, filled.members, m, weights, 9.0) for m in range(len(poses))])
        limit = float(np.quantile(exact, 0.05))
        runs_near = [
            near_runs(chords, filled.spans, m // (RUN * WIDTH), limit + 2e-3, near) and near[m // RUN % WIDTH]
            for m in np.flatnonzero(exact <= limit)
        ]
        assert all(runs_near)
        kept = 0
        for block in range(-(-len(poses) // (RUN * WIDTH))):
            if near_runs(chords, filled.spans, block, limit + 2e-3, near):
                kept += int(near[: len(poses) // RUN - block * WIDTH].sum())
        assert kept < len(poses) // RUN  # and some are
