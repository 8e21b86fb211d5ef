"""The space of a model's motions around one motion: what an edit with a motion model searches."""

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
"""Standard deviations from the mean motion beyond which an edit is called outside the model."""
_FRAME_DEVIATION = 6.0
"""Maximum deviation of a mode in a frame with its own coordinates; paths that need more are not followed completely."""


class ModelSpace(MotionSpace):
    """Motions in the coordinates of a model, in standard deviations of its modes; made by `MotionModel.around`."""

    def __init__(
        self, model: MotionModel, latent: Latent, *, name: str, limits: bool, max_deviation: float | None
    ) -> None:
        if not model.n_modes:
            raise InvalidSetting(
                "the model has no modes (one clip, or copies of one), so it cannot be used to edit motions"
            )
        self.figure = model.balls if limits else model.unlimited
        self.names, self.chart = model.mode_names, model.chart
        self.x, self.max_deviation = latent.x, max_deviation
        self.model, self._source, self._name = model, latent, name

    def latent(self, x: Array) -> Latent:
        """The latent motion with coordinates (modes,) or (frames, modes)."""
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
        """Targets as seen from the motion, since the model's motions begin at the origin."""
        return self._source.placement.seen_from(targets)

    def of_a_frame(self) -> Space:
        """The space of a single frame, for goals over several frames, where each frame has its own coordinates."""
        matrix = np.sqrt((self.model.modes**2).mean(axis=1)).T
        most = _FRAME_DEVIATION if self.max_deviation is None else self.max_deviation
        return Space(self.figure, self.names, matrix, self.model.mean[0], self.chart, self.bounds(most))

    def is_outside(self, x: Array) -> bool:
        """Whether coordinates are farther from the mean motion than motions of the model, and than the source."""
        return self.latent(x).distance > max(OUTSIDE, self._source.distance)

    def warnings(self, x: Array, missed: Sequence[str], problem: MotionProblem) -> list[str]:
        """Warnings about a result: sites that cannot move, and motions far from those of the clips."""
        found = super().warnings(x, missed, problem)
        if self.is_outside(x):
            far, before = self.latent(x).distance, self._source.distance
            found.append(
                f"outside the model: {far:.1f} standard deviations from the mean motion (the source: {before:.1f})"
            )
        return found
