"""A kick with the instep: one step, the leg drawn back, the strike, the follow-through, back to standing."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from posewright.clips.biped import Biped, measure
from posewright.clips.clip import Clip
from posewright.clips.curves import ease, through, wander
from posewright.clips.feet import Plant, Swing, foot_track
from posewright.clips.realise import legs_in_reach, realise
from posewright.clips.settings import frame_times, is_left, require_between
from posewright.clips.stance import RELAXED_ELBOW, RELAXED_FORWARD, RELAXED_OUTWARD, hip_to_pelvis
from posewright.clips.targets import ArmTarget, FootTarget, Targets
from posewright.clips.turns import about, along, apply, between, turn
from posewright.conventions import Array
from posewright.figures.figure import Figure
from posewright.figures.kinematics import site_frames
from posewright.motions.filters import smooth_above

_STEP, _PLANTED, _LEAVES, _BACK, _STRIKE, _THROUGH, _DOWN, _END = 0.18, 0.56, 0.52, 0.76, 0.98, 1.20, 1.78, 2.25
"""s for a person: the other foot leaves and is planted, the kicking one leaves, is furthest back, meets the ball, is
highest, is down again; the end."""


def kick(figure: Figure, *, power: float = 1.0, side: str = "right", seed: int = 0, fps: float = 60.0) -> Clip:
    """A kick along +z.

    Events: plant, strike. Marks: ball, where the foot is at the strike.

    Args:
        figure: a biped with the joint names of the built-in ones.
        power: from 0.5 (a pass) to 1.2 (a shot): how far the leg is drawn back and follows through.
        side: the kicking foot, "left" or "right".
        seed: of the small differences between one kick and another.
        fps: frames per second.
    """
    require_between("power", power, 0.5, 1.2, "(no unit)")
    mirrored = is_left(side)
    biped = measure(figure)
    rng = np.random.default_rng(seed)
    vary = 1.0 + 0.05 * rng.standard_normal(8)
    pace = float(np.sqrt(biped.leg_length / 0.86))
    t = frame_times(_END * pace, fps)
    targets = _right_kick(biped, t, t / pace, power, pace, fps, vary, rng)
    if mirrored:
        targets = targets.mirrored()
    q = realise(biped, legs_in_reach(biped, targets, fps, share=0.9975))
    strike = round(_STRIKE * pace * fps)
    ball = site_frames(figure, q[strike], [f"{side}_toe_tip"]).points[0]
    return Clip(
        figure, q, fps, "kick",
        events={"plant": _PLANTED * pace, "strike": strike / fps},
        marks={"ball": (float(ball[0]), float(ball[1]), float(ball[2]))},
    )  # fmt: skip


def _right_kick(
    biped: Biped, t: Array, s: Array, power: float, pace: float, fps: float, vary: Array, rng: np.random.Generator
) -> Targets:
    """Everything for the right foot; `s` is the time as a person would take it."""
    legs = biped.leg_length
    stride = 0.50 * legs * (0.7 + 0.3 * power) * vary[0]

    def keyed(*values: float) -> Array:
        times = (0.10, _STEP + 0.12, _PLANTED, _BACK, _STRIKE, _THROUGH, 0.5 * (_THROUGH + _DOWN), _DOWN + 0.25)
        return through(s, list(zip(times, values, strict=True)))

    yaw = keyed(0.0, -0.10, -0.28, -0.42 * power, 0.12, 0.42 * power, 0.22, 0.0) * vary[1]
    lean = keyed(0.04, 0.05, 0.06, 0.16, -0.16, -0.12, 0.05, 0.04)
    lateral = keyed(0.0, -0.02, -0.05, -0.14, -0.20, -0.12, -0.05, 0.0)  # away from the kicking leg
    left, right = biped.legs[0].foot, biped.legs[1].foot
    pelvis_turn = turn(left=yaw, forward=lean, right=lateral)
    over = left.sole[0] * keyed(0.0, -0.55, 0.35, 0.75, 0.80, 0.75, 0.55, 0.0)
    forward = stride * keyed(0.0, 0.22, 0.60, 0.78, 0.90, 1.02, 1.04, 1.0)
    height = legs * keyed(0.0, -0.01, -0.035, -0.05, -0.03, -0.005, -0.015, 0.0)
    pelvis = biped.pelvis_rest + np.stack([over, height, forward], axis=-1)

    standing = foot_track(
        left,
        t,
        [
            Plant(
                place=left.sole, start=-1.0, end=_STEP * pace, ground=turn(left=0.05), push=-0.35, push_for=0.14 * pace
            ),
            Plant(
                place=left.sole + along(stride),
                start=_PLANTED * pace,
                end=9.0 * pace,
                ground=turn(left=0.12),
                strike=0.20,
                flat_after=0.12 * pace,
            ),
        ],
        Swing(clearance=0.04 * legs),
    )
    home = foot_track(
        right,
        t,
        [
            Plant(
                place=right.sole,
                start=-1.0,
                end=_LEAVES * pace,
                ground=turn(left=-0.05),
                push=-0.5,
                push_for=0.2 * pace,
            ),
            Plant(
                place=right.sole + along(stride),
                start=_DOWN * pace,
                end=9.0 * pace,
                ground=turn(left=-0.05),
                strike=0.05,
            ),
        ],
        Swing(clearance=0.06 * legs),
    )
    kicking = _swung_leg(biped, home, pelvis, pelvis_turn, s, power, fps)

    chest_yaw = keyed(0.0, 0.06, 0.22, 0.24 * power, -0.14, -0.36, -0.12, 0.0)
    targets = Targets(
        pelvis=pelvis,
        pelvis_turn=pelvis_turn,
        chest_turn=turn(
            left=chest_yaw + wander(rng, t, 0.012),
            forward=keyed(0.05, 0.10, 0.10, 0.12, 0.16, 0.26, 0.14, 0.05),
            right=0.4 * lateral + wander(rng, t, 0.008),
        ),
        head_turn=turn(left=0.2 * chest_yaw, forward=keyed(0.1, 0.30, 0.42, 0.45, 0.42, 0.20, 0.08, 0.05)),
        feet=(standing, kicking),
        arms=(
            ArmTarget(  # the arm against the leg: thrown out and back, then across
                forward=keyed(RELAXED_FORWARD, -0.10, -0.35, -0.30, 0.55, 0.90, 0.40, RELAXED_FORWARD)
                * power
                * vary[2],
                outward=keyed(RELAXED_OUTWARD, 0.35, 0.80, 1.20, 0.75, 0.35, 0.25, RELAXED_OUTWARD) * vary[3],
                inward_twist=keyed(0.10, 0.10, 0.0, 0.10, 0.35, 0.45, 0.25, 0.10),
                elbow=keyed(RELAXED_ELBOW, 0.35, 0.45, 0.50, 0.60, 0.75, 0.50, RELAXED_ELBOW) + wander(rng, t, 0.02),
            ),
            ArmTarget(
                forward=keyed(RELAXED_FORWARD, 0.15, 0.35, 0.30, -0.45, -0.60, -0.20, RELAXED_FORWARD) * vary[4],
                outward=keyed(RELAXED_OUTWARD, 0.20, 0.30, 0.50, 0.65, 0.55, 0.30, RELAXED_OUTWARD) * vary[5],
                inward_twist=keyed(0.10, 0.15, 0.25, 0.20, 0.0, 0.0, 0.05, 0.10),
                elbow=keyed(RELAXED_ELBOW, 0.45, 0.60, 0.60, 0.40, 0.35, 0.35, RELAXED_ELBOW) + wander(rng, t, 0.02),
            ),
        ),
    )
    return targets


def _swung_leg(
    biped: Biped, home: FootTarget, pelvis: Array, pelvis_turn: Array, s: Array, power: float, fps: float
) -> FootTarget:
    """The kicking foot: between its two plants the leg swings about the hip as a whip."""
    leg = biped.legs[1]
    hip = pelvis + apply(pelvis_turn, hip_to_pelvis(biped, 1))
    middle = 0.5 * (_THROUGH + _DOWN)
    times = (_LEAVES, _BACK, 0.90, _STRIKE, _THROUGH, middle, _DOWN)
    ahead = through(s, list(zip(times, (-0.45, -0.66 * power, -0.20, 0.26, 1.02 * power, 0.55, 0.0), strict=True)))
    bent = through(s, list(zip(times, (0.45, 1.55, 1.30, 0.62, 0.22, 0.85, 0.25), strict=True)))
    out = through(s, list(zip(times, (0.05, 0.10, 0.12, 0.0, -0.12, 0.0, 0.05), strict=True)))
    # A leg whose line from hip to ankle is `ahead` forward of down, shortened by the bend of its knee.
    limb = leg.limb
    length = np.sqrt(
        limb.upper_length**2 + limb.lower_length**2 + 2.0 * limb.upper_length * limb.lower_length * np.cos(bent)
    )
    frame = turn(left=0.5 * np.arctan2(pelvis_turn[:, 0, 2], pelvis_turn[:, 2, 2]))
    line = np.stack([-np.sin(out), -np.cos(out) * np.cos(ahead), np.cos(out) * np.sin(ahead)], axis=-1)
    ankle = hip + length[:, None] * apply(frame, line)
    shin_back = ahead - 0.5 * bent  # the shin's own angle to the vertical
    pointed = through(s, list(zip(times, (0.25, 0.55, 0.70, 0.75, 0.60, 0.20, 0.0), strict=True)))
    roll = about((-1.0, 0.0, 0.0), shin_back - pointed)
    weight = ease(s, _LEAVES + 0.02, _BACK) - ease(s, _THROUGH + 0.06, _DOWN - 0.04)
    blended = home.ankle + weight[:, None] * (ankle - home.ankle)
    swing_turn = frame @ roll
    turns = between(home.turn, swing_turn, weight)
    points = np.stack([leg.foot.heel, leg.foot.ball * [1.0, 0.0, 1.0], leg.foot.toe_tip]) - leg.foot.ankle
    lowest = np.min(blended[:, 1, None] + np.einsum("fj,pj->fp", turns[:, 1], points), axis=1)
    too_low = np.maximum(0.02 * biped.leg_length - lowest, 0.0) * ease(weight, 0.0, 0.25)
    blended[:, 1] += smooth_above(too_low, round(0.07 * fps)) * ease(weight, 0.0, 0.18)
    toes = between(home.toe_turn, swing_turn, weight)
    return replace(home, ankle=blended, turn=turns, toe_turn=toes, side=turns[..., 0].copy())
