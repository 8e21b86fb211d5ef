"""Angles on the branch nearest to rest mean the same postures."""

import numpy as np

from posewright.figures import Ball, Figure, Hinge, Joint
from posewright.figures.catalogue import human40
from posewright.figures.joint import X, Y, Z
from posewright.figures.joint_coordinates import angles_of, turn_of
from posewright.figures.kinematics import joint_frames
from posewright.models import Postures
from posewright.models.postures.distance import nearest_to_rest
from posewright.motions import Motion

FIGURE = Figure(
    name="three",
    joints=(
        Joint(name="euler", rotation=tuple(Hinge(axis=axis) for axis in (Z, Y, X))),
        Joint(name="hinge", parent="euler", offset=Y, rotation=(Hinge(axis=X),)),
        Joint(name="ball", parent="hinge", offset=Y, rotation=Ball()),
        Joint(name="end", parent="ball", offset=Y),
    ),
)


def other_branch(q: np.ndarray) -> np.ndarray:
    """The same pose in angles far from rest."""
    w = q[4:]
    angle = np.linalg.norm(w)
    return np.array(
        [q[0] + np.pi, np.pi - q[1], q[2] + np.pi - 2 * np.pi, q[3] + 4 * np.pi, *w * (1 - 2 * np.pi / angle)]
    )


def test_every_branch_of_a_posture_becomes_the_same_angles():
    q = np.array([0.3, -0.4, 0.2, 0.5, 0.1, 0.7, -0.2])
    far = other_branch(q)
    np.testing.assert_allclose(joint_frames(FIGURE, far).positions, joint_frames(FIGURE, q).positions, atol=1e-12)
    np.testing.assert_allclose(nearest_to_rest(FIGURE, np.stack([q, far])), np.stack([q, q]), atol=1e-9)


def test_joints_with_limits_keep_their_angles():
    figure = human40()
    q = np.tile(figure.rest, (2, 1))
    q[1, figure.dof_index("left_knee.flexion")] += 2.0 * np.pi
    np.testing.assert_array_equal(nearest_to_rest(figure, q)[:, 6:], q[:, 6:])


def test_a_database_does_not_depend_on_the_branch_of_its_clips():
    q = np.random.default_rng(1).uniform(-0.6, 0.6, (30, 7))
    plain = Postures.build([Motion(FIGURE, q, 30.0)])
    far = Postures.build([Motion(FIGURE, np.stack([other_branch(one) for one in q]), 30.0)])
    np.testing.assert_allclose(far.q, plain.q, atol=1e-9)


def test_what_is_nearest_already_keeps_its_very_bits():
    q = np.random.default_rng(2).uniform(-0.6, 0.6, (50, 7))
    np.testing.assert_array_equal(nearest_to_rest(FIGURE, q), q)


def test_no_branch_is_nearer():
    """Against angles taken apart anew from the rotations."""
    q = np.random.default_rng(3).uniform(-7.0, 7.0, (200, 7))
    found, euler = nearest_to_rest(FIGURE, q), FIGURE.joints[0]
    np.testing.assert_allclose(joint_frames(FIGURE, found).rotations, joint_frames(FIGURE, q).rotations, atol=1e-12)
    best = angles_of(euler, turn_of(euler, q[:, :3]), np.zeros((200, 3)))
    np.testing.assert_allclose(found[:, :3], best, atol=1e-9)
    assert (np.linalg.norm(found[:, 4:], axis=1) <= np.pi + 1e-12).all()
    assert (np.abs(found[:, 3]) <= np.pi + 1e-12).all()
