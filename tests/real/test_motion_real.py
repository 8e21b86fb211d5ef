import itertools

import numpy as np
import pytest

from posewright.anatomy.names import partners
from posewright.figures.kinematics import joint_frames, site_frames
from posewright.formats.registry import load_motion
from posewright.kernels.tables import SLIDE
from posewright.motions.speeds import joint_steps

pytest.importorskip("posewright.formats.bvh")

WALKS = ("02_01", "07_01", "07_05", "08_01", "16_15", "35_02")
UNCAPTURED = ("Thumb", "Finger")
"""CMU did not capture these: their angles are noise."""


def cmu(data_folder, clip):
    return load_motion(data_folder / "cmu" / "bvh" / f"{clip}.bvh")


def angle_steps(motion):
    """Greatest change of each joint's angles from frame to frame (frames - 1, joints), rad."""
    dofs = motion.figure.tables.dofs
    change = np.abs(np.diff(motion.q, axis=0))
    steps = np.zeros((len(change), len(motion.figure.joints)))
    for dof in np.flatnonzero(dofs["kind"] != SLIDE):
        joint = dofs["joint"][dof]
        steps[:, joint] = np.maximum(steps[:, joint], change[:, dof])
    return steps


@pytest.mark.parametrize(
    "file", ["other/pymo_8walk", "other/threejs_pirouette", "other/nc/bandai1_kick_normal_001", "cmu/bvh/64_01"]
)
def test_unwrapping_removes_the_jumps_of_whole_turns(data_folder, file):
    motion = load_motion(data_folder / f"{file}.bvh")
    smooth = motion.unwrapped()
    assert angle_steps(motion).max() > 6.0
    turned = np.linalg.norm(joint_steps(motion).turning, axis=-1)
    # whatever still steps far turns that far in the world: uncaptured thumbs do, angles alone do not
    assert np.all(turned[angle_steps(smooth) > 3.0] > 2.5)
    assert np.count_nonzero(angle_steps(smooth) > 3.2) == 0
    before, after = joint_frames(motion.figure, motion.q), joint_frames(motion.figure, smooth.q)
    np.testing.assert_allclose(after.positions, before.positions, atol=1e-12)
    np.testing.assert_allclose(after.rotations, before.rotations, atol=1e-12)


def test_the_contacts_of_a_walk_alternate(data_folder):
    motion = cmu(data_folder, "02_01")
    found = motion.contacts()
    assert found.sites == ("LeftFoot", "LeftToeBase", "RightFoot", "RightToeBase")
    left, right = found.any_of(["LeftFoot", "LeftToeBase"]), found.any_of(["RightFoot", "RightToeBase"])
    assert (left | right).mean() > 0.95  # a walker is never in the air for long
    starts = sorted(
        [
            (first, foot)
            for foot, flags in (("l", left), ("r", right))
            for first in np.flatnonzero(np.diff(flags * 1) == 1)
        ]
    )
    assert len(starts) >= 4
    assert all(a[1] != b[1] for a, b in itertools.pairwise(starts))
    for flags in (left, right):
        begins = np.flatnonzero(np.diff(flags * 1) == 1)
        stride = slice(begins[0], begins[-1])  # whole strides only
        assert 0.5 <= flags[stride].mean() <= 0.75


def test_contacts_do_not_depend_on_the_frame_rate(data_folder):
    differences = []
    for clip in WALKS:
        motion = cmu(data_folder, clip)
        fast, slow = motion.contacts(), motion.resampled(fps=30.0).contacts()
        for site in fast.sites:
            others = slow.times(site)
            for start, end in fast.times(site):
                if end - start > 0.12 and end < motion.duration - 0.05:
                    nearest = others[np.argmin(np.abs(others - [start, end]).max(axis=1))]
                    differences += [abs(nearest[0] - start), abs(nearest[1] - end)]
    assert len(differences) > 80
    assert np.median(differences) < 2 / 120
    assert np.mean(np.array(differences) <= 0.0501) >= 0.95
    assert max(differences) < 0.1  # an ankle that hardly slows at heel strike


@pytest.mark.parametrize("clip", ["02_01", "124_12"])
def test_resampling_down_and_up_keeps_the_body_in_place(data_folder, clip):
    motion = cmu(data_folder, clip)
    back = motion.resampled(fps=motion.fps / 4).resampled(fps=motion.fps)
    names = [name for name in motion.figure.joint_names if not any(word in name for word in UNCAPTURED)]
    old = site_frames(motion.figure, motion.q[: len(back)], names).points
    new = site_frames(motion.figure, back.q, names).points
    distance = np.linalg.norm(new - old, axis=-1)
    assert distance.max() < 0.01
    assert distance.mean() < 0.001


def test_mirroring_a_person(data_folder):
    motion = cmu(data_folder, "02_01")
    image = motion.mirrored()
    partner = list(partners(motion.figure.joint_names))
    old, new = joint_frames(motion.figure, motion.q).positions, joint_frames(motion.figure, image.q).positions
    still = joint_frames(motion.figure, np.zeros(motion.figure.n_dofs)).positions
    asymmetry = np.linalg.norm(still - still[partner] * [-1.0, 1.0, 1.0], axis=-1).max()  # people are not quite alike
    assert asymmetry < 0.015
    assert np.linalg.norm(new - old[:, partner] * [-1.0, 1.0, 1.0], axis=-1).max() < 2 * asymmetry
    np.testing.assert_allclose(joint_frames(motion.figure, image.mirrored().q).positions, old, atol=1e-9)
    found, mirrored_found = motion.contacts(), image.contacts()
    swapped = mirrored_found.any_of(["RightFoot", "RightToeBase"])
    assert np.mean(found.any_of(["LeftFoot", "LeftToeBase"]) == swapped) > 0.97


def test_two_walks_of_one_person_join_smoothly(data_folder):
    first, second = cmu(data_folder, "35_01"), cmu(data_folder, "35_02")
    whole = first.joined(second, blend=0.4)
    at_join = _root_bends(whole)[len(first) - 5 : len(first) + 50].max()
    assert at_join < 1.2 * max(_root_bends(first)[-50:].max(), _root_bends(second)[:50].max())
    heights = joint_frames(whole.figure, whole.q).positions[..., 1].min(axis=1)
    assert heights.min() > -0.05


def _root_bends(motion):
    """Changes of the root's velocity from frame to frame, m/s."""
    return np.linalg.norm(np.diff(motion.joint_velocities().sliding[:, 0], axis=0), axis=1)


def test_a_recording_beside_itself_is_equal(data_folder):
    motion = cmu(data_folder, "35_01")
    report = motion.quality(motion)
    for measure in report.measures:
        assert measure.value == pytest.approx(measure.source, abs=1e-12)
    assert report["site error"].value == 0.0
    assert report["foot skate"].value < 0.2
    assert report["penetration"].value < 0.1
