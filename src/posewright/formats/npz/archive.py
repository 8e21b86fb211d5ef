"""Arrays in .npz archives that may be broken or hostile: nothing is unpickled, and every failure is one sentence.

Small arrays are read and compared with the checksums of the archive. Larger ones are mapped into memory:
they are not compressed, and begin at multiples of 64 bytes by a padding field in the archive's headers, so that any
program that reads .npz reads them. What a header promises is checked against the size of the file; `verify` compares
mapped arrays with their checksums, which reads them.
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

from posewright.conventions import Array
from posewright.errors import FileProblem
from posewright.formats.atomic import replacing

Number = TypeVar("Number", bound=np.generic)
Shape = tuple[int | None, ...]
"""None accepts any length."""

_LARGEST = 4 * 2**30  # bytes of one array, unpacked
_ALIGNED = 64
_PADDING = 0xD935  # the number of the field by which other tools align archives
_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_LARGE_SIZES = 20  # bytes that `force_zip64` adds to a header
_AT_ONCE = 2**24  # bytes


def write_arrays(path: str | Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays, compressed; an interrupted write leaves the old file or the new one."""
    # Into an open file: numpy would add its suffix to a name that lacks it.
    with replacing(path) as temporary, temporary.open("wb") as file:
        named: dict[str, Any] = dict(arrays)
        np.savez_compressed(file, **named)


def write_mapped(path: str | Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays so that they can be mapped; an interrupted write leaves the old file or the new one."""
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            _write_aligned(archive, name, array)


def _write_aligned(archive: zipfile.ZipFile, name: str, array: npt.NDArray[Any]) -> None:
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
    def seekable(self) -> bool:  # asked by zipfile; mmap itself has it since Python 3.13
        return True


class NpzArchive:
    """The arrays of a file by name, each read or mapped when asked for."""

    def __init__(self, path: Path) -> None:
        """Open the archive.

        Raises:
            FileProblem: there is no such file, or it is no archive.
        """
        self.path = path
        try:
            with path.open("rb") as file:
                self._memory = _Memory(file.fileno(), 0, access=mmap.ACCESS_READ)
            self._zip = zipfile.ZipFile(cast("IO[bytes]", self._memory))
        except FileNotFoundError:
            raise FileProblem(path, "no such file") from None
        except OSError as error:
            raise FileProblem(path, f"cannot be read: {(error.strerror or str(error)).lower()}") from error
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise FileProblem(path, f"is not a .npz archive or is truncated: {str(error).lower()}") from None
        self._members = {info.filename.removesuffix(".npy"): info for info in self._zip.infolist()}

    def __contains__(self, name: str) -> bool:
        """Whether there is such an array."""
        return name in self._members

    @property
    def names(self) -> tuple[str, ...]:
        """Of the arrays, in file order."""
        return tuple(self._members)

    def require_format(self, wanted: str, version: int, remedy: str = "") -> None:
        """Refuse an archive of another format or version; `remedy` says what to do about an old one."""
        found = self.text("format") if "format" in self else "something else"
        if found != wanted:
            raise FileProblem(self.path, f"is {found[:40]!r}; {wanted!r} is read here")
        its = float(self.numbers("version", ()))
        if its != version:
            what = f"is version {its:g} of {wanted!r}; version {version} is read"
            raise FileProblem(self.path, f"{what}: {remedy}" if remedy else what)

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """An array."""
        info = self._member(name)
        if info.file_size > _LARGEST:
            raise FileProblem(self.path, f"its array {name!r} would take {info.file_size / 2**30:.0f} GB")
        try:
            data = self._zip.read(info)
            array: npt.NDArray[Any] = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
        except Exception as error:  # a damaged header makes numpy raise nearly anything, even SyntaxError
            raise self._unreadable(name, error) from None
        return array

    def numbers(self, name: str, shape: Shape) -> Array:
        """A finite float64 array."""
        array = self[name]
        if array.dtype.kind not in "fiu" or not _fits(array.shape, shape):
            raise self._unlike(name, array.dtype, array.shape, f"{_spelled(shape) or 'one'} numbers")
        values: Array = array.astype(np.float64)
        if not np.isfinite(values).all():
            where = np.argwhere(~np.isfinite(values))[:1].tolist()
            raise FileProblem(self.path, f"its array {name!r} is not finite at {where[0] if where else ''}")
        return values

    def text(self, name: str) -> str:
        """A single string."""
        array = self[name]
        if array.dtype.kind != "U" or array.size != 1:
            raise self._unlike(name, array.dtype, array.shape, "a text")
        return str(array.reshape(-1)[0])

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings."""
        array = self[name]
        if array.ndim != 1 or (array.dtype.kind != "U" and array.size):
            raise self._unlike(name, array.dtype, array.shape, "a list of texts")
        return tuple(map(str, array))

    def mapped(self, name: str, dtype: type[Number], shape: Shape) -> npt.NDArray[Number]:
        """An array as it lies in the file, read-only."""
        info = self._member(name)
        begin = self._begin(name)
        head = io.BytesIO(self._memory[begin : begin + min(info.file_size, 65536)])
        try:
            version = np.lib.format.read_magic(head)
            read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            found, by_columns, of_type = read(head)
        except Exception as error:
            raise self._unreadable(name, error) from None
        if not _fits(found, shape) or of_type != np.dtype(dtype) or by_columns:
            raise self._unlike(name, of_type, found, f"{_spelled(shape)} of {np.dtype(dtype)}")
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
                raise FileProblem(self.path, f"its array {name!r} is damaged: its checksum does not match")

    def _member(self, name: str) -> zipfile.ZipInfo:
        if name not in self._members:
            raise FileProblem(self.path, f"lacks the array {name!r}; it has {', '.join(self._members) or 'none'}")
        return self._members[name]

    def _begin(self, name: str) -> int:
        """Where the bytes of an array that can be mapped begin."""
        info = self._members[name]
        local = self._memory[info.header_offset : info.header_offset + _LOCAL_HEADER.size]
        if info.compress_type != zipfile.ZIP_STORED or len(local) < _LOCAL_HEADER.size:
            raise FileProblem(self.path, f"its array {name!r} is compressed or cut off; it cannot be mapped")
        _, *_, name_length, extra_length = _LOCAL_HEADER.unpack(local)
        return int(info.header_offset + _LOCAL_HEADER.size + name_length + extra_length)

    def _unreadable(self, name: str, error: Exception) -> FileProblem:
        reason = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
        return FileProblem(self.path, f"its array {name!r} cannot be read: {reason}")

    def _unlike(self, name: str, dtype: np.dtype[Any], shape: tuple[int, ...], wanted: str) -> FileProblem:
        return FileProblem(self.path, f"its array {name!r} is {dtype} of shape {shape}; it must be {wanted}")


def _fits(found: tuple[int, ...], shape: Shape) -> bool:
    return len(found) == len(shape) and all(want in (None, n) for n, want in zip(found, shape, strict=True))


def _spelled(shape: Shape) -> str:
    return " x ".join("any" if n is None else str(n) for n in shape)
