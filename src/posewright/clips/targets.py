"""What a clip asks of a body in every frame: where the pelvis, chest, head, hands and feet are.

Turns are those of `curves`: the identity is how the figure stands at rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from posewright.clips.clip import Keyed, Take
from posewright.conventions import Array

HANGING_FORWARD, HANGING_OUTWARD, _, HANGING_ELBOW = HANGING = 0.05, 0.13, 0.10, 0.26
"""rad, of arms that hang: the angles of an `ArmTarget`."""
_MIRROR = np.diag([-1.0, 1.0, 1.0])


@dataclass(frozen=True, eq=False)
class FootTarget:
    """Where one foot is."""

    ankle: Array
    """(frames, 3), m"""
    turn: Array
    """(frames, 3, 3)"""
    toe_turn: Array
    """(frames, 3, 3)"""
    side: Array
    """(frames, 3) unit: the foot's left, which decides where the knee points."""
    aloft: Array
    """(frames,) bool: whether the whole body may be in the air, so that the leg carries the foot as it can."""
    spare: Array
    """(frames,) share of the leg's length held in reserve, so that a foot that lands from the air is caught softly."""

    def mirrored(self) -> FootTarget:
        """The foot of the other side."""
        turn, toe_turn = _MIRROR @ self.turn @ _MIRROR, _MIRROR @ self.toe_turn @ _MIRROR
        return FootTarget(self.ankle @ _MIRROR, turn, toe_turn, -self.side @ _MIRROR, self.aloft, self.spare)


@dataclass(frozen=True, eq=False)
class HandTarget:
    """A place in the world for a hand."""

    points: Array
    """(frames, 3), m, where the palm should be."""
    weight: Array
    """(frames,) from 0 (the arm's own posture) to 1 (the palm is there)."""
    elbow: Array
    """(frames, 3) the direction in which the elbow points."""
    palm: Array | None = None
    """(frames, 3, 3) world_from_palm: columns along the fingers, out of the palm, and their cross product; None
    leaves the hand relaxed on the forearm."""

    def mirrored(self) -> HandTarget:
        """The hold of the other hand."""
        palm = None if self.palm is None else _MIRROR @ self.palm @ np.diag([1.0, 1.0, -1.0])
        return HandTarget(self.points @ _MIRROR, self.weight, self.elbow @ _MIRROR, palm)


@dataclass(frozen=True, eq=False)
class ArmTarget:
    """How one arm is held against the chest, in anatomical angles (frames,), rad, zero hanging down."""

    forward: Array
    """Upper arm raised forward."""
    outward: Array
    """Then sideways, away from the body."""
    inward_twist: Array
    """Then turned about itself, the forearm towards the body's middle."""
    elbow: Array
    """Bend, 0 straight."""
    hold: HandTarget | None = None

    @classmethod
    def relaxed(cls, take: Take) -> ArmTarget:
        """An arm that hangs."""
        forward, outward, twist, elbow = (a + take.wander(amount) for a, amount in zip(HANGING, _STIR, strict=True))
        return cls(forward, outward, twist, elbow)

    @classmethod
    def swung(
        cls,
        keyed: Keyed,
        forward: Sequence[float],
        outward: Sequence[float],
        inward_twist: Sequence[float],
        elbow: Sequence[float],
        *,
        scales: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0),
    ) -> ArmTarget:
        """An arm that hangs at the first and the last of the moments and has the angles given between them."""
        rows = zip(HANGING, (forward, outward, inward_twist, elbow), scales, strict=True)
        a, b, c, d = (scale * keyed(hanging, *angles, hanging) for hanging, angles, scale in rows)
        return cls(a, b, c, d)

    def plus(self, forward: Array | float = 0.0, outward: Array | float = 0.0, elbow: Array | float = 0.0) -> ArmTarget:
        """The arm with some angles (rad) added."""
        return replace(self, forward=self.forward + forward, outward=self.outward + outward, elbow=self.elbow + elbow)

    def mirrored(self) -> ArmTarget:
        """The arm of the other side; its own angles are the same on both."""
        return replace(self, hold=None if self.hold is None else self.hold.mirrored())


_STIR = (0.012, 0.006, 0.01, 0.015)
"""rad, by which the angles of an arm that hangs wander."""


@dataclass(frozen=True, eq=False)
class Targets:
    """A whole body over time."""

    pelvis: Array
    """(frames, 3), m"""
    pelvis_turn: Array
    """(frames, 3, 3)"""
    chest_turn: Array
    head_turn: Array
    feet: tuple[FootTarget, FootTarget]
    """Left, right."""
    arms: tuple[ArmTarget, ArmTarget]
    """Left, right."""

    def mirrored(self) -> Targets:
        """Left and right exchanged."""
        turns = (self.pelvis_turn, self.chest_turn, self.head_turn)
        pelvis_turn, chest_turn, head_turn = (_MIRROR @ turn @ _MIRROR for turn in turns)
        return Targets(
            self.pelvis @ _MIRROR,
            pelvis_turn,
            chest_turn,
            head_turn,
            feet=(self.feet[1].mirrored(), self.feet[0].mirrored()),
            arms=(self.arms[1].mirrored(), self.arms[0].mirrored()),
        )
