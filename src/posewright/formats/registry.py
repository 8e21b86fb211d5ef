"""Load and save by suffix. A format is a module with `read(path, options)`, `write(motion, path)`, or both."""

from __future__ import annotations

import importlib
import os
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np

from posewright.checks import as_path, require
from posewright.errors import FileProblem, MissingExtra, PosewrightError, suggestion
from posewright.figures import Figure, Pose
from posewright.formats.assumptions import with_options
from posewright.formats.atomic import require_place
from posewright.formats.budget import is_file
from posewright.formats.options import ReadOptions, refuse_useless
from posewright.motions import Motion


@dataclass(frozen=True)
class Format:
    """A file format."""

    suffix: str
    title: str
    module: str
    options: tuple[str, ...] = ()
    """The fields of `ReadOptions` used by its reader."""
    writes: bool = False
    captured: bool = False
    """Whether motions are checked for a T-pose at the start and a doubtful frame rate, which mocap files have."""


_SPACE = ("metres_per_unit", "up")
_TIME = ("fps", "drop_first")
_BVH, _AMC, _GLTF = (
    (*_SPACE, *_TIME, "position_channels"),
    (*_SPACE, *_TIME, "skeleton"),
    (*_SPACE, *_TIME, "animation"),
)
_CSV = (*_TIME, "skeleton", "up", "base")

FORMATS = (
    Format(".bvh", "Biovision hierarchy: figure and motion", "bvh", _BVH, writes=True, captured=True),
    Format(".asf", "Acclaim skeleton: figure", "acclaim", _SPACE),
    Format(".amc", "Acclaim motion; its .asf is found beside it", "acclaim", _AMC, captured=True),
    Format(".glb", "glTF binary: skinned figure and animation", "gltf", _GLTF, writes=True),
    Format(".gltf", "glTF with embedded or neighbouring buffers", "gltf", _GLTF, writes=True),
    Format(".vrm", "VRM avatar: skinned figure", "gltf", _GLTF),
    Format(".vrma", "VRM animation: figure and motion", "gltf", _GLTF),
    Format(".urdf", "URDF robot: figure", "robots.urdf", ("up", "base")),
    Format(".xml", "MJCF robot: figure", "robots.mjcf", ("up",)),
    Format(".mjcf", "MJCF robot: figure", "robots.mjcf", ("up",)),
    Format(".npz", "Posewright motion, or AMASS parameters", "npz", (*_SPACE, *_TIME), writes=True),
    Format(".csv", "Robot motion; its .urdf or .xml is given or beside it", "robots.motion", _CSV, writes=True),
    Format(".yaml", "Posewright figure", "figure_file", writes=True),
)
ELSEWHERE = {
    **dict.fromkeys(
        (".fbx", ".blend", ".dae", ".usd", ".usda", ".usdc", ".usdz"), "export it as .glb, with Blender for example"
    ),
    **dict.fromkeys((".c3d", ".trc"), "it holds markers, not joints; fit a skeleton to them and export that as .bvh"),
}
"""How to convert files of other programs, by suffix."""
_LAYOUT = Format("", "Motion of a robot in a layout of other programs", "layouts", (*_CSV, "animation", "layout"))


def load(path: str | Path, options: ReadOptions | None = None) -> Figure | Motion:
    """Load a file: a motion, or a figure if the file has no frames.

    Raises:
        FileProblem: the file cannot be read.
    """
    path, options = as_path(path), ReadOptions() if options is None else options
    if os.path.isdir(path) and options.layout is None:
        raise FileProblem(path, "is a folder, not a file")
    form = _format(path, "read") if options.layout is None else _LAYOUT
    if not (is_file(path) or os.path.isdir(path)):
        raise FileProblem(path, "no such file")
    refuse_useless(path, options, form.options)
    try:
        with np.errstate(all="ignore"):  # untrusted numbers may overflow; figures and motions refuse the result
            loaded: Figure | Motion = _module(form).read(path, options)
            return loaded if isinstance(loaded, Figure) else with_options(loaded, options, captured=form.captured)
    except OSError as error:
        raise FileProblem.of_system(path, "cannot be read", error) from error
    except (FileProblem, MissingExtra):
        raise
    except PosewrightError as error:  # a figure or motion that contradicts itself
        raise FileProblem(path, str(error)) from error


def load_figure(path: str | Path, options: ReadOptions | None = None) -> Figure:
    """The figure in a file of any format."""
    loaded = load(path, options)
    return loaded if isinstance(loaded, Figure) else loaded.figure


def load_motion(path: str | Path, options: ReadOptions | None = None) -> Motion:
    """The motion in a file of any format.

    Raises:
        FileProblem: the file contains only a figure.
    """
    loaded = load(path, options)
    if isinstance(loaded, Figure):
        raise FileProblem(path, "contains a figure but no motion")
    return loaded


def save(
    item: Figure | Pose | Motion, path: str | Path, *, layout: str | None = None, fps: float | None = None
) -> None:
    """Write a figure, pose or motion in the format of the suffix. The old file stays until the new one is complete.

    Args:
        item: the figure, pose or motion.
        path: path of the file.
        layout: layout of a robot's motion: one of `posewright.formats.layouts`, or "amass".
        fps: with a layout, frames per second to resample to (default: the motion must have the layout's rate).
    """
    path = as_path(path)
    require(item, Figure | Pose | Motion, f"what is saved in {path}", "a Figure, a Pose or a Motion")
    if layout is not None:
        require(item, Motion, f"what is saved in {path}", "a Motion, which a layout is for")
        assert isinstance(item, Motion)
        _module(_LAYOUT).write(item, path, layout, fps)
        return
    module = _module(_format(path, "write"))
    if isinstance(item, Figure) and path.suffix.lower() == ".yaml":
        module.write_figure(item, path)
        return
    if isinstance(item, Figure):
        item = Pose.rest(item)
    if isinstance(item, Pose):
        item = Motion(item.figure, item.q[np.newaxis], fps=30.0)
    with np.errstate(all="ignore"):  # writers refuse what is beyond the numbers of their format
        module.write(item, path)


def require_writable(path: str | Path, layout: str | None = None) -> None:
    """Refuse a path that `save` could not write, before any work is done.

    Raises:
        FileProblem: no format with this suffix can be written, or the place is not writable.
        UnknownName: there is no such layout.
    """
    if layout is not None:
        _module(_LAYOUT).require_layout_place(Path(path), layout)
        return
    _format(Path(path), "write")
    require_place(path)


def options_for(path: Path) -> tuple[str, ...]:
    """The fields of `ReadOptions` that files of this suffix accept."""
    return _format(path, "read").options


def _format(path: Path, verb: str) -> Format:
    known = {form.suffix: form for form in FORMATS if verb == "read" or form.writes}
    form = known.get(path.suffix.lower())
    if form is None:
        found = f"suffix {path.suffix!r}" if path.suffix else "no suffix"
        way = ELSEWHERE.get(path.suffix.lower()) if verb == "read" else None
        raise FileProblem(
            path, f"cannot {verb} a file with {found}{f': {way}' if way else suggestion(path.suffix, known)}"
        )
    return form


def _module(form: Format) -> ModuleType:
    return importlib.import_module(f"posewright.formats.{form.module}")
