from __future__ import annotations

import contextlib
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from robot_samples import BIPED, random_urdf

from posewright.errors import FileProblem
from posewright.figures import Figure, Pose
from posewright.figures.capsules import capsule_table
from posewright.figures.kinematics import centre_of_mass, joint_frames
from posewright.formats import ReadOptions, load

Z_UP_IN_OURS = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
BOUNDED = settings(max_examples=80)


def figure_of(text: str, folder: Path, **options: str) -> Figure:
    (folder / "robot.urdf").write_text(text)
    figure = load(folder / "robot.urdf", ReadOptions(**options))
    assert isinstance(figure, Figure)
    return figure


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("base", ["free", "fixed"])
def test_frames_and_centre_of_mass_equal_pinocchio(seed: int, base: str, tmp_path: Path) -> None:
    pin = pytest.importorskip("pinocchio")
    figure = figure_of(random_urdf(seed), tmp_path, base=base)
    path = str(tmp_path / "robot.urdf")
    model = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer()) if base == "free" else pin.buildModelFromUrdf(path)
    data = model.createData()
    rng = np.random.default_rng(seed)
    for _ in range(3):
        q = rng.uniform(np.maximum(figure.lower, -3.0), np.minimum(figure.upper, 3.0))
        values = pin.neutral(model)
        if base == "free":
            values[:3] = Z_UP_IN_OURS.T @ q[:3]
            values[3:7] = pin.Quaternion(pin.exp3(q[3:6])).coeffs()
        for k in range(2 if base == "free" else 1, model.njoints):
            angle = float(q[figure.dof_slice(model.names[k])][0])
            unit = [math.cos(angle), math.sin(angle)]
            values[model.idx_qs[k] : model.idx_qs[k] + model.nqs[k]] = unit if model.nqs[k] == 2 else angle
        pin.framesForwardKinematics(model, data, values)
        frames = joint_frames(figure, q)
        for index, joint in enumerate(figure.joints):
            name = joint.name if index else "link0"
            theirs = data.oMf[model.getFrameId(name)]
            np.testing.assert_allclose(frames.positions[index], Z_UP_IN_OURS @ theirs.translation, atol=1e-9)
            np.testing.assert_allclose(frames.rotations[index], Z_UP_IN_OURS @ theirs.rotation, atol=1e-9)
        # Pinocchio leaves out what is bolted to the world.
        if base == "free":
            theirs = Z_UP_IN_OURS @ pin.centerOfMass(model, data, values)
            np.testing.assert_allclose(centre_of_mass(figure, q), theirs, atol=1e-9)


def test_a_biped_stands_free_on_its_soles_and_faces_forward(tmp_path: Path) -> None:
    figure = figure_of(BIPED.replace('offset="0.1"', ""), tmp_path)
    rest = Pose.rest(figure)
    assert figure.joint_names == ("pelvis", "left_hip", "left_ankle", "right_hip", "right_ankle")
    assert figure.n_dofs == 10
    np.testing.assert_allclose(rest.point("left_heel"), (0.1, 0.0, -0.06), atol=1e-12)
    np.testing.assert_allclose(rest.point("left_toe_tip"), (0.1, 0.0, 0.14), atol=1e-12)
    np.testing.assert_allclose(rest.point("left_sole"), (0.1, 0.0, 0.04), atol=1e-12)
    assert rest.point("right_hip")[0] == pytest.approx(-0.1)
    assert figure.anatomy.contact_sites == ("left_heel", "left_toe_tip", "right_heel", "right_toe_tip")
    assert len(capsule_table(figure)) > 4


def test_limits_speeds_masses_and_mimic(tmp_path: Path) -> None:
    figure = figure_of(BIPED, tmp_path)
    hip = figure.joint("left_hip")
    assert (hip.hinges[0].lower, hip.hinges[0].upper, hip.hinges[0].max_speed) == (-1.5, 0.5, 12.0)
    assert figure.max_speeds[:6].tolist() == [math.inf] * 6
    assert figure.max_speeds[6:].tolist() == [12.0, 9.0, 12.0, 9.0]
    assert sum(joint.mass for joint in figure.joints) == pytest.approx(10.2)
    (row,) = figure.constraints
    assert row.is_equality
    assert row.value({"right_hip.ry": 0.1 - 0.5 * 0.3, "left_hip.ry": 0.3}) == pytest.approx(row.lower)
    assert Pose.rest(figure)["right_hip.ry"] == pytest.approx(0.1), "a follower rests where its leader puts it"


def test_what_was_assumed_is_said(tmp_path: Path) -> None:
    notes = "\n".join(figure_of(BIPED, tmp_path).source.notes)
    assert "base: assumed free, because 'left_hip' is part of a leg" in notes
    assert "up axis: Z" in notes
    arm = BIPED.replace("left_", "upper_").replace("right_", "lower_")
    figure = figure_of(arm, tmp_path)
    assert figure.n_dofs == 4
    assert "base: assumed fixed to the world" in figure.source.notes[0]
    assert figure_of(BIPED, tmp_path, base="fixed").n_dofs == 4
    upright = figure_of(BIPED, tmp_path, up="y")
    assert upright.joints[0].rest == (1.0, 0.0, 0.0, 0.0)


def test_joints_out_of_order_are_sorted_and_the_files_order_is_remembered(tmp_path: Path) -> None:
    head, tail = BIPED.index('  <joint name="left_hip"'), BIPED.index('  <joint name="left_ankle"')
    later = BIPED.index('  <joint name="right_hip"')
    text = BIPED[:head] + BIPED[tail:later] + BIPED[head:tail] + BIPED[later:]
    figure = figure_of(text, tmp_path)
    assert figure.joint_names[1:3] == ("left_hip", "left_ankle")
    assert figure.source.joint_order == ("left_ankle", "left_hip", "right_hip", "right_ankle")
    figure.save(tmp_path / "robot.yaml")
    again = load(tmp_path / "robot.yaml")
    assert again.source == figure.source


def test_a_floating_joint_of_the_files_own_is_the_root(tmp_path: Path) -> None:
    joint = (
        '<joint name="free" type="floating"><origin xyz="1 2 3"/><parent link="world"/><child link="pelvis"/></joint>'
    )
    text = BIPED.replace('<link name="pelvis">', f'<link name="world"/>{joint}<link name="pelvis">')
    figure = figure_of(text, tmp_path)
    assert figure.joint_names[0] == "pelvis"
    assert figure.rest[:3].tolist() == [2.0, 3.0, 1.0]
    assert "floating joint 'free'" in figure.source.notes[0]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ('type="revolute"', 'type="revolut"', 12, "joint 'left_hip': type 'revolut' is not supported; did you"),
        ('type="revolute"', 'type="planar"', 12, "type 'planar' is not supported"),
        ('<child link="left_thigh"/>', '<child link="left_thig"/>', 13, "no link 'left_thig'; did you mean 'left_thig"),
        ('lower="-1.5" upper="0.5"', 'lower="1.5" upper="0.5"', 14, "limits run from 1.5 to 0.5"),
        ('lower="-1.5"', 'lower="low"', 14, "lower is 'low'"),
        ('<axis xyz="0 1 0"/>', '<axis xyz="0 0 0"/>', 13, "axis 0 0 0 has no direction"),
        ('<axis xyz="0 1 0"/>', '<axis xyz="0 1"/>', 13, "xyz is '0 1'; it must be 3 numbers"),
        ('<mass value="5"/>', '<mass value="-5"/>', 3, "mass is -5 kg; it must not be negative"),
        ('<mass value="5"/>', "", 3, "<inertial> lacks a <mass>"),
        (
            'joint="left_hip" multiplier',
            'joint="left_hop" multiplier',
            20,
            "'left_hop' does not exist; did you mean 'l",
        ),
        ('name="left_ankle"', 'name="left_hip"', 16, "two joints called 'left_hip'"),
        ('<child link="right_foot"/>', '<child link="left_foot"/>', 25, "link 'left_foot' is the child of two joints"),
        ('<parent link="pelvis"/>', "", 12, "joint 'left_hip' lacks a <parent>"),
        ("</robot>", "", 30, "is not well-formed XML"),
        (
            '<robot name="walker">',
            '<!DOCTYPE r [<!ENTITY a "b">]><robot name="walker">',
            2,
            "document type declaration",
        ),
        ("<link name", "<xacro:macro/><link name", 3, "this is a xacro file"),
    ],
)
def test_mistakes_are_told_with_their_line(old: str, new: str, line: int, message: str, tmp_path: Path) -> None:
    assert old in BIPED
    with pytest.raises(FileProblem) as caught:
        figure_of(BIPED.replace(old, new, 1), tmp_path)
    assert message in str(caught.value)
    assert abs((caught.value.line or 0) - line) <= 1, str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "robot",
        "<robot",
        "<robot/>",
        "<mujoco/>",
        "<robot>" * 100_000,
        '<robot name="a"><link name=""/></robot>',
        '<robot><link name="a"/><link name="b"/></robot>',
        "<?xml version='1.0' encoding='klingon'?><robot/>",
        '<?xml version="1.0" encoding="utf-16"?><robot/>',
        '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><robot name="&b;"/>',
        '<robot><link name="a"/><joint name="j" type="fixed"><parent link="a"/><child link="a"/></joint></robot>',
    ],
)
def test_hopeless_files_are_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(FileProblem):
        figure_of(text, tmp_path)


@BOUNDED
@given(data=st.data())
def test_damaged_files_are_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    raw = bytearray(BIPED.encode())
    for _ in range(data.draw(st.integers(0, 5))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.sampled_from(b'<>/="0919-.eE azN\x00\xff'))
    (tmp_path / "broken.urdf").write_bytes(raw[: data.draw(st.integers(len(raw) - 40, len(raw)))])
    with contextlib.suppress(FileProblem):
        load(tmp_path / "broken.urdf").save(tmp_path / "again.npz")


@BOUNDED
@given(data=st.data())
def test_strange_values_are_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    parts = BIPED.split('"')
    for _ in range(data.draw(st.integers(1, 4))):
        k = data.draw(st.integers(0, len(parts) // 2 - 1)) * 2 + 1
        strange = (
            "0",
            "-1",
            "1e308",
            "1e-320",
            "nan",
            "inf",
            "",
            "x",
            "pelvis",
            "left_foot",
            "fixed",
            "1 2 3",
            "9" * 500,
        )
        parts[k] = data.draw(st.sampled_from(strange))
    (tmp_path / "strange.urdf").write_text('"'.join(parts))
    with contextlib.suppress(FileProblem):
        load(tmp_path / "strange.urdf").save(tmp_path / "again.npz")
