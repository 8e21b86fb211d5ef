"""Axes, units, quaternion order and names, decided here and nowhere else.

- Lengths are metres, angles radians, times seconds. Degrees appear only in files and on the terminal.
- The world is right-handed with **y up**; figures face **+z** and their left side is **+x**.
- Vectors are columns: `p_world = world_from_joint @ p_joint`. A transform is named by both its frames, so
  that inner names meet: `world_from_hand @ hand_from_club`.
- Quaternions are `wxyz`, unit, and represent the same rotation as their negative.
- A rotation vector `w` turns by `|w|` about `w/|w|`: `R = exp(w)`.
- A joint's frame is `parent_from_joint = translate(offset + slides) · rest · rotation`, where the slides move
  along axes of the *parent's* frame, `rest` is a constant rotation, and `rotation` is the product of the
  hinges in order (the first is leftmost) or `exp(w)` of a ball. Hinge axes are those of the joint's frame
  after the rotations to their left, so that hinges z, y, x are the intrinsic Euler angles `Rz Ry Rx`.
- All dofs of a figure, joint by joint (slides first, then hinges or ball), are one vector `q`.
- A dof is called `joint.label`: `left_knee.rx`, `hips.ty`, `left_hip.wx` (ball), or by its own word
  (`left_shoulder.elevation`).
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
"""A float64 array; the shape is in the docstring of whatever holds it."""
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

UP: Final = (0.0, 1.0, 0.0)
FORWARD: Final = (0.0, 0.0, 1.0)
LEFT: Final = (1.0, 0.0, 0.0)

GRAVITY: Final = 9.80665
"""Metres per second squared, downwards."""


def exact_degrees(radians: float) -> float:
    """The number of degrees that becomes this number of radians again, if one does; else the nearest."""
    degrees = math.degrees(radians)
    for candidate in (degrees, math.nextafter(degrees, math.inf), math.nextafter(degrees, -math.inf)):
        if math.radians(candidate) == radians:
            return candidate
    return degrees
