"""The quiet stance from which most clips start and to which they return."""

from __future__ import annotations

import numpy as np

from posewright.clips.biped import Biped, Foot
from posewright.clips.curves import wander
from posewright.clips.feet import Plant, foot_track
from posewright.clips.targets import ArmTarget, FootTarget
from posewright.clips.turns import turn
from posewright.conventions import Array

RELAXED_FORWARD, RELAXED_OUTWARD, RELAXED_TWIST, RELAXED_ELBOW = 0.05, 0.13, 0.10, 0.26
"""rad, of arms that hang."""


def planted_foot(foot: Foot, t: Array, *, turned_out: float = 0.05) -> FootTarget:
    """A foot that stays where it stands at rest, its toes turned out (rad) from there."""
    side = np.sign(foot.sole[0])
    plant = Plant(place=foot.sole, start=t[0] - 1.0, end=t[-1] + 1.0, ground=turn(left=side * turned_out))
    return foot_track(foot, t, [plant])


def relaxed_arm(rng: np.random.Generator, t: Array) -> ArmTarget:
    """An arm that hangs."""
    return ArmTarget(
        forward=RELAXED_FORWARD + wander(rng, t, 0.012),
        outward=RELAXED_OUTWARD + wander(rng, t, 0.006),
        inward_twist=RELAXED_TWIST + wander(rng, t, 0.01),
        elbow=RELAXED_ELBOW + wander(rng, t, 0.015),
    )


def hip_to_pelvis(biped: Biped, side: int) -> Array:
    """(3,), m, from the pelvis to a hip at rest; side 0 is left."""
    step: Array = biped.rest.positions[biped.legs[side].limb.upper] - biped.pelvis_rest
    return step
