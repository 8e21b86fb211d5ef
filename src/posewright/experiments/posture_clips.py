"""Clips for the experiments with posture databases: many activities, generated, so that no recordings are needed."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from posewright.clips import golf_swing, jump, kick, reach, run, sit, throw, walk
from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.catalogue import human40
from posewright.models.postures.database import Postures
from posewright.models.postures.distance import normalised
from posewright.motions.motion import Motion

REACHES = 3
"""Per seed: there is more to vary in a reach than in a walk."""


@lru_cache(maxsize=1)
def person() -> Figure:
    """The figure of 40 dofs whose postures are collected."""
    return human40()


def activities(seed: int, *, fps: float = 30.0) -> list[Motion]:
    """Walk, run, kick, sit, throw, swing, jump and some reaches, each a little different for every seed."""
    figure, rng = person(), np.random.default_rng(seed)
    side = "left" if seed % 2 else "right"
    clips: list[Motion] = [
        walk(figure, speed=float(rng.uniform(0.8, 1.7)), seed=seed, fps=fps),
        run(figure, speed=float(rng.uniform(2.6, 4.2)), seed=seed, fps=fps),
        kick(figure, power=float(rng.uniform(0.6, 1.2)), side=side, seed=seed, fps=fps),
        sit(figure, seat_height=float(rng.uniform(0.40, 0.60)), seed=seed, fps=fps),
        throw(figure, power=float(rng.uniform(0.6, 1.1)), side=side, seed=seed, fps=fps),
        replace(golf_swing(figure, style=float(rng.uniform(-0.5, 0.5)), seed=seed, fps=fps), figure=figure),  # no club
        jump(figure, style=float(rng.uniform(-1.0, 1.0)), seed=seed, fps=fps),
    ]
    for k in range(REACHES):
        target = rng.uniform((-0.55, 0.3, 0.2), (0.55, 1.9, 0.75))
        clips.append(reach(figure, target, seed=seed * REACHES + k, fps=fps))
    return [replace(clip, name=f"{name} {seed}") for clip, name in zip(clips, _NAMES, strict=True)]


_NAMES = ("walk", "run", "kick", "sit", "throw", "swing", "jump", *(f"reach {k + 1}" for k in range(REACHES)))


@lru_cache(maxsize=2)
def people(seeds: int = 6, threshold: float = 0.04) -> Postures:
    """The postures of some seeds' activities and of their mirror images."""
    motions = (motion for seed in range(seeds) for clip in activities(seed) for motion in (clip, _mirror_image(clip)))
    return Postures.build(motions, threshold=threshold, figure=person())


def _mirror_image(clip: Motion) -> Motion:
    return replace(clip.mirrored(), name=f"{clip.name} mirrored")


@lru_cache(maxsize=1)
def left_out(seeds: int = 2) -> Array:
    """(poses, dofs) at the floor's origin, of people and ways that no database has seen."""
    own = person()
    q = [clip.q for seed in range(1000, 1000 + seeds) for clip in activities(seed)]
    found: Array = normalised(own, np.concatenate(q))
    return found
