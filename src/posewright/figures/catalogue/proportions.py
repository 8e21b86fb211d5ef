"""Proportions of the built-in bodies, as fractions of the standing height, and their masses.

Sources:
- Legs, feet, chin and eye heights: Drillis & Contini 1966, as given by Winter 2009 (*Biomechanics and Motor Control
  of Human Movement*, figure 4.1).
- Arms, between joint centres, and all masses and centres of mass: de Leva 1996 (*Adjustments to
  Zatsiorsky-Seluyanov's segment inertia parameters*, J. Biomechanics 29), men, lengths over the sample's 1.741 m.
- The places of joint centres inside the trunk and the neck's share of the head's mass are our own, chosen to agree
  with both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from posewright.checks import require_number
from posewright.figures.catalogue.building import capsule
from posewright.figures.joint import Capsule, Vector

# Heights above the floor, over the standing height.
PELVIS = 0.545
"""The root: a little above the hip joints, where the body is carried."""
HIP = 0.530
SPINE_BASE = 0.585
"""The disc between sacrum and L5."""
SHOULDER = 0.800
COLLAR = 0.820
"""The inner end of the clavicle."""
NECK_BASE = 0.848
"""The disc between T1 and C7."""
SKULL_BASE = 0.915
EYES = 0.936
THIGH = 0.245
SHANK = 0.246
ANKLE = 0.039
UPPER_ARM = 0.162
FOREARM = 0.1545
HAND = 0.108
FOOT = 0.152

# Shares of the body's mass; both sides counted once each, they sum to 1 (de Leva's table 4, men).
HEAD_AND_NECK_MASS = 0.0694
UPPER_TRUNK_MASS = 0.1596
MIDDLE_TRUNK_MASS = 0.1633
LOWER_TRUNK_MASS = 0.1117
UPPER_ARM_MASS = 0.0271
FOREARM_MASS = 0.0162
HAND_MASS = 0.0061
THIGH_MASS = 0.1416
SHANK_MASS = 0.0433
FOOT_MASS = 0.0137


@dataclass(frozen=True, kw_only=True)
class Proportions:
    """A body's size; every length of a biped is derived from it.

    Lengths along the limbs are multiplied by `limbs`, heights in the trunk by `torso`. Girths of the limbs grow only
    with the fourth root, so that long limbs are slender and short ones stout; those of trunk and head do not change.
    """

    height: float = 1.75
    """m, of the body with `limbs` and `torso` 1, standing straight."""
    mass: float = 72.0
    """kg"""
    limbs: float = 1.0
    torso: float = 1.0

    def __post_init__(self) -> None:
        for name in ("height", "mass", "limbs", "torso"):
            require_number(getattr(self, name), f"{name} of a body", above=0.0)

    def limb(self, fraction: float) -> float:
        """A length along a limb (m)."""
        return fraction * self.height * self.limbs

    def limb_girth(self, fraction: float) -> float:
        """A length across a limb (m)."""
        return fraction * self.height * math.pow(self.limbs, 0.25)

    def girth(self, fraction: float) -> float:
        """A length across the trunk, or any of the head (m)."""
        return fraction * self.height

    def trunk(self, x: float, level: float, z: float) -> Vector:
        """A point of the trunk in the pelvis' frame, straight standing, `level` a height over the standing height."""
        return x * self.height, (level - PELVIS) * self.height * self.torso, z * self.height

    def down(self, x: float, length: float, z: float) -> Vector:
        """A step along a hanging limb (zero pose): `length` downwards, x and z across."""
        return self.limb_girth(x), -self.limb(length), self.limb_girth(z)

    def capsule(self, start: Vector, end: Vector, start_radius: float, end_radius: float) -> Capsule:
        """A capsule on a limb, from points as `down` takes them and radii over the height."""
        return capsule(self.down(*start), self.down(*end), self.limb_girth(start_radius), self.limb_girth(end_radius))
