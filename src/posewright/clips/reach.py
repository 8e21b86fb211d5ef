"""Reaching for a point: the eyes go first, then the hand along a minimum-jerk path, the trunk only as far as needed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from posewright.clips.biped import Biped, measure
from posewright.clips.clip import Clip, Take, is_left, require_between
from posewright.clips.curves import ease, turn
from posewright.clips.feet import standing_foot
from posewright.clips.realise import leg_excess, realise, shoulder_points
from posewright.clips.targets import ArmTarget, HandTarget, Targets
from posewright.conventions import Array
from posewright.errors import InvalidSetting
from posewright.figures.figure import Figure
from posewright.figures.kinematics import site_frames

_LOOK, _START, _ARRIVE = 0.05, 0.15, 0.72
"""Shares of the duration: the eyes leave, the hand leaves, the hand is there."""


def reach(
    figure: Figure,
    target: npt.ArrayLike,
    *,
    side: str | None = None,
    duration: float = 1.6,
    seed: int = 0,
    fps: float = 60.0,
) -> Clip:
    """Reach for a point with one hand and keep it there; both feet stay in place.

    If the target is out of reach, the hand goes as far as the body allows. Events: arrive. Marks: target, palm.

    Args:
        figure: a biped with the joint names of the built-in bipeds.
        target: world position (3,), m; the figure stands at the origin and faces +z.
        side: the hand, "left" or "right"; default: the one on the target's side.
        duration: duration, s, from 0.5 to 10.
        seed: seed of the small differences between reaches.
        fps: frames per second.
    """
    point = np.asarray(target, dtype=np.float64)
    if point.shape != (3,) or not np.isfinite(point).all():
        raise InvalidSetting(f"target is {target!r}; it must be three finite numbers, a point in metres")
    require_between("duration", duration, 0.5, 10.0, "s")
    side = ("left" if point[0] > 0.0 else "right") if side is None else side
    mirrored = not is_left(side)
    biped = measure(figure)
    take = Take.lasting(duration, biped, np.random.default_rng(seed), fps)
    there = point * [-1.0, 1.0, 1.0] if mirrored else point  # everything is made for the left hand
    targets = _left_reach(take, there, duration, _least_effort(biped, there))
    q = realise(biped, targets.mirrored() if mirrored else targets)
    palm = site_frames(figure, q[-1], [f"{side}_hand"]).points[0]
    marks = {"target": tuple(point.tolist()), "palm": tuple(palm.tolist())}
    return Clip(figure, q, fps, "reach", events={"arrive": _ARRIVE * duration}, marks=marks)


def _left_reach(take: Take, point: Array, duration: float, effort: Array) -> Targets:
    biped, s, wander = take.biped, take.t / duration, take.wander
    vary = 1.0 + 0.04 * take.rng.standard_normal(4)
    quiet = 1.0 - ease(s, _START, _ARRIVE)
    body = ease(s, _START - 0.05, _ARRIVE + 0.04 * vary[0])
    targets = _leaning(biped, np.multiply.outer(body, effort), take.t)
    # Eyes on the target, as far as necks turn.
    eyes = biped.rest.positions[biped.head] + [0.0, 0.08, 0.05]
    aim = point - eyes - effort[3:6]
    yaw = float(np.clip(np.arctan2(aim[0], aim[2]), -1.2, 1.2))
    pitch = float(np.clip(-np.arctan2(aim[1], np.hypot(aim[0], aim[2])), -0.7, 0.9))
    look = ease(s, _LOOK, _LOOK + 0.3)

    relaxed = ArmTarget.relaxed(take)
    hand = ease(s, _START, _ARRIVE)
    # The hand does not cut a straight line from the thigh: it rises a little outward first.
    away = 0.06 * biped.arm_length * vary[1] * (hand * (1.0 - hand) * 4.0) ** 2
    # The elbow points back when the arm hangs, down when it is raised forward, and forward when it is overhead.
    line = point - shoulder_points(biped, targets)[0][-1]
    raised = np.arctan2(line[2], -line[1])
    hold = HandTarget(
        points=point + away[:, None] * np.array([0.6, 0.3, 0.5]),
        weight=hand,
        elbow=np.tile([0.6, -np.sin(raised), -np.cos(raised)], (len(s), 1)),
    )
    reaching = replace(relaxed.plus(elbow=0.9 * hand * (1.0 - hand)), hold=hold)
    back = -0.25 * body * min(1.0, 2.0 * abs(effort[0]) + abs(effort[2]))
    return replace(
        targets,
        arms=(reaching, ArmTarget.relaxed(take).plus(forward=back)),
        head_turn=turn(left=yaw * look + wander(0.01) * quiet, forward=pitch * look + wander(0.01) * quiet),
    )


def _leaning(biped: Biped, effort: Array, t: Array) -> Targets:
    """The body (frames) with effort (frames, 6): bend forward, to the left and turn right (rad), pelvis step (m)."""
    forward, aside, twist = effort[:, :3].T
    hanging = ArmTarget(*np.zeros((4, len(t))))
    return Targets(
        pelvis=biped.pelvis_rest + effort[:, 3:6],
        pelvis_turn=turn(left=0.35 * twist, forward=0.5 * forward, right=-0.25 * aside),
        chest_turn=turn(left=twist, forward=forward, right=-aside),
        head_turn=turn(left=np.zeros_like(t)),
        feet=(standing_foot(biped.legs[0].foot, t), standing_foot(biped.legs[1].foot, t)),
        arms=(hanging, hanging),
    )


def _least_effort(biped: Biped, point: Array) -> Array:
    """The least effort (6,) that brings the left shoulder within comfortable reach of the point."""
    legs, arm = biped.leg_length, biped.arms[0].to_palm.longest
    ease_of = np.array([0.5, 0.25, 0.4, 0.10 * legs, 0.22 * legs, legs])
    most = legs * np.array([0.10, 0.0, 0.06])
    least = legs * np.array([-0.10, -0.42, -0.40])
    limits = [(-0.2, 1.1), (-0.3, 0.45), (-0.7, 0.7), *zip(least, most, strict=True)]
    step = 1e-6
    t = np.zeros(7)

    def costs(efforts: Array) -> Array:
        targets = _leaning(biped, efforts, t)
        away = np.linalg.norm(point - shoulder_points(biped, targets)[0], axis=1)
        beyond = np.maximum(away - 0.93 * arm, 0.0) / arm
        stretched = leg_excess(biped, targets, 0.9988) / legs
        # Hips go back as the trunk bends forward and the knees give, so that the weight stays over the feet.
        balance = (efforts[:, 5] / legs + 0.15 * efforts[:, 0] - 0.45 * efforts[:, 4] / legs) / 0.03
        effort = np.sum((efforts / ease_of) ** 2, axis=1)
        total: Array = effort + balance**2 + 4000.0 * (beyond**2 + 25.0 * stretched**2)
        return total

    def cost_and_slope(effort: Array) -> tuple[float, Array]:
        found = costs(effort + step * np.vstack([np.zeros(6), np.eye(6)]))  # all differences as frames of one motion
        return float(found[0]), (found[1:] - found[0]) / step

    from scipy.optimize import minimize  # slow to import, needed here only

    best = minimize(cost_and_slope, np.zeros(6), jac=True, method="L-BFGS-B", bounds=limits, options={"maxiter": 80})
    return np.asarray(best.x)
