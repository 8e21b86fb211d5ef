"""Poses as values."""

from __future__ import annotations

import numpy as np
import pytest

import posewright as pw
from posewright.errors import InvalidMotion, UnknownName


def test_a_pose_is_read_by_dof_name_and_varied_into_new_ones(mixed_figure: pw.Figure) -> None:
    rest = pw.Pose.rest(mixed_figure)
    bent = rest.with_values({"spine.rx": 5.0, "hand.rz": -3.0})
    assert (rest["spine.rx"], bent["spine.rx"], bent["hand.rz"]) == (0.0, 5.0, -3.0)
    assert (bent.clamped()["spine.rx"], bent.clamped()["hand.rz"]) == (1.2, -2.0)
    with pytest.raises(UnknownName, match=r"figure 'mixed' has no dof 'spine.rz'"):
        rest.with_values({"spine.rz": 1.0})


def test_figures_poses_and_goals_about_them_print_as_one_line(mixed_figure: pw.Figure) -> None:
    rest = pw.Pose.rest(mixed_figure)
    n_joints, n_sites = len(mixed_figure.joints), len(mixed_figure.sites)
    assert repr(mixed_figure) == f"<Figure mixed: {n_joints} joints, {mixed_figure.n_dofs} dofs, {n_sites} sites>"
    assert repr(rest) == f"<Pose of figure mixed: {mixed_figure.n_dofs} dofs>"
    assert len(repr(pw.Posture(rest))) < 300


def test_a_pose_cannot_be_changed_from_outside(mixed_figure: pw.Figure) -> None:
    q = np.zeros(mixed_figure.n_dofs)
    pose = pw.Pose(mixed_figure, q)
    q[0] = 7.0
    assert pose["root.tx"] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        pose.q[0] = 1.0


def test_numbers_that_do_not_fit_are_refused(mixed_figure: pw.Figure) -> None:
    with pytest.raises(InvalidMotion, match=r"a pose of figure 'mixed' needs 18 numbers, got an array of shape \(2,\)"):
        pw.Pose(mixed_figure, np.zeros(2))
    q = np.zeros(mixed_figure.n_dofs)
    q[7] = np.nan
    with pytest.raises(InvalidMotion, match=r"the pose of figure 'mixed' is not finite at 'spine\.r1'"):
        pw.Pose(mixed_figure, q)
