"""The tasks that benchmarks time are those that figures of other libraries were published for."""

import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def posing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import posing

    yield posing
    for name in ("posing", "tasks", "figures", "first_solve", "violations", "peers", "peers.environments"):
        sys.modules.pop(name, None)


def test_tasks_equal_the_reference(posing, data_folder: Path) -> None:
    file = data_folder.parent / "bench" / "common.py"
    if not file.is_file():
        pytest.skip("no reference tasks here")
    assert posing.difference_from(file) < 1e-12


def test_a_state_survives_the_change_of_axes_and_our_figure_has_the_same_tips(posing) -> None:
    from posewright.figure.kinematics import site_frames

    for name in ("t1m", "chain", "arm"):
        task = posing.tasks.TASKS[name]().first(5)
        q = posing.q_of(task.body, task.truth)
        np.testing.assert_allclose(posing.states_of(task.body, q), task.truth, atol=1e-14)
        figure = posing.problem_of(task.body).figure
        frames = site_frames(figure, q, figure.site_names)
        targets = posing.targets_of(task)
        points = targets[:, [k for k in range(targets.shape[1]) if targets[0, k, 3:].any() == 0]]
        np.testing.assert_allclose(frames.points, points[..., :3], atol=1e-12)
