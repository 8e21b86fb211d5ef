"""Answers checked from `docs/conventions.md` alone: forward kinematics, limits, rows, spaces and errors in plain NumPy.

It shares no code with Posewright and reads the plain data of `random_problems`, not what Posewright made of them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from random_problems import RandomGoal, RandomProblem

Array = npt.NDArray[np.float64]


def broken_by(problem: RandomProblem, q: Array, start: Array) -> Array:
    """(poses,): by how much the worst limit, row, map or frozen dof is broken, over its unit or the size of numbers."""
    near, largest = _nearest_in_space(problem, q)
    dofs, unit = problem.dofs, np.maximum(np.maximum(problem.units(), np.abs(q)), largest)
    lower, upper = np.array([dof.lower for dof in dofs]), np.array([dof.upper for dof in dofs])
    beyond = (np.maximum(lower - q, q - upper) / unit).max(axis=1, initial=0.0)
    index = {dof.name: d for d, dof in enumerate(dofs)}
    for row in problem.rows:
        factors = np.zeros(len(dofs))
        for name, factor in row.factors.items():
            factors[index[name]] = factor
        total, size = q @ factors, unit @ np.abs(factors)
        beyond = np.maximum(beyond, np.maximum(row.lower - total, total - row.upper) / size)
    outside = np.abs(q - near) / unit
    beyond = np.maximum(beyond, outside.max(axis=1, initial=0.0))
    for name in problem.frozen:
        d = index[name]
        beyond = np.maximum(beyond, np.abs(q[:, d] - start[:, d]) / unit[:, d])
    return np.where(np.isfinite(q).all(axis=1), beyond, np.inf)


def _nearest_in_space(problem: RandomProblem, q: Array) -> tuple[Array, Array]:
    """The poses of the space nearest to q, and the largest numbers from which a map makes each dof; both as q."""
    if problem.space == "chain":
        found = np.tile([dof.rest for dof in problem.dofs], (len(q), 1))
        first = 0
        for k, joint in enumerate(problem.joints):
            own = slice(first, first + len(joint.dofs))
            if k in problem.free_joints:
                found[:, own] = q[:, own]
            first = own.stop
        return found, np.abs(q)
    if not problem.matrix.size:
        return q, np.abs(q)
    unit = problem.units()
    matrix, away = problem.matrix / unit[:, None], (q - problem.base) / unit
    x = np.linalg.lstsq(matrix, away.T, rcond=None)[0]
    x += np.linalg.lstsq(matrix, away.T - matrix @ x, rcond=None)[0]  # a dof at 1e11 m blurs the others at first
    return problem.base + unit * (matrix @ x).T, unit * (np.abs(matrix) @ np.abs(x)).T


def errors(problem: RandomProblem, goal: RandomGoal, q: Array, target: Array) -> tuple[Array, Array]:
    """How far a goal is from met at poses (poses, dofs) with targets (poses, 3): errors and tolerances, m or rad.

    Of a goal with two parts, those of the part further from met.
    """
    turns, points = frames(problem, q)
    sites = {site.name: k for k, site in enumerate(problem.sites)}
    k = sites[goal.site]
    site = problem.sites[k]
    here = points[:, site.joint] + turns[:, site.joint] @ site.point
    x, y = turns[:, site.joint] @ site.x, turns[:, site.joint] @ site.y
    length = 1e-4 * reach(problem, goal.site) if goal.tolerance is None else goal.tolerance
    angle = np.radians(0.1) if goal.tolerance is None else goal.tolerance
    away = here - target
    far = np.linalg.norm(away, axis=1)
    every = np.ones(len(q))
    if goal.kind == "position":
        return far, length * every
    if goal.kind == "together":
        return np.linalg.norm(here - _place(problem, goal.partner, turns, points), axis=1), length * every
    if goal.kind == "orientation":
        return _turn(x, y, goal), angle * every
    if goal.kind == "direction":
        return _angle(x, goal.x), angle * every
    if goal.kind == "placement":
        turned = _turn(x, y, goal)
        further = turned / np.radians(0.1) > far / length
        return np.where(further, turned, far), np.where(further, np.radians(0.1), length)
    if goal.kind == "aim":  # undefined where the site is
        return np.where(far < 1e-9 * reach(problem, goal.site), np.inf, _angle(x, -away)), angle * every
    if goal.kind == "line":
        return np.linalg.norm(away - np.outer(away @ goal.x, goal.x), axis=1), length * every
    if goal.kind == "plane":
        return np.abs(away @ goal.x), length * every
    if goal.kind == "half_space":
        return np.maximum(0.0, -(away @ goal.x)), length * every
    if goal.kind == "distance":
        return np.abs(far - goal.distance), length * every
    if goal.kind == "any_of":
        other = np.linalg.norm(here - (target + goal.distance * goal.x), axis=1)
        return np.minimum(far, other), length * every
    masses = np.array([joint.mass for joint in problem.joints])
    centres = np.stack([points[:, j] + turns[:, j] @ joint.centre for j, joint in enumerate(problem.joints)], axis=1)
    gap = np.einsum("j,pjk->pk", masses / masses.sum(), centres) - target
    if goal.tolerance is None:
        length = 1e-4 * reach(problem, None)
    if goal.kind == "mass":
        return np.linalg.norm(gap, axis=1), length * every
    assert goal.kind == "balance", goal.kind
    return np.hypot(gap[:, 0], gap[:, 2]), length * every


def rounding(problem: RandomProblem, goal: RandomGoal, q: Array, target: Array) -> Array:
    """(poses,): by how much two ways to compute an error may differ, m or rad."""
    slides = np.array([dof.kind == "slide" for dof in problem.dofs])
    largest = 10.0 * problem.size + np.abs(q[:, slides]).sum(axis=1, initial=0.0) + np.abs(target).sum(axis=1)
    if goal.kind in ("orientation", "direction"):
        return np.full(len(q), 1e-9)
    if goal.kind != "aim":
        return np.maximum(1e-12 * largest, 1e-9 if goal.kind == "placement" else 0.0)
    turns, points = frames(problem, q)
    far = np.linalg.norm(_place(problem, goal.site, turns, points) - target, axis=1)
    return 1e-9 + 1e-13 * largest / np.maximum(far, 1e-300)


def frames(problem: RandomProblem, q: Array) -> tuple[Array, Array]:
    """World rotations (poses, joints, 3, 3) and origins (poses, joints, 3) of all joints."""
    n = len(q)
    turns, points = np.zeros((n, len(problem.joints), 3, 3)), np.zeros((n, len(problem.joints), 3))
    d = 0
    for k, joint in enumerate(problem.joints):
        place = np.tile(joint.offset, (n, 1))
        if joint.replaces_offset:  # only with slides along all three axes
            place[:] = 0.0
        turn = np.tile(_matrix(joint.rest), (n, 1, 1))
        ball = []
        for dof in joint.dofs:
            if dof.kind == "slide":
                place += q[:, d, None] * np.array(dof.axis)
            elif dof.kind == "hinge":
                turn = turn @ _exp(q[:, d, None] * np.array(dof.axis))
            else:
                ball.append(q[:, d])
            d += 1
        if ball:
            turn = turn @ _exp(np.stack(ball, axis=1))
        if joint.parent < 0:
            turns[:, k], points[:, k] = turn, place
        else:
            above = turns[:, joint.parent]
            turns[:, k] = above @ turn
            points[:, k] = points[:, joint.parent] + np.einsum("pij,pj->pi", above, place)
    return turns, points


def reach(problem: RandomProblem, site: str | None) -> float:
    """Length of the chain from the root to a site (m); without one, of the longest chain."""
    lengths = []
    for joint in problem.joints:
        rest = np.array([dof.rest for dof in joint.dofs if dof.kind == "slide"])
        bone = np.linalg.norm(rest if joint.replaces_offset else joint.offset)
        lengths.append(0.0 if joint.parent < 0 else lengths[joint.parent] + float(bone))
    if site is None:
        return max(lengths)
    own = next(one for one in problem.sites if one.name == site)
    return float(np.linalg.norm(own.point)) + lengths[own.joint]


def _place(problem: RandomProblem, name: str, turns: Array, points: Array) -> Array:
    site = next(site for site in problem.sites if site.name == name)
    return points[:, site.joint] + turns[:, site.joint] @ site.point


def _turn(x: Array, y: Array, goal: RandomGoal) -> Array:
    """The angle between the frame of two axes (poses, 3) and the wanted one (rad)."""
    have = np.stack([x, y, np.cross(x, y)], axis=-1)
    want = np.stack([goal.x, goal.y, np.cross(goal.x, goal.y)], axis=-1)
    missing = np.swapaxes(have, 1, 2) @ want
    odd = missing - np.swapaxes(missing, 1, 2)
    sine = 0.5 * np.sqrt(odd[:, 0, 1] ** 2 + odd[:, 0, 2] ** 2 + odd[:, 1, 2] ** 2)
    return np.arctan2(sine, 0.5 * (np.trace(missing, axis1=1, axis2=2) - 1.0))


def _angle(u: Array, v: Array) -> Array:
    """Between vectors (poses, 3) of any length (rad)."""
    v = np.broadcast_to(v, u.shape)
    return np.arctan2(np.linalg.norm(np.cross(u, v), axis=1), (u * v).sum(axis=1))


def _exp(w: Array) -> Array:
    """Rotations (poses, 3, 3) of rotation vectors (poses, 3)."""
    angle = np.linalg.norm(w, axis=1)[:, None, None]
    cross = np.zeros((len(w), 3, 3))
    cross[:, 2, 1], cross[:, 0, 2], cross[:, 1, 0] = w.T
    cross -= np.swapaxes(cross, 1, 2)
    half = 0.5 * angle
    return np.eye(3) + np.sinc(angle / np.pi) * cross + 0.5 * np.sinc(half / np.pi) ** 2 * (cross @ cross)


def _matrix(wxyz: Array) -> Array:
    w, x, y, z = wxyz
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
