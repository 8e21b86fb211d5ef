"""Where the feet of a transferred motion should go: as the source's soles, scaled with the root.

What stands still there stands still here, and on the floor.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from posewright.anatomy.lexicon import SIDES
from posewright.conventions import Array
from posewright.figures.kinematics import site_frames
from posewright.matching.joint_match import JointMatch
from posewright.matching.transfer import Scaling
from posewright.rotations import matrix_from_axes


@dataclass(frozen=True, eq=False)
class SiteTrack:
    """The path of one site or joint through the frames of a motion."""

    site: str
    points: Array
    """(frames, 3), m"""
    x: Array | None = None
    """(frames, 3), unit: direction of the site's x axis; None where it is free."""
    y: Array | None = None


class SoleTracks:
    """The paths of the source's soles made ready: frames in, tracks out, one at a time or many."""

    def __init__(self, match: JointMatch) -> None:
        """Prepare; the figures of the match should have soles."""
        ours, theirs = match.source.segments, match.target.segments
        soles = self._soles = tuple(f"{side}_sole" for side in SIDES)
        self._figure = ours.figure
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
