"""Pickles of plain values and arrays, written for any version of numpy and read without running what they name.

A pickle is a small program whose instructions may call any function by name. The reader knows a handful of names, all
of them about arrays, and has its own stand-ins for them; any other name is an error. Files of joblib, whose arrays
stand as raw bytes between instructions, and files compressed by zlib are read too.
"""

from __future__ import annotations

import io
import math
import pickle
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from posewright.errors import FileProblem, shown
from posewright.formats.budget import Budget

_TYPE = re.compile(r"[<>|=]?(?:[fiu][1248]|b1|U\d{1,5})")
_SCALARS = (type(None), bool, int, float, str, bytes)
_BYTES = 100
"""Approximate bytes of a value in memory."""
_MAKES_ARRAYS = np.zeros(0).__reduce__()[0]
_ENDS = {"=": "<", "|": "|", "<": "<", ">": ">"}


def pickled(value: object) -> bytes:
    """A value of dicts, lists, texts, numbers and arrays as a pickle that numpy 1, numpy 2 and joblib can load."""
    out = io.BytesIO()
    writer = _Writer(out, protocol=3)
    writer.fast = True  # nothing refers back, so equal values are equal bytes
    writer.dump(value)
    return out.getvalue()


class _Writer(pickle._Pickler):
    """Python's own writer, but with the names of numpy 1 for functions that make arrays, which numpy 2 knows too."""

    def save_global(self, obj: Any, name: str | None = None) -> None:
        """Write a value that is referred to by its name."""
        if obj is _MAKES_ARRAYS:
            self.write(pickle.GLOBAL + b"numpy.core.multiarray\n_reconstruct\n")  # type: ignore[attr-defined]
        else:
            super().save_global(obj, name)  # type: ignore[misc]


def unpickled(path: Path) -> Any:
    """What a pickle holds: dicts, lists, texts, numbers and arrays.

    Raises:
        FileProblem: it is damaged, or names anything else.
    """
    budget = Budget.of(path)
    data = path.read_bytes()
    if data[:1] == b"\x78":
        data = _inflated(budget, data)
    try:
        return _plain(_Reader(io.BytesIO(data), path).load(), budget)
    except FileProblem:
        raise
    except Exception as error:  # a damaged pickle makes Python raise nearly anything
        reason = str(error).splitlines()[0][:100] if str(error) else type(error).__name__
        raise FileProblem(path, f"is not a pickle or is damaged: {reason}") from None


def _inflated(budget: Budget, data: bytes) -> bytes:
    inflater = zlib.decompressobj()
    try:
        plain = inflater.decompress(data, budget.bytes)
    except zlib.error as error:
        raise FileProblem(budget.path, f"begins like a compressed file but is damaged: {error}") from None
    if inflater.unconsumed_tail:
        raise FileProblem(budget.path, f"would take more than {budget.bytes / 2**20:,.0f} MB unpacked")
    return plain


class _Type:
    """Replaces `numpy.dtype`."""

    def __init__(self, text: object, *_: object) -> None:
        if not isinstance(text, str) or not _TYPE.fullmatch(text):
            raise ValueError(f"an array of {shown(text)} is not an array of numbers or texts")
        self.dtype = np.dtype(text)

    def build(self, state: Any) -> None:
        self.dtype = self.dtype.newbyteorder(cast("Any", _ENDS[state[1]]))


class _Array:
    """Replaces an array until its bytes are known."""

    def __init__(self, *_: object) -> None:
        self.array: npt.NDArray[Any] = np.zeros(0)

    def build(self, state: Any) -> None:
        _, shape, kind, by_columns, data = state
        self.array = _from_bytes(data, kind, shape, "F" if by_columns else "C")


class _Wrapper:
    """Replaces an array of joblib, whose bytes follow in the file."""

    array: npt.NDArray[Any]

    def read(self, state: dict[str, Any], file: io.BytesIO) -> None:
        kind: _Type = state["dtype"]
        if state.get("numpy_array_alignment_bytes"):
            file.read(file.read(1)[0])
        size = math.prod(state["shape"]) * kind.dtype.itemsize
        self.array = _from_bytes(file.read(size), kind, state["shape"], state["order"])


def _from_bytes(data: Any, kind: _Type, shape: Any, order: Any) -> npt.NDArray[Any]:
    array = np.frombuffer(bytes(data), kind.dtype)
    if not all(isinstance(n, int) and n >= 0 for n in shape) or math.prod(shape) != array.size:
        raise ValueError(f"{array.size} numbers do not make an array of shape {shown(tuple(shape))}")
    shaped: npt.NDArray[Any] = array.reshape(shape, order="F" if order == "F" else "C")
    return shaped


def _scalar(kind: _Type, data: bytes) -> Any:
    return np.frombuffer(data, kind.dtype, 1)[0].item()


def _encoded(text: str, *_: object) -> bytes:
    return text.encode("latin-1")


def _no_bytes() -> bytes:
    return b""


def _frombuffer(data: Any, kind: _Type, shape: Any, order: Any) -> _Array:
    found = _Array()
    found.array = _from_bytes(data, kind, shape, order)
    return found


_KNOWN: dict[tuple[str, str], Callable[..., Any]] = {
    ("numpy", "ndarray"): _Array,
    ("numpy", "dtype"): _Type,
    ("_codecs", "encode"): _encoded,
    ("__builtin__", "bytes"): _no_bytes,
    ("joblib.numpy_pickle", "NumpyArrayWrapper"): _Wrapper,
}
for _core in ("numpy.core", "numpy._core"):
    _KNOWN[f"{_core}.multiarray", "_reconstruct"] = _Array
    _KNOWN[f"{_core}.multiarray", "scalar"] = _scalar
    _KNOWN[f"{_core}.numeric", "_frombuffer"] = _frombuffer


def _with_plain_keys(load: Callable[..., Any], keys: slice) -> Callable[..., Any]:
    """An instruction that fills a dict, with its keys checked first: hashing nested tuples could take for ever."""

    def load_checked(reader: _Reader) -> None:
        for key in reader.stack[keys]:
            if not isinstance(key, _SCALARS):
                raise ValueError(f"a {type(key).__name__} is no key")
        load(reader)

    return load_checked


_KEYS = {pickle.SETITEM: slice(-2, -1), pickle.SETITEMS: slice(0, None, 2), pickle.DICT: slice(0, None, 2)}
"""Positions of the keys on the stack."""


class _Reader(pickle._Unpickler):
    """Python's own reader in its Python version, in which instructions can be replaced."""

    stack: list[Any]
    dispatch: ClassVar[dict[int, Callable[..., Any]]] = dict(pickle._Unpickler.dispatch)

    def __init__(self, file: io.BytesIO, path: Path) -> None:
        super().__init__(file)
        self._bytes, self._path = file, path

    def find_class(self, module: str, name: str) -> Any:
        """Our replacement for a name in the file; nothing is imported."""
        found = _KNOWN.get((module, name))
        if found is None:
            raise FileProblem(
                self._path,
                f"names {f'{module}.{name}'[:80]!r}; a motion needs arrays, numbers and texts only, so it is not read",
            )
        return found

    def load_build(self) -> None:
        """Fill the latest object."""
        state = self.stack.pop()
        made = self.stack[-1]
        if isinstance(made, _Wrapper):
            made.read(state, self._bytes)
        elif isinstance(made, _Array | _Type):
            made.build(state)
        else:
            raise ValueError(f"{type(made).__name__} cannot be filled")

    def load_bytearray8(self) -> None:
        """Read the bytes that follow; there must be as many as the file states."""
        self.load_binbytes8()  # type: ignore[attr-defined]

    def refuse(self) -> None:
        """Refuse an instruction that no motion needs and that could use all memory."""
        raise ValueError("it has an instruction that arrays, numbers and texts do not need")

    dispatch[pickle.BUILD[0]] = load_build
    dispatch[pickle.BYTEARRAY8[0]] = load_bytearray8
    for _fills, _keys in _KEYS.items():
        dispatch[_fills[0]] = _with_plain_keys(dispatch[_fills[0]], _keys)
    for _unneeded in (
        *(pickle.EMPTY_SET, pickle.ADDITEMS, pickle.FROZENSET, pickle.PERSID),
        *(pickle.BINPERSID, pickle.EXT1, pickle.EXT2, pickle.EXT4),
        *(pickle.NEXT_BUFFER, pickle.READONLY_BUFFER),
    ):
        dispatch[_unneeded[0]] = refuse


def _plain(value: Any, budget: Budget) -> Any:
    """The value with arrays in place of their replacements; repeated uses count each time."""
    budget.take(_BYTES, "what it holds")
    if isinstance(value, dict):
        return {key: _plain(item, budget) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, budget) for item in value]
    if isinstance(value, _Array | _Wrapper):
        return value.array
    if isinstance(value, _SCALARS):
        return value
    raise ValueError(f"it holds a {type(value).__name__}")
