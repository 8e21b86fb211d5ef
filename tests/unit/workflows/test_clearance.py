"""Arms of a body that is wider than the source's pass beside it, and those that touch it in the source still do."""

from dataclasses import replace

import numpy as np
import pytest

import posewright as pw
from posewright.figures import Figure
from posewright.figures.capsules import capsule_pairs
from posewright.figures.kinematics import joint_frames


def stout(factor: float) -> Figure:
    """human40 with thicker thighs, standing with its arms held out: what touches at rest would not count."""
    figure = pw.figure("human40")
    joints = []
    for joint in figure.joints:
        shape = joint.shape
        if joint.name.endswith("_hip"):
            shape = tuple(
                replace(c, start_radius=factor * c.start_radius, end_radius=factor * c.end_radius) for c in shape
            )
        rotation = joint.rotation
        if joint.name.endswith("_shoulder"):
            rotation = tuple(replace(hinge, rest=1.0) if hinge.label == "abduction" else hinge for hinge in rotation)
        joints.append(replace(joint, shape=shape, rotation=rotation))
    return replace(figure, joints=tuple(joints))


def depths(motion: pw.Motion, pairs_of: Figure) -> np.ndarray:
    """How deep (frames,), m, hands and forearms are in the thighs; pairs are those of a figure at rest."""
    pairs = capsule_pairs(pairs_of)
    names = [motion.figure.joint_names[j] for j in pairs.joint]
    arm = np.array([name.endswith(("_elbow", "_wrist")) for name in names])[pairs.pairs]
    thigh = np.array([name.endswith("_hip") for name in names])[pairs.pairs]
    chosen = (arm[:, 0] & thigh[:, 1]) | (arm[:, 1] & thigh[:, 0])
    gaps = replace(pairs, pairs=pairs.pairs[chosen]).nearest(joint_frames(motion.figure, np.array(motion.q))).gap
    return np.maximum(0.0, -gaps)


@pytest.fixture(scope="module")
def walk() -> pw.Motion:
    return pw.clips.walk(pw.figure("human40"), steps=4)


def test_hands_pass_thicker_thighs(walk):
    target = stout(2.5)
    made = pw.retarget(walk, target)
    before, after = depths(made.transferred, target), depths(made.motion, target)
    assert before.max() > 0.03, "plain transfer swings the hands through the thighs"
    assert after.max() < 0.5 * before.max()
    assert made.quality(body=False)["jerk ratio"].value < 1.3


def test_arms_that_meet_nothing_stay_as_they_are(walk):
    slim = pw.retarget(walk, stout(0.5))
    wrists = [slim.motion.figure.joint_index(f"{side}_wrist") for side in ("left", "right")]
    places = [joint_frames(m.figure, np.array(m.q)).positions[:, wrists] for m in (slim.motion, walk)]
    assert np.abs(places[0] - places[1]).max() < 0.005


def test_what_touches_in_the_source_may_touch_on_the_target(walk):
    figure = stout(2.5)
    source = replace(walk, figure=figure)
    made = pw.retarget(source, figure)
    assert depths(made.motion, figure).max() == pytest.approx(depths(source, figure).max(), abs=0.01)
