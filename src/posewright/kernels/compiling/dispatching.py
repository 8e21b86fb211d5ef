"""How Numba comes to know a kernel: as a part of others (`parts`), or as its manual describes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core import config
from numba.core.compiler_lock import global_compiler_lock

from posewright.kernels.compiling.cache import KernelFile, cache_folder, one_process
from posewright.kernels.compiling.choice import plain, use_plain

try:
    from posewright.kernels.compiling.parts import dispatcher_of_parts
except Exception as error:
    use_plain(f"its insides have changed ({error})")

Function = Callable[..., Any]
FastMath = bool | set[str]
Announce = Callable[[str], None]


def dispatcher_of(function: Function, fastmath: FastMath, announce: Announce) -> Any:
    """What Numba knows a kernel by; the function itself if the user has switched off compiling.

    Args:
        function: The kernel.
        fastmath: As of `numba.njit`.
        announce: Called with the name of a kernel that has to be compiled.
    """
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": fastmath}
    options["no_cfunc_wrapper"] = True  # wrappers for C, which are never called, would be a fifth of what is compiled
    if not plain() and not config.DISABLE_JIT:
        try:
            return dispatcher_of_parts(function, options, announce)
        except Exception as error:
            use_plain(f"its insides have changed ({error})")
    return _compiled_plainly(function, options, announce)


def _compiled_plainly(function: Function, options: dict[str, Any], announce: Announce) -> Any:
    """By Numba as its manual describes it, with its cache in our folder."""
    dispatcher = numba.njit(**options)(function)
    if config.DISABLE_JIT:
        return dispatcher
    compile_or_load = dispatcher.compile
    file = KernelFile.of(function)

    def compile_alone(signature: Any) -> Any:
        if file is None:
            announce(function.__name__)
            return compile_or_load(signature)
        folder = cache_folder(file)
        with global_compiler_lock, one_process(folder / f"{function.__qualname__}.lock"):
            _cache_in(folder, dispatcher)
            stored = list(folder.rglob(f"*.{function.__qualname__}-*.nb[ic]"))
            if not stored:
                announce(function.__name__)
            # What was stored may be damaged, and what is compiled may not fit on the disk; mistakes in a kernel remain.
            for remedy in (lambda: _remove(stored), dispatcher._cache.disable):
                try:
                    return compile_or_load(signature)
                except Exception:
                    remedy()
            return compile_or_load(signature)

    dispatcher.compile = compile_alone
    return dispatcher


def _remove(files: Iterable[Path]) -> None:
    for file in files:
        with suppress(OSError):
            file.unlink()


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
