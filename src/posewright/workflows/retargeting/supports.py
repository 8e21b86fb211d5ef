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
from posewright.motions.splines import ease
from posewright.workflows.retargeting.feet import Feet
from posewright.workflows.retargeting.hands import FINGERS
from posewright.workflows.retargeting.key_points import KeyPoints
from posewright.workflows.retargeting.reach import clear_activation, hand_activation, low_activation, smooth_need
from posewright.workflows.retargeting.setup import RetargetSetup

_PARTS = tuple(f"{side}_{part}" for part in ("wrist", "elbow", "knee") for side in SIDES)
_LOW = 0.12
"""Of the source's height: what never comes lower rests nowhere."""
_ENOUGH_FPS = 30.0
"""Frames per second that are looked at to see that."""
_FAR = 0.04
"""Of the length of the legs: how far at most something that rests is from where the posture has it."""
_EASE = 0.04
"""s: the width of what eases supports in and out."""
_SKIN = 0.005
"""m above the floor at which joints of hands, elbows and knees stay."""
_STEEPEST, _HALVINGS = 1.2, 16
"""rad by which arms are turned up at most, and how often the span is halved."""
_SLIGHT = 0.1
"""rad below which arms are turned up where they point, beyond where they point on the mean."""
_ALONG = 0.2
"""Share of the whole arm in where a bone points from above, which one that hangs down does not tell."""
_FACING = 0.02
"""Share of where the body faces in where a hand is laid."""
_UP = np.array([0.0, 1.0, 0.0])
_TURN = 0.04
"""s: the width of what smooths where a hand points that is laid on the floor."""


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
        rests = self._touching[:, column]
        return held_still(places, rests, self._most, self._sigma), gaussian(rests.astype(np.float64), self._sigma)


def lying_feet(setup: RetargetSetup, feet: Feet, soles: Array, turns: Array, lying: BoolArray) -> Array:
    """Places (frames, 2, 3), m, of soles that lie on the floor without carrying anybody, held there a little.

    Args:
        setup: both figures.
        feet: of the target.
        soles: (frames, 2, 3), m: where they are carried to.
        turns: (frames, 2, 3, 3): how they are turned.
        lying: (frames, 4): whether left heel, left toes, right heel, right toes lie.
    """
    held = soles.copy()
    most, sigma = _FAR * setup.match.target.segments.leg_length, _EASE * setup.source.fps
    for f in range(2):
        for end, point in enumerate((feet.table["heel"][f], feet.table["toe_tip"][f])):
            if lying[:, 2 * f + end].any():
                places = held[:, f] + turns[:, f] @ point
                held[:, f] += held_still(places, lying[:, 2 * f + end], most, sigma)
    return held


def held_still(places: Array, rests: BoolArray, most: float, sigma: float) -> Array:
    """What is added to places (frames, 3), m, so that they stay where they are on the mean while something rests there.

    Args:
        places: of it.
        rests: (frames,)
        most: m that is added at most.
        sigma: frames: the width of what eases it in and out.
    """
    added = np.zeros_like(places)
    for first, after in intervals(rests).tolist():
        away = places[first:after].mean(axis=0) - places[first:after]
        away[:, 1] = 0.0
        far = np.linalg.norm(away, axis=1, keepdims=True)
        added[first:after] = away * np.minimum(1.0, most / np.maximum(far, 1e-9))
    return gaussian(added, max(sigma, 0.5))


def hands_of(setup: RetargetSetup) -> dict[int, int]:
    """For each wrist among the ends of a target, which of ends and low points are the tips of its fingers."""
    body, ends = setup.match.target, list(setup.ends)
    found = {}
    for side, tips in zip(SIDES, FINGERS, strict=True):
        if f"{side}_wrist" in setup.match.parts and tips in setup.low:
            found[ends.index(body.first(f"{side}_wrist"))] = len(ends) + setup.low.index(tips)
    return found


def end_goals(
    setup: RetargetSetup, points: KeyPoints, drop: Array, supports: Supports | None, sunk: Array, clear: Array
) -> list[Timed]:
    """Goals of wrists and head, which go where the lowered posture has them, and of all that would be under the floor.

    Args:
        setup: both figures.
        points: of the posture.
        drop: (frames,), m: how far it is lowered.
        supports: what rests on the ground; None: nothing is kept there.
        sunk: (frames, ends and low), m: how far each still was under the floor when it was solved before.
        clear: (frames, ends, 3), m: how far each is moved to leave the body alone.
    """
    figure, fps = setup.figure, setup.source.fps
    ends = [figure.joint_names[joint] for joint in setup.ends]
    names, places = [*ends, *setup.low], np.concatenate([points.ends, points.low], axis=1)
    hands = hands_of(setup)
    need = np.maximum(0.0, _SKIN + drop[:, None] - places[..., 1])
    below = np.maximum(0.0, _SKIN + drop[:, None] - points.lowest)
    for k in range(len(ends)):
        need[:, hands.get(k, k)] = below[:, k]  # hands bend; heads rise
    need += sunk
    lift = smooth_need(need, fps)
    active = np.hstack([hand_activation(lift[:, : len(ends)]), low_activation(lift[:, len(ends) :])])
    front = np.cross(points.shoulders[:, 0] - points.shoulders[:, 1], _UP)
    reach = {wrist: places[:, tips] - places[:, wrist] for wrist, tips in hands.items()}
    places[..., 1] -= drop[:, None]
    for wrist, (elbow, side) in setup.arms.items():
        elbow += len(ends)
        if lift[:, [wrist, elbow]].any():
            shoulder = points.shoulders[:, side] - drop[:, None] * _UP
            arm = np.stack([shoulder, places[:, elbow], places[:, wrist]], axis=1)
            places[:, [elbow, wrist]] = _raised(arm, lift[:, [elbow, wrist]], fps)
            active[:, elbow] = np.maximum(active[:, elbow], low_activation(lift[:, wrist]))
            lift[:, [elbow, wrist]] = 0.0
    places[..., 1] += lift
    places[:, : len(ends)] += clear
    active[:, : len(ends)] = np.maximum(active[:, : len(ends)], clear_activation(np.linalg.norm(clear, axis=-1)))
    for wrist, tips in hands.items():
        if active[:, tips].any():
            level = places[:, wrist, 1] - smooth_need(sunk[:, tips], fps)
            places[:, tips] = places[:, wrist] + _laid(reach[wrist], level, front, fps)
    goals = []
    for k, name in enumerate(names):
        held = None if supports is None else supports.of(name, places[:, k])
        if held is not None:
            places[:, k] += held[0]
            active[:, k] = np.maximum(active[:, k], held[1])
        if k < len(ends) or active[:, k].any():
            goals.append(follow(name, places[:, k], activation=active[:, k], priority=2))
    return goals


def _raised(arm: Array, lift: Array, fps: float) -> Array:
    """Elbow and wrist (frames, 2, 3), m, raised by turning both bones up alike, which changes them least.

    Args:
        arm: (frames, 3, 3), m: shoulder, elbow and wrist.
        lift: (frames, 2), m: how much higher elbow and wrist must be.
        fps: frames per second.
    """
    bones = np.diff(arm, axis=1)
    long = np.maximum(np.linalg.norm(bones, axis=-1), 1e-9)
    slope = np.arcsin(np.clip(bones[..., 1] / long, -1.0, 1.0))
    level = gaussian(bones[..., [0, 2]] + _ALONG * bones.sum(axis=1, keepdims=True)[..., [0, 2]], max(0.5, _TURN * fps))
    level /= np.maximum(np.linalg.norm(level, axis=-1, keepdims=True), 1e-9)
    least, most = np.zeros(len(arm)), np.full(len(arm), _STEEPEST)
    for _ in range(_HALVINGS):
        turn = 0.5 * (least + most)
        gained = np.cumsum(long * (np.sin(np.minimum(slope + turn[:, None], 0.5 * np.pi)) - np.sin(slope)), axis=1)
        enough = (gained >= lift).all(axis=1)
        least, most = np.where(enough, least, turn), np.where(enough, turn, most)
    turn = np.where(lift.any(axis=1), most, 0.0)[:, None]
    turned = np.minimum(slope + turn, 0.5 * np.pi)
    own = bones[..., [0, 2]] / np.maximum(np.linalg.norm(bones[..., [0, 2]], axis=-1, keepdims=True), 1e-9)
    level = own + ease(turn / _SLIGHT)[..., None] * (level - own)
    across, up = long * np.cos(turned), long * np.sin(turned)
    out = np.stack([across * level[..., 0], up, across * level[..., 1]], axis=-1)
    raised: Array = arm[:, :1] + np.cumsum(out, axis=1)
    return raised


def _laid(hand: Array, wrist: Array, front: Array, fps: float) -> Array:
    """From a wrist to the tips of its fingers (frames, 3), m, so that they stay above the floor.

    Args:
        hand: (frames, 3), m: from the wrist to the tips as the posture has it.
        wrist: (frames,), m: how high the wrist is above where they stay.
        front: (frames, 3), m: where the body faces, as long as its shoulders are wide; there a hand is laid that hangs.
        fps: frames per second.
    """
    long = np.linalg.norm(hand, axis=1)
    down = np.clip(np.maximum(hand[:, 1], _SKIN - wrist), -long, long)
    ahead = gaussian((hand + _FACING * front)[:, [0, 2]], max(0.5, _TURN * fps))
    ahead *= (np.sqrt(long**2 - down**2) / np.maximum(np.linalg.norm(ahead, axis=1), 1e-6))[:, None]
    return np.stack([ahead[:, 0], down, ahead[:, 1]], axis=1)
