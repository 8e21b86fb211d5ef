"""What a motion must keep to be called good, and whether it does."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from posewright.errors import InvalidSetting
from posewright.motion.quality.report import Measure, QualityReport


@dataclass(frozen=True, kw_only=True)
class QualityLimits:
    """Bounds of measures; None is not judged. Those beyond or times the source's are judged only beside a source."""

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
            if value is not None and not (math.isfinite(value) and value >= 0.0):
                raise InvalidSetting(f"the limit {name} is {value:g}; it must be finite and not negative")


@dataclass(frozen=True)
class Verdict:
    """A measure and what it may be at most."""

    measure: Measure
    bound: float | None = None
    """None: not judged."""
    rule: str = ""
    """How the bound came about, such as "source + 0.01"."""

    @property
    def passed(self) -> bool | None:
        """Whether the measure is within its bound; None where it is not judged."""
        return None if self.bound is None else self.measure.value <= self.bound + 1e-12


def judged(report: QualityReport, limits: QualityLimits | None = None) -> tuple[Verdict, ...]:
    """Every measure of a report with its bound, in the report's order."""
    return tuple(_verdict(measure, limits or QualityLimits()) for measure in report.measures)


def as_dict(verdicts: tuple[Verdict, ...]) -> dict[str, dict[str, float | int | str | bool | None]]:
    """Plain values by measure, for JSON."""
    return {
        v.measure.name: {
            "value": v.measure.value,
            "unit": v.measure.unit,
            "source": v.measure.source,
            "frame": v.measure.frame,
            "limit": v.bound,
            "rule": v.rule,
            "passed": v.passed,
        }
        for v in verdicts
    }


def _verdict(measure: Measure, limits: QualityLimits) -> Verdict:
    field, make = _RULES.get(measure.name, ("", _at_most))
    limit: float | None = getattr(limits, field) if field else None
    if limit is None or (make is not _at_most and measure.source is None):
        return Verdict(measure)
    bound, rule = make(limit, measure.source or 0.0)
    return Verdict(measure, bound, rule)


def _at_most(limit: float, source: float) -> tuple[float, str]:
    return limit, f"{limit:g}"


def _beyond(limit: float, source: float) -> tuple[float, str]:
    return source + limit, f"source + {limit:g}"


def _times(limit: float, source: float) -> tuple[float, str]:
    return source * limit, f"{limit:g} × source"


_RULES: dict[str, tuple[str, Callable[[float, float], tuple[float, str]]]] = {
    "limit violation": ("limit_violation", _at_most),
    "slide limit violation": ("limit_violation", _at_most),
    "constraint violation": ("limit_violation", _at_most),
    "speed limit": ("speed", _at_most),
    "contact drift": ("drift", _beyond),
    "foot skate": ("skate", _beyond),
    "penetration": ("penetration", _at_most),
    "fastest turn": ("turn", _times),
    "jerk": ("jerk", _times),
    "site error": ("site_error", _at_most),
    "floating": ("floating", _beyond),
    "self-contact": ("self_contact", _beyond),
    "centre of mass outside support": ("balance", _beyond),
}
