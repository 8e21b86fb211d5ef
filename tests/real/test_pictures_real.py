"""Pictures of recordings: bare skeletons of many makers get a body and are seen."""

import numpy as np
import pytest

from posewright.figures.capsules import capsule_table
from posewright.figures.kinematics import joint_frames
from posewright.formats.registry import load_motion
from posewright.report.film import Film

pytest.importorskip("posewright.formats.bvh")


def test_every_skeleton_gets_a_body_in_proportion_and_is_seen(data_folder):
    files = [*sorted((data_folder / "other").glob("*.bvh")), data_folder / "cmu" / "bvh" / "02_01.bvh"]
    assert len(files) > 3
    for file in files:
        motion = load_motion(file)
        middle = motion[len(motion) // 2 :][:1]
        size = np.ptp(joint_frames(motion.figure, middle.q).positions[0], axis=0).max()
        table = capsule_table(motion.figure)
        assert len(table) >= 3, file
        assert np.isfinite(table.start).all(), file
        assert np.isfinite(table.end).all(), file
        assert table.radii.min() > 0.0, file
        assert table.radii.max() < 0.2 * size, file
        picture = Film(motions=(middle,), width=64, height=48).picture(0.0).astype(int)
        body = picture[..., 0] - picture[..., 2] > 40
        assert 0.02 < body.mean() < 0.5, file


def test_a_clip_that_walks_is_seen_from_its_side(data_folder):
    walk = load_motion(data_folder / "cmu" / "bvh" / "02_01.bvh")
    front = Film(motions=(walk,))._extent(False).front
    travel = walk.q[-1, :3] - walk.q[0, :3]
    assert travel @ front > 0.95 * np.linalg.norm(travel[[0, 2]]) * np.linalg.norm(front)
