"""What a motion must keep to be called good, and whether it does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from posewright.checks import require, require_number
from posewright.errors import InvalidSetting
from posewright.motions.quality.report import Measure, QualityReport


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
            if value is not None:
                require_number(value, f"the limit {name}", "finite and not negative")
            if value is not None and not (math.isfinite(value) and value >= 0.0):
                raise InvalidSetting(f"the limit {name} is {value:g}; it must be finite and not negative")


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


@dataclass(frozen=True)
class Verdict:
    """A measure and what it may be at most."""

    measure: Measure
    limit: float | None = None
    """None: not judged."""
    rule: Rule = Rule.AT_MOST

    @property
    def bound(self) -> float | None:
        """The greatest value that passes."""
        return None if self.limit is None else self.rule.bound(self.limit, self.measure.source or 0.0)

    @property
    def passed(self) -> bool | None:
        """Whether the measure is within its bound; None where it is not judged."""
        return None if self.bound is None else self.measure.value <= self.bound + 1e-12


def verdicts(report: QualityReport, limits: QualityLimits | None = None) -> tuple[Verdict, ...]:
    """Every measure of a report with its bound, in the report's order."""
    if limits is not None:
        require(limits, QualityLimits, "limits", "QualityLimits, such as QualityLimits(jerk=2.0)")
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
            "rule": "" if v.limit is None else v.rule.said(f"{v.limit:g}"),
            "passed": v.passed,
        }
        for v in verdicts
    }


def _verdict(measure: Measure, limits: QualityLimits) -> Verdict:
    if measure.name not in _RULES:
        return Verdict(measure)
    field, rule = _RULES[measure.name]
    limit: float | None = getattr(limits, field)
    lacks_source = rule is not Rule.AT_MOST and measure.source is None
    return Verdict(measure) if limit is None or lacks_source else Verdict(measure, limit, rule)


_RULES = {
    "limit violation": ("limit_violation", Rule.AT_MOST),
    "slide limit violation": ("limit_violation", Rule.AT_MOST),
    "constraint violation": ("limit_violation", Rule.AT_MOST),
    "speed limit": ("speed", Rule.AT_MOST),
    "contact drift": ("drift", Rule.BEYOND),
    "foot skate": ("skate", Rule.BEYOND),
    "penetration": ("penetration", Rule.AT_MOST),
    "fastest turn": ("turn", Rule.TIMES),
    "jerk": ("jerk", Rule.TIMES),
    "site error": ("site_error", Rule.AT_MOST),
    "floating": ("floating", Rule.BEYOND),
    "self-contact": ("self_contact", Rule.BEYOND),
    "imbalance": ("balance", Rule.BEYOND),
}


def verdict_sentence(verdicts: Sequence[Verdict]) -> str:
    """What all comes to: which limits are broken, if any."""
    n_judged = sum(verdict.passed is not None for verdict in verdicts)
    broken = [verdict.measure.name for verdict in verdicts if verdict.passed is False]
    if broken:
        return f"{len(broken)} of {n_judged} limits broken: {', '.join(broken)}."
    return f"All {n_judged} limits kept."
