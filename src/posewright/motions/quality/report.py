"""Reports on the quality of motions: measures, and the limits that they must keep."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np

from posewright.checks import require, require_number
from posewright.conventions import Array
from posewright.errors import UnknownName
from posewright.motions.contacts import Contacts
from posewright.motions.quality.likeness import Likeness, Stretch


@dataclass(frozen=True, kw_only=True)
class QualityLimits:
    """Limits of quality measures. None: not judged. Limits relative to a source are judged only if there is one."""

    likeness: float | None = 15.0
    """Degrees by which a bone of trunk, head or arms may point further from the source's than in the plain transfer,
    for more than 0.1 s; legs that do are only noted."""
    likeness_limbs: float | None = 60.0
    """Degrees between the directions of trunk, arms, thighs or shins and the source's, for more than 0.1 s."""
    pop: float | None = 10.0
    """Degrees by which a knee or elbow bends more within 25 ms than the source's does within 50 ms around."""
    limit_violation: float | None = 1e-6
    """Excess over joint limits and over linear constraints between dofs, rad or m."""
    drift: float | None = 0.01
    """Contact drift beyond the source's, m."""
    skate: float | None = 0.02
    """Mean skating speed beyond the source's, m/s."""
    penetration: float | None = 0.01
    """Depth below the floor, m."""
    turn: float | None = 1.5
    """Fastest joint rotation, as a multiple of the source's."""
    jerk: float | None = 1.3
    """Jerk, as a multiple of the source's."""
    speed: float | None = 1.0
    """Joint speed, as a multiple of the figure's maximum speeds."""
    site_error: float | None = None
    """Mean distance of sites from where the source has them, m."""
    floating: float | None = None
    """Mean height of contact points beyond the source's, m."""
    self_contact: float | None = None
    """Depth of self-contact beyond the source's, m."""
    balance: float | None = None
    """Largest distance of the centre of mass outside the support beyond the source's, m."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None:
                require_number(value, f"the limit {name}", at_least=0.0)


class Rule(Enum):
    """How a limit and the source's value give the bound of a measure."""

    AT_MOST = "{limit}"
    BEYOND = "source + {limit}"
    TIMES = "{limit} × source"

    def bound(self, limit: float, source: float) -> float:
        """The largest value of the measure that passes."""
        return {Rule.AT_MOST: limit, Rule.BEYOND: source + limit, Rule.TIMES: source * limit}[self]

    def said(self, limit: str) -> str:
        """The rule in words: "source + 1 cm"."""
        return str(self.value).format(limit=limit)


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A quality measure of a motion; smaller values are better."""

    name: str
    value: float
    unit: str
    """Unit, such as "m"; empty for a count."""
    source: float | None = None
    """Value of the source motion, or None."""
    frame: int | None = None
    """The worst frame, counted from 0; None if there is none or the value is zero."""
    first_frame: int = 0
    """Number of the first frame in the motion's file."""
    limit: str = ""
    """Name of the field of `QualityLimits` that limits it; empty: none."""
    rule: Rule = Rule.AT_MOST
    """How that field bounds the value."""

    @property
    def frame_number(self) -> int | None:
        """The worst frame, as numbered in the motion's file."""
        return None if self.frame is None else self.first_frame + self.frame

    def as_dict(self) -> dict[str, float | int | str | None]:
        """The measure as plain values, for JSON."""
        return {"value": self.value, "unit": self.unit, "source": self.source, "frame": self.frame_number}


@dataclass(frozen=True)
class Verdict:
    """A measure with its limit, and whether it passes."""

    measure: Measure
    limits: QualityLimits

    @property
    def limit(self) -> float | None:
        """The limit of the measure; None if it is not judged, or needs a source that is not there."""
        measure = self.measure
        lacks_source = measure.rule is not Rule.AT_MOST and measure.source is None
        return None if lacks_source or not measure.limit else getattr(self.limits, measure.limit)

    @property
    def bound(self) -> float | None:
        """The largest value that passes, or None if the measure is not judged."""
        return None if self.limit is None else self.measure.rule.bound(self.limit, self.measure.source or 0.0)

    def in_words(self) -> str:
        """The verdict in words, such as "jerk where changed 1.7 times (at most 1.3) at frame 120"."""
        measure = self.measure
        where = "" if measure.frame_number is None else f" at frame {measure.frame_number}"
        bound = "" if self.bound is None else f" (at most {self.bound:.3g})"
        return f"{measure.name} {measure.value:.3g} {measure.unit}".rstrip() + bound + where

    @property
    def passed(self) -> bool | None:
        """Whether the measure is within its bound, or None if it is not judged."""
        return None if self.bound is None else self.measure.value <= self.bound + 1e-12


@dataclass(frozen=True, eq=False, kw_only=True)
class Series:
    """A measure over time, for plots."""

    name: str
    unit: str
    values: Array
    """(frames,); nan where there is nothing to measure."""
    source: Array | None = None
    """Values of the source motion (frames,), or None."""
    beside: str = "source"
    """Name of what `source` shows."""


@dataclass(frozen=True, repr=False)
class QualityReport:
    """All quality measures of a motion; prints as a table."""

    measures: tuple[Measure, ...]
    """The measures, in the order in which they are reported."""
    series: tuple[Series, ...] = field(default=(), compare=False)
    """Measures over time, for plots."""
    contacts: Contacts | None = field(default=None, compare=False)
    """The contacts to keep: those of the source, or without a source the motion's own."""
    feet: Mapping[str, str] = field(default_factory=dict)
    """Contact points of the motion, each with the corresponding site of `contacts`."""
    likeness: Likeness | None = field(default=None, compare=False)
    """Likeness to the source, bone by bone; None without a source, or if a body is not recognised."""
    transferred: Likeness | None = field(default=None, compare=False)
    """Likeness of the plain transfer to the source; None if it is unknown."""

    def __getitem__(self, name: str) -> Measure:
        """The measure with this name, such as `report["foot skate"].value`."""
        for measure in self.measures:
            if measure.name == name:
                return measure
        raise UnknownName("measure", name, (measure.name for measure in self.measures), where="this report")

    def __contains__(self, name: str) -> bool:
        """Whether the report has this measure; some need masses, shapes, constraints or a source."""
        return any(measure.name == name for measure in self.measures)

    def as_dict(self) -> dict[str, dict[str, float | int | str | None]]:
        """The measures as plain values by name, for JSON."""
        return {measure.name: measure.as_dict() for measure in self.measures}

    def unlike(self, limits: QualityLimits | None = None) -> tuple[Stretch, ...]:
        """Stretches in which bones point further from the source's than the limits allow, the worst first."""
        if self.likeness is None:
            return ()
        return unlike(self.likeness, self.transferred, limits or QualityLimits())

    def check(self, limits: QualityLimits | None = None) -> tuple[Verdict, ...]:
        """Judge every measure by the limits (default: `QualityLimits()`), in the report's order."""
        if limits is not None:
            require(limits, QualityLimits, "limits", "QualityLimits, such as QualityLimits(jerk=2.0)")
        return tuple(Verdict(measure, limits or QualityLimits()) for measure in self.measures)

    def __str__(self) -> str:
        rows = [("measure", "value", "source", "unit", "worst frame")]
        rows += [
            (m.name, _number(m.value), _number(m.source), m.unit, "" if m.frame is None else str(m.frame_number))
            for m in self.measures
        ]
        widths = [max(len(row[column]) for row in rows) for column in range(5)]
        left = (True, False, False, True, False)
        padded = (
            [cell.ljust(w) if to_left else cell.rjust(w) for cell, w, to_left in zip(row, widths, left, strict=True)]
            for row in rows
        )
        return "\n".join("  ".join(row).rstrip() for row in padded)

    __repr__ = __str__


def unlike(found: Likeness, plain: Likeness | None, limits: QualityLimits) -> tuple[Stretch, ...]:
    """Stretches in which bones are further off than limits allow; `plain`: likeness of the plain transfer."""
    off = np.zeros(found.angles.shape, np.bool_)
    if limits.likeness_limbs is not None:
        off |= (found.angles > limits.likeness_limbs) & found.limbs
    if limits.likeness is not None and plain is not None:
        off |= found.beyond(plain) > limits.likeness
    return found.stretches(off, plain)


def as_dict(verdicts: Sequence[Verdict]) -> dict[str, dict[str, float | int | str | bool | None]]:
    """Verdicts as plain values by measure, for JSON."""
    return {
        v.measure.name: {
            **v.measure.as_dict(),
            "limit": v.bound,
            "rule": "" if v.limit is None else v.measure.rule.said(f"{v.limit:g}"),
            "passed": v.passed,
        }
        for v in verdicts
    }


def likeness_as_dict(report: QualityReport, limits: QualityLimits | None = None) -> dict[str, Any] | None:
    """Likeness as plain values, for JSON: mean and worst in degrees, overall and of each bone, and stretches off."""
    found = report.likeness
    if found is None:
        return None
    worst = found.lasting.max(axis=0, initial=0.0)
    return {
        "mean": found.mean,
        "worst": found.worst,
        "unit": "deg",
        "bones": {
            bone: {"mean": float(found.angles[:, k].mean()), "worst": float(worst[k])}
            for k, bone in enumerate(found.bones)
        },
        "off": [stretch.as_dict() for stretch in report.unlike(limits)],
    }


def verdict_sentence(verdicts: Sequence[Verdict]) -> str:
    """A sentence that sums up the verdicts."""
    n_judged = sum(verdict.passed is not None for verdict in verdicts)
    broken = [verdict.measure.name for verdict in verdicts if verdict.passed is False]
    if broken:
        return f"{len(broken)} of {n_judged} limits broken: {', '.join(broken)}."
    return f"All {n_judged} limits kept."


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
