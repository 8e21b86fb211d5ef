"""The clips that the experiments on motion patterns learn from: swings, reaches and jumps, made from seeds."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from posewright.clips import golf_swing, jump, reach
from posewright.clips.clip import Clip
from posewright.figures import Figure
from posewright.figures.catalogue import human40

IMPACT = 94
"""Frame of a swing's impact."""
STEEP = math.radians(7.0)


@lru_cache(maxsize=1)
def player() -> Figure:
    """Who moves in all of them."""
    return human40()


@lru_cache(maxsize=1)
def swings() -> tuple[Clip, ...]:
    """16 swings drawn from 10 slopes (0.5 to 5 degrees) by 2 styles."""
    slopes = np.radians(np.arange(0.5, 5.01, 0.5))
    pairs = [(float(slope), style) for style in (-0.5, 0.5) for slope in slopes]
    drawn = np.random.default_rng(4).permutation(len(pairs))[:16]
    return tuple(golf_swing(player(), slope=pairs[k][0], style=pairs[k][1], seed=100 + int(k)) for k in drawn)


@lru_cache(maxsize=2)
def swing(slope: float) -> Clip:
    """A swing that no model has seen, on any slope (rad)."""
    return golf_swing(player(), slope=slope, seed=7)


@lru_cache(maxsize=1)
def reaches() -> tuple[Clip, ...]:
    """16 reaches of the left hand to points before and beside the body, 50 frames each."""
    rng = np.random.default_rng(5)
    points = rng.uniform((0.05, 0.7, 0.35), (0.55, 1.5, 0.65), size=(16, 3))
    return tuple(reach_to(tuple(point.tolist()), seed=k) for k, point in enumerate(points))


def reach_to(point: tuple[float, ...], *, seed: int = 50) -> Clip:
    """One of them."""
    return reach(player(), point, side="left", duration=49.0 / 30.0, seed=seed, fps=30.0)


JUMPS = 89
"""As many as the paper has."""


@lru_cache(maxsize=2)
def jumps(count: int = JUMPS) -> tuple[Clip, ...]:
    """Jumps in six styles, 0.4, 0.8 and 1.2 m long: all, or so many spread over them."""
    rng = np.random.default_rng(6)
    heights = 0.14 + 0.03 * np.arange(5)
    ways = [(length, style, float(height)) for style in np.linspace(-1, 1, 6) for length in (0.4, 0.8, 1.2)
            for height in heights]  # fmt: skip
    seeds = rng.integers(10**6, size=JUMPS)
    return tuple(
        jump(player(), length=ways[k][0], style=float(ways[k][1]), height=ways[k][2], seed=int(seeds[k]), fps=20.0)
        for k in np.linspace(0, JUMPS - 1, count).astype(int)
    )


@lru_cache(maxsize=1)
def a_jump() -> Clip:
    """A jump of 0.8 m that no model has seen."""
    return jump(player(), length=0.8, height=0.2, style=0.1, seed=77, fps=20.0)
