"""Arrays in .npz archives that may be broken or hostile: nothing is unpickled, and every failure is one sentence.

Small arrays are read and compared with the checksums of the archive. Larger ones are mapped into memory:
they are not compressed, and begin at multiples of 64 bytes by a padding field in the archive's headers, so that any
program that reads .npz reads them. What a header promises must be what follows it, and what is unpacked is bounded by
the size of the file; `verify` compares mapped arrays with their checksums, which reads them.
"""

from __future__ import annotations

import io
import math
import mmap
import struct
import sys
import warnings
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
from posewright.formats.budget import Budget

Number = TypeVar("Number", bound=np.generic)
Shape = tuple[int | None, ...]
"""None accepts any length."""

_ALIGNED = 64
_PADDING = 0xD935  # the number of the field by which other tools align archives
_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_LARGE_SIZES = 20  # bytes that `force_zip64` adds to a header
_AT_ONCE = 2**24  # bytes
_SURROGATES = 0xD800, 0xDFFF
_HEADER = 2**14  # bytes, and more than numpy reads of one


def write_arrays(path: str | Path, arrays: Mapping[str, npt.NDArray[Any]], *, compressed: bool = True) -> None:
    """Write arrays; `compressed`, unless they shrink beyond what is read. An interrupted write leaves the old file."""
    named: dict[str, Any] = dict(arrays)
    for name, array in named.items():
        if array.dtype.kind == "f" and not np.isfinite([array.min(initial=0.0), array.max(initial=0.0)]).all():
            raise FileProblem(path, f"cannot be written: {name!r} has numbers that are not finite")
    # Into an open file: numpy would add its suffix to a name that lacks it.
    with replacing(path) as temporary, temporary.open("wb") as file:
        if compressed:
            np.savez_compressed(file, **named)
            compressed = sum(array.nbytes + _HEADER for array in named.values()) <= Budget(temporary, file.tell()).bytes
            file.seek(0)
        if not compressed:
            np.savez(file, **named)


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
            with path.open("rb") as file:  # the memory keeps a descriptor of its own
                self._memory = _Memory(file.fileno(), 0, access=mmap.ACCESS_READ)
            self._zip = zipfile.ZipFile(cast("IO[bytes]", self._memory))
        except FileNotFoundError:
            raise FileProblem(path, "no such file") from None
        except OSError as error:
            raise FileProblem.of_system(path, "cannot be read", error) from error
        except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error) as error:
            raise FileProblem(path, f"is not a .npz archive or is truncated: {str(error).lower()}") from None
        self.budget = Budget(path, len(self._memory))
        self._verified: set[str] = set()
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
        self.require_whole()
        self.budget.take(info.file_size, f"its array {name!r}")
        try:
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise ValueError("it is compressed in a way that numpy does not write")
            with self._zip.open(info) as file:
                data = file.read(info.file_size)
                file.read(1)  # the end: the checksum is compared
            return self._array(name, memoryview(data))
        except FileProblem:
            raise
        except Exception as error:  # damaged archives make zipfile and zlib raise nearly anything
            raise self._unreadable(name, error) from None

    def _array(self, name: str, data: memoryview) -> npt.NDArray[Any]:
        """The array that bytes spell: a header, and exactly what it promises."""
        head = io.BytesIO(data[:_HEADER])
        try:
            version = np.lib.format.read_magic(head)
            read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            with warnings.catch_warnings():  # of headers that Python 2 wrote
                warnings.simplefilter("ignore", UserWarning)
                shape, by_columns, dtype = read(head)
        except Exception as error:  # a damaged header makes numpy raise nearly anything, even SyntaxError
            raise self._unreadable(name, error) from None
        count = math.prod(shape)
        if dtype.hasobject or dtype.fields or dtype.subdtype:
            raise self._unreadable(name, ValueError(f"it holds {'objects' if dtype.hasobject else 'records'}"))
        if min(shape, default=0) < 0 or count * dtype.itemsize != len(data) - head.tell():
            raise FileProblem(self.path, f"its array {name!r} is cut off: {shape} numbers do not fit into the file")
        if not dtype.itemsize:  # texts that are all empty have no bytes
            self.budget.require_items(count, f"texts in {name!r}")
        flat = np.frombuffer(data, dtype, count, head.tell()) if count * dtype.itemsize else np.zeros(count, dtype)
        flat.flags.writeable = False
        return flat.reshape(shape, order="F" if by_columns else "C")

    def numbers(self, name: str, shape: Shape) -> Array:
        """A finite float64 array."""
        array = self[name]
        if array.dtype.kind not in "fiu" or not _fits(array.shape, shape):
            raise self._unlike(name, array.dtype, array.shape, f"{_spelled(shape) or 'one'} numbers")
        if array.dtype != np.float64:
            self.budget.take(8 * array.size, f"its array {name!r}")
        values: Array = np.asarray(array, dtype=np.float64, order="C")
        if not np.isfinite(values).all():
            where = np.argwhere(~np.isfinite(values))[:1].tolist()
            raise FileProblem(self.path, f"its array {name!r} is not finite at {where[0] if where else ''}")
        return values

    def text(self, name: str) -> str:
        """A single string."""
        array = self[name]
        if array.dtype.kind != "U" or array.size != 1:
            raise self._unlike(name, array.dtype, array.shape, "a text")
        return self._strings(name, array)[0]

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings."""
        array = self[name]
        if array.ndim != 1 or (array.dtype.kind != "U" and array.size):
            raise self._unlike(name, array.dtype, array.shape, "a list of texts")
        return self._strings(name, array)

    def _strings(self, name: str, array: npt.NDArray[Any]) -> tuple[str, ...]:
        if array.size and array.dtype.itemsize:
            codes = np.ascontiguousarray(array, array.dtype.newbyteorder("=")).reshape(-1).view(np.uint32)
            if codes.max() > sys.maxunicode or ((codes >= _SURROGATES[0]) & (codes <= _SURROGATES[1])).any():
                raise FileProblem(self.path, f"its array {name!r} has numbers that are no characters in its text")
        self.budget.require_items(array.size, f"texts in {name!r}")
        return tuple(map(str, array.reshape(-1)))

    def mapped(self, name: str, dtype: type[Number], shape: Shape) -> npt.NDArray[Number]:
        """An array as it lies in the file, read-only."""
        info = self._member(name)
        self.require_whole()
        begin = self._begin(name)
        array = self._array(name, memoryview(self._memory)[begin : begin + info.file_size])
        by_columns = not array.flags.c_contiguous
        if not _fits(array.shape, shape) or array.dtype != np.dtype(dtype) or by_columns:
            raise self._unlike(name, array.dtype, array.shape, f"{_spelled(shape)} of {np.dtype(dtype)}")
        values: npt.NDArray[Number] = array
        return values

    def require_whole(self) -> None:
        """Refuse to go on with a file that was cut short after it was opened: reading there would end the process.

        Raises:
            FileProblem: it was.
        """
        if self._memory.size() < len(self._memory):
            raise FileProblem(self.path, "was truncated while it was open; write it again and open it anew")

    def verify(self, *names: str) -> None:
        """Compare the bits of mapped arrays with the checksums of the archive, once: all of them are read.

        Raises:
            FileProblem: an array is not as it was written.
        """
        self.require_whole()
        for name in names:
            if name in self._verified:
                continue
            begin, left, found = self._begin(name), self._members[name].file_size, 0
            while left > 0:
                found = zlib.crc32(self._memory[begin : begin + min(left, _AT_ONCE)], found)
                begin, left = begin + _AT_ONCE, left - _AT_ONCE
            if found != self._members[name].CRC:
                raise FileProblem(self.path, f"its array {name!r} is damaged: its checksum does not match")
            self._verified.add(name)

    def _member(self, name: str) -> zipfile.ZipInfo:
        if name not in self._members:
            raise FileProblem(self.path, f"lacks the array {name!r}; it has {', '.join(self.names[:12]) or 'none'}")
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
