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
