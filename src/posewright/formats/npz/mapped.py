"""Arrays too large to be read: .npz archives, not compressed, whose numbers lie where memory can be mapped to them.

Any program that reads .npz reads them. Numbers begin at multiples of 64 bytes, by a padding field in the archive's
headers; nothing is unpickled, and what a header promises is checked against the size of the file. Arrays that are read
are compared with the checksums of the archive; those that are mapped are so by `verify`, which reads them.
"""

from __future__ import annotations

import io
import mmap
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from posewright.errors import FileProblem
from posewright.formats.atomic import replacing
from posewright.formats.npz.arrays import NpzArrays

Number = TypeVar("Number", bound=np.generic)

_ALIGNED = 64
_PADDING = 0xD935  # the number of the field by which other tools align archives
_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_LARGE_SIZES = 20  # bytes that `force_zip64` adds to a header
_AT_ONCE = 2**24  # bytes


def write_mapped(path: str | Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays; an interrupted write leaves the old file or the new one."""
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            _write(archive, name, array)


def _write(archive: zipfile.ZipFile, name: str, array: npt.NDArray[Any]) -> None:
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(array))
    info = zipfile.ZipInfo(f"{name}.npy")
    info.external_attr = 0o644 << 16
    position = cast("IO[bytes]", archive.fp).tell()
    fixed = _LOCAL_HEADER.size + len(info.filename) + _LARGE_SIZES + 4 + len(header.getvalue())
    padding = -(position + fixed) % _ALIGNED
    info.extra = struct.pack("<HH", _PADDING, padding) + bytes(padding)
    rows = array.reshape(1) if array.ndim == 0 else array
    step = max(1, _AT_ONCE // max(1, rows[:1].nbytes))
    with archive.open(info, "w", force_zip64=True) as file:
        file.write(header.getvalue())
        for first in range(0, len(rows), step):
            file.write(rows[first : first + step].tobytes())


class _Memory(mmap.mmap):
    def seekable(self) -> bool:  # asked by zipfile; mmap itself tells only since Python 3.13
        return True


class MappedNpz(NpzArrays):
    """The arrays of a file by name: small ones read, large ones mapped."""

    def _bytes(self) -> IO[bytes]:
        try:
            with self.path.open("rb") as file:
                self._memory = _Memory(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:  # an empty file cannot be mapped
            return io.BytesIO()
        return cast("IO[bytes]", self._memory)

    def mapped(self, name: str, dtype: type[Number], shape: tuple[int | None, ...]) -> npt.NDArray[Number]:
        """An array as it lies in the file, read-only; None in `shape` accepts any length."""
        if name not in self._members:
            raise FileProblem(self.path, f"lacks the array {name!r}; it has {', '.join(self._members) or 'none'}")
        info = self._members[name]
        begin = self._begin(name)
        head = io.BytesIO(self._memory[begin : begin + min(info.file_size, 65536)])
        try:
            version = np.lib.format.read_magic(head)
            read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            found, by_columns, of_type = read(head)
        except Exception as error:  # a damaged header makes numpy raise nearly anything, even SyntaxError
            reason = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
            raise FileProblem(self.path, f"its array {name!r} cannot be read: {reason}") from None
        fits = len(found) == len(shape) and all(want in (None, n) for n, want in zip(found, shape, strict=True))
        if not fits or of_type != np.dtype(dtype) or by_columns:
            wanted = " x ".join("any" if n is None else str(n) for n in shape)
            raise FileProblem(
                self.path,
                f"its array {name!r} is {of_type} of shape {found}; it must be {wanted} of {np.dtype(dtype)}",
            )
        count = int(np.prod(found, dtype=object))
        begin += head.tell()
        size = count * of_type.itemsize
        if size != info.file_size - head.tell() or begin + size > len(self._memory):
            raise FileProblem(self.path, f"its array {name!r} is cut off: {found} numbers do not fit into the file")
        values: npt.NDArray[Number] = np.frombuffer(self._memory, dtype=dtype, count=count, offset=begin).reshape(found)
        return values

    def verify(self, *names: str) -> None:
        """Compare the bits of mapped arrays with the checksums of the archive: all of them are read.

        Raises:
            FileProblem: an array is not as it was written.
        """
        for name in names:
            begin, left, found = self._begin(name), self._members[name].file_size, 0
            while left > 0:
                found = zlib.crc32(self._memory[begin : begin + min(left, _AT_ONCE)], found)
                begin, left = begin + _AT_ONCE, left - _AT_ONCE
            if found != self._members[name].CRC:
                raise FileProblem(self.path, f"its array {name!r} is damaged: the checksum is not that of its numbers")

    def _begin(self, name: str) -> int:
        """Where the bytes of an array that can be mapped begin."""
        info = self._members[name]
        local = self._memory[info.header_offset : info.header_offset + _LOCAL_HEADER.size]
        if info.compress_type != zipfile.ZIP_STORED or len(local) < _LOCAL_HEADER.size:
            raise FileProblem(self.path, f"its array {name!r} is compressed or cut off; it cannot be mapped")
        _, *_, name_length, extra_length = _LOCAL_HEADER.unpack(local)
        return int(info.header_offset + _LOCAL_HEADER.size + name_length + extra_length)
