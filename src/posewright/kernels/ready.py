"""Kernels called again and again with arguments of the same types, without looking at the types every time.

To find the types of some sixty arrays in tables takes Numba longer than to evaluate a pose.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import config


def ready(kernel: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """A kernel, compiled for arguments like these, to be called with no others: arrays of these dtypes, C-ordered."""
    if config.DISABLE_JIT:
        return kernel
    dispatcher: Any = kernel
    types = tuple(dispatcher.typeof_pyval(argument) for argument in arguments)
    dispatcher.compile(types)
    found: Callable[..., Any] = dispatcher.overloads[types].entry_point
    return found
