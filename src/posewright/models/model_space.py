"""The motions of a model around one motion: what is searched when a motion is edited inside a learned pattern."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from posewright.conventions import Array, IntArray
from posewright.errors import InvalidSetting
from posewright.models.latent import Latent
from posewright.motions.motion import Motion
from posewright.problem.motion_problem import MotionProblem
from posewright.problem.motion_space import MotionSpace
from posewright.problem.space import Space

if TYPE_CHECKING:
    from posewright.models.motion_model import MotionModel

OUTSIDE = 3.0
"""Standard deviations from the mean motion beyond which an edit is called outside the pattern."""
_FRAME_DEVIATION = 6.0
"""Standard deviations of a mode in a frame by itself: a path that asks for more is not followed to the end."""


class ModelSpace(MotionSpace):
    """A motion in the coordinates of a model, one standard deviation of a mode each; made by `MotionModel.around`."""

    def __init__(
        self, model: MotionModel, latent: Latent, *, name: str, limits: bool, max_deviation: float | None
    ) -> None:
        if not model.n_modes:
            raise InvalidSetting(
                "the model has no modes (one clip, or copies of one): it can only replay, not be edited"
            )
        self.figure = model.balls if limits else model.unlimited
        self.names, self.chart = model.mode_names, model.chart
        self.x, self.max_deviation = latent.x, max_deviation
        self.model, self._source, self._name = model, latent, name

    def latent(self, x: Array) -> Latent:
        """The motion of coordinates (modes,) or (frames, modes) in the coordinates of the model."""
        return replace(self._source, x=x)

    def maps(self, frames: IntArray) -> tuple[Array, Array]:
        """See `MotionSpace`."""
        offsets, matrices = self.model.at(self._source.phases[frames])
        detail = self._source.detail
        return (offsets if detail is None else offsets + detail[frames]), matrices

    def motion(self, x: Array) -> Motion:
        """See `MotionSpace`."""
        return self.model.decode(self.latent(x), name=self._name)

    def seen(self, targets: Array) -> Array:
        """The pattern stays at the origin, the world comes to it."""
        return self._source.placement.seen_from(targets)

    def of_a_frame(self) -> Space:
        """Goals over several frames get coordinates of their own in each."""
        matrix = np.sqrt((self.model.modes**2).mean(axis=1)).T
        most = _FRAME_DEVIATION if self.max_deviation is None else self.max_deviation
        return Space(self.figure, self.names, matrix, self.model.mean[0], self.chart, self.bounds(most))

    def warnings(self, x: Array, missed: Sequence[str], problem: MotionProblem) -> list[str]:
        """What to know about a result: sites that nothing moves, and motions far from those of the clips."""
        found = super().warnings(x, missed, problem)
        far, before = self.latent(x).distance, self._source.distance
        if far > max(OUTSIDE, before):
            found.append(
                f"outside the pattern: {far:.1f} standard deviations from the mean motion (the source: {before:.1f})"
            )
        return found
