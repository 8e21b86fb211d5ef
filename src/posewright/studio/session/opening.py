"""The first state of a session: a figure that stands, its feet pinned to the floor."""

from __future__ import annotations

import numpy as np

from posewright.conventions import Array
from posewright.figures import Figure, Pose
from posewright.figures.kinematics import site_frames
from posewright.goals import Placement, pin
from posewright.studio.session.state import State

_ON_FLOOR = 0.015
"""Of the figure's height: a foot this near to the floor stands on it."""
_NEAR_ZERO = 0.05
"""Of the figure's height: a lowest point this near to 0 means that the floor is at 0."""


def opened(figure: Figure, q: Array | None = None, *, floor: float | None = None) -> State:
    """A figure in a pose, by default its rest pose, with the feet that stand on the floor (m) pinned."""
    pose = Pose.rest(figure) if q is None else Pose(figure, q)
    floor = floor_of(pose) if floor is None else floor
    return State(figure, pose.q, goals=_pins(pose, floor), floor=floor)


def floor_of(pose: Pose) -> float:
    """0, unless the feet are elsewhere or something is below it."""
    feet = tuple(pose.figure.anatomy.feet.values())
    lowest = float(_heights(pose, feet or pose.figure.joint_names).min())
    if abs(lowest) <= _NEAR_ZERO * pose.figure.height or (lowest > 0.0 and not feet):
        return 0.0
    return lowest


def _pins(pose: Pose, floor: float) -> tuple[Placement, ...]:
    """Goals of priority 1 that hold each standing foot, by its sole where the body is recognised."""
    anatomy = pose.figure.anatomy
    soles = [name for name in ("left_sole", "right_sole") if name in anatomy.soles]
    feet = soles or list(anatomy.feet.values())
    heights = _heights(pose, feet)
    near = np.abs(heights - floor) <= _ON_FLOOR * pose.figure.height
    return pin(pose, *(name for name, stands in zip(feet, near, strict=True) if stands), priority=1)


def _heights(pose: Pose, sites: tuple[str, ...] | list[str]) -> Array:
    if not sites:
        return np.zeros(0)
    found: Array = site_frames(pose.figure, pose.q, list(sites)).points[:, 1]
    return found
