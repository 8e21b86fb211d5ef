"""The dialects of data/quirks: positions as an independent program found them, or the refusal they ask for."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from posewright.errors import FileProblem
from posewright.figures import Figure
from posewright.figures.kinematics import site_frames
from posewright.formats import load, load_motion
from posewright.motions import Motion


@pytest.fixture(scope="module")
def expected(data_folder: Path) -> dict[str, dict[str, Any]]:
    entries = json.loads((data_folder / "quirks" / "expected.json").read_text())
    return {name: entry for name, entry in entries.items() if not name.startswith("_")}


def node_points(motion: Motion, frame: int, nodes: list[str]) -> np.ndarray:
    """World points in the order of the expectation: joints in file order, each End Site after its joint."""
    joints = iter(motion.figure.joint_names)
    tips = {site.joint: site.name for site in motion.figure.sites}
    order: list[str] = []
    for node in nodes:
        order.append(tips[order[-1]] if node.startswith("End of") else next(joints))
    return site_frames(motion.figure, motion.q[frame], order).points


def check_positions(motion: Motion, entry: dict[str, Any]) -> None:
    assert len(motion) == entry["frames"]
    assert np.isclose(1.0 / motion.fps, entry["frame_time"])
    for frame, positions in entry["positions"].items():
        points = node_points(motion, int(frame), entry["nodes"]) / entry["units_to_metre"]
        if entry["up"] == "Z":
            points = np.stack([points[:, 0], -points[:, 2], points[:, 1]], axis=-1)
        assert np.abs(points - np.array(positions)).max() < 1e-3


def test_dialects_give_the_expected_positions(data_folder: Path, expected: dict[str, dict[str, Any]]) -> None:
    files = [name for name, entry in expected.items() if entry["expect"] == "ok"]
    assert len(files) >= 20
    for name in files:
        motion = load_motion(data_folder / "quirks" / name)
        assert np.isclose(motion.figure.source.metres_per_unit, expected[name]["units_to_metre"]), name
        check_positions(motion, expected[name])


def test_broken_files_are_refused_with_their_line(data_folder: Path, expected: dict[str, dict[str, Any]]) -> None:
    files = [name for name, entry in expected.items() if entry["expect"] == "error"]
    assert len(files) >= 6
    for name in files:
        with pytest.raises(FileProblem) as caught:
            load(data_folder / "quirks" / name)
        assert caught.value.line is not None, name
        assert name in str(caught.value)
    with pytest.raises(FileProblem, match="decimal comma"):
        load(data_folder / "quirks" / "e04_comma_decimals.bvh")


def test_lenient_files_load_with_a_note(data_folder: Path, expected: dict[str, dict[str, Any]]) -> None:
    commented = load_motion(data_folder / "quirks" / "q28_comment_lines.bvh")
    assert any("comment" in note for note in commented.figure.source.notes)
    check_positions(commented, expected["q28_comment_lines.bvh"])
    for name, stated in (("q32_more_rows_than_header.bvh", 27), ("q33_fewer_rows_than_header.bvh", 33)):
        motion = load_motion(data_folder / "quirks" / name)
        assert any(f"states {stated} frames, the file has 30" in note for note in motion.notes)
        reference = expected["q01_reference.bvh"]
        check_positions(motion, reference)
    assert isinstance(load(data_folder / "quirks" / "q30_zero_frames.bvh"), Figure)
    lenient = {name for name, entry in expected.items() if entry["expect"] == "lenient"}
    assert lenient == {
        "q28_comment_lines.bvh",
        "q30_zero_frames.bvh",
        "q32_more_rows_than_header.bvh",
        "q33_fewer_rows_than_header.bvh",
    }
