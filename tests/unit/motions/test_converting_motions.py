"""Motions that follow their figure."""

from __future__ import annotations

import numpy as np
import pytest

from posewright.errors import InvalidMotion
from posewright.figures.kinematics import joint_frames
from posewright.motions import Motion
from random_figures import random_figure, smooth_q


def wander(seed: int, n: int = 30, fps: float = 60.0) -> Motion:
    figure = random_figure(seed, 6)
    return Motion(figure, smooth_q(figure, seed, n), fps, name=f"walk{seed}", notes=(f"note{seed}",))


def test_a_motion_goes_to_balls_and_back() -> None:
    motion = wander(3)
    balls = motion.converted(motion.figure.with_balls())
    assert (balls.fps, balls.name, balls.notes, len(balls)) == (60.0, "walk3", ("note3",), 30)
    hinges = balls.converted(motion.figure, near=motion.pose(0))
    np.testing.assert_allclose(hinges.q, motion.q, atol=1e-9)


def test_poses_convert_too() -> None:
    motion = wander(4)
    figure = motion.figure.rerooted(root="joint5")
    pose = motion.pose(7)
    np.testing.assert_allclose(pose.converted(figure).q, motion.converted(figure).q[7], atol=1e-12)


def test_a_motion_on_scaled_limbs_scales_its_slides() -> None:
    motion = wander(5)
    tall = motion.with_lengths(overall=1.2)
    np.testing.assert_allclose(
        joint_frames(tall.figure, tall.q).positions, 1.2 * joint_frames(motion.figure, motion.q).positions, atol=1e-12
    )


def test_a_motion_with_a_frozen_limb_and_back() -> None:
    motion = wander(6)
    at = motion.pose(3)
    still = motion.locked("joint2", at=at)
    assert still.figure.n_dofs < motion.figure.n_dofs
    whole = still.unlocked(motion.figure, at=at)
    before, after = joint_frames(still.figure, still.q), joint_frames(whole.figure, whole.q)
    np.testing.assert_allclose(before.positions, after.positions, atol=1e-12)
    for name in motion.figure.dof_names:
        column = motion.figure.dof_index(name)
        expected = motion.q[:, column] if name in still.figure.dof_names else at.q[column]
        np.testing.assert_array_equal(whole.q[:, column], np.broadcast_to(expected, 30))


def test_motions_side_by_side_and_apart() -> None:
    first, second = wander(1), wander(2)
    both = first.beside(second, prefix="b_")
    assert both.name == "walk1 and walk2"
    assert both.notes == ("note1", "note2")
    a, b = both.apart(first.figure, second.figure)
    np.testing.assert_array_equal(a.q, first.q)
    np.testing.assert_array_equal(b.q, second.q)


def test_motions_of_other_frames_are_refused() -> None:
    with pytest.raises(InvalidMotion, match="one has 30 at 60/s, the other 29 at 60/s; resample one of them"):
        wander(1).beside(wander(2, n=29), prefix="b_")
    with pytest.raises(InvalidMotion, match="the other 30 at 30/s"):
        wander(1).beside(wander(2, fps=30.0), prefix="b_")
