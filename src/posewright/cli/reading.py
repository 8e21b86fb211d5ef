"""How commands read files: the flags that stand for `ReadOptions`, declared once, and folders of motions."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeVar, cast

import typer

from posewright.errors import FileProblem, InvalidSetting, suggestion

if TYPE_CHECKING:
    from posewright.formats import ReadOptions as ReadOptions
else:
    ReadOptions = Any  # typer looks at annotations; formats are imported when a command runs

Command = TypeVar("Command", bound=Callable[..., None])

UNITS = {"m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "foot": 0.3048, "cmu": 0.0254 / 0.45}

File = Annotated[Path, typer.Argument(metavar="FILE", help="Figure or motion file; the suffix gives its format.")]
Frames = Annotated[str | None, typer.Option("--frames", help="Frames to use, START:STOP or START:STOP:STEP.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")]


class _Flag(NamedTuple):
    field: str
    """Of `ReadOptions`."""
    kind: Any
    help: str


_HOW = {
    "unit": _Flag("metres_per_unit", str, f"Length of one file unit: {', '.join(UNITS)}, or a number of metres."),
    "up": _Flag("up", Literal["y", "z"], "Vertical axis of the file."),
    "fps": _Flag("fps", float, "Override the file's frame rate."),
    "positions": _Flag(
        "position_channels",
        Literal["replace", "add"],
        "BVH position channels `replace` a joint's OFFSET or `add` to it.",
    ),
    "drop-first": _Flag("drop_first", bool, "Skip frame 0 (the T-pose of some files)."),
    "skeleton": _Flag("skeleton", Path, "ASF file of an AMC motion, or robot file of a CSV motion."),
    "animation": _Flag("animation", str, "Name of the animation in a glTF file."),
    "base": _Flag(
        "base", Literal["free", "fixed"], "URDF: `free` if the robot moves around, `fixed` if it is mounted."
    ),
}

FLAG_OF = {flag.field: f"--{name}" for name, flag in _HOW.items()}
"""The flag of each field of `ReadOptions`."""


def read_flags(*names: str, into: str = "read", prefix: str = "") -> Callable[[Command], Command]:
    """Add the flags that say how a file is read to a command, which gets them as one `ReadOptions`.

    Args:
        names: which flags; all by default.
        into: the command's keyword parameter.
        prefix: of the flags where a command reads two files: "source-" makes --source-unit.
    """

    def decorate(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)
        flags = {f"{prefix}{name}".replace("-", "_"): name for name in names or _HOW}

        @functools.wraps(command)
        def called(*args: Any, **values: Any) -> None:
            given = {name: values.pop(parameter) for parameter, name in flags.items()}
            command(*args, **values, **{into: _options(given, prefix)})

        parameters = [parameter for parameter in signature.parameters.values() if parameter.name != into]
        parameters += [_parameter(parameter, name, prefix) for parameter, name in flags.items()]
        called.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return cast(Command, called)

    return decorate


def _parameter(parameter: str, name: str, prefix: str) -> inspect.Parameter:
    _, kind, words = _HOW[name]
    is_switch = kind is bool
    option = typer.Option(
        f"--{prefix}{name}",
        help=f"As --{name}, for the {prefix.rstrip('-')}." if prefix else words,
        metavar="HOW" if name in ("positions", "base") else None,
        rich_help_panel=f"How to read the {prefix.rstrip('-') or 'file'}",
    )
    return inspect.Parameter(
        parameter,
        inspect.Parameter.KEYWORD_ONLY,
        default=False if is_switch else None,
        annotation=Annotated[kind if is_switch else kind | None, option],
    )


def _options(given: dict[str, Any], prefix: str) -> ReadOptions:
    from posewright.formats import ReadOptions

    fps = given.get("fps")
    if fps is not None and not 0.0 < fps < 1e6:
        raise InvalidSetting(f"--{prefix}fps is {fps}; it must be a positive number of frames per second")
    if given.get("unit") is not None:
        given["unit"] = _metres(given["unit"], f"--{prefix}unit")
    return ReadOptions(**{_HOW[name].field: value for name, value in given.items()})


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


def frame_range(text: str) -> slice:
    """START:STOP[:STEP] as a slice."""
    parts = text.split(":")
    try:
        numbers = [int(part) if part else None for part in parts]
    except ValueError:
        numbers = []
    if not 2 <= len(numbers) <= 3 or (len(numbers) == 3 and numbers[2] is not None and numbers[2] < 1):
        raise InvalidSetting(f"--frames is {text!r}; it must be START:STOP or START:STOP:STEP, such as 10:200")
    return slice(*numbers)


def motion_files(paths: list[Path], *, deep: bool = False) -> list[Path]:
    """The files named, and the motion files in the folders named, `deep`: also in the folders inside."""
    from posewright.formats import FORMATS

    suffixes = tuple(form.suffix for form in FORMATS if form.reads and "fps" in form.options)
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
            raise FileProblem(path, f"is a folder without motion files; readable files end in {', '.join(suffixes)}")
        found += fitting
    return found
