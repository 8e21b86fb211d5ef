"""Kernels called again and again with arguments of the same types, without looking at the types every time.

To find the types of some sixty arrays in tables takes Numba longer than to evaluate a pose.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from posewright.kernels.compiling.jit import Kernel


class Repeated:
    """A kernel to be called with arguments of the same types only: arrays of the same dtypes, C-ordered.

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
