"""Two bones in closed form: the end is where it should be, for any hinge axis, rest rotation and bent bones."""

from __future__ import annotations

import math

import numpy as np
import pytest

from posewright.clips.limbs import TwoBoneLimb
from posewright.figures import Figure, Hinge, Joint, Site
from posewright.figures.joint import Vector
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.rotations import vector_from_matrix

AXES = {"x": (1.0, 0.0, 0.0), "minus x": (-1.0, 0.0, 0.0), "oblique": (0.8, 0.0, 0.6)}


def arm(axis: Vector, lower: float, upper: float) -> Figure:
    """A shoulder ball, an elbow at an angle with a turned frame, a wrist: bones not perpendicular to the hinge."""
    middle = 0.5 * (max(lower, -3.0) + min(upper, 3.0))
    return Figure(
        name="arm",
        joints=[
            Joint(name="base"),
            Joint(name="shoulder", parent="base", offset=(0.1, 1.2, 0.0)),
            Joint(
                name="elbow",
                parent="shoulder",
                offset=(0.02, -0.3, 0.01),
                rest=(math.cos(0.2), math.sin(0.2), 0.0, 0.0),
                rotation=(Hinge(axis=axis, lower=lower, upper=upper, rest=middle),),
            ),
            Joint(name="wrist", parent="elbow", offset=(0.0, -0.26, 0.03)),
        ],
        sites=[Site(name="end", joint="wrist", point=(0.0, -0.05, 0.02))],
    )


@pytest.mark.parametrize(("lower", "upper"), [(0.0, 2.6), (-2.6, 0.0)])
@pytest.mark.parametrize("axis", AXES.values(), ids=AXES)
def test_the_end_meets_targets_in_reach(axis: Vector, lower: float, upper: float) -> None:
    figure = arm(axis, lower, upper)
    limb = TwoBoneLimb.of(figure, 1, 2, 3, np.array([0.0, -0.05, 0.02]))
    rng = np.random.default_rng(3)
    roots = np.tile([0.1, 1.2, 0.0], (50, 1)) + 0.1 * rng.standard_normal((50, 3))
    lines = rng.standard_normal((50, 3))
    reach = rng.uniform(0.55, 0.98, 50) * limb.longest
    targets = roots + reach[:, None] * lines / np.linalg.norm(lines, axis=1, keepdims=True)
    rotations, angles, misses = limb.place(roots, targets, rng.standard_normal((50, 3)))
    assert misses.max() < 1e-9
    assert (angles >= lower).all()
    assert (angles <= upper).all()
    for root, target, R, angle in zip(roots, targets, rotations, angles, strict=True):
        np.testing.assert_allclose(R @ R.T, np.eye(3), rtol=0.0, atol=1e-12)
        local = site_frames(figure, np.array([angle]), ["end"]).points[0] - [0.1, 1.2, 0.0]
        np.testing.assert_allclose(root + R @ local, target, rtol=0.0, atol=1e-9)


def test_the_middle_joint_lies_towards_the_pole() -> None:
    figure = arm(AXES["x"], -2.6, 0.0)
    limb = TwoBoneLimb.of(figure, 1, 2, 3, np.zeros(3))
    pole = np.array([[0.0, 0.0, -1.0]])
    rotations, angles, _ = limb.place(np.zeros((1, 3)), np.array([[0.0, -0.4, 0.0]]), pole)
    elbow = rotations[0] @ np.array([0.02, -0.3, 0.01])
    assert elbow[2] < -0.1
    assert angles[0] < -0.5


def test_a_target_out_of_reach_is_pointed_at_with_the_limb_straight() -> None:
    figure = arm(AXES["x"], -2.6, 0.0)
    limb = TwoBoneLimb.of(figure, 1, 2, 3, np.zeros(3))
    rotations, angles, misses = limb.place(np.zeros((1, 3)), np.array([[0.0, -3.0, 0.0]]), np.array([[0.0, 0.0, -1.0]]))
    assert misses[0] == pytest.approx(3.0 - limb.longest, abs=1e-9)
    frames = joint_frames(figure, angles)
    end = rotations[0] @ (frames.positions[3] - frames.positions[1])
    np.testing.assert_allclose(end / np.linalg.norm(end), [0.0, -1.0, 0.0], rtol=0.0, atol=1e-9)


def test_a_pole_on_the_line_still_gives_a_rotation() -> None:
    limb = TwoBoneLimb.of(arm(AXES["x"], 0.0, 2.6), 1, 2, 3, np.zeros(3))
    rotations, _, _ = limb.place(np.zeros((1, 3)), np.array([[0.0, -0.4, 0.0]]), np.array([[0.0, -1.0, 0.0]]))
    np.testing.assert_allclose(rotations[0] @ rotations[0].T, np.eye(3), rtol=0.0, atol=1e-12)
    assert np.isfinite(vector_from_matrix(rotations[0])).all()
