"""The elbow of a hand that grips is held where the arm's joints are inside their limits."""

from __future__ import annotations

import numpy as np
import pytest

from posewright.clips.biped import measure
from posewright.clips.club import easiest_elbow
from posewright.conventions import Array
from posewright.figures.catalogue import build
from posewright.figures.kinematics import joint_frames, site_frames


def gripping(name: str, side: str, frames: int) -> tuple[Array, Array, Array]:
    """Times, elbow directions found for a hand taken through postures inside the limits, and where its elbow was."""
    figure = build(name)
    biped = measure(figure)
    arm = biped.arms[0 if side == "left" else 1]
    t = np.linspace(0.0, 2.0, frames)
    q = np.tile(figure.rest, (frames, 1))
    for dof, first, last in (
        ("shoulder.elevation", 40.0, 70.0),
        ("shoulder.abduction", 0.0, 20.0),
        ("elbow.flexion", 60.0, 90.0),
        ("wrist.twist", -40.0, 40.0),
        ("wrist.deviation", -20.0, 10.0),
    ):
        q[:, figure.dof_index(f"{side}_{dof}")] = np.radians(np.linspace(first, last, frames))
    joints, hand = joint_frames(figure, q), site_frames(figure, q, [f"{side}_hand"])
    x, y = hand.x_axes[:, 0], hand.y_axes[:, 0]
    palm = np.stack([x, y, np.cross(x, y)], axis=-1)
    shoulder = joints.positions[:, arm.to_wrist.upper]
    chest = np.broadcast_to(np.eye(3), (frames, 3, 3))
    found = easiest_elbow(biped, arm, t, chest, shoulder, palm, hand.points[:, 0])
    upper, angles, _ = arm.to_wrist.place(shoulder, joints.positions[:, arm.wrist], found)
    arm.shoulder_chain.unbounded().fit(chest @ biped.rest.rotations[arm.shoulder_base], upper, q)
    arm.hand_chain.unbounded().fit(arm.to_wrist.middle_rotations(upper, angles), palm @ arm.palm_from_wrist, q)
    indices = np.concatenate([arm.shoulder_chain.indices, arm.hand_chain.indices])
    return t, found, np.minimum(q - figure.lower, figure.upper - q)[:, indices]


@pytest.mark.parametrize("name", ["human", "human40"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_joints_stay_inside_their_limits(name: str, side: str) -> None:
    _, _, inside = gripping(name, side, 60)
    assert inside.min() > np.radians(2.0)


def test_the_frame_rate_does_not_matter() -> None:
    _, slow, _ = gripping("human40", "left", 61)
    _, fast, _ = gripping("human40", "left", 241)
    np.testing.assert_allclose(fast[::4], slow, atol=0.02)


def test_the_direction_is_smooth() -> None:
    coarse, fine = (np.abs(np.diff(gripping("human40", "right", n)[1], 3, axis=0)).max() * n**2 for n in (121, 481))
    assert fine < 0.5 * coarse
