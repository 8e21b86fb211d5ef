"""Transfer motions to another figure: parts are oriented as in the source; the root's path is scaled by leg length.

The result is the example that retargeting starts from. Postures are those of the source, as far as the target's joints
and limits allow, but feet and hands are only roughly in place.
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
from posewright.matching.branches import unstuck
from posewright.matching.joint_match import JointMatch
from posewright.motions import Motion
from posewright.motions.contacts import floor_under
from posewright.motions.floor import Floor
from posewright.motions.motion import require_measurable

_BLOCK = 4096
"""Number of frames processed at a time, to bound memory."""


@dataclass(frozen=True)
class Scaling:
    """Maps positions in the source's world to the target's world."""

    factor: float
    """Scale; by default the leg length of the target over that of the source."""
    floor: Floor
    """Floor under the source; recorded floors are seldom quite level."""

    @classmethod
    def between(
        cls, source: Motion, match: JointMatch, *, floor: Floor | float | None = None, scale: float | None = None
    ) -> Scaling:
        """The scaling for a motion whose figure has soles; default: the floor under its feet, the leg lengths."""
        if floor is None:
            floor = floor_under(source, SOLE_ENDS)
        if scale is None:
            scale = match.target.segments.leg_length / match.source.segments.leg_length
        return cls(scale, floor if isinstance(floor, Floor) else Floor(float(floor)))

    def __call__(self, points: Array) -> Array:
        """Map points (..., 3), m, from the source's world to the target's, whose floor is y = 0."""
        moved: Array = self.factor * points
        moved[..., 1] = self.factor * self.floor.heights_of(points)
        return moved


def transfer(
    source: Motion, match: JointMatch, *, floor: Floor | float | None = None, scale: float | None = None
) -> Motion:
    """Transfer a motion from the source of a match to its target; see `JointMatch.transfer`."""
    require_measurable(source, "the motion to transfer")
    if len(source) == 0:
        raise InvalidMotion("the motion to transfer has no frames")
    source = source.with_standing_rest(match.source).with_soles(match.source)
    if source.figure is not match.source.figure:
        match = JointMatch(match.source.on(source.figure), match.target)
    scaling = Scaling.between(source, match, floor=floor, scale=scale)
    q = PoseTransfer(match)(source.q, scaling, source.fps)
    return Motion(
        match.target.figure, q, source.fps, name=source.name, notes=match.notes, first_frame=source.first_frame
    )


class PoseTransfer:
    """A prepared transfer of frames, one or many at a time.

    It remembers the last frame to keep angles continuous, so the same frames give the same numbers in any portions,
    unless frames are looked at as a whole.
    """

    def __init__(self, match: JointMatch) -> None:
        """Prepare a transfer; both figures of the match should stand upright in their rest poses."""
        self.source, self.target = match.source.segments, match.target.segments
        self._tables = match.tables
        self._hips = [self.source.centre(f"{side}_hip") for side in SIDES]
        root, pelvis = self._tables.kept
        away = self.target.positions[pelvis] - self.target.positions[root]
        self._from_root, self._root = self.target.rotations[root].T @ away, int(root)
        self._last = self.target.figure.rest.copy()
        self._wanted = np.zeros((len(self._tables.units), 3, 3))

    def __call__(self, q: Array, scaling: Scaling, fps: float | None = None) -> Array:
        """Convert frames (frames, dofs) of the source to frames (frames, dofs) of the target (`of_frames`)."""
        out = np.empty((len(q), self.target.figure.n_dofs))
        for start in range(0, len(q), _BLOCK):
            some = slice(start, start + _BLOCK)
            out[some] = self.of_frames(joint_frames(self.source.figure, q[some]), scaling, fps)
        return out

    def of_frames(self, frames: JointFrames, scaling: Scaling, fps: float | None = None) -> Array:
        """Convert frames of the source whose joint frames are known.

        With `fps`, frames per second, they are looked at as a whole, so that limited hinges do not get stuck.
        """
        tables, begin = self._tables, (self._last.copy(), self._wanted.copy())
        given = np.full((len(frames.positions), self.target.figure.n_dofs), np.nan)
        out, asked, turned = self._followed(frames, given)
        if fps is None:
            return self._placed(frames, scaling, turned, out)
        for k in np.flatnonzero(tables.units["damped"]):
            unit = tables.units[k]
            angles = unstuck(unit, tables.dofs, asked[:, k], out[:, unit["dofs"]], fps)
            if angles is not None:
                given[:, unit["dofs"]] = angles
                self._last[:], self._wanted[:] = begin
                out, asked, turned = self._followed(frames, given)
        return self._placed(frames, scaling, turned, out)

    def _followed(self, frames: JointFrames, given: Array) -> tuple[Array, Array, Array]:
        """Frames without places, what was asked of units in them, and how root and pelvis are turned."""
        out = np.repeat(self.target.figure.rest[None], len(given), axis=0)
        asked, turned = np.empty((len(out), *self._wanted.shape)), np.empty((len(out), 2, 3, 3))
        kernels.transfer_all(self._tables, frames.rotations, self._last, self._wanted, given, out, asked, turned)
        return out, asked, turned

    def _placed(self, frames: JointFrames, scaling: Scaling, turned: Array, q: Array) -> Array:
        """The frames (frames, dofs), with slides written into them that bring the hips to where the source's are."""
        left, right = self._hips
        middle = scaling(0.5 * (frames.positions[:, left] + frames.positions[:, right]))
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
        return q
