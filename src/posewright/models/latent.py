"""A motion as the coordinates of a model."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array
from posewright.figures.pose import read_only
from posewright.models.floor_placement import FloorPlacement


@dataclass(frozen=True, eq=False)
class Latent:
    """A motion in the words of a model."""

    x: Array
    """(modes,), or (frames, modes) when every frame has its own; standard deviations"""
    phases: Array
    """(frames,): where in the model's motion each frame stands, in frames of the model, 0 to its last"""
    placement: FloorPlacement
    fps: float
    detail: Array | None = None
    """(frames, dofs), rad and m: what the model cannot say; none: left out"""

    def __post_init__(self) -> None:
        for name in ("x", "phases", "detail"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, read_only(getattr(self, name)))

    @property
    def distance(self) -> float:
        """How far from the mean motion, in standard deviations; above 3 is outside the pattern."""
        if self.x.ndim == 1:
            return math.sqrt(float(self.x @ self.x))
        return math.sqrt(float(np.max(np.sum(self.x * self.x, axis=1), initial=0.0)))
