"""SciPy's bounded least squares (trust region reflective) with kinematics and Jacobian in plain numpy."""

from __future__ import annotations

import numpy as np
import scipy
import tasks
from scipy.optimize import least_squares
from stepping import Solver, serve
from tasks import Array, Body, Task

_RADIUS = 0.2  # metres that a radian counts as


class Reached(Exception):
    """Carries the point at which every tip is within tolerance."""

    def __init__(self, x: Array) -> None:
        super().__init__()
        self.x = x


class Model:
    """Residual and Jacobian over x: root point and rotation vector if floating, then angles."""

    def __init__(self, body: Body) -> None:
        self.body, self.n_root = body, 6 if body.floating else 0
        above = np.eye(len(body.bones), dtype=bool)
        for index, bone in enumerate(body.bones):
            if bone.parent >= 0:
                above[index] |= above[bone.parent]
        self._bone_of_dof = np.array([bone for bone, _ in body.dofs])
        self._moves = np.stack([above[tip.bone][self._bone_of_dof] for tip in body.tips])

    def __call__(self, x: Array, points: Array, rotations: Array) -> tuple[Array, Array, float, float]:
        """Residual, Jacobian, largest distance (m) and largest angle (rad)."""
        body, n_root = self.body, self.n_root
        at, turns, axes = self._place(x)
        origins = at[self._bone_of_dof]
        rows, jacobians, distance, angle = [], [], 0.0, 0.0
        left = left_jacobian(x[3:6]) if n_root else np.eye(3)
        for k, tip in enumerate(body.tips):
            point = at[tip.bone] + turns[tip.bone] @ np.array(tip.offset)
            J = np.zeros((3, len(x)))
            J[:, n_root:] = (np.cross(axes, point - origins) * self._moves[k][:, None]).T
            if n_root:
                J[:, :3], J[:, 3:6] = np.eye(3), -cross_matrix(point - x[:3]) @ left
            rows.append(point - points[k])
            jacobians.append(J)
            distance = max(distance, float(np.linalg.norm(rows[-1])))
            if tip.oriented:
                gap = rotation_vector(turns[tip.bone] @ rotations[k].T)
                J = np.zeros((3, len(x)))
                J[:, n_root:] = (axes * self._moves[k][:, None]).T
                if n_root:
                    J[:, 3:6] = left
                rows.append(_RADIUS * gap)
                jacobians.append(_RADIUS * np.linalg.solve(left_jacobian(gap), J))
                angle = max(angle, float(np.linalg.norm(gap)))
        return np.concatenate(rows), np.concatenate(jacobians), distance, angle

    def _place(self, x: Array) -> tuple[Array, list[Array], Array]:
        """Points and rotations of the bones, and the world axis of every angle."""
        body, n_root = self.body, self.n_root
        cosines, sines = np.cos(x[n_root:]), np.sin(x[n_root:])
        root = tasks.matrices_of_quaternions(tasks.quaternions_of_vectors(x[3:6])) if n_root else np.eye(3)
        at: list[Array] = []
        turns: list[Array] = []
        axes, d = np.empty((len(body.dofs), 3)), 0
        for bone in body.bones:
            turn, point = (turns[bone.parent], at[bone.parent]) if bone.parent >= 0 else (root, x[:3] * bool(n_root))
            at.append(point + turn @ np.array(bone.offset))
            for axis in bone.axes:
                i = "xyz".index(axis)
                j, k = (i + 1) % 3, (i + 2) % 3
                axes[d] = turn[:, i]
                turned = turn.copy()
                turned[:, j] = cosines[d] * turn[:, j] + sines[d] * turn[:, k]
                turned[:, k] = cosines[d] * turn[:, k] - sines[d] * turn[:, j]
                turn = turned
                d += 1
            turns.append(turn)
        return np.array(at), turns, axes


def cross_matrix(v: Array) -> Array:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def rotation_vector(R: Array) -> Array:
    v = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine = np.linalg.norm(v)
    return v * (np.arctan2(sine, 0.5 * (np.trace(R) - 1.0)) / sine) if sine > 1e-7 else v


def left_jacobian(v: Array) -> Array:
    angle, K = np.linalg.norm(v), cross_matrix(v)
    if angle < 1e-6:
        return np.eye(3) + 0.5 * K
    return np.eye(3) + (1.0 - np.cos(angle)) / angle**2 * K + (angle - np.sin(angle)) / angle**3 * K @ K


def make(task: Task) -> Solver:
    body, model = task.body, Model(task.body)
    rest = body.rest[body.n_root :]
    start = np.concatenate([body.rest[:3], np.zeros(3), rest]) if body.floating else rest
    free = np.full(model.n_root, np.inf)
    lower, upper = np.concatenate([-free, body.limits[0]]), np.concatenate([free, body.limits[1]])
    start = np.clip(start, lower + 1e-9, upper - 1e-9)

    def solve(k: int) -> Array:
        last: tuple[Array, Array] = (start, np.empty(0))

        def residual(x: Array) -> Array:
            nonlocal last
            rows, jacobian, distance, angle = model(x, task.points[k], task.rotations[k])
            last = (x.copy(), jacobian)
            if distance < tasks.POSITION_TOLERANCE and angle < 0.9 * tasks.ANGLE_TOLERANCE:
                raise Reached(x.copy())
            return rows

        def derivative(x: Array) -> Array:
            same = last[1].size and np.array_equal(last[0], x)
            return last[1] if same else model(x, task.points[k], task.rotations[k])[1]

        try:
            return least_squares(residual, start, derivative, bounds=(lower, upper), max_nfev=100).x
        except Reached as reached:
            return reached.x

    def state(x: Array) -> Array:
        if not body.floating:
            return x
        return np.concatenate([x[:3], tasks.quaternions_of_vectors(x[3:6]), x[6:]])

    return Solver(solve, state)


if __name__ == "__main__":
    serve(f"{scipy.__version__} (least_squares, trf)", make)
