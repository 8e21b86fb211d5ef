"""The feet of a source, and the few points of a transferred posture that goals are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from posewright.anatomy.anatomy import Anatomy
from posewright.anatomy.feet import SOLE_ENDS
from posewright.anatomy.lexicon import SIDES
from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.kinematics import JointFrames, joint_frames, site_table
from posewright.kernels.kinematics.frames import place_sites_all
from posewright.matching import JointMatch
from posewright.rotations import matrix_from_axes

SOLES = tuple(f"{side}_sole" for side in SIDES)
AT_ONCE = 4096
"""Frames at a time, so that memory does not grow with the clip beyond the results."""


@dataclass(frozen=True, eq=False)
class SourceFeet:
    """The feet of a source over frames."""

    ends: Array
    """(frames, 4, 3), m: `SOLE_ENDS`"""
    soles: Array
    """(frames, 2, 3), m"""
    turns: Array
    """(frames, 2, 3, 3): orientations for the target's soles: flat on the source is flat on the target"""
    hips: Array
    """(frames, 3), m: the middle between them"""


@dataclass(frozen=True, eq=False)
class KeyPoints:
    """Points of a figure over frames."""

    soles: Array
    """(frames, 2, 3), m"""
    turns: Array
    """(frames, 2, 3, 3): frames of the soles"""
    toe_tips: Array
    """(frames, 2, 3), m, seen from the soles"""
    hips: Array
    """(frames, 2, 3), m"""
    ends: Array
    """(frames, ends, 3), m: wrists and head"""
    lowest: Array
    """(frames,), m: height of the lowest joint or tip of the body, feet left out"""


class FindSourceFeet:
    """Finds the feet of the source of a match, whose figures have soles."""

    def __init__(self, match: JointMatch) -> None:
        source, target = match.source, match.target
        self._sites, self._soles = _Sites(source.figure, [*SOLE_ENDS, *SOLES]), _Soles(source.figure)
        self._hips = [source.segments.centre(f"{side}_hip") for side in SIDES]
        own, theirs = (_Soles(figure).turns(joint_frames(figure, figure.rest[None])) for figure in match.figures)
        between = [source.segments.sole_frame(side) @ target.segments.sole_frame(side).T for side in SIDES]
        self._turns: Array = np.swapaxes(own[0], 1, 2) @ between @ theirs[0]

    def __call__(self, frames: JointFrames) -> SourceFeet:
        """In frames of the source whose joints are placed."""
        points, hips = self._sites(frames), frames.positions[:, self._hips].mean(axis=1)
        return SourceFeet(points[:, :4], points[:, 4:], self._soles.turns(frames) @ self._turns, hips)

    def over(self, q: Array) -> SourceFeet:
        """In frames (frames, dofs) of the source."""
        shapes = ((4, 3), (2, 3), (2, 3, 3), (3,))
        return _over(SourceFeet(*(np.empty((len(q), *shape)) for shape in shapes)), self, self._sites.figure, q)


class FindKeyPoints:
    """Finds the key points of a figure with soles."""

    def __init__(self, anatomy: Anatomy, ends: Sequence[int], *, hands: bool = True) -> None:
        """Prepare; `ends`: joints of wrists and head; `hands`: whether hands count for the lowest point."""
        figure = anatomy.figure
        self._hips, self._ends = [anatomy.segments.centre(f"{side}_hip") for side in SIDES], list(ends)
        self._sites, self._soles = _Sites(figure, [*SOLES, *(f"{side}_toe_tip" for side in SIDES)]), _Soles(figure)
        below = [] if hands else [name for side in SIDES for name in points_below(anatomy, f"{side}_wrist")[1:]]
        self._heights = Heights(figure, [name for name in body_points(anatomy) if name not in below])

    def __call__(self, frames: JointFrames) -> KeyPoints:
        """In frames of the figure whose joints are placed."""
        points, turns = self._sites(frames), self._soles.turns(frames)
        soles = points[:, :2]
        tips = ((points[:, 2:] - soles)[:, :, None] @ turns)[:, :, 0]
        hips, ends = frames.positions[:, self._hips], frames.positions[:, self._ends]
        return KeyPoints(soles, turns, tips, hips, ends, self._heights.lowest(frames))

    def over(self, q: Array) -> KeyPoints:
        """In frames (frames, dofs)."""
        shapes = ((2, 3), (2, 3, 3), (2, 3), (2, 3), (len(self._ends), 3), ())
        return _over(KeyPoints(*(np.empty((len(q), *shape)) for shape in shapes)), self, self._sites.figure, q)


_Found = TypeVar("_Found", SourceFeet, KeyPoints)


def _over(found: _Found, find: Callable[[JointFrames], _Found], figure: Figure, q: Array) -> _Found:
    """Evaluate `find` in frames (frames, dofs) of a figure, and write the results into `found`."""
    for start in range(0, len(q), AT_ONCE):
        some = slice(start, start + AT_ONCE)
        for name, values in vars(find(joint_frames(figure, q[some]))).items():
            getattr(found, name)[some] = values
    return found


def body_points(anatomy: Anatomy) -> list[str]:
    """Joints and tips of a body, without feet and without joints above the pelvis."""
    feet = {name for side in SIDES for name in points_below(anatomy, f"{side}_ankle")}
    return [name for name in points_below(anatomy, "pelvis") if name not in feet]


def points_below(anatomy: Anatomy, part: str) -> list[str]:
    """Joints and tips of a part and of all parts below it; none if the body has no such part."""
    figure = anatomy.figure
    joints = [figure.joint_names[k] for k in figure.subtree(anatomy.first(part))] if part in anatomy.parts else []
    return [*joints, *(site.name for site in figure.sites if site.tip and site.joint in joints)]


class Heights:
    """Where some joints and sites of a figure are."""

    def __init__(self, figure: Figure, names: Sequence[str]) -> None:
        self._joints = [figure.joint_index(name) for name in names if name in figure.joint_names]
        tips = [name for name in names if name not in figure.joint_names]
        self._tips = _Sites(figure, tips) if tips else None

    def points(self, frames: JointFrames) -> Array:
        """World points (frames, points, 3), m, for joints that are placed."""
        points: Array = frames.positions[:, self._joints]
        return points if self._tips is None else np.concatenate([points, self._tips(frames)], axis=1)

    def lowest(self, frames: JointFrames) -> Array:
        """Height (frames,), m, of the lowest of them."""
        lowest: Array = frames.positions[:, self._joints, 1].min(axis=1)
        return lowest if self._tips is None else np.minimum(lowest, self._tips(frames)[..., 1].min(axis=1))


class _Sites:
    """World points of some sites for joints that are placed."""

    def __init__(self, figure: Figure, names: Sequence[str]) -> None:
        self.figure, self._table = figure, site_table(figure, names)

    def __call__(self, frames: JointFrames) -> Array:
        points, xs, ys = np.empty((3, len(frames.positions), len(self._table), 3))
        place_sites_all(self._table, frames.rotations, frames.positions, points, xs, ys)
        return points


class _Soles:
    """Orientations of the soles of a figure."""

    def __init__(self, figure: Figure) -> None:
        sites = [figure.site(name) for name in SOLES]
        self._joints = np.array([figure.joint_index(site.joint) for site in sites])
        self._own = matrix_from_axes(np.array([s.x_axis for s in sites]), np.array([s.y_axis for s in sites]))

    def turns(self, frames: JointFrames) -> Array:
        """World frames (frames, 2, 3, 3) for joints that are placed."""
        found: Array = frames.rotations[:, self._joints] @ self._own
        return found
