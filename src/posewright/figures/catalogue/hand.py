"""A right hand on a forearm: five fingers whose last two joints move together (Courty & Arnaud 2008).

In the zero pose the forearm lies along +z with the palm down, the fingers straight and the thumb towards +x. Lengths
of the finger bones are the fractions of the hand's length of Buchholz et al. 1992 (*Anthropometric data for describing
the kinematics of the human hand*, Ergonomics 35); the last joint of a finger bends 2/3 of the one before.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from posewright.constraints import LinearConstraint
from posewright.figures.catalogue import proportions as share
from posewright.figures.catalogue.building import BACK, FORWARD, capsule, hinge, segment, site
from posewright.figures.figure import Figure
from posewright.figures.joint import Capsule, Hinge, Joint, Quaternion, Vector, Y, Z
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
        segment(
            "wrist", "forearm", (0.0, 0.0, forearm_length),
            [hinge("flexion", BACK, -70.0, 80.0, -10.0), hinge("deviation", Y, -35.0, 25.0)],
            palm_mass, times((0.0, 0.0, 0.28), length), *_palm(length),
        ),
    )  # fmt: skip
    fingers = []
    for finger in FINGERS:
        base = hinge("flexion", BACK, -30.0, 90.0, 15.0), hinge("spread", Y, -25.0, 25.0, finger.spread)
        fingers += _finger(finger, length, finger_mass, base)
    base = hinge("flexion", BACK, -30.0, 50.0, 10.0), hinge("spread", Y, -35.0, 35.0)
    thumb = _finger(THUMB, length, finger_mass, base)
    thumb[0] = replace(thumb[0], rest=_thumb_turn())
    down = (0.0, -1.0, 0.0)
    sites = (
        site("palm", "wrist", times((0.0, -0.07, 0.30), length), Z, down),
        *(
            site(f"{f.name}_tip", f"{f.name}_end", (0.0, 0.0, f.bones[2] * length), Z, down, tip=True)
            for f in (*FINGERS, THUMB)
        ),
    )
    couplings = tuple(
        LinearConstraint.coupling(f"{f.name}_coupling", f"{f.name}_end.flexion", f"{f.name}_middle.flexion", COUPLING)
        for f in (*FINGERS, THUMB)
    )
    return Figure(name="hand", joints=(*arm, *fingers, *thumb), sites=sites, constraints=couplings)


def _finger(finger: Finger, length: float, mass: float, base: tuple[Hinge, ...]) -> list[Joint]:
    bend, names = 22.0, [f"{finger.name}_{part}" for part in ("base", "middle", "end")]
    hinges = (
        base,
        (hinge("flexion", BACK, 0.0, 110.0, bend),),
        (hinge("flexion", BACK, 0.0, 110.0 * COUPLING, bend * COUPLING),),
    )
    bones, radius = [bone * length for bone in finger.bones], finger.radius * length
    ends = (bones[0], bones[1], bones[2] - 0.76 * radius)  # the last ends short, so that the skin ends at the tip
    return [
        segment(
            names[k],
            names[k - 1] if k else "wrist",
            (0.0, 0.0, bones[k - 1]) if k else times(finger.root, length),
            hinges[k],
            mass * finger.bones[k] / sum(finger.bones),
            (0.0, 0.0, 0.5 * bones[k]),
            _bone(0.0, ends[k], radius * (1.0 - 0.08 * k), radius * (0.92 - 0.08 * k)),
        )
        for k in range(3)
    ]


def _thumb_turn() -> Quaternion:
    """The thumb points 45 degrees to the side and 25 below the palm, and bends across it."""
    sideways, down, roll = (
        quaternion_from_vector(np.radians(turn)) for turn in ((0.0, 45.0, 0.0), (25.0, 0.0, 0.0), (0.0, 0.0, -65.0))
    )
    w, x, y, z = quaternion_multiply(quaternion_multiply(sideways, down), roll).tolist()
    return w, x, y, z


def _palm(length: float) -> tuple[Capsule, ...]:
    return tuple(
        capsule(times((x, 0.0, 0.03), length), times(f.root, length), 0.098 * length, 1.25 * f.radius * length)
        for x, f in zip((0.055, 0.015, -0.02, -0.055), FINGERS, strict=True)
    )


def _bone(start: float, end: float, start_radius: float, end_radius: float) -> Capsule:
    return capsule((0.0, 0.0, start), (0.0, 0.0, end), start_radius, end_radius)
