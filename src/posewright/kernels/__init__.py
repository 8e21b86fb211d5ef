"""Hot loops in Numba: plain arrays in, plain arrays out. Nothing here knows a figure, a file or an error.

`posewright.kernels.kernel` is the decorator that compiles and caches them; it works in any file.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from posewright.kernels.compiling.jit import kernel as kernel

__all__ = ["kernel"]


def __getattr__(name: str) -> Any:
    if name == "kernel":  # not before it is used: it loads Numba
        from posewright.kernels.compiling.jit import kernel

        return kernel
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
