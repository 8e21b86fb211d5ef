"""Running: the body flies between steps, its centre of mass on a parabola, and the standing leg catches and throws it.

Shares of the gait cycle and angles are those of adults running at an easy pace (Novacheck 1998, *The biomechanics
of running*), scaled with the figure's legs and the speed.
"""

from __future__ import annotations

import numpy as np

from posewright.clips.biped import measure
from posewright.clips.clip import Clip
from posewright.clips.curves import quintic, round_and_round, wander
from posewright.clips.feet import Plant, Swing, foot_track
from posewright.clips.realise import follow_centre, realise
from posewright.clips.settings import frame_times, pace_of, require_steps
from posewright.clips.targets import ArmTarget, Targets
from posewright.clips.turns import turn
from posewright.conventions import GRAVITY, Array
from posewright.figures.figure import Figure
from posewright.figures.kinematics import centre_of_mass


def run(figure: Figure, *, speed: float | None = None, steps: int = 6, seed: int = 0, fps: float = 60.0) -> Clip:
    """Steady running along +z, from a left foot's landing on.

    Args:
        figure: a biped with the joint names of the built-in ones, with masses.
        speed: m/s; None is an easy pace for its legs (3.3 m/s for a person).
        steps: how many; an even number gives whole cycles.
        seed: of the small differences between one run and another.
        fps: frames per second.
    """
    biped = measure(figure)
    legs = biped.leg_length
    usual = 1.12 * np.sqrt(GRAVITY * legs)
    speed, pace = pace_of("run", speed, usual, legs, slowest=0.6, fastest=1.6)
    require_steps(steps)
    rng = np.random.default_rng(seed)
    vary = 1.0 + 0.04 * rng.standard_normal(8)

    step_time = 1.18 * np.sqrt(legs / GRAVITY) * pace**-0.35 * (1.0 + 0.01 * rng.standard_normal())
    contact = min(0.62 * step_time, 0.76 * legs / speed)
    cycle = 2.0 * step_time
    t = frame_times(steps * step_time, fps)
    phase = t / cycle

    feet = []
    for side, offset, leg in ((1.0, 0.0, biped.legs[0]), (-1.0, 0.5, biped.legs[1])):
        foot = leg.foot
        push = foot.push(0.85, 0.60)
        plants = [
            Plant(
                place=np.array(
                    [side * 0.40 * abs(foot.sole[0]), 0.0, speed * (land + 0.38 * contact) - 0.5 * foot.ankle[2]]
                ),
                start=land,
                end=land + contact,
                ground=turn(left=side * 0.04),
                strike=0.16,
                flat_after=0.22 * contact,
                push=push,
                push_for=0.74 * contact,
            )
            for land in cycle * (np.arange(-2, steps // 2 + 3) + offset)
        ]
        swing = Swing(
            spare=0.025,
            clearance=0.09 * legs,
            lift=0.30 * legs * pace * vary[0],
            lift_at=0.36,
            pitch=-0.75,
            pitch_at=0.60,
            hover=0.05 * legs,
            late=0.04,
        )
        feet.append(foot_track(foot, t, plants, swing))

    wave = 2.0 * np.pi * phase
    heights = _bounce(t, step_time, contact)
    pelvis = biped.pelvis_rest + np.stack(
        [0.012 * legs * np.cos(wave - np.pi * contact / cycle), heights - 0.02 * legs, speed * t], axis=-1
    )
    lean = 0.10 + 0.05 * pace
    yaw = 0.13 * vary[1]
    targets = Targets(
        pelvis=pelvis,
        pelvis_turn=turn(
            left=-yaw * np.cos(wave + 0.3), forward=lean + 0.03 * np.cos(2.0 * wave), right=0.06 * np.cos(wave - 0.7)
        ),
        chest_turn=turn(
            left=1.3 * yaw * np.cos(wave + 0.5) + wander(rng, t, 0.01),
            forward=lean + 0.02 + wander(rng, t, 0.01),
            right=-0.02 * np.cos(wave - 0.7),
        ),
        head_turn=turn(left=wander(rng, t, 0.03), forward=0.06 + wander(rng, t, 0.015)),
        feet=(feet[0], feet[1]),
        arms=(_arm(rng, phase + 0.5, pace * vary[2], t), _arm(rng, phase, pace * vary[3], t)),
    )
    # The centre of mass bounces and travels as planned; how far it is from the pelvis, the body itself decides.
    away = (centre_of_mass(figure, realise(biped, targets)) - pelvis).mean(axis=0)
    centre = pelvis + away
    centre[:, 0] = np.nan
    q = realise(biped, follow_centre(biped, targets, centre))
    events = {}
    for k in range(steps):
        events[f"landing_{k}"], events[f"take_off_{k}"] = k * step_time, k * step_time + contact
    return Clip(figure, q, fps, "run", events=events)


def _bounce(t: Array, step: float, contact: float) -> Array:
    """Height (frames,), m, over that of landing: a parabola in flight, in contact a valley that joins them smoothly."""
    flight = step - contact
    rise = 0.5 * GRAVITY * flight
    s = np.mod(t, step)
    valley = quintic(s, [(0.0, 0.0, -rise, -GRAVITY), (contact, 0.0, rise, -GRAVITY)])
    u = s - contact
    heights: Array = np.where(s < contact, valley, rise * u - 0.5 * GRAVITY * u * u)
    return heights


def _arm(rng: np.random.Generator, phase: Array, pace: float, t: Array) -> ArmTarget:
    """An arm whose opposite foot lands at phase 0; it is foremost shortly before, with the opposite knee."""
    swing = round_and_round(phase, [(0.14, -0.12), (0.40, -0.85), (0.66, -0.12), (0.90, 0.38)])
    bend = round_and_round(phase, [(0.15, 1.50), (0.42, 1.40), (0.66, 1.60), (0.91, 1.75)])
    return ArmTarget(
        forward=(0.6 + 0.4 * pace) * swing + wander(rng, t, 0.02),
        outward=0.24 - 0.08 * np.cos(2.0 * np.pi * phase + 0.7) + wander(rng, t, 0.01),
        inward_twist=0.30 + 0.30 * np.cos(2.0 * np.pi * phase + 0.7),
        elbow=bend + wander(rng, t, 0.03),
    )
