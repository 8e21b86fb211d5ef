"""From targets to joint angles, for all frames at once.

Pelvis, spine and neck are turned as asked; then each leg and arm is placed in closed form and its angles are found
from the rotations. Feet and hands that a two-dof ankle or wrist cannot turn fully are turned by the swivel of the
whole limb about the line from its root to its end.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from posewright.clips.biped import Arm, Biped, Foot, Leg
from posewright.clips.curves import about, apply
from posewright.clips.limbs import TurnedChain, TwoBoneLimb
from posewright.clips.targets import ArmTarget, FootTarget, Targets
from posewright.conventions import Array
from posewright.figures.kinematics import centre_of_mass, joint_frames
from posewright.motions.smoothing import smooth_above
from posewright.rotations import matrix_from_vector, unit

_ROUNDS = 12
"""Of the small fixed-point loops; each settles to under a tenth of a millimetre in fewer on the built-in figures."""
_SWIVEL_ROUNDS, _STEPS_AT_ONCE = 4, 5
"""Of the search for a limb's swivel. A round takes so many small steps at once that all do the work of a dozen: where a
swivel hardly turns the foot, it should not get far."""
_MOST_SWIVEL = 0.7
"""rad, by which a knee or elbow may leave the direction asked for, so that the foot or hand can be turned."""
_HEEL_FRAMES = 5
"""Over how many frames to either side a heel's rise is smoothed."""
_STRAIGHT = 0.9988
"""Share of a leg's length beyond which a foot is drawn in, when nothing is held in reserve."""
_CARRYING = 0.9985
"""Share of a leg's length that carrying the centre of mass may take."""


def realise(biped: Biped, targets: Targets) -> Array:
    """Coordinates (frames, dofs), within the figure's limits, that meet the targets as nearly as those allow."""
    figure = biped.figure
    q = _trunk(biped, targets)
    frames = joint_frames(figure, q)
    biped.neck_chain.fit(frames.rotations[:, biped.chest], targets.head_turn @ biped.rest.rotations[biped.head], q)
    for leg, foot in zip(biped.legs, targets.feet, strict=True):
        _place_leg_and_heel(biped, leg, foot, targets.pelvis_turn, frames.positions[:, leg.limb.upper], q)
    chest = frames.rotations[:, biped.chest] @ biped.rest.rotations[biped.chest].T
    for arm, wanted in zip(biped.arms, targets.arms, strict=True):
        _place_arm(biped, arm, wanted, chest, q)
    clamped: Array = np.clip(q, figure.lower, figure.upper)
    return clamped


def follow_centre(biped: Biped, targets: Targets, centre: Array) -> Targets:
    """The targets with the pelvis moved so that the centre of mass follows `centre` (frames, 3), m, up to a height.

    Axes that are NaN are left alone. The pelvis is moved by what the centre of mass still misses; while the feet stand
    it carries most of the body along, so each round leaves about a sixth of the miss. Where a leg would have to be
    straight, the whole path is lowered: its shape is kept.
    """
    for _ in range(40):
        miss = np.nan_to_num(centre - centre_of_mass(biped.figure, realise(biped, targets)))
        targets = replace(targets, pelvis=targets.pelvis + 1.1 * miss)
        worst = np.abs(miss).max()
        if worst < 1e-3:
            excess = leg_excess(biped, targets, _CARRYING).max()
            if excess > 1e-4:
                centre = centre - [0.0, excess, 0.0]
            elif worst < 1e-5:
                break
    return targets


def leg_excess(biped: Biped, targets: Targets, share: float) -> Array:
    """How far (frames,), m, the pelvis is too high for its legs to use at most this share of their length; at least 0.

    Feet aloft are not counted; those that land from the air must not need a straight knee.
    """
    excess = np.zeros(len(targets.pelvis))
    for leg, foot in zip(biped.legs, targets.feet, strict=True):
        line = targets.pelvis + apply(targets.pelvis_turn, leg.from_pelvis) - foot.ankle
        flat = np.hypot(line[:, 0], line[:, 2])
        longest = leg.limb.longest * np.minimum(share, _STRAIGHT - foot.spare)
        allowed = np.sqrt(np.maximum(longest**2 - flat**2, 0.0))
        excess = np.maximum(excess, np.where(foot.aloft, 0.0, line[:, 1] - allowed))
    return excess


def legs_in_reach(biped: Biped, targets: Targets, fps: float, *, share: float = 0.9975) -> Targets:
    """The same targets with the pelvis lowered, smoothly, where a leg would have to be longer than it is.

    Args:
        biped: whose legs.
        targets: what was asked.
        fps: frames per second.
        share: of a leg's full length that may be used; a straight knee has nothing left to be smooth with.
    """
    lowered = targets.pelvis.copy()
    lowered[:, 1] -= smooth_above(leg_excess(biped, targets, share), round(0.12 * fps))
    return replace(targets, pelvis=lowered)


def shoulder_points(
    biped: Biped, targets: Targets, upper_arms: tuple[Array, Array] | None = None
) -> tuple[Array, Array]:
    """World points (frames, 3) of the left and right shoulder when the trunk is where the targets want it.

    Args:
        biped: whose shoulders.
        targets: of the trunk.
        upper_arms: world rotations (frames, 3, 3), left and right, whose clavicles take the shoulders along; default:
            as at rest.
    """
    q = _trunk(biped, targets)
    chest = targets.chest_turn @ biped.rest.rotations[biped.chest]
    for arm, upper in zip(biped.arms, upper_arms or (), strict=False):
        arm.shoulder_chain.unbounded().fit(chest, upper, q)
    positions = joint_frames(biped.figure, q).positions
    return positions[:, biped.arms[0].to_palm.upper], positions[:, biped.arms[1].to_palm.upper]


def _trunk(biped: Biped, targets: Targets) -> Array:
    """Coordinates (frames, dofs) with pelvis and spine as the targets want them, the rest at rest."""
    figure, rest = biped.figure, biped.rest.rotations
    q = np.tile(figure.rest, (len(targets.pelvis), 1))
    own = figure.dof_slice(biped.pelvis)
    axes = np.array([slide.axis for slide in figure.joints[biped.pelvis].slides])
    offset = np.array(figure.tables.joints[biped.pelvis]["offset"])
    q[:, own.start : own.start + 3] = np.linalg.solve(axes.T, (targets.pelvis - offset).T).T
    pelvis = targets.pelvis_turn @ rest[biped.pelvis]
    biped.pelvis_chain.fit(np.broadcast_to(np.eye(3), pelvis.shape), pelvis, q)
    biped.spine_chain.fit(pelvis, targets.chest_turn @ rest[biped.chest], q)
    return q


def _place_leg_and_heel(biped: Biped, leg: Leg, foot: FootTarget, pelvis_turn: Array, hips: Array, q: Array) -> None:
    """Place a leg; where its ankle cannot bend far enough for the foot to be as asked, the heel rises over the toes.

    A foot aloft has no floor to rise from and is turned as far as it goes.
    """
    lift = np.zeros(len(q))
    raised = foot
    for _ in range(_ROUNDS):
        missing = _place_leg(biped, leg, raised, pelvis_turn, hips, q)
        short = np.where(foot.aloft, 0.0, np.maximum(-np.einsum("fi,fi->f", missing, foot.side), 0.0))
        if short.max() < 1e-5:
            break
        lift += smooth_above(1.05 * short, _HEEL_FRAMES)
        raised = _heel_up(leg.foot, foot, lift)


def _heel_up(shape: Foot, foot: FootTarget, lift: Array) -> FootTarget:
    """The foot rolled forward by `lift` (frames,), rad, over the ball, or over the tip of toes that cannot bend."""
    roll = about(foot.side, lift)
    from_ankle = apply(foot.turn, shape.forepart - shape.ankle)
    return replace(foot, ankle=foot.ankle + from_ankle - apply(roll, from_ankle), turn=roll @ foot.turn)


def _place_leg(biped: Biped, leg: Leg, foot: FootTarget, pelvis_turn: Array, hips: Array, q: Array) -> Array:
    """Place a leg and return what its foot misses (frames, 3), rad."""
    base = pelvis_turn @ biped.rest.rotations[biped.pelvis]
    near = leg.limb.longest * (_STRAIGHT - foot.spare)
    ankles = _within(hips, foot.ankle, near, near + 0.8 * (leg.limb.longest - near))
    pole = np.cross(unit(ankles - hips), unit(pelvis_turn[..., 0]) + foot.side)
    wanted = foot.turn @ biped.rest.rotations[leg.ankle]
    upper, angles, missing = _swivelled(leg.limb, hips, ankles, pole, wanted, leg.ankle_chain, q)
    leg.hip_chain.fit(base, upper, q)
    q[:, leg.limb.angle_dof] = angles
    leg.toe_chain.fit(wanted, foot.toe_turn @ biped.rest.rotations[leg.toes], q)
    return missing


def _swivelled(
    limb: TwoBoneLimb, roots: Array, ends: Array, pole: Array, wanted: Array, chain: TurnedChain, q: Array
) -> tuple[Array, Array, Array]:
    """Place a limb and turn what hangs on it as wanted, by its own dofs first and then by swivelling the limb.

    Also what is still missing (frames, 3), rad.
    """
    line = unit(ends - roots)
    swivel, step, left_before = np.zeros((3, len(roots)))
    for round_ in range(_SWIVEL_ROUNDS):
        turned = apply(about(line, swivel), pole)
        upper, angles, _ = limb.place(roots, ends, turned)
        missing = chain.fit(limb.middle_rotations(upper, angles), wanted, q)
        left = np.einsum("fi,fi->f", missing, line)
        # How much of a step the hand or foot follows, 1 where it is turned about the limb's line, was seen in the last.
        moved = np.abs(step) > 1e-12
        follows = np.clip(np.divide(left_before - left, step, out=np.ones_like(left), where=moved), 1e-3, 1.5)
        ahead = (1.0 - (1.0 - follows) ** _STEPS_AT_ONCE) / follows if round_ else 1.0
        before, left_before = swivel, left
        swivel = np.clip(swivel + ahead * left, -_MOST_SWIVEL, _MOST_SWIVEL)
        step = swivel - before
        if np.abs(step).max() < 1e-8:
            break
    return upper, angles, missing


def _place_arm(biped: Biped, arm: Arm, wanted: ArmTarget, chest: Array, q: Array) -> None:
    side = arm.outward
    posture = chest @ (
        about((-1.0, 0.0, 0.0), wanted.forward)
        @ about((0.0, 0.0, side), wanted.outward)
        @ about((0.0, -side, 0.0), wanted.inward_twist)
    )
    hold = wanted.hold
    limb = arm.to_wrist if hold is not None and hold.palm is not None else arm.to_palm
    zeros = np.zeros_like(wanted.elbow)
    lower = np.stack([zeros, -np.cos(wanted.elbow), np.sin(wanted.elbow)], axis=-1)
    reach = apply(posture, np.array([0.0, -1.0, 0.0]) * limb.upper_length + lower * limb.lower_length)
    pole = -posture[..., 2]
    if hold is not None:
        pole = (1.0 - hold.weight)[:, None] * pole + hold.weight[:, None] * unit(hold.elbow)
    near, far = (np.full(len(q), share * limb.longest) for share in (0.985, 0.9985))
    palm = None if hold is None else hold.palm
    for _ in range(_ROUNDS):
        # The shoulder moves with the clavicle, which moves with the shoulder's angles; and a hand that cannot turn as
        # asked takes its palm elsewhere.
        frames = joint_frames(biped.figure, q)
        roots = frames.positions[:, limb.upper]
        ends = roots + reach
        if hold is not None:
            goal = hold.points if palm is None else hold.points - apply(palm, arm.wrist_to_palm)
            ends = ends + hold.weight[:, None] * (_within(roots, goal, near, far) - ends)
        before = q.copy()
        if hold is None or hold.palm is None:
            upper, angles, _ = limb.place(roots, ends, pole)
        else:
            wrist = hold.palm @ arm.palm_from_wrist
            upper, angles, missing = _swivelled(limb, roots, ends, pole, wrist, arm.hand_chain, q)
            palm = matrix_from_vector(-missing) @ hold.palm
        arm.shoulder_chain.fit(frames.rotations[:, arm.shoulder_base], upper, q)
        q[:, limb.angle_dof] = angles
        if np.abs(q - before).max() < 1e-7:
            break


def _within(roots: Array, goals: Array, near: Array, far: Array) -> Array:
    """Goals (frames, 3) beyond `near` (frames,) drawn in, with continuous curvature, to within `far`."""
    line = goals - roots
    distance = np.linalg.norm(line, axis=-1)
    over = np.maximum(distance - near, 0.0)
    drawn = np.minimum(distance, near) + (far - near) * np.tanh(over / (far - near))
    within: Array = roots + line * (drawn / np.maximum(distance, 1e-9))[:, None]
    return within
