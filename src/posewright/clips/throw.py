"""An overarm throw: the arm is drawn back as the other foot strides out; hips, chest, arm and hand follow each other.

The arm then swings on across the body, and the trailing foot comes after.
"""

from __future__ import annotations

import numpy as np

from posewright.clips.biped import measure
from posewright.clips.clip import Clip, Take, is_left, require_between
from posewright.clips.curves import turn
from posewright.clips.feet import Swing, stepping_foot
from posewright.clips.realise import legs_in_reach, realise
from posewright.clips.targets import ArmTarget, Targets
from posewright.figures.figure import Figure

_REST, _GATHER, _COCKED, _STRIDE, _LAID_BACK, _RELEASE, _ACROSS, _CAUGHT, _DONE = (
    0.12, 0.45, 0.80, 0.86, 0.98, 1.08, 1.30, 1.62, 2.05,
)  # fmt: skip
"""s for a person: all quiet, weight on the throwing side, arm back and up, the striding foot is down, the forearm lags
furthest, release, the arm has crossed the body, the trailing foot is down, upright again."""


def throw(figure: Figure, *, power: float = 1.0, side: str = "right", seed: int = 0, fps: float = 60.0) -> Clip:
    """An overarm throw along +z.

    Events: stride (the foot lands), release.

    Args:
        figure: a biped with the joint names of the built-in bipeds.
        power: from 0.5 (a toss) to 1.15; scales the stride, the rotation of the trunk and the draw of the arm.
        side: the throwing hand, "left" or "right".
        seed: seed of the small differences between throws.
        fps: frames per second.
    """
    require_between("power", power, 0.5, 1.15)
    mirrored = is_left(side)
    biped = measure(figure)
    take = Take.lasting((_DONE + 0.2) * biped.pace, biped, np.random.default_rng(seed), fps, pace=biped.pace)
    targets = _right_throw(take, power)
    q = realise(biped, legs_in_reach(biped, targets.mirrored() if mirrored else targets, fps))
    return Clip(figure, q, fps, "throw", events={"stride": _STRIDE * take.pace, "release": _RELEASE * take.pace})


def _right_throw(take: Take, power: float) -> Targets:
    """Everything for the right hand."""
    biped, pace, wander = take.biped, take.pace, take.wander
    legs = biped.leg_length
    vary = 1.0 + 0.04 * take.rng.standard_normal(8)
    stride = 0.62 * legs * (0.5 + 0.5 * power) * vary[0]
    keyed = take.keyed(_REST, _GATHER, _COCKED, _LAID_BACK, _RELEASE, _ACROSS, _CAUGHT, _DONE)
    hips = keyed(0.0, -0.35, -0.50 * power, 0.10, 0.30, 0.42, 0.20, 0.0) * vary[1]
    chest = keyed(0.0, -0.55, -1.05 * power, -0.45, 0.30, 0.85 * power, 0.40, 0.0) * vary[2]
    lean = keyed(0.04, 0.0, -0.04, 0.06, 0.22, 0.34, 0.18, 0.04)
    bow = keyed(0.04, -0.02, -0.12, -0.10, 0.30, 0.72 * power, 0.34, 0.05)
    aside = keyed(0.0, 0.06, 0.10, -0.05, -0.22, -0.18, -0.05, 0.0)
    left, right = biped.legs[0].foot, biped.legs[1].foot
    over = 0.5 * abs(left.sole[0]) * keyed(0.0, -1.1, -0.7, 0.3, 0.7, 0.9, 0.5, 0.0)
    height = legs * keyed(0.0, -0.02, -0.07, -0.075, -0.06, -0.055, -0.03, 0.0)
    ahead = stride * keyed(0.0, -0.10, 0.12, 0.52, 0.68, 0.88, 0.93, 0.93)
    striding = stepping_foot(
        left, take.t, Swing(clearance=0.05 * legs, lift=0.10 * legs * power, lift_at=0.4),
        leaves=(_GATHER - 0.03) * pace, lands=_STRIDE * pace, ahead=stride, turned=(0.05, 0.0),
        push=-0.3, push_for=0.16 * pace, strike=0.15, flat_after=0.10 * pace,
    )  # fmt: skip
    trailing = stepping_foot(
        right, take.t, Swing(clearance=0.05 * legs, pitch=-0.15, pitch_at=0.5),
        leaves=(_RELEASE + 0.08) * pace, lands=_CAUGHT * pace, ahead=0.85 * stride, turned=(-0.35, -0.10),
        push=right.push(0.65, 0.55), push_for=0.30 * pace, strike=0.04,
    )  # fmt: skip
    gaze = keyed(0.0, 0.05, 0.0, 0.0, 0.05, 0.20, 0.10, 0.0)
    return Targets(
        pelvis=biped.pelvis_rest + np.stack([over, height, ahead], axis=-1),
        pelvis_turn=turn(left=hips, forward=lean, right=0.4 * aside),
        chest_turn=turn(left=chest + wander(0.01), forward=bow + wander(0.008), right=aside),
        head_turn=turn(left=gaze, forward=0.25 * bow + wander(0.01)),
        feet=(striding, trailing),
        arms=(
            ArmTarget.swung(  # points to where the throw goes, then is pulled in
                keyed,
                forward=(0.60, 1.30, 1.00, 0.45, 0.10, 0.10),
                outward=(0.30, 0.85, 0.65, 0.35, 0.35, 0.25),
                inward_twist=(0.40, 0.30, 0.40, 0.50, 0.30, 0.20),
                elbow=(1.00, 0.45, 0.90, 1.60, 1.30, 0.70),
                scales=(vary[3], vary[4], 1.0, 1.0),
            ).plus(elbow=wander(0.02)),
            ArmTarget.swung(  # a circle down, back and up, the whip, and on across the body
                keyed,
                forward=(0.25, 1.20, 1.50, 1.75, 0.85, 0.35),
                outward=(0.55, 1.22, 1.20, 0.88, -0.25, 0.00),
                inward_twist=(0.10, -0.10, -0.62 * power, 0.10, 0.85, 0.40),
                elbow=(1.05, 1.60, 1.55, 0.38, 0.50, 0.60),
                scales=(1.0, vary[5], 1.0, vary[6]),
            ),
        ),
    )
