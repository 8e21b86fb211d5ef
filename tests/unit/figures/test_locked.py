"""Locking: dofs gone, segments frozen, relations reduced."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import posewright as pw
from posewright.constraints import LinearConstraint
from posewright.errors import InvalidFigure
from posewright.figures import JointGroup
from posewright.figures.source import Source


def test_a_subtree_is_frozen_and_the_rest_moves(mixed_figure: pw.Figure) -> None:
    frozen = mixed_figure.locked("arm")
    assert frozen.dof_names == tuple(n for n in mixed_figure.dof_names if not n.startswith(("arm.", "hand.")))
    assert frozen.joint_names == mixed_figure.joint_names
    assert frozen.sites == mixed_figure.sites


def test_one_joint_alone(mixed_figure: pw.Figure) -> None:
    assert "hand.rx" in mixed_figure.locked("arm", alone=True).dof_names
    assert "arm.wx" not in mixed_figure.locked("arm", alone=True).dof_names


def test_constraints_move_their_constants_into_the_bounds(mixed_figure: pw.Figure) -> None:
    rows = (
        LinearConstraint(name="mixed", coefficients=(("hand.rx", 2.0), ("spine.rx", 3.0)), lower=-1.0, upper=4.0),
        LinearConstraint(name="inside", coefficients=(("hand.rx", 1.0), ("hand.ry", 1.0)), upper=1.0),
        LinearConstraint.coupling("untouched", "spine.rx", "leg.wx", 0.5),
    )
    figure = replace(mixed_figure, constraints=rows)
    frozen = figure.locked("hand", at=pw.Pose.rest(figure).with_values({"hand.rx": 0.5}))
    assert [row.name for row in frozen.constraints] == ["mixed", "untouched"]
    assert frozen.constraints[0].coefficients == (("spine.rx", 3.0),)
    assert (frozen.constraints[0].lower, frozen.constraints[0].upper) == (-2.0, 3.0)
    assert frozen.constraints[1] == rows[2]


def test_a_pose_that_breaks_a_frozen_constraint_is_refused(mixed_figure: pw.Figure) -> None:
    row = LinearConstraint(name="fold", coefficients=(("hand.rx", 1.0),), upper=0.2)
    figure = replace(mixed_figure, constraints=(row,))
    with pytest.raises(InvalidFigure, match=r"constraint 'fold' is broken by the pose to lock: its sum is 0.5"):
        figure.locked("hand", at=pw.Pose.rest(figure).with_values({"hand.rx": 0.5}))


def test_groups_drive_what_remains(mixed_figure: pw.Figure) -> None:
    group = JointGroup(
        name="curl",
        coordinates=("bend", "twist"),
        members=("hand.rx", "hand.ry", "spine.rx"),
        matrix=((1.0, 0.0), (0.0, 1.0), (0.5, 0.0)),
        offset=(0.0, 0.0, 0.2),
    )
    figure = replace(mixed_figure, groups=(group,))
    (left,) = figure.locked("hand").groups
    assert (left.coordinates, left.members, left.matrix, left.offset) == (("bend",), ("spine.rx",), ((0.5,),), (0.2,))
    assert figure.locked("spine").groups == ()
    assert figure.locked("leg").groups == (group,)


def test_channels_of_frozen_joints_are_gone(mixed_figure: pw.Figure) -> None:
    channels = tuple((f"channel{k}",) for k in range(5))
    figure = replace(mixed_figure, source=Source(format="bvh", channels=channels))
    source = figure.locked("hand").source
    assert source is not None
    assert source.channels == (*channels[:3], (), channels[4])


def test_a_pose_of_another_figure_is_refused(mixed_figure: pw.Figure) -> None:
    other = pw.Figure(name="other", joints=(pw.figures.Joint(name="a", rotation=pw.figures.Ball()),))
    with pytest.raises(InvalidFigure, match="the pose to lock at is one of figure 'other', not of 'mixed'"):
        mixed_figure.locked("arm", at=pw.Pose(other, np.zeros(3)))
