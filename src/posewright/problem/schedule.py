"""Goals over all frames of a motion: the activation and target of each goal in each frame."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np

from posewright.conventions import Array, BoolArray, IntArray
from posewright.figures.kinematics import site_frames
from posewright.goals import Goal
from posewright.goals.goal import SiteGoal
from posewright.goals.term import POINT, SiteTerm, X, Y
from posewright.goals.timed import Timed, across
from posewright.motions import Motion
from posewright.motions.splines import KochanekBartels, ramp

KEY_EASE = 0.25
"""Fraction of the motion over which a key frame fades on either side, without a motion model."""


@dataclass(frozen=True, eq=False)
class Schedule:
    """A goal over all frames of a motion."""

    goal: Goal
    activation: Array
    """(frames,), from 0 to 1."""
    points: Array | None = None
    """Target points (frames, 3), m; if the target is a site, in the frame of its joint. None: the goal's own."""
    x: Array | None = None
    """Directions (frames, 3) of the site's x axis; None: the goal's."""
    y: Array | None = None
    key: int | None = None
    """The only frame in which its error counts; None: all frames in which it counts in full."""

    @cached_property
    def judged(self) -> BoolArray:
        """(frames,): whether its error counts."""
        full = self.activation >= 1.0 if self.key is None else np.arange(len(self.activation)) == self.key
        return np.asarray(full)

    def write(
        self, targets: Array, terms: Sequence[SiteTerm], rows: slice, frames: IntArray | slice = slice(None)
    ) -> None:
        """Write the targets of some frames into `targets` (frames, terms, TARGET_WIDTH)."""
        directions = [values[frames] for values in (self.x, self.y) if values is not None]
        turned = 0
        for row in range(rows.start, rows.stop):
            term = terms[row]
            if term.part == "orientation" and "x" in term.takes:
                if directions and "y" in term.takes:
                    targets[:, row, X] = directions[0]
                    targets[:, row, Y] = across(directions[0], directions[1], repr(self.goal.label))
                elif directions:
                    targets[:, row, X] = directions[turned]
                    turned += 1
            elif self.points is not None:
                targets[:, row, POINT] = self.points[frames]


def schedules(goals: Sequence[Goal | Timed], near: Motion, *, keys_alone: bool = False) -> list[Schedule]:
    """The enabled goals over the frames of a motion, in order.

    Args:
        goals: goals with different names.
        near: the motion without the goals.
        keys_alone: whether goals at a frame count only in that frame, as in a motion model; otherwise their
            displacement fades over a quarter of the motion on either side.
    """
    found = [_schedule(goal, near) if isinstance(goal, Timed) else Schedule(goal, np.ones(len(near))) for goal in goals]
    if not keys_alone:
        for k, spread in _spread_keys(goals, near):
            found[k] = spread
    return [one for one in found if one.goal.enabled]


def with_own_names(goals: Sequence[Goal | Timed], first_frame: int = 0) -> list[Goal | Timed]:
    """The goals with frames (as numbered in the file) in their names; equal names are numbered."""
    found: list[Goal | Timed] = []
    labels: set[str] = set()
    for goal in goals:
        if not isinstance(goal, Timed):
            labels.add(goal.label)
            found.append(goal)
            continue
        own = goal.called(first_frame)
        label, count = own, 1
        while label in labels and not goal.whole:
            count += 1
            label = f"{own} ({count})"
        labels.add(label)
        found.append(goal if label == goal.goal.label else replace(goal, goal=replace(goal.goal, name=label)))
    return found


def _schedule(timed: Timed, near: Motion) -> Schedule:
    """The schedule of a goal; before and after its path, a site keeps its displacement from the path's end."""
    n = len(near)
    start, end = timed.range(n)
    activation = timed.activations(n)
    if timed.whole and not isinstance(timed.points, KochanekBartels):
        return Schedule(timed.goal, activation, timed.points, timed.x, timed.y)
    if timed.is_key:
        return Schedule(timed.goal, activation, key=start)
    rows = np.clip(np.arange(n) - start, 0, end - start)
    x, y = (None if values is None else values[rows] for values in (timed.x, timed.y))
    if timed.points is None:
        return Schedule(timed.goal, activation, None, x, y)
    if isinstance(timed.points, KochanekBartels):
        points = timed.points.at(np.arange(n))
        first, last = (int(np.clip(round(t), 0, n - 1)) for t in (timed.points.times[0], timed.points.times[-1]))
        first, last = max(first, start), min(last, end)
    else:
        points, first, last = timed.points[rows], start, end
    if timed.goal.moves_its_site and isinstance(timed.goal, SiteGoal):
        track = site_frames(near.figure, near.q, [timed.goal.site]).points[:, 0]
        points[:first] = track[:first] + (points[first] - track[first])
        points[last + 1 :] = track[last + 1 :] + (points[last] - track[last])
    return Schedule(timed.goal, activation, points, x, y)


def _spread_keys(goals: Sequence[Goal | Timed], near: Motion) -> Iterator[tuple[int, Schedule]]:
    """Schedules of goals at single frames, by index: displacements fade over a quarter of the motion on either side.

    If keys of one site are closer than that, the displacement passes from one to the next; each key serves the frames
    nearest to it.
    """
    reach = max(1.0, KEY_EASE * len(near))
    times = np.arange(len(near), dtype=np.float64)
    groups: dict[tuple[object, ...], list[_Key]] = {}
    for k, timed in enumerate(goals):
        if not (isinstance(timed, Timed) and timed.is_key and timed.goal.enabled):
            continue
        goal, frame = timed.goal, timed.range(len(near))[0]
        if goal.moves_its_site and isinstance(goal, SiteGoal):
            here = site_frames(near.figure, near.q[frame], [goal.site]).points[0]
            there = goal.nearest_point(near.figure, here)
            if there is not None:
                same = (type(goal), *(getattr(goal, f.name) for f in fields(goal) if f.name not in _OF_ONE_KEY))
                groups.setdefault(same, []).append(_Key(k, frame, there - here, goal))
                continue
        share = ramp(times, frame, frame, ease_in=reach, ease_out=reach)
        yield k, Schedule(goal, share, key=frame)
    for keys in groups.values():
        keys.sort(key=lambda key: key.frame)
        begins = [0, *(k for k in range(1, len(keys)) if not 0 < keys[k].frame - keys[k - 1].frame <= 2.0 * reach)]
        for low, high in zip(begins, [*begins[1:], len(keys)], strict=True):
            yield from _displaced(near, keys[low:high], times, reach)


_OF_ONE_KEY = ("target", "point", "name")
"""Fields in which keys that share a path may differ."""


@dataclass(frozen=True, eq=False)
class _Key:
    """The displacement of a site at a frame."""

    position: int
    """Index among the goals."""
    frame: int
    away: Array
    """(3,), m"""
    goal: SiteGoal


def _displaced(near: Motion, keys: Sequence[_Key], times: Array, reach: float) -> Iterator[tuple[int, Schedule]]:
    """Schedules for the keys of one site, in order, on a path through their displacements."""
    track = site_frames(near.figure, near.q, [keys[0].goal.site]).points[:, 0]
    at = [key.frame for key in keys]
    knots = np.array([at[0] - reach, *at, at[-1] + reach], dtype=np.float64)
    values = np.stack([np.zeros(3), *(key.away for key in keys), np.zeros(3)])
    k = np.clip(np.searchsorted(knots, times, side="right") - 1, 0, len(knots) - 2)
    s = np.clip((times - knots[k]) / (knots[k + 1] - knots[k]), 0.0, 1.0)[:, None]
    points = track + values[k] + s * s * (3.0 - 2.0 * s) * (values[k + 1] - values[k])
    counts = (times > knots[0]) & (times < knots[-1])
    nearest = np.abs(times[:, None] - np.array(at)).argmin(axis=1)
    for number, key in enumerate(keys):
        own = (counts & (nearest == number)).astype(np.float64)
        yield key.position, Schedule(key.goal, own, points, key=key.frame)
