"""Pages about the papers: blocks that hold what experiments find, written by `posewright experiment --into`.

A block begins with `<!-- experiment 5-G -->` and ends with `<!-- end of 5-G -->`, each on a line of its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from posewright.errors import FileProblem
from posewright.experiments.experiment import Experiment, Outcome
from posewright.formats.atomic import replacing


def write_into(folder: Path, one: Experiment, outcome: Outcome, picture: Path | None) -> list[Path]:
    """Replace the blocks of an experiment in the Markdown pages of a folder; return the pages that have one.

    Raises:
        FileProblem: a block that does not end.
    """
    begin, end = f"<!-- experiment {one.id} -->\n", f"<!-- end of {one.id} -->"
    found = []
    for page in sorted(folder.glob("*.md")):
        before, has_one, after = page.read_text(encoding="utf-8").partition(begin)
        if not has_one:
            continue
        _, ends, rest = after.partition(end)
        if not ends:
            raise FileProblem(page, f"the block of experiment {one.id} does not end: {end} is missing")
        link = None if picture is None else Path(os.path.relpath(picture, page.parent)).as_posix()
        with replacing(page) as path:
            path.write_text(before + begin + _block(one, outcome, link) + end + rest, encoding="utf-8")
        found.append(page)
    return found


def _block(one: Experiment, outcome: Outcome, link: str | None) -> str:
    verdict = "Accepted" if outcome.accepted else "Not accepted"
    parts = [f"{verdict} (seed {outcome.seed}): {one.accepts[0].lower()}{one.accepts[1:].rstrip('.')}."]
    parts += [f"Failed: {failure}." for failure in outcome.failures]
    parts.append(_table(outcome.columns, outcome.rows))
    if link is not None:
        parts.append(f"![{one.title}]({link})")
    if outcome.neighbours:
        parts.append(_table(("beside it, not judged", "found"), outcome.neighbours))
    if outcome.notes:
        parts.append("\n".join(f"- {note[0].upper()}{note[1:].rstrip('.')}." for note in outcome.notes))
    return "\n" + "\n\n".join(parts) + "\n\n"


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    escaped = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in escaped)
