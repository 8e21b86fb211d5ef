"""Motions carried over to another figure: every part as the source has it, the root scaled by the length of the legs.

The result is the example that retargeting starts from: postures are those of the source as far as the target's joints
and limits allow, but feet and hands are only about where they should be; `tracks` says where exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from posewright.anatomy.body import Body
from posewright.anatomy.parts import SIDES
from posewright.anatomy.segment_axes import Anatomy
from posewright.checks import require
from posewright.conventions import Array
from posewright.errors import InvalidMotion
from posewright.figures import Figure
from posewright.figures.joint_inverse import slide_values
from posewright.figures.kinematics import JointFrames, joint_frames
from posewright.kernels.motion import transfer as kernels
from posewright.matching.joint_match import JointMatch
from posewright.matching.standing_pose import DOUBTFUL, standing, unease
from posewright.matching.transfer_tables import plan
from posewright.motions import Motion
from posewright.motions.floor import Floor
from posewright.motions.motion import require_measurable

_BLOCK = 4096
"""Frames at a time: memory does not grow with the clip beyond its own numbers."""


@dataclass(frozen=True)
class Scaling:
    """How places of the source become places of the target."""

    factor: float
    """Length of the target's legs by that of the source's."""
    floor: Floor
    """Under the source; recorded ones are seldom quite level."""

    def __call__(self, points: Array) -> Array:
        """World points (..., 3), m, of the source in the target's world, whose floor is y = 0."""
        moved: Array = self.factor * points
        moved[..., 1] = self.factor * self.floor.heights_of(points)
        return moved


def transfer(
    source: Motion,
    target: Figure,
    match: JointMatch | None = None,
    *,
    floor: Floor | float | None = None,
    scale: float | None = None,
) -> Motion:
    """The motion of another figure that looks like this one.

    Args:
        source: what to carry over; it stands or a frame of it does (see `stance.standing`).
        target: whose rest pose stands: pass `standing(motion)` for a file whose rest pose means nothing.
        match: which joints are which; None finds them.
        floor: under the source, or its height in m; None: found from where its feet stand.
        scale: factor of the root's path; None: by the length of the legs.
    """
    require_measurable(source, "the motion to carry over")
    require(target, Figure, "the target", "a Figure, such as pw.figure('human40') or standing(load(path))")
    if match is not None:
        require(match, JointMatch, "the match", "a JointMatch, such as JointMatch.load(path, source, target)")
    match = match or JointMatch.between(source.figure, target)
    if len(source) == 0:
        raise InvalidMotion("the motion to carry over has no frames")
    standing_source = standing(source, match.source)
    ours = Anatomy(Body(standing_source, match.source.joints, match.source.confidence))
    theirs = Anatomy(Body(target, match.target.joints, match.target.confidence))
    scaling = scaling_between(source, ours, theirs, floor=floor, scale=scale)
    q = Carrier(ours, theirs, match, scaling)(source.q)
    return Motion(target, q, source.fps, name=source.name, notes=tuple(doubts(ours, theirs)))


def scaling_between(
    source: Motion, ours: Anatomy, theirs: Anatomy, *, floor: Floor | float | None = None, scale: float | None = None
) -> Scaling:
    """How the places of a motion become places of another figure."""
    from posewright.matching.soles import floor_under

    factor = theirs.leg_length / ours.leg_length if scale is None else scale
    if floor is None:
        floor = floor_under(source, ours)
    return Scaling(factor, floor if isinstance(floor, Floor) else Floor(float(floor)))


class Carrier:
    """A transfer made ready: frames in, frames out, one at a time or many.

    It remembers the last frame, so that angles go on continuously: the same frames give the same numbers in whatever
    portions they come.
    """

    def __init__(self, source: Anatomy, target: Anatomy, match: JointMatch, scaling: Scaling) -> None:
        self.source, self.target, self.scaling = source, target, scaling
        self._plan = plan(source, target, match)
        self._hips = [source.centre(f"{side}_hip") for side in SIDES]
        self._kept = np.array([self._plan.carrier, target.body.last("pelvis")])
        carrier, pelvis = self._kept.tolist()
        self._from_carrier = target.rotations[carrier].T @ (target.positions[pelvis] - target.positions[carrier])
        self._last = target.figure.rest.copy()
        self._wanted = np.zeros((len(self._plan.units), 3, 3))

    @property
    def carries(self) -> int:
        """Index of the target's joint whose slides move it about."""
        return self._plan.carrier

    def __call__(self, q: Array) -> Array:
        """Frames (frames, dofs) of the source as frames (frames, dofs) of the target."""
        out = np.repeat(self.target.figure.rest[None], len(q), axis=0)
        for start in range(0, len(q), _BLOCK):
            self._carry(joint_frames(self.source.figure, q[start : start + _BLOCK]), out[start : start + _BLOCK])
        return out

    def of_frames(self, frames: JointFrames) -> Array:
        """The same for frames whose joints are placed already."""
        out = np.repeat(self.target.figure.rest[None], len(frames.positions), axis=0)
        self._carry(frames, out)
        return out

    def _carry(self, frames: JointFrames, out: Array) -> None:
        tables, figure = self._plan, self.target.figure
        turned = np.empty((len(out), 2, 3, 3))
        kernels.transfer_all(
            tables.parts, tables.units, tables.unit_at, tables.moving, tables.still, *figure.tables,
            frames.rotations, self._last, self._wanted, self._kept, out, turned,
        )  # fmt: skip
        left, right = self._hips
        self._place_root(self.scaling(0.5 * (frames.positions[:, left] + frames.positions[:, right])), turned, out)

    def _place_root(self, middle: Array, turned: Array, q: Array) -> None:
        """Write the slides that bring the middle of the hips to `middle` (frames, 3)."""
        theirs, figure = self.target, self.target.figure
        places = middle - turned[:, 0] @ self._from_carrier - turned[:, 1] @ theirs.middle_of_hips
        above = figure.parents[self.carries]
        if above >= 0:
            places = (places - theirs.positions[above]) @ theirs.rotations[above]
        first = figure.dof_slice(self.carries).start
        q[:, first : first + 3] = np.clip(
            slide_values(figure.joints[self.carries], places),
            figure.lower[first : first + 3],
            figure.upper[first : first + 3],
        )


def doubts(*bodies: Anatomy) -> list[str]:
    """What is uncertain about figures, a sentence each."""
    return [
        f"figure {body.figure.name!r} stands neither in its rest pose nor in a frame that is known: "
        "how its limbs are twisted is a guess"
        for body in bodies
        if float(unease(body.body, body.figure.rest[None])[0]) > DOUBTFUL
    ]
