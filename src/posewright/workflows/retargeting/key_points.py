"""What the planning of feet and hands needs to know of a carried posture: some places, not all joints of all frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from posewright.anatomy.lexicon import SIDES
from posewright.conventions import Array
from posewright.figures import Figure
from posewright.figures.kinematics import JointFrames, joint_frames

_AT_ONCE = 4096
"""Frames."""


@dataclass(frozen=True, eq=False)
class Watched:
    """Places over the frames of a posture."""

    soles: Mapping[str, Array]
    """By side: (frames, 3), m."""
    toe_tips: Mapping[str, Array]
    """By side: (frames, 3), m, seen from the sole."""
    hips: Array
    """(frames, 2, 3), m: left and right"""
    ends: Mapping[int, Array]
    """(frames, 3), m, by joint: wrists and head."""
    lowest: Mapping[int, Array]
    """(frames,), m: height of the lowest of the joints and sites at or below such a joint."""


class Watch:
    """Watches a figure with soles."""

    def __init__(self, figure: Figure, hips: Sequence[int], ends: Sequence[int]) -> None:
        self._figure, self._hips = figure, list(hips)
        self._feet = {side: _Foot(figure, side) for side in SIDES}
        self._ends = {joint: _Hand(figure, joint) for joint in ends}

    def __call__(self, q: Array) -> Watched:
        """Of frames (frames, dofs)."""
        n = len(q)
        soles, tips = ({side: np.empty((n, 3)) for side in SIDES} for _ in range(2))
        hips = np.empty((n, len(self._hips), 3))
        ends, lowest = {j: np.empty((n, 3)) for j in self._ends}, {j: np.empty(n) for j in self._ends}
        for start in range(0, n, _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            frames = joint_frames(self._figure, q[some])
            hips[some] = frames.positions[:, self._hips]
            for side, foot in self._feet.items():
                foot.look(frames, soles[side][some], tips[side][some])
            for joint, hand in self._ends.items():
                ends[joint][some] = frames.positions[:, joint]
                hand.look(frames, lowest[joint][some])
        return Watched(soles, tips, hips, ends, lowest)


class _Foot:
    def __init__(self, figure: Figure, side: str) -> None:
        sole, tip = figure.site(f"{side}_sole"), figure.site(f"{side}_toe_tip")
        x, y = np.array(sole.x_axis), np.array(sole.y_axis)
        self._foot, self._sole = figure.joint_index(sole.joint), np.array(sole.point)
        self._toes, self._tip = figure.joint_index(tip.joint), np.array(tip.point)
        self._frame = np.stack([x, y, np.cross(x, y)], axis=1)

    def look(self, frames: JointFrames, soles: Array, tips: Array) -> None:
        turned = frames.rotations[:, self._foot]
        soles[:] = frames.positions[:, self._foot] + turned @ self._sole
        way = frames.positions[:, self._toes] + frames.rotations[:, self._toes] @ self._tip - soles
        tips[:] = np.einsum("fij,fi->fj", turned @ self._frame, way)


class _Hand:
    def __init__(self, figure: Figure, joint: int) -> None:
        self._joints = list(figure.subtree(joint))
        sites = [(figure.joint_index(site.joint), site.point) for site in figure.sites]
        below = [(carrier, point) for carrier, point in sites if carrier in self._joints]
        self._carriers = [carrier for carrier, _ in below]
        self._points = np.array([point for _, point in below]).reshape(-1, 3)

    def look(self, frames: JointFrames, lowest: Array) -> None:
        frames.positions[:, self._joints, 1].min(axis=1, out=lowest)
        if self._carriers:
            up = np.einsum("fki,ki->fk", frames.rotations[:, self._carriers, 1], self._points)
            up += frames.positions[:, self._carriers, 1]
            np.minimum(lowest, up.min(axis=1), out=lowest)
