"""mink on MuJoCo: a quadratic program per step."""

from __future__ import annotations

import logging
from importlib.metadata import version

import clips
import mink
import mujoco
import numpy as np
import tasks
from clips import ClipTask, clip_damping
from stepping import Follower, Solver, Stepper, follower, serve
from tasks import Array, Body, Task
from urdf import tip_name

logging.disable(logging.WARNING)
_AXIS = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}


def mjcf(body: Body) -> str:
    """The body in MuJoCo's format, a site per tip."""

    def element(index: int) -> str:
        bone = body.bones[index]
        root = body.floating and bone.parent < 0
        offset = (0.0, 0.0, body.root_height) if root else bone.offset
        lines = [f'<body name="{bone.name}" pos="{" ".join(map(repr, offset))}">']
        if root:
            lines.append('<freejoint name="free"/>')
        for axis, (lower, upper) in zip(bone.axes, bone.limits, strict=True):
            lines.append(
                f'<joint name="{bone.name}_{axis}" type="hinge" axis="{_AXIS[axis]}" range="{lower!r} {upper!r}"/>'
            )
        lines.append('<inertial pos="0 0 0" mass="0.5" diaginertia="0.01 0.01 0.01"/>')
        lines += [
            f'<site name="{tip_name(tip.name)}" pos="{" ".join(map(repr, tip.offset))}"/>'
            for tip in body.tips
            if tip.bone == index
        ]
        lines += [element(child) for child, other in enumerate(body.bones) if other.parent == index]
        return "".join([*lines, "</body>"])

    roots = "".join(element(index) for index, bone in enumerate(body.bones) if bone.parent < 0)
    head = '<mujoco><compiler angle="radian" autolimits="true"/><option><flag contact="disable"/></option>'
    return f"{head}<worldbody>{roots}</worldbody></mujoco>"


class Mink(Stepper):
    """Settings by a small grid on the tasks."""

    def __init__(self, body: Body, clip: ClipTask | None = None) -> None:
        super().__init__(body)
        self._model = mujoco.MjModel.from_xml_string(mjcf(body))
        self._at = mink.Configuration(self._model)
        self._order = np.array([self._model.jnt_qposadr[self._model.joint(name).id] for name in body.dof_names])
        whole = body.name == "arm"
        self._damping = 1e-4 if whole else 1e-3
        turning, lm = (0.5, 1e-2) if whole else (0.2, 0.0)
        if clip is not None:
            self._damping, turning = clip_damping(clip), clips.TURN_WEIGHT
        self._tasks = [
            mink.FrameTask(
                tip_name(tip.name),
                "site",
                position_cost=1.0,
                orientation_cost=turning if tip.oriented else 0.0,
                lm_damping=lm,
            )
            for tip in body.tips
        ]
        self._posture = mink.PostureTask(self._model, cost=clips.POSTURE_WEIGHT)
        if clip is not None:
            self._tasks.append(self._posture)
        self._limits = [mink.ConfigurationLimit(self._model, gain=0.5)]
        self._sites = [self._model.site(tip_name(tip.name)).id for tip in body.tips]

    def reset(self, state: Array) -> None:
        q = np.empty(self._model.nq)
        q[: self.body.n_root] = state[: self.body.n_root]
        q[self._order] = state[self.body.n_root :]
        self._at.update(q)

    def aim(self, points: Array, rotations: Array) -> None:
        self._points, self._rotations = points, rotations
        for task, point, rotation in zip(self._tasks, points, rotations, strict=False):
            turn = mink.SO3.from_matrix(rotation)
            task.set_target(mink.SE3.from_rotation_and_translation(turn, point))

    def lean(self, angles: Array) -> None:
        q = self._at.q.copy()
        q[self._order] = angles
        self._posture.set_target(q)

    def step(self) -> None:
        velocity = mink.solve_ik(self._at, self._tasks, 1.0, solver="daqp", damping=self._damping, limits=self._limits)
        self._at.integrate_inplace(velocity, 1.0)

    def errors(self) -> tuple[float, float]:
        data, oriented = self._at.data, self.body.oriented
        distance = np.sqrt(((data.site_xpos[self._sites] - self._points) ** 2).sum(axis=1).max())
        if not oriented.any():
            return float(distance), 0.0
        found = data.site_xmat[self._sites].reshape(-1, 3, 3)[oriented]
        return float(distance), float(tasks.angles_between(found, self._rotations[oriented]).max())

    def state(self) -> Array:
        return np.concatenate([self._at.q[: self.body.n_root], self._at.q[self._order]])


def make(task: Task) -> Solver:
    return Mink(task.body).solver(task)


def make_follower(clip: ClipTask, steps: int) -> Follower:
    return follower(Mink(clip.body, clip), clip, steps)


if __name__ == "__main__":
    serve(f"{version('mink')} (mujoco {version('mujoco')}, daqp)", make, make_follower)
