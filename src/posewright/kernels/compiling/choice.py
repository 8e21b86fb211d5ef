"""Whether kernels are compiled as parts of each other (`parts`), or by plain Numba.

Parts take a third of the time to compile and rely on Numba's insides. If Numba is newer than what was tried, or its
insides fail, or the environment variable POSEWRIGHT_PLAIN_NUMBA is set, plain Numba compiles all kernels.
"""

from __future__ import annotations

import os
import sys

import numba

NEWEST_TRIED = (0, 68)
_reason: str | None = None


def plain() -> bool:
    """Whether kernels are compiled by plain Numba."""
    return _reason is not None


def use_plain(reason: str | None) -> None:
    """From now on compile by plain Numba, for a reason that is printed once unless it is empty; None: do not."""
    global _reason
    _reason = reason


def say_why() -> None:
    """Print, once per process that compiles, why that takes longer; nothing if the user asked for it."""
    if _reason:
        print(f"posewright: kernels are compiled by plain Numba, which takes longer: {_reason}", file=sys.stderr)
        use_plain("")


if os.environ.get("POSEWRIGHT_PLAIN_NUMBA", "0") not in ("", "0"):
    use_plain("")
elif tuple(int(number) for number in numba.__version__.split(".")[:2]) > NEWEST_TRIED:
    use_plain(f"Numba {numba.__version__} is newer than {'.'.join(map(str, NEWEST_TRIED))}, the newest tried")
