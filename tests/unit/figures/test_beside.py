"""Two figures in one world."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import posewright as pw
from posewright.constraints import LinearConstraint
from posewright.errors import InvalidFigure, InvalidMotion
from posewright.figures import JointGroup
from posewright.figures.kinematics import joint_frames
from posewright.figures.source import Skin, Source
from posewright.figures.transforms.combined import split_q
from random_figures import random_figure, random_q


def test_each_moves_as_it_did_alone() -> None:
    first, second = random_figure(1, 5), random_figure(2, 7)
    both = first.beside(second, prefix="partner_")
    q1, q2 = random_q(first, 1), random_q(second, 2)
    together = joint_frames(both, np.concatenate([q1, q2], axis=-1))
    np.testing.assert_array_equal(together.positions[:, :5], joint_frames(first, q1).positions)
    np.testing.assert_array_equal(together.rotations[:, 5:], joint_frames(second, q2).rotations)
    back = split_q(first, second, np.concatenate([q1, q2], axis=-1))
    np.testing.assert_array_equal(back[0], q1)
    np.testing.assert_array_equal(back[1], q2)


def test_every_name_of_the_second_is_prefixed(mixed_figure: pw.Figure) -> None:
    group = JointGroup(name="g", coordinates=("c",), members=("spine.rx",), matrix=((1.0,),))
    figure = replace(
        mixed_figure, groups=(group,), constraints=(LinearConstraint.coupling("k", "leg.wx", "leg.wy", 1.0),)
    )
    both = figure.beside(figure, prefix="b_")
    assert both.name == "mixed and mixed"
    assert both.joint_names == (*figure.joint_names, *("b_" + name for name in figure.joint_names))
    assert both.joint("b_arm").parent == "b_spine"
    assert both.joint("b_root").parent is None
    assert both.site("b_finger").joint == "b_hand"
    assert [g.members for g in both.groups] == [("spine.rx",), ("b_spine.rx",)]
    assert both.constraints[1].name == "b_k"
    assert both.constraints[1].coefficients[0] == ("b_leg.wx", 1.0)


def test_poses_join_and_part(mixed_figure: pw.Figure) -> None:
    other = random_figure(3, 4)
    a, b = pw.Pose(mixed_figure, random_q(mixed_figure, 0)[0]), pw.Pose(other, random_q(other, 0)[0])
    first, second = a.beside(b, prefix="o_").apart(mixed_figure, other)
    np.testing.assert_array_equal(first.q, a.q)
    np.testing.assert_array_equal(second.q, b.q)


def test_notes_are_kept_and_skins_dropped_aloud(mixed_figure: pw.Figure) -> None:
    worn = replace(mixed_figure, skin=Skin({}, b"", ()), source=Source(format="glb", channels=((),), notes=("first",)))
    noted = replace(mixed_figure.renamed("second"), source=Source(format="bvh", notes=("other",)))
    both = worn.beside(noted, prefix="b_")
    assert both.skin is None
    assert both.source is not None
    assert both.source.channels == ()
    assert both.source.notes == ("first", "other", "the skin of 'mixed' was dropped when it was put beside another")


def test_what_cannot_be_is_told(mixed_figure: pw.Figure) -> None:
    with pytest.raises(InvalidFigure, match="figure 'mixed' needs a prefix beside figure 'mixed'"):
        mixed_figure.beside(mixed_figure, prefix="")
    with pytest.raises(InvalidFigure, match="two joints called 'b_root'"):
        mixed_figure.beside(mixed_figure, prefix="b_").beside(mixed_figure, prefix="b_")
    with pytest.raises(InvalidMotion, match="q has 5 numbers; figures 'mixed' and 'mixed' have 18 and 18 dofs"):
        split_q(mixed_figure, mixed_figure, np.zeros(5))
