"""Sitting down: the hips go back, the trunk leans forward to balance them, then it comes upright on the seat."""

from __future__ import annotations

import numpy as np

from posewright.clips.biped import Biped, measure
from posewright.clips.clip import Clip, Take, require_between
from posewright.clips.curves import apply, ease, through, turn
from posewright.clips.feet import standing_foot
from posewright.clips.realise import legs_in_reach, realise
from posewright.clips.targets import HANGING_ELBOW, HANGING_FORWARD, HANGING_OUTWARD, ArmTarget, HandTarget, Targets
from posewright.conventions import Array
from posewright.figures.figure import Figure

_START, _BENT, _TOUCH, _UPRIGHT, _END = 0.30, 1.00, 1.62, 2.20, 2.80
"""s for a person: the knees give, the trunk leans most, the seat carries, the trunk is upright; the end."""


def sit(figure: Figure, *, seat_height: float | None = None, seed: int = 0, fps: float = 60.0) -> Clip:
    """Sit down on a seat behind the figure, with the hands on the thighs.

    Events: seated. Marks: seat, the middle of the seat's surface.

    Args:
        figure: a biped with the joint names of the built-in bipeds.
        seat_height: height of the seat, m; default: 0.94 times the height of the knees.
        seed: seed of the small differences between clips.
        fps: frames per second.
    """
    biped = measure(figure)
    leg, pelvis_rest = biped.legs[0], biped.pelvis_rest
    knee = float(biped.rest.positions[leg.limb.middle, 1])
    seat_height = 0.94 * knee if seat_height is None else seat_height
    require_between("seat_height", seat_height, 0.75 * knee, 1.35 * knee, "m")
    rng = np.random.default_rng(seed)
    vary = 1.0 + 0.05 * rng.standard_normal(6)
    take = Take.lasting(_END * biped.pace, biped, rng, fps, pace=biped.pace)
    s, wander = take.s, take.wander

    under, thigh = _below_pelvis(biped), leg.limb.upper_length
    # Shins a little back from upright and thighs on the seat put the hips here, behind the ankles.
    knee_point = biped.rest.positions[leg.ankle] + leg.limb.lower_length * np.array([0.0, np.cos(0.06), np.sin(0.06)])
    rise = float(np.clip(seat_height + under + leg.from_pelvis[1] - knee_point[1], -thigh, thigh))
    down = seat_height + under - pelvis_rest[1]
    back = knee_point[2] - np.sqrt(thigh**2 - rise**2) - pelvis_rest[2]
    lowering, going_back = ease(s, _START, _TOUCH), ease(s, _START - 0.12, _TOUCH - 0.12)
    pelvis = pelvis_rest + np.stack([wander(0.003) * (1.0 - lowering), down * lowering, back * going_back], axis=-1)
    lean = through(s, [(0.12, 0.04), (_BENT, 0.56 * vary[0]), (_TOUCH, 0.42), (_UPRIGHT, -0.10), (_END, -0.12)])
    curl = through(s, [(0.12, 0.0), (_BENT, 0.26 * vary[1]), (_TOUCH, 0.26), (_UPRIGHT, 0.14), (_END, 0.16)])
    targets = Targets(
        pelvis=pelvis,
        pelvis_turn=turn(left=wander(0.008), forward=lean),
        chest_turn=turn(left=wander(0.015), forward=lean + curl, right=wander(0.01)),
        head_turn=turn(left=wander(0.03), forward=0.35 * (lean + curl) + wander(0.015)),
        feet=(standing_foot(leg.foot, take.t), standing_foot(biped.legs[1].foot, take.t)),
        arms=(_arm(take, 0, pelvis), _arm(take, 1, pelvis)),
    )
    q = realise(biped, legs_in_reach(biped, targets, fps, share=0.9988))
    seat = (0.0, seat_height, float(pelvis_rest[2] + back))
    return Clip(figure, q, fps, "sit", events={"seated": _TOUCH * take.pace}, marks={"seat": seat})


def _arm(take: Take, index: int, pelvis: Array) -> ArmTarget:
    """Forward for balance, then the hand comes to rest on its thigh."""
    biped, s, wander = take.biped, take.s, take.wander
    leg, thigh = biped.legs[index], biped.legs[index].limb.upper_length
    hip, ankle = pelvis[-1] + leg.from_pelvis, biped.rest.positions[leg.ankle]
    knee = np.array([hip[0] + 0.15 * ankle[0], ankle[1] + leg.limb.lower_length, ankle[2] + 0.03])
    reach = min(0.72, 0.80 * biped.arm_length / thigh)
    on_thigh = hip + reach * (knee - hip) + [0.0, 0.105 * thigh + 0.035, 0.0]
    hold = HandTarget(
        points=np.tile(on_thigh, (len(s), 1)),
        weight=ease(s, _TOUCH - 0.55, _UPRIGHT - 0.15),
        elbow=np.tile([0.75 * biped.arms[index].outward, -0.25, -0.65], (len(s), 1)),
    )
    return ArmTarget(
        forward=through(s, [(0.2, HANGING_FORWARD), (_BENT, 0.62), (_UPRIGHT, 0.45)]) + wander(0.015),
        outward=HANGING_OUTWARD + 0.10 * ease(s, _START, _BENT) + wander(0.008),
        inward_twist=0.10 + 0.1 * ease(s, _START, _BENT),
        elbow=through(s, [(0.2, HANGING_ELBOW), (_BENT, 0.60), (_UPRIGHT, 0.9)]) + wander(0.015),
        hold=hold,
    )


def _below_pelvis(biped: Biped) -> float:
    """m, how far the body reaches below its pelvis when seated: its shape's lowest point, or a tenth of the legs."""
    shape = biped.figure.joints[biped.pelvis].shape
    turned = apply(turn(forward=-0.12), np.array([point for c in shape for point in (c.start, c.end)]).reshape(-1, 3))
    radii = np.array([radius for c in shape for radius in (c.start_radius, c.end_radius)])
    return float(np.max(radii - turned[:, 1])) if shape else 0.1 * biped.leg_length
