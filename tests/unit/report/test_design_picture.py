"""Pictures of splices: each part in its colour, and rigid joints in that of what carries them."""

import numpy as np
from design_samples import database, figure, goals_of, left_out

from posewright import design
from posewright.figures import Pose
from posewright.report.image_files import with_legend
from posewright.report.result_pictures import PART_COLOURS, design_picture, legend, part_colours
from posewright.report.scene import PALETTE, Scene, SceneBody, scene_cones


def test_parts_have_colours_of_their_own_and_rigid_joints_follow():
    result = design(figure(), goals_of(left_out()[4]), database(), recruiting="limb+spine")
    colours = part_colours(figure(), result.parts)
    assert colours["pelvis"] == PART_COLOURS[0]
    assert colours["left_elbow"] == colours["waist"] == colours["head"] == PART_COLOURS[1]
    assert colours["left_knee"] == colours["right_toes"] == PART_COLOURS[2]


def test_a_body_is_drawn_in_the_colours_of_its_joints():
    pose = Pose.rest(figure())
    plain = scene_cones(Scene(bodies=(SceneBody(pose=pose, colour="slate", sides=False),)))
    mixed = scene_cones(
        Scene(bodies=(SceneBody(pose=pose, colour="slate", sides=False, joint_colours={"left_elbow": "red"}),))
    )
    changed = plain["red"] != mixed["red"]
    assert 0 < changed.sum() < len(plain) / 4
    assert len(np.unique(mixed["red"])) == 2


def test_start_splice_and_answer_stand_side_by_side():
    goals = goals_of(left_out()[4])
    result = design(figure(), goals, database())
    small = {"width": 60, "height": 80}
    two = design_picture(goals, result.parts, result.initial, result, **small)
    three = design_picture(goals, result.parts, result.initial, result, start=Pose.rest(figure()), **small)
    assert two.shape == (80, 120, 3)
    assert three.shape == (80, 180, 3)
    assert len(np.unique(three.reshape(-1, 3), axis=0)) > 50


def test_the_legend_tells_the_goals_of_each_colour():
    result = design(figure(), goals_of(left_out()[4]), database(), recruiting="limb+spine")
    pairs = [(PALETTE[colour], text) for colour, text in zip(PART_COLOURS, ("pelvis", "hands", "feet"), strict=False)]
    found = legend(figure(), result.parts)
    assert [colour for colour, _ in found] == [colour for colour, _ in pairs]
    assert found[0][1] == "pelvis"
    assert found[1][1] == "left_hand, right_hand"
    hand = design(figure(), [goal for goal in goals_of(left_out()[4]) if goal.site == "left_hand"], database())
    assert legend(figure(), hand.parts)[-1] == (PALETTE["slate"], "the rest")
    whole = design(figure(), goals_of(left_out()[4]), database(), recruiting="whole")
    assert legend(figure(), whole.parts)[-1][1].endswith("and 1 more")


def test_a_legend_is_drawn_in_its_colours():
    plain = np.full((200, 200, 3), 240, np.uint8)
    drawn = with_legend(plain, [("#ff0000", "one"), ("#0000ff", "two")])
    assert (drawn == (255, 0, 0)).all(axis=2).any()
    assert (drawn == (0, 0, 255)).all(axis=2).any()
    assert (drawn[:, 120:] == plain[:, 120:]).all()
