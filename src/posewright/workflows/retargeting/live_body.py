"""What a stream must know of a frame, from one pass of kinematics over the source and one over the carried posture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from posewright.anatomy.feet import SOLE_ENDS
from posewright.anatomy.lexicon import SIDES
from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.kinematics import JointFrames, joint_frames, site_table
from posewright.kernels.kinematics.frames import place_sites_all
from posewright.rotations import matrix_from_axes
from posewright.workflows.retargeting.retarget import Pair


@dataclass(frozen=True, eq=False)
class LiveFrame:
    """One frame: the carried posture of the target, and the feet of both figures."""

    q: Array
    """(dofs,)"""
    points: Array
    """(4, 3), m: the source's heels and toe tips"""
    heights: Array
    """(4,), m: theirs above the floor"""
    soles: Array
    """(2, 3), m: the target's"""
    turns: Array
    """(2, 3, 3): their frames"""
    toe_tips: Array
    """(2, 3), m: seen from the soles"""
    hips: Array
    """(1, 2, 3), m"""
    ends: Array
    """(ends, 3), m: wrists and head"""
    lowest: Array
    """(ends,), m: the lowest of the joints and sites at or below such a joint"""


class _Places:
    """World points and directions of some sites, frame by frame, into the same arrays."""

    def __init__(self, figure: Figure, names: list[str]) -> None:
        self._table = site_table(figure, names)
        self._out = np.empty((3, 1, len(names), 3))

    def __call__(self, frames: JointFrames) -> tuple[Array, Array, Array]:
        points, xs, ys = self._out
        place_sites_all(self._table, frames.rotations, frames.positions, points, xs, ys)
        return points[0], xs[0], ys[0]


class LiveBody:
    """Looks at the frames of a pair of figures as they come."""

    def __init__(self, pair: Pair) -> None:
        self._pair, self._source = pair, pair.tread.figure
        soles, figure = [f"{side}_sole" for side in SIDES], pair.figure
        self._own = _Places(self._source, [*SOLE_ENDS, *soles])
        ends = list(pair.ends().values())
        hips = [pair.theirs.centre(f"{side}_hip") for side in SIDES]
        below: list[str] = []
        self._begins: list[int] = []
        for joint in ends:
            self._begins.append(len(below))
            under = [figure.joint_names[k] for k in figure.subtree(joint)]
            below += [*under, *(site.name for site in figure.sites if site.joint in under)]
        places = [*soles, *(f"{side}_toe_tip" for side in SIDES), *(figure.joint_names[k] for k in (*hips, *ends))]
        self._theirs, self._ends = _Places(figure, [*places, *below]), slice(6, 6 + len(ends))

    def feet(self, q: Array) -> tuple[JointFrames, Array, Array]:
        """Of a frame (dofs,) of the source: its joints; points (6, 3) of heels, toe tips and soles; soles (2, 3, 3)."""
        frames = joint_frames(self._source, q[None])
        points, xs, ys = self._own(frames)
        return frames, points.copy(), matrix_from_axes(xs[4:], ys[4:])

    def __call__(self, frames: JointFrames, points: Array, soles: Array, level: float) -> LiveFrame:
        """What is to be known, from what `feet` said and the height of the floor (m)."""
        pair = self._pair
        carried = pair.carrier.of_frames(frames)
        theirs, xs, ys = self._theirs(joint_frames(pair.figure, carried))
        places = theirs[:2].copy()
        tips = np.einsum("kij,ki->kj", matrix_from_axes(xs[:2], ys[:2]), theirs[2:4] - places)
        heights = points[:, 1] - level
        places[:, 1] = pair.scaling.factor * heights[4:]
        low = theirs[self._ends.stop :, 1]
        lowest = np.minimum.reduceat(low, self._begins) if self._begins else low
        return LiveFrame(
            carried[0], points[:4], heights[:4], places, soles @ pair.sole_tracks.frames, tips,
            theirs[np.newaxis, 4:6].copy(), theirs[self._ends].copy(), lowest,
        )  # fmt: skip
