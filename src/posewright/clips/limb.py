"""A limb of two bones: what the closed form of `kernels.two_bone` needs to know of an arm or a leg."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from posewright.clips.turns import about
from posewright.conventions import Array
from posewright.errors import InvalidFigure
from posewright.figures.figure import Figure
from posewright.figures.kinematics import joint_frames
from posewright.kernels.kinematics.two_bone import two_bone_all


@dataclass(frozen=True, eq=False)
class Limb:
    """Two bones and the hinge between them (symbols as in the kernel)."""

    upper: int
    """Index of the joint that carries the limb: hip or shoulder."""
    middle: int
    """Index of knee or elbow."""
    angle_dof: int
    """Which number of `q` is the middle hinge."""
    a: Array
    rest: Array
    axis: Array
    b: Array
    limits: Array
    branch: float
    pole_sign: float
    upper_length: float
    """m, of the first bone."""
    lower_length: float
    """m, from the middle joint to the end."""
    longest: float
    """m, from the upper joint to the end with the hinge as straight as it goes."""

    def place(self, roots: Array, targets: Array, poles: Array) -> tuple[Array, Array, Array]:
        """World rotations (frames, 3, 3) of the upper segment, hinge angles (frames,), misses (frames,), m."""
        n = len(roots)
        rotations, angles, misses = np.empty((n, 3, 3)), np.empty(n), np.empty(n)
        two_bone_all(
            self.a, self.rest, self.axis, self.b, self.limits, self.branch, self.pole_sign,
            np.ascontiguousarray(roots), np.ascontiguousarray(targets), np.ascontiguousarray(poles),
            rotations, angles, misses,
        )  # fmt: skip
        return rotations, angles, misses

    def middle_rotations(self, upper_rotations: Array, angles: Array) -> Array:
        """World rotations (frames, 3, 3) just after the middle hinge."""
        turned: Array = upper_rotations @ self.rest @ about(self.axis, angles)
        return turned


def limb_of(figure: Figure, upper: int, middle: int, end: int, end_point: Array) -> Limb:
    """The limb whose end is `end_point` (3,) m, in the frame of joint `end`, all beyond the middle hinge at rest."""
    joint = figure.joints[middle]
    if not joint.hinges:
        raise InvalidFigure(f"figure {figure.name!r}: {joint.name!r} must begin with a hinge to bend as a limb")
    if figure.parents[middle] != upper or figure.parents[end] != middle:
        raise InvalidFigure(f"figure {figure.name!r}: {joint.name!r} must join two bones directly")
    angle_dof = figure.dof_slice(middle).start
    q = figure.rest.copy()
    q[angle_dof] = 0.0
    frames = joint_frames(figure, q)
    R_upper, a = frames.rotations[upper], np.array(joint.offset)
    rest = np.array(figure.tables.joints[middle]["rest"]).reshape(3, 3).copy()
    end_world = frames.positions[end] + frames.rotations[end] @ end_point
    b = (R_upper @ rest).T @ (end_world - frames.positions[middle])
    axis = np.array(joint.hinges[0].axis)
    limits = np.array([figure.lower[angle_dof], figure.upper[angle_dof]])

    # |v(θ)| is longest at the straight angle; flexion goes to whichever side of it the limits allow more.
    c = rest.T @ a
    along = (c @ axis) * (b @ axis)
    straight = np.arctan2(c @ np.cross(axis, b), c @ b - along)
    branch = 1.0 if limits.clip(-np.pi, np.pi).mean() >= straight else -1.0
    bent = a + rest @ about(axis, straight + branch) @ b
    line, hinge = bent / np.linalg.norm(bent), rest @ axis
    pole_sign = float(np.sign((a - (a @ line) * line) @ np.cross(hinge, line)))
    most_straight = float(np.clip(straight, *limits))
    longest = float(np.linalg.norm(a + rest @ about(axis, most_straight) @ b))
    return Limb(
        upper=upper, middle=middle, angle_dof=angle_dof, a=a, rest=rest, axis=axis, b=b, limits=limits,
        branch=branch, pole_sign=pole_sign, upper_length=float(np.linalg.norm(a)),
        lower_length=float(np.linalg.norm(b)), longest=longest,
    )  # fmt: skip
