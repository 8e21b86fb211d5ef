from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from robot_samples import BIPED

from posewright.errors import FileProblem
from posewright.figures.kinematics import joint_frames
from posewright.formats import ReadOptions, load, load_figure, load_motion
from posewright.formats.robots.motion import robot_motion
from posewright.motions import Motion
from posewright.rotations import matrix_from_quaternion

BOUNDED = settings(max_examples=60)
HEADER = "time,root_x,root_y,root_z,root_qw,root_qx,root_qy,root_qz,left_hip,left_ankle,right_hip,right_ankle"
WORLD_FROM_ROBOT = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    (tmp_path / "walk.urdf").write_text(BIPED)
    return tmp_path / "walk.urdf"


def a_walk(robot: Path, frames: int = 7) -> Motion:
    figure = load_figure(robot)
    rng = np.random.default_rng(0)
    q = figure.rest + 0.3 * rng.normal(size=(frames, figure.n_dofs)).cumsum(axis=0) / frames
    return Motion(figure, q, fps=59.94, name="walk")


def test_numbers_are_the_robots_own(robot: Path) -> None:
    walk = a_walk(robot)
    told = robot_motion(walk)
    assert told.joint_names == ("left_hip", "left_ankle", "right_hip", "right_ankle")
    frames = joint_frames(walk.figure, walk.q)
    np.testing.assert_allclose(told.root_position, frames.positions[:, 0] @ WORLD_FROM_ROBOT, atol=1e-12)
    turns = WORLD_FROM_ROBOT.T @ frames.rotations[:, 0]
    np.testing.assert_allclose(matrix_from_quaternion(told.root_wxyz), turns, atol=1e-12)


def test_joints_are_written_in_the_order_of_the_file(robot: Path) -> None:
    head, tail = BIPED.index('  <joint name="left_hip"'), BIPED.index('  <joint name="left_ankle"')
    later = BIPED.index('  <joint name="right_hip"')
    robot.write_text(BIPED[:head] + BIPED[tail:later] + BIPED[head:tail] + BIPED[later:])
    walk = a_walk(robot)
    told = robot_motion(walk)
    assert told.joint_names == ("left_ankle", "left_hip", "right_hip", "right_ankle")
    column = walk.q[:, walk.figure.dof_index("left_ankle.ry")]
    np.testing.assert_array_equal(told.joint_positions[:, 0], column)


def test_csv_comes_back(robot: Path) -> None:
    walk = a_walk(robot)
    walk.save(robot.with_suffix(".csv"))
    text = robot.with_suffix(".csv").read_text().splitlines()
    assert text[0] == HEADER
    assert len(text) == 1 + len(walk)
    again = load_motion(robot.with_suffix(".csv"))
    np.testing.assert_array_equal(again.q[:, 6:], walk.q[:, 6:])
    np.testing.assert_allclose(again.q, walk.q, atol=1e-14)
    assert again.fps == pytest.approx(walk.fps, rel=1e-9)
    assert again.figure == walk.figure
    elsewhere = robot.parent / "other.csv"
    walk.save(elsewhere)
    again = load_motion(elsewhere, ReadOptions(skeleton=robot, drop_first=True))
    assert len(again) == len(walk) - 1


def test_npz_holds_the_robots_numbers_beside_the_exact_motion(robot: Path, tmp_path: Path) -> None:
    walk = a_walk(robot)
    walk.save(tmp_path / "walk.npz")
    again = load_motion(tmp_path / "walk.npz")
    np.testing.assert_array_equal(again.q, walk.q)
    with np.load(tmp_path / "walk.npz") as arrays:
        told = robot_motion(walk)
        assert tuple(arrays["joint_names"]) == told.joint_names
        np.testing.assert_array_equal(arrays["joint_positions"], told.joint_positions)
        np.testing.assert_array_equal(arrays["root_position"], told.root_position)
        np.testing.assert_array_equal(arrays["root_wxyz"], told.root_wxyz)
        assert float(arrays["fps"]) == walk.fps


def test_a_turning_root_has_no_jump_of_sign(robot: Path) -> None:
    figure = load_figure(robot)
    q = np.tile(figure.rest, (50, 1))
    q[:, 5] = np.linspace(0.0, 4.0 * np.pi, 50)
    told = robot_motion(Motion(figure, q, fps=30.0))
    assert np.abs(np.diff(told.root_wxyz, axis=0)).max() < 0.3


def test_a_fixed_base_has_no_root_columns(robot: Path) -> None:
    options = ReadOptions(base="fixed", skeleton=robot)
    figure = load_figure(robot, ReadOptions(base="fixed"))
    Motion(figure, np.zeros((3, 4)), fps=50.0).save(robot.with_suffix(".csv"))
    assert robot.with_suffix(".csv").read_text().splitlines()[0] == "time,left_hip,left_ankle,right_hip,right_ankle"
    assert load_motion(robot.with_suffix(".csv"), options).fps == 50.0
    with pytest.raises(FileProblem, match="has no root, but the base of robot 'walker' is free"):
        load(robot.with_suffix(".csv"))


def test_what_is_no_robot_is_refused(tmp_path: Path) -> None:
    from posewright.figures.catalogue import build

    figure = build("human22")
    with pytest.raises(FileProblem, match="did not come from a robot's file"):
        Motion(figure, figure.rest[None], fps=30.0).save(tmp_path / "a.csv")


ROW = "0,0,0,1,1,0,0,0,0,0,0,0\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            HEADER.replace("left_hip", "left_hop") + "\n" + ROW,
            "no joint 'left_hop' that moves; did you mean 'left_hip'",
        ),
        (HEADER.removesuffix(",right_ankle") + "\n" + ROW.replace(",0\n", "\n"), "joint 'right_ankle' of robot"),
        (HEADER.replace("root_qw,", "") + "\n" + ROW[2:], "lacks the column 'root_qw' of the root"),
        (HEADER + "\n" + ROW.replace("0,0,0,1,1", "0,0,0,1,2"), "quaternion in frame 0 has length 2, not 1"),
        (HEADER + "\n" + ROW + ROW, "not evenly spaced"),
        (HEADER + "\n" + ROW.replace("0,1", "0,x"), "line 2: number 4 of this row is 'x'"),
        (HEADER + "\n" + "1,2\n", "line 2: this row has 2 numbers"),
        (HEADER.replace("left_ankle", "left_hip") + "\n" + ROW, "two columns have the same name"),
        (ROW, "its first line holds numbers; the motion of a robot has the names of columns there"),
        (HEADER.removeprefix("time,") + "\n" + ROW.removeprefix("0,"), "no column 'time'"),
        ("", "the file is empty"),
    ],
)
def test_mistakes_in_a_csv_are_told(robot: Path, text: str, message: str) -> None:
    robot.with_suffix(".csv").write_text(text)
    with pytest.raises(FileProblem) as caught:
        load(robot.with_suffix(".csv"))
    assert message in str(caught.value)


def test_a_csv_without_its_robot_is_told(tmp_path: Path) -> None:
    (tmp_path / "walk.csv").write_text(HEADER + "\n" + ROW)
    with pytest.raises(FileProblem, match="the robot of this motion is not found"):
        load(tmp_path / "walk.csv")
    with pytest.raises(FileProblem, match="must be a robot's file"):
        load(tmp_path / "walk.csv", ReadOptions(skeleton=tmp_path / "robot.bvh"))


@BOUNDED
@given(data=st.data())
def test_damaged_csv_is_read_or_refused(robot: Path, data: st.DataObject) -> None:
    raw = bytearray((HEADER + "\n" + ROW + ROW.replace("0,", "0.1,", 1)).encode())
    for _ in range(data.draw(st.integers(0, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.sampled_from(b',\n"\r09.-exe \x00\xff'))
    robot.with_suffix(".csv").write_bytes(raw[: data.draw(st.integers(0, len(raw)))])
    with contextlib.suppress(FileProblem):
        load(robot.with_suffix(".csv")).save(robot.with_suffix(".npz"))
