"""Before and after: the moments of a motion and of what an edit made of it, one strip below the other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from posewright.motion.motion import Motion
from posewright.report.camera import DIRECTIONS, Direction
from posewright.report.film import Film
from posewright.report.image_files import labelled
from posewright.report.picture import Picture
from posewright.report.scene import Mark


def edit_strips(
    motions: Mapping[str, Motion],
    *,
    marks: tuple[Mark, ...] = (),
    width: int = 960,
    height: int = 320,
    moments: int = 7,
    direction: Direction = DIRECTIONS["three-quarter"],
) -> Picture:
    """Strips of motions below each other, each `height` pixels high and labelled."""
    rows = []
    for k, (name, motion) in enumerate(motions.items()):
        colours = Film(motions=(motion,)).colours
        film = Film(
            motions=(motion,), direction=direction, width=width, height=height, marks=marks, colours=(colours[k % 8],)
        )
        rows.append(labelled(film.strip(moments), name))
    return np.vstack(rows)
