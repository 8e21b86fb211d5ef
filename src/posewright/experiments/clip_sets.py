"""Sets of generated clips and postures that experiments and benchmarks learn from, all made from seeds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np

import posewright as pw
from posewright.clips import golf_swing, jump, kick, reach, run, sit, throw, walk
from posewright.clips.clip import Clip
from posewright.conventions import Array
from posewright.figures.catalogue import human40
from posewright.models.postures.database import PostureClip
from posewright.models.postures.distance import normalised

IMPACT = 94
"""Frame of a swing's impact."""
STEEP = math.radians(7.0)
JUMPS = 89
"""As many as the paper on motion patterns has."""
REACHES = 3
"""Per seed of `activities`: there is more to vary in a reach than in a walk."""
STRIDE = 25
"""Frames from one random pose of `wandering_postures` to the next."""
_APART = 1000  # between the clips of one seed and the next
_FAR = 1.0  # rad: how far these are from rest


@cache
def person() -> pw.Figure:
    """The figure of 40 dofs that moves in all of them."""
    return human40()


@cache
def swings(seed: int = 0) -> tuple[Clip, ...]:
    """16 swings drawn from 10 slopes (0.5 to 5 degrees) by 2 styles."""
    slopes = np.radians(np.arange(0.5, 5.01, 0.5))
    pairs = [(float(slope), style) for style in (-0.5, 0.5) for slope in slopes]
    drawn = np.random.default_rng(4 + _APART * seed).permutation(len(pairs))[:16]
    first = 100 + _APART * seed
    return tuple(golf_swing(person(), slope=pairs[k][0], style=pairs[k][1], seed=first + int(k)) for k in drawn)


@cache
def swing(slope: float, seed: int = 0) -> Clip:
    """A swing that no model has seen, on any slope (rad)."""
    return golf_swing(person(), slope=slope, seed=7 + _APART * seed)


@cache
def reaches(seed: int = 0) -> tuple[Clip, ...]:
    """16 reaches of the left hand to points before and beside the body, 50 frames each."""
    points = np.random.default_rng(5 + _APART * seed).uniform((0.05, 0.7, 0.35), (0.55, 1.5, 0.65), size=(16, 3))
    return tuple(reach_to(tuple(point.tolist()), seed=k + _APART * seed) for k, point in enumerate(points))


def reach_to(point: tuple[float, ...], *, seed: int = 50) -> Clip:
    """One like them."""
    return reach(person(), point, side="left", duration=49.0 / 30.0, seed=seed, fps=30.0)


@cache
def jumps(count: int = JUMPS, seed: int = 0) -> tuple[Clip, ...]:
    """Jumps in six styles, 0.4, 0.8 and 1.2 m long: all, or so many spread over them."""
    heights = 0.14 + 0.03 * np.arange(5)
    kinds = [(length, float(style), float(height)) for style in np.linspace(-1, 1, 6) for length in (0.4, 0.8, 1.2)
             for height in heights]  # fmt: skip
    seeds = np.random.default_rng(6 + _APART * seed).integers(10**6, size=JUMPS)
    return tuple(
        jump(person(), length=kinds[k][0], style=kinds[k][1], height=kinds[k][2], seed=int(seeds[k]), fps=20.0)
        for k in np.linspace(0, JUMPS - 1, count).astype(int)
    )


@cache
def a_jump(length: float = 0.8, height: float = 0.2, seed: int = 77) -> Clip:
    """A jump, by default of 0.8 m, that no model has seen."""
    return jump(person(), length=length, height=height, style=0.1, seed=seed, fps=20.0)


@cache
def activities(seed: int, *, fps: float = 30.0) -> tuple[pw.Motion, ...]:
    """Walk, run, kick, sit, throw, swing, jump and some reaches, each a little different for every seed."""
    figure, rng = person(), np.random.default_rng(seed)
    side = "left" if seed % 2 else "right"
    clips: dict[str, pw.Motion] = {
        "walk": walk(figure, speed=float(rng.uniform(0.8, 1.7)), seed=seed, fps=fps),
        "run": run(figure, speed=float(rng.uniform(2.6, 4.2)), seed=seed, fps=fps),
        "kick": kick(figure, power=float(rng.uniform(0.6, 1.2)), side=side, seed=seed, fps=fps),
        "sit": sit(figure, seat_height=float(rng.uniform(0.40, 0.60)), seed=seed, fps=fps),
        "throw": throw(figure, power=float(rng.uniform(0.6, 1.1)), side=side, seed=seed, fps=fps),
        "swing": golf_swing(figure, style=float(rng.uniform(-0.5, 0.5)), seed=seed, fps=fps),
        "jump": jump(figure, style=float(rng.uniform(-1.0, 1.0)), seed=seed, fps=fps),
    }
    clips["swing"] = replace(clips["swing"], figure=figure)  # without the club
    for k in range(REACHES):
        target = rng.uniform((-0.55, 0.3, 0.2), (0.55, 1.9, 0.75))
        clips[f"reach {k + 1}"] = reach(figure, target, seed=seed * REACHES + k, fps=fps)
    return tuple(replace(clip, name=f"{name} {seed}") for name, clip in clips.items())


ACTIVITIES = ("walk", "run", "kick", "sit", "throw", "swing", "jump", "reach")


@cache
def people(count: int = 6, threshold: float = 0.04, without: str = "nothing", seed: int = 0) -> pw.Postures:
    """The postures of so many persons' activities, but for one of ACTIVITIES, and of their mirror images."""
    persons = range(_APART * seed, _APART * seed + count)
    clips = [clip for one in persons for clip in activities(one) if not clip.name.startswith(without)]
    motions = (both for clip in clips for both in (clip, replace(clip.mirrored(), name=f"{clip.name} mirrored")))
    return pw.Postures.build(motions, threshold=threshold, figure=person())


@cache
def left_out(count: int = 2, only: str = "", seed: int = 0) -> Array:
    """(poses, dofs) at the floor's origin, of activities (or of one of ACTIVITIES) of persons that no database has."""
    first = _APART * seed + _APART // 2
    clips = [clip for one in range(first, first + count) for clip in activities(one)]
    q = [clip.q for clip in clips if clip.name.startswith(only)]
    found: Array = normalised(person(), np.concatenate(q))
    return found


def varied_clips(figure: pw.Figure, seed: int = 0) -> list[pw.Motion]:
    """One or two of every kind of generated clip."""
    targets = ((0.35, 1.4, 0.4), (0.5, 0.7, 0.3), (0.1, 1.0, 0.5))
    makers: tuple[Callable[..., pw.Motion], ...] = (walk, run, kick, sit, throw, jump, golf_swing)
    first = _APART * seed
    clips = [make(figure, seed=first + k, fps=30.0) for k in (1, 2) for make in makers]
    return clips + [reach(figure, target, side="left", seed=first + k, fps=30.0) for k, target in enumerate(targets)]


def wandering_postures(figure: pw.Figure, n: int, seed: int = 0) -> pw.Postures:
    """So many postures on the path from random pose to random pose, as the frames of a very varied clip would be."""
    rng = np.random.default_rng(seed)
    lower, upper = np.maximum(figure.lower, figure.rest - _FAR), np.minimum(figure.upper, figure.rest + _FAR)
    keys = rng.uniform(lower, upper, (n // STRIDE + 2, figure.n_dofs))
    key, step = np.divmod(np.arange(n), STRIDE)
    share = (step / STRIDE)[:, None]
    q = keys[key] + share * share * (3.0 - 2.0 * share) * (keys[key + 1] - keys[key])
    frames = np.arange(n, dtype=np.int32)
    return pw.Postures(figure, q, (PostureClip("wandering", "", n),), np.zeros(n, dtype=np.int32), frames)
