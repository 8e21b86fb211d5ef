"""Spaces of whole motions: q_k = B_k x + b_k for every frame k, with the same x for all frames or one for each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Protocol, Self

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.errors import InvalidSetting
from posewright.figures import Figure
from posewright.figures.kinematics import site_frames
from posewright.goals import Goal
from posewright.goals.term import SiteTerm
from posewright.motions import Motion
from posewright.problem.space import Space

if TYPE_CHECKING:
    from posewright.problem.motion_problem import MotionProblem

Chart = tuple[tuple[str, tuple[float, float, float, float]], ...]

_STILL = 1e-6
"""m or rad per unit of a coordinate: a site that moves less does not move."""


class MotionSpace(ABC):
    """Motions around one motion, described by few coordinates; of a motion model, by `MotionModel.around`."""

    figure: Figure
    """Whose poses the maps give; its joints are those of the motion's figure."""
    names: tuple[str, ...]
    """Of the coordinates."""
    chart: Chart = ()
    x: Array
    """(coordinates,): those of the motion itself. Below all goals, solvers stay near them."""
    closeness: float = 1.0
    """Share of a goal's tolerance at which a search for it ends."""
    max_deviation: float | None = None
    """How far from 0 a coordinate may be, unless that of the motion itself is farther; None: anywhere."""

    @abstractmethod
    def maps(self, frames: IntArray) -> tuple[Array, Array]:
        """The offsets b (frames, dofs) and matrices B (frames, dofs, coordinates) of some frames."""

    @abstractmethod
    def motion(self, x: Array) -> Motion:
        """The motion of coordinates (coordinates,), or (frames, coordinates)."""

    def seen(self, targets: Array) -> Array:
        """Targets of goals (..., 9) in the world, as the figure of this space sees them."""
        return targets

    def at(self, frames: Sequence[int]) -> Space:
        """Poses at some frames, which share their coordinates."""
        offsets, matrices = self.maps(np.array(frames, np.int64))
        return Space(self.figure, self.names, matrices, offsets, self.chart, self.bounds(self.max_deviation))

    def of_a_frame(self) -> Space | None:
        """Poses of any frame, where goals over several frames get coordinates of their own in each; None: they do not.

        Goals at a single frame change the coordinates of all frames either way. Solvers put the maps of each frame in
        the place of its matrix, which only says what moves at all.
        """
        return None

    def moved_to(self, x: Array) -> Self:
        """The same motions around the one with other coordinates (coordinates,)."""
        moved = copy(self)
        moved.x = x
        return moved

    def warnings(self, x: Array, missed: Sequence[str], problem: MotionProblem) -> list[str]:
        """What to know about a result, a sentence each."""
        return [
            f"uncontrollable: nothing in the space moves {schedule.goal.label!r}"
            for schedule in problem.schedules
            if schedule.goal.label in missed
            and schedule.key is not None
            and not self._moves(schedule.goal, schedule.key)
        ]

    def bounds(self, most: float | None) -> tuple[Array, Array] | None:
        """Of the coordinates: this far from 0, or as far as those of the motion itself; None: none."""
        if most is None:
            return None
        bound = np.maximum(most, np.abs(self.x))
        return -bound, bound

    def _moves(self, goal: Goal, frame: int) -> bool:
        """Whether a unit of some coordinate moves or turns a site of a goal at a frame."""
        terms = [term for term in goal.terms(self.figure) if isinstance(term, SiteTerm)]
        names = [term.site for term in terms if term.site is not None]
        if len(names) < len(terms) or not terms:  # the centre of mass
            return True
        n = len(self.x)
        q = self.at([frame]).decode(self.x + np.concatenate([np.zeros((1, n)), np.eye(n)]))
        found = site_frames(self.figure, q, names)
        moved = np.abs(found.points[1:] - found.points[:1]).max(initial=0.0)
        turned = np.abs(found.x_axes[1:] - found.x_axes[:1]).max(initial=0.0)
        return bool(moved > _STILL or (any(term.unit == "rad" for term in terms) and turned > _STILL))


class Around(Protocol):
    """What makes a space of motions around any motion, such as a MotionModel."""

    def around(self, motion: Motion) -> MotionSpace:
        """The motions around this one."""


class SpaceOverTime(MotionSpace):
    """A `Space` with a block for every frame of a motion, such as a smooth basis over time."""

    def __init__(self, space: Space, motion: Motion) -> None:
        if space.n_frames != len(motion):
            raise InvalidSetting(
                f"the space is about {space.n_frames} frames; the motion to stay near has {len(motion)}"
            )
        self.figure, self.names, self.chart = space.figure, space.names, space.chart
        self.x, self._space, self._motion = space.encode(motion.q), space, motion

    def maps(self, frames: IntArray) -> tuple[Array, Array]:
        """See `MotionSpace`."""
        shape = self._space.n_frames, self.figure.n_dofs
        return self._space.offset.reshape(shape)[frames], self._space.matrix.reshape(*shape, -1)[frames]

    def motion(self, x: Array) -> Motion:
        """See `MotionSpace`."""
        return self._motion.with_q(self._space.decode(x))
