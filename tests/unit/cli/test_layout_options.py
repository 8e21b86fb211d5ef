"""--layout and --from-layout, as a user gives them."""

from pathlib import Path

import numpy as np
import pytest
from robot_samples import BIPED, humanoid_urdf

from posewright.cli.options import FLAG_OF
from posewright.clips import walk
from posewright.figures.catalogue import build


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    (tmp_path / "robot.urdf").write_text(BIPED)
    return tmp_path / "robot.urdf"


@pytest.fixture
def motion(robot: Path, posewright) -> Path:
    header = "time,root_x,root_y,root_z,root_qw,root_qx,root_qy,root_qz,left_hip,left_ankle,right_hip,right_ankle"
    rows = [f"{k / 50},0,{k / 100},0.45,1,0,0,0,-{k / 60},0.1,0.2,{k / 70}" for k in range(30)]
    path = robot.parent / "motion.csv"
    path.write_text("\n".join([header, *rows]))
    return path


def test_convert_writes_and_reads_layouts(posewright, robot, motion, tmp_path):
    assert posewright("convert", motion, tmp_path / "a.npz", "--skeleton", robot, "--layout", "mjlab").returncode == 0
    with np.load(tmp_path / "a.npz") as arrays:
        assert arrays["joint_pos"].shape == (30, 4)
    back = ("convert", tmp_path / "a.npz", tmp_path / "b.csv", "--skeleton", robot)
    assert posewright(*back, "--layout", "mjlab").returncode == 0  # a .csv cannot be mjlab: it is the input's layout
    assert len((tmp_path / "b.csv").read_text().splitlines()) == 31
    done = posewright(*back, "--from-layout", "mjlab", "--layout", "unitree", "--resample", "30")
    assert done.returncode == 0
    assert len((tmp_path / "b.csv").read_text().splitlines()) == 18


def test_wrong_layouts_are_told(posewright, robot, motion, tmp_path):
    given = ("convert", motion, tmp_path / "a.csv", "--skeleton", robot)
    done = posewright(*given, "--layout", "unitree")
    assert done.returncode == 2
    assert "layout 'unitree' is read at 30 frames per second, the motion has 50" in done.stderr
    assert not (tmp_path / "a.csv").exists()
    done = posewright(*given, "--layout", "unitre")
    assert done.returncode == 2
    assert "there is no layout 'unitre'; did you mean 'unitree'" in done.stderr


def test_retarget_writes_a_layout(posewright, tmp_path):
    (tmp_path / "robot.urdf").write_text(humanoid_urdf())
    walk(build("human40")).save(tmp_path / "walk.bvh")
    given = ("retarget", tmp_path / "walk.bvh", "--to", tmp_path / "robot.urdf", "-o", tmp_path / "motion.npz")
    assert posewright(*given, "--layout", "beyondmimic", "--resample", "50").returncode == 0
    with np.load(tmp_path / "motion.npz") as arrays:
        assert arrays["joint_pos"].shape[1] == 21
        assert arrays["fps"].tolist() == [50]
    assert "is read at 50 frames per second" in posewright(*given, "--layout", "mjlab").stderr


@pytest.mark.parametrize(
    "command", ["info", "convert", "check", "retarget", "edit", "model fit", "postures build", "render"]
)
def test_commands_that_read_motions_can_be_told_how(posewright, command):
    said = posewright(*command.split(), "--help").stdout.split()
    assert not {flag.partition("/")[0] for flag in FLAG_OF.values()} - set(said)
