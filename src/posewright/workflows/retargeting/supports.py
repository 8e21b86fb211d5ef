"""What else than feet comes to the ground: hands, elbows, knees and heads of bodies that crawl, kneel, lie or get up.

None of it sinks into the floor: hands bend, then arms, as do knees and necks; what carries the trunk raises it.
What rests is found in the source as feet are, low and slow. On the target it stays in one place while it does, as
far as the limb gives it without pulling at the trunk: bodies of other proportions would slide on their hands.
"""

from __future__ import annotations

import numpy as np

from posewright.anatomy.lexicon import SIDES
from posewright.conventions import Array, BoolArray
from posewright.figures.kinematics import joint_positions
from posewright.goals.timed import Timed, follow
from posewright.motions.contacts import intervals
from posewright.motions.smoothing import gaussian
from posewright.workflows.retargeting.hands import FINGERS
from posewright.workflows.retargeting.key_points import KeyPoints
from posewright.workflows.retargeting.reach import hand_activation, low_activation, smooth_need
from posewright.workflows.retargeting.setup import RetargetSetup

_PARTS = tuple(f"{side}_{part}" for part in ("wrist", "elbow", "knee") for side in SIDES)
_LOW = 0.12
"""Of the source's height: what never comes lower rests nowhere."""
_ENOUGH_FPS = 30.0
"""Frames per second that are looked at to see that."""
_FAR = 0.08
"""Of the length of the legs: how far at most something that rests is from where the posture has it."""
_EASE = 0.04
"""s: the width of what eases supports in and out."""
_SKIN = 0.005
"""m above the floor at which joints of hands, elbows and knees stay."""
_ARM_SHARE = 0.5
"""Share of what a hand is under the floor by which its wrist rises; it bends for the rest."""
_FINGERS_WEIGHT = 10.0
"""Of fingers above the floor over that of their wrist."""


class Supports:
    """Joints of the target that rest where those of the source do."""

    def __init__(self, setup: RetargetSetup) -> None:
        """Find them in the source."""
        source, body, target = setup.source, setup.match.source, setup.match.target
        parts = [part for part in _PARTS if part in setup.match.parts]
        joints = [body.segments.centre(part) for part in parts]
        some = source.q[:: max(1, int(source.fps / _ENOUGH_FPS))]
        heights = setup.scaling.floor.heights_of(joint_positions(source.figure, some)[:, joints])
        low = [k for k in range(len(parts)) if heights[:, k].min() < _LOW * source.figure.height]
        names = [source.figure.joint_names[joints[k]] for k in low]
        self._touching: BoolArray = np.zeros((len(source), 0), np.bool_)
        if names:
            self._touching = source.contacts(names, floor=setup.scaling.floor).touching
        self._columns = {target.figure.joint_names[target.segments.centre(parts[k])]: c for c, k in enumerate(low)}
        self._most, self._sigma = _FAR * target.segments.leg_length, _EASE * source.fps

    def of(self, joint: str, places: Array) -> tuple[Array, Array] | None:
        """What is added to places (frames, 3), m, of a joint, and how much that counts, (frames,); None: nothing."""
        column = self._columns.get(joint)
        if column is None or not self._touching[:, column].any():
            return None
        added, rests = np.zeros_like(places), self._touching[:, column]
        for first, after in intervals(rests).tolist():
            away = places[first:after].mean(axis=0) - places[first:after]
            away[:, 1] = 0.0
            far = np.linalg.norm(away, axis=1, keepdims=True)
            added[first:after] = away * np.minimum(1.0, self._most / np.maximum(far, 1e-9))
        return gaussian(added, self._sigma), gaussian(rests.astype(np.float64), self._sigma)


def end_goals(setup: RetargetSetup, points: KeyPoints, drop: Array, supports: Supports | None) -> list[Timed]:
    """Goals of wrists and head, which go where the lowered posture has them, and of all that would be under the floor.

    Args:
        setup: both figures.
        points: of the posture.
        drop: (frames,), m: how far it is lowered.
        supports: what rests on the ground; None: nothing is kept there.
    """
    figure, fps = setup.figure, setup.source.fps
    ends = [figure.joint_names[joint] for joint in setup.ends]
    names, places = [*ends, *setup.low], np.concatenate([points.ends, points.low], axis=1)
    hands = {figure.site(name).joint: names.index(name) for name in FINGERS if name in names}
    need = np.maximum(0.0, _SKIN + drop[:, None] - places[..., 1])
    for k, joint in enumerate(ends):
        below = np.maximum(0.0, _SKIN + drop - points.lowest[:, k])
        if joint in hands:  # the hand bends before the arm has to
            need[:, hands[joint]], need[:, k] = below, np.maximum(need[:, k], _ARM_SHARE * below)
        else:
            need[:, k] = below
    lift = smooth_need(need, fps)
    active = np.hstack([hand_activation(lift[:, : len(ends)]), low_activation(lift[:, len(ends) :])])
    places[..., 1] += lift - drop[:, None]
    goals = []
    for k, name in enumerate(names):
        held = None if supports is None else supports.of(name, places[:, k])
        if held is not None:
            places[:, k] += held[0]
            active[:, k] = np.maximum(active[:, k], held[1])
        if k < len(ends) or active[:, k].any():
            weight = _FINGERS_WEIGHT if name in FINGERS else 1.0
            goals.append(follow(name, places[:, k], weight=weight, activation=active[:, k], priority=2))
    return goals
