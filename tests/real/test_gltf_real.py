"""Recordings written as GLB: valid for Khronos, and where they were for three.js and for us."""

from pathlib import Path

import numpy as np
import pytest
from gltf_oracles import assert_valid, load_with_three

from posewright.figures.kinematics import joint_frames
from posewright.formats import load_motion

pytest.importorskip("posewright.formats.bvh")

CLIPS = (
    "cmu/bvh/02_01.bvh",
    "cmu/bvh/35_17.bvh",
    "other/makehuman_walk1.bvh",
    "other/pymo_8walk.bvh",
    "other/threejs_pirouette.bvh",
    "other/nc/bandai1_kick_normal_001.bvh",
)


def test_recordings_become_valid_glb_and_come_back(data_folder: Path, tmp_path: Path) -> None:
    paths = []
    for number, clip in enumerate(CLIPS):
        motion = load_motion(data_folder / clip)
        paths.append(tmp_path / f"{number}.glb")
        motion.save(paths[-1])
        frames = np.linspace(0, len(motion) - 1, 5).astype(int)
        ours = joint_frames(motion.figure, motion.q).positions
        read = load_with_three(paths[-1], [float(np.float32(frame / motion.fps)) for frame in frames])
        theirs = read["matrices"][:, : len(motion.figure.joints)][..., :3, 3]
        assert np.abs(theirs - ours[frames]).max() < 1e-6, clip
        back = load_motion(paths[-1])
        assert len(back) == len(motion), clip
        assert np.abs(joint_frames(back.figure, back.q).positions - ours).max() < 1e-6, clip
    assert_valid(*paths)
