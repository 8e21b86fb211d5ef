import math

import numpy as np
import pytest

from posewright.errors import InvalidFigure, InvalidSetting, UnknownName
from posewright.figures import Pose
from posewright.figures.catalogue import (
    arm4,
    build,
    chain,
    hand,
    human,
    human22,
    human40,
    human70,
    norman,
    with_club,
)
from posewright.figures.kinematics import centre_of_mass, site_frames


def straight_height(figure):
    points = site_frames(figure, np.zeros(figure.n_dofs), ["head_top", "left_sole"]).points
    return points[0, 1] - points[1, 1]


def test_an_unknown_figure_is_answered_with_the_nearest():
    with pytest.raises(UnknownName, match=r"the catalogue has no figure 'humann'; did you mean 'human'\?"):
        build("humann")


@pytest.mark.parametrize(
    ("figure", "dofs", "coordinates"),
    [(human22(), 74, 22), (human70(), 74, 70), (human(), 94, 42), (human(spine_group=False), 94, 90), (hand(), 24, 19)],
    ids=lambda value: getattr(value, "name", None),
)
def test_independent_coordinates_are_counted(figure, dofs, coordinates):
    assert figure.n_dofs == dofs
    assert figure.n_coordinates == coordinates


def test_human22_has_the_coordinates_of_the_paper():
    figure = human22()
    driven = {member for group in figure.groups for member in group.members}
    free = [dof for dof in figure.dof_names if dof not in driven]
    counts = {part: sum(part in dof for dof in free) for part in ("elbow", "wrist", "neck", "head")}
    assert counts == {"elbow": 2, "wrist": 6, "neck": 3, "head": 2}
    assert [len(group.coordinates) for group in figure.groups] == [3, 3, 3]
    assert human70().joints == figure.joints


@pytest.mark.parametrize("name", ["human40", "norman", "abnorman1", "abnorman2"])
def test_forty_dofs_are_seven_a_limb_three_back_three_waist_and_six_root(name):
    figure = build(name)
    parts = {
        "left_arm": ("left_clavicle", "left_shoulder", "left_elbow", "left_wrist"),
        "right_leg": ("right_hip", "right_knee", "right_ankle", "right_toes"),
        "back": ("back",),
        "waist": ("waist",),
        "root": ("pelvis",),
    }
    counted = {part: sum(figure.joint(j).n_dofs for j in joints) for part, joints in parts.items()}
    assert counted == {"left_arm": 7, "right_leg": 7, "back": 3, "waist": 3, "root": 6}
    assert figure.n_dofs == 40
    assert figure.dof_names == human40().dof_names


@pytest.mark.parametrize("build_human", [human, human40])
@pytest.mark.parametrize(("height", "mass"), [(1.75, 72.0), (1.2, 25.0)])
def test_height_and_mass_are_as_asked(build_human, height, mass):
    figure = build_human(height=height, mass=mass)
    assert straight_height(figure) == pytest.approx(height, abs=1e-12)
    assert sum(joint.mass for joint in figure.joints) == pytest.approx(mass, rel=1e-12)


@pytest.mark.parametrize(("name", "limbs", "torso"), [("abnorman1", 1.3, 0.8), ("abnorman2", 0.5, 1.4)])
def test_abnormans_are_norman_with_other_limbs_and_torso(name, limbs, torso):
    usual, other = norman(), build(name)
    for joint in ("left_elbow", "left_wrist", "left_knee", "left_ankle"):
        assert np.linalg.norm(other.joint(joint).offset) == pytest.approx(
            limbs * np.linalg.norm(usual.joint(joint).offset)
        )
    for joint in ("waist", "back"):
        assert other.joint(joint).offset[1] == pytest.approx(torso * usual.joint(joint).offset[1])
    assert other.joint("head").offset == usual.joint("head").offset


def test_each_coordinate_of_the_spine_is_the_total_bend():
    (spine,) = (group for group in human().groups if group.name == "spine")
    assert len(spine.members) == 51
    np.testing.assert_allclose(np.sum(spine.matrix, axis=0), 1.0, atol=1e-14)
    assert np.min(spine.matrix) >= 0.0
    figure = human22()
    bend = np.array(spine.matrix) @ np.radians([40.0, 0.0, 0.0])
    pose = Pose.rest(figure).with_values(dict(zip(spine.members, bend, strict=True)))
    gaze = site_frames(figure, pose.q, ["view"]).x_axes[0]
    np.testing.assert_allclose(gaze, [0.0, -math.sin(math.radians(40.0)), math.cos(math.radians(40.0))], atol=1e-12)


def test_the_lumbar_spine_flexes_and_the_thoracic_spine_turns():
    spine = human().groups[0]
    lumbar = [member.startswith("L") for member in spine.members]
    flexion, _, axial = np.array(spine.matrix)[lumbar].sum(axis=0)
    assert flexion > 0.45  # five vertebrae of seventeen
    assert axial < 0.15


def test_words_mean_what_an_anatomist_means():
    figure = human()
    rest = Pose.rest(figure)

    def moved(dof, site):
        before = site_frames(figure, rest.q, [site]).points[0]
        return site_frames(figure, rest.with_values({dof: rest[dof] + 0.2}).q, [site]).points[0] - before

    forward, up, left = 2, 1, 0
    assert moved("left_shoulder.elevation", "left_elbow")[forward] > 0.03
    assert moved("left_shoulder.abduction", "left_elbow")[left] > 0.03
    assert moved("right_shoulder.abduction", "right_elbow")[left] < -0.03
    assert moved("left_elbow.flexion", "left_hand")[forward] > 0.03
    assert moved("left_clavicle.elevation", "left_shoulder")[up] > 0.02
    assert moved("left_clavicle.protraction", "left_shoulder")[forward] > 0.02
    assert moved("left_wrist.flexion", "left_fingertips")[left] < -0.01
    assert moved("left_wrist.deviation", "left_fingertips")[forward] > 0.01
    assert moved("left_hip.flexion", "left_knee")[forward] > 0.05
    assert moved("left_hip.abduction", "left_knee")[left] > 0.05
    assert moved("left_knee.flexion", "left_ankle")[forward] < -0.05
    assert moved("left_ankle.flexion", "left_toe_tip")[up] > 0.02
    assert moved("left_toes.extension", "left_toe_tip")[up] > 0.005
    assert moved("left_hip.twist", "left_toe_tip")[left] < -0.02
    assert moved("neck.flexion", "view")[forward] > 0.01


def test_fingers_end_with_coupled_joints_and_tips():
    figure = hand()
    assert [row.is_equality for row in figure.constraints] == [True] * 5
    assert {"thumb_tip", "index_tip", "middle_tip", "ring_tip", "little_tip"} <= set(figure.site_names)
    straight = site_frames(figure, np.zeros(figure.n_dofs), ["wrist", "middle_tip"]).points
    assert np.linalg.norm(straight[1] - straight[0]) == pytest.approx(0.19, rel=0.02)
    q = figure.rest.copy()
    closed = {f"{f}_{part}.flexion": 1.2 for f in ("index", "middle", "ring", "little") for part in ("base", "middle")}
    fist = Pose(figure, q).with_values(closed)
    palm, tip = site_frames(figure, fist.q, ["palm", "index_tip"]).points
    assert np.linalg.norm(tip - palm) < 0.09  # fingers close towards the palm


def test_a_chain_is_straight_and_as_long_as_asked():
    figure = chain(30)
    assert figure.n_dofs == 90
    np.testing.assert_allclose(site_frames(figure, figure.rest, ["tip"]).points[0], [2.0, 0.0, 0.0], atol=1e-12)
    upright = chain(7, joints="hinge", length=1.4, mass=3.0, direction="y")
    assert upright.n_dofs == 7
    np.testing.assert_allclose(site_frames(upright, upright.rest, ["tip"]).points[0], [0.0, 1.4, 0.0], atol=1e-12)
    np.testing.assert_allclose(centre_of_mass(upright, upright.rest), [0.0, 0.7, 0.0], atol=1e-12)


@pytest.mark.parametrize(("kind", "dofs"), [("hinge", 4), ("ball", 12)])
def test_arm4_moves_in_space(kind, dofs):
    figure = arm4(kind)
    assert (len(figure.joints), figure.n_dofs) == (4, dofs)
    generator = np.random.default_rng(1)
    tips = site_frames(figure, generator.uniform(-1.0, 1.0, (50, dofs)), ["tip"]).points[:, 0]
    assert np.linalg.matrix_rank(tips - tips.mean(axis=0), tol=0.1) == 3


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: human(height=-1.0), "height of a body must be a positive number, got -1.0"),
        (lambda: human40(mass=math.nan), "mass of a body must be .*, got nan"),
        (lambda: chain(0), "the segments of a chain must be a whole number at least 1, got 0"),
        (lambda: chain(3, joints="rope"), "must be 'ball' or 'hinge', got 'rope'"),
        (lambda: chain(3, direction="z"), "must be 'x' or 'y', got 'z'"),
        (lambda: chain(3, length=0.0), "must be a positive number of metres"),
        (lambda: with_club(human40(), length=0.1), "length of a club must be a number of metres above 0.145"),
    ],
)
def test_impossible_bodies_are_refused_with_a_reason(make, message):
    with pytest.raises(InvalidSetting, match=message):
        make()


def test_a_figure_without_hands_cannot_hold_a_club():
    with pytest.raises(InvalidFigure, match="figure 'arm4' cannot hold a club: it has no site"):
        with_club(arm4())
