"""A kick with the instep: one step, the leg drawn back, the strike, the follow-through, back to standing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from posewright.clips.biped import measure
from posewright.clips.clip import Clip, Take, is_left, require_between
from posewright.clips.curves import about, apply, between, ease, turn
from posewright.clips.feet import Swing, stepping_foot
from posewright.clips.realise import legs_in_reach, realise
from posewright.clips.targets import ArmTarget, FootTarget, Targets
from posewright.conventions import Array
from posewright.figures.figure import Figure
from posewright.figures.kinematics import site_frames
from posewright.figures.vectors import vector
from posewright.motions.smoothing import smooth_above

_STEP, _PLANTED, _LEAVES, _BACK, _STRIKE, _THROUGH, _DOWN, _END = 0.18, 0.56, 0.52, 0.76, 0.98, 1.20, 1.78, 2.25
"""s for a person: the other foot leaves and is planted, the kicking one leaves, is furthest back, meets the ball, is
highest, is down again; the end."""
_MIDDLE = 0.5 * (_THROUGH + _DOWN)


def kick(figure: Figure, *, power: float = 1.0, side: str = "right", seed: int = 0, fps: float = 60.0) -> Clip:
    """A kick along +z.

    Events: plant, strike. Marks: ball, where the foot is at the strike.

    Args:
        figure: a biped with the joint names of the built-in bipeds.
        power: from 0.5 (a pass) to 1.2 (a shot): how far the leg is drawn back and follows through.
        side: the kicking foot, "left" or "right".
        seed: seed of the small differences between kicks.
        fps: frames per second.
    """
    require_between("power", power, 0.5, 1.2)
    mirrored = is_left(side)
    biped = measure(figure)
    take = Take.lasting(_END * biped.pace, biped, np.random.default_rng(seed), fps, pace=biped.pace)
    targets = _right_kick(take, power)
    q = realise(biped, legs_in_reach(biped, targets.mirrored() if mirrored else targets, fps))
    strike = round(_STRIKE * take.pace * fps)
    ball = vector(site_frames(figure, q[strike], [f"{side}_toe_tip"]).points[0])
    events = {"plant": _PLANTED * take.pace, "strike": strike / fps}
    return Clip(figure, q, fps, "kick", events=events, marks={"ball": ball})


def _right_kick(take: Take, power: float) -> Targets:
    """Everything for the right foot."""
    biped, pace, wander = take.biped, take.pace, take.wander
    legs = biped.leg_length
    vary = 1.0 + 0.05 * take.rng.standard_normal(8)
    stride = 0.50 * legs * (0.7 + 0.3 * power) * vary[0]
    keyed = take.keyed(0.10, _STEP + 0.12, _PLANTED, _BACK, _STRIKE, _THROUGH, _MIDDLE, _DOWN + 0.25)
    yaw = keyed(0.0, -0.10, -0.28, -0.42 * power, 0.12, 0.42 * power, 0.22, 0.0) * vary[1]
    lean = keyed(0.04, 0.05, 0.06, 0.16, -0.16, -0.12, 0.05, 0.04)
    lateral = keyed(0.0, -0.02, -0.05, -0.14, -0.20, -0.12, -0.05, 0.0)  # away from the kicking leg
    left, right = biped.legs[0].foot, biped.legs[1].foot
    pelvis_turn = turn(left=yaw, forward=lean, right=lateral)
    over = left.sole[0] * keyed(0.0, -0.55, 0.35, 0.75, 0.80, 0.75, 0.55, 0.0)
    height = legs * keyed(0.0, -0.01, -0.035, -0.05, -0.03, -0.005, -0.015, 0.0)
    forward = stride * keyed(0.0, 0.22, 0.60, 0.78, 0.90, 1.02, 1.04, 1.0)
    pelvis = biped.pelvis_rest + np.stack([over, height, forward], axis=-1)
    standing = stepping_foot(
        left, take.t, Swing(clearance=0.04 * legs), leaves=_STEP * pace, lands=_PLANTED * pace, ahead=stride,
        turned=(0.05, 0.12), push=-0.35, push_for=0.14 * pace, strike=0.20, flat_after=0.12 * pace,
    )  # fmt: skip
    home = stepping_foot(
        right, take.t, Swing(clearance=0.06 * legs), leaves=_LEAVES * pace, lands=_DOWN * pace, ahead=stride,
        turned=(-0.05, -0.05), push=-0.5, push_for=0.2 * pace, strike=0.05,
    )  # fmt: skip
    chest_yaw = keyed(0.0, 0.06, 0.22, 0.24 * power, -0.14, -0.36, -0.12, 0.0)
    return Targets(
        pelvis=pelvis,
        pelvis_turn=pelvis_turn,
        chest_turn=turn(
            left=chest_yaw + wander(0.012),
            forward=keyed(0.05, 0.10, 0.10, 0.12, 0.16, 0.26, 0.14, 0.05),
            right=0.4 * lateral + wander(0.008),
        ),
        head_turn=turn(left=0.2 * chest_yaw, forward=keyed(0.1, 0.30, 0.42, 0.45, 0.42, 0.20, 0.08, 0.05)),
        feet=(standing, _swung_leg(take, home, pelvis, pelvis_turn, power)),
        arms=(
            ArmTarget.swung(  # the arm against the leg: thrown out and back, then across
                keyed,
                forward=(-0.10, -0.35, -0.30, 0.55, 0.90, 0.40),
                outward=(0.35, 0.80, 1.20, 0.75, 0.35, 0.25),
                inward_twist=(0.10, 0.0, 0.10, 0.35, 0.45, 0.25),
                elbow=(0.35, 0.45, 0.50, 0.60, 0.75, 0.50),
                scales=(power * vary[2], vary[3], 1.0, 1.0),
            ).plus(elbow=wander(0.02)),
            ArmTarget.swung(
                keyed,
                forward=(0.15, 0.35, 0.30, -0.45, -0.60, -0.20),
                outward=(0.20, 0.30, 0.50, 0.65, 0.55, 0.30),
                inward_twist=(0.15, 0.25, 0.20, 0.0, 0.0, 0.05),
                elbow=(0.45, 0.60, 0.60, 0.40, 0.35, 0.35),
                scales=(vary[4], vary[5], 1.0, 1.0),
            ).plus(elbow=wander(0.02)),
        ),
    )


def _swung_leg(take: Take, home: FootTarget, pelvis: Array, pelvis_turn: Array, power: float) -> FootTarget:
    """The kicking foot: between its two plants the leg swings about the hip as a whip."""
    leg, s = take.biped.legs[1], take.s
    keyed = take.keyed(_LEAVES, _BACK, 0.90, _STRIKE, _THROUGH, _MIDDLE, _DOWN)
    ahead = keyed(-0.45, -0.66 * power, -0.20, 0.26, 1.02 * power, 0.55, 0.0)
    bent = keyed(0.45, 1.55, 1.30, 0.62, 0.22, 0.85, 0.25)
    out = keyed(0.05, 0.10, 0.12, 0.0, -0.12, 0.0, 0.05)
    pointed = keyed(0.25, 0.55, 0.70, 0.75, 0.60, 0.20, 0.0)
    # A leg whose line from hip to ankle is `ahead` forward of down, shortened by the bend of its knee.
    upper, lower = leg.limb.upper_length, leg.limb.lower_length
    length = np.sqrt(upper**2 + lower**2 + 2.0 * upper * lower * np.cos(bent))
    frame = turn(left=0.5 * np.arctan2(pelvis_turn[:, 0, 2], pelvis_turn[:, 2, 2]))
    line = np.stack([-np.sin(out), -np.cos(out) * np.cos(ahead), np.cos(out) * np.sin(ahead)], axis=-1)
    swung = pelvis + apply(pelvis_turn, leg.from_pelvis) + length[:, None] * apply(frame, line)
    shin_back = ahead - 0.5 * bent  # the shin's own angle to the vertical
    swing_turn = frame @ about((-1.0, 0.0, 0.0), shin_back - pointed)
    weight = ease(s, _LEAVES + 0.02, _BACK) - ease(s, _THROUGH + 0.06, _DOWN - 0.04)
    ankle = home.ankle + weight[:, None] * (swung - home.ankle)
    turns, toes = between(home.turn, swing_turn, weight), between(home.toe_turn, swing_turn, weight)
    points = np.stack([leg.foot.heel, leg.foot.ball * [1.0, 0.0, 1.0], leg.foot.toe_tip]) - leg.foot.ankle
    lowest = np.min(ankle[:, 1, None] + np.einsum("fj,pj->fp", turns[:, 1], points), axis=1)
    too_low = np.maximum(0.02 * take.biped.leg_length - lowest, 0.0) * ease(weight, 0.0, 0.25)
    ankle[:, 1] += smooth_above(too_low, round(0.07 * take.fps)) * ease(weight, 0.0, 0.18)
    return replace(home, ankle=ankle, turn=turns, toe_turn=toes, side=turns[..., 0].copy())
