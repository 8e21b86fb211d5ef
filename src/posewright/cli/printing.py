"""Print tables, notes and progress on a terminal: plain text, in colour if the output is a terminal."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from posewright.figures import Figure, Joint
    from posewright.motions import Motion

Loaded = TypeVar("Loaded", bound="Figure | Motion")
Row = Sequence[str]
_GAP = "  "


class Red(str):
    """A table cell that is shown in red."""

    __slots__ = ()


def print_table(
    rows: Iterable[Row],
    header: Row = (),
    *,
    left: Sequence[int] = (0,),
    title: str = "",
    colours: dict[str, str] | None = None,
) -> None:
    """Print rows in aligned columns.

    Args:
        rows: the cells.
        header: a heading per column, which may have several lines.
        left: indices of the columns that are aligned left; the others are aligned right.
        title: title to print above the table.
        colours: colours of cells, by their text; `Red` cells are red.
    """
    rows = [list(row) for row in rows]
    headings = _stacked(header)
    widths = [max(map(_width, column)) for column in zip(*rows, *headings, strict=True)]
    if title:
        click.secho(title, bold=True)
    for heading in headings:
        click.secho(_GAP.join(_padded(heading, widths, left)).rstrip(), bold=True)
    for row in rows:
        shades = ["red" if isinstance(cell, Red) else (colours or {}).get(cell) for cell in row]
        click.echo(_GAP.join(map(_coloured, _padded(row, widths, left), shades)).rstrip())


def print_facts(facts: Iterable[tuple[str, str]], *, title: str = "") -> None:
    """Print labels with their texts, wrapped to the width of the terminal."""
    facts = list(facts)
    indent = max(_width(label) for label, _ in facts) + len(_GAP)
    if title:
        click.secho(title, bold=True)
    for label, text in facts:
        room = max(shutil.get_terminal_size().columns - indent, 20)
        lines = textwrap.wrap(text, room, break_on_hyphens=False) or [""]
        click.echo(_coloured(_padded([label], [indent], (0,))[0], "cyan") + lines[0])
        for line in lines[1:]:
            click.echo(" " * indent + line)


def print_notes(notes: Iterable[str], *, to_error: bool = False) -> None:
    """Print notes, one per line, to the output or to the error stream."""
    for note in notes:
        click.echo(f"{_coloured('note', 'yellow')} {note}", err=to_error)


def with_doubts(file: Path | str, loaded: Loaded) -> Loaded:
    """Print a note to the error stream for each doubtful assumption of the reader; return what was loaded."""
    from posewright.formats.assumptions import doubts

    print_notes((f"{file}: {note}" for note in doubts(loaded)), to_error=True)
    return loaded


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    click.echo(json.dumps(value, indent=2))


def print_written(paths: Iterable[Path]) -> None:
    """Print which files were written."""
    for path in paths:
        click.echo(f"wrote {path}")


class StatusLine:
    """A status line on the error stream, if that is a terminal; it is erased at the end."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._shown = not quiet and sys.stderr is not None and sys.stderr.isatty()

    def __enter__(self) -> StatusLine:
        return self

    def __exit__(self, *_: object) -> None:
        self("")

    def __call__(self, text: str) -> None:
        """Replace the text of the status line."""
        if self._shown:
            print(f"\r\033[K{text[: shutil.get_terminal_size().columns - 1]}", end="", file=sys.stderr, flush=True)

    def compiling(self, kernel: str) -> None:
        """Show that a kernel is being compiled."""
        self(f"compiling kernels, once per machine: {kernel}")

    def remark(self, text: str) -> None:
        """Print a permanent line on the error stream."""
        self("")
        click.echo(text, err=True)


def print_joints(figure: Figure, remark: Callable[[Joint], str]) -> None:
    """Print a figure's joints as a tree; an only child is not indented, so that spines fit on the screen."""
    depths: list[int] = []
    forks: list[bool] = []
    for index, parent in enumerate(figure.parents):
        forks.append(index == 0 or len(figure.children[parent]) > 1)
        depths.append(0 if index == 0 else depths[parent] + forks[-1])
    for index, joint in enumerate(figure.joints):
        later = [depth for depth, fork in zip(depths[index + 1 :], forks[index + 1 :], strict=True) if fork]
        bars = ""
        for level in range(1, depths[index] + 1):
            goes_on = next((depth == level for depth in later if depth <= level), False)
            if level == depths[index] and forks[index]:
                bars += "├── " if goes_on else "└── "
            else:
                bars += "│   " if goes_on else "    "
        click.echo(f"{bars}{joint.name} {click.style(remark(joint), dim=True)}")


def _stacked(header: Row) -> list[list[str]]:
    """The lines of a header; shorter headings are aligned at the bottom."""
    cells = [cell.split("\n") for cell in header]
    height = max((len(lines) for lines in cells), default=0)
    return [[([""] * (height - len(lines)) + lines)[k] for lines in cells] for k in range(height)]


def _padded(row: Row, widths: Sequence[int], left: Sequence[int]) -> list[str]:
    blanks = [" " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)]
    return [
        cell + blank if k in left else blank + cell for k, (cell, blank) in enumerate(zip(row, blanks, strict=True))
    ]


def _coloured(text: str, colour: str | None) -> str:
    return text if colour is None else click.style(text, fg=colour)


def _width(text: str) -> int:
    """Width of a text on a terminal, in columns."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
