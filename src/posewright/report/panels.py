"""Several scenes beside each other in one picture, seen by one camera and labelled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from posewright.report.camera import DIRECTIONS, Camera, Direction, Extent
from posewright.report.image_files import labelled
from posewright.report.picture import Picture, render
from posewright.report.scene import Scene


def side_by_side(
    panels: Sequence[tuple[str, Scene]],
    width: int,
    height: int,
    *,
    camera: Camera | Direction = DIRECTIONS["three-quarter"],
    columns: int = 0,
    below: int = 0,
) -> Picture:
    """Scenes in panels of `width` x `height` pixels.

    Args:
        panels: what is written in the lower left corner, and the scene.
        width: pixels of a panel.
        height: pixels of a panel.
        camera: for all panels; a direction sees everything in any of them.
        columns: panels in a row; 0: all of them.
        below: pixels added below each panel for its label.
    """
    if isinstance(camera, Direction):
        camera = Extent.of(*(scene for _, scene in panels)).camera(camera, aspect=width / height)
    strip = np.full((below, width, 3), 246, np.uint8)
    drawn = [np.vstack([render(scene, width, height, camera=camera), strip]) for _, scene in panels]
    pictures = [labelled(picture, text) if text else picture for picture, (text, _) in zip(drawn, panels, strict=True)]
    columns = columns or len(pictures)
    pictures += [np.full_like(pictures[0], 255)] * (-len(pictures) % columns)
    return np.vstack([np.hstack(pictures[first : first + columns]) for first in range(0, len(pictures), columns)])
