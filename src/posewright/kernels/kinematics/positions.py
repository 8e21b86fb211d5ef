"""World positions of joints over many frames, a block of frames at a time.

What `kinematics.place` does for one frame after another is done here for a row of frames at once, so that the compiler
uses vector instructions: the same operations and the same numbers in half the time. Rows are reached by indices into
whole arrays, because every slice of an array costs as much as some frames.
"""

from __future__ import annotations

import numpy as np

from posewright.kernels.compiling.jit import kernel
from posewright.kernels.kinematics.trigonometry import sines_and_cosines
from posewright.kernels.rotations import exp_factors, turned_row
from posewright.kernels.tables import HINGE, HINGE_X, Array, Table

_WIDEST = 64  # frames in a block: rows long enough for vectors, few enough to stay in a near cache
_NARROWEST = 8
_MOST = 8192  # joints times frames in a block of a large figure


@kernel
def positions_all(joints: Table, dofs: Table, q: Array, positions: Array) -> None:
    """World positions (frames, joints, 3) of all joints for `q` (frames, dofs)."""
    n_frames, n_joints = positions.shape[0], positions.shape[1]
    width = min(n_frames, min(_WIDEST, max(_NARROWEST, _MOST // n_joints)))
    if width == 0:
        return
    is_parent = np.zeros(n_joints + 1, np.uint8)  # only their rotations are needed
    for j in range(n_joints):
        is_parent[joints[j]["parent"]] = 1
    # The last frame is the world's: a root's parent, -1, finds it there.
    rotations = np.zeros((n_joints + 1, 9, width))
    places = np.zeros((n_joints + 1, 3, width))
    for k in range(3):
        for i in range(width):
            rotations[n_joints, 4 * k, i] = 1.0
    shift, turns = np.empty((3, width)), np.empty((width, 5))
    angles, sines, cosines = np.empty(width), np.empty(width), np.empty(width)
    for block in range(0, n_frames, width):
        first = min(block, n_frames - width)  # the last block begins earlier instead of being narrower
        for j in range(n_joints):
            joint = joints[j]
            parent = joint["parent"] if joint["parent"] >= 0 else n_joints
            d = joint["first"]
            offset = joint["offset"]
            for i in range(width):
                shift[0, i], shift[1, i], shift[2, i] = offset[0], offset[1], offset[2]
            for _ in range(joint["slides"]):
                axis = dofs[d]["axis"]
                for i in range(width):
                    value = q[first + i, d]
                    shift[0, i] += axis[0] * value
                    shift[1, i] += axis[1] * value
                    shift[2, i] += axis[2] * value
                d += 1
            for k in range(3):
                for i in range(width):
                    places[j, k, i] = (
                        places[parent, k, i]
                        + rotations[parent, 3 * k, i] * shift[0, i]
                        + rotations[parent, 3 * k + 1, i] * shift[1, i]
                        + rotations[parent, 3 * k + 2, i] * shift[2, i]
                    )
            if not is_parent[j]:
                continue
            rest = joint["rest"]
            for k in range(9):
                row, column = k - k % 3, k % 3
                if joint["turned"]:
                    for i in range(width):
                        rotations[j, k, i] = (
                            rotations[parent, row, i] * rest[column]
                            + rotations[parent, row + 1, i] * rest[3 + column]
                            + rotations[parent, row + 2, i] * rest[6 + column]
                        )
                else:
                    for i in range(width):
                        rotations[j, k, i] = rotations[parent, k, i]
            for _ in range(joint["hinges"]):
                kind, axis = dofs[d]["kind"], dofs[d]["axis"]
                for i in range(width):
                    angles[i] = q[first + i, d]
                sines_and_cosines(angles, sines, cosines)
                if kind == HINGE:
                    for i in range(width):
                        turns[i, 0], turns[i, 1], turns[i, 2] = axis[0], axis[1], axis[2]
                        turns[i, 3], turns[i, 4] = sines[i], 1.0 - cosines[i]
                    _turn(rotations, j, turns)
                else:
                    about = kind - HINGE_X
                    one, other = (about + 1) % 3, (about + 2) % 3
                    if axis[about] < 0.0:
                        one, other = other, one
                    for row in range(0, 9, 3):
                        for i in range(width):
                            u, v = rotations[j, row + one, i], rotations[j, row + other, i]
                            rotations[j, row + one, i] = cosines[i] * u + sines[i] * v
                            rotations[j, row + other, i] = cosines[i] * v - sines[i] * u
                d += 1
            if joint["ball"]:
                for i in range(width):
                    x, y, z = q[first + i, d], q[first + i, d + 1], q[first + i, d + 2]
                    f, g, _ = exp_factors(x, y, z)
                    turns[i, 0], turns[i, 1], turns[i, 2], turns[i, 3], turns[i, 4] = x, y, z, f, g
                _turn(rotations, j, turns)
        for i in range(width):
            for j in range(n_joints):
                for k in range(3):
                    positions[first + i, j, k] = places[j, k, i]


@kernel
def _turn(rotations: Array, j: int, turns: Array) -> None:
    """Turn the frames of a joint by I + f[w] + g[w]²; a row of `turns` is w, f, g."""
    for i in range(turns.shape[0]):
        x, y, z, f, g = turns[i, 0], turns[i, 1], turns[i, 2], turns[i, 3], turns[i, 4]
        for row in range(0, 9, 3):
            rotations[j, row, i], rotations[j, row + 1, i], rotations[j, row + 2, i] = turned_row(
                rotations[j, row, i], rotations[j, row + 1, i], rotations[j, row + 2, i], x, y, z, f, g
            )
