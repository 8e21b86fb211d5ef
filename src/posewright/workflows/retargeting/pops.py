"""Elbows and knees of limited figures, without pops where hinges switch to other angles.

Hinges with limits follow the nearest solution. Where an arm turns on behind the back, they must switch to other angles,
and do so in a few frames. Here the angles of such a limb are smoothed around that moment, as briefly as possible. The
result stays within limits, because it lies between angles that do.
"""

from __future__ import annotations

import numpy as np

from posewright.anatomy.anatomy import Anatomy
from posewright.anatomy.lexicon import SIDES
from posewright.conventions import Array
from posewright.figures.kinematics import joint_positions
from posewright.matching import JointMatch
from posewright.motions.contacts import around
from posewright.motions.quality.likeness import pops
from posewright.motions.smoothing import gaussian

_LIMBS = (("hip", "knee", "ankle"), ("shoulder", "elbow", "wrist"))
_POP = 6.0
"""degrees in 25 ms beyond the source's; smaller pops are left."""
_WIDTHS = (0.015, 0.025, 0.04, 0.06)
"""s: widths of the smoothing filter, tried in turn."""
_FAST = 0.03
"""rad per frame of 1/120 s: slower joints do not pop."""


def without_pops(match: JointMatch, source: Array, q: Array, fps: float) -> Array:
    """Frames `q` (frames, dofs) of the target without pops of limited limbs; `source`: frames (frames, dofs)."""
    figure, out = match.target.figure, q
    steps = np.abs(np.diff(q, axis=0)).max(axis=0, initial=0.0)
    for side in SIDES:
        for parts in _LIMBS:
            limb = [f"{side}_{part}" for part in parts]
            if any(part not in match.parts for part in limb):
                continue
            dofs = _limited_hinges(match.target, limb[:2])
            if not len(dofs) or steps[dofs].max() < _FAST * 120.0 / fps:
                continue
            wanted = _bends(match.source, source, limb)
            for width in _WIDTHS:
                popping = pops(_bends(match.target, out, limb), wanted, fps)[:, 0] > _POP
                if not popping.any():
                    break
                out = out.copy() if out is q else out
                sigma = max(width * fps, 0.5)
                share = gaussian(around(popping, round(3.0 * sigma)).astype(np.float64), sigma)[:, None]
                out[:, dofs] += share * (gaussian(out[:, dofs], sigma) - out[:, dofs])
    return np.clip(out, figure.lower, figure.upper)


def _limited_hinges(body: Anatomy, parts: list[str]) -> list[int]:
    figure = body.figure
    found: list[int] = []
    for part in parts:
        for name in body.parts[part]:
            joint = figure.joint_index(name)
            where = figure.dof_slice(joint)
            if figure.joints[joint].ball is None:
                found += range(where.start + len(figure.joints[joint].slides), where.stop)
    return found if np.isfinite(figure.lower[found]).any() or np.isfinite(figure.upper[found]).any() else []


def _bends(body: Anatomy, q: Array, limb: list[str]) -> Array:
    """(frames, 1), rad: how far the middle joint of a limb is bent."""
    places = joint_positions(body.figure, q)[:, [body.segments.centre(part) for part in limb]]
    upper, lower = places[:, 1] - places[:, 0], places[:, 2] - places[:, 1]
    sine, cosine = np.linalg.norm(np.cross(upper, lower), axis=1), np.einsum("fi,fi->f", upper, lower)
    bends: Array = np.arctan2(sine, cosine)[:, None]
    return bends
