"""Arrays out of .npz files that may be broken or hostile: nothing is unpickled, and every failure is one sentence."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from posewright.conventions import Array
from posewright.errors import FileProblem

_LARGEST = 4 * 2**30  # bytes of one array, unpacked


class NpzArrays:
    """The arrays of a file by name, each read when asked for."""

    def __init__(self, path: Path) -> None:
        """Open the archive."""
        self.path = path
        try:
            self._zip = zipfile.ZipFile(self._bytes())
        except FileNotFoundError:
            raise FileProblem(path, "no such file") from None
        except OSError as error:
            raise FileProblem(path, f"cannot be read: {(error.strerror or str(error)).lower()}") from error
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise FileProblem(path, f"is not a .npz archive or is truncated: {str(error).lower()}") from None
        self._members = {info.filename.removesuffix(".npy"): info for info in self._zip.infolist()}

    def _bytes(self) -> IO[bytes]:
        return io.BytesIO(self.path.read_bytes())

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """An array."""
        if name not in self._members:
            raise FileProblem(self.path, f"lacks the array {name!r}; it has {', '.join(self._members) or 'none'}")
        info = self._members[name]
        if info.file_size > _LARGEST:
            raise FileProblem(self.path, f"its array {name!r} would take {info.file_size / 2**30:.0f} GB")
        try:
            data = self._zip.read(info)
            array: npt.NDArray[Any] = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
        except Exception as error:  # a damaged header makes numpy raise nearly anything, even SyntaxError
            reason = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
            raise FileProblem(self.path, f"its array {name!r} cannot be read: {reason}") from None
        return array

    def __contains__(self, name: str) -> bool:
        """Whether there is such an array."""
        return name in self._members

    @property
    def names(self) -> tuple[str, ...]:
        """Of the arrays, in file order."""
        return tuple(self._members)

    def numbers(self, name: str, shape: tuple[int | None, ...]) -> Array:
        """A finite float64 array; None in `shape` accepts any length."""
        array = self[name]
        fits = array.ndim == len(shape) and all(w in (None, n) for n, w in zip(array.shape, shape, strict=True))
        if array.dtype.kind not in "fiu" or not fits:
            wanted = " x ".join("any" if n is None else str(n) for n in shape) or "one"
            raise FileProblem(
                self.path, f"its array {name!r} is {array.dtype} of shape {array.shape}; it must be {wanted} numbers"
            )
        values: Array = array.astype(np.float64)
        if not np.isfinite(values).all():
            where = np.argwhere(~np.isfinite(values))[:1].tolist()
            raise FileProblem(self.path, f"its array {name!r} is not finite at {where[0] if where else ''}")
        return values

    def text(self, name: str) -> str:
        """A single string."""
        array = self[name]
        if array.dtype.kind != "U" or array.size != 1:
            raise FileProblem(
                self.path, f"its array {name!r} is {array.dtype} of shape {array.shape}; it must be a text"
            )
        return str(array.reshape(-1)[0])

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of strings."""
        array = self[name]
        if array.ndim != 1 or (array.dtype.kind != "U" and array.size):
            raise FileProblem(
                self.path, f"its array {name!r} is {array.dtype} of shape {array.shape}; it must be a list of texts"
            )
        return tuple(map(str, array))
