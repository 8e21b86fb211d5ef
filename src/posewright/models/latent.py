"""Latent motions: motions in the coordinates of a motion model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from posewright.checks import as_path, read_only, require
from posewright.conventions import Array
from posewright.errors import FileProblem
from posewright.models.floor_placement import FloorPlacement

if TYPE_CHECKING:
    from posewright.models.motion_model import MotionModel

_FORMAT, _VERSION = "posewright-latent-motion", 1


@dataclass(frozen=True, eq=False)
class Latent:
    """A motion in the coordinates of a motion model; `MotionModel.decode` converts it back."""

    x: Array
    """Coordinates (modes,), or (frames, modes) if every frame has its own, in standard deviations."""
    phases: Array
    """(frames,): time in the model's motion for each frame, in frames of the model."""
    placement: FloorPlacement
    """Position and heading of the motion on the floor."""
    fps: float
    """Frames per second."""
    detail: Array | None = None
    """The part (frames, dofs) that the modes cannot express, rad or m; None: left out."""

    def __post_init__(self) -> None:
        for name in ("x", "phases", "detail"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, read_only(getattr(self, name)))

    @property
    def distance(self) -> float:
        """Distance from the mean motion, in standard deviations; above 3 is outside the model."""
        return math.sqrt(float(np.max(np.sum(self.x * self.x, axis=-1), initial=0.0)))

    def save(self, path: str | Path) -> None:
        """Write the coordinates to an .npz file, which is replaced in one step."""
        from posewright.formats.npz.archive import write_arrays

        arrays = {
            "format": np.array(_FORMAT),
            "version": np.array(_VERSION),
            "x": self.x,
            "phases": self.phases,
            "placement": np.array([self.placement.x, self.placement.z, self.placement.yaw]),
            "fps": np.array(self.fps),
            "detail": np.zeros((0, 0)) if self.detail is None else self.detail,
        }
        write_arrays(path, arrays)

    @classmethod
    def load(cls, path: str | Path, model: MotionModel) -> Latent:
        """Read the coordinates of a motion of a model.

        Raises:
            FileProblem: not such a file, or of a model with other numbers of modes or dofs.
        """
        from posewright.formats.npz.archive import NpzArchive
        from posewright.models.motion_model import MotionModel

        require(model, MotionModel, "the model", "a MotionModel, such as MotionModel.load(path)")
        arrays = NpzArchive(as_path(path))
        arrays.require_format(_FORMAT, _VERSION, "encode the motion again")
        phases = arrays.numbers("phases", (None,))
        per_frame = arrays["x"].ndim == 2
        x = arrays.numbers("x", (len(phases), model.n_modes) if per_frame else (model.n_modes,))
        detail = arrays.numbers("detail", (len(phases), model.balls.n_dofs)) if arrays["detail"].size else None
        if len(phases) and not (phases.min() >= 0.0 and phases.max() <= model.n_frames - 1):
            raise FileProblem(arrays.path, f"its phases leave the model's frames 0 to {model.n_frames - 1}")
        placement = FloorPlacement(*arrays.numbers("placement", (3,)).tolist())
        return cls(x, phases, placement, float(arrays.numbers("fps", ())), detail)
