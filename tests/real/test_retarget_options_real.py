"""Real clips with options: the grip of a golfer, the speeds of a robot, a robot's own files."""

import numpy as np
import pytest

import posewright as pw
from posewright.figures.kinematics import site_frames
from posewright.workflows.retargeting.hands import with_palms
from posewright.workflows.retargeting.retarget import retarget

G1 = "robots/unitree_g1/g1_29dof_kinematics.urdf"


@pytest.mark.parametrize("target", ["abnorman1", G1])
def test_a_golfer_keeps_the_grip(data_folder, target):
    swing = pw.motion(data_folder / "cmu/bvh/64_01.bvh")[::4]
    figure = pw.figure(data_folder / target) if "/" in target else pw.figure(target)
    worst, hands = [], ["left_hand", "right_hand"]
    for keep in (False, True):
        made = retarget(swing, figure, keep_hands=keep)
        source, target_legs = made.match.source, made.match.target.segments.leg_length
        own = site_frames(with_palms(source), swing.q, hands).points
        wanted = target_legs / source.segments.leg_length * np.linalg.norm(own[:, 1] - own[:, 0], axis=1)
        points = site_frames(with_palms(made.match.target.on(made.motion.figure)), made.motion.q, hands).points
        worst.append(np.abs(np.linalg.norm(points[:, 1] - points[:, 0], axis=1) - wanted).max())
        assert made.quality(body=False)["contact drift"].value < 0.001
    assert worst[0] > 0.05
    assert worst[1] < 0.001


def test_a_robot_keeps_its_speeds(data_folder):
    run = pw.motion(data_folder / "cmu/bvh/09_01.bvh")
    robot = pw.figure(data_folder / G1)
    slow = {joint.name: 6.0 for joint in robot.joints[1:] if joint.n_dofs}
    made = retarget(run, robot, velocity_limits=slow)
    assert made.quality(body=False)["speed limit"].value <= 1.0
    assert made.solved.at_speed_limit["left_knee_joint.ry"] > 5


def test_a_csv_is_what_mujoco_takes(data_folder, tmp_path):
    mujoco = pytest.importorskip("mujoco")
    file = data_folder / "robots/unitree_g1/g1_29dof_kinematics_mjcf.xml"
    jump = pw.motion(data_folder / "cmu/bvh/13_11.bvh")[::8]
    made = retarget(jump, pw.figure(file)).motion
    made.save(tmp_path / "jump.csv")
    rows = np.loadtxt(tmp_path / "jump.csv", delimiter=",", skiprows=1)
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    soles = site_frames(made.figure, made.q, ["left_ankle_roll_joint"]).points[:, 0]
    for row, place in zip(rows, soles, strict=True):
        data.qpos[:] = row[1:]
        mujoco.mj_kinematics(model, data)
        assert data.body("left_ankle_roll_link").xpos[[1, 2, 0]] == pytest.approx(place, abs=1e-6)
    again = pw.motion(tmp_path / "jump.csv", skeleton=file)
    assert np.abs(again.q - made.q).max() < 1e-9
