"""Numbers in glTF buffers: read from accessors of any layout, and appended when a document is written."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array
from posewright.errors import InvalidMotion
from posewright.formats.gltf.container import GltfFile
from posewright.formats.gltf.node_tree import BEYOND
from posewright.formats.gltf.schema import Accessor

FLOAT, UNSIGNED_BYTE, UNSIGNED_SHORT, UNSIGNED_INT = 5126, 5121, 5123, 5125
VERTICES, INDICES = 34962, 34963
"""Targets of buffer views."""

_DTYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_MOST_NUMBERS = 200_000_000  # a count alone, without data behind it, must not fill the memory


def read_accessor(file: GltfFile, index: int, kind: str, what: str) -> Array:
    """The numbers (count, width) of an accessor, normalised integers as fractions.

    Args:
        file: the document.
        index: which accessor.
        kind: the type that is expected, such as "VEC3".
        what: what it is for, for messages.

    Raises:
        FileProblem: no such accessor, another type, data outside its buffer, or a value that is not finite.
    """
    accessors = file.model.accessors
    if index >= len(accessors):
        raise file.problem(f"{what} refers to accessor {index}; there are {len(accessors)}")
    accessor = accessors[index]
    what = f"accessor {index} ({what})"
    if accessor.type != kind:
        raise file.problem(f"{what} is {accessor.type[:20]}; it must be {kind}")
    width = _WIDTHS[kind]
    if accessor.count * width > _MOST_NUMBERS:
        raise file.problem(f"{what} has {accessor.count} elements, more than Posewright reads at once")
    dtype = np.dtype(_DTYPES[accessor.componentType])
    if accessor.bufferView is None:
        raw = np.zeros((accessor.count, width), dtype)
    else:
        raw = _elements(file, accessor.bufferView, accessor.byteOffset, accessor.count, width, dtype, what)
    if accessor.sparse is not None:
        raw = _with_sparse(file, accessor, raw, width, dtype, what)
    values: Array = raw.astype(np.float64)
    if accessor.normalized and dtype.kind in "iu":
        values = np.maximum(values / np.iinfo(dtype).max, -1.0)
    if not np.isfinite(values).all():
        raise file.problem(
            f"{what} has a value that is not finite at element {int(np.argwhere(~np.isfinite(values))[0, 0])}"
        )
    return values


def _elements(
    file: GltfFile, view_index: int, offset: int, count: int, width: int, dtype: np.dtype[Any], what: str
) -> npt.NDArray[Any]:
    views = file.model.bufferViews
    if view_index >= len(views):
        raise file.problem(f"{what} refers to buffer view {view_index}; there are {len(views)}")
    view = views[view_index]
    packed = next((name for name in view.extensions if "compression" in name.lower()), None)
    if packed is not None or view.buffer != 0:
        raise file.problem(
            f"{what} is packed with {packed or 'an extension'}, which Posewright does not unpack; "
            "only meshes may be packed, not the skeleton or its animation"
        )
    size = width * dtype.itemsize
    stride = view.byteStride or size
    last = offset + (count - 1) * stride + size
    if last > view.byteLength or stride < size:
        raise file.problem(f"{what} needs {last} bytes of buffer view {view_index}, which has {view.byteLength}")
    return np.ndarray((count, width), dtype, file.binary, view.byteOffset + offset, strides=(stride, dtype.itemsize))


def _with_sparse(
    file: GltfFile, accessor: Accessor, raw: npt.NDArray[Any], width: int, dtype: np.dtype[Any], what: str
) -> npt.NDArray[Any]:
    sparse = accessor.sparse
    if sparse is None:
        return raw
    if sparse.count > accessor.count:
        raise file.problem(f"{what} replaces {sparse.count} of its {accessor.count} elements")
    at, values = sparse.indices, sparse.values
    places = _elements(
        file, at.bufferView, at.byteOffset, sparse.count, 1, np.dtype(_DTYPES[at.componentType]), f"{what}, indices"
    )[:, 0].astype(np.int64)
    if places.max() >= accessor.count:
        raise file.problem(f"{what} replaces element {int(places.max())}; it has {accessor.count}")
    changed = np.array(raw)
    changed[places] = _elements(
        file, values.bufferView, values.byteOffset, sparse.count, width, dtype, f"{what}, values"
    )
    return changed


class Appender:
    """Adds buffer views and accessors to a document's lists and its binary."""

    def __init__(self, document: dict[str, Any], binary: bytes) -> None:
        self.document = document
        self._binary = bytearray(binary)

    @property
    def binary(self) -> bytes:
        """The buffer so far."""
        return bytes(self._binary)

    def add(
        self,
        values: npt.ArrayLike,
        kind: str,
        component: int = FLOAT,
        *,
        target: int | None = None,
        bounds: bool = False,
    ) -> int:
        """Append an array (count, width) or (count,) and return its accessor's index.

        Args:
            values: the numbers.
            kind: "SCALAR", "VEC3", ...
            component: how each is stored.
            target: `VERTICES` or `INDICES` for mesh data.
            bounds: whether to state the smallest and largest values, as times and positions must.
        """
        with np.errstate(over="ignore"):  # refused below, in one sentence
            array = np.ascontiguousarray(values, dtype=_DTYPES[component]).reshape(-1, _WIDTHS[kind])
        if component == FLOAT and not np.isfinite(array).all():
            raise InvalidMotion(BEYOND)
        self._binary += b"\0" * (-len(self._binary) % 4)
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self._binary), "byteLength": array.nbytes}
        if target is not None:
            view["target"] = target
        self._binary += array.tobytes()
        views = self.document.setdefault("bufferViews", [])
        views.append(view)
        accessor: dict[str, Any] = {
            "bufferView": len(views) - 1,
            "componentType": component,
            "count": len(array),
            "type": kind,
        }
        if bounds:
            accessor["min"] = array.min(axis=0).tolist()
            accessor["max"] = array.max(axis=0).tolist()
        accessors: list[dict[str, Any]] = self.document.setdefault("accessors", [])
        accessors.append(accessor)
        return len(accessors) - 1
