"""Scaled limbs: what grows, what stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import posewright as pw
from posewright.constraints import LinearConstraint
from posewright.errors import InvalidSetting, UnknownName
from posewright.figures import JointGroup
from posewright.figures.joint import Capsule
from posewright.figures.kinematics import centre_of_mass, joint_frames, site_frames
from posewright.figures.transforms.lengths import lengths_q
from random_figures import random_figure, random_q


@pytest.mark.parametrize("seed", range(4))
def test_a_scaled_world_is_the_world_of_the_scaled_figure(seed: int) -> None:
    figure = random_figure(seed)
    q = random_q(figure, seed)
    twice = figure.with_lengths(overall=2.0)
    new = lengths_q(figure, q, overall=2.0)
    before, after = joint_frames(figure, q), joint_frames(twice, new)
    np.testing.assert_allclose(after.positions, 2.0 * before.positions, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(after.rotations, before.rotations, rtol=0.0, atol=1e-12)
    points = site_frames(figure, q, figure.site_names).points
    np.testing.assert_allclose(site_frames(twice, new, figure.site_names).points, 2.0 * points, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(centre_of_mass(twice, new), 2.0 * centre_of_mass(figure, q), rtol=0.0, atol=1e-12)


def test_one_segment_grows_with_all_that_is_fixed_to_it(mixed_figure: pw.Figure) -> None:
    figure = mixed_figure.with_lengths({"arm": 1.5})
    assert figure.joint("hand").offset == pytest.approx((0.6, 0.0, 0.0))
    assert figure.joint("arm").offset == mixed_figure.joint("arm").offset
    assert figure.joint("arm").centre == pytest.approx((0.15, 0.0, 0.075))
    assert figure.site("finger") == mixed_figure.site("finger")
    assert figure.with_lengths({"hand": 2.0}).site("finger").point == (0.4, 0.0, 0.06)
    assert figure.joint("arm").slides == mixed_figure.joint("arm").slides
    longer = mixed_figure.with_lengths({"spine": 2.0})
    assert (longer.joint("arm").slides[0].lower, longer.joint("arm").slides[0].upper) == (-0.2, 0.6)
    q = np.ones(mixed_figure.n_dofs)
    scaled = lengths_q(mixed_figure, q, {"spine": 2.0})
    assert scaled[mixed_figure.dof_index("arm.tz")] == 2.0
    assert scaled.sum() == q.sum() + 1.0


def test_capsules_and_masses(mixed_figure: pw.Figure) -> None:
    capsule = Capsule(start=(0.0, 0.0, 0.0), end=(0.4, 0.0, 0.0), start_radius=0.05, end_radius=0.04)
    figure = replace(
        mixed_figure, joints=tuple(replace(j, shape=(capsule,)) if j.name == "arm" else j for j in mixed_figure.joints)
    )
    arm = figure.with_lengths({"arm": 2.0}, overall=3.0).joint("arm")
    assert arm.shape[0].end == pytest.approx((2.4, 0.0, 0.0))
    assert arm.shape[0].start_radius == pytest.approx(0.15)
    assert arm.mass == 1.0
    assert figure.with_lengths({"arm": 2.0}, overall=3.0, scale_masses=True).joint("arm").mass == pytest.approx(54.0)


def test_relations_between_slides_follow_the_scale(mixed_figure: pw.Figure) -> None:
    row = LinearConstraint(name="row", coefficients=(("root.ty", 2.0), ("spine.rx", 1.0)), upper=1.0)
    group = JointGroup(
        name="g", coordinates=("c",), members=("root.tx", "leg.wx"), matrix=((1.0,), (1.0,)), offset=(0.5, 0.5)
    )
    figure = replace(mixed_figure, constraints=(row,), groups=(group,)).with_lengths(overall=4.0)
    assert figure.constraints[0].coefficients == (("root.ty", 0.5), ("spine.rx", 1.0))
    assert figure.groups[0].matrix == ((4.0,), (1.0,))
    assert figure.groups[0].offset == (2.0, 0.5)


def test_bad_factors_are_told(mixed_figure: pw.Figure) -> None:
    with pytest.raises(InvalidSetting, match="the length factor of 'arm' must be a positive number, got 0"):
        mixed_figure.with_lengths({"arm": 0.0})
    with pytest.raises(InvalidSetting, match="'overall' must be a positive number, got nan"):
        mixed_figure.with_lengths(overall=float("nan"))
    with pytest.raises(UnknownName, match="no joint 'ram'; did you mean 'arm'"):
        mixed_figure.with_lengths({"ram": 2.0})
