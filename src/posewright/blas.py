"""OpenBLAS in one thread: for products of matrices so small that threads only wait for each other.

An edit multiplies thousands of them. With OpenBLAS's usual threads that takes ten times as long, and more when other
programs use the processor, too. Other libraries (Accelerate, MKL) are left alone.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from threading import Lock
from typing import Any, NamedTuple

_NAMES = ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}")
"""As the wheels of numpy and scipy have it, and as systems do."""
_lock = Lock()
_users = 0
_usual: list[int] = []


class _Library(NamedTuple):
    threads: Any
    set_threads: Any


@cache
def _libraries() -> tuple[_Library, ...]:
    """Those that numpy and scipy have loaded; symbols are looked up in a module and all that it needs.

    A release that has its modules elsewhere keeps its threads.
    """
    found = []
    for module in ("numpy.linalg._umath_linalg", "scipy.linalg._flapack"):
        try:
            library = ctypes.CDLL(import_module(module).__file__)
        except (ImportError, OSError):
            continue
        for name in _NAMES:
            if hasattr(library, name.format("set_num_threads")):
                found.append(_Library(library[name.format("get_num_threads")], library[name.format("set_num_threads")]))
                break
    return tuple(found)


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Meanwhile OpenBLAS uses one thread, in the whole process; then as many as before."""
    global _users, _usual
    with _lock:
        if _users == 0:
            _usual = [library.threads() for library in _libraries()]
            for library in _libraries():
                library.set_threads(1)
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                for library, threads in zip(_libraries(), _usual, strict=True):
                    library.set_threads(threads)
