"""A transferred posture laid on the floor.

Bodies of other proportions would sink into the floor, and recordings have fingers far below it. Hands bend at the
wrist until they lie on the floor, and thighs turn up by a few degrees. If anything else is too low, the whole body
rises. Arms are not turned: limited ones would switch to other angles, 70 degrees off.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from posewright.anatomy.lexicon import SIDES
from posewright.conventions import Array
from posewright.figures.kinematics import JointFrames, joint_frames
from posewright.matching import PoseTransfer
from posewright.motions.smoothing import gaussian
from posewright.rotations import matrix_from_vector
from posewright.workflows.retargeting.key_points import AT_ONCE, Heights, body_points, points_below
from posewright.workflows.retargeting.reach import SKIN, smooth_need
from posewright.workflows.retargeting.setup import RetargetSetup

_TURN = 0.1
"""s: width of the filter that smooths the direction of a hand that is laid on the floor."""
_FACING = 0.15
"""Weight of the direction in which the body faces, for hands that hang straight down."""
_UP = np.array([0.0, 1.0, 0.0])
_THIGH = math.radians(8.0)
"""rad by which thighs turn up at most."""


class Ground:
    """The floor under a target, and the rotations of hands and thighs that reach into it."""

    def __init__(self, setup: RetargetSetup) -> None:
        body = setup.match.target
        self._setup = setup
        self._limbs: list[_Limb] = []
        for side in SIDES:
            self._limbs.append(_Limb(setup, f"{side}_hip", f"{side}_knee", body.parts[f"{side}_knee"], _THIGH))
            if f"{side}_wrist" in setup.match.parts:
                hand = points_below(body, f"{side}_wrist")[1:]
                self._limbs.append(_Limb(setup, f"{side}_wrist", None, hand, math.pi))
        turned = {name for limb in self._limbs for name in limb.names}
        self._body = Heights(setup.figure, [name for name in body_points(body) if name not in turned])

    def turn_up(self, q: Array) -> bool:
        """Turn up limbs that reach into the floor in frames (frames, dofs) of the target; return whether any do."""
        below, fps = np.empty(len(q)), self._setup.source.fps
        seen: list[list[_Seen]] = [[] for _ in self._limbs]
        for start in range(0, len(q), AT_ONCE):
            frames = joint_frames(self._setup.figure, q[start : start + AT_ONCE])
            below[start : start + AT_ONCE] = SKIN - self._body.lowest(frames)
            for limb, blocks in zip(self._limbs, seen, strict=True):
                blocks.append(limb.seen(frames))
        rise = smooth_need(np.maximum(0.0, below), fps)
        turned = [limb.turn_up(blocks, rise, fps) for limb, blocks in zip(self._limbs, seen, strict=True)]
        return any(turned)

    def transferred(self) -> Array:
        """The source's frames (frames, dofs) on the target, with limbs turned as far as limits allow."""
        transfer, source = PoseTransfer(self._setup.match), self._setup.source
        out = np.empty((len(source), self._setup.figure.n_dofs))
        for start in range(0, len(out), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            frames = joint_frames(source.figure, source.q[some])
            for limb in self._limbs:
                turns = matrix_from_vector(limb.turns[some])
                frames.rotations[:, limb.joints] = turns[:, None] @ frames.rotations[:, limb.joints]
            out[some] = transfer.of_frames(frames, self._setup.scaling, source.fps)
        return out


class _Limb:
    """A hand or thigh of the target over the frames of a clip."""

    def __init__(self, setup: RetargetSetup, part: str, until: str | None, names: Sequence[str], most: float) -> None:
        """Prepare a part; `until`: the part below that keeps its rotation; its points; largest rotation, rad."""
        body, theirs = setup.match.target, setup.match.source
        kept = theirs.figure.subtree(theirs.first(until)) if until else ()
        self.joints = [k for k in theirs.figure.subtree(theirs.first(part)) if k not in kept]
        """Of the source."""
        self.names = names
        self.turns = np.zeros((len(setup.source), 3))
        """(frames, 3), rad: rotation vectors in the world that raise it to the floor."""
        self._pivot, self._most = body.first(part), most
        self._points = Heights(setup.figure, names)
        self._shoulders = [body.segments.centre(f"{side}_shoulder") for side in SIDES]

    def seen(self, frames: JointFrames) -> _Seen:
        """Measure it in frames of the target whose joints are placed."""
        pivot = frames.positions[:, self._pivot]
        away = self._points.points(frames) - pivot[:, None]
        long = np.maximum(np.linalg.norm(away, axis=-1), 1e-9)
        left, right = (frames.positions[:, joint] for joint in self._shoulders)
        furthest = away[np.arange(len(away)), long.argmax(axis=1)] if away.shape[1] else np.zeros_like(pivot)
        ahead = furthest + _FACING * np.cross(left - right, _UP)
        return _Seen(pivot[:, 1], long, np.arcsin(np.clip(away[..., 1] / long, -1.0, 1.0)), ahead)

    def turn_up(self, blocks: Sequence[_Seen], rise: Array, fps: float) -> bool:
        """Turn it up if the body is raised by `rise` (frames,), m; return whether that is needed."""
        turn, start = np.zeros(len(rise)), 0
        for seen in blocks:
            some = slice(start, start + len(seen.height))
            high = (seen.height + rise[some] - SKIN)[:, None]
            least = np.arcsin(np.clip(-high / seen.long, -1.0, 0.0))
            turn[some] = (least - seen.slopes).max(axis=1, initial=0.0)
            start = some.stop
        if not turn.any():
            return False
        level = np.concatenate([seen.ahead for seen in blocks]) * [1.0, 0.0, 1.0]
        axes = np.cross(gaussian(level, max(0.5, _TURN * fps)), _UP)
        axes /= np.maximum(np.linalg.norm(axes, axis=1, keepdims=True), 1e-9)
        self.turns = smooth_need(np.minimum(turn, self._most), fps)[:, None] * axes
        return True


@dataclass(frozen=True, eq=False)
class _Seen:
    height: Array
    """(frames,), m: of the joint about which it turns"""
    long: Array
    """(frames, points), m: from there"""
    slopes: Array
    """(frames, points), rad"""
    ahead: Array
    """(frames, 3), m: where it points"""
