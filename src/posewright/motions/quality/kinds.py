"""The list of measures: name, unit, how each is computed over frames, and the limit that it is held to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from posewright.anatomy.anatomy import Anatomy
from posewright.conventions import Array, BoolArray
from posewright.figures.capsules import capsule_table
from posewright.figures.kinematics import JointFrames, joint_frames, site_frames
from posewright.kernels.tables import SLIDE
from posewright.motions.contacts import Contacts
from posewright.motions.motion import Motion
from posewright.motions.quality import measures
from posewright.motions.quality.likeness import Likeness, lasting
from posewright.motions.quality.report import Measure, Rule, Series
from posewright.motions.speeds import JointRates, joint_steps


class Assessed:
    """A motion, and when its feet should be on which floor."""

    def __init__(self, motion: Motion, anatomy: Anatomy, feet: tuple[str, ...], found: Contacts, *, body: bool) -> None:
        self.motion, self.figure, self.feet, self.contacts, self.body = motion, motion.figure, feet, found, body
        self._captured = list(anatomy.captured)
        above = motion.figure.ancestors(anatomy.first("pelvis"))[1:] if "pelvis" in anatomy.parts else ()
        self._body = [k for k in range(len(motion.figure.joints)) if k not in above]
        self.touching: BoolArray = found.touching
        self.points: Array = site_frames(motion.figure, motion.q, feet).points

    def results(self) -> tuple[tuple[Measure, ...], tuple[Series, ...]]:
        """Numbers, each with the frame where it is worst; and those that are plotted, over time."""
        listed, series = [], []
        for kind in KINDS:
            curve = None if kind.curve is None else kind.curve(self)
            if kind.curve is not None and curve is None:
                continue
            value = greatest(curve) if kind.value is None else kind.value(self)
            if value is None:
                continue
            listed.append(kind.measure(value, None if curve is None else worst_frame(curve)))
            if kind.plotted and curve is not None:
                series.append(Series(name=kind.name, unit=kind.unit, values=curve))
        return tuple(listed), tuple(series)

    @cached_property
    def excess(self) -> Array:
        """(frames, dofs), rad or m outside the limits."""
        return measures.limit_excess(self.motion)

    def outside(self, *, slides: bool) -> Array:
        """(frames,): the worst of the slides, m, or of the other dofs, rad."""
        chosen = (self.figure.tables.dofs["kind"] == SLIDE) == slides
        worst: Array = self.excess[:, chosen].max(axis=1, initial=0.0)
        return worst

    @property
    def broken(self) -> Array | None:
        """(frames,), rad or m outside linear constraints."""
        return measures.constraint_excess(self.motion).max(axis=1) if self.figure.constraints else None

    @property
    def speeds(self) -> Array | None:
        """(frames,): the greatest speed of a dof since the frame before, as a share of what it may have."""
        limited = np.isfinite(self.figure.max_speeds).any()
        return self._over_frames(measures.speed_shares(self.motion), 1) if limited else None

    @property
    def sliding(self) -> Array:
        """(frames,), m/s: the greatest speed of a point in contact."""
        return self._in_contact(measures.contact_speeds(self.points, self.touching, self.motion.fps))

    @property
    def skate(self) -> float:
        """m/s: the mean speed of points in contact."""
        return measures.skate_speed(self.points, self.touching, self.motion.fps)

    @property
    def drifts(self) -> Array:
        """(frames,), m: the greatest distance of a point from where its contact began."""
        return self._in_contact(measures.contact_drifts(self.points, self.touching))

    @cached_property
    def depths(self) -> Array:
        """(frames,), m: how deep the lowest of joints, tips and contact points is below the floor.

        Joints above the pelvis are no part of the body: many rigs have one on the ground, which moves all.
        """
        named = list(dict.fromkeys([*(site.name for site in self.figure.sites if site.tip), *self.feet]))
        tips = site_frames(self.figure, self.motion.q, named).points
        points = np.concatenate([self._placed.positions[:, self._body], tips], axis=1)
        return measures.penetration_depths(points, self.contacts.floor)

    @property
    def heights(self) -> Array:
        """(frames,), m: of the highest point in contact above the floor."""
        heights = np.maximum(0.0, self.contacts.floor.heights_of(self.points))
        return self._in_contact(np.where(self.touching, heights, -np.inf).max(axis=1))

    @property
    def gap(self) -> float:
        """m: the mean height of points in contact above the floor."""
        return measures.contact_gap(self.points, self.touching, self.contacts.floor)

    @property
    def jerks(self) -> Array:
        """(frames,), m/s³"""
        return self._over_frames(measures.jerks(self._places, self.motion.fps), 2)

    @property
    def jerk(self) -> float:
        """m/s³, over all frames."""
        return measures.jerk(self._places, self.motion.fps)

    @property
    def acceleration_peak(self) -> float:
        """m/s²"""
        return measures.acceleration_peak(self._places, self.motion.fps)

    @property
    def turns(self) -> Array:
        """(frames,), rad/s: how fast the fastest joint turns."""
        return self._over_frames(measures.turn_speeds(self._steps.turning[:, self._captured], self.motion.fps), 1)

    @cached_property
    def jumps(self) -> Array:
        """(frames,): how far the worst joint departs from the steps around; 0 where that is no jump."""
        captured = JointRates(self._steps.turning[:, self._captured], self._steps.sliding[:, self._captured])
        sizes = measures.jump_sizes(captured, self.figure.height)
        return self._over_frames(np.where(sizes > 1.0, sizes, 0.0), 1)

    @property
    def clashes(self) -> Array | None:
        """(frames,), m: how deep two parts of the body are in each other."""
        if not self.body or not len(capsule_table(self.figure)):
            return None
        return measures.self_contact_depths(self.figure, self._placed)

    @cached_property
    def unsupported(self) -> Array | None:
        """(frames,), m: of the centre of mass outside the support; nan in frames without contact."""
        if not self.body or not measures.has_bulk(self.figure):
            return None
        return measures.support_distances(self.motion, self.feet, self.touching)

    @property
    def out_of_balance(self) -> float | None:
        """The share of frames with contact whose centre of mass is outside the support."""
        if self.unsupported is None:
            return None
        return float(np.sum(self.unsupported > 0.0) / max(1, np.isfinite(self.unsupported).sum()))

    @cached_property
    def _placed(self) -> JointFrames:
        return joint_frames(self.figure, self.motion.q)

    @cached_property
    def _places(self) -> Array:
        """(frames, joints that recordings capture, 3), m"""
        return self._placed.positions[:, self._captured]

    @cached_property
    def _steps(self) -> JointRates:
        return joint_steps(self.motion)

    def _in_contact(self, values: Array) -> Array:
        """Values (frames,), nan in frames without contact."""
        return np.where(self.touching.any(axis=1), values, np.nan)

    def _over_frames(self, values: Array, first: int) -> Array:
        """Values of differences between frames, as (frames,), nan where there are none."""
        out = np.full(len(self.motion), np.nan)
        out[first : first + len(values)] = values
        return out


@dataclass(frozen=True)
class Kind:
    """One kind of measure."""

    name: str
    unit: str
    curve: Callable[[Assessed], Array | None] | None = None
    """(frames,), nan where there is nothing to measure; None: the figure cannot be measured so."""
    value: Callable[[Assessed], float | None] | None = None
    """None: the greatest of the curve."""
    limit: str = ""
    """Field of `QualityLimits`."""
    rule: Rule = Rule.AT_MOST
    plotted: bool = True
    """Whether the curve is."""
    of_the_body: bool = False
    """Whether it is of self-contact or balance, which take most of the time."""

    def measure(self, value: float, frame: int | None = None, source: float | None = None) -> Measure:
        """A number of this kind."""
        return Measure(
            name=self.name, value=value, unit=self.unit, source=source, frame=frame, limit=self.limit, rule=self.rule
        )


LIKENESS = (
    Kind("likeness.mean", "deg"),
    Kind("likeness.worst", "deg"),
    Kind("likeness.limbs", "deg", limit="likeness_limbs"),
    Kind("likeness.beyond", "deg", limit="likeness"),
    Kind("likeness.twist", "deg"),
    Kind("likeness.path", "leg lengths"),
    Kind("pop", "deg", limit="pop"),
)
"""Beside a source: of bodies that are recognised (`likeness.py`)."""
SITE_ERROR = Kind("site error", "m", limit="site_error")
GREATEST_SITE_ERROR = Kind("greatest site error", "m")
JERK_RATIO = Kind("jerk ratio", "")
CHANGED_JERK = Kind("jerk where changed", "times", limit="jerk")
"""Beside the source that some frames still are: of an edit (`edited.py`)."""
KINDS = (
    Kind("limit violation", "rad", lambda a: a.outside(slides=False), limit="limit_violation"),
    Kind("slide limit violation", "m", lambda a: a.outside(slides=True), limit="limit_violation", plotted=False),
    Kind("frames outside limits", "share", value=lambda a: float(np.mean(a.excess.max(axis=1, initial=0.0) > 1e-9))),
    Kind("constraint violation", "rad or m", lambda a: a.broken, limit="limit_violation", plotted=False),
    Kind("speed limit", "of allowed", lambda a: a.speeds, limit="speed"),
    Kind("foot skate", "m/s", lambda a: a.sliding, lambda a: a.skate, "skate", Rule.BEYOND),
    Kind("contact drift", "m", lambda a: a.drifts, None, "drift", Rule.BEYOND),
    Kind("penetration", "m", lambda a: a.depths, limit="penetration"),
    Kind("mean penetration", "m", value=lambda a: float(a.depths.mean())),
    Kind("floating", "m", lambda a: a.heights, lambda a: a.gap, "floating", Rule.BEYOND),
    Kind("jerk", "m/s³", lambda a: a.jerks, lambda a: a.jerk, "jerk", Rule.TIMES),
    Kind("acceleration peak", "m/s²", value=lambda a: a.acceleration_peak),
    Kind("fastest turn", "rad/s", lambda a: a.turns, None, "turn", Rule.TIMES),
    Kind("jumps", "", lambda a: a.jumps, lambda a: float(np.sum(a.jumps > 0.0)), plotted=False),
    Kind("self-contact", "m", lambda a: a.clashes, None, "self_contact", Rule.BEYOND, of_the_body=True),
    Kind("imbalance", "m", lambda a: a.unsupported, None, "balance", Rule.BEYOND, of_the_body=True),
    Kind("frames out of balance", "share", value=lambda a: a.out_of_balance, of_the_body=True),
)
"""In the order in which they are reported."""


def likeness_measures(found: Likeness | None, plain: Likeness | None) -> Iterator[Measure]:
    """The measures of likeness, each beside that of the transferred motion, where that is known."""
    if found is None or len(found.angles) == 0:
        return
    mean, worst, limbs, beyond, twist, path, pop = LIKENESS
    yield mean.measure(found.mean, source=None if plain is None else plain.mean)
    off = found.lasting.max(axis=1)
    yield worst.measure(found.worst, worst_frame(off), None if plain is None else plain.worst)
    off = found.lasting[:, found.limbs].max(axis=1, initial=0.0)
    beside = None if plain is None else float(plain.lasting[:, plain.limbs].max(initial=0.0))
    yield limbs.measure(greatest(off), worst_frame(off), beside)
    if plain is not None:
        more = lasting(found.beyond(plain)[:, found.upper], found.fps).max(axis=1, initial=0.0)
        yield beyond.measure(greatest(more), worst_frame(more), 0.0)
    yield twist.measure(found.mean_twist, source=None if plain is None else plain.mean_twist)
    yield path.measure(greatest(found.path), worst_frame(found.path), None if plain is None else greatest(plain.path))
    pops = found.pops.max(axis=1)
    yield pop.measure(greatest(pops), worst_frame(pops), None if plain is None else greatest(plain.pops))


def likeness_series(found: Likeness | None, plain: Likeness | None) -> Iterator[Series]:
    """The bone that is furthest off, over time."""
    if found is not None:
        off = None if plain is None else plain.angles.max(axis=1)
        yield Series(
            name="likeness.worst", unit="deg", values=found.angles.max(axis=1), source=off, beside="plain transfer"
        )


def greatest(curve: Array | None) -> float:
    """The greatest of values over frames, 0 at least; nan does not count."""
    return 0.0 if curve is None else float(np.nanmax(curve, initial=0.0))


def worst_frame(curve: Array) -> int | None:
    """Where values are greatest; None where none is above zero."""
    return int(np.nanargmax(curve)) if greatest(curve) > 0.0 else None
