"""The centre of mass at several key frames of one edit.

The poses at the key frames stand beside each other as one figure, of which kernels know one centre of mass. Where
several are asked for, each is a goal in Python about its own figure: slower, and seldom needed.
"""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure, Pose
from posewright.figures.kinematics import centre_of_mass, site_frames
from posewright.goals import CentreOfMass, PythonGoal
from posewright.models.floor_placement import FloorPlacement

_HORIZONTAL = [0, 2]


def mass_at_key(goal: CentreOfMass, figure: Figure, key: int, placement: FloorPlacement) -> PythonGoal:
    """The goal for one of several figures beside each other.

    Args:
        goal: about the world and the names of `figure`.
        figure: one of them.
        key: which.
        placement: where the world's goals are seen from.
    """
    own = slice(key * figure.n_dofs, (key + 1) * figure.n_dofs)
    target = goal.target
    there = np.zeros(3) if isinstance(target, str) else placement.seen_from(np.array([*target, *np.zeros(6)]))[:3]

    def residual(pose: Pose) -> Array:
        q = np.array(pose.q[own])
        to = site_frames(figure, q, [target]).points[0] if isinstance(target, str) else there
        away: Array = centre_of_mass(figure, q) - to
        return away[_HORIZONTAL] if goal.vertical else away

    return PythonGoal(
        residual,
        rows=2 if goal.vertical else 3,
        weight=goal.weight,
        priority=goal.priority,
        tolerance=goal.tolerance,
        name=goal.name,
    )
