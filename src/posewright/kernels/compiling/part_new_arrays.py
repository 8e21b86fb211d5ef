"""`np.empty`, `np.zeros` and `np.ones` in kernels, typed and lowered where they stand.

Numba compiles functions of its own for each kind of array that is made, down to machine code, and asks there whether
lengths are below zero; here they are taken on trust, as indices are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from llvmlite.ir import Constant
from numba.core import types
from numba.core.cgutils import for_range, memset
from numba.core.types.misc import unliteral
from numba.core.typing.npydecl import parse_dtype, parse_shape
from numba.core.typing.templates import Signature, signature

from posewright.kernels.compiling.part_arguments import borrowed_array, is_plain

MAKERS = frozenset({np.empty, np.zeros, np.ones})


def maker_signature(arguments: Sequence[Any], named: Mapping[str, Any]) -> Signature | None:
    """The signature of a call that makes an array, nothing if it has to be left to Numba.

    Args:
        arguments: Numba's types of the arguments.
        named: Numba's types of those given by name.
    """
    shape, *rest = [*arguments, *named.values()]
    dtype = parse_dtype(rest[0]) if rest else types.float64
    n_axes = parse_shape(unliteral(shape))
    if len(rest) > 1 or not set(named) <= {"dtype"} or not dtype or not n_axes:
        return None
    made = types.Array(dtype, n_axes, "C")
    return signature(made, *arguments, *named.values()) if is_plain(made) else None


def lower_maker(context: Any, builder: Any, maker: Any, made: Any, lengths: Sequence[Any]) -> Any:
    """A new array that owns its memory.

    Args:
        context: Numba's target context.
        builder: llvmlite's builder.
        maker: One of `MAKERS`.
        made: Numba's type of the array.
        lengths: Along each axis, as values of LLVM.
    """
    model = borrowed_array(made)
    size = Constant(lengths[0].type, model.item_size)
    for length in lengths:
        size = builder.mul(size, length)
    owner = context.nrt.meminfo_alloc_aligned(builder, size, context.get_preferred_array_alignment(made.dtype))
    data = builder.bitcast(context.nrt.meminfo_data(builder, owner), model.get_argument_type()[0])
    if maker is np.zeros:
        memset(builder, data, size, 0)
    array = model.from_argument(builder, (data, *lengths))
    if maker is np.ones:
        fill(builder, model, array, context.get_constant(made.dtype, 1))
    return model.set(builder, array, owner, "meminfo")


def fill(builder: Any, model: Any, array: Any, number: Any) -> None:
    """Give every item of an array one value.

    Args:
        builder: llvmlite's builder.
        model: Numba's data model of the array.
        array: Its description, a value of LLVM.
        number: A value of LLVM of the array's dtype.
    """
    data = model.get(builder, array, "data")
    with for_range(builder, model.get(builder, array, "nitems")) as loop:
        builder.store(number, builder.gep(data, [loop.index], inbounds=True))
