"""Disjunctions: met when one of several goals is; outside of boxes and polyhedra (Zhao & Badler 1994, section 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from posewright.checks import require_list
from posewright.errors import InvalidSetting, shown
from posewright.figures import Figure
from posewright.goals.goal import Goal
from posewright.goals.surfaces import HalfSpace
from posewright.goals.term import Point, SiteTerm, Term, checked_point


@dataclass(frozen=True)
class AnyOf(Goal):
    """The nearest of several goals; weight, priority and tolerance are those of this goal, not of its members."""

    members: tuple[Goal, ...]

    def __post_init__(self) -> None:
        require_list(self.members, "what AnyOf chooses from", "goals")
        object.__setattr__(self, "members", tuple(self.members))
        for member in self.members:
            if not isinstance(member, Goal):
                raise InvalidSetting(f"an alternative is {member!r}; it must be a goal")
        if not self.members:
            raise InvalidSetting(f"{self} has no members; it needs at least one")
        super().__post_init__()

    @property
    def label(self) -> str:
        """What results call it."""
        return self.name or "any of " + ", ".join(dict.fromkeys(member.label for member in self.members))

    def branches(self, figure: Figure) -> tuple[tuple[Term, ...], ...]:
        """The terms of each member; alternatives among alternatives are alternatives of the whole."""
        found: list[tuple[Term, ...]] = []
        for member in self.members:
            if isinstance(member, AnyOf):
                found += member.branches(figure)
                continue
            terms = member.terms(figure)
            if not all(isinstance(term, SiteTerm) for term in terms):
                raise InvalidSetting(f"{self}: {member} cannot be an alternative; only goals about sites can")
            found.append(terms)
        return tuple(found)

    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """All members' terms, branch after branch."""
        return tuple(term for branch in self.branches(figure) for term in branch)


def outside(
    site: str,
    faces: Sequence[tuple[Point, Point]] | None = None,
    *,
    box: tuple[Point, Point] | None = None,
    weight: float = 1.0,
    priority: int = 1,
    tolerance: float | None = None,
    name: str = "",
) -> AnyOf:
    """A site outside a box (two opposite corners, m) or a convex polyhedron (a point and outward normal per face)."""
    if (faces is None) == (box is None):
        raise InvalidSetting("outside needs either faces or a box")
    if box is not None:
        _require_pair(box, "the box", "two opposite corners")
        low = np.minimum(checked_point(box[0], "a corner of the box"), checked_point(box[1], "a corner of the box"))
        high = np.maximum(box[0], box[1])
        if (high - low).min() <= 0.0:
            raise InvalidSetting(f"the box from {low.tolist()} to {high.tolist()} is flat")
        corners = [(tuple(low), -np.eye(3)[i]) for i in range(3)] + [(tuple(high), np.eye(3)[i]) for i in range(3)]
        faces = [((float(p[0]), float(p[1]), float(p[2])), (float(n[0]), float(n[1]), float(n[2]))) for p, n in corners]
    require_list(faces, "what a site is outside of", "faces: a point and an outward normal each")
    sides = [] if faces is None else list(faces)
    for side in sides:
        _require_pair(side, "a face", "a point and an outward normal")
    members = tuple(HalfSpace(site, point, normal) for point, normal in sides)
    return AnyOf(members, weight=weight, priority=priority, tolerance=tolerance, name=name or f"{site} outside")


def _require_pair(value: object, what: str, accepted: str) -> None:
    if not isinstance(value, tuple | list | np.ndarray) or len(value) != 2:
        raise InvalidSetting(f"{what} is {shown(value)}; it must be {accepted}")
