"""Families of clips for edits inside a learned pattern, beyond the golf swing of the paper: the table of 4-A."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

import posewright as pw
from posewright.clips import jump, kick, reach, sit, throw, walk
from posewright.clips.clip import Clip
from posewright.experiments.clip_sets import person

CLIPS = 16
_FPS = 30.0
_APART = 1000  # between the clips of one seed and the next


@dataclass(frozen=True)
class Family:
    """Clips of one kind that differ in what an animator would choose, and the site whose key is moved."""

    name: str
    site: str
    moment: float
    """Of the key, share of the clip."""
    make: Callable[[np.random.Generator, int], Clip]

    def clips(self, seed: int, count: int) -> list[pw.Motion]:
        """So many."""
        rng = np.random.default_rng(seed)
        return [self.make(rng, 1000 * seed + k) for k in range(count)]


@cache
def families() -> tuple[Family, ...]:
    """Throw, kick, walk, sit, jump and reach."""
    figure = person()

    def between(rng: np.random.Generator, low: float, high: float) -> float:
        return float(rng.uniform(low, high))

    return (
        Family("throw", "right_hand", 0.5, lambda r, s: throw(figure, power=between(r, 0.7, 1.0), seed=s, fps=_FPS)),
        Family("kick", "right_toe_tip", 0.5, lambda r, s: kick(figure, power=between(r, 0.7, 1.1), seed=s, fps=_FPS)),
        Family("walk", "right_hand", 0.5, lambda r, s: walk(figure, speed=between(r, 1.0, 1.5), seed=s, fps=_FPS)),
        Family("sit", "pelvis", 0.5, lambda r, s: sit(figure, seat_height=between(r, 0.42, 0.55), seed=s, fps=_FPS)),
        Family(
            "jump", "pelvis", 0.5,
            lambda r, s: jump(figure, length=between(r, 0.5, 1.1), height=between(r, 0.15, 0.25), seed=s, fps=_FPS),
        ),
        Family(
            "reach", "left_hand", 1.0,
            lambda r, s: reach(figure, r.uniform((0.1, 0.8, 0.35), (0.5, 1.4, 0.6)), side="left", seed=s, fps=_FPS),
        ),
    )  # fmt: skip


@cache
def learned_from(family: Family, seed: int) -> tuple[pw.Motion, ...]:
    """The clips that a model learns from."""
    return tuple(family.clips(_APART * seed + 1, CLIPS))


@cache
def source_and_truth(family: Family, pair: int, seed: int) -> tuple[pw.Motion, pw.Motion]:
    """A clip to edit and the one that the edit should arrive at, neither of them seen, of the model's length."""
    frames = int(np.median([len(clip) for clip in learned_from(family, seed)]))
    first, second = family.clips(_APART * seed + 2 + pair, 2)
    return first.resampled(frames=frames), second.resampled(frames=frames)
