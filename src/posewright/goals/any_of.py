"""Alternatives: one of several goals, or the outside of a box or polyhedron (Zhao & Badler 1994, section 8)."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from posewright.checks import must_be, require_list
from posewright.errors import InvalidSetting
from posewright.figures import Figure
from posewright.goals.fields import Point, Role, SiteName, checked_direction, checked_point
from posewright.goals.goal import Goal
from posewright.goals.sketch import Sketch, Stroke, solid_edges
from posewright.goals.surfaces import HalfSpace
from posewright.goals.term import SiteTerm, Term

Face = tuple[Point, Point]
"""A point on a face, m, and its outward normal."""


@dataclass(frozen=True)
class _Choice(Goal):
    """A goal that is met when the nearest of several goals is."""

    @property
    @abstractmethod
    def alternatives(self) -> tuple[Goal, ...]:
        """The alternative goals; it is enough to meet one."""

    def branches(self, figure: Figure) -> tuple[tuple[Term, ...], ...]:
        """The terms of each alternative; nested alternatives are flattened."""
        found = tuple(branch for goal in self.alternatives for branch in goal.branches(figure))
        if not all(isinstance(term, SiteTerm) for branch in found for term in branch):
            raise InvalidSetting(f"{self}: only goals about sites can be alternatives")
        return found

    def terms(self, figure: Figure) -> tuple[Term, ...]:
        """All terms, branch after branch."""
        return tuple(term for branch in self.branches(figure) for term in branch)

    def sketch(self, on: Sketch) -> Iterator[Stroke]:
        """Every alternative, without gaps: all but one may be far from met."""
        for goal in self.alternatives:
            yield from (stroke for stroke in goal.sketch(on) if stroke.kind != "gap")


def _goals(values: Sequence[Goal], what: str) -> tuple[Goal, ...]:
    require_list(values, what, "goals", Goal)
    if not values:
        raise InvalidSetting(f"{what} are empty; at least one is needed")
    return tuple(values)


@dataclass(frozen=True)
class AnyOf(_Choice):
    """Meet the nearest of several goals. Weight, priority and tolerance are those of this goal, not of its members."""

    members: Annotated[tuple[Goal, ...], Role("goals", _goals)]
    """The alternative goals, all about sites."""

    @property
    def label(self) -> str:
        """Name of the goal in results."""
        return self.name or "any of " + ", ".join(dict.fromkeys(member.label for member in self.members))

    @property
    def alternatives(self) -> tuple[Goal, ...]:
        """The members."""
        return self.members


def _pair(value: object, what: str, accepted: str) -> None:
    if not isinstance(value, tuple | list | np.ndarray) or len(value) != 2:
        raise InvalidSetting(must_be(what, accepted, value))


def _box(value: tuple[Point, Point], what: str) -> tuple[Point, Point]:
    _pair(value, what, "two opposite corners")
    a, b = (checked_point(corner, f"a corner of {what}") for corner in value)
    if min(abs(p - q) for p, q in zip(a, b, strict=True)) <= 0.0:
        raise InvalidSetting(f"{what} is flat: its corners {list(a)} and {list(b)} share a coordinate")
    return a, b


def _faces(values: Sequence[Face], what: str) -> tuple[Face, ...]:
    require_list(values, what, "faces: a point and an outward normal each")
    for value in values:
        _pair(value, f"one of {what}", "a point and an outward normal")
    return tuple(
        (checked_point(p, f"a point of {what}"), checked_direction(n, f"a normal of {what}")) for p, n in values
    )


@dataclass(frozen=True)
class Outside(_Choice):
    """Keep a site outside a box or a convex polyhedron."""

    site: SiteName
    """Name of a site, or of a joint for its origin."""
    faces: Annotated[tuple[Face, ...], Role("faces", _faces)] | None = None
    """A point (m) and the outward normal of each face of a convex polyhedron; None if a box is given."""
    box: Annotated[tuple[Point, Point], Role("box", _box)] | None = None
    """Two opposite corners, m; None if faces are given."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.faces is None) == (self.box is None):
            raise InvalidSetting(f"{self} needs either a box (two opposite corners) or faces")

    @property
    def label(self) -> str:
        """Name of the goal in results."""
        return self.name or f"{self.site} outside"

    @cached_property
    def alternatives(self) -> tuple[Goal, ...]:
        """A half-space goal for each face: the site is beyond it."""
        faces = self.faces
        if faces is None:
            assert self.box is not None
            low, high = np.minimum(*self.box), np.maximum(*self.box)
            sides = [(low, -np.eye(3)[i]) for i in range(3)] + [(high, np.eye(3)[i]) for i in range(3)]
            faces = tuple(
                (checked_point(p.tolist(), "a corner"), checked_direction(n.tolist(), "a normal")) for p, n in sides
            )
        return tuple(HalfSpace(self.site, point, normal) for point, normal in faces)

    def sketch(self, on: Sketch) -> Iterator[Stroke]:
        """The edges of the solid; up to three faces, which enclose nothing, are drawn as planes."""
        faces = [goal for goal in self.alternatives if isinstance(goal, HalfSpace)]
        if len(faces) <= 3:
            yield from super().sketch(on)
        for start, end in solid_edges([(on.point(face.point), np.array(face.normal)) for face in faces]):
            yield on.line(start, end)
