"""What the benchmarks share: calls timed, and times in words."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def seconds_of(*calls: Callable[[], object], rounds: int) -> Array:
    """(calls, rounds): calls take turns, so that other work on the machine slows all; the first does not count."""
    found = np.empty((rounds + 1, len(calls)))
    for turn in found:
        for k, call in enumerate(calls):
            began = time.perf_counter()
            call()
            turn[k] = time.perf_counter() - began
    return found[1:].T


def readable(seconds: float, width: int = 6) -> str:
    """So many characters of digits, and a unit."""
    return f"{seconds * 1e6:{width}.1f} µs" if seconds < 1e-3 else f"{seconds * 1e3:{width}.2f} ms"
