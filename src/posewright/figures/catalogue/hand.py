"""A right hand on a forearm: five fingers whose last two joints move together (Courty & Arnaud, experiment 3-F).

In the zero pose the forearm lies along +z with the palm down, the fingers straight and the thumb towards +x. Lengths
of the finger bones are the fractions of the hand's length of Buchholz et al. 1992 (*Anthropometric data for describing
the kinematics of the human hand*, Ergonomics 35); the last joint of a finger bends 2/3 of the one before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from posewright.constraints import LinearConstraint
from posewright.figures.catalogue import proportions as share
from posewright.figures.catalogue.hinges import BACK, FORWARD, hinge
from posewright.figures.figure import Figure
from posewright.figures.joint import NO_TURN, Capsule, Hinge, Joint, Quaternion, Vector, Y, Z
from posewright.figures.site import Site
from posewright.figures.vectors import times
from posewright.rotations import quaternion_from_vector, quaternion_multiply

COUPLING = 2.0 / 3.0
"""Bend of the last joint of a finger over that of the one before."""
ELBOW_HEIGHT = 0.10
"""m, above the floor."""


class Finger(NamedTuple):
    """A finger; lengths over the length of the hand."""

    name: str
    root: Vector
    """Its first joint, from the wrist."""
    bones: tuple[float, float, float]
    radius: float
    spread: float
    """Degrees about the vertical at rest, towards the thumb's side."""


FINGERS = (
    Finger("index", (0.115, 0.010, 0.463), (0.245, 0.143, 0.097), 0.052, 3.0),
    Finger("middle", (0.025, 0.015, 0.446), (0.266, 0.170, 0.108), 0.053, 0.0),
    Finger("ring", (-0.060, 0.010, 0.421), (0.244, 0.165, 0.107), 0.050, -3.0),
    Finger("little", (-0.140, 0.000, 0.404), (0.204, 0.117, 0.093), 0.044, -8.0),
)
THUMB = Finger("thumb", (0.110, -0.040, 0.110), (0.251, 0.196, 0.158), 0.064, 0.0)


def hand(*, length: float = 0.19, mass: float = 1.6) -> Figure:
    """A forearm and hand (length of the hand m, mass of both kg) of 24 dofs, 19 of them independent."""
    forearm_length = length * share.FOREARM / share.HAND
    whole = share.FOREARM_MASS + share.HAND_MASS
    palm_mass, finger_mass = (part * mass * share.HAND_MASS / whole for part in (0.6, 0.4 / 5.0))
    arm = (
        Joint(
            name="forearm",
            offset=(0.0, ELBOW_HEIGHT, 0.0),
            rotation=(hinge("flexion", FORWARD, 0.0, 150.0, 20.0), hinge("twist", Z, -85.0, 85.0)),
            mass=mass * share.FOREARM_MASS / whole,
            centre=(0.0, 0.0, 0.4574 * forearm_length),
            shape=(
                _bone(0.0, 0.30 * forearm_length, 0.190 * length, 0.215 * length),
                _bone(0.30 * forearm_length, forearm_length, 0.215 * length, 0.135 * length),
            ),
        ),
        Joint(
            name="wrist",
            parent="forearm",
            offset=(0.0, 0.0, forearm_length),
            rotation=(hinge("flexion", BACK, -70.0, 80.0, -10.0), hinge("deviation", Y, -35.0, 25.0)),
            mass=palm_mass,
            centre=times((0.0, 0.0, 0.28), length),
            shape=_palm(length),
        ),
    )
    knuckle = (hinge("flexion", BACK, -30.0, 90.0, 15.0), hinge("spread", Y, -25.0, 25.0))
    joints = [*arm]
    for finger in FINGERS:
        resting = (knuckle[0], hinge("spread", Y, -25.0, 25.0, finger.spread))
        joints += _finger(finger, length, finger_mass, ("base", "middle", "end"), resting, NO_TURN)
    base = (hinge("flexion", BACK, -30.0, 50.0, 10.0), hinge("spread", Y, -35.0, 35.0))
    joints += _finger(THUMB, length, finger_mass, ("base", "middle", "end"), base, _thumb_turn())
    tips = [
        Site(
            name=f"{finger.name}_tip",
            joint=f"{finger.name}_end",
            point=(0.0, 0.0, finger.bones[2] * length),
            x_axis=(0.0, 0.0, 1.0),
            y_axis=(0.0, -1.0, 0.0),
            tip=True,
        )
        for finger in (*FINGERS, THUMB)
    ]
    palm = Site(name="palm", joint="wrist", point=times((0.0, -0.07, 0.30), length), x_axis=Z, y_axis=(0.0, -1.0, 0.0))
    return Figure(name="hand", joints=tuple(joints), sites=(palm, *tips), constraints=_couplings())


def _finger(
    finger: Finger, length: float, mass: float, parts: Sequence[str], base: tuple[Hinge, ...], turn: Quaternion
) -> list[Joint]:
    total, joints = sum(finger.bones), []
    bend = 22.0
    hinges = (
        base,
        (hinge("flexion", BACK, 0.0, 110.0, bend),),
        (hinge("flexion", BACK, 0.0, 110.0 * COUPLING, bend * COUPLING),),
    )
    for k, part in enumerate(parts):
        bone = finger.bones[k] * length
        radius = finger.radius * length
        joints.append(
            Joint(
                name=f"{finger.name}_{part}",
                parent=f"{finger.name}_{parts[k - 1]}" if k else "wrist",
                offset=(0.0, 0.0, finger.bones[k - 1] * length) if k else times(finger.root, length),
                rest=NO_TURN if k else turn,
                rotation=hinges[k],
                mass=mass * finger.bones[k] / total,
                centre=(0.0, 0.0, 0.5 * bone),
                # the last bone ends a radius short, so that the skin ends at the tip
                shape=(
                    _bone(
                        0.0,
                        bone - (0.76 * radius if k == 2 else 0.0),
                        radius * (1.0 - 0.08 * k),
                        radius * (0.92 - 0.08 * k),
                    ),
                ),
            )
        )
    return joints


def _couplings() -> tuple[LinearConstraint, ...]:
    return tuple(
        LinearConstraint.coupling(
            f"{finger.name}_coupling", f"{finger.name}_end.flexion", f"{finger.name}_middle.flexion", COUPLING
        )
        for finger in (*FINGERS, THUMB)
    )


def _thumb_turn() -> Quaternion:
    """The thumb points 45 degrees to the side and 25 below the palm, and bends across it."""
    sideways, down, roll = (
        quaternion_from_vector(np.radians(turn)) for turn in ((0.0, 45.0, 0.0), (25.0, 0.0, 0.0), (0.0, 0.0, -65.0))
    )
    w, x, y, z = quaternion_multiply(quaternion_multiply(sideways, down), roll).tolist()
    return w, x, y, z


def _palm(length: float) -> tuple[Capsule, ...]:
    wrist = ((0.055, 0.0, 0.03), (0.015, 0.0, 0.03), (-0.02, 0.0, 0.03), (-0.055, 0.0, 0.03))
    return tuple(
        Capsule(
            start=times(start, length),
            end=times(finger.root, length),
            start_radius=0.098 * length,
            end_radius=1.25 * finger.radius * length,
        )
        for start, finger in zip(wrist, FINGERS, strict=True)
    )


def _bone(start: float, end: float, start_radius: float, end_radius: float) -> Capsule:
    return Capsule(start=(0.0, 0.0, start), end=(0.0, 0.0, end), start_radius=start_radius, end_radius=end_radius)
