"""Before and after: the moments of a motion and of what an edit made of it, one strip below the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import cycle

import numpy as np

from posewright.conventions import Array
from posewright.figures.kinematics import joint_positions
from posewright.goals import Goal, Position
from posewright.goals.timed import Timed
from posewright.motions.motion import Motion
from posewright.motions.splines import KochanekBartels
from posewright.report.camera import DIRECTIONS, Direction, Extent
from posewright.report.film import Film
from posewright.report.goal_marks import goal_marks
from posewright.report.image_files import labelled, written
from posewright.report.picture import Picture, render
from posewright.report.scene import Mark, Scene, SceneBody

_BESIDE_KEYS = 0.6
"""Opacity of moments without a key where others have one."""
_MARGIN = 0.1
"""Of the height, left free above and below."""


def edit_strips(
    motions: Mapping[str, Motion],
    *,
    keys: Sequence[Timed] = (),
    width: int = 960,
    height: int = 320,
    moments: int = 7,
    direction: Direction = DIRECTIONS["three-quarter"],
) -> Picture:
    """Strips of motions below each other, from one camera.

    Args:
        motions: by what is written on them, the source first; of as many frames, or resampled.
        keys: what was asked; their frames are shown solid with their goals, others as ghosts.
        width: pixels.
        height: pixels of each strip, at most; what would be empty is cut off.
        moments: how many are shown, evenly in time but for those of keys.
        direction: from where to look.
    """
    source = next(iter(motions.values()))
    film = Film(motions=(source,), direction=direction, width=width, height=height)
    asked = {frame for key in keys if key.goal.enabled for frame in _frames(key, len(source))}
    frames = shown_frames(len(source), sorted(asked), moments)
    offsets = (np.arange(len(frames)) - len(frames) + 1)[:, None] * film.spread(np.array(frames) / source.fps)
    solid = [not asked or frame in asked for frame in frames]
    marks = [mark for frame, by in zip(frames, offsets, strict=True) for mark in marks_at(keys, source, frame, by)]
    scenes = []
    for colour, motion in zip(cycle(film.colours), motions.values(), strict=False):
        stretch = (len(motion) - 1) / max(1, len(source) - 1)
        bodies = [
            SceneBody(
                pose=motion.pose(round(frame * stretch)),
                colour=colour,
                opacity=1.0 if full else _BESIDE_KEYS,
                offset=(float(by[0]), float(by[1]), float(by[2])),
            )
            for frame, by, full in zip(frames, offsets, solid, strict=True)
        ]
        scenes.append(Scene(bodies=tuple(bodies), marks=tuple(marks), ground=film.floor))
    extent = Extent.of(*scenes)
    camera = extent.camera(direction, aspect=width / height)
    feet = joint_positions(source.figure, source.q[frames])[:, 0] + offsets
    feet[:, 1] = 0.0 if film.floor is None or film.floor.height is None else film.floor.height
    places = camera.seen_at(feet, width, height)
    places[:, 1] = np.minimum(places[:, 1] + 0.06 * height, 0.97 * height)
    numbers = [
        (float(x), float(y), f"frame {frame}" if asked and full else str(frame), bool(asked) and full)
        for (x, y), frame, full in zip(places, frames, solid, strict=True)
    ]
    seen = camera.seen_at(extent.centres, width, height)[:, 1]
    top, bottom = max(0.0, seen.min() - _MARGIN * height), max(seen.max(), places[:, 1].max()) + _MARGIN * height
    rows = slice(round(top), round(min(bottom, height)))  # a wide strip is low
    return np.vstack(
        [
            labelled(written(render(scene, width, height, camera=camera), numbers)[rows], name)
            for scene, name in zip(scenes, motions, strict=True)
        ]
    )


def shown_frames(n_frames: int, asked: Sequence[int], moments: int) -> list[int]:
    """So many frames, evenly in time, of which those nearest to frames that are asked for make way for these."""
    if len(asked) >= moments:
        return sorted({asked[round(k)] for k in np.linspace(0, len(asked) - 1, moments)})
    shown = sorted({round(frame) for frame in np.linspace(0, n_frames - 1, moments).tolist()})
    for frame in asked:
        if frame not in shown:
            free = [other for other in shown if other not in asked]
            shown[shown.index(min(free, key=lambda other: abs(other - frame)))] = frame
    return sorted(shown)


def _frames(key: Timed, n_frames: int) -> tuple[int, ...]:
    """The frame of a goal; of one over several, the first and the last."""
    return tuple(sorted(set(key.range(n_frames))))


def marks_at(keys: Sequence[Timed], source: Motion, frame: int, offset: Array) -> Iterator[Mark]:
    """What is wanted at a frame, beside where its body is drawn."""
    for key in keys:
        low, high = key.range(len(source))
        if not low <= frame <= high:
            continue
        goal: Goal = key.goal
        if key.points is not None and isinstance(goal, Position):
            there = key.points.at(frame) if isinstance(key.points, KochanekBartels) else key.points[frame - low]
            x, y, z = there.tolist()
            goal = Position(goal.site, (x, y, z))
        for mark in goal_marks([goal], source.pose(frame)):
            points = [(x + offset[0], y + offset[1], z + offset[2]) for x, y, z in mark.points]
            yield replace(mark, points=tuple(points), colour="ink")
