"""Kernels compiled as parts of each other, and kept: by Numba's own cache, in our folders.

All that is done with insides of Numba begins here.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core import caching
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime import rtsys
from numba.core.types.misc import unliteral

from posewright.kernels.compiling.cache_folders import KernelFile, cache_folder
from posewright.kernels.compiling.choice import plain
from posewright.kernels.compiling.compile_lock import CompileLock
from posewright.kernels.compiling.parts import PartCompiler, compiler_of, packed, unpacked

Announce = Callable[[str], None]


def dispatcher_of_parts(function: Callable[..., Any], options: dict[str, Any], announce: Announce) -> Any:
    """What Python calls for a kernel: its part, finished; kernels that call it are given the part.

    Args:
        function: The kernel.
        options: As of `numba.njit`.
        announce: Called with the name of a kernel that has to be compiled.
    """
    part = numba.njit(**options, no_cpython_wrapper=True, pipeline_class=PartCompiler)(function)
    whole = numba.njit(**options, pipeline_class=compiler_of(part))(function)
    if KernelFile.of(function) is not None:
        _compile_once(part, _PartCache(function, announce))
        _compile_once(whole, _KernelCache(function))
    own_overload, own_template = whole.get_overload, whole.get_call_template

    def call_template(arguments: Any, named: Any) -> Any:
        if plain():
            return own_template(arguments, named)
        # Without its literal types, or a variant would be compiled for each constant in a call.
        return part.get_call_template(tuple(map(unliteral, arguments)), named)

    whole.get_overload = lambda signature: (own_overload if plain() else part.get_overload)(signature)
    whole.get_call_template = call_template
    return whole


def _compile_once(dispatcher: Any, cache: _KernelCache) -> None:
    """Give a dispatcher its cache, and let one process at a time compile for it."""
    dispatcher._cache = cache
    compile_or_load = dispatcher.compile

    def compile_alone(signature: Any) -> Any:
        with global_compiler_lock:  # before the lock of the cache: threads take both in one order
            try:
                return compile_or_load(signature)
            finally:
                cache.lock.release()

    dispatcher.compile = compile_alone


class _KernelLocator(caching._CacheLocator):
    """Tells Numba where a kernel's cache is; the folder's name already says which sources it belongs to."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _KernelLocator | None:
        file = KernelFile.of(py_func)
        return None if file is None else cls(cache_folder(file))

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return "whole"


class _KernelCacheImpl(caching.CompileResultCacheImpl):
    _locator_classes = [_KernelLocator]  # noqa: RUF012 (Numba iterates a list)


class _KernelCache(caching.FunctionCache):
    _impl_class = _KernelCacheImpl

    def __init__(self, py_func: Callable[..., Any]) -> None:
        super().__init__(py_func)
        self.lock = CompileLock(Path(self.cache_path) / f"{self._impl.filename_base}.lock")

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled before; else the lock is held, and the caller compiles and lets go of it."""
        found = self._loaded(sig, target_context)
        if found is None:
            self.lock.acquire()
            found = self._loaded(sig, target_context)  # another process may just have finished
        return found

    def _loaded(self, sig: Any, target_context: Any) -> Any:
        # Numba would first load all that it can compile, and SciPy with it, which takes longer than everything else.
        rtsys.initialize(target_context)
        with suppress(OSError):
            return self._load_overload(sig, target_context)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):  # a folder that cannot be written to only costs compiling again in the next process
            super().save_overload(sig, data)


class _PartLocator(_KernelLocator):
    def get_disambiguator(self) -> str:
        return "part"


class _PartCacheImpl(caching.CompileResultCacheImpl):
    _locator_classes = [_PartLocator]  # noqa: RUF012 (Numba iterates a list)

    def reduce(self, data: Any) -> Any:
        return packed(data)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        return unpacked(target_context, payload)


class _PartCache(_KernelCache):
    _impl_class = _PartCacheImpl

    def __init__(self, py_func: Callable[..., Any], announce: Announce) -> None:
        super().__init__(py_func)
        self._announce = announce

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)
        if found is None:
            self._announce(self._py_func.__name__)
        return found
