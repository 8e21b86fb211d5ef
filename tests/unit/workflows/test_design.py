"""Designing postures: bad input, fallbacks, what is kept, all kinds of goals, drags."""

import math

import numpy as np
import pytest
from design_samples import SITES, database, empty, figure, goals_of, left_out

import posewright as pw
from posewright.errors import InvalidSetting, UnknownName
from posewright.figures import Pose
from posewright.figures.catalogue import chain, hand, human
from posewright.solvers.prioritized import Prioritized

FEET = [
    pw.Placement("left_sole", (0.095, 0.0, 0.04), x=(0, 0, 1), y=(0, 1, 0)),
    pw.Placement("right_sole", (-0.095, 0.0, 0.04), x=(0, 0, 1), y=(0, 1, 0)),
]


def test_an_empty_database_gives_what_the_solver_alone_gives():
    goals = goals_of(left_out()[3])
    result = pw.design(figure(), goals, empty())
    alone = Prioritized().solve(pw.Problem(figure(), goals))
    assert result.fallback == "start"
    assert result.parts == ()
    np.testing.assert_array_equal(result.pose.q, alone.pose.q)
    assert result.iterations == alone.iterations
    assert "the database is empty" in result.warnings[-1]
    assert "started at the start pose" in result.describe()


def test_without_goals_the_start_is_the_answer():
    start = Pose.rest(figure()).with_values({"left_elbow.flexion": 1.0})
    result = pw.design(figure(), [], database(), start=start)
    assert result.stopped == "nothing to do"
    assert result.fallback == "start"
    assert result.warnings == ()
    np.testing.assert_array_equal(result.pose.q, start.q)


def test_a_goal_nobody_in_the_database_serves_is_told_and_the_rest_is_served():
    goals = [*FEET, pw.Position("left_hand", (0.4, 3.5, 0.2), priority=2)]
    result = pw.design(figure(), goals, database())
    assert not result.reached
    assert result.errors["left_sole"] < 1e-3
    told = [sentence for sentence in result.warnings if "left_hand" in sentence]
    assert len(told) == 1
    assert told[0].startswith("no posture of the database comes near 'left_hand' (the nearest is 2")


def test_goals_that_postures_serve_are_not_warned_about():
    assert pw.design(figure(), goals_of(left_out()[3]), database()).warnings == ()


def test_a_database_of_an_unrelated_figure_is_refused():
    with pytest.raises(pw.errors.InvalidFigure, match="share no rotating joint"):
        pw.design(hand(), [pw.Position("index_tip", (0.0, 0.1, 0.0))], database())


def test_joints_that_the_database_does_not_know_begin_as_in_the_start():
    own = human()
    start = Pose.rest(own).with_values({"L3.flexion": 0.05})
    goals = [pw.Position("left_hand", (0.3, 1.2, 0.35))]
    result = pw.design(own, goals, database(), start=start)
    assert result.reached
    assert "L3" in result.unshared
    assert result.initial["L3.flexion"] == 0.05
    assert any("has no joints" in sentence and "L3" in sentence for sentence in result.warnings)


def test_poses_of_another_figure_are_refused():
    goals = goals_of(left_out()[3])
    other = Pose.rest(chain(3))
    with pytest.raises(pw.errors.InvalidSetting, match="the start is a pose of figure 'chain"):
        pw.design(figure(), goals, database(), start=other)
    with pytest.raises(pw.errors.InvalidSetting, match="on_initial returned is a pose of figure 'chain"):
        pw.design(figure(), goals, database(), on_initial=lambda pose: other)
    with pytest.raises(pw.errors.InvalidSetting, match="the postures are on figure 'human40'"):
        pw.design(human(), [], database().on(figure()))


def test_an_unknown_recruiting_level_is_refused():
    with pytest.raises(
        pw.errors.InvalidSetting, match=r"recruiting of .* must be 'limb', 'limb\+spine' or 'whole', got 'arm'"
    ):
        pw.design(figure(), goals_of(left_out()[3]), database(), recruiting={"left_hand": "arm"})
    with pytest.raises(UnknownName, match="did you mean 'left_hand'"):
        pw.design(figure(), goals_of(left_out()[3]), database(), recruiting={"left_hnad": "limb"})


def test_frozen_joints_stay_as_in_the_start():
    start = Pose.rest(figure()).with_values({"right_elbow.flexion": 1.2, "back.flexion": 0.2})
    goals = goals_of(left_out()[3], SITES[1:2])
    result = pw.design(figure(), goals, database(), start=start, frozen=["right_elbow", "back.flexion", "pelvis"])
    for dof in ("right_elbow.flexion", "back.flexion", "pelvis.ty", "pelvis.wx"):
        assert result.initial[dof] == result.pose[dof] == start[dof]


def test_only_the_joints_that_a_goal_names_are_moved():
    joints = ("left_shoulder", "left_elbow", "left_wrist")
    goal = pw.Position("left_hand", (0.3, 1.2, 0.3), joints=joints)
    result = pw.design(figure(), [goal], database())
    moved = {
        name.partition(".")[0]
        for name, a, b in zip(figure().dof_names, result.pose.q, figure().rest, strict=True)
        if a != b
    }
    assert result.reached
    assert moved <= set(joints)


def test_the_rest_of_the_body_follows_a_sample_or_the_start():
    goals = goals_of(left_out()[3], SITES[1:2])
    followed = pw.design(figure(), goals, database(), recruiting="limb")
    kept = pw.design(figure(), goals, database(), recruiting="limb", rest_from_start=True)
    rest = database().q[followed.splice.rest]
    knee = figure().dof_index("left_knee.flexion")
    assert followed.initial.q[knee] == rest[knee]
    assert kept.splice.rest is None
    assert kept.initial.q[knee] == figure().rest[knee]


def test_place_and_heading_are_those_of_the_start():
    q = left_out()[10]
    goals = goals_of(q, SITES[1:])
    here = pw.design(figure(), goals, database())
    turn, step = 2.0, np.array([3.0, 0.0, -1.0])
    c, s = math.cos(turn), math.sin(turn)
    R = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    start = Pose.rest(figure()).with_values({"pelvis.tx": 3.0, "pelvis.tz": -1.0, "pelvis.wy": turn})
    there = [pw.Position(g.site, tuple(R @ g.target + step), priority=g.priority) for g in goals]
    moved = pw.design(figure(), there, database(), start=start)
    assert moved.iterations == here.iterations
    np.testing.assert_allclose(moved.initial.q[6:], here.initial.q[6:], atol=1e-4)
    np.testing.assert_allclose(moved.initial.point("view"), R @ here.initial.point("view") + step, atol=1e-4)


def test_without_a_hip_goal_the_root_sinks_for_a_low_hand():
    low = pw.design(figure(), [*FEET, pw.Position("right_hand", (-0.2, 0.45, 0.35), priority=2)], database())
    high = pw.design(figure(), [*FEET, pw.Position("right_hand", (-0.2, 1.5, 0.35), priority=2)], database())
    assert low.reached
    assert high.reached
    assert low.initial["pelvis.ty"] < high.initial["pelvis.ty"] - 0.05


def test_straight_legs_reach_where_they_stand():
    result = pw.design(figure(), FEET, database())
    assert [part.levels for part in result.parts] == [("limb",), ("limb",)]
    lower = [pw.Position(goal.site, (goal.target[0], -0.06, goal.target[2])) for goal in FEET]
    hip = pw.Position("pelvis", Pose.rest(figure()).point("pelvis"))
    assert pw.design(figure(), [hip, *lower], database()).parts[1].levels[0] != "limb"


def test_goals_about_the_root_place_it():
    goals = [
        pw.Placement("pelvis", (0.1, 0.8, 0.2), x=(0.0, 0.0, -1.0), y=(0.0, 1.0, 0.0)),
        pw.Position("left_hand", (0.2, 1.1, -0.3), priority=2),
    ]
    result = pw.design(figure(), goals, database())
    np.testing.assert_allclose(result.initial.point("pelvis"), (0.1, 0.8, 0.2), atol=1e-9)
    axes = pw.figures.kinematics.site_frames(figure(), result.initial.q, ["pelvis"])
    np.testing.assert_allclose(axes.x_axes[0], (0.0, 0.0, -1.0), atol=1e-9)
    assert len(result.parts[0].samples) == 0
    leaning = [
        pw.Orientation("pelvis", y=(0.0, 0.8, 0.6)),
        pw.Position("left_hand", (0.2, 1.1, 0.3), priority=2),
    ]
    tilted = pw.figures.kinematics.site_frames(figure(), pw.design(figure(), leaning, database()).initial.q, ["pelvis"])
    np.testing.assert_allclose(tilted.y_axes[0], (0.0, 0.8, 0.6), atol=1e-9)


def told_by(sample):
    """Goals of every kind that a posture meets, with its root where it is."""
    frames = pw.figures.kinematics.site_frames(figure(), sample, ["pelvis", "left_hand"])
    hip, point = map(tuple, frames.points)
    x, y = tuple(frames.x_axes[1]), tuple(frames.y_axes[1])
    ahead = tuple(frames.points[1] + 2.0 * frames.x_axes[1])
    aside = tuple(frames.points[1] + 2.0 * (0.6 * frames.x_axes[1] + 0.8 * np.cross(x, y)))
    site = figure().site("left_hand")
    axis = tuple(0.6 * np.array(site.x_axis) + 0.8 * np.cross(site.x_axis, site.y_axis))
    root = pw.Placement("pelvis", hip, x=tuple(frames.x_axes[0]), y=tuple(frames.y_axes[0]))
    there, far = pw.Position("left_hand", point), pw.Position("left_hand", (0.3, 9.0, 0.3))
    kinds = {
        "position": there,
        "orientation": pw.Orientation("left_hand", x=x, y=y),
        "direction": pw.Orientation("left_hand", y=y),
        "placement": pw.Placement("left_hand", point, x=x),
        "aim": pw.Aim("left_hand", ahead),
        "aim by an axis": pw.Aim("left_hand", aside, axis=axis),
        "line": pw.Line("left_hand", point, (1, 2, 0)),
        "plane": pw.Plane("left_hand", point, (1, 2, 0)),
        "half-space": pw.HalfSpace("left_hand", point, (1, 2, 0)),
        "any of": pw.AnyOf((far, there)),
    }
    return root, kinds


@pytest.mark.parametrize("kind", told_by(figure().rest)[1])
def test_a_goal_of_any_kind_that_a_sample_meets_gives_a_sample_that_meets_it(kind):
    root, kinds = told_by(database().q[70])
    result = pw.design(figure(), [root, kinds[kind]], database())
    part = result.splice.parts[0]
    assert part.found == "exact hit"
    assert "left_elbow" in part.joints
    assert "right_elbow" not in part.joints
    assert result.iterations == 0
    assert result.reached
    if kind in ("position", "orientation", "placement", "any of"):
        assert part.samples[0] == 70


@pytest.mark.parametrize(
    "goal",
    [
        pw.Position("left_hand", "right_hand"),
        pw.Orientation("left_hand", like="right_hand"),
        pw.Aim("left_hand", "right_hand"),
        pw.Orientation("left_hand", x=(1, 0, 0), like=None),
    ],
    ids=["together", "like", "aim at a site", "alone"],
)
def test_a_goal_between_two_sites_recruits_both_limbs(goal):
    result = pw.design(figure(), [goal], database())
    part = result.splice.parts[0]
    assert ("right_elbow" in part.joints) == (goal.label == "left_hand" and "right_hand" in repr(goal))
    assert result.reached


@pytest.mark.parametrize("goal", [pw.CentreOfMass((0.0, 0.0, 0.05)), pw.Smoothness(("left_hip", "right_hip"))], ids=str)
def test_goals_that_say_nothing_about_sites_are_left_to_the_solver(goal):
    alone = pw.design(figure(), [goal], database())
    assert alone.fallback == "start"
    assert "no goal is about a site" in " ".join(alone.warnings)
    beside = pw.design(figure(), [*FEET, goal], database())
    assert [part.goals for part in beside.parts] == [("left_sole",), ("right_sole",)]


def test_a_posture_goal_takes_the_place_of_the_pull():
    goals = [*FEET, pw.Posture(Pose.rest(figure()), priority=2)]
    result = pw.design(figure(), goals, database(), solver=Prioritized())
    np.testing.assert_allclose(result.pose.q, figure().rest, atol=0.02)


def test_a_drag_gives_what_a_fresh_design_gives():
    first, second = goals_of(left_out()[3]), goals_of(left_out()[30])
    designer = pw.workflows.PostureDesigner(pw.Problem(figure(), first), database())
    designer.solve()
    dragged = designer.solve({goal.label: goal.target for goal in second})
    fresh = pw.design(figure(), second, database())
    np.testing.assert_array_equal(dragged.pose.q, fresh.pose.q)
    assert [part.joints for part in dragged.parts] == [part.joints for part in fresh.parts]
    with pytest.raises(pw.errors.UnknownName, match="left_hand"):
        designer.solve({"left_hnad": (0.0, 1.0, 0.0)})


def test_the_result_is_told_part_by_part():
    result = pw.design(figure(), goals_of(left_out()[30]), database(), recruiting="limb+spine")
    assert repr(result).startswith("reached after")
    text = result.describe()
    assert "waist, back, left_shoulder" in text
    assert "for left_hand (limb+spine), right_hand (limb+spine)" in text
    assert " frame " in text
    assert "the rest: " in text
    sample = result.samples_of(result.parts[1])[0]
    assert sample.clip in database().clips
    assert len(result.samples) == len(result.weights) == 3
    assert sum(result.weights[1]) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"attraction": {"left_elbo": 1.0}}, UnknownName, "did you mean 'left_elbow'"),
        (
            {"attraction": {"left_elbow": 1.5}},
            InvalidSetting,
            "attraction of 'left_elbow' must be from 0 to 1, got 1.5",
        ),
        ({"attraction": {"left_elbow": float("nan")}}, InvalidSetting, "must be from 0 to 1, got nan"),
        ({"on_initial": lambda pose: "x"}, InvalidSetting, "on_initial returned must be a Pose.*, got 'x'"),
        ({"postures": "people.npz"}, InvalidSetting, "postures must be a Postures.*, got 'people.npz'"),
    ],
)
def test_wrong_settings_are_told_in_a_sentence(settings, error, message):
    given = {"postures": database(), **settings}
    with pytest.raises(error, match=message):
        pw.design(figure(), goals_of(left_out()[3]), **given)
