"""How every kernel is compiled: one decorator, one cache that is never stale, one place to say "compiling"."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config
from numba.core.compiler_lock import global_compiler_lock

from posewright.kernels.compiling.cache import KernelFile, cache_folder, one_process
from posewright.kernels.compiling.choice import plain, say_why, use_plain

try:
    from posewright.kernels.compiling.parts import dispatcher_of_parts
except Exception as error:
    use_plain(f"its insides have changed ({error})")

F = TypeVar("F", bound=Callable[..., Any])
Listener = Callable[[str], None]

_listeners: list[Listener] = []


def kernel(function: F) -> F:
    """Compile a function with Numba on first use: cached on disk, releasing the GIL.

    A kernel takes arrays of the dtypes and orders fixed in `tables`, writes into the caller's arrays and
    returns a status or a number (to another kernel, also arrays). It never raises, logs or validates, and never
    takes a function. It may be in any file, also outside of Posewright; at a prompt it is compiled but not cached.

    Called from another kernel, it is compiled as a part of that one (`parts`).
    """
    return _compile(function, False)


def dot_kernel(function: F) -> F:
    """A kernel whose sums may be reordered, so that long dot products use vector instructions."""
    return _compile(function, {"contract", "reassoc", "nsz", "arcp"})


def fused_kernel(function: F) -> F:
    """A kernel whose products and sums may be fused: for long scalar formulas, a seventh faster."""
    return _compile(function, {"contract"})


@contextmanager
def compile_listener(listener: Listener) -> Iterator[None]:
    """Call `listener(kernel_name)` whenever a kernel has to be compiled inside the `with` block.

    Without a listener, one line is printed if the standard error is a terminal.
    """
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def is_compiled(name: str, function: str) -> bool:
    """Whether `function` of `kernels/NAME.py`, as it is now, has been compiled on this machine."""
    file = KernelFile(f"posewright.kernels.{name}")
    compiled_as = "*" if plain() else "whole"
    return any(cache_folder(file).rglob(f"{name.rpartition('.')[2]}.{function}-{compiled_as}.py*.nbi"))


def _announce(name: str) -> None:
    say_why()
    if _listeners:
        _listeners[-1](name)
    else:
        _say_once()


@functools.cache
def _say_once() -> None:
    if sys.stderr.isatty():
        print("posewright: compiling kernels, once per machine; this takes some seconds", file=sys.stderr)


def _compile(function: F, fastmath: bool | set[str]) -> F:
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": fastmath}
    options["no_cfunc_wrapper"] = True  # wrappers for C, which nobody calls, would be a fifth of what is compiled
    if not plain() and not config.DISABLE_JIT:
        try:
            return dispatcher_of_parts(function, options, _announce)
        except Exception as error:
            use_plain(f"its insides have changed ({error})")
    return _compiled_plainly(function, options)


def _compiled_plainly(function: F, options: dict[str, Any]) -> F:
    """By Numba as its manual describes it, with its cache in our folder."""
    dispatcher = numba.njit(**options)(function)
    if config.DISABLE_JIT:
        return dispatcher
    compile_or_load = dispatcher.compile
    file = KernelFile.of(function)

    def compile_alone(signature: Any) -> Any:
        if file is None:
            _announce(function.__name__)
            return compile_or_load(signature)
        folder = cache_folder(file)
        with global_compiler_lock, one_process(folder / f"{function.__qualname__}.lock"):
            _cache_in(folder, dispatcher)
            if not any(folder.rglob(f"*.{function.__qualname__}-*.nbi")):
                _announce(function.__name__)
            return compile_or_load(signature)

    dispatcher.compile = compile_alone
    return dispatcher


def _cache_in(folder: Path, dispatcher: Any) -> None:
    """Let Numba cache what a dispatcher compiles, if the folder can be written to."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    if not os.access(folder, os.W_OK):
        return
    before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
    try:
        dispatcher.enable_caching()
    finally:
        config.CACHE_DIR = before
