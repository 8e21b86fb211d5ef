"""Convert three hinges to one ball and back: `with_balls` and `with_hinges`.

A ball has no gimbal lock, so it suits statistics and editing. It keeps the definition of its hinges, so converting
back gives the same axes, order, labels and limits. `coordinates.converted_q` converts poses.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np

from posewright.conventions import Array
from posewright.figures.figure import Figure
from posewright.figures.joint import ORIGIN, Ball, Hinge, Joint, Vector
from posewright.figures.joint_coordinates import hinge_angles, turn_of
from posewright.figures.transforms.relations import noted, related_dofs
from posewright.kernels.kinematics.hinge_angles import TRIPLE, hinges_from_balls
from posewright.rotations import matrix_from_vector, vector_from_quaternion

_AT_ONCE = 4096
"""Frames: the kernel wants arrays of its own, and all of a long clip would be large."""


def with_balls(figure: Figure, *, drop_limits: bool = False) -> Figure:
    """A copy of the figure with a ball for every joint of three independent hinges.

    Hinges in a group or a constraint stay hinges, because such relations are linear in the angles and have no meaning
    for a rotation vector. Joints with limits of angle or speed stay hinges too, unless `drop_limits`; a note in
    `figure.source.notes` lists the limits that are lost.

    The ball has the rest rotation of its hinges and the rigidity of the most rigid. It can reach any rotation, as three
    hinges can if neighbours are perpendicular. Oblique hinges reach fewer rotations; others cannot be converted back.
    """
    related = related_dofs(figure)
    joints, lost = [], []
    for joint in figure.joints:
        names = [f"{joint.name}.{label}" for label in joint.labels[len(joint.slides) :]]
        convertible = independent(joint.hinges) and not any(name in related for name in names)
        limits = [
            f"{name} ({math.degrees(hinge.lower):g} to {math.degrees(hinge.upper):g} degrees)"
            for name, hinge in zip(names, joint.hinges, strict=False)
            if _is_limited(hinge)
        ]
        if not convertible or (limits and not drop_limits):
            joints.append(joint)
            continue
        joints.append(replace(joint, rotation=_ball(joint)))
        lost += limits
    note = [f"turning hinges into balls dropped the limits of {', '.join(lost)}"] if lost else []
    return replace(figure, joints=tuple(joints), source=noted(figure.source, *note))


def with_hinges(figure: Figure) -> Figure:
    """A copy of the figure in which each ball that was made from hinges becomes these hinges again.

    A ball in a group or constraint stays a ball. If the rest of a ball was changed, its hinges get rest values for the
    same rotation, if their limits allow it.
    """
    related = related_dofs(figure)
    joints = []
    for joint in figure.joints:
        ball = joint.ball
        if ball and ball.hinges and not any(f"{joint.name}.{label}" in related for label in ("wx", "wy", "wz")):
            joint = replace(joint, rotation=_hinges(ball, joint))
        joints.append(joint)
    return replace(figure, joints=tuple(joints))


class BallsToHinges:
    """A prepared conversion of poses of `hinged.with_balls()` to the figure with hinges.

    It is faster than `coordinates.converted_q`, which does not know how the two figures are related.
    """

    def __init__(self, figure: Figure, hinged: Figure) -> None:
        self._rest, triples = hinged.rest, []
        columns = np.arange(hinged.n_dofs)
        for index, (balls, joint) in enumerate(zip(figure.joints, hinged.joints, strict=True)):
            where, first = hinged.dof_slice(index), figure.dof_slice(index).start
            columns[where] = first + np.arange(where.stop - where.start)
            if balls.ball is not None and joint.ball is None:
                n = len(joint.slides)
                triples.append((first + n, where.start + n, [hinge.axis for hinge in joint.hinges]))
        self._columns, self._triples = columns, np.array(triples, dtype=TRIPLE)

    def __call__(self, q: Array, near: Array | None = None) -> Array:
        """Dof values (frames, dofs) with continuous angles, read-only.

        The first frame is on the branch nearest to `near` (dofs of the figure with hinges; default: rest). If both
        figures are alike, `q` itself is returned.
        """
        if not len(self._triples) and not q.flags.writeable:
            return q
        out = np.empty((len(q), len(self._columns)))
        near = np.array(self._rest if near is None else near)
        for start in range(0, len(q), _AT_ONCE):
            some = out[start : start + _AT_ONCE]
            values = np.array(q[start : start + _AT_ONCE])
            np.take(values, self._columns, axis=1, out=some)
            hinges_from_balls(self._triples, values, near, some)
            near = some[-1]
        out.flags.writeable = False  # so that a motion takes it without a copy
        return out


def independent(hinges: tuple[Hinge, ...]) -> bool:
    """Whether these are three hinges of which no two neighbours are parallel."""
    if len(hinges) != 3:
        return False
    return all(_sine(a.axis, b.axis) > 1e-6 for a, b in itertools.pairwise(hinges))


def _sine(a: Vector, b: Vector) -> float:
    """Of the angle between two unit vectors."""
    return math.hypot(a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _is_limited(hinge: Hinge) -> bool:
    return any(map(math.isfinite, (hinge.lower, hinge.upper, hinge.max_speed)))


def _ball(joint: Joint) -> Ball:
    """The ball that stands for the joint's three hinges."""
    hinges = joint.hinges
    x, y, z = ORIGIN
    if any(hinge.rest != 0.0 for hinge in hinges):
        x, y, z = vector_from_quaternion(turn_of(joint, np.array([hinge.rest for hinge in hinges]))).tolist()
    stiff = max(hinge.rigidity for hinge in hinges)
    return Ball(rest=(x, y, z), rigidity=(stiff, stiff, stiff), hinges=hinges)


def _hinges(ball: Ball, joint: Joint) -> tuple[Hinge, ...]:
    original = _ball(replace(joint, rotation=ball.hinges)).rest
    if _close(ball.rest, original):
        return ball.hinges
    near = np.array([hinge.rest for hinge in ball.hinges])
    values = hinge_angles(ball.hinges, matrix_from_vector(np.array(ball.rest)), near, joint.name).tolist()
    return tuple(
        replace(hinge, rest=min(max(value, hinge.lower), hinge.upper))
        for hinge, value in zip(ball.hinges, values, strict=True)
    )


def _close(a: Vector, b: Vector) -> bool:
    return math.dist(a, b) < 1e-12 if a != ORIGIN or b != ORIGIN else True
