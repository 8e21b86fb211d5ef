"""What can be said about one motion by itself, given when its feet should be on which floor."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from posewright.conventions import Array
from posewright.figures.capsules import capsule_table
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.kernels.tables import SLIDE
from posewright.motions.contacts import Contacts
from posewright.motions.motion import Motion
from posewright.motions.quality import measures
from posewright.motions.quality.report import Measure, Series
from posewright.motions.quality.support import has_bulk, support_distances


class Assessment:
    """Arrays over time, and the measures that follow from them."""

    def __init__(self, motion: Motion, feet: tuple[str, ...], found: Contacts, *, body: bool = True) -> None:
        self.motion, self.found = motion, found
        figure = motion.figure
        self.points = site_frames(figure, motion.q, feet).points
        slides = figure.tables.dofs["kind"] == SLIDE
        excess = measures.limit_excess(motion)
        self.turned, self.slid = excess[:, ~slides].max(axis=1, initial=0.0), excess[:, slides].max(axis=1, initial=0.0)
        self.broken = measures.constraint_excess(motion).max(axis=1, initial=0.0)
        self.speeds = measures.contact_speeds(self.points, found.touching, motion.fps)
        self.drifts = measures.contact_drifts(self.points, found.touching)
        self.depths = measures.penetration_depths(_body_points(motion, feet), found.floor)
        self.turns, self.jumps = measures.turn_speeds(motion), measures.jump_sizes(motion)
        self.shares = measures.speed_shares(motion) if np.isfinite(figure.max_speeds).any() else None
        self.clashes = measures.self_contact_depths(motion) if body and len(capsule_table(figure)) else None
        self.unsupported = support_distances(motion, feet, found.touching) if body and has_bulk(figure) else None

    @cached_property
    def measures(self) -> tuple[Measure, ...]:
        """Numbers, each with the frame where it is worst."""
        motion, found = self.motion, self.found
        outside = np.maximum(self.turned, self.slid)
        listed = [
            worst_of("limit violation", "rad", self.turned),
            worst_of("slide limit violation", "m", self.slid),
            Measure(name="frames outside limits", value=float(np.mean(outside > 1e-9)), unit="share"),
        ]
        if motion.figure.constraints:
            listed.append(worst_of("constraint violation", "rad or m", self.broken))
        if self.shares is not None:
            listed.append(worst_of("speed limit", "of allowed", self.shares, later=1))
        skate = measures.skate_speed(self.points, found.touching, motion.fps)
        gap = measures.contact_gap(self.points, found.touching, found.floor)
        listed += [
            Measure(name="foot skate", value=skate, unit="m/s", frame=worst_frame(self.speeds)),
            worst_of("contact drift", "m", self.drifts),
            worst_of("penetration", "m", self.depths),
            Measure(name="mean penetration", value=float(self.depths.mean()), unit="m"),
            Measure(name="floating", value=gap, unit="m"),
            Measure(name="jerk", value=measures.jerk(motion), unit="m/s³"),
            Measure(name="acceleration peak", value=measures.acceleration_peak(motion), unit="m/s²"),
            worst_of("fastest turn", "rad/s", self.turns, later=1),
            Measure(
                name="jumps",
                value=float(np.count_nonzero(self.jumps > 1.0)),
                unit="",
                frame=int(np.argmax(self.jumps)) + 1 if (self.jumps > 1.0).any() else None,
            ),
        ]
        if self.clashes is not None:
            listed.append(worst_of("self-contact", "m", self.clashes))
        if self.unsupported is not None:
            outside = np.nan_to_num(np.maximum(self.unsupported, 0.0))
            n_supported = max(1, int(np.isfinite(self.unsupported).sum()))
            listed.append(worst_of("imbalance", "m", outside))
            share = np.count_nonzero(outside) / n_supported
            listed.append(Measure(name="frames out of balance", value=share, unit="share"))
        return tuple(listed)

    @cached_property
    def series(self) -> tuple[Series, ...]:
        """The same over time."""
        n = len(self.motion)
        touching = self.found.touching
        any_touch = np.asarray(touching.any(axis=1))
        heights = np.maximum(0.0, self.found.floor.heights_of(self.points))
        floating = np.where(any_touch, np.where(touching, heights, -np.inf).max(axis=1), np.nan)
        over_time = [
            ("limit violation", "rad", self.turned),
            ("foot skate", "m/s", np.where(any_touch, self.speeds, np.nan)),
            ("contact drift", "m", np.where(any_touch, self.drifts, np.nan)),
            ("penetration", "m", self.depths),
            ("floating", "m", floating),
            ("jerk", "m/s³", _padded(measures.jerks(self.motion), n, 2)),
            ("fastest turn", "rad/s", _padded(self.turns, n, 1)),
        ]
        if self.shares is not None:
            over_time.append(("speed limit", "of allowed", _padded(self.shares, n, 1)))
        if self.clashes is not None:
            over_time.append(("self-contact", "m", self.clashes))
        if self.unsupported is not None:
            over_time.append(("imbalance", "m", self.unsupported))
        return tuple(Series(name=name, unit=unit, values=values) for name, unit, values in over_time)


def worst_of(name: str, unit: str, values: Array, later: int = 0) -> Measure:
    """The greatest of values over frames; over steps between frames, `later` 1 is the frame after the step."""
    frame = worst_frame(values)
    return Measure(name=name, value=_greatest(values), unit=unit, frame=None if frame is None else frame + later)


def _padded(values: Array, n_frames: int, first: int) -> Array:
    out = np.full(n_frames, np.nan)
    out[first : first + len(values)] = values
    return out


def _body_points(motion: Motion, feet: tuple[str, ...]) -> Array:
    """All joints, tips and contact points (frames, points, 3)."""
    named = list(dict.fromkeys([*(site.name for site in motion.figure.sites if site.tip), *feet]))
    tips = site_frames(motion.figure, motion.q, named).points
    return np.concatenate([joint_frames(motion.figure, motion.q).positions, tips], axis=1)


def _greatest(values: Array) -> float:
    return float(np.max(values, initial=0.0))


def worst_frame(values: Array) -> int | None:
    """Where values are greatest; None where they are all zero."""
    return int(np.argmax(values)) if np.max(values, initial=0.0) > 0.0 else None
