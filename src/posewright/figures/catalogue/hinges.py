"""Hinges of the built-in bodies: axes named by what they do to a limb that hangs down on the left side."""

from __future__ import annotations

import math

from posewright.figures.joint import Hinge, Vector, X, Y, Z

FORWARD: Vector = (-1.0, 0.0, 0.0)
"""Swings a hanging limb forward, lifts the toes."""
BACK: Vector = X
"""Swings a hanging limb back; bends an upright trunk forward."""
OUT: Vector = Z
"""Swings a hanging limb of the left side outward."""
IN: Vector = (0.0, 0.0, -1.0)
"""Swings a hanging limb of the left side inward, towards the other."""
TURN_IN: Vector = (0.0, -1.0, 0.0)
"""Turns the front of a limb of the left side inward."""


def hinge(label: str, axis: Vector, lower: float, upper: float, rest: float = 0.0) -> Hinge:
    """A hinge with limits and rest in degrees, as books give them."""
    return Hinge(axis=axis, label=label, lower=math.radians(lower), upper=math.radians(upper), rest=math.radians(rest))


def trunk_hinges(
    flexion: tuple[float, float], lateral: float, axial: float, rest: float = 0.0
) -> tuple[Hinge, Hinge, Hinge]:
    """The three hinges of a joint of the trunk (limits in degrees).

    Flexion bends forward, lateral to the right, axial turns to the left: all right-handed about x, z and y.
    """
    return (
        hinge("flexion", X, *flexion, rest),
        hinge("lateral", Z, -lateral, lateral),
        hinge("axial", Y, -axial, axial),
    )
