"""Retargeting of a stream: a frame in, a frame out, in constant memory."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from posewright.anatomy.feet import SOLE_ENDS
from posewright.anatomy.lexicon import SIDES
from posewright.checks import require, require_number
from posewright.conventions import Array
from posewright.errors import InvalidMotion, InvalidSetting
from posewright.figures import Figure, Pose
from posewright.figures.kinematics import joint_frames
from posewright.figures.transforms.balls import BallsToHinges
from posewright.goals.timed import follow
from posewright.kernels.motion.feet import PATH, Carried, advance_feet
from posewright.kernels.tables import Table
from posewright.matching import JointMatch, PoseTransfer, Scaling
from posewright.motions import Motion
from posewright.motions.contacts import ContactSettings, contacts
from posewright.motions.floor import Floor
from posewright.problem import Imitation, MotionProblem
from posewright.solvers.least_squares import LeastSquares, Tracking
from posewright.solvers.motion.stream import MotionStream
from posewright.workflows.retargeting.feet import Feet
from posewright.workflows.retargeting.key_points import FindKeyPoints, FindSourceFeet, KeyPoints, SourceFeet
from posewright.workflows.retargeting.reach import SKIN, NeedFilter
from posewright.workflows.retargeting.retarget import ENDS, QUICK
from posewright.workflows.retargeting.setup import RetargetSetup

_LEARN = 1.0
"""s of motion from which the floor is estimated."""
_SETTLE = 0.3
"""s in which the estimated floor replaces the first guess."""
_ROOM = 256
"""Additional frames of the buffer: a window that has moved so far is copied back to the front."""


class Retargeter:
    """Retargets a stream frame by frame. Use one retargeter per motion, from one thread.

    Frames come out `delay` later than they go in, because contacts are found from the frames in between. Given the
    goals and contacts of a clip, `follow` gives the same numbers as `retarget`.
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
        imitation: Imitation | None = None,
        tracking: Tracking | None = None,
    ) -> None:
        """Prepare a stream.

        Args:
            source: the source figure, whose rest pose must stand upright, or a motion in which it stands in some frame.
            target: the target figure, whose rest pose must stand upright.
            match: which joints correspond (default: found by names and shape).
            fps: frames per second of the stream (default: those of the motion).
            floor: height of the floor under the source, m (default: estimated during the first second).
            scale: scale of the root's path (default: the ratio of the leg lengths).
            delay: time by which frames come out late so that contacts can be found, s.
            velocity_limits: whether joints keep to `Figure.max_speeds`; they lag behind movements that are too fast.
            imitation: weights of goals and example (default: chosen for retargeting).
            tracking: work per frame (default: settings for speed).
        """
        require(source, Figure | Motion, "the source", "a Figure, or a Motion such as pw.motion(path)")
        require(velocity_limits, bool, "velocity_limits of a stream", "True or False; with_max_speeds sets others")
        if fps is not None:
            require_number(fps, "fps", above=0.0, unit="frames per second")
        require_number(delay, "delay", "s, from 0 to 1", at_least=0.0, at_most=1.0)
        if fps is None and isinstance(source, Figure):
            raise InvalidSetting("fps is not given; a stream of a figure needs its frames per second")
        known = source if isinstance(source, Motion) else Motion(source, source.rest[None], fps or 0.0)
        self.fps = known.fps if fps is None else float(fps)
        known = replace(known, fps=self.fps)
        self._setup = setup = RetargetSetup.between(known, target, match, floor=floor or 0.0, scale=scale)
        self._transfer, self._hinged = PoseTransfer(setup.match), BallsToHinges(setup.figure, setup.target)
        self._source_feet = FindSourceFeet(setup.match)
        self._key_points = FindKeyPoints(setup.match.target, setup.ends, hands=False)
        self._ground = _Ground(setup.source.figure, self.fps, floor)
        self._window = _Window(setup, max(2, round(delay * self.fps)))
        self._stream = self._prepared(imitation, tracking, velocity_limits)
        self._asked = _Asked(setup, self._window.feet, self._stream)
        self._last, self._scaling = setup.target.rest, setup.scaling

    @property
    def delay(self) -> int:
        """Number of frames by which answers come late."""
        return self._window.ahead

    @property
    def figure(self) -> Figure:
        """The target figure, with sites for its soles."""
        return self._setup.target

    @property
    def resting(self) -> tuple[str, ...]:
        """Names of the heels and toe tips that rest in the frame that came out last."""
        return tuple(name for name, touches in zip(SOLE_ENDS, self._window.touching, strict=True) if touches == 1)

    def frame(self, q: Pose | Array) -> Pose | None:
        """Take the next frame of the source, and return the frame `delay` earlier, or None if there is none yet."""
        figure = self._setup.source.figure
        values = np.asarray(q.q if isinstance(q, Pose) else q, dtype=np.float64)
        if values.shape != (figure.n_dofs,) or not np.isfinite(values).all():
            raise InvalidMotion(
                f"the stream's frame has shape {values.shape}; it must be ({figure.n_dofs},) finite numbers, one per "
                f"dof of figure {figure.name!r}"
            )
        frames = joint_frames(figure, values[None])
        feet = self._source_feet(frames)
        level = self._ground.level(values, feet.ends[0])
        if level != self._scaling.floor.height:
            self._scaling = Scaling(self._scaling.factor, Floor(level))
        scaling = self._scaling
        posture = self._transfer.of_frames(frames, scaling)
        points = self._key_points(joint_frames(self._setup.figure, posture))
        self._window.push(posture, feet, points, scaling, self._ground.levels)
        return self._answer() if self._window.waiting > self._window.ahead else None

    def finish(self) -> list[Pose]:
        """Return the remaining frames after the last frame of the source."""
        window, left = self._window, []
        for _ in range(window.ahead - window.waiting):  # if fewer frames came than are looked at
            window.push_again()
        while window.waiting:
            window.push_again()
            left.append(self._answer())
        return left

    def follow(
        self,
        example: Pose | Array,
        targets: Mapping[str, Sequence[float] | Array],
        activation: Mapping[str, float] | None = None,
    ) -> Pose:
        """The next frame for a given example and given targets, bypassing `frame`.

        Args:
            example: pose of the target figure to stay near.
            targets: targets of the stream's goals, by label.
            activation: how much goals count, from 0 to 1, by label.
        """
        return self._pose(self._stream.solve(example, targets, activation).q)

    def _answer(self) -> Pose:
        planned, asked = self._window.plan(), self._asked
        asked.take(planned)
        example = self._setup.lowered(planned.q, planned.drop)[0]
        return self._pose(self._stream.solve(example, asked.targets, asked.activation).q)

    def _pose(self, q: Array) -> Pose:
        self._last = self._hinged(q[None], self._last)[0]
        return Pose(self._setup.target, self._last)

    def _prepared(self, imitation: Imitation | None, tracking: Tracking | None, velocity_limits: bool) -> MotionStream:
        setup, feet, rest = self._setup, self._window.feet, self._setup.figure.rest[None]
        points = self._key_points.over(rest)
        turns = np.repeat(np.eye(3)[None, None], 2, axis=1)
        paths = feet.paths(points.soles, turns, points.toe_tips, points.hips, np.zeros((1, 4), np.bool_))
        names = [setup.figure.joint_names[joint] for joint in setup.ends]
        problem = MotionProblem(
            setup.figure,
            [
                *feet.goals(paths, strict=True),
                *(follow(name, points.ends[:, k], activation=[1.0], priority=2) for k, name in enumerate(names)),
            ],
            Motion(setup.figure, rest, self.fps),
            imitation=imitation or setup.imitation,
            frozen=setup.frozen(free_translations=False),
            velocity_limits=velocity_limits,
        )
        return LeastSquares(tracking=tracking or QUICK).stream(problem)


class _Ground:
    """The height of the floor under a source, estimated while its frames arrive unless it is given."""

    def __init__(self, figure: Figure, fps: float, floor: float | None) -> None:
        self._figure, self._fps, self._given = figure, fps, floor
        self._level, self._goes_to = floor or 0.0, floor or 0.0
        self._learning: list[Array] | None = []
        self.levels: Array = np.zeros(4)
        """(4,), m: how high the ends of the soles are above the floor when they stand on it."""

    def level(self, q: Array, ends: Array) -> float:
        """Its height, m, for the next frame (dofs,), whose ends of soles are at (4, 3), m."""
        if self._learning is None:
            self._level += (self._goes_to - self._level) * min(1.0, 3.0 / (_SETTLE * self._fps))
            return self._level
        if self._given is None:
            lowest = float(ends[:, 1].min())
            self._level = self._goes_to = min(self._level, lowest) if self._learning else lowest
        self._learning.append(q)
        if len(self._learning) >= max(3.0, _LEARN * self._fps):
            seen = Motion(self._figure, np.array(self._learning), self._fps)
            found = contacts(seen, SOLE_ENDS, floor=self._given)
            self._goes_to, self.levels = found.floor.height, found.levels
            self._learning = None
        return self._level


class _Window:
    """The known frames of a stream: some before the one that comes out next, that one, and those ahead."""

    def __init__(self, setup: RetargetSetup, ahead: int) -> None:
        self.ahead = ahead
        self.feet = Feet.of(setup.match.target, setup.source.fps)
        self._rule = ContactSettings().rule(setup.source.figure.height, setup.source.fps)
        self._past, n, ends = math.ceil(self._rule["window"][0]), 1 + ahead, len(setup.ends)
        shapes = ((setup.figure.n_dofs,), (4, 3), (4,), (2, 3, 3), (2, 3), (2, 3), (2, 3), (ends, 3), ())
        self._arrays = [np.empty((self._past + n + _ROOM, *shape)) for shape in shapes]
        self._known, self._end = 0, 0
        self.touching = np.full(4, -1)
        """1 where an end of `SOLE_ENDS` rests in the frame that came out last; else see `kernels.motion.contacts`."""
        self._resting, self._paths = np.empty((n, 4), np.bool_), np.empty((n, 2), PATH)
        self._both = self.feet.with_memory()
        self._drop, self._rise = NeedFilter(1, ahead), NeedFilter(1, ahead)

    @property
    def waiting(self) -> int:
        """How many frames are known that have not come out; the first of them can when there are more than `ahead`."""
        return self._known

    def push(self, q: Array, feet: SourceFeet, points: KeyPoints, scaling: Scaling, levels: Array) -> None:
        """Take a frame: its transferred posture (1, dofs), and the points of both figures."""
        heights = scaling.floor.heights_of(feet.ends) - levels
        soles, turns = self.feet.carried(feet, points, scaling)
        values = (
            q, feet.ends, heights, turns, soles, points.toe_tips, points.hips, points.ends, points.lowest
        )  # fmt: skip
        for _ in range(1 if self._end else 1 + self._past):  # before the first frame, there is nothing but it
            self._append([value[0] for value in values])
        self._known += 1

    def push_again(self) -> None:
        """Repeat the last frame."""
        self._append([array[self._end - 1] for array in self._arrays])

    def _append(self, values: Sequence[Array]) -> None:
        if self._end == len(self._arrays[0]):  # begin again
            n = self._past + self.ahead
            for array in self._arrays:
                array[:n] = array[-n:]
            self._end = n
        for array, value in zip(self._arrays, values, strict=True):
            array[self._end] = value
        self._end += 1

    def plan(self) -> _Planned:
        """The frame that comes out next."""
        now, end = self._end - 1 - self.ahead, self._end
        q, ends, heights, *ahead = self._arrays
        turns, soles, tips, hips, places, lowest = (array[now:end] for array in ahead)
        advance_feet(
            self._rule, self._both, ends[now - self._past : end], heights[now - self._past : end],
            Carried(soles, turns, tips, hips), self.touching, self._resting, self._paths,
        )  # fmt: skip
        drop = self._drop.next(self._paths["drop"].max(axis=1)[:, None])
        self._known -= 1
        rise = self._rise.next((SKIN - lowest)[:, None])
        return _Planned(q[now : now + 1], self._paths[0], drop - rise, places[0])


class _Planned(NamedTuple):
    q: Array
    """(1, dofs): the transferred posture."""
    paths: Table
    """(2,): of both soles."""
    drop: Array
    """(1,), m: how far the pelvis sinks, or rises below zero."""
    ends: Array
    """(ends, 3), m: where the posture has wrists and head."""


class _Asked:
    """Targets and activations of the terms of a stream, written in place."""

    def __init__(self, setup: RetargetSetup, feet: Feet, stream: MotionStream) -> None:
        self.targets, self.activation = np.zeros((stream.n_terms, 9)), np.ones(stream.n_terms)
        # A row of points and one of directions for each sole; of toes, only directions.
        self._places, self._turns = np.array([stream.rows(f"{side}_sole") for side in SIDES]).T.copy()
        self._feet = np.array([k for k, side in enumerate(SIDES) if feet.shapes[side].has_toes], np.int64)
        self._toes = np.array([stream.rows(f"{SIDES[k]}_toe_tip")[0] for k in self._feet], np.int64)
        self._ends = np.array([stream.rows(setup.figure.joint_names[joint])[0] for joint in setup.ends], np.int64)

    def take(self, planned: _Planned) -> None:
        """Write the targets of a planned frame."""
        paths = planned.paths
        self.targets[self._places, :3] = paths["place"]
        self.targets[self._turns, 3:] = _axes(paths["frame"])
        self.activation[self._places] = self.activation[self._turns] = paths["sole_active"]
        if len(self._toes):
            self.targets[self._toes, 3:] = _axes(paths["toes"])[self._feet]
            self.activation[self._toes] = paths["toes_active"][self._feet]
        ends = planned.ends.copy()
        ends[:, 1] -= planned.drop
        self.targets[self._ends, :3], self.activation[self._ends] = ends, ENDS


def _axes(frames: Array) -> Array:
    """First and second columns (n, 6) of frames (n, 3, 3)."""
    return np.swapaxes(frames, 1, 2).reshape(-1, 9)[:, :6]
