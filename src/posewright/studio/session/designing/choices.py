"""What a user chooses to design by: the postures to splice from, and what is changed of the splice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from posewright.goals.goal import Recruit


@dataclass(frozen=True)
class Designing:
    """Choices; the goals are those of the session."""

    clips: tuple[str, ...] = ()
    """Clips whose postures are collected, as retargeting names its sources; none: those of the file that was opened."""
    donors: Mapping[str, int] = field(default_factory=dict)
    """Parts of the splice that one posture of the database gives alone, by the part's goals (`part_name`)."""
    recruiting: Mapping[str, Recruit] = field(default_factory=dict)
    """How much of the body is spliced for a goal, by its name; others: as much as it takes to reach the goal."""
    keep_rest: bool = False
    """Whether joints that no goal recruits stay as they are."""


def part_name(goals: tuple[str, ...]) -> str:
    """What a part of a splice is called: by its goals."""
    return " + ".join(goals)
