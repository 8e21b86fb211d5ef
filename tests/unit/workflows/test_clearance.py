"""Arms of a body that is wider than the source's pass beside it, and those that touch it in the source still do."""

from dataclasses import replace

import numpy as np
import pytest

import posewright as pw
from posewright.figures import Figure
from posewright.figures.capsules import capsule_pairs
from posewright.figures.kinematics import joint_frames
from posewright.workflows.retargeting.clearance import clearances, reduced_clearances
from posewright.workflows.retargeting.setup import RetargetSetup


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


def still(figure: Figure, **dofs: float) -> np.ndarray:
    """Sixty frames of one posture, by dof."""
    values = {name.replace("__", "."): value for name, value in dofs.items()}
    return np.tile(pw.figures.Pose.rest(figure).with_values(values).q, (60, 1))


def setup_of(target: Figure, source: pw.Motion) -> RetargetSetup:
    return RetargetSetup.between(source, target, None, floor=0.0, scale=1.0)


@pytest.mark.parametrize("abduction", [0.26, 0.22, 0.18])
def test_wrists_are_moved_out_by_as_much_as_they_are_deeper_inside_than_in_the_source(abduction):
    """Left arm in the thigh, at rest: by no more than 12 % of its length, and not at all if twice as deep."""
    slim, target = pw.figure("human40"), stout(2.5)
    source = pw.Motion(slim, still(slim, left_shoulder__abduction=abduction), 60.0)
    setup = setup_of(target, source)
    q = still(target, left_shoulder__abduction=abduction)
    moved = clearances(setup, q)
    left, right = (setup.ends.index(target.joint_index(f"{side}_wrist")) for side in ("left", "right"))
    assert not np.delete(moved, left, axis=1).any()
    pairs = capsule_pairs(target)
    arm = target.subtree(target.joint_index("left_elbow"))
    body = set(range(len(target.joints)))
    for side in ("left", "right"):
        body -= {*target.subtree(target.joint_index(f"{side}_shoulder"))}
        body -= {*target.subtree(target.joint_index(f"{side}_knee"))}
    frames = joint_frames(target, q[:1])
    worst = pairs.between(arm, body).nearest(frames)
    wrist, shoulder = (frames.positions[0, target.joint_index(f"left_{part}")] for part in ("wrist", "shoulder"))
    most = 0.12 * np.linalg.norm(wrist - shoulder)
    depth = -worst.gap[0] - 0.005
    assert depth > 0.008
    expected = min(depth, most) * np.clip(2.0 - depth / most, 0.0, 1.0)
    away = worst.away[0] / np.linalg.norm(worst.away[0])
    np.testing.assert_allclose(moved[:, left], np.tile(expected * away, (60, 1)), atol=1e-9)
    as_deep = clearances(setup_of(target, pw.Motion(target, q, 60.0)), q)
    assert not as_deep[:, [left, right]].any()


def test_wrists_are_moved_in_good_time_and_smoothly():
    target, n = stout(2.5), 60
    slim = pw.figure("human40")
    q = still(target, left_shoulder__abduction=1.0)
    q[24:35, target.dof_index("left_shoulder.abduction")] = 0.26
    moved = clearances(setup_of(target, pw.Motion(slim, still(slim, left_shoulder__abduction=1.0), 60.0)), q)
    far = np.linalg.norm(moved, axis=-1).max(axis=1)
    there = clearances(
        setup_of(target, pw.Motion(slim, still(slim, left_shoulder__abduction=1.0), 60.0)), np.tile(q[30], (n, 1))
    )
    assert (far[24:35] >= np.linalg.norm(there, axis=-1).max() - 1e-9).all()
    assert far[20] > 0.3 * far[30]
    assert not far[: 23 - 2 * 8].any()
    assert not far[36 + 2 * 8 :].any()
    assert np.abs(np.diff(far)).max() < 0.25 * far.max()


@pytest.mark.parametrize("degrees", [5.0, 9.0, 12.0, 40.0])
def test_arms_that_turn_further_than_seven_degrees_are_moved_by_so_much_less(degrees):
    """The upper arm, and with it the whole arm, is turned about the axis that lifts it."""
    figure = pw.figure("human40")
    setup = setup_of(figure, pw.Motion(figure, still(figure), 60.0))
    posture, q = still(figure), still(figure, left_shoulder__abduction=np.radians(degrees))
    q -= still(figure, left_shoulder__abduction=0.0) - posture
    arm = [figure.joint_index(f"left_{part}") for part in ("shoulder", "elbow", "wrist")]
    places = [joint_frames(figure, each[:1]).positions[0, arm] for each in (q, posture)]
    a, b = (np.diff(each, axis=0) / np.linalg.norm(np.diff(each, axis=0), axis=1)[:, None] for each in places)
    turned = np.arccos(np.clip((a * b).sum(axis=1), -1.0, 1.0)).max()
    left = setup.ends.index(arm[2])
    moved = np.zeros((60, len(setup.ends), 3))
    moved[:, left] = (0.06, 0.0, 0.03)
    by_it = np.linalg.norm(moved[0, left]) / np.linalg.norm(places[1][2] - places[1][0])
    share = np.clip(1.0 - (turned - np.radians(7.0)) / by_it, 0.0, 1.0)
    found = reduced_clearances(setup, moved, q, posture)
    np.testing.assert_allclose(found, share * moved, atol=1e-7)
    assert (found is moved) == (share == 1.0)
