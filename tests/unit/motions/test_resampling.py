import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import ORDERS, motions

from posewright.errors import InvalidMotion, InvalidSetting
from posewright.figures import Ball, Figure, Hinge, Joint, Slide
from posewright.figures.joint import X
from posewright.figures.kinematics import joint_frames
from posewright.motions import Motion


def one_joint(rotation, slides=()):
    return Figure(name="one", joints=(Joint(name="j", rotation=rotation, slides=slides),))


@settings(max_examples=30)
@given(motions(jumpy=True))
def test_the_same_length_or_rate_is_the_identity(motion):
    np.testing.assert_array_equal(motion.resampled(frames=len(motion)).q, motion.q)
    np.testing.assert_array_equal(motion.resampled(fps=motion.fps).q, motion.q)
    np.testing.assert_array_equal(motion.sampled(motion.times), motion.q)


@settings(max_examples=30)
@given(motions(n_frames=st.integers(2, 12), jumpy=True), st.integers(2, 40))
def test_a_new_length_keeps_both_end_poses_and_the_duration(motion, frames):
    other = motion.resampled(frames=frames)
    assert len(other) == frames
    np.testing.assert_array_equal(other.q[[0, -1]], motion.q[[0, -1]])
    assert other.duration == pytest.approx(motion.duration)


@settings(max_examples=30)
@given(motions(n_frames=st.integers(2, 12), jumpy=True))
def test_twice_the_rate_keeps_every_old_frame_and_halves_the_turn_between(motion):
    double = motion.resampled(fps=2 * motion.fps)
    assert (len(double), double.fps) == (2 * len(motion) - 1, 2 * motion.fps)
    np.testing.assert_array_equal(double.q[::2], motion.q)
    old = joint_frames(motion.figure, motion.q).rotations[:, 0]
    new = joint_frames(motion.figure, double.q).rotations[:, 0]  # the root turns freely: it is slerped
    np.testing.assert_allclose(
        new[1::2] @ np.swapaxes(old[:-1], 1, 2), old[1:] @ np.swapaxes(new[1::2], 1, 2), atol=1e-9
    )


@pytest.mark.parametrize("rotation", [Ball(), *(tuple(Hinge(axis=a) for a in o) for o in ORDERS)], ids=str)
def test_a_constant_speed_rotation_stays_so(rotation):
    from posewright.figures.joint_coordinates import angles_of

    figure = one_joint(rotation)
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    half = 0.5 * np.linspace(0, 7, 15)[:, None]
    turn = np.concatenate([np.cos(half), np.sin(half) * axis], axis=1)
    q = angles_of(figure.joints[0], turn, np.zeros(3))
    dense = Motion(figure, q, 10.0).resampled(frames=83)
    np.testing.assert_allclose(dense.joint_velocities().turning[:, 0], np.tile(5.0 * axis, (83, 1)), atol=1e-9)


def test_slides_are_mixed_and_single_hinges_take_the_short_way():
    figure = one_joint((Hinge(axis=X),), (Slide(axis=X),))
    motion = Motion(figure, np.array([[0.0, 3.0], [1.0, -3.0]]), 1.0)
    half = motion.resampled(frames=3).q[1]
    assert half[0] == pytest.approx(0.5)
    assert np.cos(half[1]) == pytest.approx(-1.0)


def test_an_exact_rate_ends_with_the_last_frame_that_fits():
    figure = one_joint((Hinge(axis=X),))
    motion = Motion(figure, np.arange(11.0)[:, None] * 0.1, 120.0)
    third = motion.resampled(fps=30.0)
    assert third.fps == 30.0
    np.testing.assert_allclose(third.q[:, 0], [0.0, 0.4, 0.8], atol=1e-12)


def test_a_rate_rounded_by_a_file_loses_no_frame():
    motion = Motion(one_joint((Hinge(axis=X),)), np.arange(400.0)[:, None] * 0.01, 1 / 0.0083333)
    even = motion.resampled(fps=120.0)
    assert len(even) == 400
    np.testing.assert_allclose(even.q, motion.q, atol=1e-4)


def test_events_fall_where_they_are_sent():
    figure = one_joint((Hinge(axis=X),))
    motion = Motion(figure, np.linspace(0, 2, 21)[:, None], 10.0)  # the angle is the time
    late = motion.warped(events=[0.0, 0.5, 2.0], onto=[0.0, 1.5, 2.0], fps=10.0)
    np.testing.assert_allclose(late.q[[0, 15, 20], 0], [0.0, 0.5, 2.0], atol=1e-12)
    np.testing.assert_allclose(late.q[9, 0], 0.3, atol=1e-12)
    cut = motion.warped(events=[0.5, 1.5], onto=[0.0, 4.0], frames=5)
    np.testing.assert_allclose(cut.q[:, 0], [0.5, 0.75, 1.0, 1.25, 1.5], atol=1e-12)
    assert cut.fps == pytest.approx(1.0)


def test_a_single_frame_makes_a_still_motion():
    motion = Motion(one_joint(Ball()), np.array([[1.0, 2.0, 3.0]]), 30.0)
    np.testing.assert_array_equal(motion.resampled(frames=4).q, np.tile(motion.q, (4, 1)))
    assert len(motion.resampled(fps=120.0)) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.resampled(), "either fps or frames"),
        (lambda m: m.resampled(fps=1, frames=2), "either fps or frames"),
        (lambda m: m.resampled(fps=0), "fps must be a positive number"),
        (lambda m: m.resampled(frames=0), "at least 1"),
        (lambda m: m.warped(events=[0, 1], onto=[0]), "onto must be at least two increasing"),
        (lambda m: m.warped(events=[0, 1], onto=[1, 0]), "increasing"),
        (lambda m: m.warped(events=[0, 9], onto=[0, 1]), "within the motion's 0 to 1 s"),
        (lambda m: m.warped(events=[0, 0.5, 1], onto=[0, 1]), "3 events cannot be mapped to 2"),
        (lambda m: m.warped(events=[0, 1], onto=[0, 1], fps=9.0, frames=4), "fps or frames, not both"),
        (lambda m: m.warped(events=[0, 1], onto=[0, 1], frames=1), "frames must be a whole number, at least 2, got 1"),
        (lambda m: m.warped(events=[0, 1], onto=[0, 1], fps=0.0), "fps must be a positive number"),
        (lambda m: m.sampled([np.nan]), "of finite numbers, got nan"),
    ],
)
def test_wrong_requests_are_told(call, message):
    motion = Motion(one_joint(Ball()), np.zeros((2, 3)), 1.0)
    with pytest.raises(InvalidSetting, match=message):
        call(motion)


def test_no_frames_cannot_be_resampled():
    with pytest.raises(InvalidMotion, match="no frames"):
        Motion(one_joint(Ball()), np.zeros((0, 3)), 1.0).resampled(frames=3)
