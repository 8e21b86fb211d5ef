"""Below all goals, edits in a pattern stay near the source; where coordinates jump, frames are solved again nearer."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from posewright import MotionProblem, edit
from posewright.figures.kinematics import site_frames
from posewright.goals import Position
from posewright.goals.timed import Timed
from posewright.motions import Motion
from posewright.motions.splines import KochanekBartels
from posewright.solvers.motion import shared
from posewright.solvers.motion.strict import FrameProblems
from posewright.workflows.editing.in_model import PATTERN_SOLVER

APEX = 14
FREE = replace(PATTERN_SOLVER, attraction=0.0)
SETTLED = replace(PATTERN_SOLVER, settle=True)


def path_of(motion: Motion, site: str, frames: np.ndarray) -> np.ndarray:
    return np.asarray(site_frames(motion.figure, motion.q[frames], [site]).points[:, 0])


def away(motion: Motion, by: tuple[float, float, float]) -> Timed:
    here = path_of(motion, "left_hand", np.array([APEX]))[0]
    return Position("left_hand", tuple(here + by), tolerance=1e-6).at(APEX)


def change(model, source: Motion, key: Timed, solver) -> np.ndarray:
    result = solver.solve(MotionProblem(model, [key], source))
    assert result.reached
    return np.asarray(result.x - model.encode(source).x)


def not_asked_for(model, source: Motion, changed: np.ndarray) -> float:
    """Standard deviations: the part of a change that does not move the hand at the key."""
    latent = model.encode(source)
    space = model.space([latent.phases[APEX]], detail=latent.detail[[APEX]])
    h, n = 1e-5, len(changed)
    tried = latent.x + changed + h * np.concatenate([np.eye(n), -np.eye(n)])
    points = site_frames(space.figure, space.decode(tried), ["left_hand"]).points[:, 0]
    J = (points[:n] - points[n:]).T / (2.0 * h)
    return float(np.linalg.norm(changed - np.linalg.pinv(J) @ (J @ changed)))


def test_an_edit_that_settles_is_the_one_nearest_to_its_source(jumps, model):
    source, key = jumps[5], away(jumps[5], (0.05, 0.05, -0.04))
    free, settled = (change(model, source, key, solver) for solver in (FREE, SETTLED))
    left = [not_asked_for(model, source, one) for one in (free, settled)]
    assert left[1] < 0.01 * np.linalg.norm(settled), "nothing is left to pull back"
    assert left[1] < 0.5 * left[0]


def test_the_pull_makes_edits_smaller_and_never_costs_the_goal(jumps, model):
    source, key = jumps[5], away(jumps[5], (0.05, 0.05, -0.04))
    free, usual, settled = (np.linalg.norm(change(model, source, key, one)) for one in (FREE, PATTERN_SOLVER, SETTLED))
    assert settled <= usual + 1e-6 <= free + 2e-6
    assert settled < free


@pytest.fixture
def calls(monkeypatch) -> list[tuple[float, FrameProblems, np.ndarray]]:
    """What frames were solved with: the pull, the problems, the answers."""
    made: list[tuple[float, FrameProblems, np.ndarray]] = []
    solve = shared.solve_over_frames

    def recorded(solver, lowered, frames):
        answers = solve(solver, lowered, frames)
        made.append((solver.attraction, frames, answers.x.copy()))
        return answers

    monkeypatch.setattr(shared, "solve_over_frames", recorded)
    return made


def sudden(source: Motion) -> Timed:
    """A hand higher by 5 cm from one frame to the next."""
    frames = np.arange(4, 26)
    path = KochanekBartels(frames, path_of(source, "left_hand", frames) + np.array([0.0, 0.05, 0.0]))
    return Position("left_hand", (0.0, 0.0, 0.0)).along(path, start=4, end=25, ease=0)


def test_from_a_jump_on_frames_follow_each_other_with_a_pull_twice_and_four_times_as_hard(jumps, model, calls):
    source = jumps[5]
    result = edit(source, [sudden(source)], space=model)
    assert any("jump by" in warning for warning in result.warnings)
    pulls = [pull for pull, _, _ in calls]
    assert pulls == pytest.approx([0.1, 0.2, 0.4])
    _, first, _ = calls[0]
    assert not first.follows.any()
    for _, frames, _ in calls[1:]:
        assert frames.follows.all()
        assert len(frames.starts) <= len(first.starts)
        np.testing.assert_array_equal(frames.home, model.encode(source).x)
        np.testing.assert_array_equal(frames.starts[0], model.encode(source).x)


def test_an_edit_without_jumps_is_solved_once(jumps, model, calls):
    source = jumps[5]
    frames = np.arange(8, 17)
    path = KochanekBartels(frames, path_of(source, "pelvis", frames) + np.linspace(0, 1, 9)[:, None] * (0, 0.02, 0.01))
    edit(source, [Position("pelvis", (0.0, 0.0, 0.0)).along(path, start=8, end=16, ease=4)], space=model)
    assert [pull for pull, _, _ in calls] == [0.1]


def test_solving_again_is_kept_only_if_it_jumps_less_and_misses_no_more(jumps, model, calls):
    source = jumps[5]
    result = edit(source, [sudden(source)], space=model)
    once = np.tile(model.encode(source).x, (len(source), 1))
    once[4:26] = calls[0][2]
    steps = [np.linalg.norm(np.diff(x, axis=0), axis=1).max() for x in (result.latent.x, once)]
    assert steps[0] <= steps[1] * (1.0 + 1e-12)
