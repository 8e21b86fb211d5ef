"""Motions that leap, solved again near a smoother one.

Where a limb comes to the end of its reach, the posture that is followed may cease to be the best one nearby. Frame by
frame the next one is then gone to at once, whatever frames weigh against each other. So stretches around such leaps are
smoothed, and the motion is solved once more with that as its example, close to it: tracks are still met where they can
be, and what they leave open changes gradually.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from posewright.conventions import Array, BoolArray
from posewright.figures.kinematics import joint_frames
from posewright.motions.motion import Motion
from posewright.motions.smoothing import gaussian
from posewright.motions.splines import ease
from posewright.problem.imitation import Imitation
from posewright.problem.motion_lowering import LoweredMotion
from posewright.problem.motion_problem import MotionProblem
from posewright.problem.motion_result import MotionResult

_ROUNDS = 3
_SOFTLY = 0.05
"""s: width over which postures around a leap are blended in the first round."""
_AROUND = 4.5
"""The motion is changed so many times as far on either side of a leap; entirely in the nearer third."""
_CLOSE = 1e-2
"""Weight of the smooth motion as an example, relative to tracks of weight 1."""
_UNHURRIED = 2.0 * np.pi
"""rad/s: slower joints do not leap, however still the example is."""
_AT_ONCE = 4096
"""Frames whose joints are examined at a time."""


def without_leaps(
    problem: MotionProblem, found: MotionResult, solve: Callable[[MotionProblem], MotionResult]
) -> MotionResult:
    """The result, improved by a few more rounds if joints turn much faster than in the example."""
    imitation, lowered = problem.imitation, found.lowered
    if imitation.leap is None or imitation.exact or not imitation.tracks or problem.velocity_limits or problem.cuts:
        return found
    assert isinstance(lowered, LoweredMotion)
    most = max(imitation.leap * float(_turns(problem.near).max(initial=0.0)), _UNHURRIED / problem.near.fps)
    close = Imitation(
        tracks=imitation.tracks, example=_CLOSE * imitation.tracks, weights=imitation.weights,
        track_velocity=imitation.track_velocity, track_acceleration=imitation.track_acceleration,
    )  # fmt: skip
    made, iterations = found, found.iterations_by_solve
    for k in range(_ROUNDS):
        leaping = _turns(made.motion) > most
        if not leaping.any():
            break
        near = _blended(made.motion.q - lowered.references, leaping, (k + 1) * _SOFTLY * problem.near.fps)
        example = problem.near.with_q(lowered.references + near)
        made = solve(problem.with_near(example).with_imitation(close))
        iterations = iterations + made.iterations_by_solve
    if made is found:
        return found
    frame = problem.near.first_frame + int(_turns(found.motion).argmax())
    said = f"joints leapt after frame {frame}, so the clip was solved again near a smoother motion"
    return replace(
        found,
        motion=made.motion,
        iterations_by_solve=iterations,
        stop_codes=made.stop_codes,
        solver_warnings=(*found.solver_warnings, said),
    )


def _blended(away: Array, leaping: BoolArray, sigma: float) -> Array:
    """Displacements (frames, dofs), smooth around frames after which something leaps (frames - 1,)."""
    frames, share = np.arange(len(away), dtype=np.float64), np.zeros(len(away))
    for frame in np.flatnonzero(leaping).tolist():
        share = np.maximum(share, ease(1.5 * (1.0 - np.abs(frames - frame - 0.5) / (_AROUND * sigma + 1.0))))
    return away + share[:, None] * (gaussian(away, max(sigma, 1.0)) - away)


def _turns(motion: Motion) -> Array:
    """(frames - 1,), rad: how far the joint that turns most turns from each frame to the next; fingers are left out."""
    joints = list(motion.figure.anatomy.captured)
    found = np.zeros(max(len(motion) - 1, 0))
    for first in range(0, len(found), _AT_ONCE):
        turns = joint_frames(motion.figure, motion.q[first : first + _AT_ONCE + 1]).rotations[:, joints]
        trace = np.einsum("fjab,fjab->fj", turns[1:], turns[:-1])
        cosine = np.clip(0.5 * (trace - 1.0), -1.0, 1.0).min(axis=1, initial=1.0)
        found[first : first + len(cosine)] = np.arccos(cosine)
    return found
