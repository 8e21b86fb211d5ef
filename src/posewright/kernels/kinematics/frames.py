"""Forward kinematics: world frames of all joints, and the world axis of every dof, in one pass down the tree.

Shapes: q (dofs,), rotations (joints, 3, 3), positions (joints, 3), axes (dofs, 3); with `_all` a leading frames axis.
"""

from __future__ import annotations

import numpy as np

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.rotations import exp_factors, sines_and_cosines, turned_row
from posewright.kernels.tables import HINGE_X, HINGE_Y, HINGE_Z, Array, Table


@kernel
def place(joints: Table, dofs: Table, q: Array, rotations: Array, positions: Array, axes: Array) -> None:
    """World frames of all joints; `axes` gets the world axis of every dof unless it is empty.

    The axis of a hinge is the line it turns about, of a slide the line it moves along, of a ball's component k
    the column k of `world_from_rest · J_l(w)`: the rate of turn per unit of that component.
    """
    wanted = axes.shape[0] > 0
    trig = np.empty((2, q.shape[0]))  # of all dofs at once: vector instructions make the unused ones free
    sines_and_cosines(q, trig[0], trig[1])
    for j in range(joints.shape[0]):
        joint = joints[j]
        parent = joint["parent"]
        offset = joint["offset"]
        dx, dy, dz = offset[0], offset[1], offset[2]
        d = joint["first"]
        if parent >= 0:
            a0, a1, a2 = rotations[parent, 0, 0], rotations[parent, 0, 1], rotations[parent, 0, 2]
            b0, b1, b2 = rotations[parent, 1, 0], rotations[parent, 1, 1], rotations[parent, 1, 2]
            c0, c1, c2 = rotations[parent, 2, 0], rotations[parent, 2, 1], rotations[parent, 2, 2]
            px, py, pz = positions[parent, 0], positions[parent, 1], positions[parent, 2]
        else:
            a0, a1, a2, b0, b1, b2, c0, c1, c2 = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0
            px, py, pz = 0.0, 0.0, 0.0
        for _ in range(joint["slides"]):
            axis = dofs[d]["axis"]
            x, y, z = axis[0], axis[1], axis[2]
            dx += x * q[d]
            dy += y * q[d]
            dz += z * q[d]
            if wanted:
                axes[d, 0] = a0 * x + a1 * y + a2 * z
                axes[d, 1] = b0 * x + b1 * y + b2 * z
                axes[d, 2] = c0 * x + c1 * y + c2 * z
            d += 1
        positions[j, 0] = px + a0 * dx + a1 * dy + a2 * dz
        positions[j, 1] = py + b0 * dx + b1 * dy + b2 * dz
        positions[j, 2] = pz + c0 * dx + c1 * dy + c2 * dz
        if joint["turned"]:
            r = joint["rest"]
            a0, a1, a2 = (
                a0 * r[0] + a1 * r[3] + a2 * r[6],
                a0 * r[1] + a1 * r[4] + a2 * r[7],
                a0 * r[2] + a1 * r[5] + a2 * r[8],
            )
            b0, b1, b2 = (
                b0 * r[0] + b1 * r[3] + b2 * r[6],
                b0 * r[1] + b1 * r[4] + b2 * r[7],
                b0 * r[2] + b1 * r[5] + b2 * r[8],
            )
            c0, c1, c2 = (
                c0 * r[0] + c1 * r[3] + c2 * r[6],
                c0 * r[1] + c1 * r[4] + c2 * r[7],
                c0 * r[2] + c1 * r[5] + c2 * r[8],
            )
        for _ in range(joint["hinges"]):
            kind = dofs[d]["kind"]
            axis = dofs[d]["axis"]
            x, y, z = axis[0], axis[1], axis[2]
            s, c = trig[0, d], trig[1, d]
            # The axis is that of the frame before this hinge turns; its own turn leaves it where it is.
            if kind == HINGE_X:  # about x, or -x
                if wanted:
                    axes[d, 0], axes[d, 1], axes[d, 2] = x * a0, x * b0, x * c0
                s *= x
                a1, a2 = c * a1 + s * a2, c * a2 - s * a1
                b1, b2 = c * b1 + s * b2, c * b2 - s * b1
                c1, c2 = c * c1 + s * c2, c * c2 - s * c1
            elif kind == HINGE_Y:
                if wanted:
                    axes[d, 0], axes[d, 1], axes[d, 2] = y * a1, y * b1, y * c1
                s *= y
                a0, a2 = c * a0 - s * a2, c * a2 + s * a0
                b0, b2 = c * b0 - s * b2, c * b2 + s * b0
                c0, c2 = c * c0 - s * c2, c * c2 + s * c0
            elif kind == HINGE_Z:
                if wanted:
                    axes[d, 0], axes[d, 1], axes[d, 2] = z * a2, z * b2, z * c2
                s *= z
                a0, a1 = c * a0 + s * a1, c * a1 - s * a0
                b0, b1 = c * b0 + s * b1, c * b1 - s * b0
                c0, c1 = c * c0 + s * c1, c * c1 - s * c0
            else:
                if wanted:
                    axes[d, 0] = a0 * x + a1 * y + a2 * z
                    axes[d, 1] = b0 * x + b1 * y + b2 * z
                    axes[d, 2] = c0 * x + c1 * y + c2 * z
                a0, a1, a2 = turned_row(a0, a1, a2, x, y, z, s, 1.0 - c)
                b0, b1, b2 = turned_row(b0, b1, b2, x, y, z, s, 1.0 - c)
                c0, c1, c2 = turned_row(c0, c1, c2, x, y, z, s, 1.0 - c)
            d += 1
        if joint["ball"]:
            w0, w1, w2 = q[d], q[d + 1], q[d + 2]
            A, B, C = exp_factors(w0, w1, w2)
            if wanted:
                axes[d, 0], axes[d + 1, 0], axes[d + 2, 0] = turned_row(a0, a1, a2, w0, w1, w2, B, C)
                axes[d, 1], axes[d + 1, 1], axes[d + 2, 1] = turned_row(b0, b1, b2, w0, w1, w2, B, C)
                axes[d, 2], axes[d + 1, 2], axes[d + 2, 2] = turned_row(c0, c1, c2, w0, w1, w2, B, C)
            a0, a1, a2 = turned_row(a0, a1, a2, w0, w1, w2, A, B)
            b0, b1, b2 = turned_row(b0, b1, b2, w0, w1, w2, A, B)
            c0, c1, c2 = turned_row(c0, c1, c2, w0, w1, w2, A, B)
        rotations[j, 0, 0], rotations[j, 0, 1], rotations[j, 0, 2] = a0, a1, a2
        rotations[j, 1, 0], rotations[j, 1, 1], rotations[j, 1, 2] = b0, b1, b2
        rotations[j, 2, 0], rotations[j, 2, 1], rotations[j, 2, 2] = c0, c1, c2


@kernel
def place_all(joints: Table, dofs: Table, q: Array, rotations: Array, positions: Array) -> None:
    """World frames of all joints in every frame."""
    no_axes = np.empty((0, 3))
    for frame in range(q.shape[0]):
        place(joints, dofs, q[frame], rotations[frame], positions[frame], no_axes)


@kernel
def positions_all(joints: Table, dofs: Table, q: Array, positions: Array) -> None:
    """World positions alone of all joints in every frame: a quarter of the memory."""
    no_axes = np.empty((0, 3))
    rotations = np.empty((joints.shape[0], 3, 3))
    for frame in range(q.shape[0]):
        place(joints, dofs, q[frame], rotations, positions[frame], no_axes)


@kernel
def site_in_world(
    rotations: Array, positions: Array, j: int, p: Array, u: Array, v: Array, r: Array, ux: Array, uy: Array
) -> None:
    """Write the point and the two directions of a site that rides on joint j."""
    for i in range(3):
        r0, r1, r2 = rotations[j, i, 0], rotations[j, i, 1], rotations[j, i, 2]
        r[i] = positions[j, i] + r0 * p[0] + r1 * p[1] + r2 * p[2]
        ux[i] = r0 * u[0] + r1 * u[1] + r2 * u[2]
        uy[i] = r0 * v[0] + r1 * v[1] + r2 * v[2]


@kernel
def place_sites_all(sites: Table, rotations: Array, positions: Array, points: Array, xs: Array, ys: Array) -> None:
    """World points and directions (frames, sites, 3) of sites from the world frames of joints."""
    for frame in range(rotations.shape[0]):
        for k in range(sites.shape[0]):
            s, R, p = sites[k], rotations[frame], positions[frame]
            point, x, y = points[frame, k], xs[frame, k], ys[frame, k]
            site_in_world(R, p, s["joint"], s["point"], s["x_axis"], s["y_axis"], point, x, y)


@kernel
def centre_of_mass(joints: Table, rotations: Array, positions: Array, out: Array) -> float:
    """Write the centre of mass (3,) into `out` and return the total mass in kg."""
    total = 0.0
    x, y, z = 0.0, 0.0, 0.0
    for j in range(joints.shape[0]):
        m = joints[j]["mass"]
        c = joints[j]["centre"]
        R = rotations[j]
        x += m * (positions[j, 0] + R[0, 0] * c[0] + R[0, 1] * c[1] + R[0, 2] * c[2])
        y += m * (positions[j, 1] + R[1, 0] * c[0] + R[1, 1] * c[1] + R[1, 2] * c[2])
        z += m * (positions[j, 2] + R[2, 0] * c[0] + R[2, 1] * c[1] + R[2, 2] * c[2])
        total += m
    out[0], out[1], out[2] = x / total, y / total, z / total
    return total


@kernel
def centre_of_mass_all(joints: Table, rotations: Array, positions: Array, out: Array) -> None:
    """Centre of mass (frames, 3) from the world frames of joints."""
    for frame in range(rotations.shape[0]):
        centre_of_mass(joints, rotations[frame], positions[frame], out[frame])
