"""Rules over measures that decide which clips are kept: `penetration < 0.02, jerk ratio < 1.3`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from posewright.errors import InvalidSetting, UnknownName
from posewright.motions.quality import kinds

_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_RULE = re.compile(r"\s*(.+?)\s*(<=|>=|<|>)\s*([-+]?[\d.]+(?:[eE][-+]?\d+)?)\s*")


@dataclass(frozen=True)
class Rule:
    """A limit for one measure."""

    measure: str
    compare: str
    bound: float

    def __str__(self) -> str:
        return f"{self.measure} {self.compare} {self.bound:g}"

    def broken_by(self, measures: Mapping[str, Mapping[str, Any]]) -> str:
        """Why a clip with these measures is refused; empty if it is not."""
        found = measures.get(self.measure)
        if found is None:
            return f"has no {self.measure}, which must be {self.compare} {self.bound:g}"
        value, unit = float(found["value"]), str(found.get("unit", ""))
        kept = _COMPARE[self.compare](value, self.bound)
        shown = f"{value:.4g} {unit}".rstrip()
        return "" if kept else f"{self.measure} is {shown}, not {self.compare} {self.bound:g}"


_BESIDE = tuple(kind.name for kind in (*kinds.LIKENESS, kinds.SITE_ERROR, kinds.GREATEST_SITE_ERROR, kinds.JERK_RATIO))
"""Measures that compare a motion with its source."""
_OF_THE_BODY = tuple(kind.name for kind in kinds.KINDS if kind.of_the_body)


def reasons(rules: Iterable[Rule], measures: Mapping[str, Mapping[str, Any]]) -> str:
    """Why a clip with these measures is refused; empty if it is kept."""
    return "; ".join(why for rule in rules if (why := rule.broken_by(measures)))


def measure_names() -> tuple[str, ...]:
    """All measures that `check --json` may print."""
    return (*_BESIDE, *(kind.name for kind in kinds.KINDS))


def measures_for(rules: Iterable[Rule], measures: str, *, beside: str | None = None) -> str:
    """The measures that a job needs so that clips can be judged by rules: "none", "motion" or "all".

    Args:
        rules: rules of the selection.
        measures: the measures it takes anyway.
        beside: why there is no source to compare clips with; None: there is one.

    Raises:
        InvalidSetting: a rule needs a source.
    """
    for rule in rules:
        if rule.measure in _BESIDE and beside is not None:
            raise InvalidSetting(f"--select asks for {rule.measure}, which needs a source to compare with: {beside}")
        if rule.measure in _OF_THE_BODY:
            measures = "all"
        elif measures == "none":
            measures = "motion"
    return measures


def parsed(text: str, known: Iterable[str] | None = None) -> tuple[Rule, ...]:
    """Parse rules that are separated by commas.

    Args:
        text: such as "penetration < 0.02, foot skate <= 0.05"; names and units are those of `check --json`.
        known: accepted names (default: all measures of motions).

    Raises:
        InvalidSetting: the text is not a rule.
        UnknownName: there is no such measure.
    """
    names, rules = tuple(measure_names() if known is None else known), []
    for part in text.split(","):
        if not part.strip():
            continue
        match = _RULE.fullmatch(part)
        if match is None:
            raise InvalidSetting(
                f"--select has {part.strip()!r}, not a rule; write MEASURE < NUMBER, such as penetration < 0.02"
            )
        name, compare, number = match.groups()
        if name not in names:
            raise UnknownName("measure", name, names)
        try:
            rules.append(Rule(name, compare, float(number)))
        except ValueError:
            raise InvalidSetting(f"--select compares {name} with {number!r}, which is not a number") from None
    return tuple(rules)
