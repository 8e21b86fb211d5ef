"""A motion beside the one that it was made from, from file to file: rates, bodies and plain transfer are found."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from posewright.matching import JointMatch
from posewright.motions import Motion, QualityReport
from posewright.motions.quality.likeness import same_bones


def quality_beside(
    motion: Motion,
    source: Motion,
    match: Path | None = None,
    *,
    feet: Mapping[str, str] | None = None,
    floor: float | None = None,
) -> tuple[QualityReport, Motion]:
    """The measures of a motion beside its source, and the source at the motion's rate, resting as it stands.

    Args:
        motion: resting as it stands.
        source: what it was made from.
        match: file that says which joints are which (default: recognised, or else likeness is not judged).
        feet: contact points, each with that of the source (default: found).
        floor: its height, m (default: estimated).
    """
    source = _at_the_same_rate(source, motion).with_standing_rest()
    bodies, transferred = None, None
    if (known := _match(match, source, motion)) is not None:
        bodies, transferred = (known.target, known.source), _transferred(known, source)
    return motion.quality(source, feet=feet, floor=floor, bodies=bodies, transferred=transferred), source


def _match(path: Path | None, source: Motion, motion: Motion) -> JointMatch | None:
    """Which joints are which; None: bodies that are not recognised."""
    if path is not None:
        return JointMatch.load(path, source.figure, motion.figure)
    found = JointMatch.guess(source.figure, motion.figure)
    return None if found.source.missing or found.target.missing else found


def _transferred(match: JointMatch, source: Motion) -> Motion | None:
    """What plain transfer makes of the source; nothing for its own skeleton, which is its own best likeness."""
    return None if same_bones(*match.figures) else match.transfer(source)


def _at_the_same_rate(source: Motion, motion: Motion) -> Motion:
    """The source at the motion's frame rate, if that is the only difference."""
    if abs(source.fps - motion.fps) <= 1e-6 * motion.fps or abs(source.duration - motion.duration) > 1.5 / motion.fps:
        return source
    again = source.resampled(fps=motion.fps)
    return again[: len(motion)] if len(again) >= len(motion) else again
