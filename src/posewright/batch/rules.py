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
    """What a measure must be."""

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
        value = float(found["value"])
        kept = _COMPARE[self.compare](value, self.bound)
        return "" if kept else f"{self.measure} is {value:.4g}, not {self.compare} {self.bound:g}"


def measure_names() -> tuple[str, ...]:
    """All measures that `check --json` may print."""
    found = [each for value in vars(kinds).values() for each in (value if isinstance(value, tuple) else (value,))]
    return tuple(dict.fromkeys(kind.name for kind in found if isinstance(kind, kinds.Kind)))


def parsed(text: str, known: Iterable[str] | None = None) -> tuple[Rule, ...]:
    """Rules from words, separated by commas.

    Args:
        text: such as "penetration < 0.02, foot skate <= 0.05"; names and units are those of `check --json`.
        known: names that are accepted (default: all measures of motions).

    Raises:
        InvalidSetting: it is no rule.
        UnknownName: there is no such measure.
    """
    names, rules = tuple(measure_names() if known is None else known), []
    for part in text.split(","):
        if not part.strip():
            continue
        match = _RULE.fullmatch(part)
        if match is None:
            raise InvalidSetting(
                f"--select has {part.strip()!r}, which is no rule; write MEASURE < NUMBER, such as penetration < 0.02"
            )
        name, compare, number = match.groups()
        if name not in names:
            raise UnknownName("measure", name, names)
        try:
            rules.append(Rule(name, compare, float(number)))
        except ValueError:
            raise InvalidSetting(f"--select compares {name} with {number!r}, which is no number") from None
    return tuple(rules)
