"""What is written can be read; what could not be read is refused before anything is written."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from robot_samples import BIPED
from sample_figures import mixed, wandering

import posewright as pw
from posewright.errors import FileProblem, PosewrightError
from posewright.figures import Ball, Hinge, Joint, Site
from posewright.formats import ReadOptions, load
from posewright.formats.npz.archive import write_arrays
from posewright.motions import Motion

RATES = (5e-324, 1e-300, 1e-9, 0.01, 1.0, 120.0, 1e6, 1e9, 3e9, 1e12, 1e300, 1.7e308)
SCALES = (0.0, 1e-300, 1.0, 1e30, 1e39, 1e99, 1e306)


def robot(folder: Path) -> Motion:
    (folder / "robot.urdf").write_text(BIPED)
    figure = pw.figure(folder / "robot.urdf")
    return Motion(figure, np.tile(figure.rest, (6, 1)), 30.0)


def written_and_read(motion: Motion, path: Path, options: ReadOptions | None) -> None:
    refusal = None
    try:
        motion.save(path)
    except PosewrightError as refused:
        refusal = str(refused)
    if refusal is not None:
        assert "\n" not in refusal
        assert not path.exists()
        assert not [name for name in os.listdir(path.parent) if "posewright" in name]
        return
    again = load(path, options)
    assert isinstance(again, Motion)
    if motion.fps >= 1.0 or path.suffix not in (".glb", ".gltf"):  # glTF has no frame rate: few keys are interpolated
        assert len(again) == len(motion)
        assert again.fps == pytest.approx(motion.fps, rel=1e-4)


@pytest.mark.parametrize("suffix", [".npz", ".bvh", ".glb", ".gltf", ".csv"])
@pytest.mark.parametrize("fps", RATES)
def test_any_frame_rate_comes_back_or_is_refused(tmp_path: Path, suffix: str, fps: float) -> None:
    motion = robot(tmp_path) if suffix == ".csv" else wandering(mixed())[:6]
    options = ReadOptions(skeleton=tmp_path / "robot.urdf") if suffix == ".csv" else None
    written_and_read(replace(motion, fps=fps), tmp_path / f"motion{suffix}", options)


@pytest.mark.parametrize("suffix", [".npz", ".bvh", ".glb", ".gltf", ".csv"])
@pytest.mark.parametrize("scale", SCALES)
def test_any_place_comes_back_or_is_refused(tmp_path: Path, suffix: str, scale: float) -> None:
    motion = robot(tmp_path) if suffix == ".csv" else wandering(mixed())[:6]
    options = ReadOptions(skeleton=tmp_path / "robot.urdf") if suffix == ".csv" else None
    q = np.array(motion.q)
    q[:, :3] = scale * np.arange(6.0)[:, np.newaxis]
    written_and_read(motion.with_q(q), tmp_path / f"motion{suffix}", options)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_arrays_that_are_not_finite_are_refused(tmp_path: Path, wrong: float) -> None:
    (tmp_path / "a.npz").write_bytes(b"old")
    with pytest.raises(FileProblem, match="cannot be written: 'q' has numbers that are not finite"):
        write_arrays(tmp_path / "a.npz", {"p": np.zeros(3), "q": np.array([0.0, wrong])})
    assert (tmp_path / "a.npz").read_bytes() == b"old"


@pytest.mark.parametrize("suffix", [".npz", ".yaml"])
def test_limits_that_are_half_infinite_come_back(tmp_path: Path, suffix: str) -> None:
    figure = mixed()
    joints = [
        replace(joint, rotation=Ball(lower=(-np.inf, -1.0, -np.inf), upper=(1.0, np.inf, np.inf)))
        if joint.name == "arm"
        else joint
        for joint in figure.joints
    ]
    figure = replace(figure, joints=tuple(joints))
    (figure if suffix == ".yaml" else wandering(figure)).save(tmp_path / f"figure{suffix}")
    again = pw.figure(tmp_path / f"figure{suffix}")
    np.testing.assert_allclose(again.lower, figure.lower)
    np.testing.assert_allclose(again.upper, figure.upper)


def test_a_joint_of_more_hinges_than_bvh_files_have_channels_is_written_as_rotations(tmp_path: Path) -> None:
    hinges = tuple(Hinge(axis=(1.0, 0.0, 0.0), label=f"bend {k}") for k in range(31))
    coil = Joint(name="coil", parent="base", offset=(0.0, 0.5, 0.0), rotation=hinges)
    tip = Site(name="tip", joint="coil", point=(0.0, 0.3, 0.1), tip=True)
    figure = pw.Figure(name="spring", joints=(Joint(name="base"), coil), sites=(tip,))
    motion = Motion(figure, np.linspace(0.0, 0.02, 6)[:, np.newaxis] * np.ones(31), 30.0)
    motion.save(tmp_path / "spring.bvh")
    again = load(tmp_path / "spring.bvh")
    assert isinstance(again, Motion)
    np.testing.assert_allclose(again.pose(5).point("coil_end"), motion.pose(5).point("tip"), atol=1e-6)
