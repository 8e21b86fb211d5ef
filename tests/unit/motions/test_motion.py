import numpy as np
import pytest

from posewright.errors import InvalidMotion
from posewright.figures import Figure, Hinge, Joint
from posewright.figures.joint import X
from posewright.motions import Motion

FIGURE = Figure(name="one", joints=(Joint(name="j", rotation=(Hinge(axis=X),)),))
RAMP = Motion(FIGURE, np.arange(10.0)[:, None], 20.0)


def test_stretches_keep_the_rate_and_strides_lower_it():
    assert (len(RAMP[2:5]), RAMP[2:5].fps) == (3, 20.0)
    assert (len(RAMP[::2]), RAMP[::2].fps) == (5, 10.0)
    np.testing.assert_array_equal(RAMP[2:5].q[:, 0], [2, 3, 4])


def test_poses_times_and_duration():
    assert [pose["j.rx"] for pose in RAMP[:3]] == [0.0, 1.0, 2.0]
    assert RAMP.pose(-1)["j.rx"] == 9.0
    assert RAMP.duration == pytest.approx(0.45)
    np.testing.assert_allclose(RAMP.times[[0, -1]], [0.0, 0.45])
    assert RAMP[:0].duration == 0.0


def test_a_motion_prints_as_one_line():
    assert repr(RAMP) == "<Motion of figure one: 10 frames at 20 per second>"
    assert repr(Motion(FIGURE, RAMP.q, 30.0, name="ramp")).startswith("<Motion ramp of figure one: ")


def test_nothing_can_be_written_into_a_motion():
    q = np.zeros((2, 1))
    motion = Motion(FIGURE, q, 30.0)
    q[0, 0] = 5.0
    assert motion.q[0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        motion.q[0, 0] = 1.0


@pytest.mark.parametrize(
    ("q", "fps", "message"),
    [
        (np.zeros((3, 2)), 30.0, r"frames of 1 numbers, got an array of shape \(3, 2\)"),
        (np.zeros(3), 30.0, "shape"),
        (np.zeros((3, 1)), 0.0, "must be positive"),
        (np.array([[0.0], [np.nan]]), 30.0, "not finite in frame 1 at 'j.rx'"),
    ],
)
def test_contradictions_are_told(q, fps, message):
    with pytest.raises(InvalidMotion, match=message):
        Motion(FIGURE, q, fps)


def test_a_frame_outside_is_told():
    with pytest.raises(InvalidMotion, match="frame 10 is outside the motion's 10 frames"):
        RAMP.pose(10)
    with pytest.raises(TypeError, match=r"motion\.pose"):
        RAMP[3]
