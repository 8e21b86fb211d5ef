"""The left shoulder complex: clavicle and shoulder driven by elevation, abduction and twist of the whole.

Raising an arm also raises and turns the clavicle; the shares are a linear scapulohumeral rhythm (of a raise to the
side a fifth is the girdle's; Zhao & Badler 1994, section 12, has the group, Inman et al. 1944 the rhythm).
"""

from __future__ import annotations

import math

from posewright.constraints import LinearConstraint
from posewright.figures.catalogue.arm import shoulder_hinges
from posewright.figures.catalogue.hinges import OUT, TURN_IN, hinge
from posewright.figures.group import JointGroup
from posewright.figures.joint import Hinge

COORDINATES = ("elevation", "abduction", "twist")
RHYTHM = (
    ("left_clavicle.elevation", (0.08, 0.20, 0.0)),
    ("left_clavicle.protraction", (0.10, -0.08, 0.0)),
    ("left_shoulder.elevation", (1.0, 0.0, 0.0)),
    ("left_shoulder.abduction", (0.0, 0.80, 0.0)),
    ("left_shoulder.twist", (0.0, 0.0, 1.0)),
)
"""Per driven dof its share of elevation, abduction and twist."""

REST = (4.0, 9.0, 0.0)
"""Elevation, abduction and twist of the relaxed stance, degrees."""

POLYGON = (
    (-55.0, -10.0), (0.0, -30.0), (90.0, -50.0), (150.0, -30.0), (175.0, 5.0),
    (175.0, 40.0), (120.0, 110.0), (20.0, 140.0), (-30.0, 130.0), (-55.0, 80.0),
)  # fmt: skip
"""Corners of what a shoulder can do, (elevation, abduction) in degrees, counter-clockwise: little behind the back,
across the chest with the arm raised forward, overhead from the front or from the side."""


def clavicle_hinges() -> tuple[Hinge, ...]:
    """Elevation raises the shoulder, protraction takes it forward; at rest as the rhythm says."""
    raised, forward = (_at_rest(share) for _, share in RHYTHM[:2])
    return (
        hinge("elevation", OUT, -10.0, 40.0, raised),
        hinge("protraction", TURN_IN, -20.0, 30.0, forward),
    )


def complex_shoulder() -> tuple[Hinge, ...]:
    """The hinges of the shoulder itself, at rest as the rhythm says."""
    elevation, abduction = (_at_rest(share) for _, share in RHYTHM[2:4])
    return shoulder_hinges(elevation, abduction)


def left_shoulder_group() -> JointGroup:
    """The five dofs of clavicle and shoulder, driven by three."""
    return JointGroup(
        name="left_shoulder_complex",
        coordinates=COORDINATES,
        members=tuple(member for member, _ in RHYTHM),
        matrix=tuple(share for _, share in RHYTHM),
    )


def left_shoulder_polygon() -> tuple[LinearConstraint, ...]:
    """Elevation and abduction of the shoulder stay inside the polygon (Zhao & Badler 1994, section 6)."""
    corners = [(math.radians(elevation), math.radians(abduction)) for elevation, abduction in POLYGON]
    return LinearConstraint.polygon(
        "left_shoulder_polygon", "left_shoulder.elevation", "left_shoulder.abduction", corners
    )


def _at_rest(share: tuple[float, float, float]) -> float:
    return sum(factor * angle for factor, angle in zip(share, REST, strict=True))
