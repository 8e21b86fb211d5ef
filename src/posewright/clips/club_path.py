"""The way of a golf club through a swing, held by two arms.

Arms and club are two pendulums: the hands circle about a hub between the shoulders, far enough from it that the arm
which leads is nearly straight; the shaft turns in one plane, on which the ball lies, ahead of the arms or behind them
by as much as the wrists are cocked. The club lies in the hands so that the wrist of the leading arm is flat, which
rolls the forearms over between the way back and the way through.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from posewright.clips.biped import Biped
from posewright.clips.turns import apply, unit
from posewright.conventions import Array
from posewright.figures.figure import Figure

BALL_RADIUS = 0.0214
"""m"""
_ROUNDS = 6
"""The plane goes through the ball below the hands, and the hands are where both reach the club that lies in it: each
round brings the two ten times nearer together."""
_STRAIGHT = 0.985
"""Share of an arm's length from shoulder to wrist that is used."""
_ROUNDING = 0.012
"""m, by which the corner is rounded where one arm takes over from the other as the shorter."""


@dataclass(frozen=True, kw_only=True, eq=False)
class ArmSwing:
    """What a swing asks of the arms, in every frame (frames,)."""

    hub: Array
    """About what the hands circle: 0 the lead shoulder, 1 the trailing one."""
    rise: Array
    """rad, of the arms before the chest, 0 along it downwards."""
    across: Array
    """rad, of the arms to the left."""
    cock: Array
    """rad, from the arms to the shaft in its plane, positive towards the target."""
    fold: Array
    """Share of the arms' reach by which the hands stay nearer to the hub."""
    lead: Array
    """1 where the lead arm's wrist is flat, 0 where the trailing one's is."""
    waiting: Array
    """1 while the head waits behind the ball, 0 from when it has left it."""


@dataclass(frozen=True, eq=False)
class Club:
    """A club against the lead wrist that holds it, in that wrist's frame."""

    face: Array
    up_shaft: Array
    head_from_left: Array
    """(3,), m, from the lead palm."""
    right_from_left: Array
    """(3,), m, from palm to palm."""
    right_palm: Array
    """(3, 3), axes of the trailing palm."""

    @staticmethod
    def of(figure: Figure) -> Club:
        """The club that a figure holds (`with_club`)."""
        head, left, right = (figure.site(name) for name in ("club_head", "club_grip_left", "club_grip_right"))
        return Club(
            face=np.array(head.x_axis),
            up_shaft=np.array(head.y_axis),
            head_from_left=np.subtract(head.point, left.point),
            right_from_left=np.subtract(right.point, left.point),
            right_palm=np.stack([right.x_axis, right.y_axis, np.cross(right.x_axis, right.y_axis)], axis=-1),
        )

    @property
    def length(self) -> float:
        """m, from the lead palm to the head."""
        return float(np.linalg.norm(self.head_from_left))

    def wrist_turn(self, face: Array, down_shaft: Array) -> Array:
        """World rotation (frames, 3, 3) of the lead wrist that points face and shaft as given."""
        mine = np.stack([self.face, self.up_shaft, np.cross(self.face, self.up_shaft)], axis=-1)
        world = np.stack([face, -down_shaft, np.cross(face, -down_shaft)], axis=-1)
        turned: Array = world @ mine.T
        return turned


@dataclass(frozen=True, eq=False)
class ClubPath:
    """Where the two palms are."""

    hands: tuple[Array, Array]
    """(frames, 3), m: left, right palm."""
    palms: tuple[Array, Array]
    """(frames, 3, 3) world_from_palm: left, right."""


def club_path(
    biped: Biped, club: Club, swing: ArmSwing, chest: Array, shoulders: tuple[Array, Array], ground: Array, impact: int
) -> ClubPath:
    """The way of the club.

    Args:
        biped: who swings.
        club: in his hands.
        swing: how.
        chest: (frames, 3, 3) turn of the chest.
        shoulders: (frames, 3), m: left, right.
        ground: (3, 3), columns: to the target, up from the ground, ahead of the player.
        impact: the frame in which the head is at the height of the ball.
    """
    left, right = shoulders
    target, up, ahead = ground.T
    hub = left + swing.hub[:, None] * (right - left)
    sideways, forward = np.sin(swing.across), np.cos(swing.across)
    out = apply(chest, np.stack([sideways, -forward * np.cos(swing.rise), forward * np.sin(swing.rise)], axis=-1))
    lead = swing.lead[:, None]
    hands = hub + biped.arm_length * out
    lies, lean = np.array([0.95, 0.95]), 0.0  # of the shaft at address and impact; towards the target at address
    for _ in range(_ROUNDS):
        lie = (lies[1] + (lies[0] - lies[1]) * swing.waiting)[:, None]
        down = np.cos(lie) * ahead - np.sin(lie) * up
        arm = np.unwrap(np.arctan2(out @ target, np.einsum("fi,fi->f", out, down)))
        shaft = arm + swing.cock + lean * swing.waiting
        down_shaft = np.cos(shaft)[:, None] * down + np.sin(shaft)[:, None] * target
        forearm = lead * unit(hands - left) + (1.0 - lead) * unit(hands - right)
        wrist = club.wrist_turn(-unit(np.cross(forearm, down_shaft)), down_shaft)
        steps = np.zeros(3), apply(wrist, club.right_from_left)
        palms = wrist @ biped.arms[0].palm_from_wrist.T, wrist @ club.right_palm
        far = [
            _along(hub + step - apply(palm, one.wrist_to_palm) - shoulder, out, _STRAIGHT * one.to_wrist.longest)
            for one, shoulder, step, palm in zip(biped.arms, shoulders, steps, palms, strict=True)
        ]
        radius = (1.0 - swing.fold) * -_ROUNDING * np.logaddexp(-far[0] / _ROUNDING, -far[1] / _ROUNDING)
        hands = hub + radius[:, None] * out
        # At address the head waits where it will meet the ball: the shaft is leaned there, the rest is a step.
        ends = [0, impact]
        head = (hands + apply(wrist, club.head_from_left))[ends]
        hands = hands + (head[1] - head[0]) * swing.waiting[:, None]
        lean += float((head[1] - head[0]) @ target) / club.length
        too_high = (head @ up - BALL_RADIUS) / (club.length * np.cos(shaft[ends]))
        lies = np.arcsin(np.clip(np.sin(lies) + too_high, 0.3, 0.98))
    return ClubPath((hands, hands + steps[1]), palms)


def _along(start: Array, direction: Array, longest: float) -> Array:
    """How far (frames,), m, one may go from `start` along unit directions and stay within `longest` of the origin."""
    ahead = np.einsum("fi,fi->f", start, direction)
    inside = np.maximum(longest**2 - np.einsum("fi,fi->f", start, start) + ahead**2, 0.0)
    far: Array = np.sqrt(inside) - ahead
    return far
