"""How big a figure is: the one length that thresholds are measured by."""

from __future__ import annotations

import numpy as np

from posewright.figures.figure import Figure
from posewright.figures.kinematics import site_frames


def figure_height(figure: Figure) -> float:
    """H, m: vertical extent at rest of all joints and tips.

    A figure that lies flat (less than a tenth as high as it is long) is as big as its extent.
    """
    tips = [site.name for site in figure.sites if site.tip]
    points = site_frames(figure, figure.rest, [*figure.joint_names, *tips]).points
    extent = np.ptp(points, axis=0)
    height, diagonal = float(extent[1]), float(np.linalg.norm(extent))
    return height if height >= 0.1 * diagonal else diagonal
