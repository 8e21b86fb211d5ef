"""Another root: names, limits, groups and constraints of the reversed joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import posewright as pw
from posewright.constraints import LinearConstraint
from posewright.errors import InvalidFigure, UnknownName
from posewright.figures import JointGroup
from posewright.figures.kinematics import joint_frames
from posewright.figures.source import Skin, Source
from posewright.figures.transforms.coordinates import converted_q
from random_figures import random_figure, random_q

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


@pytest.fixture
def leg() -> pw.Figure:
    return pw.Figure(
        name="leg",
        joints=(
            pw.figures.Joint(name="hips", slides=pw.figures.free_slides(), rotation=pw.figures.Ball()),
            pw.figures.Joint(
                name="thigh",
                parent="hips",
                offset=(0.1, 0.0, 0.0),
                slides=(pw.figures.Slide(axis=Y, lower=-0.02, upper=0.01),),
                rotation=(
                    pw.figures.Hinge(axis=Z, lower=-0.5, upper=1.0),
                    pw.figures.Hinge(axis=X, lower=-2.0, upper=0.2, rigidity=0.3),
                ),
            ),
            pw.figures.Joint(
                name="shank",
                parent="thigh",
                offset=(0.0, -0.4, 0.0),
                rotation=pw.figures.Ball(lower=(-0.1, -0.2, -0.3), upper=(1.0, 1.1, 1.2), rest=(0.5, 0.0, 0.0)),
            ),
            pw.figures.Joint(
                name="foot", parent="shank", offset=(0.0, -0.4, 0.0), rotation=(pw.figures.Hinge(axis=X),)
            ),
            pw.figures.Joint(name="tail", parent="hips", rotation=(pw.figures.Hinge(axis=X),)),
        ),
        groups=(
            JointGroup(
                name="fold",
                coordinates=("c",),
                members=("thigh.rx", "shank.wx", "foot.rx"),
                matrix=((1.0,), (2.0,), (3.0,)),
                offset=(0.1, 0.2, 0.3),
            ),
        ),
        constraints=(
            LinearConstraint(
                name="sum", coefficients=(("thigh.rz", 1.0), ("shank.wy", 2.0), ("thigh.ty", 5.0)), upper=1.0
            ),
        ),
    )


def test_the_tree_hangs_on_the_new_root(leg: pw.Figure) -> None:
    figure = leg.rerooted(root="shank")
    assert [(j.name, j.parent) for j in figure.joints] == [
        ("shank", None),
        ("shank_reversed", "shank"),
        ("thigh", "shank_reversed"),
        ("thigh_reversed", "thigh"),
        ("hips", "thigh_reversed"),
        ("foot", "shank"),
        ("tail", "hips"),
    ]
    assert figure.dof_names == (
        *("shank.tx", "shank.ty", "shank.tz", "shank.wx", "shank.wy", "shank.wz"),
        *("shank_reversed.wx", "shank_reversed.wy", "shank_reversed.wz"),
        *("thigh_reversed.rx", "thigh_reversed.rz"),
        "hips.ty",
        "foot.rx",
        "tail.rx",
    )


def test_limits_and_rigidity_go_with_the_joint(leg: pw.Figure) -> None:
    figure = leg.rerooted(root="shank")
    bounds = {name: (lo, hi) for name, lo, hi in zip(figure.dof_names, figure.lower, figure.upper, strict=True)}
    assert bounds["thigh_reversed.rx"] == (-2.0, 0.2)
    assert bounds["thigh_reversed.rz"] == (-0.5, 1.0)
    assert bounds["shank_reversed.wz"] == (-1.2, 0.3)
    assert bounds["hips.ty"] == (-0.02, 0.01)
    assert figure.rigidity[figure.dof_index("thigh_reversed.rx")] == 0.3
    assert figure.rest[figure.dof_index("shank_reversed.wx")] == -0.5


def test_groups_and_constraints_mean_the_same(leg: pw.Figure) -> None:
    figure = leg.rerooted(root="foot")
    q = random_q(leg, 0, 1)[0] * 0.1
    new = dict(zip(figure.dof_names, converted_q(leg, figure, q), strict=True))
    old = dict(zip(leg.dof_names, q, strict=True))
    assert figure.constraints[0].value(new) == pytest.approx(leg.constraints[0].value(old), abs=1e-12)
    group = figure.groups[0]
    assert group.members == ("thigh_reversed.rx", "shank_reversed.wx", "foot_reversed.rx")
    assert group.matrix == ((1.0,), (-2.0,), (3.0,))
    assert group.offset == (0.1, -0.2, 0.3)


def test_back_at_the_old_root_the_joints_are_the_old_ones(leg: pw.Figure) -> None:
    back = leg.rerooted(root="foot").rerooted(root="hips")
    assert set(back.joint_names) == set(leg.joint_names)
    assert {name for name in back.dof_names if not name.startswith("hips")} == {
        name for name in leg.dof_names if not name.startswith("hips")
    }
    assert back.constraints == leg.constraints
    assert back.groups == leg.groups
    for name in ("thigh", "shank", "foot"):
        assert [h.axis for h in back.joint(name).hinges] == [h.axis for h in leg.joint(name).hinges]
        np.testing.assert_allclose(back.joint(name).offset, leg.joint(name).offset, atol=1e-15)


def test_a_pivot_may_be_the_root_too(leg: pw.Figure) -> None:
    turned = leg.rerooted(root="foot")
    again = turned.rerooted(root="shank_reversed")
    q = converted_q(leg, turned, random_q(leg, 1))
    new = converted_q(turned, again, q)
    thigh = [figure.joint_index("thigh") for figure in (turned, again)]
    positions = joint_frames(turned, q).positions[:, thigh[0]], joint_frames(again, new).positions[:, thigh[1]]
    np.testing.assert_allclose(*positions, atol=1e-12)


def test_a_reversed_ball_remembers_its_hinges_reversed() -> None:
    hinges = tuple(pw.figures.Hinge(axis=axis) for axis in (Z, X, Y))
    figure = pw.Figure(
        name="two",
        joints=(pw.figures.Joint(name="a"), pw.figures.Joint(name="b", parent="a", offset=X, rotation=hinges)),
    )
    by_balls = figure.with_balls().rerooted(root="b").with_hinges()
    assert by_balls.dof_names[6:] == ("b_reversed.ry", "b_reversed.rx", "b_reversed.rz")
    assert by_balls.joints == figure.rerooted(root="b").joints


def test_the_root_itself_changes_nothing(leg: pw.Figure) -> None:
    assert leg.rerooted(root="hips") is leg


def test_other_bodies_stay_as_they_are() -> None:
    both = random_figure(0, 4).beside(random_figure(1, 5), prefix="b_")
    changed = both.rerooted(root="joint3")
    assert [j for j in changed.joints if j.name.startswith("b_")] == list(both.joints[4:])


def test_what_cannot_be_kept_is_told(leg: pw.Figure) -> None:
    with pytest.raises(UnknownName, match="no joint 'shnk'; did you mean 'shank'"):
        leg.rerooted(root="shnk")
    tied = replace(leg, constraints=(LinearConstraint.coupling("tie", "hips.ty", "tail.rx", 1.0),))
    with pytest.raises(InvalidFigure, match=r"constraint 'tie' names 'hips.ty', which is lost when 'foot' becomes"):
        tied.rerooted(root="foot")
    taken = replace(leg, joints=(*leg.joints, pw.figures.Joint(name="foot_reversed", parent="tail")))
    with pytest.raises(InvalidFigure, match="already has a joint 'foot_reversed'"):
        taken.rerooted(root="foot")


def test_a_skin_is_dropped_with_a_note_and_channels_of_the_old_order_too(leg: pw.Figure) -> None:
    worn = replace(leg, skin=Skin({}, b"", (0, 1, 2, 3, 4)), source=Source(format="glb", channels=(("Xposition",),)))
    changed = worn.rerooted(root="foot")
    assert changed.skin is None
    assert changed.source is not None
    assert changed.source.channels == ()
    assert changed.source.notes == ("the skin was dropped when 'foot' became the root",)
