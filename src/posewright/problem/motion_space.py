"""Spaces of whole motions: q_k = B_k x + b_k for every frame k, with one x for all frames or one for each."""

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
"""m or rad per unit of a coordinate; a site that moves less counts as still."""


class MotionSpace(ABC):
    """Motions around a given motion, described by few coordinates; `MotionModel.around` makes one."""

    figure: Figure
    """Figure of the poses; it has the joints of the motion's figure."""
    names: tuple[str, ...]
    """Names of the coordinates."""
    chart: Chart = ()
    x: Array
    """Coordinates of the motion itself (coordinates,). Solvers stay near them with the lowest priority."""
    closeness: float = 1.0
    """Fraction of a goal's tolerance at which a search for it ends."""
    max_deviation: float | None = None
    """Largest distance of a coordinate from 0, unless that of the motion is larger; None: no limit."""

    @abstractmethod
    def maps(self, frames: IntArray) -> tuple[Array, Array]:
        """Offsets b (frames, dofs) and matrices B (frames, dofs, coordinates) of some frames."""

    @abstractmethod
    def motion(self, x: Array) -> Motion:
        """The motion with coordinates (coordinates,) or (frames, coordinates)."""

    def seen(self, targets: Array) -> Array:
        """Convert targets of goals (..., 9) from the world to the space's own frame."""
        return targets

    def at(self, frames: Sequence[int]) -> Space:
        """The space of poses at some frames, which share their coordinates."""
        offsets, matrices = self.maps(np.array(frames, np.int64))
        return Space(self.figure, self.names, matrices, offsets, self.chart, self.bounds(self.max_deviation))

    def of_a_frame(self) -> Space | None:
        """The space of a single frame, if goals over several frames have separate coordinates in each frame; else None.

        Goals at a single frame change the coordinates of all frames in both cases. Solvers replace the matrix by the
        map of each frame; it only says which dofs move.
        """
        return None

    def moved_to(self, x: Array) -> Self:
        """The same space around the motion with coordinates x (coordinates,)."""
        moved = copy(self)
        moved.x = x
        return moved

    def warnings(self, x: Array, missed: Sequence[str], problem: MotionProblem) -> list[str]:
        """Warnings about a result, one sentence each."""
        return [
            f"{schedule.goal.label!r} is uncontrollable: nothing in the space moves it"
            for schedule in problem.schedules
            if schedule.goal.label in missed
            and schedule.key is not None
            and not self._moves(schedule.goal, schedule.key)
        ]

    def bounds(self, most: float | None) -> tuple[Array, Array] | None:
        """Bounds of the coordinates: `most` from 0, or as far as those of the motion itself; None: no bounds."""
        if most is None:
            return None
        bound = np.maximum(most, np.abs(self.x))
        return -bound, bound

    def _moves(self, goal: Goal, frame: int) -> bool:
        """Whether any coordinate moves or rotates a site of a goal at a frame."""
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
    """An object that makes a space of motions around any motion, such as a MotionModel."""

    def around(self, motion: Motion) -> MotionSpace:
        """The space of motions around this one."""


class SpaceOverTime(MotionSpace):
    """A `Space` with a block for every frame of a motion, such as a smooth basis over time."""

    def __init__(self, space: Space, motion: Motion) -> None:
        if space.n_frames != len(motion):
            raise InvalidSetting(f"the space has {space.n_frames} frames; the motion to stay near has {len(motion)}")
        self.figure, self.names, self.chart = space.figure, space.names, space.chart
        self.x, self._space, self._motion = space.encode(motion.q), space, motion

    def maps(self, frames: IntArray) -> tuple[Array, Array]:
        """See `MotionSpace`."""
        shape = self._space.n_frames, self.figure.n_dofs
        return self._space.offset.reshape(shape)[frames], self._space.matrix.reshape(*shape, -1)[frames]

    def motion(self, x: Array) -> Motion:
        """See `MotionSpace`."""
        return self._motion.with_q(self._space.decode(x))
