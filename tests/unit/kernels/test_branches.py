"""The best path of three hinges through grids of angles, against every path that there is."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from posewright.kernels.motion.branches import best_path
from posewright.matching.branches import _path


def product(axes, angles):
    turns = Rotation.from_rotvec(np.asarray(angles)[:, None] * axes).as_matrix()
    return turns[0] @ turns[1] @ turns[2]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("held", [False, True])
def test_no_path_through_the_grids_costs_less(seed, held):
    rng = np.random.default_rng(seed)
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    counts, steps, effort = np.array([3, 2, 2]), 4, 2.0
    grids = np.sort(rng.uniform(-2.0, 2.0, (steps, 3, 3)), axis=-1)
    wanted = Rotation.random(steps, random_state=seed).as_matrix() @ np.diag([1.0, 0.4, 0.2])
    slack = rng.uniform(0.0, 0.5, steps)
    ends = np.full((2, 3), np.nan)
    if held:
        ends[1] = grids[-1, [0, 1, 2], [2, 0, 1]]
    path = np.empty((steps, 3))
    best_path(axes, wanted, grids, counts, ends, slack, effort, 3, path)

    def cost(angles):
        lack = -sum(np.trace(product(axes, a).T @ m) for a, m in zip(angles, wanted, strict=True))
        faster = np.maximum(0.0, np.abs(np.diff(angles, axis=0)) - slack[1:, None])
        return lack + effort * np.sum(faster**2) + (100.0 * np.sum((angles[-1] - ends[1]) ** 2) if held else 0.0)

    cells = list(itertools.product(*(range(n) for n in counts)))
    least = min(
        cost(np.array([grids[t, [0, 1, 2], cell] for t, cell in enumerate(cells_of_steps)]))
        for cells_of_steps in itertools.product(cells, repeat=steps)
    )
    assert cost(path) == pytest.approx(least, abs=1e-9)
    assert not held or path[-1] == pytest.approx(ends[1])


@pytest.mark.parametrize("speed", [2.0, 5.0, 8.0])
def test_what_turns_fast_is_followed_as_fast(speed):
    """Three hinges that are wanted to turn at some rad/s: moving as fast as that costs nothing."""
    times = np.arange(60) / 60.0
    angles = np.clip(speed * (times - 0.3), 0.0, 2.0)
    wanted = Rotation.from_rotvec(angles[:, None] * [1.0, 0.0, 0.0]).as_matrix()
    turns, free = np.diff(angles, prepend=0.0), np.full((2, 3), np.nan)
    path = _path(np.eye(3), np.array([[-2.5, 2.5]] * 3), wanted, turns, free, 60.0)
    away = [np.linalg.norm(product(np.eye(3), a) - turn) for a, turn in zip(path, wanted, strict=True)]
    assert max(away) < 0.05
