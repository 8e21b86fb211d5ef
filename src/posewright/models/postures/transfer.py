"""Postures of one figure on another: rotations of joints with the same name, whatever the lengths.

The rotation of a joint is transferred relative to the zero pose (q = 0), so it has the same meaning on figures whose
joints have other frames, other hinges or a ball. The root's height is scaled by the heights of the figures.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidFigure
from posewright.figures import Figure
from posewright.figures.joint import Joint
from posewright.figures.joint_coordinates import angles_of, slid_places, slide_values, turn_of
from posewright.figures.kinematics import joint_frames
from posewright.motions.placing import roots
from posewright.rotations import quaternion_conjugate, quaternion_from_matrix, quaternion_multiply

_SAME = 1e-12
"""Tolerance of quaternion components for equal axes."""


@dataclass(frozen=True, eq=False)
class PostureTransfer:
    """Converts the coordinates of one figure to those of another."""

    source: Figure
    target: Figure

    def __post_init__(self) -> None:
        if not self._shared:
            raise InvalidFigure(
                f"figures {self.source.name!r} and {self.target.name!r} share no rotating joint, so postures of "
                "one cannot be used on the other; rename the joints, or retarget the motions first"
            )

    @cached_property
    def same(self) -> bool:
        """Whether nothing changes."""
        return self.source is self.target or self.source.joints == self.target.joints

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """Joints that turn only on the target; they stay at rest."""
        return tuple(name for name in _turning(self.target) if name not in self._shared)

    @cached_property
    def unused(self) -> tuple[str, ...]:
        """Joints that turn only on the source; their rotations are dropped."""
        return tuple(name for name in _turning(self.source) if name not in self._shared)

    def __call__(self, q: Array) -> Array:
        """Coordinates (poses, dofs of the target), within its limits, for poses (poses, dofs of the source)."""
        if self.same:
            return np.array(q)
        out = np.tile(self.target.rest, (len(q), 1))
        for part in self._parts:
            values = q[:, part.theirs]
            if part.copied:
                out[:, part.ours] = values
                continue
            turn = quaternion_multiply(part.between, turn_of(part.other, values))
            turn = quaternion_multiply(turn, quaternion_conjugate(part.between))
            out[:, part.ours] = angles_of(part.joint, turn, out[:, part.ours])
        here, there = roots(self.source)[0], roots(self.target)[0]
        joint, other = self.target.joints[there], self.source.joints[here]
        if joint.slides and other.slides:  # the root as high above the floor as its figure is tall
            theirs, ours = (f.dof_slice(k).start for f, k in ((self.source, here), (self.target, there)))
            places = slid_places(other, q[:, theirs : theirs + len(other.slides)])
            scale = self.target.height / self.source.height
            out[:, ours : ours + len(joint.slides)] = slide_values(joint, scale * places)
        return np.clip(out, self.target.lower, self.target.upper)

    @cached_property
    def _shared(self) -> dict[str, None]:
        there = _turning(self.source)
        return {name: None for name in _turning(self.target) if name in there}

    @cached_property
    def _parts(self) -> list[_Part]:
        here = [self.target.joint_index(name) for name in self._shared]
        there = [self.source.joint_index(name) for name in self._shared]
        axes, our_axes = _zero_axes(self.source)[there], _zero_axes(self.target)[here]
        parts = []
        for k, i, turn in zip(here, there, quaternion_multiply(quaternion_conjugate(our_axes), axes), strict=True):
            joint, other = self.target.joints[k], self.source.joints[i]
            copied = _same_turning(joint, other) and bool(abs(abs(turn[0]) - 1.0) < _SAME)
            parts.append(
                _Part(joint, other, _turning_dofs(self.target, k), _turning_dofs(self.source, i), turn, copied)
            )
        return parts


@dataclass(frozen=True, eq=False)
class _Part:
    """One joint on both figures."""

    joint: Joint
    other: Joint
    ours: slice
    theirs: slice
    between: Array
    """Rotation from the other figure's axes to those of this joint, both in the zero pose; wxyz."""
    copied: bool
    """Whether the dofs have the same meaning."""


def _turning(figure: Figure) -> dict[str, None]:
    return {joint.name: None for joint in figure.joints if joint.n_dofs > len(joint.slides)}


def _turning_dofs(figure: Figure, index: int) -> slice:
    where = figure.dof_slice(index)
    return slice(where.start + len(figure.joints[index].slides), where.stop)


def _zero_axes(figure: Figure) -> Array:
    """(joints, 4): world_from_joint in the zero pose."""
    return quaternion_from_matrix(joint_frames(figure, np.zeros(figure.n_dofs)).rotations)


def _same_turning(a: Joint, b: Joint) -> bool:
    if a.ball is not None or b.ball is not None:
        return a.ball is not None and b.ball is not None
    return [hinge.axis for hinge in a.hinges] == [hinge.axis for hinge in b.hinges]
