"""A standing jump: crouch with the arms back, throw them up, fly, land softly, stand.

In flight the centre of mass is on a parabola and travels at constant speed; on the ground its height, speed and
acceleration join those of the flight, so nothing jerks at take-off and landing.
"""

from __future__ import annotations

import numpy as np

from posewright.clips.biped import Foot, measure
from posewright.clips.clip import Clip
from posewright.clips.curves import quintic, through, wander
from posewright.clips.feet import Plant, Swing, foot_track
from posewright.clips.realise import follow_centre, realise
from posewright.clips.settings import frame_times, require_between
from posewright.clips.stance import RELAXED_ELBOW, RELAXED_FORWARD, RELAXED_OUTWARD
from posewright.clips.targets import ArmTarget, FootTarget, Targets
from posewright.clips.turns import along, turn
from posewright.conventions import GRAVITY, Array
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
    """A jump with both feet, forward along +z.

    Events: take_off, apex, landing.

    Args:
        figure: a biped with the joint names of the built-in ones, with masses.
        length: m, how far the feet travel; None is 0.9 leg lengths (0.8 m for a person).
        height: m, how far the centre of mass rises after take-off; None is 0.25 leg lengths.
        style: from -1 (shallow, arms low, legs stretched) to 1 (deep crouch, arms thrown high, knees tucked).
        seed: of the small differences between one jump and another.
        fps: frames per second.
    """
    biped = measure(figure)
    legs = biped.leg_length
    length = 0.9 * legs if length is None else length
    height = 0.25 * legs if height is None else height
    require_between("length", length, 0.0, 2.0 * legs, "m")
    require_between("height", height, 0.08 * legs, 0.7 * legs, "m")
    require_between("style", style, -1.0, 1.0, "(no unit)")
    rng = np.random.default_rng(seed)
    vary = 1.0 + 0.05 * rng.standard_normal(10)
    pace = np.sqrt(legs / 0.86)

    rise = np.sqrt(2.0 * GRAVITY * height)
    crouch = (0.28 + 0.05 * style) * legs * vary[0]
    sink = (0.13 + 0.03 * style) * legs  # how much lower than at take-off the body is when the feet touch again
    fall = np.sqrt(rise**2 + 2.0 * GRAVITY * sink)
    flight = (rise + fall) / GRAVITY
    down, low = 0.25 * pace, 0.85 * pace * vary[1]
    off = low + 1.75 * (crouch + 0.05 * legs) / rise
    apex, land = off + rise / GRAVITY, off + flight
    bottom = land + 0.24 * pace * vary[2]
    stand = bottom + 0.85 * pace
    t = frame_times(stand + 0.25 * pace, fps)

    feet = [
        _foot(
            leg.foot,
            t,
            length,
            low,
            off,
            land,
            stand,
            0.10 * legs * (1.0 + style) + 0.35 * height,
            0.03 * rng.standard_normal(),
        )
        for leg in biped.legs
    ]
    bend = {"stand": 0.04, "low": 0.62 + 0.12 * style, "off": 0.16, "apex": 0.14 + 0.12 * style, "land": 0.40}
    deep = 0.55 + 0.10 * style
    when = {"down": down, "low": low, "off": off, "apex": apex, "land": land, "bottom": bottom, "stand": stand}

    def keyed(*values: float) -> Array:
        return through(t, list(zip(when.values(), values, strict=True)))

    lean = keyed(bend["stand"], bend["low"], bend["off"], bend["apex"], bend["land"], deep, bend["stand"])
    curl = keyed(0.0, 0.30, -0.06, 0.10 + 0.10 * style, 0.22, 0.32, 0.0) * vary[3]
    up = 2.25 + 0.35 * style
    swing = keyed(RELAXED_FORWARD, -0.72 * vary[4], up * vary[5], 0.75 * up, 0.95, 0.55, RELAXED_FORWARD)
    arms = [
        ArmTarget(
            forward=swing + wander(rng, t, 0.02),
            outward=keyed(RELAXED_OUTWARD, 0.22, 0.16, 0.30, 0.38, 0.40, RELAXED_OUTWARD) * vary[6]
            + wander(rng, t, 0.01),
            inward_twist=keyed(0.10, 0.05, 0.15, 0.15, 0.10, 0.15, 0.10),
            elbow=keyed(RELAXED_ELBOW, 0.32, 0.30, 0.45, 0.50, 0.70, RELAXED_ELBOW) + wander(rng, t, 0.02),
        )
        for _ in range(2)
    ]
    travel = _travel(t, length, low, off, land, bottom, stand)
    bounce = _bounce(t, crouch, rise, fall, sink, down, low, off, land, bottom, stand, 0.05 * legs, 0.16 * legs)
    targets = Targets(
        pelvis=biped.pelvis_rest + np.stack([wander(rng, t, 0.003), bounce, travel], axis=-1),
        pelvis_turn=turn(left=wander(rng, t, 0.01), forward=lean, right=wander(rng, t, 0.008)),
        chest_turn=turn(left=wander(rng, t, 0.015), forward=lean + curl, right=wander(rng, t, 0.01)),
        head_turn=turn(
            left=wander(rng, t, 0.02), forward=0.35 * (lean + curl) + keyed(0.0, 0.0, -0.1, 0.2, 0.25, 0.1, 0.0)
        ),
        feet=(feet[0], feet[1]),
        arms=(arms[0], arms[1]),
    )
    still = centre_of_mass(figure, realise(biped, targets))[0]
    centre = np.stack([np.full(len(t), np.nan), still[1] + bounce, still[2] + travel], axis=-1)
    q = realise(biped, follow_centre(biped, targets, centre))
    return Clip(figure, q, fps, "jump", events={"take_off": off, "apex": apex, "landing": land})


def _foot(
    foot: Foot, t: Array, length: float, low: float, off: float, land: float, stand: float, tuck: float, out: float
) -> FootTarget:
    side = np.sign(foot.sole[0])
    push = foot.push(0.80, 0.55)
    plants = [
        Plant(
            place=foot.sole, start=-1.0, end=off, ground=turn(left=side * 0.05), push=push, push_for=off - low + 0.08
        ),
        Plant(
            place=foot.sole + along(length),
            start=land,
            end=stand + 5.0,
            ground=turn(left=side * (0.07 + out)),
            strike=0.12,
            flat_after=0.07,
        ),
    ]
    return foot_track(
        foot,
        t,
        plants,
        Swing(spare=0.06, clearance=0.02, lift=tuck, lift_at=0.5, hover=0.3 * tuck, pitch=0.1, pitch_at=0.6),
    )


def _travel(t: Array, length: float, low: float, off: float, land: float, bottom: float, stand: float) -> Array:
    """How far forward the centre of mass is (frames,), m: ahead of the feet at take-off, behind them at landing."""
    ahead, behind = 0.26 * length, 0.24 * length
    speed = (length - ahead - behind) / (land - off)
    nodes = [
        (0.4 * low, 0.0, 0.0, 0.0),
        (off, ahead, speed, 0.0),
        (land, length - behind, speed, 0.0),
        (0.4 * bottom + 0.6 * stand, length, 0.0, 0.0),
    ]
    return quintic(np.clip(t, nodes[0][0], nodes[-1][0]), nodes)


def _bounce(
    t: Array, crouch: float, rise: float, fall: float, sink: float, down: float, low: float, off: float, land: float,
    bottom: float, stand: float, tiptoe: float, give: float,
) -> Array:  # fmt: skip
    """How much higher than in the quiet stance the centre of mass is (frames,), m."""
    nodes = [
        (down, 0.0, 0.0, 0.0),
        (low, -crouch, 0.0, 0.8 * rise / (off - low)),
        (off, tiptoe, rise, -GRAVITY),
        (land, tiptoe - sink, -fall, -GRAVITY),
        (bottom, tiptoe - sink - give, 0.0, 0.5 * fall / (bottom - land)),
        (stand, 0.0, 0.0, 0.0),
    ]
    return quintic(np.clip(t, nodes[0][0], nodes[-1][0]), nodes)
