import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import motions

from posewright.errors import InvalidMotion, InvalidSetting
from posewright.figures import Figure, Hinge, Joint, Slide
from posewright.figures.joint import X, Y, Z
from posewright.figures.kinematics import joint_frames
from posewright.motions import Motion
from posewright.rotations import matrix_from_vector


@settings(max_examples=30)
@given(motions(n_frames=st.integers(1, 5)), st.floats(-7, 7), st.tuples(*[st.floats(-5, 5)] * 3))
def test_all_points_turn_and_move_together(motion, yaw, translation):
    before = joint_frames(motion.figure, motion.q)
    after = joint_frames(motion.figure, motion.moved(translation, yaw).q)
    turn = matrix_from_vector(np.array([0.0, yaw, 0.0]))
    np.testing.assert_allclose(after.positions, before.positions @ turn.T + translation, atol=1e-9)
    np.testing.assert_allclose(after.rotations, turn @ before.rotations, atol=1e-9)


def test_a_root_on_rails_moves_where_it_can():
    figure = Figure(
        name="cart", joints=(Joint(name="cart", slides=(Slide(axis=X), Slide(axis=Z)), rotation=(Hinge(axis=Y),)),)
    )
    motion = Motion(figure, np.zeros((2, 3)), 30.0)
    np.testing.assert_allclose(motion.moved((1, 0, 2), yaw=0.5).q, [[1, 2, 0.5]] * 2, atol=1e-12)
    with pytest.raises(InvalidMotion, match="'cart' has 2 slides and cannot be moved"):
        motion.moved((0, 1, 0))


def test_a_root_that_cannot_turn_is_told():
    figure = Figure(name="f", joints=(Joint(name="base", slides=(Slide(axis=X),), rotation=(Hinge(axis=X),)),))
    with pytest.raises(InvalidMotion, match="'base' cannot turn about the vertical"):
        Motion(figure, np.zeros((1, 2)), 30.0).moved(yaw=1.0)
    with pytest.raises(InvalidSetting, match="finite"):
        Motion(figure, np.zeros((1, 2)), 30.0).moved((0.0, np.nan, 0.0))
