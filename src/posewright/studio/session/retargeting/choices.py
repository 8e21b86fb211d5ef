"""What a user chooses to retarget: a source and a target, corrections of the match, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from posewright.solvers.least_squares import LeastSquares
from posewright.solvers.registry import solver_by_name
from posewright.workflows.retargeting.jerk_budget import ALLOWED

Parts = Mapping[str, tuple[str, ...]]
"""Joint names by part of the body."""


@dataclass(frozen=True, kw_only=True)
class RetargetOptions:
    """What users turn; see `posewright.retarget`."""

    feet: bool = True
    """Whether feet are planted where the source's rest."""
    hands: bool = False
    """Whether hands that are near each other stay as near."""
    smooth: float = ALLOWED
    """How many times the source's jerk is allowed; 0: nothing is smoothed."""
    imitation: float | None = None
    """From 0, hands and head where the posture has them, to 1, a copy of the posture; None: as usual."""
    scale: float | None = None
    """Of the root's path; None: the ratio of the lengths of the legs."""
    floor: float | None = None
    """m, height of the source's; None: estimated."""
    speed_limits: bool = True
    """Whether joints keep to the greatest speeds that the target's file states."""
    slides: bool = False
    """Whether joints below the root may slide."""
    solver: str = "least_squares"

    def keywords(self) -> dict[str, Any]:
        """As `retarget` takes them."""
        solver = solver_by_name(self.solver)
        return {
            "contacts": self.feet,
            "keep_hands": self.hands or None,
            "smooth": self.smooth,
            "imitation": self.imitation,
            "scale": self.scale,
            "floor": self.floor,
            "velocity_limits": None if self.speed_limits else False,
            "free_translations": self.slides,
            "solver": None if solver is LeastSquares else solver(),
        }


@dataclass(frozen=True)
class Retargeting:
    """What a user has chosen."""

    source: str
    """A clip: `open`, `item:NAME` or `built-in:NAME`."""
    target: str
    """A figure, likewise."""
    source_parts: Parts = field(default_factory=dict)
    """Joints of the source by part, where what was found is wrong; no joints leave a part out."""
    target_parts: Parts = field(default_factory=dict)
    options: RetargetOptions = RetargetOptions()
