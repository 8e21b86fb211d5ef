"""Posture databases as files: an .npz archive whose large arrays are mapped into memory, so that it opens at once."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from posewright.checks import as_path
from posewright.errors import FileProblem
from posewright.formats import figure_file
from posewright.formats.npz.archive import NpzArchive, write_mapped
from posewright.models.postures.database import PostureClip, Postures

FORMAT = "posewright-postures"
VERSION = 1


def save_postures(database: Postures, path: str | Path) -> None:
    """Write a database; an interrupted write leaves the old file or the new one."""
    sources = database.sources
    arrays: dict[str, npt.NDArray[Any]] = {
        "format": np.array(FORMAT),
        "version": np.array(VERSION),
        "figure": np.array(figure_file.to_json(database.figure)),
        "threshold": np.array(database.threshold),
        "clips": np.array([source.name for source in sources], dtype=np.str_),
        "digests": np.array([source.digest for source in sources], dtype=np.str_),
        "frames": np.array([source.frames for source in sources], dtype=np.int64),
        "clip": database.clip,
        "frame": database.frame,
        "q": database.q,
    }
    write_mapped(path, arrays)


def open_postures(path: str | Path) -> Postures:
    """Open a database; its postures stay on disk until they are looked at, and `verify` compares them with checksums.

    Raises:
        FileProblem: not such a file, of another version, or broken.
    """
    arrays = NpzArchive(as_path(path))
    arrays.require_format(FORMAT, VERSION, "build it again")
    figure = figure_file.from_json(arrays.path, arrays.text("figure"))
    names, digests = arrays.texts("clips"), arrays.texts("digests")
    frames = arrays.numbers("frames", (len(names),)).astype(np.int64).tolist()
    if len(digests) != len(names):
        raise FileProblem(path, f"its array 'digests' has {len(digests)} texts; there are {len(names)} clips")
    q = arrays.mapped("q", np.float64, (None, figure.n_dofs))
    clip, frame = (arrays.mapped(name, np.int32, (len(q),)) for name in ("clip", "frame"))
    if len(clip) and not (clip.min() >= 0 and clip.max() < len(names)):
        raise FileProblem(path, f"its array 'clip' names clips outside the {len(names)} there are")
    threshold = float(arrays.numbers("threshold", ()))
    if not 0.0 < threshold < np.pi:
        raise FileProblem(path, f"its threshold is {threshold:g} rad; it must be above 0 and below pi")
    sources = tuple(PostureClip(*source) for source in zip(names, digests, frames, strict=True))
    check = cache(partial(arrays.verify, "q", "clip", "frame"))
    return Postures(figure, q, sources, clip, frame, threshold, check)
