"""Analytic Jacobians: a column is `axis x (point - origin)`, only along the chain from the root to the site.

Shapes: points (sites, 3), axes (dofs, 3) as written by `kinematics.place`, Jacobians (rows, dofs).
"""

from __future__ import annotations

import numpy as np

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.frames import place, site_frame
from posewright.kernels.tables import SLIDE, Array, Table


@kernel
def point_jacobian(
    joints: Table, dofs: Table, joint: int, point: Array, positions: Array, axes: Array, out: Array
) -> None:
    """Derivative (3, dofs) of a world point that rides on `joint`."""
    out[:, :] = 0.0
    j = joint
    while j >= 0:
        first = joints[j]["first"]
        last = first + joints[j]["slides"] + joints[j]["hinges"] + 3 * joints[j]["ball"]
        x, y, z = point[0] - positions[j, 0], point[1] - positions[j, 1], point[2] - positions[j, 2]
        for d in range(first, last):
            u, v, w = axes[d, 0], axes[d, 1], axes[d, 2]
            if dofs[d]["kind"] == SLIDE:
                out[0, d], out[1, d], out[2, d] = u, v, w
            else:
                out[0, d], out[1, d], out[2, d] = v * z - w * y, w * x - u * z, u * y - v * x
        j = joints[j]["parent"]


@kernel
def direction_jacobian(joints: Table, dofs: Table, joint: int, direction: Array, axes: Array, out: Array) -> None:
    """Derivative (3, dofs) of a world direction fixed to `joint`."""
    out[:, :] = 0.0
    x, y, z = direction[0], direction[1], direction[2]
    j = joint
    while j >= 0:
        first = joints[j]["first"]
        last = first + joints[j]["slides"] + joints[j]["hinges"] + 3 * joints[j]["ball"]
        for d in range(first, last):
            if dofs[d]["kind"] != SLIDE:
                u, v, w = axes[d, 0], axes[d, 1], axes[d, 2]
                out[0, d], out[1, d], out[2, d] = v * z - w * y, w * x - u * z, u * y - v * x
        j = joints[j]["parent"]


@kernel
def site_jacobians_all(joints: Table, dofs: Table, sites: Table, q: Array, out: Array) -> None:
    """Jacobians (frames, sites, 9, dofs) of each site's point, x axis and y axis."""
    n_joints = joints.shape[0]
    rotations = np.empty((n_joints, 3, 3))
    positions = np.empty((n_joints, 3))
    axes = np.empty((dofs.shape[0], 3))
    point, x, y = np.empty(3), np.empty(3), np.empty(3)
    for frame in range(q.shape[0]):
        place(joints, dofs, q[frame], rotations, positions, axes)
        for k in range(sites.shape[0]):
            j = sites[k]["joint"]
            site_frame(sites, k, rotations, positions, point, x, y)
            point_jacobian(joints, dofs, j, point, positions, axes, out[frame, k, 0:3])
            direction_jacobian(joints, dofs, j, x, axes, out[frame, k, 3:6])
            direction_jacobian(joints, dofs, j, y, axes, out[frame, k, 6:9])


@kernel
def centre_of_mass_jacobian(
    joints: Table, dofs: Table, rotations: Array, positions: Array, axes: Array, out: Array
) -> None:
    """Derivative (3, dofs) of the centre of mass: each dof moves the mass of the subtree below it."""
    n_joints = joints.shape[0]
    mass = np.empty(n_joints)
    moment = np.empty((n_joints, 3))  # mass times centre, of the subtree
    total = 0.0
    for j in range(n_joints):
        m = joints[j]["mass"]
        c = joints[j]["centre"]
        mass[j] = m
        total += m
        for i in range(3):
            R = rotations[j, i]
            moment[j, i] = m * (positions[j, i] + R[0] * c[0] + R[1] * c[1] + R[2] * c[2])
    for j in range(n_joints - 1, -1, -1):
        parent = joints[j]["parent"]
        if parent >= 0:
            mass[parent] += mass[j]
            for i in range(3):
                moment[parent, i] += moment[j, i]
        first = joints[j]["first"]
        last = first + joints[j]["slides"] + joints[j]["hinges"] + 3 * joints[j]["ball"]
        x = (moment[j, 0] - mass[j] * positions[j, 0]) / total
        y = (moment[j, 1] - mass[j] * positions[j, 1]) / total
        z = (moment[j, 2] - mass[j] * positions[j, 2]) / total
        share = mass[j] / total
        for d in range(first, last):
            u, v, w = axes[d, 0], axes[d, 1], axes[d, 2]
            if dofs[d]["kind"] == SLIDE:
                out[0, d], out[1, d], out[2, d] = share * u, share * v, share * w
            else:
                out[0, d], out[1, d], out[2, d] = v * z - w * y, w * x - u * z, u * y - v * x


@kernel
def centre_of_mass_jacobian_all(joints: Table, dofs: Table, q: Array, out: Array) -> None:
    """Jacobians (frames, 3, dofs) of the centre of mass."""
    rotations = np.empty((joints.shape[0], 3, 3))
    positions = np.empty((joints.shape[0], 3))
    axes = np.empty((dofs.shape[0], 3))
    for frame in range(q.shape[0]):
        place(joints, dofs, q[frame], rotations, positions, axes)
        centre_of_mass_jacobian(joints, dofs, rotations, positions, axes, out[frame])
