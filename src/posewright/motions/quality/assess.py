"""Assess a motion, alone or beside the source that it was made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from posewright.anatomy.anatomy import Anatomy
from posewright.anatomy.feet import paired_feet
from posewright.errors import InvalidMotion
from posewright.figures.figure import Figure
from posewright.figures.kinematics import site_frames
from posewright.motions.contacts import ContactSettings, contacts, floor_under
from posewright.motions.floor import Floor
from posewright.motions.motion import Motion, require_measurable
from posewright.motions.quality.edited import Original
from posewright.motions.quality.kinds import (
    CHANGED_JERK,
    GREATEST_SITE_ERROR,
    JERK_RATIO,
    SITE_ERROR,
    Assessed,
    likeness_measures,
    likeness_series,
    worst_frame,
)
from posewright.motions.quality.likeness import Likeness, likeness, same_bones
from posewright.motions.quality.report import Measure, QualityReport, Series

Names = Sequence[str] | Mapping[str, str]
"""Of sites or joints, or {that of the motion: that of the source}."""


def assess(
    motion: Motion,
    source: Motion | None,
    *,
    sites: Names | None,
    feet: Names | None,
    floor: Floor | float | None,
    source_floor: Floor | float | None,
    bodies: tuple[Anatomy, Anatomy] | None = None,
    transferred: Motion | None = None,
    likenesses: tuple[Likeness, Likeness | None] | None = None,
    body: bool,
) -> QualityReport:
    """See `Motion.quality`; `likenesses` of the motion and of the transferred one may be known.

    The floor is that of the source if it is of the same figure, else each has its own. Lengths of the source, and what
    is made of them, are scaled to the size of the motion's body.
    """
    require_measurable(motion)
    if source is not None:
        require_measurable(source, "the source")
        _require_same_frames(motion, source)
    if feet is not None:
        pairs = _pairs(feet)
    elif source is None or motion.figure.is_like(source.figure):
        pairs = _pairs(motion.figure.anatomy.contact_sites)
    else:
        pairs = paired_feet(motion.figure.anatomy, source.figure.anatomy)
        floor = floor_under(motion, list(pairs)) if floor is None else floor
        source_floor = floor_under(source, list(pairs.values())) if source_floor is None else source_floor
    mine, theirs = bodies or (motion.figure.anatomy, (source or motion).figure.anatomy)
    judged = motion if source is None else source
    under = floor if source is None or source_floor is None else source_floor
    touching = list(pairs.keys() if source is None else pairs.values())
    found = contacts(judged, touching, floor=under, settings=ContactSettings(trimmed=True))
    ground = found if floor is None else replace(found, floor=_plane(floor))
    listed, series = Assessed(motion, mine, tuple(pairs), ground, body=body).results()
    if source is None:
        return QualityReport(_numbered(listed, motion), series, found, pairs)
    own, own_series = Assessed(source, theirs, tuple(pairs.values()), found, body=body).results()
    shared = shared_sites(motion.figure, source.figure) if sites is None else _pairs(sites)
    errors, errors_over_time = _site_errors(motion, source, shared)
    size = _size(mine, theirs)
    values = {m.name: m.value * (size if _is_long(m.unit) else 1.0) for m in own}
    curves = {s.name: s.values * (size if _is_long(s.unit) else 1.0) for s in own_series}
    beside = [replace(m, source=values.get(m.name)) for m in listed]
    series = tuple(replace(s, source=curves.get(s.name)) for s in series)
    like, plain = likenesses or likeness_beside(motion, source, (mine, theirs), transferred, ground.floor)
    edited = likenesses is None and transferred is None  # what is retargeted onto its own figure changes everywhere
    jerks = (*_jerk_ratio(beside), *(_changed_jerk(motion, source) if edited else ()))
    listed = (*likeness_measures(like, plain), *errors, *beside, *jerks)
    series = (*likeness_series(like, plain), *errors_over_time, *series)
    return QualityReport(_numbered(listed, motion), series, found, pairs, like, plain)


def _size(mine: Anatomy, theirs: Anatomy) -> float:
    """The length of a body's legs over another's; 1 where one is not known."""
    if mine.missing or theirs.missing:
        return 1.0
    return mine.segments.leg_length / theirs.segments.leg_length


def _is_long(unit: str) -> bool:
    """Whether what has a unit grows with the body: lengths, and their derivatives."""
    return unit.startswith("m")


def _numbered(measures: Sequence[Measure], motion: Motion) -> tuple[Measure, ...]:
    return tuple(replace(measure, first_frame=motion.first_frame) for measure in measures)


def likeness_beside(
    motion: Motion, source: Motion, bodies: tuple[Anatomy, Anatomy], transferred: Motion | None, floor: Floor
) -> tuple[Likeness | None, Likeness | None]:
    """How like a motion is to its source, and how like the transferred motion is, as far as they are known."""
    mine, theirs = bodies
    if mine.missing or theirs.missing:
        return None, None
    found = likeness(motion, source, bodies)
    if transferred is not None:
        return found, likeness(transferred, source, (mine.on(transferred.figure), theirs), floor)
    return found, found.perfect() if same_bones(motion.figure, source.figure) else None


def _plane(floor: Floor | float) -> Floor:
    return floor if isinstance(floor, Floor) else Floor(float(floor))


def _jerk_ratio(beside: Sequence[Measure]) -> tuple[Measure, ...]:
    jerk = next(m for m in beside if m.name == "jerk")
    if not jerk.source:
        return ()
    return (JERK_RATIO.measure(jerk.value / jerk.source, source=1.0),)


def _changed_jerk(motion: Motion, source: Motion) -> tuple[Measure, ...]:
    """Of an edit: a motion of the same figure and length."""
    if len(motion) != len(source) or not motion.figure.is_like(source.figure):
        return ()
    change = Original(source).change(motion)
    if change.frames is None:
        return ()
    return (CHANGED_JERK.measure(change.jerk_ratio(), sum(change.frames) // 2, source=1.0),)


def _site_errors(
    motion: Motion, source: Motion, pairs: Mapping[str, str]
) -> tuple[tuple[Measure, ...], tuple[Series, ...]]:
    if not pairs:
        return (), ()
    mine = site_frames(motion.figure, motion.q, list(pairs)).points
    theirs = site_frames(source.figure, source.q, list(pairs.values())).points
    distances = np.linalg.norm(mine - theirs, axis=-1)
    worst = distances.max(axis=1)
    listed = (
        SITE_ERROR.measure(float(distances.mean()), source=0.0),
        GREATEST_SITE_ERROR.measure(float(worst.max()), worst_frame(worst), source=0.0),
    )
    return listed, (Series(name=SITE_ERROR.name, unit=SITE_ERROR.unit, values=worst),)


def _pairs(names: Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    return dict(names) if isinstance(names, Mapping) else {name: name for name in names}


def shared_sites(figure: Figure, other: Figure) -> dict[str, str]:
    """The sites, or else the joints, whose names two figures have."""
    shared = [name for name in figure.site_names if name in other.site_names]
    return _pairs(shared or [name for name in figure.joint_names if name in other.joint_names])


def _require_same_frames(motion: Motion, source: Motion) -> None:
    if len(motion) != len(source) or abs(motion.fps - source.fps) > 1e-6 * source.fps:
        raise InvalidMotion(
            f"the motion has {len(motion)} frames at {motion.fps:g} per second, its source {len(source)} at "
            f"{source.fps:g}; they must be the same (use `resampled`, or --frames and --source-frames)"
        )
