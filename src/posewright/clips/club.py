"""A golf club held by two arms: its path through a swing, and where the elbows are held.

Arms and club are two pendulums: the hands circle about a hub between the shoulders, far enough from it that the arm
which leads is nearly straight; the shaft turns in one plane, on which the ball lies, ahead of the arms or behind them
by as much as the wrists are cocked. The club lies in the hands so that the wrist of the leading arm is flat, which
rolls the forearms over between the backswing and the swing through.

A hand whose place and orientation are both given leaves an arm one freedom, the swivel of the elbow about the line
from shoulder to wrist. Of a fan of swivels in every moment, the path through them is chosen that strains the joints
least without haste, and drawn as a spline, so that no joint runs into its limit and stops there with a jerk.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from posewright.clips.biped import Arm, Biped
from posewright.clips.curves import about, apply
from posewright.conventions import Array
from posewright.figures.figure import Figure
from posewright.motions.smoothing import gaussian
from posewright.rotations import matrix_from_axes, unit

BALL_RADIUS = 0.0214
"""m"""
_ROUNDS = 6
"""The plane goes through the ball below the hands, and the hands are where both reach the club that lies in it: each
round brings the two ten times nearer together."""
_STRAIGHT = 0.985
"""Share of an arm's length from shoulder to wrist that is used."""
_ROUNDING = 0.012
"""m, by which the corner is rounded where one arm takes over from the other as the shorter."""
_MOMENTS_PER_SECOND = 24.0
_FAN = np.linspace(-1.8, 1.8, 37)
"""rad"""
_STEEPNESS = 10
"""The strain of a joint is this power of its angle from the middle of its range, 1 at the limit."""
_BORDER = 0.3
"""rad, from the border of a linear constraint at which its strain begins."""
_HASTE = 3.0
"""Strain of a swivel by 1 rad from one moment to the next."""


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
            right_palm=matrix_from_axes(np.array(right.x_axis), np.array(right.y_axis)),
        )

    @property
    def length(self) -> float:
        """m, from the lead palm to the head."""
        return float(np.linalg.norm(self.head_from_left))

    def wrist_turn(self, face: Array, down_shaft: Array) -> Array:
        """World rotation (frames, 3, 3) of the lead wrist that points face and shaft as given."""
        mine = matrix_from_axes(self.face, self.up_shaft)
        world = matrix_from_axes(face, -down_shaft)
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
    """Where the club takes the palms.

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


def easiest_elbow(biped: Biped, arm: Arm, t: Array, chest: Array, shoulder: Array, palm: Array, points: Array) -> Array:
    """Direction (frames, 3) in which the elbow points so that the hand's joints stay inside their limits.

    Args:
        biped: whose arm.
        arm: which of the two.
        t: (frames,), s.
        chest: (frames, 3, 3) turn of the chest.
        shoulder: (frames, 3), m.
        palm: (frames, 3, 3) world_from_palm.
        points: (frames, 3), m, of the palm.
    """
    wrist = points - apply(palm, arm.wrist_to_palm)
    line = unit(wrist - shoulder)
    outward = apply(chest, np.array([0.6 * arm.outward, -0.75, -0.3]))
    n = max(4, round((t[-1] - t[0]) * _MOMENTS_PER_SECOND)) + 1
    chosen = np.unique(np.round(np.linspace(0, len(t) - 1, n)).astype(int))
    moments = (chest[chosen], shoulder[chosen], palm[chosen], wrist[chosen])
    fan = [apply(about(line[chosen], swivel), outward[chosen]) for swivel in _FAN]
    strain = np.stack([_strain(biped, arm, *moments, pole) for pole in fan], axis=1)
    swivel = gaussian(_FAN[_least(strain)], 1.5)
    from scipy.interpolate import CubicSpline  # slow to import, needed here only

    return apply(about(line, CubicSpline(t[chosen], swivel, bc_type="clamped")(t)), outward)


def _strain(biped: Biped, arm: Arm, chest: Array, shoulder: Array, palm: Array, wrist: Array, pole: Array) -> Array:
    """How much (frames,) the joints from shoulder to hand are strained with the elbow towards `pole`."""
    figure = biped.figure
    q = np.tile(figure.rest, (len(wrist), 1))
    upper, angles, _ = arm.to_wrist.place(shoulder, wrist, pole)
    arm.shoulder_chain.unbounded().fit(chest @ biped.rest.rotations[arm.shoulder_base], upper, q)
    arm.hand_chain.unbounded().fit(arm.to_wrist.middle_rotations(upper, angles), palm @ arm.palm_from_wrist, q)
    indices = np.concatenate([arm.shoulder_chain.indices, arm.hand_chain.indices])
    lower, upper = figure.lower[indices], figure.upper[indices]
    strain = (np.abs(2.0 * q[:, indices] - lower - upper) / (upper - lower)) ** _STEEPNESS
    return np.asarray(strain.sum(axis=1) + _row_strain(figure, q))


def _row_strain(figure: Figure, q: Array) -> Array:
    """Strain (frames,) of linear constraints, such as the shoulder polygon: 0 well inside, 1 on the border."""
    factors = np.zeros((len(figure.constraints), figure.n_dofs))
    for row, constraint in zip(factors, figure.constraints, strict=True):
        for dof, factor in constraint.coefficients:
            row[figure.dof_index(dof)] = factor
    lower, upper = (np.array([getattr(row, bound) for row in figure.constraints]) for bound in ("lower", "upper"))
    values = q @ factors.T
    beyond = np.maximum(values - upper, lower - values)
    return np.asarray((np.clip(1.0 + beyond / _BORDER, 0.0, None) ** _STEEPNESS).sum(axis=1))


def _least(strain: Array) -> Array:
    """Index (moments,) of the swivel in each moment on the path of least strain (moments, swivels) and haste."""
    haste = _HASTE * (_FAN[:, None] - _FAN[None, :]) ** 2
    total, came_from = strain[0], []
    for now in strain[1:]:
        paths = total[None, :] + haste
        came_from.append(paths.argmin(axis=1))
        total = now + paths.min(axis=1)
    path = [int(total.argmin())]
    for back in reversed(came_from):
        path.append(int(back[path[-1]]))
    return np.array(path[::-1])
