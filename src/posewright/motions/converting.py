"""Motions that follow their figure when it changes: other coordinates, another scale, two figures in one world."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from posewright.errors import InvalidMotion
from posewright.figures.figure import Figure
from posewright.figures.pose import Pose
from posewright.figures.transforms.combined import beside as figures_beside
from posewright.figures.transforms.combined import joined_q, split_q
from posewright.figures.transforms.coordinates import converted_q
from posewright.figures.transforms.lengths import lengths_q
from posewright.figures.transforms.lengths import with_lengths as figure_with_lengths
from posewright.figures.transforms.locked import locked_q, unlocked_q
from posewright.motions.motion import Motion


def converted(motion: Motion, figure: Figure, *, near: Pose | None = None) -> Motion:
    """The same movement in the coordinates of a changed figure: every segment stays where it was in the world.

    For figures made by `with_balls`, `with_hinges` or `retreed`, and for the way back from them. Angles that
    are not simply copied are continuous over the frames, the first on the branch nearest to `near` (or to rest).
    """
    q = converted_q(motion.figure, figure, motion.q, near=None if near is None else near.q)
    return replace(motion, figure=figure, q=q)


def with_lengths(motion: Motion, factors: Mapping[str, float] | None = None, *, overall: float = 1.0) -> Motion:
    """The same angles on a figure with other lengths; slides (such as the root's place) scale with their bone."""
    figure = figure_with_lengths(motion.figure, factors, overall=overall)
    return replace(motion, figure=figure, q=lengths_q(motion.figure, motion.q, factors, overall=overall))


def locked(motion: Motion, *joints: str, at: Pose | None = None, alone: bool = False) -> Motion:
    """The motion with these joints and all below them (`alone`: only them) held at the pose `at`, or at rest."""
    figure = motion.figure.locked(*joints, at=at, alone=alone)
    return replace(motion, figure=figure, q=locked_q(motion.figure, figure, motion.q))


def unlocked(motion: Motion, figure: Figure, *, at: Pose | None = None) -> Motion:
    """The motion of a locked figure as one of the whole `figure`; the rest keeps the pose it was locked at."""
    return replace(motion, figure=figure, q=unlocked_q(figure, motion.figure, motion.q, at=at))


def beside(first: Motion, second: Motion, *, prefix: str) -> Motion:
    """Two motions of the same length and frame rate as one motion of both figures."""
    if len(first) != len(second) or first.fps != second.fps:
        raise InvalidMotion(
            f"motions beside each other need the same frames: one has {len(first)} at {first.fps:g}/s, "
            f"the other {len(second)} at {second.fps:g}/s; resample one of them"
        )
    return replace(
        first,
        figure=figures_beside(first.figure, second.figure, prefix=prefix),
        q=joined_q(first.q, second.q),
        name=" and ".join(name for name in (first.name, second.name) if name),
        notes=(*first.notes, *second.notes),
    )


def apart(motion: Motion, figure: Figure, other: Figure) -> tuple[Motion, Motion]:
    """The motions of each figure in a motion of both."""
    first, second = split_q(figure, other, motion.q)
    return replace(motion, figure=figure, q=first), replace(motion, figure=other, q=second)
