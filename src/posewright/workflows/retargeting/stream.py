"""Retargeting of a stream: a frame in, a frame out, in constant memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from posewright.anatomy.feet import SOLE_ENDS
from posewright.anatomy.lexicon import SIDES
from posewright.checks import require, require_number
from posewright.conventions import Array
from posewright.errors import InvalidMotion, InvalidSetting
from posewright.figures import Figure, Pose
from posewright.kernels.tables import Table
from posewright.matching import JointMatch, Scaling
from posewright.motions import Motion
from posewright.motions.contacts import ContactSettings, floor_under
from posewright.motions.floor import Floor
from posewright.problem import Imitation, MotionProblem
from posewright.solvers.least_squares import LeastSquares
from posewright.solvers.motion.stream import MotionStream
from posewright.solvers.motion.tracking import Tracking
from posewright.workflows.retargeting.live_body import LiveBody, LiveFrame
from posewright.workflows.retargeting.live_feet import LiveFeet
from posewright.workflows.retargeting.retarget import (
    CARRIES,
    GUIDANCE,
    QUICK,
    SWING,
    Pair,
    hand_activation,
    toe_activation,
)

_LEARN = 1.0
"""s of motion from which the floor is found."""
_SETTLE = 0.3
"""s in which a floor that was found takes the place of the first guess."""


class Retargeter:
    """Retargets frame after frame. One thread; one retargeter per motion.

    Frames come out `delay` later than they go in: contacts are found from the frames in between. For given tracks and
    contacts `follow` gives the same numbers as the whole clip.
    """

    def __init__(
        self,
        source: Figure | Motion,
        target: Figure,
        match: JointMatch | None = None,
        *,
        fps: float | None = None,
        floor: float | None = None,
        scale: float | None = None,
        delay: float = 0.1,
        velocity_limits: bool = False,
        guidance: Imitation | None = None,
        tracking: Tracking | None = None,
    ) -> None:
        """Prepare a stream.

        Args:
            source: whose frames will come: a figure whose rest pose stands, or a motion in which it stands.
            target: whose rest pose stands.
            match: which joints are which; None finds them.
            fps: frames per second of the stream; None: those of the motion.
            floor: height under the source, m; None: found in the first second.
            scale: factor of the root's path; None: by the length of the legs.
            delay: s, by which frames come out late, so that contacts can be found.
            velocity_limits: whether joints keep to `Figure.max_speeds`; what is too fast is followed late.
            guidance: weights; None: chosen for retargeting.
            tracking: work per frame; None: quick.
        """
        require(source, Figure | Motion, "the source", "a Figure, or a Motion such as pw.motion(path)")
        require(velocity_limits, bool, "velocity_limits of a stream", "True or False; with_max_speeds sets others")
        if tracking is not None:
            require(tracking, Tracking, "tracking", "a Tracking, such as Tracking(steps=10)")
        if fps is not None:
            require_number(fps, "fps", "a positive number of frames per second")
        require_number(delay, "delay", "s, from 0 to 1")
        if fps is None and isinstance(source, Figure):
            raise InvalidSetting("fps is not given; a stream of a figure needs its frames per second")
        known = source if isinstance(source, Motion) else Motion(source, source.rest[None], fps or 0.0)
        self.fps = known.fps if fps is None else float(fps)
        self._ahead = max(2, round(delay * self.fps))
        if not (np.isfinite(delay) and 0.0 <= delay <= 1.0):
            raise InvalidSetting(f"delay is {delay} s; it must be from 0 to 1")
        self.pair = Pair(replace(known, fps=self.fps), target, match, floor=floor or 0.0, scale=scale)
        self._floor: float | None = floor
        self._learnt: list[Array] = []
        self._level, self._goes_to = floor or 0.0, floor or 0.0
        self._window: deque[LiveFrame] = deque(maxlen=self._ahead + 2)
        self._body = LiveBody(self.pair)
        n = self._ahead + 2  # the frame before, this one and those ahead; of soles not the one before
        self._points, self._heights = np.empty((n, 4, 3)), np.empty((n, 4))
        self._soles, self._turns = np.empty((2, n - 1, 3)), np.empty((2, n - 1, 3, 3))
        tread, shapes = self.pair.tread.figure, [self.pair.shapes[side] for side in SIDES]
        self._feet = LiveFeet(shapes, tread.height, self.fps, ContactSettings())
        self._drop, self._last = 0.0, self.pair.target.rest
        self._stream = self._prepared(guidance, tracking, velocity_limits)
        self._asked = _Asked(self.pair, self._stream)

    @property
    def delay(self) -> int:
        """Frames by which answers come late."""
        return self._ahead

    @property
    def figure(self) -> Figure:
        """The target, with sites for its soles."""
        return self.pair.target

    @property
    def resting(self) -> tuple[str, ...]:
        """Which heels and toe tips rest in the frame that came out last."""
        return tuple(name for name, touches in zip(SOLE_ENDS, self._feet.touching, strict=True) if touches)

    def frame(self, q: Pose | Array) -> Pose | None:
        """Take the next frame of the source; return the one `delay` frames before, None while there is none."""
        values = np.asarray(q.q if isinstance(q, Pose) else q, dtype=np.float64)
        dofs = self.pair.source.figure.n_dofs
        if values.shape != (dofs,) or not np.isfinite(values).all():
            raise InvalidMotion(
                f"the stream's frame has shape {values.shape}; it must be ({dofs},) finite numbers, one per dof of "
                f"figure {self.pair.source.figure.name!r}"
            )
        carried = self._carry(values)
        if not self._window:
            self._push(carried)  # the frame before the first
        self._push(carried)
        return self._answer() if len(self._window) == self._window.maxlen else None

    def finish(self) -> list[Pose]:
        """The frames that are still to come out when no more go in."""
        left = []
        if self._window:
            n = min(self._ahead, len(self._window) - 1)
            if len(self._window) < (self._window.maxlen or 0):
                while len(self._window) < (self._window.maxlen or 0):
                    self._push(self._window[-1])
                left.append(self._answer())
                n -= 1
            for _ in range(n):
                self._push(self._window[-1])
                left.append(self._answer())
        return left

    def follow(
        self,
        example: Pose | Array,
        targets: Mapping[str, Sequence[float] | Array],
        activation: Mapping[str, float] | None = None,
    ) -> Pose:
        """The next frame for an example and tracks of one's own: those of a clip give the clip's numbers."""
        q = self._stream.solve(example, targets, activation).q
        self._last = self.pair.hinged(q[None], self._last)[0]
        return Pose(self.pair.target, self._last)

    def _carry(self, q: Array) -> LiveFrame:
        pair = self.pair
        frames, points, soles = self._body.feet(q)
        self._find_floor(q, float(points[:4, 1].min()))
        if pair.scaling.floor.height != self._level:
            pair.scaling = pair.carrier.scaling = Scaling(pair.scaling.factor, Floor(self._level))
        return self._body(frames, points, soles, self._level)

    def _push(self, frame: LiveFrame) -> None:
        self._window.append(frame)
        self._points[:-1], self._points[-1] = self._points[1:], frame.points
        self._heights[:-1], self._heights[-1] = self._heights[1:], frame.heights
        self._soles[:, :-1], self._soles[:, -1] = self._soles[:, 1:], frame.soles
        self._turns[:, :-1], self._turns[:, -1] = self._turns[:, 1:], frame.turns

    def _find_floor(self, q: Array, lowest: float) -> None:
        if self._floor is not None:
            self._level += (self._goes_to - self._level) * min(1.0, 3.0 / (_SETTLE * self.fps))
            return
        self._level = self._goes_to = lowest if not self._learnt else min(self._level, lowest)
        self._learnt.append(q)
        if len(self._learnt) >= _LEARN * self.fps:
            seen = Motion(self.pair.tread.figure, np.array(self._learnt), self.fps)
            self._floor = self._goes_to = floor_under(seen, SOLE_ENDS).height
            self._learnt = []

    def _answer(self) -> Pose:
        pair, now = self.pair, self._window[1]
        ways = self._feet.advance(self._points, self._heights, self._soles, self._turns, now.toe_tips)
        need = float(pair.drop(now.hips, ways["ankle"][None])[0])
        self._drop += (need - self._drop) * min(1.0, 2.0 / self._ahead)
        self._asked.feet(ways)
        self._asked.ends(now, self._drop)
        example = now.q[None].copy()
        pair.sink(example, np.array([self._drop]))
        q = self._stream.solve(example[0], self._asked.targets, self._asked.activation).q
        self._last = pair.hinged(q[None], self._last)[0]
        return Pose(pair.target, self._last)

    def _prepared(self, guidance: Imitation | None, tracking: Tracking | None, velocity_limits: bool) -> MotionStream:
        pair = self.pair
        still = Motion(pair.figure, pair.figure.rest[None], self.fps)
        problem = MotionProblem(
            pair.figure,
            pair.goals_at_rest(),
            still,
            imitation=guidance or replace(GUIDANCE, weights=dict.fromkeys(pair.slides, CARRIES)),
            frozen=pair.frozen,
            velocity_limits=velocity_limits,
        )
        return LeastSquares(tracking=tracking or QUICK).stream(problem)


class _Asked:
    """Targets and activations of the terms of a stream, written in place."""

    def __init__(self, pair: Pair, stream: MotionStream) -> None:
        rows = stream.rows
        n = max(rows.values()) + 1
        self.targets, self.activation = np.zeros((n, 9)), np.ones(n)
        soles = [stream.parts(f"{side}_sole") for side in SIDES]  # a row of points and one of directions each
        self._places, self._turns = [place for place, _ in soles], [turn for _, turn in soles]
        self._toes = [(k, rows[f"{side}_toe_tip"]) for k, side in enumerate(SIDES) if pair.shapes[side].has_toes]
        self._ends = [rows[pair.figure.joint_names[joint]] for joint in pair.ends().values()]

    def feet(self, ways: Table) -> None:
        """Ask for the ways of both soles."""
        self.targets[self._places, :3] = ways["place"]
        self.targets[self._turns, 3:] = _axes(ways["frame"])
        self.activation[self._places] = self.activation[self._turns] = SWING + (1.0 - SWING) * ways["sole_rests"]
        if self._toes:
            lying, resting = _axes(ways["toes"]), toe_activation(ways["toes_rest"])
            for k, row in self._toes:
                self.targets[row, 3:], self.activation[row] = lying[k], resting[k]

    def ends(self, frame: LiveFrame, drop: float) -> None:
        """Ask for wrists and head as a posture has them that sinks by `drop` (m), above the floor."""
        lift = np.maximum(0.0, drop - frame.lowest)
        places = frame.ends.copy()
        places[:, 1] += lift - drop
        self.targets[self._ends, :3], self.activation[self._ends] = places, hand_activation(lift)


def _axes(frames: Array) -> Array:
    """First and second columns (n, 6) of frames (n, 3, 3)."""
    return np.swapaxes(frames, 1, 2).reshape(-1, 9)[:, :6]
