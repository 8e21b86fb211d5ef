"""A golf swing on level or sloping ground, both hands on the club throughout.

The lead arm and the club are two pendulums: the hands circle about a hub between the shoulders in a steep plane, the
shaft turns in a flatter one, late on the way down. The lead hand carries the club where that puts it; the trailing
hand is then brought to the grip, wherever the lead hand really is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from posewright.conventions import Array
from posewright.figure.catalogue import with_club
from posewright.figure.figure import Figure
from posewright.figure.kinematics import site_frames
from posewright.motion.procedural.biped import Biped, measure
from posewright.motion.procedural.clip import Clip
from posewright.motion.procedural.curves import ease, smooth_above, through, wander
from posewright.motion.procedural.feet import Plant, foot_track
from posewright.motion.procedural.realise import legs_in_reach, realise, shoulder_points
from posewright.motion.procedural.settings import frame_times, require_between
from posewright.motion.procedural.targets import ArmTarget, FootTarget, Hold, Targets
from posewright.motion.procedural.turns import about, along, apply, turn

_AWAY, _HALF, _TOP, _LATE, _IMPACT, _PAST, _FINISH, _END = 0.30, 0.72, 1.22, 1.44, 94 / 60, 1.72, 2.05, 131 / 60
"""s: the club leaves the ball, the arms are half way, the top, the wrists let go, impact, the arms are straight past
the ball, the finish, the end: 132 frames at 60 per second, impact in frame 94."""
_KEYS = (_AWAY, _HALF, _TOP, _LATE, _IMPACT, _PAST, _FINISH)
_BALL_RADIUS = 0.0214
_STEEP, _LIE = 1.50, 0.82
"""rad, at address and impact, of the arms and of the shaft above the ground."""


def golf_swing(figure: Figure, *, slope: float = 0.0, style: float = 0.0, seed: int = 0, fps: float = 60.0) -> Clip:
    """A right-handed swing; the player faces +z and plays to his left, +x.

    The clip's figure holds a club (`with_club`), whether or not the one given did. Events: top, impact. Marks: ball.

    Args:
        figure: a biped with the joint names of the built-in ones.
        slope: rad, how steeply the ground rises towards the target, -0.2 to 0.2; it passes through the origin, under
            the middle of the stance.
        style: from -1 (compact, three quarters) to 1 (long, with a full turn).
        seed: of the small differences between one swing and another.
        fps: frames per second; the swing takes the same time at any.
    """
    require_between("slope", slope, -0.2, 0.2, "rad")
    require_between("style", style, -1.0, 1.0, "(no unit)")
    figure = figure if "club" in figure.joint_names else with_club(figure)
    biped = measure(figure)
    rng = np.random.default_rng(seed)
    vary = 1.0 + 0.03 * rng.standard_normal(8)
    t = frame_times(_END, fps)
    ground = about((0.0, 0.0, 1.0), slope)
    club = _Club.of(figure)
    impact = round(_IMPACT * fps)
    trunk = biped.rest.positions[biped.arms[0].to_palm.upper, 1] - biped.hip_height

    stoop, drop = 0.0, 0.0
    for _ in range(7):  # stoop and bend the knees until the head of the club meets the ground at impact
        body = _body(biped, t, ground, slope, style, stoop, drop, vary, seed)
        body = legs_in_reach(biped, body, fps, share=0.9975)
        lead = _lead_hand(biped, body, club, t, ground, style, vary)
        one_hand = replace(body, arms=(lead, body.arms[1]))
        trail = _trailing_hand(biped, body, realise(biped, one_hand))
        q = realise(biped, replace(one_hand, arms=(lead, trail)))
        head = site_frames(figure, q[impact], ["club_head"]).points[0]
        miss = float((ground.T @ head)[1] - _BALL_RADIUS)
        if abs(miss) < 5e-4:
            break
        more = float(np.clip(stoop + 0.4 * miss / trunk, -0.2, 0.45)) - stoop
        lower = min(drop + miss - 0.85 * trunk * more, 0.16 * biped.leg_length)
        if abs(more) < 1e-6 and abs(lower - drop) < 1e-6:
            break  # as low as it goes
        stoop, drop = stoop + more, lower
    ball = tuple(float(x) for x in head)
    return Clip(
        figure, q, fps, "golf_swing",
        events={"top": _TOP, "impact": impact / fps}, marks={"ball": (ball[0], ball[1], ball[2])},
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Club:
    """The club's sites against its head: axes and points in the lead wrist's frame."""

    face: Array
    up_shaft: Array
    left_from_head: Array
    right_from_head: Array
    right_palm: Array
    """(3, 3), the trailing palm's axes."""
    length: float
    """m, from the lead palm to the head."""

    @staticmethod
    def of(figure: Figure) -> _Club:
        head, left, right = (figure.site(name) for name in ("club_head", "club_grip_left", "club_grip_right"))
        palm = np.stack([right.x_axis, right.y_axis, np.cross(right.x_axis, right.y_axis)], axis=-1)
        left_from_head = np.subtract(left.point, head.point)
        return _Club(
            np.array(head.x_axis), np.array(head.y_axis), left_from_head, np.subtract(right.point, head.point),
            palm, float(np.linalg.norm(left_from_head)),
        )  # fmt: skip

    def wrist_turn(self, face: Array, down_shaft: Array) -> Array:
        """World rotation (frames, 3, 3) of the lead wrist that points face and shaft as given."""
        mine = np.stack([self.face, self.up_shaft, np.cross(self.face, self.up_shaft)], axis=-1)
        world = np.stack([face, -down_shaft, np.cross(face, -down_shaft)], axis=-1)
        turned: Array = world @ mine.T
        return turned


def _keyed(t: Array, *values: float) -> Array:
    return through(t, list(zip(_KEYS, values, strict=True)))


def _body(
    biped: Biped, t: Array, ground: Array, slope: float, style: float, stoop: float, drop: float, vary: Array, seed: int
) -> Targets:
    rng = np.random.default_rng(seed + 1)
    legs = biped.leg_length
    bent_over = stoop * (1.0 - ease(t, _IMPACT, _FINISH))
    full = 1.0 + 0.15 * style
    width = 0.27 * legs * vary[0]
    hips = _keyed(t, 0.0, -0.26 * full, -0.54 * full, -0.16, 0.42, 0.60, 0.80) * vary[1]
    chest = _keyed(t, 0.0, -0.72 * full, -1.30 * full, -0.78, 0.16, 0.80, 1.42 * full) * vary[2]
    lean = _keyed(t, 0.38, 0.38, 0.36, 0.38, 0.34, 0.24, 0.04) + 0.5 * bent_over
    bend = _keyed(t, 0.84, 0.82, 0.78, 0.84, 0.82, 0.66, 0.14) + bent_over
    shift = legs * _keyed(t, 0.0, -0.03, -0.05, 0.03, 0.09, 0.12, 0.15)
    height = legs * _keyed(t, -0.055, -0.055, -0.060, -0.085, -0.055, -0.030, -0.015)
    tilted = about((0.0, 0.0, 1.0), np.full(len(t), 0.6 * slope))
    back = legs * _keyed(t, -0.13, -0.13, -0.125, -0.13, -0.12, -0.08, -0.01)
    pelvis = biped.pelvis_rest + np.stack([shift, height - drop + np.tan(slope) * shift, back], axis=-1)
    aside = _keyed(t, 0.20, 0.18, 0.06, 0.18, 0.26, 0.22, 0.02)  # the trunk leans away from the target through impact
    return Targets(
        pelvis=pelvis + along(0.5 * (biped.legs[0].foot.sole[2] - biped.pelvis_rest[2])),
        pelvis_turn=tilted @ turn(forward=lean, right=0.4 * aside) @ turn(left=hips),
        chest_turn=tilted
        @ turn(forward=bend, right=aside)
        @ turn(left=chest, right=wander(rng, t, 0.006), forward=wander(rng, t, 0.006)),
        head_turn=turn(
            left=_keyed(t, 0.0, -0.05, -0.15, -0.10, 0.0, 0.45, 1.30),
            forward=_keyed(t, 0.8, 0.8, 0.8, 0.8, 0.8, 0.6, 0.1),
        ),
        feet=(
            _foot(biped, 0, t, ground, width, turned_out=0.36, push=0.0),
            _foot(biped, 1, t, ground, width, turned_out=0.08, push=0.65),
        ),
        arms=(_hanging(t), _hanging(t)),
    )


def _foot(
    biped: Biped, index: int, t: Array, ground: Array, width: float, *, turned_out: float, push: float
) -> FootTarget:
    """A foot on the slope; the trailing one comes up on its toes as the body turns through."""
    foot = biped.legs[index].foot
    side = 1.0 if index == 0 else -1.0
    plant = Plant(
        place=ground @ np.array([side * width, 0.0, foot.sole[2]]),
        start=-1.0,
        end=_END + 0.1,
        ground=ground @ turn(left=side * turned_out),
        push=foot.push(push, 0.5) if push else 0.0,
        push_for=_END + 0.1 - _LATE,
    )
    return foot_track(foot, t, [plant])


def _hanging(t: Array) -> ArmTarget:
    zero = np.zeros_like(t)
    return ArmTarget(forward=zero + 0.5, outward=zero + 0.05, inward_twist=zero + 0.3, elbow=zero + 0.3)


def _lead_hand(
    biped: Biped, body: Targets, club: _Club, t: Array, ground: Array, style: float, vary: Array
) -> ArmTarget:
    """Where the lead hand takes the club."""
    left, right = shoulder_points(biped, body)
    # Which shoulder the hands hang from; arms too short for the width of the shoulders can only work before the chest.
    width = float(np.linalg.norm(left[0] - right[0]))
    handy = float(np.clip((biped.arm_length / width - 0.85) / 0.7, 0.0, 1.0))
    trailing = 0.5 + handy * _keyed(t, 0.10, -0.18, -0.30, -0.20, 0.05, 0.12, 0.15)[:, None]
    hub = left + trailing * (right - left)
    full = 1.0 + 0.12 * style
    before_chest = _keyed(t, 0.05, -0.70, -1.25, -0.80, 0.05, 0.75, 1.40)
    arm = _keyed(t, 0.09, -0.95, -2.05 * full, -1.20, 0.05, 0.85, 2.20 * full) * vary[3]
    arm = before_chest + handy * (arm - before_chest)
    cock = _keyed(t, -0.05, -0.60, -1.25 * full, -1.30, -0.03, 0.62, 1.20) * vary[4]
    shaft = arm + cock
    # The lead forearm turns the back of its hand up on the way back and down on the way through, so that the wrist
    # cocks towards the thumb in the plane of the swing.
    roll = _keyed(t, 0.0, 0.95, 1.35, 1.25, 0.0, -0.80, -1.35)
    impact = int(np.argmin(np.abs(t - _IMPACT)))

    target = ground[:, 0]
    flat = _LIE + (_STEEP - _LIE) * (0.35 + 0.65 * np.cos(roll) ** 2)
    arm_down = np.stack([np.zeros_like(t), -np.sin(flat), np.cos(flat)], axis=-1) @ ground.T
    shaft_down = ground @ np.array([0.0, -np.sin(_LIE), np.cos(_LIE)])
    out = np.cos(arm)[:, None] * arm_down + np.sin(arm)[:, None] * target
    down_shaft = np.cos(shaft)[:, None] * shaft_down + np.sin(shaft)[:, None] * target
    tangent = np.cos(shaft)[:, None] * target - np.sin(shaft)[:, None] * shaft_down
    face = np.cos(roll)[:, None] * tangent + np.sin(roll)[:, None] * np.cross(shaft_down, target)
    wrist = club.wrist_turn(face, down_shaft)
    radius = _reach(biped, club, hub, (left, right), out, wrist)
    hands = hub + radius[:, None] * out
    palm = wrist @ biped.arms[0].palm_from_wrist.T
    # At address the head waits where it will meet the ball.
    head = hands - apply(wrist, club.left_from_head)
    waiting = (head[impact] - head[0]) * (1.0 - ease(t, _AWAY, _HALF))[:, None]
    # The third axis of a left palm points away from the thumb, as the elbow's tip does.
    elbow = palm[..., 2] + apply(body.chest_turn, np.array([0.9, -0.2, 0.0]))
    hold = Hold(points=hands + waiting, weight=np.ones(len(t)), elbow=elbow, palm=palm)
    return replace(body.arms[0], hold=hold)


def _reach(biped: Biped, club: _Club, hub: Array, shoulders: tuple[Array, Array], out: Array, wrist: Array) -> Array:
    """How far (frames,), m, from the hub along `out` the lead hand may be so that both arms reach the club."""
    steps = np.zeros_like(hub), apply(wrist, club.right_from_head - club.left_from_head)
    palms = wrist @ biped.arms[0].palm_from_wrist.T, wrist @ club.right_palm
    longest = 0.96 * biped.arm_length
    shorter = np.zeros(len(hub))
    for arm, shoulder, step, palm in zip(biped.arms, shoulders, steps, palms, strict=True):
        start = hub + step - apply(palm, arm.wrist_to_palm) - shoulder  # the wrist, if the lead hand were at the hub
        shorter = np.maximum(shorter, longest - _along(start, out, 0.982 * arm.to_wrist.longest))
    radius: Array = longest - smooth_above(shorter, max(2, len(hub) // 30))
    return radius


def _along(start: Array, direction: Array, longest: float) -> Array:
    """How far (frames,), m, one may go from `start` along unit directions and stay within `longest` of the origin."""
    ahead = np.einsum("fi,fi->f", start, direction)
    inside = np.maximum(longest**2 - np.einsum("fi,fi->f", start, start) + ahead**2, 0.0)
    far: Array = np.sqrt(inside) - ahead
    return far


def _trailing_hand(biped: Biped, body: Targets, q: Array) -> ArmTarget:
    """The right hand on the grip, where the left one really holds it."""
    frames = site_frames(biped.figure, q, ["club_grip_right"])
    x, y = frames.x_axes[:, 0], frames.y_axes[:, 0]
    palm = np.stack([x, y, np.cross(x, y)], axis=-1)
    elbow = -palm[..., 2] + apply(body.chest_turn, np.array([-0.3, -0.4, 0.0]))
    return replace(body.arms[1], hold=Hold(points=frames.points[:, 0], weight=np.ones(len(q)), elbow=elbow, palm=palm))
