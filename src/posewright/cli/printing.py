"""Tables and notes on a terminal: plain text, with colours where a person looks on.

Rich draws finer tables, but importing it takes longer than many commands run; it is left to progress bars.
"""

from __future__ import annotations

import json
import shutil
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from posewright.figures import Figure, Joint

Row = Sequence[str]
_GAP = "  "


def print_table(
    rows: Iterable[Row],
    header: Row = (),
    *,
    left: Sequence[int] = (0,),
    title: str = "",
    colours: dict[str, str] | None = None,
) -> None:
    """Print rows in columns, those in `left` flush left, the others flush right; `colours` are by what a cell says."""
    rows = [list(row) for row in rows]
    widths = [max(map(_width, column)) for column in zip(*rows, *([header] if header else []), strict=True)]
    if title:
        typer.secho(title, bold=True)
    if header:
        typer.secho(_GAP.join(_padded(header, widths, left)).rstrip(), bold=True)
    for row in rows:
        cells = zip(row, _padded(row, widths, left), strict=True)
        line = _GAP.join(_coloured(padded, (colours or {}).get(cell)) for cell, padded in cells)
        typer.echo(line.rstrip())


def print_facts(facts: Iterable[tuple[str, str]], *, title: str = "") -> None:
    """Print labels and what they say, folded to the width of the terminal."""
    facts = list(facts)
    indent = max(_width(label) for label, _ in facts) + len(_GAP)
    if title:
        typer.secho(title, bold=True)
    for label, text in facts:
        room = max(shutil.get_terminal_size().columns - indent, 20)
        lines = textwrap.wrap(text, room, break_on_hyphens=False) or [""]
        typer.echo(_coloured(_padded([label], [indent], (0,))[0], "cyan") + lines[0])
        for line in lines[1:]:
            typer.echo(" " * indent + line)


def print_notes(notes: Iterable[str]) -> None:
    """Print sentences that a person should know about, one to a line."""
    for note in notes:
        typer.echo(f"{_coloured('note', 'yellow')} {note}")


def print_json(value: Any) -> None:
    """Print a value for programs."""
    typer.echo(json.dumps(value, indent=2))


def print_joints(figure: Figure, remark: Callable[[Joint], str]) -> None:
    """Print a figure's joints as a tree; an only child is drawn below its parent, or spines would leave the screen."""
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
        typer.echo(f"{bars}{joint.name} {typer.style(remark(joint), dim=True)}")


def _padded(row: Row, widths: Sequence[int], left: Sequence[int]) -> list[str]:
    blanks = [" " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)]
    return [
        cell + blank if k in left else blank + cell for k, (cell, blank) in enumerate(zip(row, blanks, strict=True))
    ]


def _coloured(text: str, colour: str | None) -> str:
    return text if colour is None else typer.style(text, fg=colour)


def _width(text: str) -> int:
    """Columns that a text takes on a terminal."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)
