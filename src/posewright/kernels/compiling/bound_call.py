"""Kernels called again and again with arguments of the same types, without looking at the types every time.

To find the types of some sixty arrays in tables takes Numba longer than to evaluate a pose.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import config


class Repeated:
    """A kernel to be called with arguments of the same types only: arrays of the same dtypes, C-ordered.

    The first call is an ordinary one, since to skip the look at the types has to be prepared, which takes longer than
    one call does; many problems are solved once.
    """

    def __init__(self, kernel: Callable[..., Any]) -> None:
        self._kernel = kernel
        self.call: Callable[..., Any] = kernel if config.DISABLE_JIT else self._first

    def _first(self, *arguments: Any) -> Any:
        self.call = self._second
        return self._kernel(*arguments)

    def _second(self, *arguments: Any) -> Any:
        dispatcher: Any = self._kernel
        types = tuple(dispatcher.typeof_pyval(argument) for argument in arguments)
        dispatcher.compile(types)
        self.call = dispatcher.overloads[types].entry_point
        return self.call(*arguments)
