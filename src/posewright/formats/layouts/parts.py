"""What columns of a layout may be: a quantity of the robot in some unit and order.

What follows from other columns (velocities, bodies) is computed when a file is written and not read back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from posewright.conventions import Array
from posewright.formats.layouts.robot import LayoutRobot, RobotStates
from posewright.rotations import (
    matrix_from_quaternion,
    quaternion_from_matrix,
    quaternion_from_vector,
    vector_from_quaternion,
)

_GRID = 2.0**40
"""Steps per unit of stored rotations: finer than any layout needs, coarser than the noise of converting them, so that
a file that is read and written again is the same file."""
_EXTRA_BODIES = 3
"""Number of zero rows that PHC adds for hands and head."""


@dataclass(frozen=True, eq=False)
class Part:
    """Columns of one kind."""

    words: str
    """Description, for messages and the docs."""
    width: Callable[[LayoutRobot], int]
    write: Callable[[RobotStates], Array]
    """The columns, (frames, ...)."""
    gives: str = ""
    """Which of "root_position", "root_wxyz" and "joints" are read from them; empty: none."""
    read: Callable[[Array, LayoutRobot], Array] = lambda columns, _: columns
    """Converts columns (frames, width) to these values."""
    of_bodies: bool = False


def _on_grid(values: Array) -> Array:
    return np.rint(values * _GRID) / _GRID + 0.0


def _root_wxyz(states: RobotStates) -> Array:
    return _on_grid(states.given.root_wxyz)


def _euler_degrees(wxyz: Array) -> Array:
    """Angles (frames, 3) about the fixed axes x, y, z: R = Rz Ry Rx."""
    R = matrix_from_quaternion(wxyz)
    level = np.hypot(R[:, 0, 0], R[:, 1, 0])
    upright = level > 1e-9  # else z and x are one axis, and all of the turn is given to x
    x = np.where(upright, np.arctan2(R[:, 2, 1], R[:, 2, 2]), np.arctan2(-R[:, 1, 2], R[:, 1, 1]))
    z = np.where(upright, np.arctan2(R[:, 1, 0], R[:, 0, 0]), 0.0)
    angles: Array = np.degrees(np.stack([x, np.arctan2(-R[:, 2, 0], level), z], axis=1))
    return angles


def _from_euler_degrees(angles: Array) -> Array:
    (cx, cy, cz), (sx, sy, sz) = np.cos(np.radians(angles)).T, np.sin(np.radians(angles)).T
    rows = [
        cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx,
        sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx,
        -sy, cy * sx, cy * cx,
    ]  # fmt: skip
    return quaternion_from_matrix(np.stack(rows, axis=1).reshape(-1, 3, 3))


def _n_joints(robot: LayoutRobot) -> int:
    return len(robot.joint_names)


def _along_axes(columns: Array, robot: LayoutRobot) -> Array:
    angles: Array = np.einsum("tnk,nk->tn", columns.reshape(len(columns), -1, 3), robot.axes)
    return angles


def _of_bodies(words: str, numbers: int, write: Callable[[RobotStates], Array], gives: str = "") -> Part:
    """A number of columns for each body; those of the root, which is first, may give its place."""
    return Part(
        words,
        lambda robot: numbers * len(robot.body_names),
        write,
        gives,
        lambda columns, _: columns[:, :numbers],
        of_bodies=True,
    )


ROOT_XYZ = Part("root x y z", lambda _: 3, lambda s: s.given.root_position, "root_position")
ROOT_CM = Part(
    "root x y z in cm",
    lambda _: 3,
    lambda s: 100.0 * s.given.root_position,
    "root_position",
    lambda columns, _: columns / 100.0,
)
ROOT_WXYZ = Part("root quaternion w x y z", lambda _: 4, _root_wxyz, "root_wxyz")
ROOT_XYZW = Part(
    "root quaternion x y z w",
    lambda _: 4,
    lambda s: np.roll(_root_wxyz(s), -1, axis=1),
    "root_wxyz",
    lambda columns, _: np.roll(columns, 1, axis=1),
)
ROOT_EULER = Part(
    "root angles about fixed x, y, z in degrees",
    lambda _: 3,
    lambda s: _euler_degrees(s.given.root_wxyz),
    "root_wxyz",
    lambda columns, _: _from_euler_degrees(columns),
)
ROOT_VECTOR = Part(
    "root rotation vector",
    lambda _: 3,
    lambda s: _on_grid(vector_from_quaternion(s.given.root_wxyz)),
    "root_wxyz",
    lambda columns, _: quaternion_from_vector(columns),
)
JOINTS = Part("joints", _n_joints, lambda s: s.joints, "joints")
JOINTS_DEGREES = Part(
    "joints in degrees", _n_joints, lambda s: np.degrees(s.joints), "joints", lambda columns, _: np.radians(columns)
)
JOINT_VECTORS = Part(
    "axis times angle of each joint",
    lambda robot: 3 * _n_joints(robot),
    lambda s: s.joints[:, :, np.newaxis] * s.robot.axes,
    "joints",
    _along_axes,
)
EXTRA_VECTORS = Part(
    "zeros for hands and head", lambda _: 3 * _EXTRA_BODIES, lambda s: np.zeros((len(s.joints), 3 * _EXTRA_BODIES))
)
SMPL_JOINTS = Part("zeros for the 24 joints of SMPL", lambda _: 72, lambda s: np.zeros((len(s.joints), 72)))
FRAME = Part("frame number", lambda _: 1, lambda s: np.arange(float(len(s.joints)))[:, np.newaxis])
ROOT_VELOCITY = Part("root velocity", lambda _: 3, lambda s: s.root_velocity)
ROOT_SPIN = Part("root angular velocity", lambda _: 3, lambda s: s.root_spin)
JOINT_VELOCITIES = Part("joint velocities", _n_joints, lambda s: s.joint_velocities)
BODY_XYZ = _of_bodies("body origins", 3, lambda s: s.body_positions, "root_position")
BODY_WXYZ = _of_bodies("body quaternions w x y z", 4, lambda s: s.body_wxyz, "root_wxyz")
BODY_VELOCITIES = _of_bodies("velocities of body origins", 3, lambda s: s.body_velocities)
CENTRE_VELOCITIES = _of_bodies("velocities of bodies' centres of mass", 3, lambda s: s.centre_velocities)
SIMULATED_VELOCITIES = _of_bodies(
    "velocities of bodies' centres of mass, of the root's origin", 3, lambda s: s.simulated_velocities
)
BODY_SPINS = _of_bodies("angular velocities of bodies", 3, lambda s: s.body_spins)
LOCAL_BODY_XYZ = _of_bodies("body origins seen from the root", 3, lambda s: s.local_body_positions)
