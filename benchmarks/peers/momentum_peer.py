"""Meta's momentum: Gauss-Newton in C++, single precision, limits as penalties. Needs CPython 3.12 or 3.13."""

from __future__ import annotations

from importlib.metadata import version

import clips
import numpy as np
import pymomentum.geometry as geometry
import pymomentum.solver2 as solver2
import tasks
from clips import ClipTask
from stepping import Follower, Solver, serve
from tasks import Array, Body, Task

_SINGLE = np.float32
_LIMIT_WEIGHT, _TURN_WEIGHT, _SHORT = 1.0, 0.02, 2  # by a small grid on t1; short solves so as to stop on the error
_TOLERANCE = 1e-6  # of the weighted sum of squares, m²


def character(body: Body) -> geometry.Character:
    """A model parameter per dof; the root's rotation as x, y, z angles."""
    turn = np.array([0, 0, 0, 1], _SINGLE)
    skeleton = geometry.Skeleton(
        [geometry.Joint(bone.name, bone.parent, turn, np.array(bone.offset, _SINGLE)) for bone in body.bones]
    )
    n_root = 6 if body.floating else 0
    names = [f"root_{k}" for k in range(n_root)] + body.dof_names
    matrix = np.zeros((7 * len(body.bones), len(names)), _SINGLE)
    matrix[range(n_root), range(n_root)] = 1.0
    limits = []
    for k, (bone, axis) in enumerate(body.dofs):
        matrix[7 * bone + 3 + "xyz".index(axis), n_root + k] = 1.0
        lower, upper = body.limits[:, k].tolist()
        limits.append(geometry.ParameterLimit.create_minmax(n_root + k, lower, upper, _LIMIT_WEIGHT))
    transform = geometry.ParameterTransform(names, skeleton, matrix)
    return geometry.Character(body.name, skeleton, transform).with_parameter_limits(limits)


def make(task: Task) -> Solver:
    body = task.body
    figure = character(body)
    places = solver2.PositionErrorFunction(figure)
    turns = solver2.OrientationErrorFunction(figure, weight=_TURN_WEIGHT) if body.oriented.any() else None
    parents = np.array([tip.bone for tip in body.tips], np.int32)
    offsets = np.array([tip.offset for tip in body.tips], _SINGLE)
    terms = [places, *([] if turns is None else [turns]), solver2.LimitErrorFunction(figure, weight=1.0)]
    function = solver2.SkeletonSolverFunction(figure, terms)
    by_qr = body.name == "chain"  # faster there
    options = solver2.GaussNewtonSolverQROptions() if by_qr else solver2.GaussNewtonSolverOptions()
    if not by_qr:
        options.use_block_jtj = False
    options.max_iterations, options.min_iterations = _SHORT, 1
    options.do_line_search, options.threshold = True, 1.0
    options.regularization = 1e-2 if by_qr else 1e-3
    solver = (solver2.GaussNewtonSolverQR if by_qr else solver2.GaussNewtonSolver)(function, options)
    points = task.points.astype(_SINGLE)
    xyzw = tasks.quaternions_of_matrices(task.rotations[:, body.oriented])[..., [1, 2, 3, 0]].astype(_SINGLE)
    xyzw = np.ascontiguousarray(xyzw)

    def aim(k: int) -> None:
        places.clear_constraints()
        places.add_constraints(parents, target=points[k], offset=offsets)
        if turns is not None:
            turns.clear_constraints()
            turns.add_constraints(target=xyzw[k], parent=parents[body.oriented])

    start = parameters(body, body.rest)
    aim(0)
    if function.get_error(parameters(body, task.truth[0])) > 1e-6:
        raise AssertionError("kinematics differ")

    def solve(k: int) -> np.ndarray:
        aim(k)
        at, best, idle = start, np.inf, 0
        for _ in range(100):
            at = solver.solve(at)
            error = function.get_error(at)
            if error < _TOLERANCE:
                break
            best, idle = (error, 0) if error <= 0.999 * best else (best, idle + 1)
            if idle > 3:
                break
        return at

    return Solver(solve, lambda found: state(body, found))


def make_follower(clip: ClipTask, steps: int) -> Follower:
    body = clip.body
    figure = character(body)
    places = solver2.PositionErrorFunction(figure)
    # The library's own factors: 2 for a rotation's squared angle (Frobenius norm), 0.1 for parameters.
    turns = solver2.OrientationErrorFunction(figure, weight=0.5 * clips.TURN_WEIGHT**2)
    posture = solver2.ModelParametersErrorFunction(figure, weight=clips.POSTURE_WEIGHT**2 / 0.1)
    parents = np.array([tip.bone for tip in body.tips], np.int32)
    offsets = np.array([tip.offset for tip in body.tips], _SINGLE)
    function = solver2.SkeletonSolverFunction(
        figure, [places, turns, posture, solver2.LimitErrorFunction(figure, weight=1.0)]
    )
    options = solver2.GaussNewtonSolverOptions()
    options.use_block_jtj = False
    options.max_iterations, options.min_iterations = steps, 1
    options.do_line_search, options.threshold = False, 1.0
    options.regularization = 1e-2 if clip.name == "t2h" else 1e-5
    solver = solver2.GaussNewtonSolver(function, options)
    points = clip.points.astype(_SINGLE)
    xyzw = tasks.quaternions_of_matrices(clip.rotations[:, body.oriented])[..., [1, 2, 3, 0]].astype(_SINGLE)
    xyzw = np.ascontiguousarray(xyzw)
    angles = np.concatenate([np.zeros((len(clip), 6)), clip.angles], axis=1).astype(_SINGLE)
    weights = np.concatenate([np.zeros(6), np.ones(clip.angles.shape[1])]).astype(_SINGLE)
    at = parameters(body, clip.start)

    def frame(k: int) -> np.ndarray:
        nonlocal at
        places.clear_constraints()
        places.add_constraints(parents, target=points[k], offset=offsets)
        turns.clear_constraints()
        turns.add_constraints(target=xyzw[k], parent=parents[body.oriented])
        posture.set_target_parameters(angles[k], weights)
        at = solver.solve(at)
        return at

    return Follower(frame, lambda found: state(body, found))


def parameters(body: Body, values: Array) -> np.ndarray:
    """A state as model parameters."""
    if not body.floating:
        return values.astype(_SINGLE)
    R = tasks.matrices_of_quaternions(values[3:7])
    x, z = np.arctan2(R[2, 1], R[2, 2]), np.arctan2(R[1, 0], R[0, 0])
    return np.concatenate([values[:3], [x, np.arcsin(-R[2, 0]), z], values[7:]]).astype(_SINGLE)


def state(body: Body, values: np.ndarray) -> Array:
    """The inverse."""
    found = np.asarray(values, dtype=np.float64)
    if not body.floating:
        return found
    x, y, z = (tasks.turns(axis, found[3 + k : 4 + k])[0] for k, axis in enumerate("xyz"))
    return np.concatenate([found[:3], tasks.quaternions_of_matrices(z @ y @ x), found[6:]])


if __name__ == "__main__":
    serve(version("pymomentum-core"), make, make_follower)
