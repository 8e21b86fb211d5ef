"""Assess a motion, alone or beside the source that it was made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from posewright.conventions import Array
from posewright.errors import InvalidMotion
from posewright.figure.feet import foot_sites
from posewright.figure.figure import Figure
from posewright.figure.kinematics import joint_frames, site_frames
from posewright.kernels.tables import SLIDE
from posewright.motion.contacts import Contacts, contacts
from posewright.motion.floor import Floor
from posewright.motion.motion import Motion
from posewright.motion.quality import measures
from posewright.motion.quality.report import Measure, QualityReport


def assess(
    motion: Motion,
    source: Motion | None = None,
    *,
    sites: Sequence[str] | Mapping[str, str] | None = None,
    feet: Sequence[str] | Mapping[str, str] | None = None,
    floor: Floor | float | None = None,
) -> QualityReport:
    """Measure a motion.

    Args:
        motion: what to measure.
        source: the motion that it was made from, frame by frame; its contacts are the ones to be kept, and its own
            values stand beside. Without it the motion's own contacts count.
        sites: what should be where the source has it: names, or {site of the motion: site of the source}. None means
            the sites, or else the joints, whose names both figures have.
        feet: contact points, likewise; None means `foot_sites` of the motion's figure.
        floor: its height in m, or a plane; None means found from the source, or without one from the motion.
    """
    if source is not None:
        _require_same_frames(motion, source)
    feet_pairs = _pairs(foot_sites(motion.figure) if feet is None else feet)
    judged = motion if source is None else source
    found = contacts(judged, list(feet_pairs.keys() if source is None else feet_pairs.values()), floor=floor)
    own = _own_measures(motion, tuple(feet_pairs), found)
    if source is None:
        return QualityReport(tuple(own))
    theirs = _own_measures(source, tuple(feet_pairs.values()), found)
    beside = [
        Measure(name=m.name, value=m.value, unit=m.unit, source=s.value, frame=m.frame)
        for m, s in zip(own, theirs, strict=True)
    ]
    pairs = _shared_sites(motion.figure, source.figure) if sites is None else _pairs(sites)
    return QualityReport((*_site_errors(motion, source, pairs), *beside))


def _own_measures(motion: Motion, feet: tuple[str, ...], found: Contacts) -> list[Measure]:
    points = site_frames(motion.figure, motion.q, feet).points
    excess = measures.limit_excess(motion)
    slides = motion.figure.tables.dofs["kind"] == SLIDE
    turned, slid = excess[:, ~slides].max(axis=1, initial=0.0), excess[:, slides].max(axis=1, initial=0.0)
    outside = np.maximum(turned, slid)
    depths = measures.penetration_depths(_body_points(motion, feet), found.floor)
    jumps = measures.jump_sizes(motion)
    return [
        Measure(name="limit violation", value=_greatest(turned), unit="rad", frame=_worst(turned)),
        Measure(name="slide limit violation", value=_greatest(slid), unit="m", frame=_worst(slid)),
        Measure(name="frames outside limits", value=float(np.mean(outside > 1e-9)), unit="share"),
        Measure(name="foot skate", value=measures.skate_speed(points, found.touching, motion.fps), unit="m/s"),
        Measure(name="contact drift", value=measures.contact_drift(points, found.touching), unit="m"),
        Measure(name="penetration", value=_greatest(depths), unit="m", frame=_worst(depths)),
        Measure(name="mean penetration", value=float(depths.mean()), unit="m"),
        Measure(name="floating", value=measures.contact_gap(points, found.touching, found.floor), unit="m"),
        Measure(name="jerk", value=measures.jerk(motion), unit="m/s³"),
        Measure(name="acceleration peak", value=measures.acceleration_peak(motion), unit="m/s²"),
        Measure(
            name="jumps",
            value=float(np.count_nonzero(jumps > 1.0)),
            unit="",
            frame=int(np.argmax(jumps)) + 1 if (jumps > 1.0).any() else None,
        ),
    ]


def _site_errors(motion: Motion, source: Motion, pairs: Mapping[str, str]) -> list[Measure]:
    if not pairs:
        return []
    mine = site_frames(motion.figure, motion.q, list(pairs)).points
    theirs = site_frames(source.figure, source.q, list(pairs.values())).points
    distances = np.linalg.norm(mine - theirs, axis=-1)
    worst = distances.max(axis=1)
    return [
        Measure(name="site error", value=float(distances.mean()), unit="m", source=0.0),
        Measure(name="greatest site error", value=_greatest(worst), unit="m", source=0.0, frame=_worst(worst)),
    ]


def _body_points(motion: Motion, feet: tuple[str, ...]) -> Array:
    """All joints, tips and contact points (frames, points, 3)."""
    named = list(dict.fromkeys([*(site.name for site in motion.figure.sites if site.tip), *feet]))
    tips = site_frames(motion.figure, motion.q, named).points
    return np.concatenate([joint_frames(motion.figure, motion.q).positions, tips], axis=1)


def _pairs(names: Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    return dict(names) if isinstance(names, Mapping) else {name: name for name in names}


def _shared_sites(figure: Figure, other: Figure) -> dict[str, str]:
    shared = [name for name in figure.site_names if name in other.site_names]
    return _pairs(shared or [name for name in figure.joint_names if name in other.joint_names])


def _require_same_frames(motion: Motion, source: Motion) -> None:
    if len(motion) != len(source) or abs(motion.fps - source.fps) > 1e-6 * source.fps:
        raise InvalidMotion(
            f"the motion has {len(motion)} frames at {motion.fps:g} per second, its source {len(source)} at "
            f"{source.fps:g}; they must be the same (use `resampled`)"
        )


def _greatest(values: Array) -> float:
    return float(np.max(values, initial=0.0))


def _worst(values: Array) -> int | None:
    return int(np.argmax(values)) if np.max(values, initial=0.0) > 0.0 else None
