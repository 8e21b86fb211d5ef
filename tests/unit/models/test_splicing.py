"""Splices: what stays as in the start, few postures, roots of any kind."""

from dataclasses import replace

import numpy as np
import pytest
from design_samples import SITES, database, figure, goals_of, left_out
from numpy.testing import assert_allclose, assert_array_equal

from posewright.clips import walk
from posewright.figures import Hinge, Pose, Site
from posewright.figures.joint import X, Y, Z
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.goals import AnyOf, Orientation, Placement, Position
from posewright.models import Postures
from posewright.models.postures.body_split import reaching_chains
from posewright.models.postures.splicing import Splicer
from posewright.problem import Problem
from posewright.problem.lowering import lower

REST = figure().rest
ELSEWHERE = Pose.rest(figure()).with_values({figure().dof_names[0]: 0.4, figure().dof_names[4]: 0.7}).q
KNEES = np.array([name.startswith("left_knee") for name in figure().dof_names])


def splice(goals, *, on=None, postures=None, start=REST, **settings):
    own = on or figure()
    lowered = lower(Problem(own, goals))
    return Splicer(lowered, (postures or database()).on(own), start, **settings).splice(lowered.targets)


@pytest.mark.parametrize("sites", [SITES, SITES[1:], SITES[:1], SITES[1:2]], ids=len)
@pytest.mark.parametrize("start", [REST, ELSEWHERE], ids=["rest", "elsewhere"])
def test_weights_sum_to_one_and_every_joint_is_posed_once(sites, start):
    for q in left_out()[::9]:
        made = splice(goals_of(q, sites), start=start)
        parts = (*made.parts, *filter(None, [made.root]))
        joints = [joint for part in parts for joint in part.joints]
        assert len(joints) == len(set(joints))
        assert {goal for part in parts for goal in part.goals} == set(sites)
        for part in parts:
            assert part.weights.sum() == pytest.approx(1.0)
        assert (made.q >= figure().lower - 1e-12).all()
        assert (made.q <= figure().upper + 1e-12).all()


def test_a_part_is_blended_from_three_samples_more_than_equations():
    for sites in (SITES[1:2], SITES[1:3]):
        made = splice(goals_of(left_out()[5], sites), recruiting=dict.fromkeys(sites, "limb"))
        assert [len(part.samples) for part in made.parts] == [3 * len(part.goals) + 1 + 3 for part in made.parts]


def test_what_is_kept_stays_as_in_the_start():
    goals, start = goals_of(left_out()[5]), np.array(ELSEWHERE)
    start[KNEES] = 0.123
    assert_array_equal(splice(goals, start=start, kept=KNEES).q[KNEES], start[KNEES])
    assert (splice(goals, start=start).q[KNEES] != start[KNEES]).all()


def test_joints_that_nobody_recruits_follow_the_nearest_posture_or_the_start():
    goals = goals_of(left_out()[5], SITES[1:2])
    levels = {"left_hand": "limb"}
    followed, kept = splice(goals, recruiting=levels), splice(goals, recruiting=levels, rest_from_start=True)
    assert_array_equal(followed.q[KNEES], database().q[followed.rest][KNEES])
    assert kept.rest is None
    assert_array_equal(kept.q[KNEES], REST[KNEES])


def test_fewer_postures_than_equations_will_do():
    few = Postures.build([walk(figure(), seed=1, fps=15.0)[:6]], threshold=0.03)
    assert len(few) < 16
    made = splice(goals_of(left_out()[5]), postures=few)
    assert np.isfinite(made.q).all()
    assert all(part.weights.sum() == pytest.approx(1.0) for part in made.parts)


def test_sites_may_be_wanted_turned():
    """Goals of points and directions that a posture of the database meets give that posture."""
    sample = database().q[40]
    frames = site_frames(figure(), sample, SITES)
    point, x, y = ([tuple(map(float, row)) for row in rows] for rows in (frames.points, frames.x_axes, frames.y_axes))
    goals = [
        Placement(SITES[0], point[0], x=x[0], y=y[0]),
        Orientation(SITES[1], x=x[1]),
        Placement(SITES[2], point[2], x=x[2], y=y[2]),
        Placement(SITES[3], point[3], y=y[3]),
        Orientation(SITES[4], x=x[4], y=y[4]),
    ]
    made = splice(goals)
    assert [part.found for part in made.parts] == ["exact hit"] * 4
    assert_allclose(made.q, sample, atol=1e-9)


@pytest.mark.parametrize("axes", [(Z, Y, X), (Y, X, Y)])
@pytest.mark.parametrize("sites", [SITES, SITES[1:]], ids=len)
def test_a_root_may_turn_by_three_hinges(axes, sites):
    """As those of BVH files do: the posture is that of a root with a ball."""
    pelvis, *joints = figure().joints
    hinged = replace(figure(), joints=(replace(pelvis, rotation=tuple(Hinge(axis=axis) for axis in axes)), *joints))
    assert pelvis.ball is not None
    start = Pose.rest(figure()).with_values({"pelvis.tx": 0.4, "pelvis.wy": 0.3})
    for q in left_out()[::13]:
        goals = goals_of(q, sites)
        with_ball = Pose(figure(), splice(goals, start=start.q).q)
        with_hinges = Pose(hinged, splice(goals, on=hinged, start=start.converted(hinged).q).q)
        for site in (*SITES, "view"):
            assert_allclose(with_hinges.point(site), with_ball.point(site), atol=0.02)


def test_goals_that_share_a_joint_only_through_others_share_a_part():
    reach = goals_of(left_out()[5], SITES[1:2])[0]
    arm = [("left_shoulder", "left_elbow"), ("left_elbow", "left_wrist"), ("left_shoulder",), ("left_hip",)]
    goals = [replace(reach, joints=joints, name=f"goal {k}") for k, joints in enumerate(arm)]
    parts = splice(goals).parts
    assert [part.goals for part in parts] == [("goal 0", "goal 1", "goal 2"), ("goal 3",)]
    assert parts[0].joints == ("left_shoulder", "left_elbow", "left_wrist")


# How much of the body serves a goal.


def lengths(*names: str) -> float:
    return float(sum(np.linalg.norm(figure().joint(name).offset) for name in names))


def test_chains_are_as_long_as_from_where_they_begin_to_the_site():
    hand = float(np.linalg.norm(figure().site("left_hand").point))
    limb, spine = reaching_chains(figure(), "left_hand")
    above = [figure().joint_names[k] for k in figure().ancestors(figure().joint_index("left_wrist"))]
    below_limb = above[: above.index(limb.base)]
    assert (limb.level, spine.level) == (0, 1)
    assert limb.length == pytest.approx(hand + lengths(*below_limb))
    below_spine = above[: above.index(spine.base)]
    assert spine.length == pytest.approx(hand + lengths(*below_spine))
    assert figure().joint_index(spine.base) in figure().anatomy.trunk
    assert figure().joint_index(limb.base) not in figure().anatomy.trunk
    foot = reaching_chains(figure(), "left_sole")
    assert [chain.base for chain in foot] == ["left_hip", "pelvis"]
    assert reaching_chains(figure(), "pelvis") == []


@pytest.mark.parametrize(
    ("share", "level"), [(0.5, "limb"), (0.94, "limb"), (0.96, "limb+spine"), (2.0, "whole")], ids=str
)
def test_a_goal_recruits_as_much_of_the_body_as_reaches_it(share, level):
    """Straight ahead of the shoulder, in shares of the length of the arm."""
    limb, _ = reaching_chains(figure(), "left_hand")
    base = joint_frames(figure(), REST).positions[figure().joint_index(limb.base)]
    goal = Position("left_hand", (base[0], base[1], base[2] + share * limb.length))
    bent = Pose.rest(figure()).with_values({"left_elbow.flexion": 1.5}).q
    (part,) = splice([goal], start=bent).parts
    assert part.levels == (level,)


def test_arms_that_are_nearly_straight_in_the_start_reach_as_far_again():
    limb, _ = reaching_chains(figure(), "left_hand")
    base = joint_frames(figure(), REST).positions[figure().joint_index(limb.base)]
    here = site_frames(figure(), REST, ["left_hand"]).points[0] - base
    assert np.linalg.norm(here) > 0.97 * limb.length
    goal = Position("left_hand", tuple(base + here * (0.99 * limb.length / np.linalg.norm(here))))
    assert splice([goal]).parts[0].levels == ("limb",)


def test_of_alternatives_the_one_nearest_to_the_start_is_spliced_for():
    q = left_out()[5]
    there = site_frames(figure(), q, ["left_hand", "right_hand", "left_sole"]).points
    near, other = Position("left_hand", tuple(there[0])), Position("left_hand", tuple(there[0] + [3.0, 0.0, 0.0]))
    pelvis = joint_frames(figure(), q).positions[0]
    opposite = replace(near, target=tuple(2.0 * pelvis - there[0]))  # as far from the root, on its other side
    for members in ((near, other), (other, near), (near, opposite), (opposite, near)):
        chosen = splice([AnyOf(members, name="either")], start=q)
        assert_allclose(chosen.q, splice([near], start=q).q, atol=1e-9)
    # Two terms of one alternative count together.
    turned = replace(near, site="right_hand", target=tuple(there[1] + [0.0, 0.0, 0.5]))
    assert (
        splice([AnyOf((turned, other), name="either")], start=q).parts[0].joints
        == splice([turned], start=q).parts[0].joints
    )


@pytest.mark.parametrize("kind", ["any", "same", "opposite"])
def test_a_root_whose_direction_is_wanted_turns_by_the_shortest_way(kind):
    start = Pose.rest(figure()).with_values({"pelvis.wx": 0.3, "pelvis.wy": 0.7}).q
    site = Site(name="front", joint="pelvis", point=(0.0, 0.1, 0.2), x_axis=(0.0, 0.6, 0.8), y_axis=(1.0, 0.0, 0.0))
    own = figure().with_sites(site)
    here = site_frames(own, start, ["front"]).x_axes[0]
    wanted = {"any": np.array([0.48, 0.6, 0.64]), "same": here, "opposite": -here}[kind]
    goals = [
        Orientation("front", x=tuple(wanted), name="heading"),
        Position("front", (0.2, 1.1, -0.3)),
        *goals_of(left_out()[5])[1:3],
    ]
    lowered = lower(Problem(own, goals))
    made = Splicer(lowered, database().on(own), start).splice(lowered.targets)
    found = site_frames(own, made.q, ["front"])
    assert_allclose(found.x_axes[0], wanted, atol=1e-9)
    assert_allclose(found.points[0], (0.2, 1.1, -0.3), atol=1e-9)
    assert made.root is not None
    assert (made.root.joints, made.root.levels) == (("pelvis",), ("root", "root"))
    assert made.root.purpose == "heading, front"


def test_a_goal_between_the_root_and_another_site_is_for_the_whole_body():
    (part,) = splice([Position("pelvis", "left_hand")]).parts
    assert part.levels == ("whole",)
    assert set(part.joints) == {joint.name for joint in figure().joints[1:] if joint.n_dofs}
