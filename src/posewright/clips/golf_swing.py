"""A golf swing on level or sloping ground, both hands on the club throughout.

The body turns back and through over the feet; `club` says where that takes hands and club, and how the arms are held
so that shoulders and wrists stay inside their limits.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from posewright.clips.biped import Biped, measure
from posewright.clips.clip import Clip, Take, require_between
from posewright.clips.club import BALL_RADIUS, ArmSwing, Club, ClubPath, club_path, easiest_elbow
from posewright.clips.curves import about, apply, ease, turn
from posewright.clips.feet import Plant, foot_track
from posewright.clips.realise import legs_in_reach, realise, shoulder_points
from posewright.clips.targets import ArmTarget, FootTarget, HandTarget, Targets
from posewright.conventions import Array
from posewright.errors import InvalidFigure
from posewright.figures.catalogue import with_club
from posewright.figures.figure import Figure
from posewright.figures.kinematics import site_frames
from posewright.figures.vectors import vector

_AWAY, _HALF, _TOP, _LATE, _IMPACT, _PAST, _FINISH, _END = 0.30, 0.72, 1.22, 1.44, 94 / 60, 1.72, 2.05, 131 / 60
"""s: the club leaves the ball, the arms are half way, the top, the wrists let go, impact, the arms are straight past
the ball, the finish, the end: 132 frames at 60 per second, impact in frame 94."""
_KEYS = (_AWAY, _HALF, _TOP, _LATE, _IMPACT, _PAST, _FINISH)
_STEEPEST = 0.97
"""rad, of the shaft above the ground at impact; long legs bend so that it is not more."""
_GRIPPED = 1e-3
"""m, within which the trailing palm is on the grip."""


def golf_swing(figure: Figure, *, slope: float = 0.0, style: float = 0.0, seed: int = 0, fps: float = 60.0) -> Clip:
    """A right-handed golf swing; the player faces +z, and the target is to the left, along +x.

    The figure of the clip holds a club (`with_club`), even if the given figure does not. Events: top, impact. Marks:
    ball.

    Args:
        figure: a biped with the joint names of the built-in bipeds.
        slope: slope of the ground towards the target, rad, from -0.2 to 0.2; the ground passes through the origin,
            below the middle of the stance.
        style: from -1 (compact, three quarters) to 1 (long, with a full turn).
        seed: seed of the small differences between swings.
        fps: frames per second; the duration does not depend on it.
    """
    require_between("slope", slope, -0.2, 0.2, "rad")
    require_between("style", style, -1.0, 1.0)
    figure = figure if "club" in figure.joint_names else with_club(figure)
    biped = measure(figure)
    rng = np.random.default_rng(seed)
    vary = 1.0 + np.array([0.03, 0.03, 0.03, 0.015, 0.015]) * rng.standard_normal(5)
    take = Take.lasting(_END, biped, rng, fps)
    ground = about((0.0, 0.0, 1.0), slope)
    club = Club.of(figure)
    impact = round(_IMPACT * fps)

    arms = _arms(take, style, vary)
    drop = 0.0
    for _ in range(2):  # bend the knees until the shaft lies low enough
        again = replace(take, rng=np.random.default_rng(seed + 1))
        body = legs_in_reach(biped, _body(again, ground, slope, style, drop, vary), fps)
        shoulders = shoulder_points(biped, body)
        path = club_path(biped, club, arms, body.chest_turn, shoulders, ground, impact)
        above = path.hands[0][impact] @ ground[:, 1] - club.length * np.sin(_STEEPEST) - BALL_RADIUS
        drop = min(max(drop + above, 0.0), 0.06 * biped.leg_length)
    for _ in range(2):  # clavicles take the shoulders along
        body = replace(body, arms=_holding(take, body, path, shoulders))
        shoulders = shoulder_points(biped, body, _upper_arms(biped, body, shoulders))
        path = club_path(biped, club, arms, body.chest_turn, shoulders, ground, impact)
    q = realise(biped, replace(body, arms=_holding(take, body, path, shoulders)))
    _require_grip(biped, q)
    ball = vector(site_frames(figure, q[impact], ["club_head"]).points[0])
    events = {"top": _TOP, "impact": impact / fps}
    return Clip(figure, q, fps, "golf_swing", events=events, marks={"ball": ball})


def _body(take: Take, ground: Array, slope: float, style: float, drop: float, vary: Array) -> Targets:
    biped, wander, keyed = take.biped, take.wander, take.keyed(*_KEYS)
    legs = biped.leg_length
    full = 1.0 + 0.08 * style
    width = 0.27 * legs * vary[0]
    hips = keyed(0.0, -0.26, -0.52, -0.16, 0.42, 0.75, 1.10) * vary[1]
    chest = keyed(0.0, -0.78 * full, -1.38 * full, -0.78, 0.20, 0.95, 1.75 * full) * vary[2]
    lean = keyed(0.38, 0.38, 0.36, 0.38, 0.34, 0.26, 0.13)
    bend = keyed(0.87, 0.82, 0.78, 0.84, 0.82, 0.66, 0.14)
    aside = keyed(0.20, 0.18, 0.06, 0.18, 0.26, 0.22, 0.02)  # the trunk leans away from the target through impact
    shift = legs * keyed(0.08, 0.02, -0.02, 0.03, 0.055, 0.10, 0.145)
    height = legs * keyed(-0.055, -0.055, -0.060, -0.085, -0.055, -0.030, -0.015)
    back = legs * keyed(-0.13, -0.13, -0.125, -0.13, -0.12, -0.08, -0.01)
    back = back + 0.5 * (biped.legs[0].foot.sole[2] - biped.pelvis_rest[2])
    tilted = about((0.0, 0.0, 1.0), np.full(len(take.t), 0.6 * slope))
    hanging = ArmTarget(*np.tile([[0.5], [0.05], [0.3], [0.3]], len(take.t)))
    return Targets(
        pelvis=biped.pelvis_rest + np.stack([shift, height - drop + np.tan(slope) * shift, back], axis=-1),
        pelvis_turn=tilted @ turn(forward=lean, right=0.25 * aside) @ turn(left=hips),
        chest_turn=tilted
        @ turn(forward=bend, right=aside)
        @ turn(left=chest, right=wander(0.006), forward=wander(0.006)),
        head_turn=turn(
            left=keyed(0.0, -0.05, -0.15, -0.10, 0.0, 0.45, 1.30), forward=keyed(0.8, 0.8, 0.8, 0.8, 0.8, 0.6, 0.1)
        ),
        feet=(
            _foot(take, 0, ground, width, turned_out=0.34),
            _foot(take, 1, ground, width, turned_out=0.08, push=0.9, pivot=0.75),
        ),
        arms=(hanging, hanging),
    )


def _foot(
    take: Take, index: int, ground: Array, width: float, *, turned_out: float, push: float = 0.0, pivot: float = 0.0
) -> FootTarget:
    """A foot on the slope; the trailing one comes up on its toes and pivots on them as the body turns through."""
    foot = take.biped.legs[index].foot
    end = _END + 0.1
    plant = Plant(
        place=ground @ np.array([foot.side * width, 0.0, foot.sole[2]]),
        end=end,
        ground=ground @ turn(left=foot.side * turned_out),
        push=foot.push(push, 0.7) if push else 0.0,
        push_for=end - _TOP - 0.08,
    )
    track = foot_track(foot, take.t, [plant])
    round_toes = about(ground[:, 1], pivot * ease(take.t, _IMPACT - 0.06, end))
    from_ankle = apply(track.turn, foot.forepart - foot.ankle)
    return replace(
        track,
        ankle=track.ankle + from_ankle - apply(round_toes, from_ankle),
        turn=round_toes @ track.turn,
        toe_turn=round_toes @ track.toe_turn,
        side=apply(round_toes, track.side),
    )


def _arms(take: Take, style: float, vary: Array) -> ArmSwing:
    keyed = take.keyed(*_KEYS)
    long = 0.2 * style * keyed(0.0, 0.2, 1.0, 0.5, 0.0, 0.0, 0.5)
    return ArmSwing(
        hub=keyed(0.45, 0.20, 0.10, 0.15, 0.40, 0.65, 0.70),
        rise=keyed(0.72, 1.20, 1.95, 1.45, 0.64, 0.89, 2.05) * vary[3] + long,
        across=keyed(-0.20, -0.35, -0.60, -0.50, -0.25, 0.15, 0.70),
        cock=keyed(0.03, -0.92, -1.22, -1.08, -0.18, 0.78, 1.46) * vary[4],
        fold=keyed(0.005, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25),
        lead=keyed(0.55, 1.0, 1.0, 0.9, 0.87, 0.45, 0.2),
        waiting=1.0 - ease(take.t, _AWAY, _HALF),
    )


def _holding(take: Take, body: Targets, path: ClubPath, shoulders: tuple[Array, Array]) -> tuple[ArmTarget, ArmTarget]:
    """Both arms, their hands on the club."""
    arms = []
    for k, arm in enumerate(take.biped.arms):
        hands, palm = path.hands[k], path.palms[k]
        elbow = easiest_elbow(take.biped, arm, take.t, body.chest_turn, shoulders[k], palm, hands)
        arms.append(replace(body.arms[k], hold=HandTarget(hands, np.ones(len(hands)), elbow, palm)))
    return arms[0], arms[1]


def _upper_arms(biped: Biped, body: Targets, shoulders: tuple[Array, Array]) -> tuple[Array, Array]:
    """World rotations (frames, 3, 3) of the left and right upper arm whose hands hold the club."""
    left, right = (
        arm.to_wrist.place(shoulder, hold.points - apply(hold.palm, arm.wrist_to_palm), hold.elbow)[0]
        for arm, target, shoulder in zip(biped.arms, body.arms, shoulders, strict=True)
        if (hold := target.hold) is not None and hold.palm is not None
    )
    return left, right


def _require_grip(biped: Biped, q: Array) -> None:
    """Refuse a figure whose trailing hand cannot stay on the grip."""
    figure = biped.figure
    hand, grip = np.moveaxis(site_frames(figure, q, ["right_hand", "club_grip_right"]).points, 1, 0)
    away = float(np.linalg.norm(hand - grip, axis=1).max())
    if away > _GRIPPED:
        left, right = (biped.rest.positions[arm.to_palm.upper] for arm in biped.arms)
        raise InvalidFigure(
            f"figure {figure.name!r} cannot hold a club with both hands: its right hand would leave the grip by "
            f"{100.0 * away:.1f} cm; its arms are {biped.arm_length:.2f} m long, but should be 1.4 times the "
            f"{np.linalg.norm(left - right):.2f} m between its shoulders"
        )
