"""Where hands, feet and head of a transferred motion should go.

Feet follow the source's soles, scaled with the root: what stands still there stands still here, and on the floor.
Hands and head follow the transferred posture, whose arms point where the source's do: their reach is the target's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from posewright.anatomy.parts import SIDES
from posewright.anatomy.segment_axes import Anatomy
from posewright.conventions import Array
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.matching.joint_match import JointMatch
from posewright.matching.soles import with_soles
from posewright.matching.standing_pose import standing
from posewright.matching.transfer import Scaling, scaling_between
from posewright.motions import Motion
from posewright.motions.floor import Floor
from posewright.rotations import matrix_from_axes

_BLOCK = 4096


@dataclass(frozen=True, eq=False)
class SiteTrack:
    """The way of one site or joint through the frames of a motion."""

    site: str
    points: Array
    """(frames, 3), m"""
    x: Array | None = None
    """(frames, 3), unit: direction of the site's x axis; None where it is free."""
    y: Array | None = None


def tracks(
    source: Motion,
    transferred: Motion,
    match: JointMatch,
    *,
    floor: Floor | float | None = None,
    scale: float | None = None,
) -> tuple[SiteTrack, ...]:
    """Tracks of soles (place and orientation), wrists and head (place) for the target.

    Args:
        source: the motion that was transferred.
        transferred: what `transfer` made of it; its figure should have soles (`with_soles`), or the feet get no tracks.
        match: the same as for `transfer`.
        floor: the same, too.
        scale: and this.
    """
    ours = Anatomy(replace(match.source, figure=standing(source, match.source)))
    theirs = Anatomy(replace(match.target, figure=transferred.figure))
    scaling = scaling_between(source, ours, theirs, floor=floor, scale=scale)
    soles = [f"{side}_sole" for side in SIDES if f"{side}_sole" in transferred.figure.site_names]
    found = SoleTracks(ours, theirs, soles)(source.q, scaling)
    ends = [part for part in ("head", "left_wrist", "right_wrist") if part in match.parts]
    joints = [theirs.body.first(part) for part in ends]
    places = [
        joint_frames(transferred.figure, transferred.q[start : start + _BLOCK]).positions[:, joints]
        for start in range(0, len(transferred), _BLOCK)
    ]
    points = np.concatenate(places)
    names = transferred.figure.joint_names
    return (*found, *(SiteTrack(names[joint], points[:, k].copy()) for k, joint in enumerate(joints)))


class SoleTracks:
    """The ways of the source's soles made ready: frames in, tracks out, one at a time or many."""

    def __init__(self, ours: Anatomy, theirs: Anatomy, soles: Sequence[str]) -> None:
        self._figure, self._soles = with_soles(ours.figure, ours.body), tuple(soles)
        own = site_frames(self._figure, self._figure.rest, soles)
        wanted = site_frames(theirs.figure, theirs.figure.rest, soles)
        self._turns = []
        for k, name in enumerate(soles):
            side = name.partition("_")[0]
            resting = matrix_from_axes(own.x_axes[k], own.y_axes[k])
            turn = resting.T @ ours.sole_frame(side) @ theirs.sole_frame(side).T
            self._turns.append((turn @ wanted.x_axes[k], turn @ wanted.y_axes[k]))
        self.frames: Array = np.array([matrix_from_axes(x, y) for x, y in self._turns])
        """(soles, 3, 3): the target's soles seen from the source's"""

    def __call__(self, q: Array, scaling: Scaling) -> list[SiteTrack]:
        """The source's soles in frames `q` (frames, dofs), with directions for the target's own sites.

        What is flat there is flat here.
        """
        places = site_frames(self._figure, q, self._soles)
        found = []
        for k, (name, (x, y)) in enumerate(zip(self._soles, self._turns, strict=True)):
            moving = matrix_from_axes(places.x_axes[:, k], places.y_axes[:, k])
            found.append(SiteTrack(name, scaling(places.points[:, k]), moving @ x, moving @ y))
        return found
