"""The triangles of a primitive: lists, strips and fans, with or without indices."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from posewright.formats.gltf.accessors import read_accessor
from posewright.formats.gltf.document import GltfFile
from posewright.formats.gltf.mesh_schema import Primitive

_TRIANGLES, _STRIP, _FAN = 4, 5, 6


def triangles_of(file: GltfFile, primitive: Primitive, points: int) -> npt.NDArray[np.uint32]:
    """(triangles, 3), none for points and lines.

    Raises:
        FileProblem: they refer to points that are not there.
    """
    if primitive.mode not in (_TRIANGLES, _STRIP, _FAN):
        return np.zeros((0, 3), np.uint32)
    if primitive.indices is None:
        corners = np.arange(points, dtype=np.int64)
    else:
        corners = read_accessor(file, primitive.indices, "SCALAR", "indices")[:, 0].astype(np.int64)
        if corners.min() < 0 or corners.max() >= points:
            raise file.problem(f"its triangles use point {int(corners.max())}; it has {points}")
    if primitive.mode == _TRIANGLES:
        found = corners[: len(corners) // 3 * 3].reshape(-1, 3)
    elif len(corners) < 3:
        found = np.zeros((0, 3), np.int64)
    elif primitive.mode == _FAN:
        found = np.column_stack([np.full(len(corners) - 2, corners[0]), corners[1:-1], corners[2:]])
    else:
        found = np.column_stack([corners[:-2], corners[1:-1], corners[2:]])
        found[1::2] = found[1::2, [1, 0, 2]]  # every other one is the other way round
    return found.astype(np.uint32)
