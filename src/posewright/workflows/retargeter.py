"""Retargeting of a stream: a frame in, a frame out, in constant memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidMotion, InvalidSetting
from posewright.figure import Figure, Pose
from posewright.figure.kinematics import site_frames
from posewright.figure.size import figure_height
from posewright.matching import JointMatch, Scaling, sole_sites
from posewright.matching.parts import SIDES
from posewright.matching.soles import floor_under
from posewright.motion import Motion
from posewright.motion.contacts import ContactSettings
from posewright.motion.floor import Floor
from posewright.problem import Guidance, MotionProblem
from posewright.solvers.least_squares import LeastSquares
from posewright.solvers.stream import MotionStream
from posewright.solvers.tracking import Tracking
from posewright.workflows.live_feet import LiveFeet
from posewright.workflows.reaching import hand_lift
from posewright.workflows.retarget import (
    CARRIES,
    GUIDANCE,
    QUICK,
    SWING,
    Pair,
    carried_sole,
    hand_activation,
    toe_activation,
)
from posewright.workflows.watched import Watched

_NOWHERE = np.zeros(3)
_LEARN = 1.0
"""s of motion from which the floor is found."""
_SETTLE = 0.3
"""s in which a floor that was found takes the place of the first guess."""


@dataclass(frozen=True, eq=False)
class _Carried:
    """What is known of one frame of the source: of the target's carried posture, and of both figures' feet."""

    q: Array
    """(dofs,)"""
    watched: Watched
    points: Array
    """(4, 3), m: the source's heels and toe tips"""
    heights: Array
    """(4,), m"""
    soles: Array
    """(2, 3), m: the target's"""
    turns: Array
    """(2, 3, 3): their frames"""


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
        guidance: Guidance | None = None,
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
        self._window: deque[_Carried] = deque(maxlen=self._ahead + 2)
        tread, shapes = self.pair.tread.figure, [self.pair.shapes[side] for side in SIDES]
        self._feet = LiveFeet(shapes, figure_height(tread), self.fps, ContactSettings())
        self._sites = sole_sites(tread)
        self._drop, self._last = 0.0, self.pair.target.rest
        self._stream = self._prepared(guidance, tracking, velocity_limits)

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
        return tuple(name for name, touches in zip(self._sites, self._feet.touching, strict=True) if touches)

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
            self._window.append(carried)  # the frame before the first
        self._window.append(carried)
        return self._answer() if len(self._window) == self._window.maxlen else None

    def finish(self) -> list[Pose]:
        """The frames that are still to come out when no more go in."""
        left = []
        if self._window:
            n = min(self._ahead, len(self._window) - 1)
            if len(self._window) < (self._window.maxlen or 0):
                while len(self._window) < (self._window.maxlen or 0):
                    self._window.append(self._window[-1])
                left.append(self._answer())
                n -= 1
            for _ in range(n):
                self._window.append(self._window[-1])
                left.append(self._answer())
        return left

    def follow(
        self,
        example: Pose | Array,
        targets: Mapping[str, Sequence[float] | Array],
        activation: Mapping[str, float] | None = None,
    ) -> Pose:
        """The next frame for an example and tracks of one's own: those of a clip give the clip's numbers."""
        q = self._stream.frame(example, targets, activation).pose.q
        self._last = self.pair.hinged(q[None], self._last)[0]
        return Pose(self.pair.target, self._last)

    def _carry(self, q: Array) -> _Carried:
        pair = self.pair
        feet = site_frames(pair.tread.figure, q[None], self._sites).points[0]
        self._find_floor(q, float(feet[:, 1].min()))
        pair.scaling = Scaling(pair.scaling.factor, Floor(self._level))
        pair.carrier.scaling = pair.scaling
        carried = pair.carrier(q[None])
        watched = pair.watch(carried)
        ways = pair.sole_tracks(q[None], pair.scaling)
        soles, turns = np.empty((2, 3)), np.empty((2, 3, 3))
        for k, (side, way) in enumerate(zip(SIDES, ways, strict=True)):
            soles[k : k + 1], turns[k : k + 1] = carried_sole(watched, side, way)
        return _Carried(carried[0], watched, feet, feet[:, 1] - self._level, soles, turns)

    def _find_floor(self, q: Array, lowest: float) -> None:
        if self._floor is not None:
            self._level += (self._goes_to - self._level) * min(1.0, 3.0 / (_SETTLE * self.fps))
            return
        self._level = self._goes_to = lowest if not self._learnt else min(self._level, lowest)
        self._learnt.append(q)
        if len(self._learnt) >= _LEARN * self.fps:
            seen = Motion(self.pair.source.figure, np.array(self._learnt), self.fps)
            self._floor = self._goes_to = floor_under(seen, self.pair.ours).height
            self._learnt = []

    def _answer(self) -> Pose:
        window = list(self._window)
        now = window[1]
        ways = self._feet.advance(
            np.array([w.points for w in window]),
            np.array([w.heights for w in window]),
            np.array([[w.soles[k] for w in window[1:]] for k in range(2)]),
            np.array([[w.turns[k] for w in window[1:]] for k in range(2)]),
            np.concatenate([now.watched.toe_tips[side] for side in SIDES]),
        )
        targets: dict[str, Array] = {}
        activation: dict[str, float] = {}
        for side, way in zip(SIDES, ways, strict=True):
            targets[f"{side}_sole"] = np.concatenate([way["place"], way["frame"].T.reshape(9)[:6]])
            activation[f"{side}_sole"] = SWING + (1.0 - SWING) * float(way["sole_rests"])
            if self.pair.shapes[side].has_toes:
                targets[f"{side}_toe_tip"] = np.concatenate([_NOWHERE, way["toes"].T.reshape(9)[:6]])
                activation[f"{side}_toe_tip"] = float(toe_activation(way["toes_rest"][None])[0])
        need = float(self.pair.drop(now.watched, ways["ankle"][None])[0])
        self._drop += (need - self._drop) * min(1.0, 2.0 / self._ahead)
        drop = np.array([self._drop])
        for joint, places in now.watched.ends.items():
            lift = hand_lift(now.watched.lowest[joint] - drop, self.fps)
            name = self.pair.figure.joint_names[joint]
            targets[name] = places[0] + np.array([0.0, float(lift[0] - self._drop), 0.0])
            activation[name] = float(hand_activation(lift)[0])
        example = now.q[None].copy()
        self.pair.sink(example, drop)
        return self.follow(example[0], targets, activation)

    def _prepared(self, guidance: Guidance | None, tracking: Tracking | None, velocity_limits: bool) -> MotionStream:
        pair = self.pair
        still = Motion(pair.figure, pair.figure.rest[None], self.fps)
        problem = MotionProblem(
            pair.figure,
            pair.goals_at_rest(),
            still,
            guidance=guidance or replace(GUIDANCE, weights=dict.fromkeys(pair.slides, CARRIES)),
            frozen=pair.frozen,
            velocity_limits=velocity_limits,
        )
        return MotionStream(problem, LeastSquares(tracking=tracking or QUICK))
