"""Distance of two postures: the mean angle between their joints, regardless of position and heading.

s = Σ ws_i d(q_i, q'_i) / Σ ws_i over the joints that turn (Li et al., section 4.1): d is the angle of the rotation
between the two (for a single hinge the difference modulo whole turns), and ws_i grows with the length of what the joint
moves. Angles obey the triangle inequality, so s is a metric. Postures are stored in one form: at the floor's origin,
facing as at rest (`normalised`), with the angles nearest to rest (`nearest_to_rest`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.errors import InvalidMotion
from posewright.figures import Figure
from posewright.figures.joint import NO_TURN, Joint
from posewright.figures.joint_coordinates import (
    angles_of,
    misfit,
    nearest_turn,
    other_triple,
    slid_places,
    slide_values,
    turn_of,
    turns_freely,
)
from posewright.kernels.postures.similarity import joint_turns_all
from posewright.motions.placing import roots
from posewright.rotations import nearest_branch, quaternion_conjugate, quaternion_multiply

_SHORTEST = 0.05
"""Fraction of the height that is added to every length, so that joints that move little still count."""
_EXACT = 1e-8
"""m or rad: a root that misses by more cannot follow."""
_UPSIDE_DOWN = 1e-12
"""Of w² + y²: below this, the rotation has no heading."""


def normalised(figure: Figure, q: Array) -> Array:
    """Poses (..., dofs) moved to the floor's origin and turned to face as at rest.

    A fixed root (without slides), or one without the necessary dofs, stays as it is.
    """
    flat = np.array(q, dtype=np.float64, order="C").reshape(-1, figure.n_dofs)
    index = roots(figure)[0]
    joint, where = figure.joints[index], figure.dof_slice(index)
    middle = where.start + len(joint.slides)
    slides, angles = flat[:, where.start : middle].copy(), flat[:, middle : where.stop].copy()
    if not joint.slides:
        return flat.reshape(np.shape(q))
    if joint.n_dofs > len(joint.slides) and len(flat):
        turns = turn_of(joint, angles)
        wanted = quaternion_multiply(_back(figure, index, turns), turns)
        found = angles_of(joint, wanted, angles)
        if not turns_freely(joint):
            found = np.where(misfit(joint, wanted, found)[:, None] <= _EXACT, found, angles)
        flat[:, middle : where.stop] = found
    places = slid_places(joint, slides) * np.array([0.0, 1.0, 0.0])
    moved = slide_values(joint, places)
    if np.abs(slid_places(joint, moved) - places).max(initial=0.0) <= _EXACT:
        flat[:, where.start : middle] = moved
    return flat.reshape(np.shape(q))


def _back(figure: Figure, root: int, turns: Array) -> Array:
    """Rotations (poses, 4), in the root's frame, that remove the heading from its rotations."""
    joint = figure.joints[root]
    rest = np.array(joint.rest)
    at_rest = turn_of(joint, figure.rest[figure.dof_slice(root)][len(joint.slides) :])
    # world_from_root · (the same at rest)⁻¹, whose twist about the vertical is the heading
    away = quaternion_multiply(turns, quaternion_conjugate(at_rest))
    if joint.rest != NO_TURN:
        away = quaternion_multiply(rest, quaternion_multiply(away, quaternion_conjugate(rest)))
    w, y = away[:, 0], away[:, 2]
    size = np.sqrt(w * w + y * y)
    clear = size * size >= _UPSIDE_DOWN
    back = np.zeros((len(turns), 4))
    back[:, 0] = np.where(clear, w / np.maximum(size, 1e-300), 1.0)
    back[:, 2] = np.where(clear, -y / np.maximum(size, 1e-300), 0.0)
    if joint.rest == NO_TURN:
        return back
    return quaternion_multiply(quaternion_conjugate(rest), quaternion_multiply(back, rest))


def nearest_to_rest(figure: Figure, q: Array) -> Array:
    """Poses (poses, dofs) with every joint's hinges and balls on the branch nearest to its rest values.

    Recorded angles can contain whole turns, and three hinges have two triples of angles for every rotation; which one a
    clip uses depends on where it began. Angles of different clips can only be averaged if they are on one branch.
    Joints with limits keep their angles, because another branch may be outside. Angles that are already nearest stay
    the same to the bit.
    """
    out = np.array(q)
    for index, joint in enumerate(figure.joints):
        where = figure.dof_slice(index)
        turning = slice(where.start + len(joint.slides), where.stop)
        if turning.start == turning.stop or np.isfinite([figure.lower[turning], figure.upper[turning]]).any():
            continue
        rest = np.tile(figure.rest[turning], (len(out), 1))
        out[:, turning] = _nearest(joint, out[:, turning], rest)
    return out


def _nearest(joint: Joint, angles: Array, rest: Array) -> Array:
    if joint.ball is not None:
        return nearest_branch(angles, rest)
    found = nearest_turn(angles, rest)
    if not turns_freely(joint):
        return found
    other = nearest_turn(other_triple(joint, angles), rest)
    is_nearer = ((other - rest) ** 2).sum(axis=1) < ((found - rest) ** 2).sum(axis=1)
    nearest: Array = np.where(is_nearer[:, np.newaxis], other, found)
    return nearest


@dataclass(frozen=True, eq=False)
class PostureMetric:
    """Distances between the postures of one figure."""

    figure: Figure

    @cached_property
    def joints(self) -> IntArray:
        """(joints,): indices of the joints that turn, largest weight first."""
        turning = [k for k, joint in enumerate(self.figure.joints) if joint.n_dofs > len(joint.slides)]
        return np.array(sorted(turning, key=lambda k: -self._lengths[k]), dtype=np.int64)

    @cached_property
    def weights(self) -> Array:
        """(joints,) in the order of `joints`; they sum to 1."""
        if not len(self.joints):
            return np.zeros(0)
        shortest = _SHORTEST * self.figure.height
        raw = (self._lengths[self.joints] + shortest) / max(self._lengths.max() + shortest, 1e-300)
        raw[np.isin(self.joints, roots(self.figure))] = 1.0
        weights: Array = raw / raw.sum()
        return weights

    def turns(self, q: Array) -> Array:
        """Quaternions (poses, joints, 4) of poses (poses, dofs), aligned, in the order of `joints`.

        Raises:
            InvalidMotion: the poses have another shape.
        """
        if np.ndim(q) != 2 or np.shape(q)[1] != self.figure.n_dofs:
            name, n = self.figure.name, self.figure.n_dofs
            raise InvalidMotion(f"poses of shape {np.shape(q)}; those of figure {name!r} have {n} numbers each")
        root = roots(self.figure)[0]
        joint = self.figure.joints[root]
        aligned = bool(joint.slides) and root in self.joints
        if aligned and not turns_freely(joint):
            q = normalised(self.figure, q)
        out = np.empty((len(q), len(self.joints), 4))
        joint_turns_all(*self.figure.tables, self.joints, np.require(q, np.float64, ["C", "W"]), out)
        if aligned and turns_freely(joint):  # the same without angles, which take longer
            k = int(np.flatnonzero(self.joints == root)[0])
            out[:, k] = quaternion_multiply(_back(self.figure, root, out[:, k]), out[:, k])
        return out

    def distances(self, q: Array, others: Array) -> Array:
        """Mean angles (poses, others), rad, between poses (poses, dofs) and others (others, dofs), aligned first."""
        a, b = self.turns(q), self.turns(others)
        total = np.zeros((len(a), len(b)))
        for j, weight in enumerate(self.weights.tolist()):
            one, other = a[:, None, j], b[None, :, j]
            chords = np.minimum(((one - other) ** 2).sum(-1), ((one + other) ** 2).sum(-1))
            total += weight * 4.0 * np.arcsin(np.minimum(0.5 * np.sqrt(chords), 1.0))
        return total

    @cached_property
    def _lengths(self) -> Array:
        """(joints of the figure,), m: total length of the segments moved by each joint."""
        figure = self.figure
        lengths = np.zeros(len(figure.joints))
        for site in figure.sites:
            if site.tip:
                lengths[figure.joint_index(site.joint)] += np.linalg.norm(site.point)
        for k in range(len(figure.joints) - 1, -1, -1):  # children stand after their parents
            parent = figure.parents[k]
            if parent >= 0:
                lengths[parent] += lengths[k] + np.linalg.norm(figure.joints[k].offset)
        return lengths
