"""The retargeting tasks of the benchmarks: clips to follow on another body, and their scoring, in numpy alone.

t2: 1000 frames of a person with longer legs, shorter arms and a longer spine, as targets of the tips and angles to stay
near. t2h: a wider motion that rides on the joint limits, with targets 6 % out of reach. drag: a hand is led around a
circle that leaves its reach, while the other tips are held. The objective of a frame is the sum of squares of distances
(m), 0.2 times angles of oriented tips and 0.01 times differences of joint angles (rad).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import tasks
from tasks import Array, Body

TURN_WEIGHT, POSTURE_WEIGHT = 0.2, 0.01
"""Of residuals (m per rad), not of squares."""
ARM, DRAGGED_HEIGHT = 0.67, 1.75
"""m, of the body of drags"""
SETTLED = 10
"""The first frames still carry the start-up and are left out of the settled figures."""


@dataclass(frozen=True, eq=False)
class ClipTask:
    """A clip to follow."""

    name: str
    body: Body
    points: Array
    """(frames, tips, 3)"""
    rotations: Array
    """(frames, tips, 3, 3); only those of oriented tips are wanted"""
    angles: Array
    """(frames, angles) to stay near"""
    start: Array
    """The state before the first frame."""

    def __len__(self) -> int:
        return len(self.angles)


@dataclass(frozen=True)
class ClipScore:
    """How good an answer is."""

    objective: float
    """Mean of settled frames."""
    millimetres: float
    """Mean distance of tips, settled frames."""
    violation: float
    """rad beyond a limit, all frames"""
    jitter: float
    """rad: mean third difference of angles"""


def score(task: ClipTask, states: Array) -> ClipScore:
    """Judge states (frames, state) by the kinematics of `tasks`."""
    points, _ = task.body.tip_frames(states)
    distance = np.linalg.norm(points - task.points, axis=-1)
    angles, objective = states[:, task.body.n_root :], objectives(task, states)
    lower, upper = task.body.limits
    beyond = float(np.maximum(lower - angles, angles - upper).max())
    jitter = float(np.abs(np.diff(angles, 3, axis=0)).mean())
    return ClipScore(
        float(objective[SETTLED:].mean()), 1e3 * float(distance[SETTLED:].mean()), max(0.0, beyond), jitter
    )


def objectives(task: ClipTask, states: Array) -> Array:
    """(frames,)"""
    points, rotations = task.body.tip_frames(states)
    angle = tasks.angles_between(rotations, task.rotations)[:, task.body.oriented]
    found: Array = ((points - task.points) ** 2).sum(axis=(1, 2)) + TURN_WEIGHT**2 * (angle**2).sum(axis=1)
    return found + POSTURE_WEIGHT**2 * ((states[:, task.body.n_root :] - task.angles) ** 2).sum(axis=1)


def make_clip(name: str, *, hard: bool = False, seed: int = 3, n: int = 1000, fps: float = 60.0) -> ClipTask:
    """Sums of sines within the limits, by a person with other lengths, scaled to the height of the body's root."""
    body, source = tasks.human(), tasks.human(leg=1.08, arm=0.90, spine=1.05)
    rng = np.random.default_rng(seed)
    t = np.arange(n) / fps
    lower, upper = source.limits
    angles = np.tile(body.rest[body.n_root :], (n, 1))
    for i in range(angles.shape[1]):
        amplitude = (0.6 if hard else 0.25) * min(upper[i] - lower[i], 2.0)
        for rate in rng.uniform(0.15, 0.9, 3):
            angles[:, i] += amplitude / 2.2 * rng.uniform(0.3, 1) * np.sin(2 * np.pi * (rate * t + rng.uniform()))
    middle, half = (lower + upper) / 2, 0.97 * (upper - lower) / 2
    angles = middle + half * np.tanh((angles - middle) / half)
    turn = 0.25 * np.stack([np.sin(2 * np.pi * (rate * t + rng.uniform())) for rate in (0.21, 0.33, 0.47)], 1)
    sway, bob = 0.1 * np.sin(2 * np.pi * 0.3 * t), 0.05 * np.sin(2 * np.pi * 0.8 * t)
    place = np.stack([0.4 * t, sway, source.root_height - 0.08 + bob], 1)
    states = np.concatenate([place, tasks.quaternions_of_vectors(turn), angles], axis=1)
    points, rotations = source.tip_frames(states)
    scale = body.root_height / source.root_height * (1.06 if hard else 1.0)
    start = np.concatenate([scale * place[0], states[0, 3:]])
    return ClipTask(name, body, scale * points, rotations, angles, start)


def make_drag(still: int = 60, steps: int = 60, rounds: int = 2) -> ClipTask:
    """The right hand waits, then goes round in steps of 1.5 % of the height; where it waits is as far as it reaches."""
    body = tasks.human()
    points, rotations = (np.repeat(found, still + rounds * steps, axis=0) for found in body.tip_frames(body.rest[None]))
    turn = 2.0 * np.pi * np.maximum(0, np.arange(len(points)) - still + 1) / steps
    radius = 0.015 * DRAGGED_HEIGHT * steps / (2.0 * np.pi)
    hand = next(k for k, tip in enumerate(body.tips) if tip.name == "r_hand")
    shoulder = np.array([0.0, -0.18, body.root_height + 0.49])
    ahead = np.stack([np.sin(turn), np.zeros_like(turn), np.cos(turn) - 1.0], axis=1)
    points[:, hand] = shoulder + np.array([ARM, 0.0, 0.0]) + radius * ahead
    angles = np.tile(body.rest[body.n_root :], (len(points), 1))
    return ClipTask("drag", body, points, rotations, angles, body.rest)


CLIPS: dict[str, Callable[[], ClipTask]] = {
    "t2": lambda: make_clip("t2"),
    "t2h": lambda: make_clip("t2h", hard=True),
}
DRAGS: dict[str, Callable[[], ClipTask]] = {"drag": make_drag}


def clip_damping(clip: ClipTask) -> float:
    """What peers damp their steps with, by a small grid: out of reach they overshoot without."""
    return 1e-8 if clip.name == "t2" else 1e-2


def held_out(hard: bool, seed: int) -> ClipTask:
    """The same kind of clip with other sines: no setting was chosen on it."""
    return make_clip("t2h" if hard else "t2", hard=hard, seed=seed)
