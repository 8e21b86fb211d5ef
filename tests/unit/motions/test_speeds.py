import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import motions

from posewright.figures import Ball, Figure, Joint, Site, free_slides
from posewright.motions import (
    Motion,
)

FIGURE = Figure(
    name="f",
    joints=(Joint(name="j", slides=free_slides(), rotation=Ball()),),
    sites=(Site(name="rim", joint="j", point=(1.0, 0.0, 0.0)),),
)


def test_a_thrown_spinning_thing_has_the_speeds_of_mechanics():
    fps, spin = 100.0, 4.0
    t = np.arange(50) / fps
    q = np.zeros((50, 6))
    q[:, 0], q[:, 1], q[:, 4] = 2.0 * t, 3.0 * t - 4.905 * t**2, spin * t
    motion = Motion(FIGURE, q, fps)
    speed, change = motion.joint_velocities(), motion.joint_accelerations()
    np.testing.assert_allclose(speed.turning[:, 0], np.tile([0, spin, 0], (50, 1)), atol=1e-9)
    np.testing.assert_allclose(change.turning, 0.0, atol=1e-6)
    np.testing.assert_allclose(speed.sliding[1:-1, 0, 1], 3.0 - 9.81 * t[1:-1], atol=1e-9)
    np.testing.assert_allclose(change.sliding[:, 0], np.tile([0, -9.81, 0], (50, 1)), atol=1e-6)
    rim = motion.site_velocities(["rim", "j"])
    np.testing.assert_allclose(np.linalg.norm(rim[1:-1, 0] - rim[1:-1, 1], axis=1), spin, rtol=1e-3)
    inward = motion.site_accelerations(["rim"])[1:-1, 0] - [0, -9.81, 0]
    np.testing.assert_allclose(np.linalg.norm(inward, axis=1), spin**2, rtol=1e-3)


@settings(max_examples=25)
@given(motions(n_frames=st.integers(1, 8), jumpy=True))
def test_speeds_do_not_see_the_branches_of_angles(motion):
    jumpy, smooth = motion.joint_velocities(), motion.unwrapped().joint_velocities()
    assert jumpy.turning.shape == (len(motion), len(motion.figure.joints), 3)
    np.testing.assert_allclose(jumpy.turning, smooth.turning, atol=1e-9)
    assert motion.joint_accelerations().turning.shape == jumpy.turning.shape


@pytest.mark.parametrize("n_frames", [1, 2])
def test_the_shortest_motions_have_speeds_too(n_frames):
    motion = Motion(FIGURE, np.arange(n_frames)[:, None] * np.ones(6), 10.0)
    assert motion.site_velocities(["j"])[0, 0, 0] == pytest.approx(10.0 * (n_frames - 1))
    assert motion.site_accelerations(["j"]).shape == (n_frames, 1, 3)
