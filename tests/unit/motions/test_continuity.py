import numpy as np
from hypothesis import given, settings
from strategies import motions

from posewright.figures import Ball, Figure, Hinge, Joint
from posewright.figures.joint import X, Y, Z
from posewright.figures.kinematics import joint_frames
from posewright.motions import Motion


@settings(max_examples=40)
@given(motions(jumpy=True))
def test_unwrapping_is_invisible_in_the_world(motion):
    smooth = motion.unwrapped()
    before, after = joint_frames(motion.figure, motion.q), joint_frames(motion.figure, smooth.q)
    np.testing.assert_allclose(after.positions, before.positions, atol=1e-12)
    np.testing.assert_allclose(after.rotations, before.rotations, atol=1e-12)
    np.testing.assert_array_equal(smooth.q[0], motion.q[0])


def test_whole_turns_and_gimbal_flips_vanish():
    figure = Figure(name="f", joints=(Joint(name="j", rotation=tuple(Hinge(axis=a) for a in (Z, Y, X))),))
    t = np.linspace(0, 1, 200)[:, None]
    smooth = t * np.array([9.0, 2.5, -8.0]) + np.array([0.1, 0.2, 0.3])  # through gimbal lock at b = pi/2
    a, b, c = smooth.T
    flipped = np.where((np.cos(b) > 0)[:, None], smooth, np.stack([a + np.pi, np.pi - b, c + np.pi], axis=1))
    file_like = (flipped + np.pi) % (2 * np.pi) - np.pi
    assert np.abs(np.diff(file_like, axis=0)).max() > 3.0
    np.testing.assert_allclose(Motion(figure, file_like, 30.0).unwrapped().q, smooth, atol=1e-12)


def test_balls_go_on_beyond_pi():
    figure = Figure(name="f", joints=(Joint(name="j", rotation=Ball()),))
    angle = np.linspace(0.5, 9.0, 60)
    axis = np.array([0.6, 0.0, 0.8])
    principal = (angle + np.pi) % (2 * np.pi) - np.pi
    q = Motion(figure, principal[:, None] * axis, 30.0).unwrapped().q
    np.testing.assert_allclose(q, angle[:, None] * axis, atol=1e-12)


def test_two_hinges_lose_whole_turns_only():
    figure = Figure(name="f", joints=(Joint(name="j", rotation=(Hinge(axis=X), Hinge(axis=Z))),))
    smooth = np.linspace(0, 8, 50)[:, None] * np.array([1.0, -0.7])
    wrapped = (smooth + np.pi) % (2 * np.pi) - np.pi
    np.testing.assert_allclose(Motion(figure, wrapped, 30.0).unwrapped().q, smooth, atol=1e-12)
