"""Walking: heel strike, roll, toe-off; the pelvis rises over the standing leg, the arms swing against the legs.

Times are shares of the gait cycle from the left heel's strike; amplitudes are those of adults at their usual speed
(Winter, *The Biomechanics and Motor Control of Human Gait*), scaled with the figure's legs and the speed.
"""

from __future__ import annotations

import numpy as np

from posewright.clips.biped import measure
from posewright.clips.clip import Clip
from posewright.clips.curves import round_and_round, wander
from posewright.clips.feet import Plant, Swing, foot_track
from posewright.clips.realise import legs_in_reach, realise
from posewright.clips.settings import frame_times, pace_of, require_steps
from posewright.clips.targets import ArmTarget, Targets
from posewright.clips.turns import turn
from posewright.conventions import GRAVITY, Array
from posewright.figures.figure import Figure

_STANCE = 0.62
"""Share of the cycle that a foot is on the ground."""


def walk(figure: Figure, *, speed: float | None = None, steps: int = 6, seed: int = 0, fps: float = 60.0) -> Clip:
    """Steady walking along +z, from a left heel strike on.

    Args:
        figure: a biped with the joint names of the built-in ones.
        speed: m/s; None is the comfortable speed of its legs (1.3 m/s for a person).
        steps: how many; an even number gives whole cycles.
        seed: of the small differences between one walk and another.
        fps: frames per second.
    """
    biped = measure(figure)
    legs = biped.leg_length
    usual = 0.43 * np.sqrt(GRAVITY * legs)
    speed, brisk = pace_of("walk", speed, usual, legs, slowest=0.3, fastest=1.7)
    require_steps(steps)
    rng = np.random.default_rng(seed)
    vary = 1.0 + 0.05 * rng.standard_normal(8)

    step = 0.74 * legs * brisk**0.45 * (1.0 + 0.02 * rng.standard_normal())
    cycle = 2.0 * step / speed
    t = frame_times(steps * cycle / 2.0, fps)
    phase = t / cycle

    feet = []
    for side, offset, leg in ((1.0, 0.0, biped.legs[0]), (-1.0, 0.5, biped.legs[1])):
        foot = leg.foot
        push = foot.push(0.72 * min(brisk, 1.2), 0.55)
        width = 0.62 * abs(foot.sole[0]) * vary[0]
        plants = [
            Plant(
                place=np.array([side * width, 0.0, speed * (strike + 0.43 * _STANCE * cycle) + foot.ankle[2] * -0.6]),
                start=strike,
                end=strike + _STANCE * cycle,
                ground=turn(left=side * 0.06 * vary[1]),
                strike=0.30 * min(brisk, 1.2),
                flat_after=0.11 * cycle,
                push=push,
                push_for=0.27 * cycle,
            )
            for strike in cycle * (np.arange(-2, steps // 2 + 3) + offset)
        ]
        feet.append(foot_track(foot, t, plants, Swing(clearance=0.025 * legs, pitch=0.10)))

    sway, bob = 0.022 * legs * vary[2], 0.011 * legs * brisk * vary[3]
    wave = 2.0 * np.pi * phase
    pelvis = biped.pelvis_rest + np.stack(
        [
            sway * np.cos(wave - 2.0 * np.pi * 0.30),
            0.010 * legs - bob * np.cos(2.0 * wave - 4.0 * np.pi * 0.06),
            speed * t + 0.008 * legs * np.sin(2.0 * wave),
        ],
        axis=-1,
    )
    yaw = 0.085 * brisk * vary[4]
    list_ = 0.055 * vary[5] * np.cos(wave - 2.0 * np.pi * 0.14)
    lean = 0.03 + 0.03 * brisk + 0.012 * np.cos(2.0 * wave - 0.8)
    targets = Targets(
        pelvis=pelvis,
        pelvis_turn=turn(left=-yaw * np.cos(wave - 0.15), forward=lean, right=list_),
        chest_turn=turn(
            left=0.8 * yaw * np.cos(wave - 0.35) + wander(rng, t, 0.01),
            forward=lean - 0.01 + wander(rng, t, 0.008),
            right=-0.35 * list_,
        ),
        head_turn=turn(left=wander(rng, t, 0.03), forward=0.04 + wander(rng, t, 0.015), right=-0.2 * list_),
        feet=(feet[0], feet[1]),
        arms=(_arm(rng, phase + 0.5, brisk * vary[6], t), _arm(rng, phase, brisk * vary[7], t)),
    )
    q = realise(biped, legs_in_reach(biped, targets, fps, share=0.9975))
    events = {f"strike_{k}": k * cycle / 2.0 for k in range(steps + 1)}
    return Clip(figure, q, fps, "walk", events=events)


def _arm(rng: np.random.Generator, phase: Array, brisk: float, t: Array) -> ArmTarget:
    """An arm whose opposite leg's heel strikes at phase 0, when the arm is about to be foremost."""
    swing = round_and_round(phase, [(0.04, 0.40), (0.28, 0.02), (0.54, -0.36), (0.80, 0.04)])
    bend = round_and_round(phase, [(0.07, 0.60), (0.32, 0.34), (0.56, 0.24), (0.82, 0.40)])
    return ArmTarget(
        forward=brisk * swing + 0.02 + wander(rng, t, 0.012),
        outward=0.15 + 0.03 * np.cos(2.0 * np.pi * phase + 2.6) + wander(rng, t, 0.008),
        inward_twist=0.10 + 0.10 * np.cos(2.0 * np.pi * phase),
        elbow=np.maximum(bend * (0.5 + 0.5 * brisk) + wander(rng, t, 0.015), 0.12),
    )
