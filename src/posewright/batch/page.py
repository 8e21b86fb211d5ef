"""The report of a batch: results of the clips, distributions of the measures, the worst clips and why."""

from __future__ import annotations

import heapq
import shlex
from array import array
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from posewright.batch.record import Entry, read_record
from posewright.batch.results import result_of
from posewright.batch.run import BatchResult
from posewright.errors import PosewrightError, counted
from posewright.report.html import Block, Page, Pictures, Plots, Section, Table
from posewright.report.plots import Curve, Plot
from posewright.report.quality_page import strip

_WORST, _LISTED, _PICTURES = 3, 50, 6
_LONG = 150
"""Maximum length of a cause, letters."""
_SHARES = (0.5, 0.9, 0.99, 1.0)


def batch_page(result: BatchResult, title: str) -> Page:
    """The page."""
    seen = _Seen(result)
    sections = [Section("Clips", [_counts(result)])]
    if seen.measures:
        plots = [plot for measure in seen.measures.values() if (plot := measure.plot()) is not None]
        rows = [measure.row() for measure in seen.measures.values()]
        table = Table(("measure", "clips", "half below", "90 % below", "99 % below", "greatest"), rows)
        sections.append(Section("Measures", [table, Plots(plots)]))
        sections.append(Section("Worst clips", _worst(seen.measures, result.out)))
    if seen.refused:
        table = Table(("clip", "why", "to look at it"), seen.refused, words=(1, 2))
        sections.append(Section("Refused by the selection", [table, *_more(result.counts["refused"])]))
    if seen.failed:
        causes = Table(("clips", "cause"), [(str(n), why) for why, n in seen.causes.most_common(_LISTED)], words=(1,))
        sentences = Table(("clip", "what is wrong"), seen.failed, words=(1,))
        sections.append(Section("Failures", [causes, sentences, *_more(result.counts["failed"])]))
    if result.vanished:
        words = f"{counted(len(result.vanished), 'clip')} of the record are no longer in the library; what was made of "
        sections.append(Section("Vanished", [f"{words}them was left: {', '.join(result.vanished[:_LISTED])}"]))
    return Page(title=title, summary=sentence(result), sections=sections, tone="good" if result.complete else "bad")


def sentence(result: BatchResult) -> str:
    """The result of a run in one sentence."""
    n = result.counts
    parts = [f"{n['kept']} of {counted(n['clips'], 'clip')} kept"]
    parts += [f"{n[name]} {words}" for name, words in _COUNTED[1:4] if n[name]]
    parts += [f"{len(result.vanished)} no longer in the library"] if result.vanished else []
    return ", ".join(parts) + f"; {counted(result.made, 'clip')} made in {result.seconds:.1f} s"


def studio_command(out: Path, name: str) -> str:
    """The command that shows a clip."""
    return shlex.join(["posewright", "batch", "studio", str(out), name])


_COUNTED = (
    ("kept", "kept"),
    ("refused", "refused by the selection"),
    ("failed", "failed"),
    ("over_limit", "over a limit"),
)


class _Measure:
    """The values of one measure over all clips, with the names of only the worst."""

    def __init__(self, name: str, unit: str) -> None:
        self.name, self.unit, self._values = name, unit, array("d")
        self._worst: list[tuple[float, str, str]] = []

    def add(self, value: float, clip: str, frame: int | None) -> None:
        self._values.append(value)
        if value > 0.0:
            found = (value, clip, "" if frame is None else str(frame))
            (heapq.heappush if len(self._worst) < _WORST else heapq.heappushpop)(self._worst, found)

    def row(self) -> Sequence[str]:
        cells = [self._shown(float(np.quantile(self._values, share))) for share in _SHARES]
        return (self.name, str(len(self._values)), *cells)

    def plot(self) -> Plot | None:
        """The share of clips below each value."""
        numbers = np.sort(np.array(self._values))
        if not numbers[-1] > numbers[0]:
            return None
        shares = 100.0 * np.arange(1, len(numbers) + 1) / len(numbers)
        few = np.unique(np.linspace(0, len(numbers) - 1, 500).astype(int))
        label = f"{self.name} ({self.unit})" if self.unit else self.name
        curve = Curve(x=numbers[few], y=shares[few])
        return Plot(content=[curve], title=self.name, x_label=label, y_label="clips below, %")

    def worst(self) -> list[tuple[str, str, str, str]]:
        """Clip, measure, value and frame, worst first."""
        return [(clip, self.name, self._shown(value), frame) for value, clip, frame in sorted(self._worst)[::-1]]

    def _shown(self, value: float) -> str:
        """The value in the unit of rules."""
        return f"{value:.4g} {self.unit}".rstrip()


class _Seen:
    """What one pass over the record collects."""

    def __init__(self, result: BatchResult) -> None:
        self.measures: dict[str, _Measure] = {}
        self.refused: list[tuple[str, str, str]] = []
        self.failed: list[tuple[str, str]] = []
        self.causes: Counter[str] = Counter()
        vanished = set(result.vanished)
        for entry in read_record(result.out):
            if entry.name not in vanished:
                self._see(entry, result.out)

    def _see(self, entry: Entry, out: Path) -> None:
        if entry.state != "done":
            self.causes[_cause(entry)] += 1
            if len(self.failed) < _LISTED:
                self.failed.append((entry.name, entry.error))
            return
        if entry.refused and len(self.refused) < _LISTED:
            self.refused.append((entry.name, entry.refused, studio_command(out, entry.name)))
        for name, found in entry.measured.items():
            if name not in self.measures:
                self.measures[name] = _Measure(name, str(found.get("unit", "")))
            self.measures[name].add(float(found["value"]), entry.name, found.get("frame"))


def _counts(result: BatchResult) -> Table:
    return Table(("", "clips"), [(words, str(result.counts[name])) for name, words in _COUNTED])


def _worst(measures: dict[str, _Measure], out: Path) -> list[Block]:
    rows = [row for measure in measures.values() for row in measure.worst()]
    blocks: list[Block] = [Table(("clip", "measure", "value", "worst frame"), rows, words=(1,))]
    pictures = []
    for name, _ in Counter(clip for clip, *_ in rows).most_common(_PICTURES):
        try:
            pictures.append((strip(result_of(out, name)), name))
        except PosewrightError:
            continue  # its file has gone
    if pictures:
        blocks.append(Pictures(pictures, wide=True))
    return blocks


def _cause(entry: Entry) -> str:
    """The sentence without the names and numbers of the clip, so that equal causes are counted together."""
    text = entry.error.replace(entry.source, "").lstrip(":, ").replace(f" {Path(entry.source).stem!r}", "")
    text = "".join("N" if letter.isdigit() else letter for letter in text)
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"


def _more(count: int) -> list[Block]:
    return [f"and {count - _LISTED} more, in the record"] if count > _LISTED else []
