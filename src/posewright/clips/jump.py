"""A standing jump: crouch with the arms back, throw them up, fly, land softly, stand.

In flight the centre of mass is on a parabola and travels at constant speed; on the ground its height, speed and
acceleration join those of the flight, so nothing jerks at take-off and landing.
"""

from __future__ import annotations

import numpy as np

from posewright.clips.biped import measure
from posewright.clips.clip import Clip, Take, require_between
from posewright.clips.curves import quintic, turn
from posewright.clips.feet import Swing, stepping_foot
from posewright.clips.realise import follow_centre, realise
from posewright.clips.targets import ArmTarget, Targets
from posewright.conventions import GRAVITY
from posewright.figures.figure import Figure
from posewright.figures.kinematics import centre_of_mass


def jump(
    figure: Figure,
    *,
    length: float | None = None,
    height: float | None = None,
    style: float = 0.0,
    seed: int = 0,
    fps: float = 60.0,
) -> Clip:
    """A standing jump with both feet along +z.

    Events: take_off, apex, landing.

    Args:
        figure: a biped with the joint names of the built-in bipeds, with masses.
        length: distance that the feet travel, m; default: 0.9 leg lengths (0.8 m for a person).
        height: rise of the centre of mass after take-off, m; default: 0.25 leg lengths.
        style: from -1 (shallow, arms low, legs stretched) to 1 (deep crouch, arms thrown high, knees tucked).
        seed: seed of the small differences between jumps.
        fps: frames per second.
    """
    biped = measure(figure)
    legs, pace = biped.leg_length, biped.pace
    length = 0.9 * legs if length is None else length
    height = 0.25 * legs if height is None else height
    require_between("length", length, 0.0, 2.0 * legs, "m")
    require_between("height", height, 0.08 * legs, 0.7 * legs, "m")
    require_between("style", style, -1.0, 1.0)
    rng = np.random.default_rng(seed)
    vary = 1.0 + 0.05 * rng.standard_normal(10)

    # When things happen (s), and how fast the centre of mass rises and falls (m/s) at take-off and landing.
    rise = np.sqrt(2.0 * GRAVITY * height)
    crouch = (0.28 + 0.05 * style) * legs * vary[0]
    sunk = (0.13 + 0.03 * style) * legs  # how much lower than at take-off the body is when the feet touch again
    fall = np.sqrt(rise**2 + 2.0 * GRAVITY * sunk)
    down, low = 0.25 * pace, 0.85 * pace * vary[1]
    off = low + 1.75 * (crouch + 0.05 * legs) / rise
    apex, land = off + rise / GRAVITY, off + (rise + fall) / GRAVITY
    bottom = land + 0.24 * pace * vary[2]
    stand = bottom + 0.85 * pace
    take = Take.lasting(stand + 0.25 * pace, biped, rng, fps)
    wander, keyed = take.wander, take.keyed(down, low, off, apex, land, bottom, stand)

    tuck = 0.10 * legs * (1.0 + style) + 0.35 * height
    swing = Swing(spare=0.06, clearance=0.02, lift=tuck, lift_at=0.5, hover=0.3 * tuck, pitch=0.1, pitch_at=0.6)
    left, right = (
        stepping_foot(
            foot, take.t, swing, leaves=off, lands=land, ahead=length,
            turned=(foot.side * 0.05, foot.side * (0.07 + 0.03 * rng.standard_normal())),
            push=foot.push(0.80, 0.55), push_for=off - low + 0.08, strike=0.12, flat_after=0.07,
        )
        for foot in (biped.legs[0].foot, biped.legs[1].foot)
    )  # fmt: skip
    lean = keyed(0.04, 0.62 + 0.12 * style, 0.16, 0.14 + 0.12 * style, 0.40, 0.55 + 0.10 * style, 0.04)
    curl = keyed(0.0, 0.30, -0.06, 0.10 + 0.10 * style, 0.22, 0.32, 0.0) * vary[3]
    nod = keyed(0.0, 0.0, -0.1, 0.2, 0.25, 0.1, 0.0)
    up = 2.25 + 0.35 * style
    swung = ArmTarget.swung(
        keyed,
        forward=(-0.72 * vary[4], up * vary[5], 0.75 * up, 0.95, 0.55),
        outward=(0.22, 0.16, 0.30, 0.38, 0.40),
        inward_twist=(0.05, 0.15, 0.15, 0.10, 0.15),
        elbow=(0.32, 0.30, 0.45, 0.50, 0.70),
        scales=(1.0, vary[6], 1.0, 1.0),
    )
    arms = [swung.plus(forward=wander(0.02), outward=wander(0.01), elbow=wander(0.02)) for _ in biped.arms]

    # The centre of mass: ahead of the feet at take-off, behind them at landing; its height over that of standing.
    ahead, behind, tiptoe = 0.26 * length, 0.24 * length, 0.05 * legs
    speed = (length - ahead - behind) / (land - off)
    travel_nodes = [
        (0.4 * low, 0.0, 0.0, 0.0),
        (off, ahead, speed, 0.0),
        (land, length - behind, speed, 0.0),
        (0.4 * bottom + 0.6 * stand, length, 0.0, 0.0),
    ]
    bounce_nodes = [
        (down, 0.0, 0.0, 0.0),
        (low, -crouch, 0.0, 0.8 * rise / (off - low)),
        (off, tiptoe, rise, -GRAVITY),
        (land, tiptoe - sunk, -fall, -GRAVITY),
        (bottom, tiptoe - sunk - 0.16 * legs, 0.0, 0.5 * fall / (bottom - land)),
        (stand, 0.0, 0.0, 0.0),
    ]
    travel, bounce = quintic(take.t, travel_nodes, hold=True), quintic(take.t, bounce_nodes, hold=True)
    targets = Targets(
        pelvis=biped.pelvis_rest + np.stack([wander(0.003), bounce, travel], axis=-1),
        pelvis_turn=turn(left=wander(0.01), forward=lean, right=wander(0.008)),
        chest_turn=turn(left=wander(0.015), forward=lean + curl, right=wander(0.01)),
        head_turn=turn(left=wander(0.02), forward=0.35 * (lean + curl) + nod),
        feet=(left, right),
        arms=(arms[0], arms[1]),
    )
    still = centre_of_mass(figure, realise(biped, targets))[0]
    centre = np.stack([np.full(len(take.t), np.nan), still[1] + bounce, still[2] + travel], axis=-1)
    q = realise(biped, follow_centre(biped, targets, centre))
    return Clip(figure, q, fps, "jump", events={"take_off": off, "apex": apex, "landing": land})
