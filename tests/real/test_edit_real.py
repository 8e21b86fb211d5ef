"""Keys and paths on recorded clips: met, feet where they rest, no more jerk than there was, nothing else touched."""

import numpy as np
import pytest

import posewright as pw
from posewright.figures.kinematics import site_frames
from posewright.motions.quality.edited import jerk_ratio

CLIPS = {"02_01": 170, "64_05": 183, "115_03": 126, "16_06": 120}
"""A walk, a swing, a bend and a jump, and a frame of each."""


@pytest.fixture(scope="module", params=CLIPS)
def clip(request, data_folder):
    return pw.motion(data_folder / "cmu" / "bvh" / f"{request.param}.bvh"), CLIPS[request.param]


def goals(motion: pw.Motion, frame: int) -> dict[str, pw.goals.Timed]:
    hand = site_frames(motion.figure, motion.q, ["RightHand"]).points[:, 0]
    hips = motion.point("Hips", frame)
    up, low = np.array([0.0, 0.2, 0.0]), np.array([0.0, 0.08, 0.0])
    span = slice(frame - 30, frame + 31)
    return {
        "hand up": pw.Position("RightHand", tuple(hand[frame] + up)).at(frame),
        "hips lower": pw.Position("Hips", tuple(hips - low)).at(frame),
        "hand along a path": pw.Position("RightHand", (0.0, 0.0, 0.0)).along(
            hand[span] + 0.5 * up, start=frame - 30, end=frame + 30
        ),
        "hand held": pw.Position("RightHand", tuple(hand[frame]), joints="limb").during(frame - 8, frame + 8),
        "first frame": pw.Position("RightHand", tuple(hand[0] + 0.5 * up)).at(0),
    }


@pytest.mark.parametrize("name", ["hand up", "hips lower", "hand along a path", "hand held", "first frame"])
def test_an_edit_can_be_shipped(clip, name):
    motion, frame = clip
    result = pw.edit(motion, goals(motion, frame)[name])
    assert result.reached
    assert jerk_ratio(result.motion, motion) <= 1.3
    contacts = motion.contacts()
    feet = [site_frames(one.figure, one.q, contacts.sites).points for one in (result.motion, motion)]
    assert np.linalg.norm(feet[0] - feet[1], axis=-1)[contacts.touching].max() < 1e-3
    assert not result.harm
    if name != "hips lower":
        arm = sorted(motion.figure.anatomy.limb_of("RightHand"))
        others = ~np.isin(motion.figure.tables.dofs["joint"], arm)
        np.testing.assert_array_equal(result.motion.q[:, others], motion.q[:, others])


def test_a_crouching_robot_sinks_deeper_without_flapping_its_ankles(data_folder):
    """Its ankles come to their limits, so feet give way by a fraction of a millimetre."""
    robot = pw.figure(data_folder / "robots/unitree_g1/g1_29dof_kinematics.urdf")
    motion = pw.retarget(pw.motion(data_folder / "cmu/bvh/13_11.bvh", fps=120.0)[:294], robot).motion
    low = motion.point("pelvis", 150) - np.array([0.0, 0.06, 0.0])
    result = pw.edit(motion, pw.Position("pelvis", tuple(low)).at(150))
    assert result.reached
    assert jerk_ratio(result.motion, motion) <= 1.3
    contacts = motion.contacts()
    feet = [site_frames(one.figure, one.q, contacts.sites).points for one in (result.motion, motion)]
    assert np.linalg.norm(feet[0] - feet[1], axis=-1)[contacts.touching].max() < 1e-3
