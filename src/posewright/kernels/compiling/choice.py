"""Which way kernels are compiled: as `parts` of each other, or by plain Numba.

Parts are compiled in a third of the time and rely on Numba's insides. Where those are newer than what was tried, or
fail, or where the environment variable POSEWRIGHT_PLAIN_NUMBA is set, plain Numba does it: later, but the same.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import numba

NEWEST_TRIED = (0, 68)
_reasons: list[str] = []


def plain() -> bool:
    """Whether kernels are compiled by plain Numba."""
    return bool(_reasons)


def use_plain(reason: str) -> None:
    """From now on, compile by plain Numba, and say why before the first kernel is compiled so."""
    _reasons.append(reason)


@contextmanager
def tried_plainly(reason: str) -> Iterator[None]:
    """Compile by plain Numba inside the block, and from then on if that works where the other way did not."""
    use_plain(reason)
    try:
        yield
    except BaseException:
        _reasons.pop()  # a mistake in the kernel
        raise
    say_why()


@functools.cache
def say_why() -> None:
    """Tell, once per process that compiles, why it takes long; whoever asked for it is not told."""
    if _reasons[0]:
        print(f"posewright: kernels are compiled by plain Numba, which takes longer: {_reasons[0]}", file=sys.stderr)


def _decide() -> None:
    version = tuple(int(number) for number in numba.__version__.split(".")[:2])
    if os.environ.get("POSEWRIGHT_PLAIN_NUMBA", "0") not in ("", "0"):
        use_plain("")
    elif version > NEWEST_TRIED:
        use_plain(f"Numba {numba.__version__} is newer than {'.'.join(map(str, NEWEST_TRIED))}, the newest tried")


_decide()
