"""Robots written as text: random trees as URDF, and a small biped."""

from __future__ import annotations

import numpy as np

BIPED = """\
<?xml version="1.0"?>
<robot name="walker">
  <link name="pelvis"><inertial><origin xyz="0 0 0.05"/><mass value="5"/>
    <inertia ixx="0.03" iyy="0.02" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="left_thigh"><inertial><origin xyz="0 0 -0.15"/><mass value="2"/></inertial></link>
  <link name="left_foot"><inertial><origin xyz="0.03 0 -0.02"/><mass value="0.6"/></inertial>
    <collision><origin xyz="0.04 0 -0.03"/><geometry><box size="0.2 0.08 0.04"/></geometry></collision></link>
  <link name="right_thigh"><inertial><origin xyz="0 0 -0.15"/><mass value="2"/></inertial></link>
  <link name="right_foot"><inertial><origin xyz="0.03 0 -0.02"/><mass value="0.6"/></inertial>
    <collision><origin xyz="0.04 0 -0.03"/><geometry><box size="0.2 0.08 0.04"/></geometry></collision></link>
  <joint name="left_hip" type="revolute">
    <origin xyz="0 0.1 0"/><parent link="pelvis"/><child link="left_thigh"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="0.5" effort="80" velocity="12"/>
  </joint>
  <joint name="left_ankle" type="revolute">
    <origin xyz="0 0 -0.4"/><parent link="left_thigh"/><child link="left_foot"/><axis xyz="0 1 0"/>
    <limit lower="-0.7" upper="0.7" effort="30" velocity="9"/>
  </joint>
  <joint name="right_hip" type="revolute">
    <origin xyz="0 -0.1 0"/><parent link="pelvis"/><child link="right_thigh"/><axis xyz="0 1 0"/>
    <limit lower="-1.5" upper="0.5" effort="80" velocity="12"/>
    <mimic joint="left_hip" multiplier="-0.5" offset="0.1"/>
  </joint>
  <joint name="right_ankle" type="revolute">
    <origin xyz="0 0 -0.4"/><parent link="right_thigh"/><child link="right_foot"/><axis xyz="0 1 0"/>
    <limit lower="-0.7" upper="0.7" effort="30" velocity="9"/>
  </joint>
</robot>
"""

_KINDS = ("revolute", "continuous", "prismatic", "fixed", "revolute")


def random_urdf(seed: int, n_joints: int = 12) -> str:
    """A tree with all kinds of 1-dof joints, slanted axes and origins, and inertials off centre."""
    rng = np.random.default_rng(seed)

    def three(scale: float) -> str:
        return " ".join(f"{x!r}" for x in (scale * rng.normal(size=3)).tolist())

    lines = ['<robot name="tree">']
    for k in range(n_joints + 1):
        inertial = f'<origin xyz="{three(0.1)}" rpy="{three(1.0)}"/><mass value="{float(rng.uniform(0.1, 3.0))!r}"/>'
        inertia = '<inertia ixx="0.02" iyy="0.03" izz="0.025" ixy="0.001" ixz="0" iyz="0"/>'
        lines.append(f'<link name="link{k}"><inertial>{inertial}{inertia}</inertial></link>')
    for k in range(n_joints):
        kind = _KINDS[int(rng.integers(len(_KINDS)))]
        axis = ("0 0 1", "0 -1 0", three(1.0))[int(rng.integers(3))]
        lines.append(
            f'<joint name="joint{k}" type="{kind}"><origin xyz="{three(0.3)}" rpy="{three(2.0)}"/>'
            f'<parent link="link{int(rng.integers(k + 1))}"/><child link="link{k + 1}"/><axis xyz="{axis}"/>'
            f'<limit lower="-1.2" upper="0.9" effort="1" velocity="{float(rng.uniform(1, 20))!r}"/></joint>'
        )
    return "\n".join([*lines, "</robot>"])


def random_mjcf(seed: int, n_bodies: int = 10) -> str:
    """A free tree with hinges and slides off the bodies' origins, rigid bodies among them, depth first."""
    rng = np.random.default_rng(seed)

    def three(scale: float) -> str:
        return " ".join(f"{x!r}" for x in (scale * rng.normal(size=3)).tolist())

    def body(k: int) -> str:
        turn = rng.normal(size=4)
        head = f'<body name="link{k}" pos="{three(0.3)}" quat="{" ".join(map(repr, turn.tolist()))}">'
        mass = f'<inertial pos="{three(0.1)}" mass="{float(rng.uniform(0.1, 3.0))!r}" diaginertia="0.02 0.03 0.025"/>'
        kind = ("hinge", "slide", "", "hinge")[int(rng.integers(4))] if k else "free"
        if k > 1 and kind:
            joint = f'<joint name="joint{k}" type="{kind}" pos="{three(0.1)}" axis="{three(1.0)}"/>'
        else:
            joint = "<freejoint/>" if k == 0 else f'<joint name="joint{k}" axis="0 0 1"/>' if k == 1 else ""
        return head + joint + mass + "".join(body(child) for child in children[k]) + "</body>"

    children: list[list[int]] = [[] for _ in range(n_bodies)]
    for k in range(1, n_bodies):
        children[int(rng.integers(k))].append(k)
    return f'<mujoco model="tree"><worldbody>{body(0)}</worldbody></mujoco>'


def humanoid_urdf() -> str:
    """A humanoid of 21 joints: legs of six, a waist, arms of four, and a head fixed to the chest."""
    links, joints = [_link("pelvis", "0.2 0.25 0.15", 8.0)], list[str]()

    def add(name: str, parent: str, place: str, axis: str, size: str = "", mass: float = 1.0) -> str:
        child = f"{name}_link"
        links.append(_link(child, size or "0.06 0.06 0.06", mass))
        kind = "revolute" if axis else "fixed"
        limit = '<limit lower="-2.6" upper="2.6" effort="80" velocity="20"/>' if axis else ""
        joints.append(
            f'<joint name="{name}_joint" type="{kind}"><origin xyz="{place}"/><parent link="{parent}"/>'
            f'<child link="{child}"/><axis xyz="{axis or "1 0 0"}"/>{limit}</joint>'
        )
        return child

    for side, y in (("left", 0.1), ("right", -0.1)):
        link = add(f"{side}_hip_pitch", "pelvis", f"0 {y} -0.05", "0 1 0")
        link = add(f"{side}_hip_roll", link, "0 0 0", "1 0 0")
        link = add(f"{side}_hip_yaw", link, "0 0 -0.05", "0 0 1", mass=2.0)
        link = add(f"{side}_knee", link, "0 0 -0.3", "0 1 0", mass=2.0)
        link = add(f"{side}_ankle_pitch", link, "0 0 -0.35", "0 1 0")
        add(f"{side}_ankle_roll", link, "0 0 -0.02", "1 0 0", "0.2 0.08 0.04")
    chest = add("waist_yaw", "pelvis", "0 0 0.1", "0 0 1", "0.2 0.3 0.3", 6.0)
    add("head", chest, "0 0 0.45", "", "0.15 0.15 0.2")
    for side, y in (("left", 0.2), ("right", -0.2)):
        link = add(f"{side}_shoulder_pitch", chest, f"0 {y} 0.3", "0 1 0")
        link = add(f"{side}_shoulder_roll", link, "0 0 0", "1 0 0")
        link = add(f"{side}_shoulder_yaw", link, "0 0 -0.1", "0 0 1")
        add(f"{side}_elbow", link, "0 0 -0.15", "0 1 0", "0.05 0.05 0.2")
    return "\n".join(['<robot name="humanoid">', *links, *joints, "</robot>"])


def _link(name: str, size: str, mass: float) -> str:
    inertia = '<inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/>'
    box = f'<collision><geometry><box size="{size}"/></geometry></collision>'
    return f'<link name="{name}"><inertial><mass value="{mass}"/>{inertia}</inertial>{box}</link>'
