"""Commands about goals over several frames of a clip: paths with knots, and what is held."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from posewright.conventions import Array
from posewright.figures import Site
from posewright.figures.kinematics import site_frames
from posewright.figures.vectors import vector
from posewright.goals import Aim, Position
from posewright.motions import KochanekBartels
from posewright.studio.session.clips.clip import Clip
from posewright.studio.session.clips.span import Knot, Span
from posewright.studio.session.command import Command
from posewright.studio.session.commands.clips import Frame, open_clip
from posewright.studio.session.commands.goals import Name, Point
from posewright.studio.session.commands.sites import site_name
from posewright.studio.session.goals.making import first_goal
from posewright.studio.session.goals.places import Quaternion, turned
from posewright.studio.session.names import free_name
from posewright.studio.session.state import State

EASE = 0.2
"""s: how long a new span fades in and out."""
NEAR = 0.01
"""Figure heights: a new path has as few knots as stay this near to where the site goes."""
FEWEST, MOST = 3, 9
"""Knots of a new path, if it has so many frames."""

Shape = Annotated[float, Field(ge=-1.0, le=1.0)]
Ease = Annotated[float, Field(ge=0.0, lt=2**31)]
Number = Annotated[int, Field(ge=0, lt=2**31)]


@dataclass(frozen=True, kw_only=True)
class AddPath(Command):
    """A path of a point of the body, with knots that can be moved; first it is where the clip has it."""

    kind: Literal["add_path"] = "add_path"
    words = "path of {site}"
    site: Name
    """A site or joint."""
    point: Point | None = None
    """m, in the frame of the joint that `site` names: there a site is made for it. None: `site` itself"""
    start: Frame
    end: Frame

    def apply(self, state: State) -> State:
        """The clip with the path."""
        clip, state, site = _begin(state, self.site, self.point, self.start, self.end)
        frames = np.arange(self.start, self.end + 1)
        points = site_frames(state.figure, clip.q[self.start : self.end + 1], [site]).points[:, 0]
        path = _through(frames.astype(np.float64), points, NEAR * state.figure.height)
        knots = tuple(Knot(frame, vector(point)) for frame, point in zip(path.times.tolist(), path.points, strict=True))
        goal = Position(site, knots[0].point, name=_own_name(clip, site))
        return replace(state, clip=clip.with_span(_eased(Span(goal, self.start, self.end, knots), clip)))


@dataclass(frozen=True, kw_only=True)
class Hold(Command):
    """A point of the body stays over some frames where it is, as it is turned or aims as it does at one of them."""

    kind: Literal["hold"] = "hold"
    what: Literal["position", "orientation", "placement", "aim"]
    site: Name
    point: Point | None = None
    """m, in the frame of the joint that `site` names: there a site is made for it. None: `site` itself"""
    frame: Frame
    """At which it is as wanted."""
    start: Frame
    end: Frame

    def apply(self, state: State) -> State:
        """The clip with it; a place, or what is aimed at, is a path with one knot, which can be moved."""
        clip, state, site = _begin(state, self.site, self.point, self.start, self.end)
        clip.require_frame(self.frame)
        there = replace(state, q=clip.q[self.frame])
        goal = replace(first_goal(self.what, site, there, priority=1), name=_own_name(clip, site))
        place = goal.place if isinstance(goal, Position | Aim) else None
        knots = () if place is None or isinstance(place, str) else (Knot(float(self.frame), place),)
        return replace(state, clip=clip.with_span(_eased(Span(goal, self.start, self.end, knots), clip)))

    @property
    def says(self) -> str:
        """In a few words."""
        return f"{'aim' if self.what == 'aim' else 'hold'} {self.site}"


@dataclass(frozen=True, kw_only=True)
class SetSpan(Command):
    """Some of a span are otherwise; what is None stays."""

    kind: Literal["set_span"] = "set_span"
    words = "change {span}"
    span: Name
    start: Frame | None = None
    """The first knot goes with it, if it is there."""
    end: Frame | None = None
    ease_in: Ease | None = None
    """Frames."""
    ease_out: Ease | None = None
    tension: Shape | None = None
    continuity: Shape | None = None
    bias: Shape | None = None

    def apply(self, state: State) -> State:
        """The clip with it so."""
        clip = open_clip(state)
        span = clip.span(self.span)
        if self.start is not None or self.end is not None:
            start, end = (old if new is None else new for old, new in ((span.start, self.start), (span.end, self.end)))
            span = span.with_ends(start, end)
        names = ("ease_in", "ease_out", "tension", "continuity", "bias")
        given = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        return replace(state, clip=clip.with_span(replace(span, **given)))


@dataclass(frozen=True, kw_only=True)
class MoveSpan(Command):
    """All of a span at other frames."""

    kind: Literal["move_span"] = "move_span"
    words = "move {span}"
    span: Name
    by: Annotated[int, Field(gt=-(2**31), lt=2**31)]
    """Frames later."""

    def apply(self, state: State) -> State:
        """The clip with it there."""
        clip = open_clip(state)
        return replace(state, clip=clip.with_span(clip.span(self.span).moved(self.by)))


@dataclass(frozen=True, kw_only=True)
class DeleteSpan(Command):
    """A span less."""

    kind: Literal["delete_span"] = "delete_span"
    words = "delete {span}"
    span: Name

    def apply(self, state: State) -> State:
        """Without it, and without a site that was made for it."""
        return replace(state, clip=open_clip(state).without_span(self.span)).without_unused_sites()


@dataclass(frozen=True, kw_only=True)
class TurnSpan(Command):
    """What is held is turned."""

    kind: Literal["turn_span"] = "turn_span"
    words = "turn {span}"
    span: Name
    turn: Quaternion
    """wxyz, in the world"""

    def apply(self, state: State) -> State:
        """The clip with it so."""
        clip = open_clip(state)
        span = clip.span(self.span)
        return replace(state, clip=clip.with_span(replace(span, goal=turned(span.goal, self.turn))))


@dataclass(frozen=True, kw_only=True)
class SetKnot(Command):
    """A knot elsewhere, or at another frame between its neighbours."""

    kind: Literal["set_knot"] = "set_knot"
    words = "move a knot of {span}"
    span: Name
    knot: Number
    """Counted from 0."""
    point: Point | None = None
    """m; None: where it is"""
    frame: Frame | None = None
    """None: when it is"""

    def apply(self, state: State) -> State:
        """The clip with the path so."""
        clip = open_clip(state)
        span = clip.span(self.span)
        old = span.knot(self.knot)
        frame = old.frame if self.frame is None else float(self.frame)
        moved = span.with_knot(self.knot, Knot(frame, old.point if self.point is None else self.point))
        return replace(state, clip=clip.with_span(moved))


@dataclass(frozen=True, kw_only=True)
class AddKnot(Command):
    """A knot more, on the path as it is."""

    kind: Literal["add_knot"] = "add_knot"
    words = "add a knot to {span}"
    span: Name
    frame: Frame

    def apply(self, state: State) -> State:
        """The clip with it."""
        clip = open_clip(state)
        return replace(state, clip=clip.with_span(clip.span(self.span).with_new_knot(self.frame)))


@dataclass(frozen=True, kw_only=True)
class DeleteKnot(Command):
    """A knot less."""

    kind: Literal["delete_knot"] = "delete_knot"
    words = "delete a knot of {span}"
    span: Name
    knot: Number
    """Counted from 0."""

    def apply(self, state: State) -> State:
        """The clip without it."""
        clip = open_clip(state)
        return replace(state, clip=clip.with_span(clip.span(self.span).without_knot(self.knot)))


def _begin(state: State, site: str, point: Point | None, start: int, end: int) -> tuple[Clip, State, str]:
    """The clip, the state with the site that is meant, and its name."""
    clip = open_clip(state)
    clip.require_frame(start)
    clip.require_frame(end)
    if point is not None:
        name = site_name(state, site)
        state, site = state.with_site(Site(name=name, joint=site, point=point)), name
    state.figure.site(site)
    return clip, state, site


def _own_name(clip: Clip, site: str) -> str:
    """Empty where the site's name is free: the goal is called by its site."""
    name = free_name(site, [span.name for span in clip.spans])
    return "" if name == site else name


def _eased(span: Span, clip: Clip) -> Span:
    frames = float(round(EASE * clip.fps))
    return replace(span, ease_in=frames, ease_out=frames)


def _through(frames: Array, points: Array, near: float) -> KochanekBartels:
    """As few knots as stay near to points (frames, 3), m."""
    for knots in range(min(FEWEST, len(frames)), min(MOST, len(frames)) + 1):
        path = KochanekBartels.through(frames, points, knots)
        if np.linalg.norm(path.at(frames) - points, axis=1).max() <= near:
            break
    return path
