"""What every goal has in common, and the terms that goals are made of."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

from posewright.errors import InvalidSetting

Point = tuple[float, float, float]


@dataclass(frozen=True)
class SiteTerm:
    """One residual of one site, as the kernels know it."""

    kind: int
    """A code of `kernels.tables`."""
    site: str
    target: tuple[float, ...]
    """`TARGET_WIDTH` numbers: a point, then two directions or one."""
    unit: Literal["m", "rad"]
    radius: float | None = None
    """Metres that one radian counts as; None: the reach of the chain."""


@dataclass(frozen=True, kw_only=True)
class Goal(ABC):
    """Something wanted that may be missed."""

    weight: float = 1.0
    """Multiplies the squared error; angles count as metres through the goal's `radius`."""
    priority: int = 1
    """1 is served first; a lower priority may only use the freedom left over."""
    tolerance: float | None = None
    """Largest error that counts as reached (m or rad); None: 1e-4 of the chain's reach, 0.1 degrees."""
    name: str = ""
    """What results call it; empty: the site's name."""
    enabled: bool = True
    """A goal that is off stays in the problem and is ignored."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.weight) and self.weight >= 0.0):
            raise InvalidSetting(f"{self}: weight is {self.weight}; it must be finite and not negative")
        if self.priority < 1:
            raise InvalidSetting(f"{self}: priority is {self.priority}; priorities count from 1, the first served")
        if self.tolerance is not None and not self.tolerance > 0.0:
            raise InvalidSetting(f"{self}: tolerance is {self.tolerance}; it must be positive")

    @abstractmethod
    def terms(self) -> tuple[SiteTerm, ...]:
        """The residuals that make up this goal."""

    @property
    @abstractmethod
    def label(self) -> str:
        """What results call it."""

    def __str__(self) -> str:
        return f"{type(self).__name__} {self.label!r}"


def finite_point(values: Point, what: str) -> Point:
    """Three finite floats, or an error that says what they were wanted for."""
    point = tuple(float(value) for value in values)
    if len(point) != 3 or not all(map(math.isfinite, point)):
        raise InvalidSetting(f"{what} is {list(values)}; it must be three finite numbers (m)")
    return point[0], point[1], point[2]
