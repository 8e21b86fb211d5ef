"""LeastSquares over time: many frames of a clip in one kernel call (`kernels.tree.tracking`).

The tree elimination knows limits and single dofs. More kinds of constraints are handled around it:

- Coupled dofs: leaders are solved for, followers follow exactly. Where goals depend on two dofs of one group the tree
  cannot see that they move as one; then frames are solved twice, with these dofs free, and with all of them where the
  first answer puts the group: couplings hold exactly, and goals are met not quite as well as they could be.
- Polygons, as of shoulders: inequalities of two dofs of a joint, which the kernel knows (`kernels.tree.polygons`).
- Other linear inequalities: few motions come near them. From the first frame on whose answer would break one, each
  frame is a pose problem with all its rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from posewright.conventions import Array, BoolArray, IntArray
from posewright.kernels.goals.residuals import POSITION, ROTATION
from posewright.kernels.tables import TARGET_WIDTH, Table
from posewright.kernels.tree import tracking as kernels
from posewright.kernels.tree.polygons import NONE, Polygons
from posewright.kernels.tree.tracking_frame import EveryFrame
from posewright.problem.frame_objective import chart_balls
from posewright.problem.lowered_problem import Obstacle
from posewright.problem.motion_lowering import LoweredMotion
from posewright.solvers.least_squares import LeastSquares
from posewright.solvers.motion.couplings import Coupling, example_weights, groups_of, uncoupled
from posewright.solvers.motion.frame_by_frame import FrameByFrame
from posewright.solvers.motion.frames import FrameBatch

Pair = tuple[int, ...]
"""Two dofs."""
_WORK = 1_500_000
"""Dofs times steps per call: less than a fifth of a second."""
_SWEEPS, _EDGES = 3, 4
"""Largest number of sweeps per step; additional ones if dofs may move along edges of polygons."""
_AT_ONCE = 4096
"""Frames at a time whose examples are made consistent with couplings."""
_ROUNDING = 1e-12
"""rad or m, of a linear inequality"""


def clip_tracker(lowered: LoweredMotion, solver: LeastSquares, careful: FrameByFrame) -> ClipTracker | None:
    """The tracker by kernel calls; None if goals, space or equalities need every frame to be solved by itself."""
    space = lowered.frame.problem.space
    groups = groups_of(lowered) if space.is_identity and not space.chart else None
    if groups is None:
        return None
    simple = uncoupled(lowered, groups, held=True) if len(lowered.frame.region.A) else lowered
    if simple is None or not simple.frame.tree_obstacles <= {Obstacle.PRIORITIES}:
        return None
    return ClipTracker(lowered, simple, groups, solver, careful)


class ClipTracker:
    """Solves many frames at once and keeps what a frame needs from those before."""

    def __init__(
        self,
        lowered: LoweredMotion,
        simple: LoweredMotion,
        groups: tuple[Coupling, ...],
        solver: LeastSquares,
        careful: FrameByFrame,
    ) -> None:
        self._careful, self._broken = careful, False
        region, coupled = lowered.frame.region, [dof for group in groups for dof in group.dofs.tolist()]
        rows = np.column_stack([region.A, region.b])[region.n_equal :]
        polygons, others = _polygons(simple, rows, coupled)
        self._rows, self._most = rows[others, :-1], rows[others, -1] + _ROUNDING
        self._groups, self._weights, self._limits = groups, example_weights(lowered), simple.frame.dofs
        self._entwined = [group for group in groups if group.entwined]
        self._last = _Search(simple, solver, polygons)
        free = uncoupled(lowered, groups, held=False) if self._entwined else None
        self._first = None if free is None else _Search(free, solver, polygons)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Requests that could not be met."""
        return self._careful.warnings

    def advance(self, frames: FrameBatch) -> int:
        """Solve as many of the next frames as a fifth of a second allows."""
        if self._broken:
            return self._careful.advance(frames)
        n = self._led(frames) if self._groups else self._last.advance(frames)
        if not len(self._rows):
            return n
        broken = np.flatnonzero((frames.q[:n] @ self._rows.T > self._most).any(axis=1))
        kept = int(broken[0]) if len(broken) else n
        for k in range(max(0, kept - 2), kept):
            self._careful.remember(frames.references[k], frames.targets[k], frames.q[k], begins=bool(frames.begins[k]))
        self._broken = kept < n
        return kept or self._careful.advance(frames)

    def _led(self, frames: FrameBatch) -> int:
        """Solve for leaders; the others follow."""
        frames = frames[:_AT_ONCE]
        frames = replace(frames, references=frames.references.copy())
        for group in self._groups:
            self._settle(group.mean(frames.references, self._weights), group, frames.references)
        if self._first is not None:
            frames = frames[: self._first.advance(frames)]
            for group in self._entwined:
                self._settle(group.mean(frames.q, np.ones(frames.q.shape[1])), group, frames.references)
        done = self._last.advance(frames)
        while self._first is not None and done < len(frames):
            done += self._last.advance(frames[done:])
        q = frames.q[:done]
        for group in self._groups:
            group.write(q[:, group.dofs[0]], q)
            own = self._limits[group.dofs]
            q[:, group.dofs] = np.clip(q[:, group.dofs], own["lower"], own["upper"])  # of rounding alone
        return done

    def _settle(self, x: Array, group: Coupling, q: Array) -> None:
        leader = self._limits[group.dofs[0]]
        group.write(np.clip(x, leader["lower"], leader["upper"]), q)


class _Search:
    """The kernel over a figure split in two: joints that goals depend on, and the others, which just follow."""

    def __init__(self, lowered: LoweredMotion, solver: LeastSquares, polygons: Mapping[Pair, Array]) -> None:
        figure, frame = lowered.problem.figure, lowered.frame
        balls = np.array([figure.tables.dofs[d]["joint"] for d in chart_balls(figure)], np.int64)
        settings = _settings(lowered, solver, len(polygons))
        self._most = int(settings["budget"][0])
        terms = frame.terms.copy()
        for term in terms:
            _raise(frame.joints, term)
        working = np.zeros(len(frame.joints), np.bool_)
        for joint in terms["joint"]:
            while joint >= 0:
                working[joint] = True
                joint = frame.joints["parent"][joint]
        self._working = _Part(lowered, _branches(frame.joints, frame.dofs, terms, balls, working), settings, polygons)
        self._idle: _Part | None = None
        if not working[frame.dofs["joint"]].all():
            idle = _branches(frame.joints, frame.dofs, terms[:0], balls, ~working)
            self._idle = _Part(lowered, idle, settings, polygons)

    def advance(self, frames: FrameBatch) -> int:
        """Solve some of the next frames."""
        frames = frames[: self._most] if len(frames) > self._most else frames
        if self._idle is None:
            return self._working.advance(frames)
        n = self._working.apart(frames)
        none = np.empty((n, 0, TARGET_WIDTH)), np.empty((n, 0)), np.empty((n, 0), np.int8)
        self._idle.apart(FrameBatch(frames.references[:n], *none, frames.begins[:n], frames.q[:n], frames.info[:n] * 0))
        return n


@dataclass(frozen=True, eq=False)
class _Branches:
    """Some joints of a figure, as tables of their own."""

    joints: Table
    dofs: Table
    terms: Table
    balls: IntArray
    columns: IntArray
    """(dofs,): where these dofs are in the figure's"""


class _Part:
    """Some joints of the figure, and their state."""

    def __init__(
        self, lowered: LoweredMotion, branches: _Branches, settings: Table, polygons: Mapping[Pair, Array]
    ) -> None:
        self._branches, self._settings = branches, settings
        n_terms, columns = len(branches.terms), branches.columns
        limits = np.zeros((0, len(columns)))
        if np.isfinite(lowered.reach).any():
            limits = np.stack([branches.dofs["lower"], branches.dofs["upper"], lowered.reach[columns]])
        self._every = EveryFrame(
            branches.balls, lowered.coherent[:n_terms], lowered.example[columns], lowered.stiffness[columns],
            lowered.units[columns], limits,
        )  # fmt: skip
        own = [(np.searchsorted(columns, pair), edges) for pair, edges in polygons.items() if pair[0] in columns]
        self._polygons = Polygons(
            np.array([pair for pair, _ in own], np.int64).reshape(-1, 2),
            np.cumsum([0, *(len(edges) for _, edges in own)]),
            np.concatenate([np.empty((0, 3)), *(edges for _, edges in own)]),
            np.full((len(own), 3), NONE),
        )
        carried = np.zeros(1, kernels.CARRIED)
        carried["guard"] = kernels.GUARD
        self._memory = kernels.Memory(
            carried, np.zeros((6, len(columns))), np.zeros((5, n_terms, 3)), np.zeros(len(columns), np.int8)
        )

    def apart(self, frames: FrameBatch) -> int:
        """Like `advance`, for frames of the whole figure."""
        columns = self._branches.columns
        own = np.empty((len(frames), len(columns)))
        n = self.advance(replace(frames, references=np.take(frames.references, columns, axis=1), q=own))
        frames.q[:n, columns] = own[:n]
        return n

    def advance(self, frames: FrameBatch) -> int:
        """Solve some of the next frames of these joints; return how many."""
        branches = self._branches
        asked = kernels.Frames(
            frames.references, frames.targets, frames.weights, frames.held, frames.begins, frames.q, frames.info
        )
        return kernels.follow(
            branches.joints, branches.dofs, branches.terms, self._settings, self._every, self._polygons, asked,
            self._memory,
        )  # fmt: skip


def _raise(joints: Table, term: Table) -> None:
    """Attach the origin of a joint to its parent, because the joint does not move it."""
    joint = joints[term["joint"]]
    if term["kind"] == POSITION and not term["point"].any() and joint["slides"] == 0 and joint["parent"] >= 0:
        term["joint"], term["point"] = joint["parent"], joint["offset"]


def _branches(joints: Table, dofs: Table, terms: Table, balls: IntArray, chosen: BoolArray) -> _Branches:
    """The tables of some joints; those whose parent is not among them become roots."""
    columns = np.flatnonzero(chosen[dofs["joint"]])
    new_joint = np.where(chosen, np.cumsum(chosen) - 1, -1)
    new_dof = np.searchsorted(columns, np.arange(len(dofs) + 1))
    joints, dofs, terms = joints[chosen], dofs[columns], terms.copy()
    joints["parent"] = np.where(joints["parent"] >= 0, new_joint[joints["parent"]], -1)
    joints["first"] = new_dof[joints["first"]]
    dofs["joint"], terms["joint"] = new_joint[dofs["joint"]], new_joint[terms["joint"]]
    return _Branches(joints, dofs, terms, new_joint[balls[chosen[balls]]], columns)


def _polygons(lowered: LoweredMotion, rows: Array, coupled: Sequence[int]) -> tuple[dict[Pair, Array], IntArray]:
    """Inequalities of two dofs of a joint, (edges, 3) by the dofs, and indices of all other rows.

    Args:
        lowered: the problem.
        rows: (rows, dofs + 1), the bound last.
        coupled: dofs that move with others.
    """
    joints, dofs = lowered.frame.joints, lowered.frame.dofs
    edges: dict[Pair, list[Array]] = {}
    others: list[int] = []
    for k, row in enumerate(rows):
        pair = tuple(np.flatnonzero(row[:-1]).tolist())
        own = dofs[list(pair)]
        known = {dof for other in edges if other != pair for dof in other}
        alone = len(pair) == 2 and own["joint"][0] == own["joint"][1] and not joints[own["joint"][0]]["ball"]
        if alone and own["scale"].all() and not known.union(coupled).intersection(pair):
            edges.setdefault(pair, []).append(row[[*pair, -1]])
        else:
            others.append(k)
    return {pair: np.array(own) for pair, own in edges.items()}, np.array(others, np.int64)


def _settings(lowered: LoweredMotion, solver: LeastSquares, n_polygons: int) -> Table:
    imitation, tracking, kinds = lowered.problem.imitation, solver.tracking, lowered.frame.terms["kind"]
    leans = (lowered.example + lowered.stiffness) / (lowered.units * lowered.heaviest)
    guarded = tracking.steps > 2
    values = {
        "steps": tracking.steps,
        "sweeps": _SWEEPS + (_EDGES if n_polygons else 0),
        "guarded": guarded,
        "ahead": 1.0 if guarded else 0.0,  # a step or two taken without checks would overshoot on and on
        "newton": guarded and bool(leans.any()) and bool((kinds <= ROTATION).all()),
        "damping": tracking.damping,
        "gain": tracking.gain,
        "still": tracking.still,
        "met": tracking.met,
        "heaviest": lowered.heaviest,
        "pull": float(leans[leans > 0.0].min()) if leans.any() else 0.0,
        "track_velocity": imitation.track_velocity,
        "track_acceleration": imitation.track_acceleration,
        "example_velocity": imitation.example_velocity,
        "example_acceleration": imitation.example_acceleration,
        "stiff": imitation.stiffness > 0.0,
        "budget": max(1, _WORK // max(len(lowered.frame.dofs), 1)),
    }
    row = np.zeros(1, kernels.SETTINGS)
    for name, value in values.items():
        row[name] = value
    return row
