"""Analytic Jacobians: a column is `axis x (point - origin)`, only along the chain from the root to the site.

Shapes: axes (dofs, 3) as written by `place`, Jacobians (rows, dofs).
"""

from __future__ import annotations

import numpy as np

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.frames import place, site_in_world
from posewright.kernels.tables import SLIDE, Array, Table


@kernel
def site_jacobians_all(joints: Table, dofs: Table, sites: Table, q: Array, out: Array) -> None:
    """Jacobians (frames, sites, 9, dofs) of each site's point, x axis and y axis, into an `out` of zeros."""
    n_joints = joints.shape[0]
    rotations = np.empty((n_joints, 3, 3))
    positions = np.empty((n_joints, 3))
    axes = np.empty((dofs.shape[0], 3))
    r = np.empty((3, 3))  # point, x axis and y axis in the world
    for frame in range(q.shape[0]):
        place(joints, dofs, q[frame], rotations, positions, axes)
        for k in range(sites.shape[0]):
            site = sites[k]
            site_in_world(
                rotations, positions, site["joint"], site["point"], site["x_axis"], site["y_axis"], r[0], r[1], r[2]
            )
            j = site["joint"]
            while j >= 0:
                first = joints[j]["first"]
                last = first + joints[j]["slides"] + joints[j]["hinges"] + 3 * joints[j]["ball"]
                for d in range(first, last):
                    u, v, w = axes[d, 0], axes[d, 1], axes[d, 2]
                    column = out[frame, k, :, d]
                    if dofs[d]["kind"] == SLIDE:
                        column[0], column[1], column[2] = u, v, w
                        continue
                    for part in range(3):
                        x, y, z = r[part, 0], r[part, 1], r[part, 2]
                        if part == 0:
                            x, y, z = x - positions[j, 0], y - positions[j, 1], z - positions[j, 2]
                        column[3 * part] = v * z - w * y
                        column[3 * part + 1] = w * x - u * z
                        column[3 * part + 2] = u * y - v * x
                j = joints[j]["parent"]


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
