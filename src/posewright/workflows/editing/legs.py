"""Legs of an edited motion: whether they reach their feet, and how they are bent to bring these to their paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.kinematics import joint_positions, site_frames
from posewright.figures.transforms.limits import admitting
from posewright.goals import Position
from posewright.motions.motion import Motion
from posewright.motions.placing import move_slides
from posewright.motions.smoothing import gaussian, smooth_above
from posewright.problem import Imitation, MotionProblem
from posewright.solvers.least_squares import LeastSquares

_SOLVER = LeastSquares()
_AS_BEFORE = Imitation(
    exact=True,
    example_velocity=1.0,
    example_acceleration=1.0,
    track_velocity=0.0,
    track_acceleration=0.0,
    stiffness=0.0,
)
"""Feet are brought to their paths exactly; joints move as before. Velocities count as much as postures: where a leg is
straight in the motion, its posture says little about the way its knee bends."""
_GIVING = replace(_AS_BEFORE, exact=False, example=1e-4, leap=None)
"""The same where limits are in the way: feet leave their paths by some tenths of a millimetre before an ankle flaps."""
_STAYS = 1e-4
"""Figure heights: a foot that is nearer than this to its path has kept it."""
STRAIGHT = 0.999
"""Of a leg's length: an edit straightens no leg further than this, unless the motion itself does."""
_SOFTLY = 0.02
"""s: how softly the root begins and ends to be lower."""
_ROUNDING = 1e-9
_LONG = 0.5
"""Of a limb's longest bone: the last joint of a hip is the first with a bone this long."""
_AXES = 3
"""About which a hip turns."""
_ORIGIN = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Leg:
    """What brings a contact point to its path."""

    limb: frozenset[int]
    """Indices of all joints below the trunk."""
    hip: int
    ankle: int
    """The last joint that all contact points of the leg are below."""
    length: float
    """m, from hip to ankle"""
    joints: tuple[str, ...]
    """From the first that turns the hip to the joint of the contact point; others above belong to the pelvis."""


def legs_of(figure: Figure, sites: Sequence[str]) -> list[Leg]:
    """The leg of each contact point."""
    chains, hips = [], []
    for site in sites:
        limb = figure.anatomy.limb_of(site)
        chain = [index for index in figure.ancestors(figure.site(site).joint) if index in limb][::-1]
        bones = [_bone(figure, index) for index in chain[1:]]
        first = next((k for k, bone in enumerate(bones) if bone >= _LONG * max(bones)), 0)
        chains.append((frozenset(figure.subtree(chain[0])), chain[first:], chain[_ball_hip(figure, chain, first) :]))
        hips.append(chain[first])
    legs = []
    for (limb, chain, turning), hip in zip(chains, hips, strict=True):
        beside = [other for (_, other, _), its in zip(chains, hips, strict=True) if its == hip]
        shared = [joint for joint in chain if all(joint in other for other in beside)]
        length = sum(_bone(figure, joint) for joint in shared[1:])
        legs.append(Leg(limb, hip, shared[-1], length, tuple(figure.joint_names[joint] for joint in turning)))
    return legs


def _ball_hip(figure: Figure, chain: Sequence[int], first: int) -> int:
    """Where in a leg's chain the hip begins: robots have a joint for each of its three axes."""
    axes = 0
    for k in range(first, -1, -1):
        joint = figure.joints[chain[k]]
        axes += 3 if joint.ball is not None else len(joint.hinges)
        if axes >= _AXES:
            return k
    return 0


def _bone(figure: Figure, joint: int) -> float:
    """m, from the joint above."""
    return float(np.linalg.norm(figure.joints[joint].offset))


def lowered(
    edited: Motion,
    source: Motion,
    legs: Sequence[Leg],
    displaced: Array,
    straight: float = STRAIGHT,
    *,
    ahead: float | None = None,
) -> Motion:
    """A motion with the root low enough, smoothly, for all legs to reach.

    Args:
        edited: the motion.
        source: what it was made of; legs may be as straight as there.
        legs: of the contact points.
        displaced: (frames, contact points, 3), m: how far the feet are to be from where the source has them.
        straight: how straight legs may be made, of their length.
        ahead: s: it is low enough in all frames, and begins to be lower so long before it must (default: it is as low
            as leaves frames alone in which legs reach).
    """
    figure = edited.figure
    roots = [joint for joint, parent in zip(figure.joints, figure.parents, strict=True) if parent < 0]
    if any(len(root.slides) < 3 for root in roots):
        return edited
    frames = np.flatnonzero((edited.q != source.q).any(axis=1) | (displaced != 0.0).any(axis=(1, 2)))
    hips, ankles = [leg.hip for leg in legs], [leg.ankle for leg in legs]
    own, now = (joint_positions(figure, motion.q[frames]) for motion in (source, edited))
    ankle = own[:, ankles] + displaced[frames]
    length = straight * np.array([leg.length for leg in legs])
    longest = np.maximum(length, np.linalg.norm(own[:, hips] - own[:, ankles], axis=-1))
    across = np.linalg.norm((now[:, hips] - ankle)[..., [0, 2]], axis=-1)
    height = ankle[..., 1] + np.sqrt(np.maximum(longest**2 - across**2, 0.0))
    need = np.zeros(len(edited))
    need[frames] = np.maximum(now[:, hips, 1] - height - _ROUNDING, 0.0).max(axis=1, initial=0.0)
    if not need.any():
        return edited
    fps = edited.fps
    drop = gaussian(need, _SOFTLY * fps) if ahead is None else smooth_above(need, max(1, round(ahead * fps)))
    q = edited.q.copy()
    move_slides(figure, q, np.stack([np.zeros_like(drop), -drop, np.zeros_like(drop)], axis=-1), np.zeros_like(drop))
    return edited.with_q(q)


def on_paths(
    edited: Motion,
    source: Motion,
    sites: Sequence[str],
    legs: Sequence[Leg],
    paths: Array,
    activation: Array | None = None,
    *,
    giving: bool = False,
) -> Motion:
    """A motion with the legs changed so that all feet are on their paths.

    Args:
        edited: the motion.
        source: what it was made of.
        sites: the contact points.
        legs: of each.
        paths: (frames, contact points, 3), m
        activation: (frames, contact points), from 0 to 1: how much each path counts (default: in full).
        giving: whether feet may be off by a little where limits are in the way.
    """
    away = np.linalg.norm(site_frames(edited.figure, edited.q, list(sites)).points - paths, axis=-1)
    left = (away > _STAYS * edited.figure.height).any(axis=0)
    hips = {leg.hip for leg, off in zip(legs, left, strict=True) if off}
    if not hips:
        return edited
    changed = np.flatnonzero((edited.q != source.q).any(axis=1) | (away > _ROUNDING).any(axis=1))
    stretch = slice(int(changed[0]), int(changed[-1]) + 1)
    counts = np.ones(away.shape) if activation is None else activation
    goals = [
        Position(site, _ORIGIN, name=f"path of {site}", joints=leg.joints).along(
            paths[stretch, k], activation=counts[stretch, k]
        )
        for k, (site, leg) in enumerate(zip(sites, legs, strict=True))
        if leg.hip in hips and counts[stretch, k].any()
    ]
    figure, imitation = admitting(edited.figure, edited.q), _GIVING if giving else _AS_BEFORE
    q = edited.q.copy()
    q[stretch] = _SOLVER.solve(MotionProblem(figure, goals, edited[stretch], imitation=imitation)).motion.q
    return edited.with_q(q)
