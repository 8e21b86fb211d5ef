"""The parts of a body that two figures have in common, whatever their joints are called.

A part is a joint in the anatomical sense and the segment below it: `left_knee` is where the left shin begins. In a
figure a part is a chain of joints: one for most, several for a spine, for a robot's hip (pitch, roll, yaw) or for an
upper arm with a twist bone in line. The first joint of the chain is where the part begins, the last one carries its
segment.
"""

from __future__ import annotations

from typing import Final

SIDES: Final = ("left", "right")

TRUNK: Final = ("pelvis", "spine", "neck", "head")
ARM: Final = ("clavicle", "shoulder", "elbow", "wrist")
FINGERS: Final = ("thumb", "index", "middle", "ring", "little")
LEG: Final = ("hip", "knee", "ankle", "toes")

PARTS: Final = (*TRUNK, *(f"{side}_{part}" for side in SIDES for part in (*ARM, *FINGERS, *LEG)))
"""Every part, in the order in which matches are written."""

ESSENTIAL: Final = (
    "pelvis",
    *(f"{side}_{part}" for part in ("hip", "knee", "ankle", "shoulder", "elbow") for side in SIDES),
)
"""What a figure must have to take part in a transfer."""
