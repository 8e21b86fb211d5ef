"""Walking and running.

In a walk the heel strikes, the foot rolls and leaves by its toes; the pelvis rises over the standing leg, and the arms
swing against the legs. In a run the body flies between steps, its centre of mass on a parabola, and the standing leg
catches and throws it. Times are shares of the gait cycle from the left foot's landing; amplitudes are those of adults
(Winter, *The Biomechanics and Motor Control of Human Gait*; Novacheck 1998, *The biomechanics of running*), scaled
with the figure's legs and the speed.
"""

from __future__ import annotations

import numpy as np

from posewright.clips.biped import measure
from posewright.clips.clip import Clip, Take
from posewright.clips.curves import periodic, quintic, turn
from posewright.clips.feet import Plant, Swing, foot_track
from posewright.clips.realise import follow_centre, legs_in_reach, realise
from posewright.clips.targets import ArmTarget, FootTarget, Targets
from posewright.conventions import GRAVITY, Array
from posewright.errors import InvalidSetting
from posewright.figures.figure import Figure
from posewright.figures.kinematics import centre_of_mass

_STANCE = 0.62
"""Share of the cycle that a walking foot is on the ground."""


def walk(figure: Figure, *, speed: float | None = None, steps: int = 6, seed: int = 0, fps: float = 60.0) -> Clip:
    """Steady walking along +z, starting at a left heel strike.

    Args:
        figure: a biped with the joint names of the built-in bipeds.
        speed: speed, m/s; default: comfortable for its legs (1.3 m/s for a person).
        steps: number of steps; an even number gives whole cycles.
        seed: seed of the small differences between walks.
        fps: frames per second.
    """
    biped = measure(figure)
    legs = biped.leg_length
    usual = 0.43 * np.sqrt(GRAVITY * legs)
    speed = _speed("walk", speed, usual, legs, steps, slowest=0.3, fastest=1.7)
    brisk = speed / usual
    rng = np.random.default_rng(seed)
    vary = 1.0 + 0.05 * rng.standard_normal(8)
    cycle = 2.0 * 0.74 * legs * brisk**0.45 * (1.0 + 0.02 * rng.standard_normal()) / speed
    take = Take.lasting(steps * cycle / 2.0, biped, rng, fps)
    t, wander, phase = take.t, take.wander, take.t / cycle
    feet = _strides(
        take, cycle, steps, speed, _STANCE * cycle, Swing(clearance=0.025 * legs, pitch=0.10),
        width=0.62 * vary[0], under=(0.43, 0.6), turned_out=0.06 * vary[1], strike=0.30 * min(brisk, 1.2),
        flat_after=0.11 * cycle, push=(0.72 * min(brisk, 1.2), 0.55), push_for=0.27 * cycle,
    )  # fmt: skip

    sway, bob = 0.022 * legs * vary[2], 0.011 * legs * brisk * vary[3]
    wave = 2.0 * np.pi * phase
    across = sway * np.cos(wave - 2.0 * np.pi * 0.30)
    height = 0.010 * legs - bob * np.cos(2.0 * wave - 4.0 * np.pi * 0.06)
    ahead = speed * t + 0.008 * legs * np.sin(2.0 * wave)
    yaw = 0.085 * brisk * vary[4]
    list_ = 0.055 * vary[5] * np.cos(wave - 2.0 * np.pi * 0.14)
    lean = 0.03 + 0.03 * brisk + 0.012 * np.cos(2.0 * wave - 0.8)

    def arm(phase: Array, brisk: float) -> ArmTarget:
        """An arm whose opposite leg's heel strikes at phase 0, when the arm is about to be foremost."""
        swing = periodic(phase, [(0.04, 0.40), (0.28, 0.02), (0.54, -0.36), (0.80, 0.04)])
        bend = periodic(phase, [(0.07, 0.60), (0.32, 0.34), (0.56, 0.24), (0.82, 0.40)])
        return ArmTarget(
            forward=brisk * swing + 0.02 + wander(0.012),
            outward=0.15 + 0.03 * np.cos(2.0 * np.pi * phase + 2.6) + wander(0.008),
            inward_twist=0.10 + 0.10 * np.cos(2.0 * np.pi * phase),
            elbow=np.maximum(bend * (0.5 + 0.5 * brisk) + wander(0.015), 0.12),
        )

    targets = Targets(
        pelvis=biped.pelvis_rest + np.stack([across, height, ahead], axis=-1),
        pelvis_turn=turn(left=-yaw * np.cos(wave - 0.15), forward=lean, right=list_),
        chest_turn=turn(
            left=0.8 * yaw * np.cos(wave - 0.35) + wander(0.01),
            forward=lean - 0.01 + wander(0.008),
            right=-0.35 * list_,
        ),
        head_turn=turn(left=wander(0.03), forward=0.04 + wander(0.015), right=-0.2 * list_),
        feet=feet,
        arms=(arm(phase + 0.5, brisk * vary[6]), arm(phase, brisk * vary[7])),
    )
    q = realise(biped, legs_in_reach(biped, targets, fps))
    events = {f"strike_{k}": k * cycle / 2.0 for k in range(steps + 1)}
    return Clip(figure, q, fps, "walk", events=events)


def run(figure: Figure, *, speed: float | None = None, steps: int = 6, seed: int = 0, fps: float = 60.0) -> Clip:
    """Steady running along +z, starting at a landing on the left foot.

    Args:
        figure: a biped with the joint names of the built-in bipeds, with masses.
        speed: speed, m/s; default: easy for its legs (3.3 m/s for a person).
        steps: number of steps; an even number gives whole cycles.
        seed: seed of the small differences between runs.
        fps: frames per second.
    """
    biped = measure(figure)
    legs = biped.leg_length
    usual = 1.12 * np.sqrt(GRAVITY * legs)
    speed = _speed("run", speed, usual, legs, steps, slowest=0.6, fastest=1.6)
    pace = speed / usual
    rng = np.random.default_rng(seed)
    vary = 1.0 + 0.04 * rng.standard_normal(8)
    step = 1.18 * np.sqrt(legs / GRAVITY) * pace**-0.35 * (1.0 + 0.01 * rng.standard_normal())
    contact = min(0.62 * step, 0.76 * legs / speed)
    cycle = 2.0 * step
    take = Take.lasting(steps * step, biped, rng, fps)
    wander, phase = take.wander, take.t / cycle
    swing = Swing(
        spare=0.025, clearance=0.09 * legs, lift=0.30 * legs * pace * vary[0], lift_at=0.36,
        pitch=-0.75, pitch_at=0.60, hover=0.05 * legs, late=0.04,
    )  # fmt: skip
    feet = _strides(
        take, cycle, steps, speed, contact, swing, width=0.40, under=(0.38, 0.5), turned_out=0.04,
        strike=0.16, flat_after=0.22 * contact, push=(0.85, 0.60), push_for=0.74 * contact,
    )  # fmt: skip

    wave = 2.0 * np.pi * phase
    across = 0.012 * legs * np.cos(wave - np.pi * contact / cycle)
    height = _bounce(take.t, step, contact) - 0.02 * legs
    pelvis = biped.pelvis_rest + np.stack([across, height, speed * take.t], axis=-1)
    lean, yaw = 0.10 + 0.05 * pace, 0.13 * vary[1]

    def arm(phase: Array, pace: float) -> ArmTarget:
        """An arm whose opposite foot lands at phase 0; it is foremost shortly before, with the opposite knee."""
        swing = periodic(phase, [(0.14, -0.12), (0.40, -0.85), (0.66, -0.12), (0.90, 0.38)])
        bend = periodic(phase, [(0.15, 1.50), (0.42, 1.40), (0.66, 1.60), (0.91, 1.75)])
        return ArmTarget(
            forward=(0.6 + 0.4 * pace) * swing + wander(0.02),
            outward=0.24 - 0.08 * np.cos(2.0 * np.pi * phase + 0.7) + wander(0.01),
            inward_twist=0.30 + 0.30 * np.cos(2.0 * np.pi * phase + 0.7),
            elbow=bend + wander(0.03),
        )

    sideways, nod = np.cos(wave - 0.7), 0.03 * np.cos(2.0 * wave)
    targets = Targets(
        pelvis=pelvis,
        pelvis_turn=turn(left=-yaw * np.cos(wave + 0.3), forward=lean + nod, right=0.06 * sideways),
        chest_turn=turn(
            left=1.3 * yaw * np.cos(wave + 0.5) + wander(0.01),
            forward=lean + 0.02 + wander(0.01),
            right=-0.02 * sideways,
        ),
        head_turn=turn(left=wander(0.03), forward=0.06 + wander(0.015)),
        feet=feet,
        arms=(arm(phase + 0.5, pace * vary[2]), arm(phase, pace * vary[3])),
    )
    # The centre of mass bounces and travels as planned; how far it is from the pelvis, the body itself decides.
    centre = pelvis + (centre_of_mass(figure, realise(biped, targets)) - pelvis).mean(axis=0)
    centre[:, 0] = np.nan
    q = realise(biped, follow_centre(biped, targets, centre))
    events = {}
    for k in range(steps):
        events[f"landing_{k}"], events[f"take_off_{k}"] = k * step, k * step + contact
    return Clip(figure, q, fps, "run", events=events)


def _speed(
    gait: str, speed: float | None, usual: float, legs: float, steps: int, *, slowest: float, fastest: float
) -> float:
    """The speed (m/s), `usual` if none is given; refused below `slowest` and above `fastest` times the usual."""
    if steps < 1:
        raise InvalidSetting(f"steps is {steps}; at least 1 is needed")
    chosen = float(usual if speed is None else speed)
    if not slowest <= chosen / usual <= fastest:
        raise InvalidSetting(
            f"speed is {chosen:g} m/s; a {gait} with legs of {legs:.2f} m needs "
            f"{slowest * usual:.2f} to {fastest * usual:.2f} m/s"
        )
    return chosen


def _strides(
    take: Take, cycle: float, steps: int, speed: float, contact: float, swing: Swing, *,
    width: float, under: tuple[float, float], turned_out: float, strike: float, flat_after: float,
    push: tuple[float, float], push_for: float,
) -> tuple[FootTarget, FootTarget]:  # fmt: skip
    """Both feet, step after step, half a cycle (s) apart, each on the ground for `contact` (s).

    The track is `width` times as wide as the stance. The pelvis is over the foot at `under[0]` of the contact, over the
    point that is `under[1]` of the way from ankle to sole. The rest is as of a `Plant` and of `Foot.push`.
    """
    feet = []
    for offset, foot in zip((0.0, 0.5), (leg.foot for leg in take.biped.legs), strict=True):
        plants = []
        for start in cycle * (np.arange(-2, steps // 2 + 3) + offset):
            ahead = speed * (start + under[0] * contact) - under[1] * foot.ankle[2]
            plants.append(
                Plant(
                    place=np.array([width * foot.sole[0], 0.0, ahead]),
                    start=start,
                    end=start + contact,
                    ground=turn(left=foot.side * turned_out),
                    strike=strike,
                    flat_after=flat_after,
                    push=foot.push(*push),
                    push_for=push_for,
                )
            )
        feet.append(foot_track(foot, take.t, plants, swing))
    return feet[0], feet[1]


def _bounce(t: Array, step: float, contact: float) -> Array:
    """Height (frames,), m, over that of landing: a parabola in flight, in contact a valley that joins them smoothly."""
    rise = 0.5 * GRAVITY * (step - contact)
    s = np.mod(t, step)
    valley = quintic(s, [(0.0, 0.0, -rise, -GRAVITY), (contact, 0.0, rise, -GRAVITY)])
    u = s - contact
    heights: Array = np.where(s < contact, valley, rise * u - 0.5 * GRAVITY * u * u)
    return heights
