"""Robots as targets: limits, speeds and coupled joints hold, and their own files read back what was made."""

from pathlib import Path

import numpy as np
import pytest
from robot_files import links, mjcf, urdf

import posewright as pw
from posewright import Retargeter, retarget
from posewright.clips import walk
from posewright.rotations import quaternion_from_vector
from posewright.solvers.motion import solving
from posewright.solvers.motion.clip_tracker import ClipTracker

COUPLED = 3


@pytest.fixture(scope="module")
def stroll():
    return walk(pw.figure("human40"), seed=1, fps=60.0)[:60]


@pytest.fixture(params=["urdf", "xml"])
def robot_file(request, tmp_path) -> Path:
    if request.param == "xml":
        pytest.importorskip("mujoco")
    path = tmp_path / f"small.{request.param}"
    path.write_text(urdf() if request.param == "urdf" else mjcf())
    return path


def test_followers_follow_exactly_at_the_speed_of_stretches(stroll, robot_file):
    figure = pw.figure(robot_file)
    assert len(figure.constraints) == COUPLED
    made = retarget(stroll, figure)
    assert isinstance(solving.tracker(made.solved.lowered, pw.LeastSquares()), ClipTracker)
    q = made.motion.q
    assert np.all((q >= figure.lower) & (q <= figure.upper))
    for row in links():
        if row.follows is not None:
            leader, ratio, offset = row.follows
            own, other = (q[:, figure.dof_slice(f"{name}_joint")][:, 0] for name in (row.name, leader))
            assert own == pytest.approx(ratio * other + offset, abs=1e-9)
    waist = q[:, figure.dof_slice("waist_upper_joint")]
    assert np.ptp(waist) > 1e-3
    quality = made.quality(body=False)
    assert quality["limit violation"].value < 1e-9
    assert quality["contact drift"].value < 0.002


def test_a_stream_keeps_them_too(stroll, robot_file):
    figure = pw.figure(robot_file)
    live = Retargeter(stroll, figure, floor=0.0)
    poses = [pose for q in stroll.q[:20] if (pose := live.frame(q)) is not None]
    motion = pw.Motion(live.figure, np.array([pose.q for pose in poses]), stroll.fps)
    report = motion.quality(sites={}, body=False)
    assert report["limit violation"].value < 1e-9


def test_a_csv_has_the_joints_in_file_order_and_reads_back(stroll, robot_file, tmp_path):
    figure = pw.figure(robot_file)
    made = retarget(stroll, figure, velocity_limits={"left_knee_joint": 5.0}).motion
    out = tmp_path / "walk.csv"
    made.save(out)
    header, first, *_ = out.read_text().splitlines()
    names = header.split(",")
    rows = links() if robot_file.suffix == ".xml" else [*links()[4:], *links()[:4]]
    in_file = [row.name for row in (rows if robot_file.suffix == ".urdf" else _depth_first(rows))]
    assert names[:8] == ["time", "root_x", "root_y", "root_z", "root_qw", "root_qx", "root_qy", "root_qz"]
    assert [name.removesuffix("_joint") for name in names[8:]] == in_file
    values = dict(zip(names, map(float, first.split(",")), strict=True))
    assert [values[name] for name in ("root_x", "root_y", "root_z")] == pytest.approx(
        made.q[0, [2, 0, 1]].tolist(), abs=1e-12
    )  # the file's z is up, x forward; metres
    assert [values[f"root_q{letter}"] for letter in "wxyz"] == pytest.approx(
        quaternion_from_vector(made.q[0, 3:6]).tolist(), abs=1e-12
    )
    assert values["left_knee_joint"] == made.q[0, figure.dof_slice("left_knee_joint")][0]  # radians
    again = pw.motion(out, skeleton=robot_file)
    assert np.abs(again.q - made.q).max() < 1e-12


def _depth_first(rows):
    def below(parent):
        return [inner for row in rows if row.parent == parent for inner in (row, *below(row.name))]

    return below("pelvis")


def test_speeds_of_the_file_are_kept(stroll, tmp_path):
    path = tmp_path / "small.urdf"
    path.write_text(urdf().replace('velocity="9.0"', 'velocity="3.0"'))
    made = retarget(stroll, pw.figure(path))
    assert made.quality(body=False)["speed limit"].value <= 1.0
    assert made.solved.at_speed_limit
    assert retarget(stroll, pw.figure(path), velocity_limits=False).quality(body=False)["speed limit"].value > 1.0
