"""The options that every command which reads files shares."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from posewright.errors import FileProblem, InvalidSetting, suggestion

if TYPE_CHECKING:
    from posewright.formats import ReadOptions

UNITS = {"m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "foot": 0.3048, "cmu": 0.0254 / 0.45}

File = Annotated[Path, typer.Argument(metavar="FILE", help="A figure or motion file; the suffix says its format.")]
Unit = Annotated[
    str | None, typer.Option("--unit", help=f"Length of one file unit: {', '.join(UNITS)}, or metres as a number.")
]
Up = Annotated[Literal["y", "z"] | None, typer.Option("--up", help="The file's vertical axis.")]
Fps = Annotated[float | None, typer.Option("--fps", help="Frame rate to believe instead of the file's.")]
Positions = Annotated[
    Literal["replace", "add"] | None,
    typer.Option(
        "--positions", metavar="HOW", help="BVH position channels `replace` a joint's OFFSET, or `add` to it."
    ),
]
DropFirst = Annotated[bool, typer.Option("--drop-first", help="Leave out frame 0 (the T-pose of some files).")]
Skeleton = Annotated[
    Path | None, typer.Option("--skeleton", help="The ASF file of an AMC motion, or the robot of a CSV motion.")
]
Base = Annotated[
    Literal["free", "fixed"] | None,
    typer.Option("--base", metavar="HOW", help="URDF: `free` if the robot walks about, `fixed` if it is bolted on."),
]
Animation = Annotated[str | None, typer.Option("--animation", help="Which animation of a glTF file.")]

FLAGS = {
    "metres_per_unit": "--unit",
    "up": "--up",
    "fps": "--fps",
    "position_channels": "--positions",
    "drop_first": "--drop-first",
    "skeleton": "--skeleton",
    "animation": "--animation",
    "base": "--base",
}
"""The flag of each field of `ReadOptions`."""


def options(
    unit: str | None,
    up: Literal["y", "z"] | None,
    fps: float | None,
    positions: Literal["replace", "add"] | None,
    drop_first: bool,
    skeleton: Path | None,
    animation: str | None = None,
    base: Literal["free", "fixed"] | None = None,
    *,
    whose: str = "",
) -> ReadOptions:
    """The values of the options above as one; `whose` is what flags begin with: "source-" of --source-unit."""
    from posewright.formats import ReadOptions

    if fps is not None and not 0.0 < fps < 1e6:
        raise InvalidSetting(f"--{whose}fps is {fps}; it must be a positive number of frames per second")
    return ReadOptions(
        metres_per_unit=None if unit is None else _metres(unit, f"--{whose}unit"),
        up=up,
        fps=fps,
        position_channels=positions,
        drop_first=drop_first,
        skeleton=skeleton,
        animation=animation,
        base=base,
    )


def motion_files(paths: list[Path], *, deep: bool = False) -> list[Path]:
    """The files named, and the motion files in the folders named, `deep`: also in the folders inside."""
    from posewright.formats import FORMATS

    suffixes = tuple(form.suffix for form in FORMATS if form.reads and "fps" in form.heeds)
    found: list[Path] = []
    for path in paths:
        if not path.exists():
            raise FileProblem(path, "no such file or folder")
        if not path.is_dir():
            found.append(path)
            continue
        inside = path.rglob("*") if deep else path.iterdir()
        fitting = sorted(file for file in inside if file.name.lower().endswith(suffixes))
        if not fitting:
            raise FileProblem(path, f"is a folder without motion files; those read end in {', '.join(suffixes)}")
        found += fitting
    return found


def _metres(unit: str, flag: str) -> float:
    if unit in UNITS:
        return UNITS[unit]
    try:
        metres = float(unit)
    except ValueError:
        raise InvalidSetting(
            f"{flag} is {unit!r}, neither a number of metres nor a known unit{suggestion(unit, UNITS)}"
        ) from None
    if not 0.0 < metres < 1e6:
        raise InvalidSetting(f"{flag} is {unit}; it must be a positive number of metres")
    return metres
