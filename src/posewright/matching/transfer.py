"""Motions transferred to another figure: every part as the source has it, the root scaled by the length of the legs.

The result is the example that retargeting starts from: postures are those of the source as far as the target's joints
and limits allow, but feet and hands are only about where they should be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from posewright.anatomy.feet import SOLE_ENDS
from posewright.anatomy.lexicon import SIDES
from posewright.conventions import Array
from posewright.errors import InvalidMotion
from posewright.figures.joint_coordinates import slide_values
from posewright.figures.kinematics import JointFrames, joint_frames
from posewright.kernels.motion import transfer as kernels
from posewright.matching.joint_match import JointMatch
from posewright.motions import Motion
from posewright.motions.contacts import floor_under
from posewright.motions.floor import Floor
from posewright.motions.motion import require_measurable

_BLOCK = 4096
"""Frames at a time: memory does not grow with the clip beyond its own numbers."""


@dataclass(frozen=True)
class Scaling:
    """How places of the source become places of the target."""

    factor: float
    """Length of the target's legs over that of the source's."""
    floor: Floor
    """Under the source; recorded ones are seldom quite level."""

    @classmethod
    def between(
        cls, source: Motion, match: JointMatch, *, floor: Floor | float | None = None, scale: float | None = None
    ) -> Scaling:
        """The scaling for a motion whose figure has soles; None: the floor under its feet, the ratio of the legs."""
        if floor is None:
            floor = floor_under(source, SOLE_ENDS)
        if scale is None:
            scale = match.target.segments.leg_length / match.source.segments.leg_length
        return cls(scale, floor if isinstance(floor, Floor) else Floor(float(floor)))

    def __call__(self, points: Array) -> Array:
        """World points (..., 3), m, of the source in the target's world, whose floor is y = 0."""
        moved: Array = self.factor * points
        moved[..., 1] = self.factor * self.floor.heights_of(points)
        return moved


def transfer(
    source: Motion, match: JointMatch, *, floor: Floor | float | None = None, scale: float | None = None
) -> Motion:
    """The motion of the target of a match that looks like a motion of its source; see `JointMatch.transfer`."""
    require_measurable(source, "the motion to transfer")
    if len(source) == 0:
        raise InvalidMotion("the motion to transfer has no frames")
    source = source.with_standing_rest(match.source).with_soles(match.source)
    if source.figure is not match.source.figure:
        match = JointMatch(match.source.on(source.figure), match.target)
    scaling = Scaling.between(source, match, floor=floor, scale=scale)
    q = PoseTransfer(match)(source.q, scaling)
    return Motion(
        match.target.figure, q, source.fps, name=source.name, notes=match.notes, first_frame=source.first_frame
    )


class PoseTransfer:
    """A transfer made ready: frames in, frames out, one at a time or many.

    It remembers the last frame, so that angles go on continuously: the same frames give the same numbers in whatever
    portions they come.
    """

    def __init__(self, match: JointMatch) -> None:
        """Prepare; both figures of the match should rest as they stand."""
        self.source, self.target = match.source.segments, match.target.segments
        self._tables = match.tables
        self._hips = [self.source.centre(f"{side}_hip") for side in SIDES]
        root, pelvis = self._tables.kept
        away = self.target.positions[pelvis] - self.target.positions[root]
        self._from_root, self._root = self.target.rotations[root].T @ away, int(root)
        self._last = self.target.figure.rest.copy()
        self._wanted = np.zeros((len(self._tables.units), 3, 3))

    def __call__(self, q: Array, scaling: Scaling) -> Array:
        """Frames (frames, dofs) of the source as frames (frames, dofs) of the target."""
        out = np.empty((len(q), self.target.figure.n_dofs))
        for start in range(0, len(q), _BLOCK):
            some = slice(start, start + _BLOCK)
            out[some] = self.of_frames(joint_frames(self.source.figure, q[some]), scaling)
        return out

    def of_frames(self, frames: JointFrames, scaling: Scaling) -> Array:
        """The same for frames whose joints are placed already."""
        out = np.repeat(self.target.figure.rest[None], len(frames.positions), axis=0)
        turned = np.empty((len(out), 2, 3, 3))
        kernels.transfer_all(self._tables, frames.rotations, self._last, self._wanted, out, turned)
        left, right = self._hips
        self._place_root(scaling(0.5 * (frames.positions[:, left] + frames.positions[:, right])), turned, out)
        return out

    def _place_root(self, middle: Array, turned: Array, q: Array) -> None:
        """Write the slides that bring the middle of the hips to `middle` (frames, 3)."""
        theirs, figure = self.target, self.target.figure
        places = middle - turned[:, 0] @ self._from_root - turned[:, 1] @ theirs.middle_of_hips
        above = figure.parents[self._root]
        if above >= 0:
            places = (places - theirs.positions[above]) @ theirs.rotations[above]
        first = figure.dof_slice(self._root).start
        q[:, first : first + 3] = np.clip(
            slide_values(figure.joints[self._root], places),
            figure.lower[first : first + 3],
            figure.upper[first : first + 3],
        )
