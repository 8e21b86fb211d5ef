"""What commands have in common: options declared once, and checks of the paths they write to.

A group of flags (how a file is read, limits of a check) is a table, and reaches a command as one value.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypeVar, cast

import typer

from posewright.errors import FileProblem, InvalidSetting, suggestion

if TYPE_CHECKING:
    from posewright.formats import ReadOptions as ReadOptions
    from posewright.motions import Motion
    from posewright.motions.quality import QualityLimits as QualityLimits
else:
    ReadOptions = QualityLimits = Any  # typer looks at annotations; what they name is imported when a command runs

Command = TypeVar("Command", bound=Callable[..., None])

UNITS = {"m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "foot": 0.3048, "cmu": 0.0254 / 0.45}

File = Annotated[Path, typer.Argument(metavar="FILE", help="Figure or motion file; the suffix gives its format.")]
Clips = Annotated[list[Path], typer.Argument(metavar="CLIPS...", help="Motion files, or folders of them.")]
TaskFile = Annotated[Path, typer.Argument(metavar="TASK.yaml", help="Task file: goals and more (docs/tasks.md).")]
Frames = Annotated[str | None, typer.Option("--frames", help="Frames to use, START:STOP or START:STOP:STEP.")]
Floor = Annotated[float | None, typer.Option("--floor", help="Height of the floor, m (default: estimated).")]
Report = Annotated[Path | None, typer.Option("--report", help="Write an HTML page with pictures and plots.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead (radians, metres, seconds).")]


class _Flag(NamedTuple):
    name: str
    field: str
    """Of the value that the command gets."""
    kind: Any
    help: str
    default: Any = None


_READ = {
    flag.name: flag
    for flag in (
        _Flag("unit", "metres_per_unit", str, f"Length of one file unit: {', '.join(UNITS)}, or a number of metres."),
        _Flag("up", "up", Literal["y", "z"], "Vertical axis of the file."),
        _Flag("fps", "fps", float, "Override the file's frame rate."),
        _Flag(
            "positions",
            "position_channels",
            Literal["replace", "add"],
            "BVH: position channels replace a joint's OFFSET or add to it.",
        ),
        _Flag("drop-first", "drop_first", bool, "Skip frame 0 (the T-pose of some files).", False),
        _Flag("skeleton", "skeleton", Path, "ASF file of an AMC motion, or robot file of a CSV motion."),
        _Flag("animation", "animation", str, "glTF: name of the animation (default: the first)."),
        _Flag("base", "base", Literal["free", "fixed"], "URDF: whether the robot moves around or is mounted."),
    )
}
FLAG_OF = {flag.field: f"--{flag.name}" for flag in _READ.values()}
"""The flag of each field of `ReadOptions`."""

_UNCHECKED = "(default: not checked)."
_LIMITS = tuple(
    _Flag(f"max-{field.replace('_', '-')}", field, float, words, default)
    for field, default, words in (
        ("limit_violation", 1e-6, "rad or m outside joint limits."),
        ("drift", 0.01, "m of contact drift beyond the source's."),
        ("skate", 0.02, "m/s of mean foot skating beyond the source's."),
        ("penetration", 0.01, "m below the floor."),
        ("turn", 1.5, "Fastest joint rotation, relative to the source's."),
        ("jerk", 1.3, "Jerk, relative to the source's."),
        ("speed", 1.0, "Joint speed, relative to the robot's limits."),
        ("site_error", None, f"m, mean {_UNCHECKED}"),
        ("floating", None, f"m above the floor beyond the source's {_UNCHECKED}"),
        ("self_contact", None, f"m of self-contact beyond the source's {_UNCHECKED}"),
        ("balance", None, f"m out of balance beyond the source's {_UNCHECKED}"),
    )
)


def read_flags(*names: str, into: str = "read", prefix: str = "") -> Callable[[Command], Command]:
    """Add the flags that say how a file is read to a command, which gets them as one `ReadOptions`.

    Args:
        names: which flags; all by default.
        into: the command's keyword parameter.
        prefix: of the flags for the other file of a command: "source-" makes --source-unit.
    """
    flags = [_READ[name] for name in names or _READ]
    if prefix:
        other = {"source-": "source", "to-": "target"}[prefix]
        flags = [f._replace(name=prefix + f.name, help=f"As --{f.name}, for the {other}.") for f in flags]

    def build(given: dict[str, Any]) -> Any:
        from posewright.formats import ReadOptions

        fps, unit = given.get("fps"), given.get("metres_per_unit")
        if fps is not None and not 0.0 < fps < 1e6:
            raise InvalidSetting(f"--{prefix}fps is {fps}; it must be a positive number of frames per second")
        if unit is not None:
            given["metres_per_unit"] = _metres(unit, f"--{prefix}unit")
        return ReadOptions(**given)

    return _grouped(flags, into, build)


def limit_flags() -> Callable[[Command], Command]:
    """Add a flag for each limit of a check to a command, which gets them as one `QualityLimits` called `limits`."""

    def build(given: dict[str, Any]) -> Any:
        from posewright.motions.quality import QualityLimits

        return QualityLimits(**given)

    return _grouped(_LIMITS, "limits", build)


def _grouped(flags: Sequence[_Flag], into: str, build: Callable[[dict[str, Any]], Any]) -> Callable[[Command], Command]:
    """Replace a command's keyword parameter `into` by flags; `build` makes its value from theirs."""
    fields = {flag.name.replace("-", "_"): flag.field for flag in flags}
    added = [
        inspect.Parameter(
            flag.name.replace("-", "_"),
            inspect.Parameter.KEYWORD_ONLY,
            default=flag.default,
            annotation=Annotated[
                flag.kind if flag.default is not None else flag.kind | None,
                typer.Option(f"--{flag.name}", help=flag.help),
            ],
        )
        for flag in flags
    ]

    def decorate(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)

        @functools.wraps(command)
        def called(*args: Any, **values: Any) -> None:
            given = {field: values.pop(parameter) for parameter, field in fields.items()}
            command(*args, **values, **{into: build(given)})

        parameters = [p for p in signature.parameters.values() if p.name != into] + added
        called.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return cast(Command, called)

    return decorate


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


def frames_of(motion: Motion, frames: str | None, file: Path, flag: str = "--frames") -> Motion:
    """The frames that a flag asks for, which must be some."""
    cut = motion if frames is None else motion[frame_range(frames)]
    if not len(motion):
        raise FileProblem(file, "has no frames")
    if not len(cut):
        raise InvalidSetting(f"{flag} {frames} leaves no frame of {file}, which has {len(motion)}")
    return cut


def motion_files(paths: list[Path], out: Path, *, deep: bool = False) -> list[Path]:
    """The files named, and the motion files in the folders named (`deep`: and in folders below), but not `out`."""
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
    return [file for file in found if file.resolve() != out.resolve()]


def require_output(path: Path | None, suffixes: Iterable[str], what: str) -> None:
    """Refuse a path with another suffix, or where nothing can be written, before any work is done.

    Raises:
        FileProblem: with the nearest suffix.
    """
    from posewright.formats.atomic import require_place

    if path is None:
        return
    known = tuple(suffixes)
    if path.suffix.lower() not in known:
        raise FileProblem(path, f"cannot write {what} with suffix {path.suffix!r}{suggestion(path.suffix, known)}")
    require_place(path)


def keep_apart(written: Iterable[Path | None], read: Iterable[Path | None]) -> None:
    """Refuse to overwrite what the command reads.

    Raises:
        FileProblem: one of `written` is one of `read`.
    """
    sources = [path.resolve() for path in read if path is not None and path.is_file()]
    for path in written:
        if path is not None and path.resolve() in sources:
            raise FileProblem(path, "is read by this command; name another file to write")


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, unless it exists.

    Raises:
        FileProblem: it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileProblem(path, f"cannot make this folder: {(error.strerror or str(error)).lower()}") from error
