"""PlaCo: C++ on Pinocchio, a quadratic program per step."""

from __future__ import annotations

import tempfile
from importlib.metadata import version
from pathlib import Path

import clips
import numpy as np
import placo
import tasks
from clips import ClipTask, clip_damping
from stepping import Follower, Solver, Stepper, follower, serve
from tasks import Array, Body, Task
from urdf import tip_name, urdf


class Placo(Stepper):
    """Settings by a small grid on the tasks: the long chain wants less regularisation."""

    def __init__(self, body: Body, clip: ClipTask | None = None) -> None:
        super().__init__(body)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "robot.urdf"
            file.write_text(urdf(body))
            self._robot = placo.RobotWrapper(str(file), placo.Flags.ignore_collisions)
        solver = self._solver = placo.KinematicsSolver(self._robot)
        solver.dt = 1.0
        solver.enable_joint_limits(True)
        solver.enable_velocity_limits(False)
        if not body.floating:
            solver.mask_fbase(True)
        self._order = np.array([self._robot.get_joint_offset(name) for name in body.dof_names])
        self._tasks = []
        for tip in body.tips:
            place = solver.add_position_task(tip_name(tip.name), np.zeros(3))
            place.configure(f"{tip.name} place", "soft", 1.0)
            turn = None
            if tip.oriented:
                turn = solver.add_orientation_task(tip_name(tip.name), np.eye(3))
                turn.configure(f"{tip.name} turn", "soft", 0.25 if clip is None else clips.TURN_WEIGHT**2)
            self._tasks.append((place, turn))
        if clip is None:
            solver.add_regularization_task(1e-4 if body.name == "chain" else 5e-3)
            return
        self._posture = solver.add_joints_task()
        self._posture.configure("posture", "soft", clips.POSTURE_WEIGHT**2)
        self._posture.set_joints(dict.fromkeys(body.dof_names, 0.0))
        solver.add_regularization_task(clip_damping(clip))

    def reset(self, state: Array) -> None:
        q = self._robot.state.q.copy()
        if self.body.floating:
            q[:3], q[3:6], q[6] = state[:3], state[4:7], state[3]
        else:
            q[:7] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
        q[self._order] = state[self.body.n_root :]
        self._robot.state.q = q
        self._robot.update_kinematics()

    def aim(self, points: Array, rotations: Array) -> None:
        self._points, self._rotations = points, rotations
        for (place, turn), point, rotation in zip(self._tasks, points, rotations, strict=True):
            place.target_world = point
            if turn is not None:
                turn.R_world_frame = rotation

    def lean(self, angles: Array) -> None:
        self._posture.set_joints(dict(zip(self.body.dof_names, angles.tolist(), strict=True)))

    def step(self) -> None:
        self._solver.solve(True)
        self._robot.update_kinematics()

    def errors(self) -> tuple[float, float]:
        distance = angle = 0.0
        for tip, point, rotation in zip(self.body.tips, self._points, self._rotations, strict=True):
            found = self._robot.get_T_world_frame(tip_name(tip.name))
            gap = found[:3, 3] - point
            distance = max(distance, float(np.sqrt(gap @ gap)))
            if tip.oriented:
                angle = max(angle, float(tasks.angles_between(found[:3, :3], rotation)))
        return distance, angle

    def state(self) -> Array:
        q, angles = self._robot.state.q, self._robot.state.q[self._order]
        return np.concatenate([q[:3], q[6:7], q[3:6], angles]) if self.body.floating else angles.copy()


def make(task: Task) -> Solver:
    return Placo(task.body).solver(task)


def make_follower(clip: ClipTask, steps: int) -> Follower:
    return follower(Placo(clip.body, clip), clip, steps)


if __name__ == "__main__":
    serve(version("placo"), make, make_follower)
