"""What was measured of a motion, and the limits that it must keep to be called good."""

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
    """Bounds of measures; None is not judged. Those beyond or times the source's are judged only beside a source."""

    likeness: float | None = 15.0
    """degrees by which a bone of trunk, head or arms points further from the source's, for 0.1 s on end, than plain
    transfer leaves it; legs that do are noted"""
    likeness_limbs: float | None = 60.0
    """degrees between the directions of trunk, arms, thighs or shins and the source's, for 0.1 s on end"""
    pop: float | None = 10.0
    """degrees by which a knee or elbow bends further in 25 ms than the source's does within 50 ms around"""
    limit_violation: float | None = 1e-6
    """rad or m outside the joint limits, and outside linear constraints between dofs"""
    drift: float | None = 0.01
    """m beyond the source's contact drift"""
    skate: float | None = 0.02
    """m/s beyond the source's mean skating speed"""
    penetration: float | None = 0.01
    """m below the floor"""
    turn: float | None = 1.5
    """times the source's fastest turn of a joint"""
    jerk: float | None = 1.3
    """times the source's jerk"""
    speed: float | None = 1.0
    """times the greatest speeds that a robot's file allows"""
    site_error: float | None = None
    """m, mean distance of sites from where the source has them"""
    floating: float | None = None
    """m beyond the source's mean height of contact points"""
    self_contact: float | None = None
    """m beyond the source's deepest self-contact"""
    balance: float | None = None
    """m beyond the source's greatest distance of the centre of mass from the support"""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value is not None:
                require_number(value, f"the limit {name}", at_least=0.0)


class Rule(Enum):
    """How a bound follows from a limit and the source's value."""

    AT_MOST = "{limit}"
    BEYOND = "source + {limit}"
    TIMES = "{limit} × source"

    def bound(self, limit: float, source: float) -> float:
        """What the measure may be at most."""
        return {Rule.AT_MOST: limit, Rule.BEYOND: source + limit, Rule.TIMES: source * limit}[self]

    def said(self, limit: str) -> str:
        """The rule in words: "source + 1 cm"."""
        return str(self.value).format(limit=limit)


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
    """The worst frame, counted from 0, where there is one and the value is not zero."""
    first_frame: int = 0
    """What the motion's file calls that frame 0."""
    limit: str = ""
    """The field of `QualityLimits` that it must keep; empty: none."""
    rule: Rule = Rule.AT_MOST
    """How that bounds it."""

    @property
    def frame_number(self) -> int | None:
        """The worst frame as the motion's file numbers it."""
        return None if self.frame is None else self.first_frame + self.frame

    def as_dict(self) -> dict[str, float | int | str | None]:
        """Plain values, for JSON."""
        return {"value": self.value, "unit": self.unit, "source": self.source, "frame": self.frame_number}


@dataclass(frozen=True)
class Verdict:
    """A measure and what it may be at most."""

    measure: Measure
    limits: QualityLimits

    @property
    def limit(self) -> float | None:
        """What the measure is held to; None: it is not judged, or would need a source."""
        measure = self.measure
        lacks_source = measure.rule is not Rule.AT_MOST and measure.source is None
        return None if lacks_source or not measure.limit else getattr(self.limits, measure.limit)

    @property
    def bound(self) -> float | None:
        """The greatest value that passes."""
        return None if self.limit is None else self.measure.rule.bound(self.limit, self.measure.source or 0.0)

    def in_words(self) -> str:
        """Such as "jerk where changed 1.7 times (at most 1.3) at frame 120"."""
        measure = self.measure
        where = "" if measure.frame_number is None else f" at frame {measure.frame_number}"
        bound = "" if self.bound is None else f" (at most {self.bound:.3g})"
        return f"{measure.name} {measure.value:.3g} {measure.unit}".rstrip() + bound + where

    @property
    def passed(self) -> bool | None:
        """Whether the measure is within its bound; None where it is not judged."""
        return None if self.bound is None else self.measure.value <= self.bound + 1e-12


@dataclass(frozen=True, eq=False, kw_only=True)
class Series:
    """A measure over time, for plots."""

    name: str
    unit: str
    values: Array
    """(frames,); nan where there is nothing to measure"""
    source: Array | None = None
    """The same of the source motion."""
    beside: str = "source"
    """What `source` is of."""


@dataclass(frozen=True)
class QualityReport:
    """All measures of a motion; prints as a table."""

    measures: tuple[Measure, ...]
    series: tuple[Series, ...] = field(default=(), compare=False, repr=False)
    contacts: Contacts | None = field(default=None, compare=False, repr=False)
    """The contacts that were to be kept: the source's, or without one the motion's own."""
    feet: Mapping[str, str] = field(default_factory=dict)
    """The motion's contact points, each with the point of those contacts."""
    likeness: Likeness | None = field(default=None, compare=False, repr=False)
    """To the source, bone by bone; None without one, or if a body is not recognised."""
    transferred: Likeness | None = field(default=None, compare=False, repr=False)
    """The same of the source's motion as plain transfer leaves it; None: not known."""

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
        return {measure.name: measure.as_dict() for measure in self.measures}

    def unlike(self, limits: QualityLimits | None = None) -> tuple[Stretch, ...]:
        """Where bones point further from the source's than limits allow, for 0.1 s on end, the worst first."""
        if self.likeness is None:
            return ()
        return unlike(self.likeness, self.transferred, limits or QualityLimits())

    def check(self, limits: QualityLimits | None = None) -> tuple[Verdict, ...]:
        """Every measure with the limit that it must keep, in the report's order."""
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


def unlike(found: Likeness, plain: Likeness | None, limits: QualityLimits) -> tuple[Stretch, ...]:
    """Where bones are further off than limits allow, for 0.1 s on end; `plain`: likeness of the transferred motion."""
    off = np.zeros(found.angles.shape, np.bool_)
    if limits.likeness_limbs is not None:
        off |= (found.angles > limits.likeness_limbs) & found.limbs
    if limits.likeness is not None and plain is not None:
        off |= found.beyond(plain) > limits.likeness
    return found.stretches(off, plain)


def as_dict(verdicts: Sequence[Verdict]) -> dict[str, dict[str, float | int | str | bool | None]]:
    """Plain values by measure, for JSON."""
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
    """Plain values for JSON: mean and worst in degrees, those of each bone, and where bones are off beyond limits."""
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
    """What all comes to: which limits are broken, if any."""
    n_judged = sum(verdict.passed is not None for verdict in verdicts)
    broken = [verdict.measure.name for verdict in verdicts if verdict.passed is False]
    if broken:
        return f"{len(broken)} of {n_judged} limits broken: {', '.join(broken)}."
    return f"All {n_judged} limits kept."


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"
