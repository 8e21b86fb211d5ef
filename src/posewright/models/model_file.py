"""Motion models and edited coordinates as files: .npz, versioned, nothing pickled."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from posewright.checks import require
from posewright.errors import FileProblem, InvalidFigure
from posewright.formats import figure_file
from posewright.formats.npz.archive import NpzArchive, write_arrays
from posewright.formats.paths import as_path
from posewright.models.floor_placement import FloorPlacement
from posewright.models.latent import Latent
from posewright.models.motion_model import MotionModel, require_model

MODEL_FORMAT, LATENT_FORMAT = "posewright-motion-model", "posewright-latent-motion"
VERSION = 1


def save_model(model: MotionModel, path: str | Path) -> None:
    """Write a model; an interrupted write leaves the old file or the new one."""
    require_model(model)
    arrays = {
        "format": np.array(MODEL_FORMAT),
        "version": np.array(VERSION),
        "figure": np.array(figure_file.to_json(model.figure)),
        "mean": model.mean,
        "modes": model.modes,
        "chart_joints": np.array([joint for joint, _ in model.chart], dtype=np.str_),
        "chart": np.array([wxyz for _, wxyz in model.chart]).reshape(-1, 4),
        "fps": np.array(model.fps),
        "shares": model.shares,
        "events": model.events,
        "clips": np.array(model.clips, dtype=np.str_),
        "clip_errors": model.clip_errors,
    }
    write_arrays(path, arrays)


def load_model(path: str | Path) -> MotionModel:
    """Read a model.

    Raises:
        FileProblem: not a model, of another version, or with arrays missing, broken or of the wrong shape.
    """
    arrays = _opened(as_path(path), MODEL_FORMAT)
    figure = figure_file.from_json(arrays.path, arrays.text("figure"))
    n_dofs = figure.with_balls().n_dofs
    mean = arrays.numbers("mean", (None, n_dofs))
    joints = arrays.texts("chart_joints")
    references = arrays.numbers("chart", (len(joints), 4))
    clips = arrays.texts("clips")
    model = MotionModel(
        figure=figure,
        mean=mean,
        modes=arrays.numbers("modes", (None, len(mean), n_dofs)),
        chart=tuple(
            (joint, (float(w), float(x), float(y), float(z)))
            for joint, (w, x, y, z) in zip(joints, references, strict=True)
        ),
        fps=float(arrays.numbers("fps", ())),
        shares=arrays.numbers("shares", (None,)),
        events=arrays.numbers("events", (None,)),
        clips=clips,
        clip_errors=arrays.numbers("clip_errors", (len(clips),)),
    )
    try:
        model.space([0])
    except (InvalidFigure, ValueError, KeyError) as error:
        raise FileProblem(arrays.path, f"is not a usable motion model: {error}") from error
    return model


def save_latent(latent: Latent, path: str | Path) -> None:
    """Write the coordinates of a motion; with the model they belong to, they are the motion."""
    require(latent, Latent, "what is saved", "a Latent, such as model.encode(motion)")
    place = latent.placement
    detail = latent.detail if latent.detail is not None else np.zeros((0, 0))  # an empty one stands for none
    arrays = {
        "format": np.array(LATENT_FORMAT),
        "version": np.array(VERSION),
        "x": latent.x,
        "phases": latent.phases,
        "placement": np.array([place.x, place.z, place.yaw]),
        "fps": np.array(latent.fps),
        "detail": detail,
    }
    write_arrays(path, arrays)


def load_latent(path: str | Path, model: MotionModel) -> Latent:
    """Read the coordinates of a motion of a model.

    Raises:
        FileProblem: not such a file, or of a model with other numbers of modes or dofs.
    """
    require_model(model)
    arrays = _opened(as_path(path), LATENT_FORMAT)
    phases = arrays.numbers("phases", (None,))
    per_frame = arrays["x"].ndim == 2
    x = arrays.numbers("x", (len(phases), model.n_modes) if per_frame else (model.n_modes,))
    detail = arrays.numbers("detail", (len(phases), model.balls.n_dofs)) if arrays["detail"].size else None
    if len(phases) and not (phases.min() >= 0.0 and phases.max() <= model.n_frames - 1):
        raise FileProblem(arrays.path, f"its phases leave the model's frames 0 to {model.n_frames - 1}")
    place, z, yaw = arrays.numbers("placement", (3,))
    fps = float(arrays.numbers("fps", ()))
    return Latent(x, phases, FloorPlacement(float(place), float(z), float(yaw)), fps, detail)


def _opened(path: Path, wanted: str) -> NpzArchive:
    arrays = NpzArchive(path)
    arrays.require_format(wanted, VERSION, "fit the model again")
    return arrays
