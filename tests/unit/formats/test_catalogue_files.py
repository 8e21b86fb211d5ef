"""Every built-in figure goes through every file that can hold it."""

from pathlib import Path

import numpy as np
import pytest
from gltf_oracles import assert_valid, load_with_three
from sample_figures import assert_same, wandering

from posewright.figures.catalogue import CATALOGUE, build
from posewright.figures.kinematics import joint_frames
from posewright.formats import load, load_motion


@pytest.mark.parametrize("name", CATALOGUE)
def test_figure_and_motion_files_are_exact(tmp_path: Path, name: str) -> None:
    figure = build(name)
    figure.save(tmp_path / "f.yaml")
    assert_same(load(tmp_path / "f.yaml"), figure)
    motion = wandering(figure, frames=3)
    motion.save(tmp_path / "m.npz")
    back = load_motion(tmp_path / "m.npz")
    assert_same(back.figure, figure)
    assert np.array_equal(back.q, motion.q)


def test_glb_is_valid_and_read_back_to_a_micrometre(tmp_path: Path) -> None:
    motions = {name: wandering(build(name), frames=6) for name in CATALOGUE}
    paths = {name: tmp_path / f"{name}.glb" for name in CATALOGUE}
    for name, motion in motions.items():
        motion.save(paths[name])
    assert_valid(*paths.values())
    for name, motion in motions.items():
        figure = motion.figure
        theirs = load_with_three(paths[name], [None, float(np.float32(4 / 30))])["matrices"][:, : len(figure.joints)]
        ours = joint_frames(figure, np.stack([figure.rest, motion.q[4]])).positions
        assert np.abs(theirs[..., :3, 3] - ours).max() < 1e-6, name
        own = load_motion(paths[name])
        again = joint_frames(own.figure, own.q).positions
        assert np.abs(again - joint_frames(figure, motion.q).positions).max() < 1e-6, name
