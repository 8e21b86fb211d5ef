"""Pink on Pinocchio: a quadratic program per step."""

from __future__ import annotations

import logging
from importlib.metadata import version

import clips
import numpy as np
import pink
import pinocchio as pin
from clips import ClipTask, clip_damping
from pink.limits import ConfigurationLimit
from pink.tasks import FrameTask, PostureTask
from stepping import Follower, Solver, Stepper, follower, serve
from tasks import Array, Body, Task
from urdf import tip_name, urdf

logging.disable(logging.WARNING)  # it warns of overshoots of 1e-6 rad


class Pink(Stepper):
    """Settings by a small grid on the tasks: the arm wants more weight on its rotation and other damping."""

    def __init__(self, body: Body, clip: ClipTask | None = None) -> None:
        super().__init__(body)
        root = (pin.JointModelFreeFlyer(),) if body.floating else ()
        self._model = pin.buildModelFromXML(urdf(body), *root)
        self._order = np.array([self._model.joints[self._model.getJointId(n)].idx_q for n in body.dof_names])
        whole = body.name == "arm"
        self._damping = 1e-4 if whole else 1e-3
        turning, lm = (0.5, 1e-2) if whole else (0.2, 0.0)
        if clip is not None:
            self._damping, turning = clip_damping(clip), clips.TURN_WEIGHT
        self._tasks = [
            FrameTask(
                tip_name(tip.name),
                position_cost=1.0,
                orientation_cost=turning if tip.oriented else 0.0,
                lm_damping=lm,
            )
            for tip in body.tips
        ]
        self._posture = PostureTask(cost=clips.POSTURE_WEIGHT)
        if clip is not None:
            self._tasks.append(self._posture)
        self._frames = [self._model.getFrameId(tip_name(tip.name)) for tip in body.tips]
        self._limits = [ConfigurationLimit(self._model, 0.5)]
        self._at = pink.Configuration(self._model, self._model.createData(), pin.neutral(self._model))

    def reset(self, state: Array) -> None:
        q = np.empty(self._model.nq)
        if self.body.floating:
            q[:3], q[3:6], q[6] = state[:3], state[4:7], state[3]
        q[self._order] = state[self.body.n_root :]
        self._at.update(q)

    def aim(self, points: Array, rotations: Array) -> None:
        self._points, self._rotations = points, rotations
        for task, point, rotation in zip(self._tasks, points, rotations, strict=False):
            task.set_target(pin.SE3(rotation, point))

    def lean(self, angles: Array) -> None:
        q = self._at.q.copy()
        q[self._order] = angles
        self._posture.set_target(q)

    def step(self) -> None:
        velocity = pink.solve_ik(
            self._at, self._tasks, 1.0, solver="daqp", damping=self._damping, limits=self._limits, safety_break=False
        )
        self._at.integrate_inplace(velocity, 1.0)

    def errors(self) -> tuple[float, float]:
        distance = angle = 0.0
        for frame, tip, point, rotation in zip(
            self._frames, self.body.tips, self._points, self._rotations, strict=True
        ):
            found = self._at.data.oMf[frame]
            distance = max(distance, float(np.linalg.norm(found.translation - point)))
            if tip.oriented:
                angle = max(angle, float(np.linalg.norm(pin.log3(found.rotation.T @ rotation))))
        return distance, angle

    def state(self) -> Array:
        q, angles = self._at.q, self._at.q[self._order]
        return np.concatenate([q[:3], q[6:7], q[3:6], angles]) if self.body.floating else angles.copy()


def make(task: Task) -> Solver:
    return Pink(task.body).solver(task)


def make_follower(clip: ClipTask, steps: int) -> Follower:
    return follower(Pink(clip.body, clip), clip, steps)


if __name__ == "__main__":
    serve(f"{version('pin-pink')} (pin {version('pin')}, daqp)", make, make_follower)
