"""Load figures and motions by name or from files: `figure` and `motion`. To write one, use `motion.save(path)`."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from posewright.errors import UnknownName
from posewright.figures import Figure
from posewright.figures.catalogue import CATALOGUE
from posewright.formats import ReadOptions, load_figure, load_motion
from posewright.motions import Motion


class ReadKeywords(TypedDict, total=False):
    """The fields of `posewright.formats.ReadOptions`, as keywords."""

    metres_per_unit: float | None
    up: Literal["y", "z"] | None
    fps: float | None
    position_channels: Literal["replace", "add"] | None
    drop_first: bool | None
    skeleton: str | Path | None
    base: Literal["free", "fixed"] | None
    animation: str | None
    layout: str | None


def figure(name: str | Path, **options: Unpack[ReadKeywords]) -> Figure:
    """Load a figure: a built-in one by name, such as "human40", or one from a file.

    Args:
        name: the name of a built-in figure (`posewright figures` lists them), or the path of a file.
        options: values to use instead of the reader's estimates; see `posewright.formats.ReadOptions`.

    Raises:
        UnknownName: `name` is neither a built-in figure nor a path with a suffix.
        FileProblem: the file cannot be read.
    """
    if isinstance(name, str) and not options and name in CATALOGUE:
        return CATALOGUE[name]()
    if isinstance(name, str) and not Path(name).suffix and not Path(name).exists():
        raise UnknownName("figure", name, CATALOGUE, where="the catalogue")
    return load_figure(name, ReadOptions(**dict[str, Any](options)))


def motion(path: str | Path, **options: Unpack[ReadKeywords]) -> Motion:
    """Load a motion from a file.

    Args:
        path: path of the file; its suffix selects the format.
        options: values to use instead of the reader's estimates; see `posewright.formats.ReadOptions`.

    Raises:
        FileProblem: the file cannot be read, or contains only a figure.
    """
    return load_motion(path, ReadOptions(**dict[str, Any](options)))
