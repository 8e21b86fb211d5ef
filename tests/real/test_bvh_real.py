"""BVH of many programs: every file reads, is understood, and comes back unchanged."""

import json
from pathlib import Path

import numpy as np
import pytest

from posewright.figures.kinematics import site_frames
from posewright.formats import ReadOptions, load_motion
from posewright.formats.bvh.text import parse
from posewright.motions import Motion

# unit in metres, up axis, frames
OTHERS = {
    "threejs_pirouette.bvh": (0.01, "y", 591),
    "pymo_8walk.bvh": (0.0254, "y", 1064),
    "makehuman_walk1.bvh": (0.1, "z", 14),
    "makehuman_dance1.bvh": (0.1, "z", 1),
    "makehuman_tpose.bvh": (0.1, "z", 1),
    "pybvh_xzy_zup.bvh": (0.0254, "z", 75),
    "pybvh_yxz.bvh": (0.01, "y", 61),
    "nc/bandai1_bow_active_001.bvh": (0.01, "y", 128),
    "nc/bandai1_dash_normal_001.bvh": (0.01, "y", 20),
    "nc/bandai1_kick_normal_001.bvh": (0.01, "y", 358),
    "nc/bandai1_run_normal_001.bvh": (0.01, "y", 24),
    "nc/bandai2_raise-up-right-hand_normal_001.bvh": (0.01, "y", 59),
    "fairmotion_sinusoidal.bvh": (0.1, "y", 120),
    "momentum_simple.bvh": (0.1, "y", 3),
}
ABSTRACT = ("fairmotion_sinusoidal.bvh", "momentum_simple.bvh")


def heights(motion: Motion) -> np.ndarray:
    figure = motion.figure
    return site_frames(figure, motion.q, (*figure.joint_names, *figure.site_names)).points[..., 1]


def test_every_foreign_file_is_listed_here(data_folder: Path) -> None:
    found = {str(path.relative_to(data_folder / "other")) for path in (data_folder / "other").rglob("*.bvh")}
    assert found == set(OTHERS)


@pytest.mark.parametrize("name", OTHERS)
def test_foreign_files_are_understood(name: str, data_folder: Path) -> None:
    unit, up, frames = OTHERS[name]
    motion = load_motion(data_folder / "other" / name)
    source = motion.figure.source
    assert source is not None
    assert (source.metres_per_unit, source.up, len(motion)) == (unit, up, frames)
    if name not in ABSTRACT:
        tall = np.ptp(heights(motion), axis=1)
        assert 1.2 < np.median(tall) < 2.1  # a person, upright


def test_makehuman_stands_on_the_floor_and_keeps_its_bones(data_folder: Path) -> None:
    walk = load_motion(data_folder / "other" / "makehuman_walk1.bvh")
    assert np.abs(np.median(heights(walk).min(axis=1))) < 0.15
    t_pose = load_motion(data_folder / "other" / "makehuman_tpose.bvh")
    assert np.ptp(heights(t_pose)) > 1.6  # not collapsed to a point


def test_bandai_namco_positions_replace_offsets(data_folder: Path) -> None:
    motion = load_motion(data_folder / "other" / "nc" / "bandai1_bow_active_001.bvh")
    assert all(joint.slides_replace_offset for joint in motion.figure.joints)
    assert np.abs(heights(motion).min(axis=1)).max() < 0.05


def test_cmu_units_t_poses_and_frame_rates(data_folder: Path) -> None:
    annotations = json.loads((data_folder / "cmu" / "annotations.json").read_text())
    true_rates = {name: entry["true_fps"] for name, entry in _clips(annotations).items()}
    doubted = set()
    files = sorted((data_folder / "cmu" / "bvh").glob("*.bvh"))
    assert len(files) == 115
    for path in files:
        motion = load_motion(path)
        assert motion.figure.source is not None
        assert np.isclose(motion.figure.source.metres_per_unit, 0.0564444, atol=1e-6)
        assert motion.figure.source.up == "y"
        assert any("T-pose" in note for note in motion.notes)
        assert np.isclose(motion.fps, 120.0, atol=1e-3)
        if any("frame rate" in note and "doubtful" in note for note in motion.notes):
            assert any("about 60 per second" in note for note in motion.notes)
            doubted.add(path.stem)
    really_60 = {name for name, rate in true_rates.items() if rate == 60.0}
    assert doubted <= really_60  # no false alarm
    assert {"75_03", "90_09"} <= doubted  # the clips that fly; the others of subject 75 sit


def _clips(annotations: dict[str, object]) -> dict[str, dict[str, float]]:
    found = {}
    for name, entry in annotations.items():
        if isinstance(entry, dict) and "true_fps" in entry:
            found[Path(name).stem] = entry
    assert len(found) > 100
    return found


def _round_trip_files(folder: Path) -> list[Path]:
    cmu = sorted((folder / "cmu" / "bvh").glob("*.bvh"))[::8]
    return [*cmu, *sorted((folder / "other").rglob("*.bvh")), *sorted((folder / "quirks").glob("q*.bvh"))]


def test_files_come_back_with_the_same_names_channels_and_values(data_folder: Path, tmp_path: Path) -> None:
    for path in _round_trip_files(data_folder):
        text = parse(bytearray(path.read_bytes()), path)
        if not len(text.values):
            continue
        again = tmp_path / path.name
        load_motion(path, ReadOptions(drop_first=False)).save(again)
        back = parse(bytearray(again.read_bytes()), again)
        for joint, joint_back in zip(text.joints, back.joints, strict=True):
            assert (joint_back.name, joint_back.parent) == (joint.name, joint.parent), path.name
            assert (joint_back.offset, joint_back.end_sites) == (joint.offset, joint.end_sites), path.name
            assert joint_back.channels == joint.channels, path.name
        assert np.array_equal(back.values, text.values), path.name
        assert back.frame_time == text.frame_time, path.name


def test_dropping_the_t_pose(data_folder: Path) -> None:
    path = data_folder / "cmu" / "bvh" / "02_01.bvh"
    whole, found = load_motion(path, ReadOptions(drop_first=False)), load_motion(path)
    assert len(found) == len(whole) - 1 == 343
    assert (whole.first_frame, found.first_frame) == (0, 1)
    assert np.array_equal(found.q, whole.q[1:])
