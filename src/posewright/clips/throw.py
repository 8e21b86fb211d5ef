"""An overarm throw: the arm is drawn back as the other foot strides out; hips, chest, arm and hand follow each other.

The arm then swings on across the body, and the trailing foot comes after.
"""

from __future__ import annotations

import numpy as np

from posewright.clips.biped import Biped, measure
from posewright.clips.clip import Clip
from posewright.clips.curves import through, wander
from posewright.clips.feet import Plant, Swing, foot_track
from posewright.clips.realise import legs_in_reach, realise
from posewright.clips.settings import frame_times, is_left, require_between
from posewright.clips.stance import (
    RELAXED_ELBOW,
    RELAXED_FORWARD,
    RELAXED_OUTWARD,
    RELAXED_TWIST,
)
from posewright.clips.targets import ArmTarget, Targets
from posewright.clips.turns import along, turn
from posewright.conventions import Array
from posewright.figures.figure import Figure

_REST, _GATHER, _COCKED, _STRIDE, _LAID_BACK, _RELEASE, _ACROSS, _CAUGHT, _DONE = (
    0.12, 0.45, 0.80, 0.86, 0.98, 1.08, 1.30, 1.62, 2.05,
)  # fmt: skip
"""s for a person: all quiet, weight on the throwing side, arm back and up, the striding foot is down, the forearm lags
furthest, release, the arm has crossed the body, the trailing foot is down, upright again."""
_KEYS = (_REST, _GATHER, _COCKED, _LAID_BACK, _RELEASE, _ACROSS, _CAUGHT, _DONE)


def throw(figure: Figure, *, power: float = 1.0, side: str = "right", seed: int = 0, fps: float = 60.0) -> Clip:
    """An overarm throw along +z.

    Events: stride (the foot lands), release.

    Args:
        figure: a biped with the joint names of the built-in ones.
        power: from 0.5 (a toss) to 1.15: stride, turn of the trunk and draw of the arm.
        side: the throwing hand, "left" or "right".
        seed: of the small differences between one throw and another.
        fps: frames per second.
    """
    require_between("power", power, 0.5, 1.15, "(no unit)")
    mirrored = is_left(side)
    biped = measure(figure)
    rng = np.random.default_rng(seed)
    pace = float(np.sqrt(biped.leg_length / 0.86))
    t = frame_times((_DONE + 0.2) * pace, fps)
    targets = _right_throw(biped, t, t / pace, power, pace, rng)
    if mirrored:
        targets = targets.mirrored()
    q = realise(biped, legs_in_reach(biped, targets, fps, share=0.9975))
    return Clip(figure, q, fps, "throw", events={"stride": _STRIDE * pace, "release": _RELEASE * pace})


def _right_throw(biped: Biped, t: Array, s: Array, power: float, pace: float, rng: np.random.Generator) -> Targets:
    """Everything for the right hand; `s` is the time as a person would take it."""
    legs = biped.leg_length
    vary = 1.0 + 0.04 * rng.standard_normal(8)
    stride = 0.62 * legs * (0.5 + 0.5 * power) * vary[0]
    follow = 0.85 * stride

    def keyed(*values: float) -> Array:
        return through(s, list(zip(_KEYS, values, strict=True)))

    hips = keyed(0.0, -0.35, -0.50 * power, 0.10, 0.30, 0.42, 0.20, 0.0) * vary[1]
    chest = keyed(0.0, -0.55, -1.05 * power, -0.45, 0.30, 0.85 * power, 0.40, 0.0) * vary[2]
    lean = keyed(0.04, 0.0, -0.04, 0.06, 0.22, 0.34, 0.18, 0.04)
    bow = keyed(0.04, -0.02, -0.12, -0.10, 0.30, 0.72 * power, 0.34, 0.05)
    aside = keyed(0.0, 0.06, 0.10, -0.05, -0.22, -0.18, -0.05, 0.0)
    left, right = biped.legs[0].foot, biped.legs[1].foot
    over = 0.5 * abs(left.sole[0]) * keyed(0.0, -1.1, -0.7, 0.3, 0.7, 0.9, 0.5, 0.0)
    ahead = stride * keyed(0.0, -0.10, 0.12, 0.52, 0.68, 0.88, 0.93, 0.93)
    height = legs * keyed(0.0, -0.02, -0.07, -0.075, -0.06, -0.055, -0.03, 0.0)
    striding = foot_track(
        left,
        t,
        [
            Plant(
                place=left.sole,
                start=-1.0,
                end=(_GATHER - 0.03) * pace,
                ground=turn(left=0.05),
                push=-0.3,
                push_for=0.16 * pace,
            ),
            Plant(
                place=left.sole + along(stride),
                start=_STRIDE * pace,
                end=9.0 * pace,
                ground=turn(left=0.0),
                strike=0.15,
                flat_after=0.10 * pace,
            ),
        ],
        Swing(clearance=0.05 * legs, lift=0.10 * legs * power, lift_at=0.4),
    )
    push = right.push(0.65, 0.55)
    trailing = foot_track(
        right,
        t,
        [
            Plant(
                place=right.sole, start=-1.0, end=(_RELEASE + 0.08) * pace, ground=turn(left=-0.35),
                push=push, push_for=0.30 * pace,
            ),
            Plant(
                place=right.sole + along(follow), start=_CAUGHT * pace, end=9.0 * pace,
                ground=turn(left=-0.10), strike=0.04,
            ),
        ],
        Swing(clearance=0.05 * legs, pitch=-0.15, pitch_at=0.5),
    )  # fmt: skip
    gaze = keyed(0.0, 0.05, 0.0, 0.0, 0.05, 0.20, 0.10, 0.0)
    return Targets(
        pelvis=biped.pelvis_rest + np.stack([over, height, ahead], axis=-1),
        pelvis_turn=turn(left=hips, forward=lean, right=0.4 * aside),
        chest_turn=turn(left=chest + wander(rng, t, 0.01), forward=bow + wander(rng, t, 0.008), right=aside),
        head_turn=turn(left=gaze, forward=0.25 * bow + wander(rng, t, 0.01)),
        feet=(striding, trailing),
        arms=(
            ArmTarget(  # points to where the throw goes, then is pulled in
                forward=keyed(RELAXED_FORWARD, 0.60, 1.30, 1.00, 0.45, 0.10, 0.10, RELAXED_FORWARD) * vary[3],
                outward=keyed(RELAXED_OUTWARD, 0.30, 0.85, 0.65, 0.35, 0.35, 0.25, RELAXED_OUTWARD) * vary[4],
                inward_twist=keyed(RELAXED_TWIST, 0.40, 0.30, 0.40, 0.50, 0.30, 0.20, RELAXED_TWIST),
                elbow=keyed(RELAXED_ELBOW, 1.00, 0.45, 0.90, 1.60, 1.30, 0.70, RELAXED_ELBOW) + wander(rng, t, 0.02),
            ),
            ArmTarget(  # a circle down, back and up, the whip, and on across the body
                forward=keyed(RELAXED_FORWARD, 0.25, 1.20, 1.50, 1.75, 0.85, 0.35, RELAXED_FORWARD),
                outward=keyed(RELAXED_OUTWARD, 0.55, 1.22, 1.20, 0.88, -0.25, 0.00, RELAXED_OUTWARD) * vary[5],
                inward_twist=keyed(RELAXED_TWIST, 0.10, -0.10, -0.62 * power, 0.10, 0.85, 0.40, RELAXED_TWIST),
                elbow=keyed(RELAXED_ELBOW, 1.05, 1.60, 1.55, 0.38, 0.50, 0.60, RELAXED_ELBOW) * vary[6],
            ),
        ),
    )
