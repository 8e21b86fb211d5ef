"""Motions carried over: postures are kept whatever rest pose, local axes, proportions, facing and joints are."""

from dataclasses import replace

import numpy as np
import pytest
from naming_conventions import CONVENTIONS, biped
from scipy.spatial.transform import Rotation

from posewright.anatomy.segments import turned
from posewright.anatomy.standing import angle
from posewright.clips import kick, walk
from posewright.errors import InvalidFigure, InvalidMotion
from posewright.figures import Ball, Figure, Hinge, Joint
from posewright.figures.catalogue import build
from posewright.figures.kinematics import joint_frames, joint_positions, site_frames
from posewright.matching import JointMatch, PoseTransfer, Scaling
from posewright.motions import Motion
from posewright.motions.floor import Floor
from posewright.motions.quality.likeness import likeness
from posewright.rotations import (
    matrix_from_quaternion,
    matrix_from_vector,
    nearest_branch,
    quaternion_from_matrix,
    vector_from_matrix,
)
from posewright.workflows.retargeting.key_points import FindSourceFeet

BONES = [
    (f"{side}_{above}", f"{side}_{below}")
    for side in ("left", "right")
    for above, below in (("shoulder", "elbow"), ("elbow", "wrist"), ("hip", "knee"), ("knee", "ankle"))
]


@pytest.fixture(scope="module")
def stroll() -> Motion:
    return walk(build("human40"), seed=1, fps=30.0)[:40]


def worst_bone(source: Motion, target: Motion, match: JointMatch) -> float:
    """Largest angle between bones of the two, rad."""
    ours, theirs = match.source.segments, match.target.segments
    a, b = joint_positions(source.figure, source.q), joint_positions(target.figure, target.q)
    return max(
        float(angle(a[:, ours.centre(v)] - a[:, ours.centre(u)], b[:, theirs.centre(v)] - b[:, theirs.centre(u)]).max())
        for u, v in BONES
    )


def carried(source: Motion, target: Figure) -> tuple[Motion, JointMatch]:
    match = JointMatch.between(source.figure, target)
    return match.transfer(source), match


def transfer(source: Motion, target: Figure, **options) -> Motion:
    return JointMatch.between(source.figure, target).transfer(source, **options)


def with_other_axes(figure: Figure, seed: int) -> Figure:
    """The same figure, whose joints have their own axes turned at random: balls only."""
    generator = np.random.default_rng(seed)
    turns = {None: np.eye(3)} | {j.name: matrix_from_vector(generator.normal(size=3)) for j in figure.joints}
    joints: list[Joint] = []
    for joint in figure.joints:
        above, own = turns[joint.parent], turns[joint.name]
        rest = quaternion_from_matrix(above.T @ matrix_from_quaternion(np.array(joint.rest)) @ own)
        slides = tuple(replace(s, axis=tuple(above.T @ np.array(s.axis))) for s in joint.slides)
        joints.append(replace(joint, offset=tuple(above.T @ np.array(joint.offset)), rest=tuple(rest), slides=slides))
    sites = tuple(replace(s, point=tuple(turns[s.joint].T @ np.array(s.point))) for s in figure.sites)
    return replace(figure, joints=tuple(joints), sites=sites)


def posed(figure: Figure, **turns: tuple[float, float, float]) -> Figure:
    """The figure with other rest values of some balls."""
    joints = tuple(replace(j, rotation=Ball(rest=turns[j.name])) if j.name in turns else j for j in figure.joints)
    return replace(figure, joints=joints)


@pytest.mark.parametrize("name", ["mixamo", "unreal", "biped", "smpl", "makehuman", "maya"])
def test_bones_point_where_the_source_has_them(stroll, name):
    motion, match = carried(stroll, biped(CONVENTIONS[name], scale=1.3))
    assert worst_bone(stroll, motion, match) < 1e-6


BENT = (0.3, -0.4, 0.5)
AXES = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))


@pytest.mark.parametrize(
    "second", [Ball(rest=BENT), tuple(Hinge(axis=a, rest=r) for a, r in zip(AXES, BENT, strict=True))]
)
@pytest.mark.parametrize("slides", ["fixed", "sliding"])
def test_what_a_part_cannot_use_stays_bent_as_at_rest(stroll, second, slides):
    """An upper arm of two joints, the first of which turns every way."""
    convention = CONVENTIONS["vrm humanoid"]
    figure = biped(replace(convention, parts={**convention.parts, "shoulder": ["{s}UpperArm", "{s}UpperArm2"]}))
    other = {"rotation": second, "slides": figure.joints[0].slides if slides == "sliding" else ()}
    joints = (replace(j, **other) if j.name.endswith("UpperArm2") else j for j in figure.joints)
    motion, match = carried(stroll, replace(figure, joints=tuple(joints)))
    assert worst_bone(stroll, motion, match) < 1e-6


def test_local_axes_do_not_matter(stroll):
    plain = biped(CONVENTIONS["vrm humanoid"])
    one, two = (transfer(stroll, figure) for figure in (plain, with_other_axes(plain, 3)))
    np.testing.assert_allclose(
        joint_positions(one.figure, one.q), joint_positions(two.figure, two.q), rtol=0.0, atol=1e-9
    )


def test_rest_poses_do_not_matter(stroll):
    """T, A and arms down: the same figure, resting otherwise, takes the same posture."""
    plain = biped(CONVENTIONS["vrm humanoid"])
    expected = joint_frames(plain, transfer(stroll, plain).q)
    for down in (0.7, 1.4):
        figure = posed(plain, leftUpperArm=(0.0, 0.0, -down), rightUpperArm=(0.0, 0.0, down))
        found = joint_frames(figure, transfer(stroll, figure).q)
        np.testing.assert_allclose(found.positions, expected.positions, rtol=0.0, atol=1e-9)
        np.testing.assert_allclose(found.rotations, expected.rotations, rtol=0.0, atol=1e-9)


def test_a_figure_that_was_made_facing_elsewhere_faces_where_the_source_faces(stroll):
    plain, turned = (biped(CONVENTIONS["vrm humanoid"], facing=f) for f in (0.0, 2.5))
    one, two = (transfer(stroll, figure) for figure in (plain, turned))
    np.testing.assert_allclose(
        joint_positions(one.figure, one.q), joint_positions(two.figure, two.q), rtol=0.0, atol=1e-9
    )


def along_one_axis(motion: Motion) -> Motion:
    """The same motion of the same body, made so that without rotations all bones lie along x."""
    figure = motion.figure
    at = joint_positions(figure, figure.rest)
    turns = {None: np.eye(3)}
    for k, joint in enumerate(figure.joints):
        bone = at[figure.children[k][0]] - at[k] if figure.children[k] else np.array([1.0, 0.0, 0.0])
        turns[joint.name] = turned(np.array([1.0, 0.0, 0.0]), bone / np.linalg.norm(bone))
    q = motion.q.copy()
    joints = []
    for k, joint in enumerate(figure.joints):
        above, own, ball = (
            turns[joint.parent],
            turns[joint.name],
            slice(figure.dof_slice(k).stop - 3, figure.dof_slice(k).stop),
        )
        q[:, ball] = vector_from_matrix(above.T @ matrix_from_vector(q[:, ball]) @ own)
        joints.append(replace(joint, offset=tuple(above.T @ np.array(joint.offset))))
    sites = tuple(replace(s, point=tuple(turns[s.joint].T @ np.array(s.point))) for s in figure.sites)
    return Motion(replace(figure, joints=tuple(joints), sites=sites), q, motion.fps)


def test_a_figure_with_all_bones_along_one_axis_stands_as_a_frame_of_its_motion_does(stroll):
    plain = biped(CONVENTIONS["vrm humanoid"])
    expected = transfer(stroll, plain)
    clip = along_one_axis(Motion(plain, np.concatenate([plain.rest[None], expected.q]), 30.0))
    assert clip.figure.joints != plain.joints
    found = transfer(stroll, clip.with_standing_rest().figure)
    np.testing.assert_allclose(
        joint_positions(found.figure, found.q), joint_positions(plain, expected.q), rtol=0.0, atol=1e-9
    )
    again = transfer(clip, plain)
    np.testing.assert_allclose(
        joint_frames(plain, again.q[1:]).rotations, joint_frames(plain, expected.q).rotations, atol=1e-9
    )
    assert found.notes == ()
    assert "twist of its limbs is a guess" in transfer(stroll, clip.figure).notes[0]


def test_the_root_is_scaled_by_the_legs_and_feet_stay_near_the_floor(stroll):
    target = biped(CONVENTIONS["mixamo"], scale=1.5).with_soles()
    motion, match = carried(stroll, target)
    factor = match.target.segments.leg_length / match.source.segments.leg_length
    assert 1.3 < factor < 1.7
    hips = [np.ptp(m.q[:, :3], axis=0) for m in (stroll, motion)]
    assert hips[1][2] / hips[0][2] == pytest.approx(factor, rel=0.02)
    soles = site_frames(target, motion.q, ["left_heel", "left_toe_tip", "right_heel", "right_toe_tip"]).points[..., 1]
    own = site_frames(stroll.figure, stroll.q, ["left_heel", "left_toe_tip", "right_heel", "right_toe_tip"]).points[
        ..., 1
    ]
    assert np.abs(soles.min(axis=1) - factor * own.min(axis=1)).max() < 0.04 * factor


def test_limits_hold_and_single_hinges_bend_where_the_source_bends():
    """From balls to human40 (limited hinges, one for elbow and knee) and back along a kick."""
    figure = build("human40")
    source = kick(figure, seed=2, fps=30.0)
    balls, _ = carried(source, biped(CONVENTIONS["mixamo"]))
    back, match = carried(balls, figure)
    assert np.all(back.q >= figure.lower)
    assert np.all(back.q <= figure.upper)
    assert worst_bone(balls, back, match) < np.radians(6.0)


def test_a_robot_with_chains_of_single_hinges_takes_the_posture(stroll):
    robot = biped(CONVENTIONS["humanoid robot"], scale=0.7, robot=True)
    motion, match = carried(stroll, robot)
    assert np.all(motion.q >= robot.lower)
    assert np.all(motion.q <= robot.upper)
    ours, theirs = match.source.segments, match.target.segments
    a, b = joint_positions(stroll.figure, stroll.q), joint_positions(robot, motion.q)
    for side in ("left", "right"):
        shins = [m[:, t.centre(f"{side}_ankle")] - m[:, t.centre(f"{side}_knee")] for m, t in ((a, ours), (b, theirs))]
        assert float(angle(*shins).max()) < 0.2
    assert np.abs(np.diff(motion.q[:, 6:], axis=0)).max() < 1.0


@pytest.mark.parametrize(("count", "robot"), [(1, False), (2, False), (4, False), (5, False), (3, True), (6, True)])
def test_spines_of_any_number_of_joints_bend_alike(stroll, count, robot):
    """Halves and ends of spines turn alike. Three hinges in a row, as in the waist of a robot, turn as a ball does."""
    convention = CONVENTIONS["vrm humanoid"]
    names = [f"spine{k}" for k in range(count)]
    figure = biped(replace(convention, parts={**convention.parts, "spine": names}), robot=robot)
    motion, match = carried(stroll, figure)
    ours = match.source.parts["spine"]
    assert len(ours) == 2
    halves = {names[-1]: ours[1]} | ({} if count % 2 else {names[count // 2 - 1]: ours[0]})
    for theirs, own in halves.items():
        turns = [
            joint_frames(m.figure, m.q).rotations[:, m.figure.joint_index(n)]
            for m, n in ((stroll, own), (motion, theirs))
        ]
        np.testing.assert_allclose(turns[1], turns[0] @ _rest_of(stroll.figure, own).T, atol=1e-9)


def _rest_of(figure: Figure, joint: str) -> np.ndarray:
    return joint_frames(figure, figure.rest).rotations[figure.joint_index(joint)]


def test_standing_feet_are_on_the_floor_and_flat_as_in_the_source(stroll):
    target = biped(CONVENTIONS["mixamo"], scale=1.2).with_soles()
    match = JointMatch.between(stroll.figure, target)
    found = FindSourceFeet(match).over(stroll.q)
    assert abs(Scaling.between(stroll, match)(found.soles)[..., 1].min()) < 0.02
    own = site_frames(stroll.figure, stroll.q, ["left_sole"])
    flat = own.y_axes[:, 0, 1] > 0.9999
    assert flat.any()
    made = site_frames(target, match.transfer(stroll).q, ["left_sole"])
    assert made.y_axes[flat, 0, 1].min() > 0.999


def test_a_tilted_floor_is_levelled(stroll):
    level = transfer(stroll, build("abnorman1"), floor=0.0)
    q = stroll.q.copy()
    q[:, 1] += 0.3 + 0.03 * q[:, 2]
    tilted = transfer(stroll.with_q(q), build("abnorman1"), floor=Floor(0.3, tilt_z=0.03))
    np.testing.assert_allclose(tilted.q[:, 1], level.q[:, 1], atol=0.003)  # hips are not quite above the pelvis


def test_frames_one_at_a_time_give_the_numbers_of_all_at_once(stroll):
    figure = build("abnorman1")
    match = JointMatch.between(stroll.figure, figure)
    scaling, one_by_one = Scaling(1.1, Floor(0.0)), PoseTransfer(match)
    together = PoseTransfer(match)(stroll.q, scaling)
    frames = [one_by_one(stroll.q[k : k + 1], scaling) for k in range(len(stroll))]
    np.testing.assert_array_equal(np.concatenate(frames), together)


def test_one_frame_is_enough_and_none_is_refused(stroll):
    assert len(transfer(stroll[:1], build("abnorman1"))) == 1
    with pytest.raises(InvalidMotion, match="has no frames"):
        transfer(stroll[:0], build("abnorman1"))


def test_a_target_that_cannot_move_about_is_refused(stroll):
    figure = biped(CONVENTIONS["mixamo"])
    fixed = replace(figure, joints=tuple(replace(j, slides=()) for j in figure.joints))
    with pytest.raises(
        InvalidFigure, match=r"figure 'biped' cannot move freely: neither its pelvis .'mixamorig:Hips'. nor"
    ):
        transfer(stroll, fixed)


def test_translations_below_the_root_stay_at_rest(stroll):
    figure = biped(CONVENTIONS["mixamo"])
    slides = figure.joints[0].slides
    loose = replace(figure, joints=tuple(replace(j, slides=slides) for j in figure.joints))
    motion = transfer(stroll, loose)
    moved = {
        loose.dof_names[k].split(".")[0]
        for k in np.flatnonzero(np.ptp(motion.q, axis=0) > 0)
        if ".t" in loose.dof_names[k]
    }
    assert moved == {"mixamorig:Hips"}


def test_what_has_no_part_stays_at_rest(stroll):
    figure = biped(CONVENTIONS["unreal"])
    motion = transfer(stroll, figure)
    for name in figure.anatomy.unmatched:
        own = figure.dof_slice(name)
        np.testing.assert_array_equal(motion.q[:, own], np.tile(figure.rest[own], (len(motion), 1)))


def test_a_limb_without_length_is_refused(stroll):
    figure = biped(CONVENTIONS["mixamo"])
    short = replace(
        figure,
        joints=tuple(replace(j, offset=(0.0, 0.0, 0.0)) if j.name == "mixamorig:LeftLeg" else j for j in figure.joints),
    )
    match = JointMatch.between(stroll.figure, figure)
    with pytest.raises(InvalidFigure, match="figure 'biped' has no length between left hip and left knee"):
        JointMatch(match.source, match.target.on(short)).transfer(stroll)


def test_a_figure_read_with_the_wrong_up_axis_is_refused(stroll):
    figure = biped(CONVENTIONS["mixamo"])
    hips = figure.joints[0]
    lying = replace(figure, joints=(replace(hips, rest=(np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)), *figure.joints[1:]))
    with pytest.raises(InvalidFigure, match=r"figure 'biped' does not stand upright.* right up axis"):
        transfer(stroll, lying)


def test_hinges_at_their_limits_do_not_leap_from_one_end_to_the_other():
    figure, target = biped(CONVENTIONS["mixamo"]), build("human40")
    arm = figure.dof_slice(figure.joint_index("mixamorig:LeftArm"))
    q = np.repeat(figure.rest[None], 120, axis=0)
    q[:, arm.stop - 3] = np.linspace(0.0, 2.0 * np.pi, 120)  # around, beyond what a shoulder can
    carried = transfer(Motion(figure, q, 60.0), target)
    shoulder = target.dof_slice(target.joint_index("left_shoulder"))
    angles = carried.q[:, shoulder]
    assert np.any((angles == target.lower[shoulder]) | (angles == target.upper[shoulder]))
    turn = 2.0 * np.pi / 119
    assert np.abs(np.diff(angles, axis=0)).max() < 3.0 * turn + 0.01 + 1e-9


def swung_arms(seed):
    """Of a figure whose shoulders are free; and its match with one whose shoulders are limited."""
    free = build("human40").with_balls(drop_limits=True)
    random, t = np.random.default_rng(seed), np.arange(300) / 60.0
    q = np.tile(free.rest, (len(t), 1))
    for part in ("left_shoulder", "right_shoulder"):
        where = free.dof_slice(free.anatomy.last(part)).stop
        for rate in (0.15, 0.3, 0.5):
            wave = np.sin(2.0 * np.pi * rate * t + random.uniform(0.0, 6.3))
            q[:, where - 3 : where] += random.normal(scale=1.2, size=3) * wave[:, None]
    return Motion(free, q, 60.0), JointMatch.between(free, build("human40"))


def upper_arms_off(match, swung, q):
    """(frames, 2), degrees, held for 0.1 s."""
    found = likeness(Motion(match.target.figure, q, swung.fps), swung, (match.target, match.source))
    return found.lasting[:, [found.bones.index(f"{side} upper arm") for side in ("left", "right")]]


@pytest.mark.parametrize("seed", range(6))
def test_limited_arms_do_not_stick_where_other_angles_give_the_direction(seed):
    """Arms that swing about and then hold still come to where they would be if that posture were all there is."""
    swung, match = swung_arms(seed)
    q = swung.q.copy()
    q[210:] = q[210]  # a second and a half
    swung = swung.with_q(q)

    def off(motion):
        return upper_arms_off(match, motion, match.transfer(motion, floor=0.0).q)[-1]

    assert np.all(off(swung) < off(swung[-1:]) + 25.0)


def test_looked_at_as_a_whole_limited_arms_go_over_to_other_angles_in_time():
    """From one posture within limits straight to another; frame by frame, arms get stuck on the way."""
    target = build("human40")
    free = target.with_balls(drop_limits=True)
    where = [f.dof_slice(f.anatomy.last("left_shoulder")) for f in (free, target)]
    random, t = np.random.default_rng(1), np.clip(np.arange(180) / 60.0 - 1.0, 0.0, 1.0)
    q, match = np.tile(free.rest, (len(t), 1)), JointMatch.between(free, target)
    stuck = np.zeros(2)
    for _ in range(30):
        poses = np.tile(target.rest, (2, 1))
        poses[:, where[1]] = random.uniform(target.lower[where[1]], target.upper[where[1]], (2, 3))
        first, last = joint_frames(target, poses).rotations[:, target.anatomy.last("left_shoulder")]
        turn = Rotation.from_matrix(first.T @ last).as_rotvec()
        turns = first @ Rotation.from_rotvec(t[:, None] * turn).as_matrix()
        q[:, where[0].stop - 3 : where[0].stop] = nearest_branch(Rotation.from_matrix(turns).as_rotvec(), np.zeros(3))
        swung = Motion(free, q, 60.0)
        for k, fps in enumerate((None, 60.0)):
            off = upper_arms_off(match, swung, PoseTransfer(match)(q, Scaling(1.0, Floor(0.0)), fps))[:, 0]
            stuck[k] += np.mean(off > 25.0)
    assert stuck[0] > 1.0
    assert stuck[1] < 0.5 * stuck[0]
