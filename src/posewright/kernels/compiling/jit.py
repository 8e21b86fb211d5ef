"""How every kernel is compiled: one decorator, one cache that is never stale, one place to say "compiling".

Numba caches a compiled function beside a stamp of *its own* file and does not see changes in the functions it
calls, so it would silently run old code. Here each file of `kernels/` has a cache folder named by the hash of that
file, of every kernel file it imports, directly or not, and of the Numba version: change a kernel and it and all that
may call it are compiled anew, and nothing else. Numba itself keys each entry by the CPU. The folders do not depend on
where the package is installed, so clones and environments share them.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import caching, config
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime import rtsys
from numba.core.types.misc import unliteral

from posewright.kernels.compiling.compile_lock import CompileLock
from posewright.kernels.compiling.part_arguments import announcing
from posewright.kernels.compiling.parts import PartCompiler, compiler_of, packed, unpacked

F = TypeVar("F", bound=Callable[..., Any])
Listener = Callable[[str], None]

_KERNELS = Path(__file__).parents[1]
_listeners: list[Listener] = []


def kernel(function: F) -> F:
    """Compile a function with Numba on first use: cached on disk, releasing the GIL.

    A kernel takes arrays of the dtypes and orders fixed in `tables`, writes into the caller's arrays and
    returns a status or a number (to another kernel, also arrays). It never raises, logs or validates, and never
    takes a function. One that makes or returns arrays, or is given some by a kernel it calls, names `np`; in one that
    does not, references to arrays are not counted.

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

    Without a listener, a person at a terminal is told once.
    """
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


@functools.cache
def _say_once() -> None:
    if sys.stderr.isatty():
        print("posewright: compiling kernels, once per machine; this takes some seconds", file=sys.stderr)


@functools.cache
def cache_folder(name: str) -> Path:
    """The folder of this version of a kernel file, named as in `tree.elimination`."""
    digest = hashlib.sha256(numba.__version__.encode())
    for file in sorted(files_behind(name)):
        digest.update(file.encode() + b"\0" + _source(file))
    return _cache_root() / f"{name}-{digest.hexdigest()[:16]}"


def is_compiled(name: str, function: str) -> bool:
    """Whether `function` of `kernels/NAME.py`, as it is now, has been compiled on this machine."""
    leaf = name.rpartition(".")[2]
    return any(cache_folder(name).glob(f"{leaf}.{function}-{name}.py*.nbi"))


def files_behind(name: str) -> set[str]:
    """The names of the kernel files whose code may run in `kernels/NAME.py`: itself and what it imports, onwards."""
    found: set[str] = set()
    waiting = {name}
    while waiting:
        found |= waiting
        waiting = {imported for file in waiting for imported in _imports(file)} - found
    return found


@functools.cache
def _source(name: str) -> bytes:
    return _KERNELS.joinpath(*name.split(".")).with_suffix(".py").read_bytes()


@functools.cache
def _imports(name: str) -> frozenset[str]:
    # Kernels import each other in one form, `from posewright.kernels.NAME import ...`; a test holds them to it.
    return frozenset(
        match.decode() for match in re.findall(rb"^from posewright\.kernels\.([\w.]+) import", _source(name), re.M)
    )


def _cache_root() -> Path:
    if chosen := os.environ.get("POSEWRIGHT_CACHE"):
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "posewright"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "posewright" / "cache"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "posewright"


def _compile(function: F, fastmath: bool | set[str]) -> F:
    options: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": fastmath}
    options["no_cfunc_wrapper"] = True  # wrappers for C, which nobody calls, would be a fifth of what is compiled
    options["_nrt"] = "np" in function.__code__.co_names  # counting references to arrays would be a third
    part = numba.njit(**options, no_cpython_wrapper=True, pipeline_class=PartCompiler)(function)
    if config.DISABLE_JIT:
        return part
    part.targetctx = announcing(part.targetctx)
    _compile_once(part, _PartCache(function))
    whole = numba.njit(**options, pipeline_class=compiler_of(part))(function)
    _compile_once(whole, _KernelCache(function))
    whole.get_overload = part.get_overload
    whole.get_call_template = lambda args, names: part.get_call_template(
        tuple(map(unliteral, args)),  # or a variant would be compiled for each constant in a call
        names,
    )
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

    def __init__(self, py_func: Callable[..., Any]) -> None:
        self._name = py_func.__module__.removeprefix("posewright.kernels.")

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _KernelLocator:
        return cls(py_func)

    def get_cache_path(self) -> str:
        return str(cache_folder(self._name))

    def get_source_stamp(self) -> str:
        return cache_folder(self._name).name

    def get_disambiguator(self) -> str:
        return self._name


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
        return self._name + "-part"


class _PartCacheImpl(caching.CompileResultCacheImpl):
    _locator_classes = [_PartLocator]  # noqa: RUF012 (Numba iterates a list)

    def reduce(self, data: Any) -> Any:
        return packed(data)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        return unpacked(target_context, payload)


class _PartCache(_KernelCache):
    _impl_class = _PartCacheImpl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)
        if found is None:
            if _listeners:
                _listeners[-1](self._py_func.__name__)
            else:
                _say_once()
        return found
