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
    for name in ("posing", "tasks", "clips", "figures", "first_solve", "violations", "peers", "peers.environments"):
        sys.modules.pop(name, None)


def test_tasks_equal_the_reference(posing, data_folder: Path) -> None:
    file = data_folder.parent / "bench" / "common.py"
    if not file.is_file():
        pytest.skip("no reference tasks here")
    assert posing.difference_from(file) < 1e-12


def test_a_state_survives_the_change_of_axes_and_our_figure_has_the_same_tips(posing) -> None:
    from posewright.figures.kinematics import site_frames

    for name in ("t1m", "chain", "arm"):
        task = posing.tasks.TASKS[name]().first(5)
        q = posing.q_of(task.body, task.truth)
        np.testing.assert_allclose(posing.states_of(task.body, q), task.truth, atol=1e-14)
        figure = posing.problem_of(task.body).figure
        frames = site_frames(figure, q, figure.site_names)
        targets = posing.targets_of(task)
        points = targets[:, [k for k in range(targets.shape[1]) if targets[0, k, 3:].any() == 0]]
        np.testing.assert_allclose(frames.points, points[..., :3], atol=1e-12)


def test_clips_equal_the_reference_and_are_scored_alike(posing, data_folder: Path) -> None:
    import clips

    file = data_folder.parent / "bench" / "common.py"
    if not file.is_file():
        pytest.skip("no reference tasks here")
    reference = posing.module_in(file)
    for name, make in clips.CLIPS.items():
        mine, theirs = make(), reference.Track(hard=name == "t2h")
        pairs = (
            (mine.points, theirs.pos),
            (mine.rotations, theirs.rot),
            (mine.angles, theirs.ref),
            (mine.start, theirs.start),
        )
        for ours, wanted in pairs:
            np.testing.assert_allclose(ours, wanted, atol=1e-12)
        states = np.tile(mine.start, (len(mine), 1))
        objective, distance, _ = reference.objective(theirs, states)
        score = clips.score(mine, states)
        assert score.objective == pytest.approx(objective[clips.SETTLED :].mean(), rel=1e-9)
        assert score.millimetres == pytest.approx(1e3 * distance[clips.SETTLED :].mean(), rel=1e-9)


def test_the_kernel_of_clips_is_as_good_as_published(posing) -> None:
    """Objectives of the settings that the benchmark times, and not a limit broken."""
    import clips
    import figures

    import posewright as pw

    for name, tracking, objective in (
        ("t2", pw.solvers.Tracking(steps=1, damping=1e-4), 3.83e-5),
        ("t2h", pw.solvers.Tracking(steps=2, damping=2e-3), 5.5e-4),
        ("t2h", pw.solvers.Tracking(gain=1e-2), 4.45e-4),
    ):
        clip = clips.CLIPS[name]()
        result = pw.LeastSquares(tracking=tracking).solve(figures.motion_problem_of(clip))
        score = clips.score(clip, posing.states_of(clip.body, np.array(result.motion.q)))
        assert score.objective <= objective
        assert score.violation == 0.0
