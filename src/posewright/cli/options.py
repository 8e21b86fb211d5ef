"""Options that commands share, and checks of output paths.

A group of flags (how a file is read, the limits of a check) is declared as a table; commands get it as one value.
"""

from __future__ import annotations

import functools
import inspect
import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import click

from posewright.errors import FileProblem, InvalidSetting, suggestion

Function = Callable[..., None]
Decorator = Callable[[Function], Function]


class Positive(click.ParamType):  # type: ignore[type-arg]
    """A positive number, or a word for one."""

    name = "number"

    def __init__(self, unit: str, words: Mapping[str, float] = MappingProxyType({})) -> None:
        self.unit, self.words = unit, words

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number."""
        if value in self.words:
            return self.words[value]
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if math.isnan(number) and self.words:
            self.fail(f"{value!r} is neither a number of {self.unit} nor a known unit{suggestion(value, self.words)}")
        if not 0.0 < number < 1e6:
            self.fail(f"{value} is not a positive number of {self.unit}")
        return number


PATH = click.Path(path_type=Path)
RATE = Positive("frames per second")
UNITS = {"m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "foot": 0.3048, "cmu": 0.0254 / 0.45}
UNIT = Positive("metres", UNITS)

frames = click.option("--frames", help="Frames to use, START:STOP or START:STOP:STEP.")
layout = click.option("--layout", help="Layout of the output: unitree, mjlab, gmr, ... (robots), or amass.")
resample = click.option("--resample", type=RATE, help="Resample to this frame rate.")
report = click.option("--report", type=PATH, help="Write an HTML page with pictures and plots.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead (radians, metres, seconds).")
pose_out = click.option(
    "-o",
    "--out",
    type=PATH,
    multiple=True,
    help="Output file: .bvh, .glb, .npz, .csv, .yaml, or .png for a picture; repeatable.",
)


def events(help: str) -> Decorator:
    """Add --events to a command, which gets "alike", "flight" or None."""
    return click.option(
        "--events",
        type=click.Choice(["alike", "flight", "none"]),
        default="alike",
        show_default=True,
        callback=lambda _context, _option, word: None if word == "none" else word,
        help=help,
    )


class CommandWithExamples(click.Command):
    """A command; the examples in its help keep their lines."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the docstring of the command."""
        self.help = inspect.cleandoc(self.help or "").replace("For example:", "\b\nFor example:")  # the mark is click's
        super().format_help_text(ctx, formatter)


class Group(click.Group):
    """A group of commands that suggests the nearest command for an unknown one."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """The command that the first word names, and the words after it."""
        known = self.list_commands(ctx)
        if args[0] not in known:
            ctx.fail(f"no such command {args[0]!r}{suggestion(args[0], known)}")
        return super().resolve_command(ctx, args)


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
        _Flag(
            "unit",
            "metres_per_unit",
            UNIT,
            f"Length of one file unit: {', '.join(UNITS)}, or a number of metres.",
        ),
        _Flag("up", "up", click.Choice(["y", "z"]), "Vertical axis of the file."),
        _Flag("fps", "fps", RATE, "Override the file's frame rate."),
        _Flag(
            "positions",
            "position_channels",
            click.Choice(["replace", "add"]),
            "BVH: position channels replace a joint's OFFSET or add to it.",
        ),
        _Flag(
            "drop-first/--keep-first",
            "drop_first",
            bool,
            "Drop or keep frame 0 (default: drop a T-pose before the motion).",
        ),
        _Flag("skeleton", "skeleton", PATH, "ASF file of an AMC motion, or robot file of a robot's motion."),
        _Flag("animation", "animation", str, "glTF: name of the animation (default: the first)."),
        _Flag("from-layout", "layout", str, "Layout of the robot motion to read (docs/formats/robot-layouts.md)."),
        _Flag("base", "base", click.Choice(["free", "fixed"]), "URDF: the robot can move around, or it is mounted."),
    )
}
FLAG_OF = {flag.field: f"--{flag.name}" for flag in _READ.values()}
"""The flag of each field of `ReadOptions`."""

BROKEN = 1
"""The exit code when a limit of a check is broken."""
_UNCHECKED = "(default: not checked)."
_LIMITS = tuple(
    _Flag(f"max-{field.replace('_', '-')}", field, float, words, default)
    for field, default, words in (
        ("likeness", 15.0, "Angle between a bone and the source's beyond that of plain transfer, degrees."),
        ("likeness_limbs", 60.0, "Angle between trunk, arm, thigh or shin and the source's, degrees."),
        ("pop", 10.0, "Change of a knee or elbow angle in 25 ms beyond the source's, degrees."),
        ("limit_violation", 1e-6, "Distance outside joint limits, rad or m."),
        ("drift", 0.01, "Contact drift beyond the source's, m."),
        ("skate", 0.02, "Mean foot skating beyond the source's, m/s."),
        ("penetration", 0.01, "Depth below the floor, m."),
        ("turn", 1.5, "Fastest joint rotation, relative to the source's."),
        ("jerk", 1.3, "Jerk, relative to the source's."),
        ("speed", 1.0, "Joint speed, relative to the robot's limits."),
        ("site_error", None, f"Mean distance of sites from the source's, m {_UNCHECKED}"),
        ("floating", None, f"Height above the floor beyond the source's, m {_UNCHECKED}"),
        ("self_contact", None, f"Self-contact beyond the source's, m {_UNCHECKED}"),
        ("balance", None, f"Loss of balance beyond the source's, m {_UNCHECKED}"),
    )
)


def together(*decorators: Decorator) -> Decorator:
    """Several options as one decorator, in the order in which help lists them."""

    def decorate(function: Function) -> Function:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


served = together(
    click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port to listen on (0: any free one)."),
    click.option("--no-browser", is_flag=True, help="Only print the address."),
    click.option(
        "--host",
        default="127.0.0.1",
        help="Address to listen on (default 127.0.0.1: only this machine can connect).",
    ),
)
"""Options of commands that show a page in the browser."""


def read_flags(*names: str, into: str = "read", prefix: str = "") -> Decorator:
    """Add the flags for reading a file to a command, which gets them as one `ReadOptions`.

    Args:
        names: names of the flags; default: all.
        into: the command's keyword parameter.
        prefix: prefix of the flags for a command's other file; "source-" makes --source-unit.
    """
    flags = [flag for name, flag in _READ.items() if not names or name.partition("/")[0] in names]
    if prefix:
        other = {"source-": "source", "to-": "target"}[prefix]
        flags = [
            f._replace(name=prefix + f.name.replace("--", f"--{prefix}"), help=f"As --{f.name}, for the {other}.")
            for f in flags
        ]

    return _grouped(flags, into, "posewright.formats.ReadOptions")


def limit_flags() -> Decorator:
    """Add a flag for each limit of a check to a command, which gets them as one `QualityLimits` called `limits`."""
    return _grouped(_LIMITS, "limits", "posewright.motions.quality.QualityLimits")


def _grouped(flags: Sequence[_Flag], into: str, kind: str) -> Decorator:
    """Add flags to a command, which gets a value of a class as its parameter `into`, made from theirs."""
    fields = {flag.name.partition("/")[0].replace("-", "_"): flag.field for flag in flags}

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def called(**values: Any) -> None:
            given = {field: values.pop(parameter) for parameter, field in fields.items()}
            module, _, name = kind.rpartition(".")
            function(**values, **{into: getattr(import_module(module), name)(**given)})

        for flag in reversed(flags):
            called = click.option(
                f"--{flag.name}",
                type=flag.kind,
                is_flag=flag.kind is bool,
                default=flag.default,
                help=flag.help,
                show_default=isinstance(flag.default, float),
            )(called)
        return called

    return decorate


def motion_files(paths: Iterable[Path], out: Path, *, deep: bool = False) -> list[Path]:
    """The given files, and the motion files in the given folders (`deep`: recursively), except `out`."""
    from posewright.formats import FORMATS
    from posewright.formats.budget import is_file

    suffixes = tuple(form.suffix for form in FORMATS if "fps" in form.options)
    found: list[Path] = []
    for path in paths:
        if not path.exists():
            raise FileProblem(path, "no such file or folder")
        if not path.is_dir():
            found.append(path)
            continue
        inside = path.rglob("*") if deep else path.iterdir()
        fitting = sorted(file for file in inside if file.name.lower().endswith(suffixes) and is_file(file))
        if not fitting:
            raise FileProblem(path, f"is a folder without motion files; readable files end in {', '.join(suffixes)}")
        found += fitting
    return [file for file in found if os.path.realpath(file) != os.path.realpath(out)]


def require_output(path: Path | None, suffixes: Iterable[str], what: str) -> None:
    """Check the suffix of an output path, and that it can be written, before any work is done.

    Raises:
        FileProblem: the suffix is unknown (the message suggests the nearest one), or the file cannot be written.
    """
    from posewright.formats.atomic import require_place

    if path is None:
        return
    known = tuple(suffixes)
    if path.suffix.lower() not in known:
        raise FileProblem(path, f"cannot write {what} with suffix {path.suffix!r}{suggestion(path.suffix, known)}")
    require_place(path)


def refuse_given(why: str, *names: str) -> None:
    """Refuse given options of the running command that would have no effect.

    Args:
        why: what the options are for, such as "of pictures, not of clip.html".
        names: names of the options, without dashes.

    Raises:
        InvalidSetting: one of the options was given.
    """
    context = click.get_current_context()
    for name in names:
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            raise InvalidSetting(f"--{name} is an option {why}")


def keep_apart(written: Iterable[Path | None], read: Iterable[Path | None]) -> None:
    """Refuse to overwrite what the command reads.

    Raises:
        FileProblem: one of `written` is one of `read`.
    """
    sources = [os.path.realpath(path) for path in read if path is not None and os.path.isfile(path)]
    for path in written:
        if path is not None and os.path.realpath(path) in sources:
            raise FileProblem(path, "is an input of this command; choose another output file")


def make_folder(path: Path) -> None:
    """Make a folder, and those above it, unless it exists.

    Raises:
        FileProblem: it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileProblem.of_system(path, "cannot create this folder", error) from error
