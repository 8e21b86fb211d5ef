import itertools

import pytest

from posewright.anatomy.names import partners, side_of
from posewright.errors import InvalidFigure
from posewright.figures import Figure, Joint, Site

PAIRS = [
    ("left_hip", "right_hip"),
    ("LeftUpLeg", "RightUpLeg"),
    ("mixamorig:LeftArm", "mixamorig:RightArm"),
    ("hand_left", "hand_right"),
    ("LEFT_KNEE", "RIGHT_KNEE"),
    ("l_hip", "r_hip"),
    ("upperleg01.L", "upperleg01.R"),
    ("thigh_l", "thigh_r"),
    ("Bip01 L Thigh", "Bip01 R Thigh"),
    ("Foot_L", "Foot_R"),
    ("LHipJoint", "RHipJoint"),
    ("lShldr", "rShldr"),
    ("ThumbL", "ThumbR"),
]


@pytest.mark.parametrize(("left", "right"), PAIRS)
def test_pairs_are_found_both_ways(left, right):
    assert partners([left, right, "Spine"]) == (1, 0, 2)
    assert (side_of(left), side_of(right)) == ("left", "right")


@pytest.mark.parametrize("name", ["ROOT", "Spine1", "head", "bright", "cleft", "LowerBack", "pelvis", "Lumbar"])
def test_names_in_the_middle_are_their_own_partners(name):
    assert partners([name, "left_hip", "right_hip"]) == (0, 2, 1)


def test_partners_are_positions():
    assert partners(["Hips", "LeftLeg", "RightLeg"]) == (0, 2, 1)


def test_a_missing_partner_is_named():
    with pytest.raises(InvalidFigure, match="'left_hip' has no partner 'right_hip'"):
        partners(["pelvis", "left_hip"])


def bones(*names):
    """A column of joints 0.1 m apart, the last one lowest."""
    joints = [Joint(name=names[0])]
    joints += [Joint(name=b, parent=a, offset=(0, -0.1, 0)) for a, b in itertools.pairwise(names)]
    return joints


def test_feet_are_found_by_name_one_rear_and_one_front_point_a_side():
    joints = bones("Hips", "LeftUpLeg", "LeftFoot", "LeftToeBase")
    assert Figure(name="f", joints=joints).anatomy.contact_sites == ("LeftFoot", "LeftToeBase")
    heel = Site(name="left_heel", joint="LeftFoot", point=(0, -0.05, -0.1))
    tip = Site(name="left_toe_tip", joint="LeftToeBase", tip=True)
    assert Figure(name="f", joints=joints, sites=(heel, tip)).anatomy.contact_sites == ("left_heel", "LeftToeBase")


def test_without_names_the_lowest_ends_stand_on_the_floor():
    joints = [*bones("a", "b", "c"), Joint(name="d", parent="b", offset=(0.1, 0.05, 0))]
    assert Figure(name="f", joints=joints).anatomy.contact_sites == ("c",)


def test_height_is_the_vertical_extent_of_joints_and_tips():
    top = Site(name="top", joint="a", point=(0, 0.3, 0), tip=True)
    other = Site(name="other", joint="a", point=(0, 9.0, 0))
    assert Figure(name="f", joints=bones("a", "b", "c"), sites=(top, other)).height == pytest.approx(0.5)


def test_a_flat_figure_is_as_high_as_it_is_long():
    joints = (Joint(name="a"), Joint(name="b", parent="a", offset=(2, 0, 0)))
    assert Figure(name="f", joints=joints).height == pytest.approx(2.0)


def test_a_body_parked_far_from_its_root_has_the_same_trunk():
    def standing(place):
        joints = [Joint(name="root"), Joint(name="hips", parent="root", offset=place)]
        joints += [Joint(name="chest", parent="hips", offset=(0, 0.4, 0))]
        for side, x in (("left", 0.1), ("right", -0.1)):
            joints += [Joint(name=f"{side}_hip", parent="hips", offset=(x, 0, 0))]
            joints += [Joint(name=f"{side}_knee", parent=f"{side}_hip", offset=(0, -0.4, 0))]
            joints += [Joint(name=f"{side}_foot", parent=f"{side}_knee", offset=(0, -0.4, 0))]
            joints += [Joint(name=f"{side}_arm", parent="chest", offset=(x, 0, 0))]
            joints += [Joint(name=f"{side}_hand", parent=f"{side}_arm", offset=(0, -0.5, 0))]
        return Figure(name="f", joints=joints).anatomy

    near, parked = standing((0, 0.9, 0)), standing((0, 0.9, -4.5))
    assert parked.trunk == near.trunk == {0, 1, 2}
    assert parked.limb_of("left_foot") == near.limb_of("left_foot")
