"""A goal over several frames of a clip: held, or along a path through knots."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from posewright.errors import InvalidSetting
from posewright.figures import Figure
from posewright.goals import Goal, Point
from posewright.goals.term import SiteTerm
from posewright.goals.timed import Timed
from posewright.motions import KochanekBartels


@dataclass(frozen=True)
class Knot:
    """A point that a path goes through."""

    frame: float
    point: Point
    """m"""


@dataclass(frozen=True)
class Span:
    """A goal from a frame to another, which fades in before and out after them."""

    goal: Goal
    """Its label is the name of the span; no two of a clip have the same."""
    start: int
    end: int
    """The last frame at which it counts in full."""
    knots: tuple[Knot, ...] = ()
    """By frame; none: the goal's own target all along"""
    ease_in: float = 0.0
    """Frames before `start`."""
    ease_out: float = 0.0
    tension: float = 0.0
    """Of the path, as `KochanekBartels` has them."""
    continuity: float = 0.0
    bias: float = 0.0

    @property
    def name(self) -> str:
        """What it is called."""
        return self.goal.label

    @property
    def path(self) -> KochanekBartels | None:
        """Its times are frames; None: there are no knots."""
        if not self.knots:
            return None
        return KochanekBartels(
            [knot.frame for knot in self.knots],
            [knot.point for knot in self.knots],
            tension=self.tension,
            continuity=self.continuity,
            bias=self.bias,
        )

    @property
    def timed(self) -> Timed:
        """As `edit` takes it."""
        if self.path is None and self.start == self.end:
            return self.goal.at(self.start)
        return self.goal.along(self.path, start=self.start, end=self.end, ease=(self.ease_in, self.ease_out))

    def sites(self, figure: Figure) -> set[str | None]:
        """Those that the goal is about."""
        terms = [term for term in self.goal.terms(figure) if isinstance(term, SiteTerm)]
        return {site for term in terms for site in (term.site, term.partner)}

    def knot(self, number: int) -> Knot:
        """The knot of that number, counted from 0.

        Raises:
            InvalidSetting: there is none.
        """
        if not 0 <= number < len(self.knots):
            raise InvalidSetting(f"path {self.name!r} has no knot {number}; it has {len(self.knots)}, counted from 0")
        return self.knots[number]

    def with_knot(self, number: int, knot: Knot) -> Span:
        """Another knot in place of one; an end of the span that is at the first or the last one goes with it.

        Raises:
            InvalidSetting: it is not between its neighbours.
        """
        old = self.knot(number)
        knots = (*self.knots[:number], knot, *self.knots[number + 1 :])
        return self._ends_moved(knots, old.frame, knot.frame, first=number == 0, last=number == len(knots) - 1)

    def with_new_knot(self, frame: int) -> Span:
        """A knot more, on the path as it is.

        Raises:
            InvalidSetting: there is no path, or a knot at that frame already.
        """
        path = self.path
        if path is None:
            raise InvalidSetting(f"{self.name!r} is held and goes along no path; there is nothing to add a knot to")
        if not self.start <= frame <= self.end:
            raise InvalidSetting(f"frame {frame} is outside path {self.name!r}, from frame {self.start} to {self.end}")
        x, y, z = path.at(frame).tolist()
        return self._with_knots((*self.knots, Knot(frame, (x, y, z))))

    def without_knot(self, number: int) -> Span:
        """A knot less.

        Raises:
            InvalidSetting: it is the only one.
        """
        gone = self.knot(number)
        if len(self.knots) == 1:
            raise InvalidSetting(f"path {self.name!r} has only this knot; delete the path instead")
        left = (*self.knots[:number], *self.knots[number + 1 :])
        start, end = self.start, self.end
        if number == 0 and round(gone.frame) == start:
            start = round(left[0].frame)
        if number == len(left) and round(gone.frame) == end:
            end = round(left[-1].frame)
        return replace(self, knots=left, start=start, end=end)

    def with_ends(self, start: int, end: int) -> Span:
        """From another frame to another; knots at the ends go with them.

        Raises:
            InvalidSetting: an end would pass a knot, or the other end.
        """
        if end < start:
            raise InvalidSetting(f"{self.name!r} would end at frame {end}, before it begins at frame {start}")
        knots = list(self.knots)
        if knots and round(knots[0].frame) == self.start:
            knots[0] = replace(knots[0], frame=start)
        if len(knots) > 1 and round(knots[-1].frame) == self.end:
            knots[-1] = replace(knots[-1], frame=end)
        return replace(self, start=start, end=end)._with_knots(tuple(knots))

    def moved(self, by: int) -> Span:
        """All of it later by some frames."""
        knots = tuple(replace(knot, frame=knot.frame + by) for knot in self.knots)
        return replace(self, start=self.start + by, end=self.end + by, knots=knots)

    def _ends_moved(self, knots: tuple[Knot, ...], old: float, new: float, *, first: bool, last: bool) -> Span:
        start = round(new) if first and round(old) == self.start else self.start
        end = round(new) if last and round(old) == self.end else self.end
        return replace(self, start=start, end=end)._with_knots(knots, sort=False)

    def _with_knots(self, knots: tuple[Knot, ...], *, sort: bool = True) -> Span:
        ordered = tuple(sorted(knots, key=lambda knot: knot.frame)) if sort else knots
        frames = [knot.frame for knot in ordered]
        if not (np.diff(frames) > 0.0).all():
            raise InvalidSetting(f"a knot of {self.name!r} must be at a frame of its own, between its neighbours")
        return replace(self, knots=ordered)
