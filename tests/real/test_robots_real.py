"""The Unitree G1, from URDF and from MJCF, against Pinocchio and MuJoCo."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from posewright.figures import Figure, Pose
from posewright.figures.kinematics import centre_of_mass, joint_frames
from posewright.formats import ReadOptions, load_figure, load_motion
from posewright.motions import Motion
from posewright.rotations import quaternion_from_vector

WORLD_FROM_ROBOT = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
MOVING = 29


@pytest.fixture(scope="module")
def urdf(data_folder: Path) -> Path:
    return data_folder / "robots" / "unitree_g1" / "g1_29dof_kinematics.urdf"


def poses(figure: Figure, count: int = 20) -> np.ndarray:
    rng = np.random.default_rng(5)
    return rng.uniform(np.maximum(figure.lower, -3.0), np.minimum(figure.upper, 3.0), (count, figure.n_dofs))


def test_the_urdf_equals_pinocchio(urdf: Path) -> None:
    pin = pytest.importorskip("pinocchio")
    figure = load_figure(urdf)
    model = pin.buildModelFromUrdf(str(urdf), pin.JointModelFreeFlyer())
    data = model.createData()
    moving = [joint.name for joint in figure.joints[1:] if joint.n_dofs]
    assert moving == list(model.names)[2:], "joints in file order, which Pinocchio keeps here"
    for q in poses(figure):
        values = np.concatenate([WORLD_FROM_ROBOT.T @ q[:3], pin.Quaternion(pin.exp3(q[3:6])).coeffs(), q[6:]])
        pin.framesForwardKinematics(model, data, values)
        frames = joint_frames(figure, q)
        for index, name in enumerate(figure.joint_names):
            theirs = data.oMf[model.getFrameId(name)]
            np.testing.assert_allclose(frames.positions[index], WORLD_FROM_ROBOT @ theirs.translation, atol=1e-9)
            np.testing.assert_allclose(frames.rotations[index], WORLD_FROM_ROBOT @ theirs.rotation, atol=1e-9)
        centre = WORLD_FROM_ROBOT @ pin.centerOfMass(model, data, values)
        np.testing.assert_allclose(centre_of_mass(figure, q), centre, atol=1e-9)
    np.testing.assert_allclose(figure.lower[6:], model.lowerPositionLimit[7:])
    np.testing.assert_allclose(figure.upper[6:], model.upperPositionLimit[7:])
    np.testing.assert_allclose(figure.max_speeds[6:], model.velocityLimit[6:])


def test_the_urdf_stands_on_its_soles(urdf: Path) -> None:
    figure = load_figure(urdf)
    assert figure.n_dofs == 6 + MOVING
    rest = Pose.rest(figure)
    left, right = rest.point("left_sole"), rest.point("right_sole")
    assert left[0] == pytest.approx(-right[0], abs=1e-3)
    assert left[0] > 0.1, "left is +x"
    assert math.hypot(left[1], right[1]) < 1e-9
    assert rest.point("pelvis")[1] == pytest.approx(0.793, abs=3e-3), "its maker's own standing height"
    assert rest.point("left_toe_tip")[2] - rest.point("left_heel")[2] == pytest.approx(0.175, abs=0.01)
    assert 1.25 < rest.point("head_top")[1] < 1.4


def test_the_mjcf_equals_mujoco_and_has_the_joints_of_the_urdf(urdf: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    path = urdf.with_name("g1_29dof_kinematics_mjcf.xml")
    figure = load_figure(path)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    assert [j.name for j in figure.joints if j.n_dofs] == [j.name for j in load_figure(urdf).joints if j.n_dofs]
    for q in poses(figure):
        data.qpos[:] = [*(WORLD_FROM_ROBOT.T @ q[:3]), *quaternion_from_vector(q[3:6]), *q[6:]]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        frames = joint_frames(figure, q)
        for k in range(model.njnt):
            body, index = model.jnt_bodyid[k], figure.joint_index(model.joint(k).name if k else "pelvis")
            np.testing.assert_allclose(frames.positions[index], WORLD_FROM_ROBOT @ data.xpos[body], atol=1e-9)
            turn = WORLD_FROM_ROBOT @ data.xmat[body].reshape(3, 3)
            np.testing.assert_allclose(frames.rotations[index], turn, atol=1e-9)
        centre = WORLD_FROM_ROBOT @ data.subtree_com[1]
        np.testing.assert_allclose(centre_of_mass(figure, q), centre, atol=1e-9)
    np.testing.assert_allclose(figure.lower[6:], model.jnt_range[1:, 0])
    np.testing.assert_allclose(figure.upper[6:], model.jnt_range[1:, 1])


def test_the_numbers_of_a_robot_motion_are_mujocos(urdf: Path, tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    path = urdf.with_name("g1_29dof_kinematics_mjcf.xml")
    figure = load_figure(path)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    motion = Motion(figure, poses(figure, 5), fps=50.0)
    motion.save(tmp_path / "g1.csv")
    columns = np.genfromtxt(tmp_path / "g1.csv", delimiter=",", skip_header=1)
    positions = joint_frames(figure, motion.q).positions
    for row, ours in zip(columns, positions, strict=True):
        data.qpos[:] = row[1:]
        mujoco.mj_kinematics(model, data)
        np.testing.assert_allclose(ours[-1], WORLD_FROM_ROBOT @ data.body("right_wrist_yaw_link").xpos, atol=1e-9)
    again = load_motion(tmp_path / "g1.csv", ReadOptions(skeleton=urdf))
    assert again.fps == 50.0
    shared = [f"{joint.name}.{joint.labels[0]}" for joint in figure.joints[1:]]
    for dof in shared:
        np.testing.assert_array_equal(
            again.q[:, again.figure.dof_index(dof)], motion.q[:, figure.dof_index(dof)], err_msg=dof
        )


MJ29_IN_IL29 = "0 3 6 9 13 17 1 4 7 10 14 18 2 5 8 11 15 19 21 23 25 27 12 16 20 22 24 26 28"


def test_the_orders_of_joints_and_bodies_are_those_of_the_trainers(urdf: Path) -> None:
    from posewright.formats.layouts import LAYOUTS

    figure = load_figure(urdf)
    depth = LAYOUTS["mjlab"].robot(figure)
    breadth = LAYOUTS["beyondmimic"].robot(figure)
    assert [breadth.joint_names.index(name) for name in depth.joint_names] == list(map(int, MJ29_IN_IL29.split()))
    assert len(depth.bodies) == len(breadth.bodies) == 30
    tracked = {"pelvis": 0, "left_hip_roll_link": 4, "torso_link": 9, "right_wrist_yaw_link": 29, "left_knee_link": 10}
    assert {name: breadth.body_names.index(name) for name in tracked} == tracked


@pytest.mark.parametrize(
    "layout", ["beyondmimic", "mjlab", "holosoma", "sonic", "gmr", "phc", "unitree", "qpos", "bones"]
)
def test_layouts_of_the_g1_come_back(urdf: Path, layout: str, tmp_path: Path) -> None:
    from posewright.formats.layouts import LAYOUTS

    figure = load_figure(urdf)
    q = poses(figure, 30)
    q[:, :3], q[:, 3:6] = [0.0, 0.8, 0.0], 0.05 * q[:, 3:6]
    motion = Motion(figure, q, fps=LAYOUTS[layout].fps)
    path = tmp_path / f"g1{LAYOUTS[layout].suffix}"
    motion.save(path, layout=layout)
    again = load_motion(path, ReadOptions(skeleton=urdf, layout=layout))
    np.testing.assert_allclose(again.q, q, atol=2e-6)
    assert not any("not compared" in note for note in again.notes)
