"""What `assess` found: a small table for people, a dictionary for files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from posewright.conventions import Array
from posewright.errors import UnknownName
from posewright.motions.contacts import Contacts

if TYPE_CHECKING:
    from posewright.motions.quality.limits import QualityLimits, Verdict


@dataclass(frozen=True, kw_only=True)
class Measure:
    """One number about a motion; less is better."""

    name: str
    value: float
    unit: str
    """Such as "m"; empty for a count."""
    source: float | None = None
    """The same of the source motion, where there is one."""
    frame: int | None = None
    """The worst frame, where there is one and the value is not zero."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Series:
    """A measure over time, for plots."""

    name: str
    unit: str
    values: Array
    """(frames,); nan where there is nothing to measure"""
    source: Array | None = None
    """The same of the source motion."""


@dataclass(frozen=True)
class QualityReport:
    """All measures of a motion; prints as a table."""

    measures: tuple[Measure, ...]
    series: tuple[Series, ...] = field(default=(), compare=False, repr=False)
    contacts: Contacts | None = field(default=None, compare=False, repr=False)
    """The contacts that were to be kept: the source's, or without one the motion's own."""
    feet: Mapping[str, str] = field(default_factory=dict)
    """The motion's contact points, each with the point of those contacts."""

    def __getitem__(self, name: str) -> Measure:
        """The measure of that name: `report["foot skate"].value`."""
        for measure in self.measures:
            if measure.name == name:
                return measure
        raise UnknownName("measure", name, (measure.name for measure in self.measures), where="this report")

    def __contains__(self, name: str) -> bool:
        """Whether there is such a measure: some need masses, shapes, constraints or a source."""
        return any(measure.name == name for measure in self.measures)

    def as_dict(self) -> dict[str, dict[str, float | int | str | None]]:
        """Plain values by measure, for JSON."""
        return {m.name: {"value": m.value, "unit": m.unit, "source": m.source, "frame": m.frame} for m in self.measures}

    def check(self, limits: QualityLimits | None = None) -> tuple[Verdict, ...]:
        """Every measure with the limit that it must keep, in the report's order."""
        from posewright.motions.quality.limits import verdicts

        return verdicts(self, limits)

    def __str__(self) -> str:
        rows = [("measure", "value", "source", "unit", "worst frame")]
        rows += [
            (m.name, _number(m.value), _number(m.source), m.unit, "" if m.frame is None else str(m.frame))
            for m in self.measures
        ]
        widths = [max(len(row[column]) for row in rows) for column in range(5)]
        left = (True, False, False, True, False)
        padded = (
            [cell.ljust(w) if to_left else cell.rjust(w) for cell, w, to_left in zip(row, widths, left, strict=True)]
            for row in rows
        )
        return "\n".join("  ".join(row).rstrip() for row in padded)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
