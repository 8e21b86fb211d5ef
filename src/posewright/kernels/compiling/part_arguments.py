"""How a kernel takes arrays from another kernel: of a C-ordered array, where it is and its shape.

Numba hands over seven numbers and more for each array: its owner, its strides, how many items of which size. Who only
borrows does not care for owners, and the rest follows from the type and the shape; with tables of dozens of arrays, it
was a third of the code to compile.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import DataModelManager, default_manager
from numba.core.datamodel.models import ArrayModel
from numba.core.imputils import user_function


def borrowing(context: Any, description: Any) -> Any:
    """The target context in which arguments of a kernel are taken or given in this way.

    Args:
        context: Numba's target context.
        description: Numba's description of the kernel. If it returns arrays, it may return what it was given, so it
            has to know the owners: it takes arguments as Numba does.
    """
    if context.data_model_manager[description.restype].contains_nrt_meminfo():
        return context
    return context.subtarget(data_model_manager=_BORROWING)


def announcing(context: Any) -> Any:
    """A target context that lets kernels call the kernels that Numba inserts into it."""
    own = context.subtarget()
    own.insert_user_function = functools.partial(make_callable, context)
    return own


def make_callable(context: Any, entry_point: Any, description: Any, libraries: Sequence[Any]) -> None:
    """Let kernels call a kernel that borrows."""
    context._defns[entry_point].append(_Call(description, libraries), description.argtypes)


def is_plain(array: Any) -> bool:
    """Whether of an array of Numba's type, where it is and its shape say everything."""
    return array.layout == "C" and array.ndim > 0 and _size_of(array.dtype) > 0


def borrowed_array(array: Any) -> BorrowedArray:
    """How an array of Numba's type is handed over."""
    model = _BORROWING[array]
    assert isinstance(model, BorrowedArray)
    return model


class _Call:
    """How a kernel is called."""

    def __init__(self, description: Any, libraries: Sequence[Any]) -> None:
        self._description, self._call = description, user_function(description, libraries)
        self.libs = self._call.libs

    def __call__(self, context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return self._call(borrowing(context, self._description), builder, signature, arguments)


class BorrowedArray(ArrayModel):
    """As any array for Numba, except when it is handed over.

    Attributes:
        item_size: Bytes of one item; 0 if there is no saying.
    """

    def __init__(self, manager: Any, array: Any) -> None:
        super().__init__(manager, array)
        self.item_size = _size_of(array.dtype)
        self._is_plain = is_plain(array)

    def get_argument_type(self) -> Any:
        """Types of data and of the shape."""
        if not self._is_plain:
            return super().get_argument_type()
        fields = self.get_value_type().elements
        shape = fields[self.get_field_position("shape")]
        return fields[self.get_field_position("data")], *[shape.element] * shape.count

    def as_argument(self, builder: Any, value: Any) -> Any:
        """Data and shape."""
        if not self._is_plain:
            return super().as_argument(builder, value)
        shape = self.get_field_position("shape")
        lengths = [builder.extract_value(value, [shape, axis]) for axis in range(self._fe_type.ndim)]
        return self.get(builder, value, "data"), *lengths

    def from_argument(self, builder: Any, value: Any) -> Any:
        """An array without an owner."""
        if not self._is_plain:
            return super().from_argument(builder, value)
        data, *lengths = value
        size = ir.Constant(lengths[-1].type, self.item_size)
        strides, items = [size], lengths[-1]
        for length in reversed(lengths[:-1]):
            strides.insert(0, builder.mul(items, size))
            items = builder.mul(length, items)
        array = ir.Constant(self.get_value_type(), None)
        for name, field in (("nitems", items), ("itemsize", size), ("data", data)):
            array = self.set(builder, array, field, name)
        for name, fields in (("shape", lengths), ("strides", strides)):
            for axis, field in enumerate(fields):
                array = builder.insert_value(array, field, [self.get_field_position(name), axis])
        return array


def _size_of(item: Any) -> int:
    """Bytes; 0 if there is no saying."""
    if isinstance(item, types.Record):
        return int(item.size)
    return int(getattr(item, "bitwidth", 0)) // 8 if isinstance(item, types.Number) else 0


_BORROWING = DataModelManager().chain(default_manager)
_BORROWING.register(types.Array, BorrowedArray)
