"""Where the feet of a source are, and the few places of a transferred posture that goals are made from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
_PAIRS = ("hip", "shoulder")
_AT_ONCE = 4096
"""Frames: memory does not grow with the clip beyond what is kept."""


@dataclass(frozen=True, eq=False)
class SourceFeet:
    """The feet of a source over frames."""

    ends: Array
    """(frames, 4, 3), m: `SOLE_ENDS`"""
    soles: Array
    """(frames, 2, 3), m"""
    turns: Array
    """(frames, 2, 3, 3): how the target's soles are turned: what is flat on the source is flat on the target"""


@dataclass(frozen=True, eq=False)
class KeyPoints:
    """Places of a figure over frames."""

    soles: Array
    """(frames, 2, 3), m"""
    turns: Array
    """(frames, 2, 3, 3): frames of the soles"""
    toe_tips: Array
    """(frames, 2, 3), m, seen from the soles"""
    hips: Array
    """(frames, 2, 3), m"""
    shoulders: Array
    """(frames, 2, 3), m"""
    ends: Array
    """(frames, ends, 3), m: wrists and head"""
    lowest: Array
    """(frames, ends), m: height of the lowest of the joints and sites at or below them"""
    low: Array
    """(frames, low, 3), m: elbows, knees and fingers"""


class FindSourceFeet:
    """Finds the feet of the source of a match, whose figures have soles."""

    def __init__(self, match: JointMatch) -> None:
        source, target = match.source, match.target
        self._sites, self._soles = _Sites(source.figure, [*SOLE_ENDS, *SOLES]), _Soles(source.figure)
        own, theirs = (_Soles(figure).turns(joint_frames(figure, figure.rest[None])) for figure in match.figures)
        between = [source.segments.sole_frame(side) @ target.segments.sole_frame(side).T for side in SIDES]
        self._turns: Array = np.swapaxes(own[0], 1, 2) @ between @ theirs[0]

    def __call__(self, frames: JointFrames) -> SourceFeet:
        """In frames of the source whose joints are placed."""
        points = self._sites(frames)
        return SourceFeet(points[:, :4], points[:, 4:], self._soles.turns(frames) @ self._turns)

    def over(self, q: Array) -> SourceFeet:
        """In frames (frames, dofs) of the source."""
        ends, soles = np.empty((len(q), 4, 3)), np.empty((len(q), 2, 3))
        turns = np.empty((len(q), 2, 3, 3))
        for start in range(0, len(q), _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            found = self(joint_frames(self._sites.figure, q[some]))
            ends[some], soles[some], turns[some] = found.ends, found.soles, found.turns
        return SourceFeet(ends, soles, turns)


class FindKeyPoints:
    """Finds the key points of a figure with soles."""

    def __init__(self, anatomy: Anatomy, ends: Sequence[int], low: Sequence[str] = ()) -> None:
        """Prepare; `ends` are the joints of wrists and head, `low` other joints or sites."""
        figure = anatomy.figure
        hips, self._shoulders = ([anatomy.segments.centre(f"{side}_{part}") for side in SIDES] for part in _PAIRS)
        below: list[str] = []
        self._n_ends, self._begins = len(ends), []
        for joint in ends:
            self._begins.append(len(below))
            under = [figure.joint_names[k] for k in figure.subtree(joint)]
            below += [*under, *(site.name for site in figure.sites if site.joint in under)]
        named = [*SOLES, *(f"{side}_toe_tip" for side in SIDES), *(figure.joint_names[k] for k in (*hips, *ends))]
        self._sites, self._soles = _Sites(figure, [*named, *low, *below]), _Soles(figure)
        self._n_low = len(low)

    def __call__(self, frames: JointFrames) -> KeyPoints:
        """In frames of the figure whose joints are placed."""
        points, n = self._sites(frames), 6 + self._n_ends
        soles, turns = points[:, :2], self._soles.turns(frames)
        tips = ((points[:, 2:4] - soles)[:, :, None] @ turns)[:, :, 0]
        low, heights = points[:, n : n + self._n_low], points[:, n + self._n_low :, 1]
        lowest = np.minimum.reduceat(heights, self._begins, axis=1) if self._begins else heights
        shoulders = frames.positions[:, self._shoulders]
        return KeyPoints(soles, turns, tips, points[:, 4:6], shoulders, points[:, 6:n], lowest, low)

    def over(self, q: Array) -> KeyPoints:
        """In frames (frames, dofs)."""
        n, ends = len(q), self._n_ends
        soles, tips, hips, shoulders = (np.empty((n, 2, 3)) for _ in range(4))
        turns = np.empty((n, 2, 3, 3))
        places, lowest, low = np.empty((n, ends, 3)), np.empty((n, ends)), np.empty((n, self._n_low, 3))
        found = KeyPoints(soles, turns, tips, hips, shoulders, places, lowest, low)
        for start in range(0, n, _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            for name, values in vars(self(joint_frames(self._sites.figure, q[some]))).items():
                getattr(found, name)[some] = values
        return found


class _Sites:
    """World points of some sites for joints that are placed."""

    def __init__(self, figure: Figure, names: Sequence[str]) -> None:
        self.figure, self._table = figure, site_table(figure, names)

    def __call__(self, frames: JointFrames) -> Array:
        points, xs, ys = np.empty((3, len(frames.positions), len(self._table), 3))
        place_sites_all(self._table, frames.rotations, frames.positions, points, xs, ys)
        return points


class _Soles:
    """How the soles of a figure are turned."""

    def __init__(self, figure: Figure) -> None:
        sites = [figure.site(name) for name in SOLES]
        self._joints = np.array([figure.joint_index(site.joint) for site in sites])
        self._own = matrix_from_axes(np.array([s.x_axis for s in sites]), np.array([s.y_axis for s in sites]))

    def turns(self, frames: JointFrames) -> Array:
        """World frames (frames, 2, 3, 3) for joints that are placed."""
        found: Array = frames.rotations[:, self._joints] @ self._own
        return found
