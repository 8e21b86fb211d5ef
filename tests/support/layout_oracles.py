"""What layouts of robot motions hold, made again with MuJoCo and SciPy from the motion alone."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

Array = np.ndarray[Any, Any]


def breadth_first(model: Any, urdf: str = "") -> list[int]:
    """Bodies that joints move, level by level, rigid ones part of what carries them; siblings are in file order."""
    carrier, parents = {0: 0}, dict[int, int]()
    for body in range(1, model.nbody):
        above = carrier[int(model.body_parentid[body])]
        carrier[body] = body if model.body_jntnum[body] else above
        if carrier[body] == body:
            parents[body] = above
    ranks = {body: body for body in parents}
    if urdf:
        links = [child.attrib["link"] for child in ElementTree.fromstring(urdf).iterfind("joint/child")]
        ranks |= {body: links.index(name) for body in parents if (name := model.body(body).name) in links}
    found, level = list[int](), [0]
    while level:
        level = [b for above in level for b in sorted(parents, key=lambda b: ranks[b]) if parents[b] == above]
        found += level
    return found


@dataclass
class Simulated:
    """A motion of a robot as a simulator has it: qpos, and velocities by differences."""

    model: Any
    qpos: Array
    fps: float

    def __post_init__(self) -> None:
        model, data = self.model, mujoco.MjData(self.model)
        frames = len(self.qpos)
        turns = Rotation.from_quat(self.qpos[:, [4, 5, 6, 3]])
        spin = (turns[2:] * turns[:-2].inv()).as_rotvec() * self.fps / 2.0
        self.root_spin = np.concatenate([spin[:1], spin, spin[-1:]])
        self.root_velocity = np.gradient(self.qpos[:, :3], 1.0 / self.fps, axis=0)
        self.joint_velocity = np.gradient(self.qpos[:, 7:], 1.0 / self.fps, axis=0)
        self.position, self.wxyz = np.zeros((frames, model.nbody, 3)), np.zeros((frames, model.nbody, 4))
        self.origin_velocity, self.centre_velocity, self.spin = (np.zeros((frames, model.nbody, 3)) for _ in range(3))
        for t in range(frames):
            data.qpos[:] = self.qpos[t]
            data.qvel[:3] = self.root_velocity[t]
            data.qvel[3:6] = turns[t].inv().apply(self.root_spin[t])  # MuJoCo wants the body's axes
            data.qvel[6:] = self.joint_velocity[t]
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            mujoco.mj_comVel(model, data)
            self.position[t], self.wxyz[t] = data.xpos, data.xquat
            six = np.zeros(6)
            for body in range(model.nbody):
                mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, body, six, 0)
                self.spin[t, body], self.origin_velocity[t, body] = six[:3], six[3:]
                mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, body, six, 0)
                self.centre_velocity[t, body] = six[3:]


def urdf_model(text: str) -> Any:
    """A URDF as MuJoCo has it, on a free joint."""
    text = re.sub(r"<limit[^>]*/>", '<limit lower="-9" upper="9" effort="1" velocity="1"/>', text)
    text = text.replace("</robot>", '<mujoco><compiler fusestatic="true" discardvisual="false"/></mujoco></robot>')
    root = re.search(r'<link name="([^"]*)"', text)
    assert root is not None
    floating = (
        '<link name="the_world"/><joint name="floats" type="floating"><parent link="the_world"/>'
        f'<child link="{root.group(1)}"/></joint>'
    )
    return mujoco.MjModel.from_xml_string(text.replace("</robot>", floating + "</robot>"))


def same_turn(ours: Array, theirs: Array) -> float:
    """The greatest difference of quaternions (..., 4) of either sign."""
    signs = np.where((ours * theirs).sum(axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    return float(np.abs(ours * signs - theirs).max())
