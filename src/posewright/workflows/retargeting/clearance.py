"""Arms that keep clear of the body: hands of a wider body, or with thumbs, would swing through its thighs.

Only overlaps deeper than the source's count, so hands that touch the body in the source touch it on the target, too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from posewright.anatomy.anatomy import Anatomy
from posewright.anatomy.lexicon import SIDES
from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.capsules import CapsulePairs, capsule_pairs
from posewright.figures.figure import kept_with_figure
from posewright.figures.kinematics import joint_frames, joint_positions
from posewright.motions.smoothing import gaussian, smooth_above
from posewright.workflows.retargeting.setup import RetargetSetup

_ENOUGH_FPS = 30.0
"""Frames per second that are looked at."""
_SLIGHT = 0.005
"""m: shallower overlaps are ignored, because capsules only approximate bodies."""
_MOST = 0.12
"""Share of the distance from shoulder to wrist by which a hand is moved at most, because folded arms turn far for
little. A hand that is twice as deep is not moved: no way out is near."""
_AHEAD = 0.12
"""s before and after an overlap over which the move fades in and out."""
_ARM = math.radians(7.0)
"""rad by which the bones of an arm may turn at most."""
_AT_ONCE = 4096
"""Frames."""


def clearances(setup: RetargetSetup, q: Array) -> Array:
    """How far (frames, ends, 3), m, the wrists of frames (frames, dofs) are moved so that arms leave the body."""
    moved = np.zeros((len(q), len(setup.ends), 3))
    sides = [side for side in SIDES if f"{side}_wrist" in setup.match.parts]
    fps, body = setup.source.fps, setup.match.target
    some, frames = np.arange(0, len(q), max(1, int(fps / _ENOUGH_FPS))), np.arange(len(q))
    depth, away, reach = _overlaps(body, sides, q[some])
    if depth.max(initial=0.0) <= _SLIGHT:
        return moved
    theirs = _overlaps(setup.match.source, sides, setup.source.q[some])[0]
    most = _MOST * reach
    depth = np.maximum(0.0, depth - setup.scaling.factor * theirs - _SLIGHT)
    depth = np.minimum(depth, most) * np.clip(2.0 - depth / most, 0.0, 1.0)
    for side, deep, out in zip(sides, depth.T, np.swapaxes(away, 0, 1), strict=True):
        if deep.any():
            need = smooth_above(np.interp(frames, some, deep), math.ceil(_AHEAD * fps))
            pushes = np.stack([np.interp(frames, some, push) for push in (deep[:, None] * out).T], axis=1)
            where = gaussian(pushes, max(0.5, _AHEAD * fps))
            where /= np.maximum(np.linalg.norm(where, axis=1, keepdims=True), 1e-9)
            moved[:, setup.ends.index(body.first(f"{side}_wrist"))] = need[:, None] * where
    return moved


def reduced_clearances(setup: RetargetSetup, moved: Array, q: Array, posture: Array) -> Array:
    """Smaller moves (frames, ends, 3), m, where arms of solved frames turned too far from their posture.

    An arm that feet or trunk have turned that far already is not moved.
    """
    some = np.flatnonzero(moved.any(axis=(1, 2)))
    share, body = np.ones(moved.shape[:2]), setup.match.target
    for side in SIDES:
        if f"{side}_wrist" in setup.match.parts:
            chain = [body.segments.centre(f"{side}_{part}") for part in ("shoulder", "elbow", "wrist")]
            places = [joint_positions(body.figure, each[some])[:, chain] for each in (q, posture)]
            bones = [np.diff(each, axis=1) for each in places]
            a, b = (each / np.maximum(np.linalg.norm(each, axis=-1, keepdims=True), 1e-9) for each in bones)
            turned = 2.0 * np.arcsin(np.minimum(1.0, 0.5 * np.linalg.norm(a - b, axis=-1))).max(axis=1)
            wrist = setup.ends.index(body.first(f"{side}_wrist"))
            reach = np.linalg.norm(places[1][:, 2] - places[1][:, 0], axis=-1)
            by_it = np.linalg.norm(moved[some, wrist], axis=-1) / np.maximum(reach, 1e-9)
            share[some, wrist] = np.clip(1.0 - (turned - _ARM) / np.maximum(by_it, 1e-9), 0.0, 1.0)
    if share.min() == 1.0:
        return moved
    return moved * (1.0 - smooth_above(1.0 - share, math.ceil(_AHEAD * setup.source.fps)))[..., None]


def _overlaps(body: Anatomy, sides: Sequence[str], q: Array) -> tuple[Array, Array, Array]:
    """How forearms and hands are inside the body in frames (frames, dofs).

    Returns:
        (frames, sides), m: how deep; (frames, sides, 3): which way is out; (frames, sides), m: from shoulder to wrist.
    """
    figure, all_pairs = body.figure, _pairs(body.figure)
    trunk = set(range(len(figure.joints)))
    for side in SIDES:
        trunk -= {*figure.subtree(body.first(f"{side}_shoulder")), *figure.subtree(body.first(f"{side}_knee"))}
    arms = [all_pairs.between(figure.subtree(body.segments.centre(f"{side}_elbow")), trunk) for side in sides]
    shoulders, wrists = ([body.segments.centre(f"{side}_{part}") for side in sides] for part in ("shoulder", "wrist"))
    depth, reach = np.empty((2, len(q), len(arms)))
    away = np.empty((len(q), len(arms), 3))
    for start in range(0, len(q), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        frames = joint_frames(figure, q[some])
        reach[some] = np.linalg.norm(frames.positions[:, wrists] - frames.positions[:, shoulders], axis=-1)
        for k, pairs in enumerate(arms):
            found = pairs.nearest(frames)
            depth[some, k], away[some, k] = np.maximum(0.0, -found.gap), found.away
    return depth, away / np.maximum(np.linalg.norm(away, axis=-1, keepdims=True), 1e-9), reach


@kept_with_figure
def _pairs(figure: Figure) -> CapsulePairs:
    return capsule_pairs(figure)
