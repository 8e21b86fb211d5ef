"""The list of measures: name, unit, how each is computed over frames, and the limit that it is held to."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from posewright.anatomy.anatomy import Anatomy
from posewright.conventions import Array, BoolArray
from posewright.figures import Figure
from posewright.figures.capsules import capsule_table
from posewright.figures.kinematics import JointFrames, joint_frames, joint_positions, site_points
from posewright.kernels.tables import SLIDE
from posewright.motions.contacts import Contacts
from posewright.motions.motion import Motion
from posewright.motions.quality import measures
from posewright.motions.quality.likeness import Likeness, lasting
from posewright.motions.quality.report import Measure, Rule, Series
from posewright.motions.speeds import JointRates, joint_steps

_PIECE = 4096
"""Frames whose joints are placed at a time: all of a long clip would be large."""
_AROUND = 3
"""Frames before and after a frame that its differences look at."""
_BELOW = 0.05
"""Figure heights: joints that are lower than contact points by more than this are under the floor anyway."""
_NO_FRAMES: Array = np.empty(0)


class Assessed:
    """A motion, and when its feet should be on which floor; measured piece by piece."""

    def __init__(self, motion: Motion, anatomy: Anatomy, feet: tuple[str, ...], found: Contacts, *, body: bool) -> None:
        self.motion, self.anatomy, self.feet, self.contacts, self.body = motion, anatomy, feet, found, body
        self.points: Array = site_points(motion.figure, motion.q, feet)
        self.drifts: Array = measures.contact_drifts(self.points, found.touching)
        self.free = _never_on_the_floor(motion.figure, anatomy, feet)
        """Joints that may be below the floor."""
        self.curves = self._curves()

    def results(self) -> tuple[tuple[Measure, ...], tuple[Series, ...]]:
        """Numbers, each with the frame where it is worst; and those that are plotted, over time."""
        listed, series = [], []
        for kind in KINDS:
            curve = self.curves.get(kind.name, _NO_FRAMES)
            value = None if kind.curve is not None and curve is _NO_FRAMES else kind.value(self, curve)
            if value is None:
                continue
            listed.append(kind.measure(value, worst_frame(curve)))
            if kind.plotted and curve is not _NO_FRAMES:
                series.append(Series(name=kind.name, unit=kind.unit, values=curve))
        return tuple(listed), tuple(series)

    def _curves(self) -> dict[str, Array]:
        """By kind, (frames,), of those that the figure can be measured by."""
        found: dict[str, Array] = {}
        for first in range(0, len(self.motion), _PIECE):
            last = min(first + _PIECE, len(self.motion))
            start = max(0, first - _AROUND)
            piece = Piece(self, slice(start, last + _AROUND))
            for kind in KINDS:
                values = None if kind.curve is None else kind.curve(piece)
                if values is not None:
                    curve = found.setdefault(kind.name, np.empty(len(self.motion)))
                    curve[first:last] = values[first - start : last - start]
        return found


def _never_on_the_floor(figure: Figure, anatomy: Anatomy, feet: Sequence[str]) -> Collection[int]:
    """Joints that the floor does not stop.

    Those above the pelvis are no part of the body: many rigs have one on the ground, which moves all. A figure that is
    not recognised may be mounted, as an arm is: joints that are lower at rest than its contact points are under these
    anyway.
    """
    if "pelvis" in anatomy.parts:
        return figure.ancestors(anatomy.first("pelvis"))[1:]
    lowest = float(site_points(figure, figure.rest[np.newaxis], feet)[..., 1].min())
    heights = joint_positions(figure, figure.rest)[:, 1]
    return np.flatnonzero(heights < lowest - _BELOW * figure.height).tolist()


class Piece:
    """Some frames of a motion."""

    def __init__(self, whole: Assessed, frames: slice) -> None:
        self.motion, self.figure, self.feet, self.body = (
            whole.motion[frames],
            whole.motion.figure,
            whole.feet,
            whole.body,
        )
        self.touching: BoolArray = whole.contacts.touching[frames]
        self._floor, self._points, self._drifts = whole.contacts.floor, whole.points[frames], whole.drifts[frames]
        self._captured = list(whole.anatomy.captured)
        self._body = [k for k in range(len(self.figure.joints)) if k not in whole.free]

    def outside(self, *, slides: bool) -> Array:
        """(frames,): the worst of the slides, m, or of the other dofs, rad, outside its limits."""
        chosen = (self.figure.tables.dofs["kind"] == SLIDE) == slides
        worst: Array = self._excess[:, chosen].max(axis=1, initial=0.0)
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
        return self._in_contact(measures.contact_speeds(self._points, self.touching, self.motion.fps))

    @property
    def drifts(self) -> Array:
        """(frames,), m: the greatest distance of a point from where its contact began."""
        return self._in_contact(self._drifts)

    @property
    def depths(self) -> Array:
        """(frames,), m: how deep the lowest of joints, tips and contact points is below the floor."""
        tips = [site.name for site in self.figure.sites if site.tip]
        placed = (self._placed.positions[:, self._body], site_points(self.figure, self.motion.q, tips), self._points)
        return measures.penetration_depths(np.concatenate(placed, axis=1), self._floor)

    @property
    def heights(self) -> Array:
        """(frames,), m: of the highest point in contact above the floor."""
        heights = np.maximum(0.0, self._floor.heights_of(self._points))
        return self._in_contact(np.where(self.touching, heights, -np.inf).max(axis=1))

    @property
    def jerks(self) -> Array:
        """(frames,), m/s³"""
        return self._over_frames(measures.jerks(self._places, self.motion.fps), 2)

    @property
    def accelerations(self) -> Array:
        """(frames,), m/s²: of the joint that is accelerated most."""
        return self._over_frames(measures.accelerations(self._places, self.motion.fps), 1)

    @property
    def turns(self) -> Array:
        """(frames,), rad/s: how fast the fastest joint turns."""
        return self._over_frames(measures.turn_speeds(self._steps.turning[:, self._captured], self.motion.fps), 1)

    @property
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

    @property
    def unsupported(self) -> Array | None:
        """(frames,), m: of the centre of mass outside the support; nan in frames without contact."""
        if not self.body or not measures.has_bulk(self.figure):
            return None
        return measures.support_distances(self.motion, self.feet, self.touching)

    @cached_property
    def _excess(self) -> Array:
        return measures.limit_excess(self.motion)

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


def greatest(curve: Array) -> float:
    """The greatest of values over frames, 0 at least; nan does not count."""
    return float(np.nanmax(curve, initial=0.0))


def worst_frame(curve: Array) -> int | None:
    """Where values are greatest; None where none is above zero."""
    return int(np.nanargmax(curve)) if greatest(curve) > 0.0 else None


@dataclass(frozen=True)
class Kind:
    """One kind of measure."""

    name: str
    unit: str
    curve: Callable[[Piece], Array | None] | None = None
    """(frames,), nan where there is nothing to measure; None: the figure cannot be measured so."""
    value: Callable[[Assessed, Array], float | None] = lambda _, curve: greatest(curve)
    """From the motion and the curve over all of it; by default its greatest."""
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
    Kind("limit violation", "rad", lambda p: p.outside(slides=False), limit="limit_violation"),
    Kind("slide limit violation", "m", lambda p: p.outside(slides=True), limit="limit_violation", plotted=False),
    Kind("frames outside limits", "share", value=lambda a, _: _outside_limits(a)),
    Kind("constraint violation", "rad or m", lambda p: p.broken, limit="limit_violation", plotted=False),
    Kind("speed limit", "of allowed", lambda p: p.speeds, limit="speed"),
    Kind("foot skate", "m/s", lambda p: p.sliding, lambda a, _: _skate(a), "skate", Rule.BEYOND),
    Kind("contact drift", "m", lambda p: p.drifts, limit="drift", rule=Rule.BEYOND),
    Kind("penetration", "m", lambda p: p.depths, limit="penetration"),
    Kind("mean penetration", "m", value=lambda a, _: float(a.curves["penetration"].mean())),
    Kind("floating", "m", lambda p: p.heights, lambda a, _: _gap(a), "floating", Rule.BEYOND),
    Kind("jerk", "m/s³", lambda p: p.jerks, lambda _, curve: measures.root_mean_square(curve), "jerk", Rule.TIMES),
    Kind("acceleration peak", "m/s²", lambda p: p.accelerations, plotted=False),
    Kind("fastest turn", "rad/s", lambda p: p.turns, limit="turn", rule=Rule.TIMES),
    Kind("jumps", "", lambda p: p.jumps, lambda _, curve: float(np.sum(curve > 0.0)), plotted=False),
    Kind("self-contact", "m", lambda p: p.clashes, limit="self_contact", rule=Rule.BEYOND, of_the_body=True),
    Kind("imbalance", "m", lambda p: p.unsupported, limit="balance", rule=Rule.BEYOND, of_the_body=True),
    Kind("frames out of balance", "share", value=lambda a, _: _out_of_balance(a), of_the_body=True),
)
"""In the order in which they are reported."""


def _outside_limits(assessed: Assessed) -> float:
    """The share of frames."""
    turned, slid = assessed.curves["limit violation"], assessed.curves["slide limit violation"]
    return float(np.mean(np.maximum(turned, slid) > 1e-9))


def _skate(assessed: Assessed) -> float:
    """m/s: the mean speed of points in contact."""
    return measures.skate_speed(assessed.points, assessed.contacts.touching, assessed.motion.fps)


def _gap(assessed: Assessed) -> float:
    """m: the mean height of points in contact above the floor."""
    return measures.contact_gap(assessed.points, assessed.contacts.touching, assessed.contacts.floor)


def _out_of_balance(assessed: Assessed) -> float | None:
    """The share of frames with contact whose centre of mass is outside the support."""
    away = assessed.curves.get("imbalance")
    return None if away is None else float(np.sum(away > 0.0) / max(1, np.isfinite(away).sum()))


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
