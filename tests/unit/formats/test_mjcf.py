from __future__ import annotations

import contextlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from posewright.errors import FileProblem
from posewright.figures import Figure, Pose
from posewright.figures.kinematics import centre_of_mass, joint_frames, site_frames
from posewright.formats import load
from posewright.rotations import quaternion_from_vector

mujoco = pytest.importorskip("mujoco")

WORLD_FROM_ROBOT = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
BOUNDED = settings(max_examples=20)

WALKER = """\
<mujoco model="walker">
  <compiler angle="degree" eulerseq="zyx"/>
  <default>
    <joint range="-60 80"/>
    <default class="stiff"><joint range="-10 20" axis="0 1 0"/></default>
  </default>
  <worldbody>
    <geom type="plane" size="5 5 0.1"/>
    <body name="table" pos="2 0 0"><geom type="box" size="0.5 0.5 0.4"/></body>
    <body name="torso" pos="0.1 0.2 0.9" euler="30 10 5">
      <freejoint name="root"/>
      <inertial pos="0.01 0 0.1" mass="8" diaginertia="0.1 0.09 0.05"/>
      <site name="imu" pos="0 0.1 0.2" euler="10 20 30"/>
      <body name="left_thigh" pos="0 0.1 -0.1" axisangle="0 0 1 15">
        <joint name="left_hip_x" axis="1 0 0" pos="0 0 0.02"/>
        <joint name="left_hip_y" axis="0 1 0" pos="0.01 0 0.02" ref="10"/>
        <joint name="left_hip_z" axis="0 0 1" pos="0 0 0.02" range="-45 45"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.05"/>
        <frame pos="0 0 -0.4" euler="0 20 0">
          <body name="left_foot" childclass="stiff">
            <joint name="left_ankle"/>
            <geom type="box" size="0.12 0.05 0.02" pos="0.04 0 -0.05"/>
            <site name="left_foot_site" pos="0.05 0 -0.07"/>
          </body>
        </frame>
      </body>
      <body name="right_thigh" pos="0 -0.1 -0.1">
        <joint name="right_hip_x" axis="1 0 0"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.05"/>
        <body name="right_foot" pos="0 0 -0.4">
          <joint name="right_ankle" class="stiff"/>
          <geom type="box" size="0.12 0.05 0.02" pos="0.04 0 -0.05"/>
        </body>
      </body>
      <body name="pole" pos="0 0 0.4">
        <joint name="lift" type="slide" axis="0 0.6 0.8" ref="0.1" range="-0.2 0.3"/>
        <joint name="swivel" type="ball" pos="0 0 0.05" limited="false" range="0 0"/>
        <geom type="sphere" size="0.08" pos="0.02 0 0.1"/>
        <body name="lamp" pos="0 0 0.2" euler="0 0 90"><geom type="sphere" size="0.03"/></body>
      </body>
    </body>
  </worldbody>
  <equality>
    <joint joint1="right_ankle" joint2="left_ankle" polycoef="0.05 -0.5 0 0 0"/>
    <joint joint1="left_hip_y" joint2="left_hip_x" polycoef="0 2 0 0 0"/>
    <joint joint1="left_hip_z" polycoef="0 1 0.5 0 0" joint2="left_hip_x"/>
    <connect body1="left_foot" body2="right_foot" anchor="0 0 0"/>
  </equality>
</mujoco>
"""


def figure_of(text: str, folder: Path) -> Figure:
    (folder / "robot.xml").write_text(text)
    figure = load(folder / "robot.xml")
    assert isinstance(figure, Figure)
    return figure


def qpos_of(figure: Figure, q: np.ndarray, model: object) -> np.ndarray:
    """MuJoCo's coordinates, filled joint by joint through their names."""
    out = np.array(model.qpos0)
    for k in range(model.njnt):
        first, kind = model.jnt_qposadr[k], model.jnt_type[k]
        own = q[figure.dof_slice("torso" if kind == 0 else model.joint(k).name)]
        if kind == 0:
            out[first : first + 7] = [*(WORLD_FROM_ROBOT.T @ own[:3]), *quaternion_from_vector(own[3:])]
        elif kind == 1:
            out[first : first + 4] = quaternion_from_vector(own)
        else:
            out[first] = own[0]
    return out


def test_frames_sites_and_centre_of_mass_equal_mujoco(tmp_path: Path) -> None:
    figure = figure_of(WALKER, tmp_path)
    model = mujoco.MjModel.from_xml_string(WALKER)
    data = mujoco.MjData(model)
    rng = np.random.default_rng(2)
    Q = rng.uniform(np.maximum(figure.lower, -2.0), np.minimum(figure.upper, 2.0), (6, figure.n_dofs))
    last = {"left_thigh": "left_hip_z", "left_foot": "left_ankle", "right_thigh": "right_hip_x", "pole": "swivel"}
    for q in (figure.rest, *Q):
        data.qpos[:] = qpos_of(figure, q, model)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        frames = joint_frames(figure, q)
        for name in ("torso", "left_thigh", "left_foot", "right_thigh", "pole", "lamp"):
            body = data.body(name)
            index = figure.joint_index(last.get(name, name))
            turn = WORLD_FROM_ROBOT @ body.xmat.reshape(3, 3)
            np.testing.assert_allclose(frames.rotations[index], turn, atol=1e-9)
        for k in range(model.njnt):
            if model.jnt_type[k] in (1, 3):  # anchors of hinges and balls are where the figure's joints are
                index = figure.joint_index(model.joint(k).name)
                np.testing.assert_allclose(frames.positions[index], WORLD_FROM_ROBOT @ data.xanchor[k], atol=1e-9)
        sites = site_frames(figure, q, ["imu", "left_foot_site"])
        np.testing.assert_allclose(sites.points, data.site_xpos @ WORLD_FROM_ROBOT.T, atol=1e-9)
        axes = data.site_xmat.reshape(-1, 3, 3)
        np.testing.assert_allclose(sites.x_axes, axes[:, :, 0] @ WORLD_FROM_ROBOT.T, atol=1e-9)
        np.testing.assert_allclose(sites.y_axes, axes[:, :, 1] @ WORLD_FROM_ROBOT.T, atol=1e-9)
        centre = WORLD_FROM_ROBOT @ data.subtree_com[model.body("torso").id]
        np.testing.assert_allclose(centre_of_mass(figure, q), centre, atol=1e-9)


def test_names_order_limits_and_rest_are_the_files(tmp_path: Path) -> None:
    figure = figure_of(WALKER, tmp_path)
    hips = ("left_hip_x", "left_hip_y", "left_hip_z")
    assert figure.joint_names[:5] == ("torso", *hips, "left_ankle")
    assert figure.joint_names[5:] == ("right_hip_x", "right_ankle", "lift", "swivel", "lamp")
    np.testing.assert_allclose(np.degrees(figure.lower[6:11]), [-60, -60, -45, -10, -60])
    np.testing.assert_allclose(np.degrees(figure.upper[6:11]), [80, 80, 45, 20, 80])
    rest = Pose.rest(figure)
    assert rest["left_hip_y.ry"] == pytest.approx(np.radians(10.0))
    assert rest.point("torso") == pytest.approx((0.2, 0.9, 0.1))
    assert figure.name == "walker"


def test_linear_equalities_are_constraints_and_others_are_told(tmp_path: Path) -> None:
    figure = figure_of(WALKER, tmp_path)
    ankles, hips = figure.constraints
    assert ankles.value({"right_ankle.ry": 0.05 - 0.5 * 0.2, "left_ankle.ry": 0.2}) == pytest.approx(ankles.lower)
    ref = np.radians(10.0)
    assert hips.value({"left_hip_y.ry": ref + 2 * 0.1, "left_hip_x.rx": 0.1}) == pytest.approx(hips.lower)
    notes = "\n".join(figure.source.notes)
    assert "ignored: 2 equalities" in notes
    assert "left out, because it never moves: table" in notes


def test_soles_come_from_the_foots_geometry(tmp_path: Path) -> None:
    text = WALKER.replace('euler="30 10 5"', "").replace(
        '<frame pos="0 0 -0.4" euler="0 20 0">', '<frame pos="0 0 -0.4">'
    )
    figure = figure_of(text, tmp_path)
    assert figure.site("right_sole").point == pytest.approx((0.04, 0.0, -0.07))
    assert figure.site("right_toe_tip").point == pytest.approx((0.16, 0.0, -0.07))
    assert not any("no geometry" in note for note in figure.source.notes)


def test_missing_meshes_cost_shapes_not_the_robot(tmp_path: Path) -> None:
    text = WALKER.replace("<worldbody>", '<asset><mesh name="m" file="nowhere.stl"/></asset><worldbody>')
    text = text.replace('<geom type="sphere" size="0.03"/>', '<geom type="mesh" mesh="m"/>')
    figure = figure_of(text, tmp_path)
    assert figure.joint("lamp").mass < 1e-6
    assert any("mesh files are missing" in note and "lamp" in note for note in figure.source.notes)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('type="slide"', 'type="slid"', "MuJoCo refuses it: invalid keyword: 'slid'; Element 'joint'"),
        ('joint name="lift"', 'joint nam="lift"', "unrecognized attribute: 'nam'"),
        ('mass="8"', 'mass="nan"', "mass is 'nan', which is not a number"),
        ("</mujoco>", "", "is not well-formed XML"),
        ('<mujoco model="walker">', '<robot name="walker">', "is not well-formed XML"),
        ('<frame pos="0 0 -0.4" euler="0 20 0">', '<frame><include file="no.xml"/>', "no.xml"),
        ("<worldbody>", "<!DOCTYPE a []><worldbody>", "is not well-formed XML"),
    ],
)  # fmt: skip
def test_mistakes_are_told_with_their_line(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in WALKER
    with pytest.raises(FileProblem) as caught:
        figure_of(WALKER.replace(old, new, 1), tmp_path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    if "well-formed" not in message:
        assert caught.value.line == WALKER[: WALKER.index(old)].count("\n") + 1


@pytest.mark.parametrize(
    ("inside", "message"),
    [
        ('<worldbody><replicate count="100000000"><body/></replicate></worldbody>', "takes longer than a file of its"),
        (
            '<worldbody><replicate count="+200000"><body/></replicate></worldbody>',
            "takes longer than a file of its",
        ),
        (
            '<worldbody><replicate count="200"><replicate count="200"><body/></replicate></replicate></worldbody>',
            "needs too much memory",
        ),
        ('<asset><hfield name="h" nrow="100000" ncol="100000" size="1 1 1 1"/></asset>', "needs too much memory"),
        ('<asset><texture name="t" builtin="flat" width="99999" height="99999"/></asset>', "needs too much memory"),
        ('<asset><texture name="t" type="cube" builtin="flat" width="9000" height="9000"/></asset>', "too much memory"),
        ('<size nuser_body="+1000000000"/><worldbody><body/></worldbody>', "needs too much memory"),
        ("<worldbody>" + "<body>" * 300, "big.xml, line 1: elements are nested more than 200 deep"),
    ],
)
def test_what_would_take_hours_or_all_memory_is_refused(inside: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "big.xml").write_text(f"<mujoco>{inside}</mujoco>")
    with pytest.raises(FileProblem) as refused:
        load(tmp_path / "big.xml")
    assert message in str(refused.value)
    assert str(refused.value).count("big.xml") == 1


def test_memory_for_simulations_is_not_taken(tmp_path: Path) -> None:
    assert figure_of(WALKER.replace("<worldbody>", '<size memory="100G"/><worldbody>'), tmp_path).n_dofs == 16


def test_more_bodies_than_any_figure_has_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("posewright.formats.robots.mjcf_model.MOST_JOINTS", 5)
    with pytest.raises(FileProblem, match="has 9 bodies or joints; at most 5 are read"):
        figure_of(WALKER, tmp_path)


ELSEWHERE = "only files in the folder of the document are read"


@pytest.mark.parametrize(
    "assets",
    [
        '<asset><mesh name="m" file="../secret.stl"/></asset>',
        '<asset><mesh name="m" file="{outside}/secret.stl"/></asset>',
        '<asset><mesh name="m" file="&#x2e;&#x2e;/secret.stl"/></asset>',
        '<asset><texture name="t" type="cube" fileright="../secret.png"/></asset>',
        '<asset><hfield name="h" file="../secret.png" size="1 1 1 1"/></asset>',
        '<compiler meshdir="../elsewhere"/><asset><mesh name="m" file="a.stl"/></asset>',
        '<compiler assetdir=".."/><asset><mesh name="m" file="secret.stl"/></asset>',
        '<include file="../secret.xml"/>',
        '<include file="parts/harmless.xml"/>',
        '<asset><model name="m" file="../secret.xml"/></asset>',
        '<include file="link.xml"/>',
        '<include file="loop.xml"/>',
    ],
)
def test_files_from_elsewhere_are_refused(assets: str, tmp_path: Path) -> None:
    folder = tmp_path / "robot"
    (folder / "parts").mkdir(parents=True)
    (tmp_path / "secret.xml").write_text("<mujoco/>")
    (folder / "parts" / "harmless.xml").write_text('<mujoco><include file="../../secret.xml"/></mujoco>')
    (folder / "link.xml").symlink_to(tmp_path / "secret.xml")
    (folder / "loop.xml").symlink_to(folder / "loop.xml")
    with pytest.raises(FileProblem, match=ELSEWHERE):
        figure_of(WALKER.replace("<worldbody>", assets.format(outside=tmp_path) + "<worldbody>"), folder)


def test_includes_are_found_beside_the_document_and_beside_what_names_them(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "first.xml").write_text('<mujoco><include file="second.xml"/></mujoco>')
    (tmp_path / "parts" / "second.xml").write_text("<mujoco><worldbody><body name='tail'/></worldbody></mujoco>")
    figure = figure_of('<mujoco><include file="parts/first.xml"/></mujoco>', tmp_path)
    assert figure.joint_names == ("tail",)


def test_an_include_is_looked_over_too(tmp_path: Path) -> None:
    (tmp_path / "part.xml").write_text('<mujoco>\n<worldbody><body pos="nan 0 0"/></worldbody></mujoco>')
    with pytest.raises(FileProblem, match=r"part\.xml, line 2: <body>: pos is 'nan 0 0', which is not a number"):
        figure_of('<mujoco><include file="part.xml"/></mujoco>', tmp_path)


@pytest.mark.parametrize("text", ["", "x", "<robot/>", "<mujoco/>", "<mujoco><worldbody/></mujoco>", "<a>" * 100_000])
def test_hopeless_files_are_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(FileProblem):
        figure_of(text, tmp_path)


@BOUNDED
@given(data=st.data())
def test_damaged_files_are_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    parts = WALKER.split('"')
    for _ in range(data.draw(st.integers(1, 3))):
        k = data.draw(st.integers(0, len(parts) // 2 - 1)) * 2 + 1
        strange = ("0", "-1", "1e30", "1e-320", "nan", "", "x", "torso", "ball", "0 0 0", "1 2 3 4 5", "9" * 300)
        parts[k] = data.draw(st.sampled_from(strange))
    text = '"'.join(parts)
    (tmp_path / "broken.xml").write_text(text[: data.draw(st.sampled_from([len(text), len(text) - 30]))])
    with contextlib.suppress(FileProblem):
        load(tmp_path / "broken.xml").save(tmp_path / "again.npz")
