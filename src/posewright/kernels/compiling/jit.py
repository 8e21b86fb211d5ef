"""What makes a function a kernel: one decorator, one place to say "compiling".

A kernel meets Numba when it is first called, since a command runs a handful of the kernels that it imports.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import RLock
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])
Listener = Callable[[str], None]
FastMath = bool | set[str]

_listeners: list[Listener] = []
_making = RLock()


class Kernel:
    """A function that Numba compiles, or loads from the cache, when it is first called."""

    def __init__(self, function: Callable[..., Any], fastmath: FastMath) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._fastmath = fastmath
        self._dispatcher: Any = None

    def __call__(self, *arguments: Any) -> Any:
        """Run the kernel."""
        return (self._dispatcher or self.dispatcher)(*arguments)

    @property
    def dispatcher(self) -> Any:
        """What Numba knows the kernel by."""
        with _making:
            if self._dispatcher is None:
                from posewright.kernels.compiling.dispatching import dispatcher_of

                self._dispatcher = dispatcher_of(self._function, self._fastmath, _announce)
        return self._dispatcher

    @property
    def _numba_type_(self) -> Any:
        """By which Numba finds out what a kernel is that another one calls."""
        return self.dispatcher._numba_type_


def kernel(function: F) -> F:
    """Compile a function with Numba on first use: cached on disk, releasing the GIL.

    A kernel takes arrays of the dtypes and orders fixed in `tables`, writes into the caller's arrays and
    returns a status or a number (to another kernel, also arrays). It never raises, logs or validates, and never
    takes a function. It may be in any file, also outside of Posewright; at a prompt it is compiled but not cached.

    Called from another kernel, it is compiled as a part of that one (`parts`).
    """
    return cast(F, Kernel(function, False))


def dot_kernel(function: F) -> F:
    """A kernel whose sums may be reordered, so that long dot products use vector instructions."""
    return cast(F, Kernel(function, {"contract", "reassoc", "nsz", "arcp"}))


def fused_kernel(function: F) -> F:
    """A kernel whose products and sums may be fused: for long scalar formulas, a seventh faster."""
    return cast(F, Kernel(function, {"contract"}))


class Repeated:
    """A kernel to be called with arguments of the same types only: arrays of the same dtypes, C-ordered.

    To find the types of some sixty arrays in tables takes Numba longer than to evaluate a pose.
    The first call is an ordinary one, since to skip the look at the types has to be prepared, which takes longer than
    one call does; many problems are solved once.
    """

    def __init__(self, kernel: Callable[..., Any]) -> None:
        self._kernel = cast(Kernel, kernel)
        self.call: Callable[..., Any] = self._first

    def _first(self, *arguments: Any) -> Any:
        self.call = self._second
        return self._kernel(*arguments)

    def _second(self, *arguments: Any) -> Any:
        self.call = dispatcher = self._kernel.dispatcher
        if hasattr(dispatcher, "overloads"):  # else compiling is switched off
            types = tuple(dispatcher.typeof_pyval(argument) for argument in arguments)
            dispatcher.compile(types)
            self.call = dispatcher.overloads[types].entry_point
        return self.call(*arguments)


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
    from posewright.kernels.compiling.cache import KernelFile, cache_folder
    from posewright.kernels.compiling.choice import plain

    file = KernelFile(f"posewright.kernels.{name}")
    compiled_as = "*" if plain() else "whole"
    return any(cache_folder(file).rglob(f"{name.rpartition('.')[2]}.{function}-{compiled_as}.py*.nbi"))


def _announce(name: str) -> None:
    from posewright.kernels.compiling.choice import say_why

    say_why()
    if _listeners:
        _listeners[-1](name)
    else:
        _say_once()


@functools.cache
def _say_once() -> None:
    if sys.stderr.isatty():
        print("posewright: compiling kernels, once per machine; this takes some seconds", file=sys.stderr)
