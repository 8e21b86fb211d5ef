import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import figures, motions

from posewright.errors import InvalidMotion, InvalidSetting
from posewright.figures import Ball, Figure, Hinge, Joint, free_slides
from posewright.figures.joint import X, Y
from posewright.figures.kinematics import joint_frames
from posewright.motions import Motion


def walker(rotation=None):
    leg = Joint(name="leg", parent="root", offset=(0.1, -0.4, 0.0), rotation=(Hinge(axis=X),))
    foot = Joint(name="foot", parent="leg", offset=(0.0, -0.4, 0.0))
    return Figure(
        name="walker", joints=(Joint(name="root", slides=free_slides(), rotation=rotation or Ball()), leg, foot)
    )


def test_concatenation_counts_all_frames_and_keeps_them():
    figure = walker()
    motions_ = [Motion(figure, np.full((n, figure.n_dofs), float(n)), 30.0, notes=("odd",)) for n in (2, 3, 4)]
    whole = Motion.concatenated(motions_)
    assert (len(whole), whole.notes) == (9, ("odd",))
    np.testing.assert_array_equal(whole.q[:, 0], [2, 2, 3, 3, 3, 4, 4, 4, 4])


@settings(max_examples=30)
@given(st.data())
def test_joining_keeps_the_first_motion_and_the_end_of_the_second(data):
    figure = data.draw(figures())
    first = data.draw(motions(figure=figure, n_frames=st.integers(1, 6)))
    second = data.draw(motions(figure=figure, n_frames=st.integers(12, 20)))
    first, second = Motion(figure, first.q, 30.0), Motion(figure, second.q, 30.0)
    whole = first.joined(second, blend=0.2)
    assert len(whole) == len(first) + len(second) - 1
    np.testing.assert_array_equal(whole.q[: len(first)], first.q)
    # after the blend it is the second motion, only moved on the floor and turned about the vertical
    tail = joint_frames(figure, whole.q[-5:]).positions
    wanted = joint_frames(figure, second.q[-5:]).positions
    np.testing.assert_allclose(tail[..., 1], wanted[..., 1], atol=1e-9)
    np.testing.assert_allclose(
        np.linalg.norm(tail - tail[:1, :1], axis=-1), np.linalg.norm(wanted - wanted[:1, :1], axis=-1), atol=1e-9
    )


def test_a_motion_cut_in_two_and_joined_is_whole_again():
    figure = walker((Hinge(axis=Y), Hinge(axis=X), Hinge(axis=(0.0, 0.0, 1.0))))
    t = np.linspace(0, 2, 61)[:, None]
    motion = Motion(figure, np.sin(t * np.linspace(0.3, 1.5, figure.n_dofs)), 30.0)
    away = motion[30:].moved((3.0, 0.0, -2.0), yaw=2.0)
    whole = motion[:31].joined(away, blend=0.4)
    before, after = joint_frames(figure, motion.q).positions, joint_frames(figure, whole.q).positions
    np.testing.assert_allclose(after, before, atol=5e-4)  # speeds at the cut are only estimated
    np.testing.assert_allclose(after[45:], before[45:], atol=1e-9)


def test_position_and_speed_go_on_at_the_join():
    figure = walker()
    t = np.arange(40)[:, None] / 120.0
    first = Motion(figure, t * np.array([1.0, 0.1, 0.0, 0.2, 0.5, 0.1, 1.0]), 120.0)
    second = Motion(figure, 0.4 + t * np.array([-0.5, 0.0, 1.0, 0.0, -0.6, 0.0, -1.0]), 120.0)
    whole = first.joined(second, blend=0.25)
    positions = joint_frames(figure, whole.q).positions
    steps = np.linalg.norm(np.diff(positions, axis=0), axis=-1)
    bends = np.linalg.norm(np.diff(positions, n=2, axis=0), axis=-1)
    assert bends[38].max() < 0.15 * steps[30:39].max()  # a cut bends by a whole step or more
    cut = joint_frames(figure, first.joined(second, blend=0.0).q).positions
    assert np.linalg.norm(np.diff(cut, n=2, axis=0), axis=-1).max() > 5 * bends.max()


def test_motions_that_do_not_fit_are_told():
    figure = walker()
    motion = Motion(figure, np.zeros((3, figure.n_dofs)), 30.0)
    with pytest.raises(InvalidMotion, match="no motions"):
        Motion.concatenated([])
    with pytest.raises(InvalidMotion, match=r"60 frames per second, the first 30.*resampled"):
        Motion.concatenated([motion, Motion(figure, motion.q, 60.0)])
    with pytest.raises(InvalidMotion, match="figure 'other'"):
        motion.joined(Motion(Figure(name="other", joints=figure.joints[:2]), motion.q, 30.0))
    with pytest.raises(InvalidSetting, match="blend"):
        motion.joined(motion, blend=-1.0)
    with pytest.raises(InvalidMotion, match="empty"):
        motion.joined(motion[:0])


def test_clips_of_one_body_under_two_names_fit():
    figure = walker()
    motion = Motion(figure, np.zeros((3, figure.n_dofs)), 30.0)
    assert Motion.concatenated([motion, Motion(figure.renamed("take_2"), motion.q, 30.0)]).figure is figure


def test_slicing_backwards_reverses():
    figure = walker()
    motion = Motion(figure, np.arange(3.0)[:, None] * np.ones(figure.n_dofs), 30.0)
    np.testing.assert_array_equal(motion[::-1].q, motion.q[::-1])
    assert motion[::-1].fps == 30.0
