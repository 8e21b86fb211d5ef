"""Numbers in glTF buffers: read from accessors of any layout, and appended when a document is written."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array
from posewright.errors import InvalidMotion
from posewright.formats.gltf.document import GltfFile
from posewright.formats.gltf.nodes import BEYOND
from posewright.formats.gltf.schema import WIDTHS, SparseView

FLOAT, UNSIGNED_BYTE, UNSIGNED_SHORT, UNSIGNED_INT = 5126, 5121, 5123, 5125
VERTICES, INDICES = 34962, 34963
"""Targets of buffer views."""

_DTYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}


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
    count, width, dtype = accessor.count, WIDTHS[kind], np.dtype(_DTYPES[accessor.componentType])
    file.budget.take(count * width * (8 + dtype.itemsize), f"{what} of {count:,} elements")
    if accessor.bufferView is None:
        raw = np.zeros((count, width), dtype)
    else:
        place = SparseView(bufferView=accessor.bufferView, byteOffset=accessor.byteOffset)
        raw = _elements(file, place, count, width, dtype, what)
    if (sparse := accessor.sparse) is not None:
        if sparse.count > count:
            raise file.problem(f"{what} replaces {sparse.count} of its {count} elements")
        integer = np.dtype(_DTYPES[sparse.indices.componentType])
        at = _elements(file, sparse.indices, sparse.count, 1, integer, f"{what}, indices")[:, 0].astype(np.int64)
        if at.max() >= count:
            raise file.problem(f"{what} replaces element {int(at.max())}; it has {count}")
        raw = np.array(raw)
        raw[at] = _elements(file, sparse.values, sparse.count, width, dtype, f"{what}, values")
    values: Array = raw.astype(np.float64)
    if accessor.normalized and dtype.kind in "iu":
        values = np.maximum(values / np.iinfo(dtype).max, -1.0)
    if not np.isfinite(values).all():
        element = int(np.argwhere(~np.isfinite(values))[0, 0])
        raise file.problem(f"{what} has a value that is not finite at element {element}")
    return values


def _elements(
    file: GltfFile, place: SparseView, count: int, width: int, dtype: np.dtype[Any], what: str
) -> npt.NDArray[Any]:
    views = file.model.bufferViews
    if place.bufferView >= len(views):
        raise file.problem(f"{what} refers to buffer view {place.bufferView}; there are {len(views)}")
    view = views[place.bufferView]
    packed = next((name for name in view.extensions if "compression" in name.lower()), None)
    if packed is not None or view.buffer != 0:
        raise file.problem(
            f"{what} is packed with {packed or 'an extension'}, which Posewright does not unpack; "
            "only meshes may be packed, not the skeleton or its animation"
        )
    size = width * dtype.itemsize
    stride = view.byteStride or size
    last = place.byteOffset + (count - 1) * stride + size
    if last > view.byteLength or stride < size:
        raise file.problem(f"{what} needs {last} bytes of buffer view {place.bufferView}, which has {view.byteLength}")
    start = view.byteOffset + place.byteOffset
    return np.ndarray((count, width), dtype, file.binary, start, strides=(stride, dtype.itemsize))


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
            array = np.ascontiguousarray(values, dtype=_DTYPES[component]).reshape(-1, WIDTHS[kind])
        if component == FLOAT and not np.isfinite(array).all():
            raise InvalidMotion(BEYOND)
        self._binary += b"\0" * (-len(self._binary) % 4)
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self._binary), "byteLength": array.nbytes}
        if target is not None:
            view["target"] = target
        self._binary += array.tobytes()
        views: list[Any] = self.document.setdefault("bufferViews", [])
        views.append(view)
        accessor: dict[str, Any] = {
            "bufferView": len(views) - 1,
            "componentType": component,
            "count": len(array),
            "type": kind,
        }
        if bounds:
            accessor |= {"min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist()}
        accessors: list[Any] = self.document.setdefault("accessors", [])
        accessors.append(accessor)
        return len(accessors) - 1
