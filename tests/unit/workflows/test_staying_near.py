"""Below all goals, edits in a pattern stay near the source, and jumps of their coordinates are reported."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from posewright import MotionProblem, edit
from posewright.figures.kinematics import site_frames
from posewright.goals import Position
from posewright.goals.timed import Timed
from posewright.motions import Motion
from posewright.motions.splines import KochanekBartels
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


def sudden(source: Motion) -> Timed:
    """A hand higher by 5 cm from one frame to the next."""
    frames = np.arange(4, 26)
    path = KochanekBartels(frames, path_of(source, "left_hand", frames) + np.array([0.0, 0.05, 0.0]))
    return Position("left_hand", (0.0, 0.0, 0.0)).along(path, start=4, end=25, ease=0)


def test_a_path_that_begins_abruptly_is_followed_and_its_jump_reported(jumps, model):
    source, path = jumps[5], sudden(jumps[5])
    result = edit(source, [path], space=model)
    assert any("jump by" in warning for warning in result.warnings)
    frames = np.arange(4, 26)
    wanted = path_of(source, "left_hand", frames) + np.array([0.0, 0.05, 0.0])
    apart = np.linalg.norm(path_of(result.motion, "left_hand", frames) - wanted, axis=1)
    assert apart.max() < 1e-3


def test_a_path_with_ease_does_not_jump(jumps, model):
    source = jumps[5]
    frames = np.arange(8, 17)
    path = KochanekBartels(frames, path_of(source, "pelvis", frames) + np.linspace(0, 1, 9)[:, None] * (0, 0.02, 0.01))
    result = edit(source, [Position("pelvis", (0.0, 0.0, 0.0)).along(path, start=8, end=16, ease=4)], space=model)
    assert not any("jump by" in warning for warning in result.warnings)
