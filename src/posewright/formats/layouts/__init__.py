"""Layouts for exchanging motions of humanoid robots, and AMASS: read and written by name."""

from __future__ import annotations

from pathlib import Path

from posewright.errors import FileProblem, UnknownName
from posewright.formats.atomic import require_place
from posewright.formats.layouts.reading import read_layout
from posewright.formats.layouts.table import LAYOUTS, Layout
from posewright.formats.layouts.writing import write_layout
from posewright.formats.npz import amass
from posewright.formats.options import ReadOptions
from posewright.motions import Motion

AMASS = "amass"
"""Layouts of people's motions instead of robots'; their .npz needs no layout to be read."""
NAMES = (*LAYOUTS, AMASS)

__all__ = ["AMASS", "LAYOUTS", "NAMES", "Layout", "read", "require_layout_place", "suffix_of", "write"]


def read(path: Path, options: ReadOptions) -> Motion:
    """The motion of a file whose layout the options name.

    Raises:
        FileProblem: what is wrong with the file.
        UnknownName: there is no such layout.
    """
    name = _known(options.layout or "")
    if name == AMASS:
        return amass.read(path, options)
    return read_layout(path, LAYOUTS[name], options)


def write(motion: Motion, path: Path, name: str, fps: float | None = None) -> None:
    """Write a motion in a layout.

    Args:
        motion: of a robot, or for "amass" of a figure of SMPL's family.
        path: the file, or the folder of a layout of several files.
        name: of the layout.
        fps: rate to write; the motion is resampled to it (default: the motion's, which must be the layout's).

    Raises:
        FileProblem: the motion is no robot's, its rate is not that of the layout, or nothing can be written.
        UnknownName: there is no such layout.
    """
    require_layout_place(path, name)
    if name == AMASS:
        amass.write(motion if fps is None else motion.resampled(fps=fps), path)
    else:
        write_layout(motion, path, LAYOUTS[name], fps)


def suffix_of(name: str) -> str:
    """The suffix of a layout's files; empty for a folder."""
    return ".npz" if _known(name) == AMASS else LAYOUTS[name].suffix


def require_layout_place(path: Path, name: str) -> None:
    """Refuse a path where a layout could not be written, before any work is done.

    Raises:
        FileProblem: another suffix, or nothing can be written there.
        UnknownName: there is no such layout.
    """
    suffix = suffix_of(name)
    if path.suffix.lower() != suffix:
        wanted = f"a file that ends in {suffix!r}" if suffix else "a folder, whose name has no suffix"
        raise FileProblem(path, f"layout {name!r} is {wanted}")
    require_place(path / "metadata.txt" if path.is_dir() and not suffix else path)


def _known(name: str) -> str:
    if name not in NAMES:
        raise UnknownName("layout", name, NAMES)
    return name
