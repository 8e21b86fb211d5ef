"""Recorded motions through balls and back, and from another root: every segment stays where it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import posewright as pw
from posewright.figures.kinematics import joint_frames

pytest.importorskip("posewright.formats.bvh")


@pytest.fixture(params=range(4))
def motion(request: pytest.FixtureRequest, data_folder: Path) -> pw.Motion:
    files = sorted((data_folder / "cmu" / "bvh").rglob("*.bvh"))
    return pw.motion(files[request.param * (len(files) - 1) // 3])


def test_balls_and_back_are_exact_and_never_jump_more_than_the_recording(motion: pw.Motion) -> None:
    balls = motion.converted(motion.figure.with_balls())
    assert sum(bool(joint.ball) for joint in balls.figure.joints) > 20
    back = balls.converted(motion.figure, near=motion.pose(0))
    before, after = joint_frames(motion.figure, motion.q), joint_frames(motion.figure, back.q)
    np.testing.assert_allclose(after.rotations, before.rotations, atol=1e-13)
    np.testing.assert_allclose(after.positions, before.positions, atol=1e-13)
    assert np.abs(np.diff(back.q, axis=0)).max() <= np.abs(np.diff(motion.q, axis=0)).max() + 1e-9


def test_another_root(motion: pw.Motion) -> None:
    last = motion.figure.joint_names[-1]
    hung = motion.converted(motion.figure.rerooted(root=last))
    again = hung.converted(motion.figure, near=motion.pose(0))
    before, after = joint_frames(motion.figure, motion.q), joint_frames(motion.figure, again.q)
    np.testing.assert_allclose(after.positions, before.positions, atol=1e-12)
