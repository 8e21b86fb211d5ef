"""Pictures of splices: each part in its colour, and rigid joints in that of what carries them."""

import numpy as np
from design_samples import database, figure, goals_of, left_out

from posewright.figure import Pose
from posewright.report.scene import Body, Scene, scene_cones
from posewright.report.splice_picture import PART_COLOURS, part_colours, splice_picture
from posewright.workflows import design


def test_parts_have_colours_of_their_own_and_rigid_joints_follow():
    result = design(figure(), goals_of(left_out()[4], recruiting="limb+spine"), database())
    colours = part_colours(figure(), result.parts)
    assert colours["pelvis"] == PART_COLOURS[0]
    assert colours["left_elbow"] == colours["waist"] == colours["head"] == PART_COLOURS[1]
    assert colours["left_knee"] == colours["right_toes"] == PART_COLOURS[2]


def test_a_body_is_drawn_in_the_colours_of_its_joints():
    pose = Pose.rest(figure())
    plain = scene_cones(Scene(bodies=(Body(pose=pose, colour="slate", sides=False),)))
    mixed = scene_cones(
        Scene(bodies=(Body(pose=pose, colour="slate", sides=False, joint_colours={"left_elbow": "red"}),))
    )
    changed = plain["red"] != mixed["red"]
    assert 0 < changed.sum() < len(plain) / 4
    assert len(np.unique(mixed["red"])) == 2


def test_start_splice_and_answer_stand_side_by_side():
    goals = goals_of(left_out()[4])
    result = design(figure(), goals, database())
    small = {"width": 60, "height": 80}
    two = splice_picture(goals, result.parts, result.initial, result.result, **small)
    three = splice_picture(goals, result.parts, result.initial, result.result, start=Pose.rest(figure()), **small)
    assert two.shape == (80, 120, 3)
    assert three.shape == (80, 180, 3)
    assert len(np.unique(three.reshape(-1, 3), axis=0)) > 50
