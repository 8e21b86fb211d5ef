"""The report on a batch: what became of the clips, how each measure is distributed, which clips are worst and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from posewright.batch.record import Entry, read_record
from posewright.batch.run import REFUSED, BatchResult
from posewright.errors import PosewrightError, counted
from posewright.formats import load_motion
from posewright.report.html import Block, Page, Pictures, Plots, Section, Table
from posewright.report.plots import Curve, Plot
from posewright.report.quality_page import shown, strip

_WORST, _LISTED, _PICTURES = 3, 50, 6
_SHARES = (0.5, 0.9, 0.99, 1.0)


def batch_page(result: BatchResult, suffix: str | None, title: str) -> Page:
    """The whole page.

    Args:
        result: of the run.
        suffix: of the motions that were written; None: there are none to show.
        title: of the page.
    """
    entries = read_record(result.out)
    done = [entry for entry in entries if entry.state == "done"]
    measured = {entry.name: entry.measured for entry in done}
    names = dict.fromkeys(name for each in measured.values() for name in each)
    sections = [Section("Clips", [_counts(result)])]
    if names:
        values = {name: _values(name, done, measured) for name in names}
        sections.append(Section("Measures", [_distribution(values, measured), Plots(_plots(values, measured))]))
        sections.append(Section("Worst clips", _worst(values, measured, done, result.out, suffix)))
    refused = [entry for entry in done if entry.refused]
    if refused:
        rows = [(entry.name, entry.refused, _opened(entry, result.out, suffix)) for entry in refused[:_LISTED]]
        table = Table(("clip", "why", "to look at it"), rows)
        sections.append(Section("Refused by the selection", [table, *_more(refused)]))
    failed = [entry for entry in entries if entry.state != "done"]
    if failed:
        sections.append(Section("Failures", [_causes(failed), _sentences(failed), *_more(failed)]))
    if result.vanished:
        words = f"{counted(len(result.vanished), 'clip')} of the record are no longer in the library; what was made of "
        sections.append(Section("Vanished", [f"{words}them was left: {', '.join(result.vanished[:_LISTED])}"]))
    return Page(title=title, summary=sentence(result), sections=sections, tone="good" if result.complete else "bad")


def sentence(result: BatchResult) -> str:
    """What a run came to."""
    n = result.counts
    parts = [f"{n['kept']} of {counted(n['clips'], 'clip')} kept"]
    parts += [f"{n[name]} {words}" for name, words in _COUNTED[1:4] if n[name]]
    parts += [f"{len(result.vanished)} no longer in the library"] if result.vanished else []
    return ", ".join(parts) + f"; {counted(result.made, 'clip')} made in {result.seconds:.1f} s"


_COUNTED = (
    ("kept", "kept"),
    ("refused", "refused by the selection"),
    ("failed", "failed"),
    ("over_limit", "over a limit"),
)


def _counts(result: BatchResult) -> Table:
    return Table(("", "clips"), [(words, str(result.counts[name])) for name, words in _COUNTED])


def _values(name: str, done: Sequence[Entry], measured: dict[str, dict[str, Any]]) -> list[tuple[float, Entry]]:
    """Of all clips that have a measure, worst first."""
    found = [(float(measured[e.name][name]["value"]), e) for e in done if name in measured[e.name]]
    return sorted(found, key=lambda pair: (-pair[0], pair[1].name))


def _unit(name: str, measured: dict[str, dict[str, Any]]) -> str:
    return next(str(each[name].get("unit", "")) for each in measured.values() if name in each)


def _distribution(values: dict[str, list[tuple[float, Entry]]], measured: dict[str, dict[str, Any]]) -> Table:
    rows = []
    for name, found in values.items():
        numbers, unit = [value for value, _ in found], _unit(name, measured)
        cells = [shown(float(np.quantile(numbers, share)), unit) for share in _SHARES]
        rows.append((name, str(len(numbers)), *cells))
    return Table(("measure", "clips", "half below", "90 % below", "99 % below", "greatest"), rows)


def _plots(values: dict[str, list[tuple[float, Entry]]], measured: dict[str, dict[str, Any]]) -> list[Plot]:
    """The share of clips below each value."""
    plots = []
    for name, found in values.items():
        numbers = np.sort([value for value, _ in found])
        if len(numbers) > 1 and numbers[-1] > numbers[0]:
            curve = Curve(x=numbers, y=100.0 * np.arange(1, len(numbers) + 1) / len(numbers))
            unit = _unit(name, measured)
            label = f"{name} ({unit})" if unit else name
            plots.append(Plot(content=[curve], title=name, x_label=label, y_label="clips below, %"))
    return plots


def _worst(
    values: dict[str, list[tuple[float, Entry]]],
    measured: dict[str, dict[str, Any]],
    done: Sequence[Entry],
    out: Path,
    suffix: str | None,
) -> list[Block]:
    rows: list[tuple[str, str, str, str]] = []
    times: Counter[str] = Counter()
    for name, found in values.items():
        for value, entry in found[:_WORST]:
            if value > 0.0:
                frame = measured[entry.name][name].get("frame")
                cells = (shown(value, _unit(name, measured)), "" if frame is None else str(frame))
                rows.append((entry.name, name, *cells))
                times[entry.name] += 1
    blocks: list[Block] = [Table(("clip", "measure", "value", "worst frame"), rows)]
    pictures = []
    for name, _ in times.most_common(_PICTURES):
        entry = next(e for e in done if e.name == name)
        path = _written(entry, out, suffix)
        try:
            motion = load_motion(path if path is not None else Path(entry.source))
        except PosewrightError:
            continue  # in a layout, or read with options: it has no picture here
        pictures.append((strip(motion), name))
    if pictures:
        blocks.append(Pictures(pictures, wide=True))
    return blocks


def _opened(entry: Entry, out: Path, suffix: str | None) -> str:
    """The command that shows a clip."""
    return f"posewright studio {_written(entry, out, suffix) or entry.source}"


def _written(entry: Entry, out: Path, suffix: str | None) -> Path | None:
    return None if suffix is None else (out / REFUSED if entry.refused else out) / f"{entry.name}{suffix}"


def _causes(failed: Sequence[Entry]) -> Table:
    causes = Counter(_cause(entry) for entry in failed)
    return Table(("cause", "clips"), [(cause, str(count)) for cause, count in causes.most_common()])


def _cause(entry: Entry) -> str:
    """The sentence without the clip's own names and numbers."""
    text = entry.error.replace(entry.source, "").lstrip(":, ")
    return "".join("N" if letter.isdigit() else letter for letter in text)[:120]


def _sentences(failed: Sequence[Entry]) -> Table:
    return Table(("clip", "what is wrong"), [(entry.name, entry.error) for entry in failed[:_LISTED]])


def _more(entries: Sequence[Entry]) -> list[Block]:
    return [f"and {len(entries) - _LISTED} more, in the record"] if len(entries) > _LISTED else []
