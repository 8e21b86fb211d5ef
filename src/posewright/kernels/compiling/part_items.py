"""Items of arrays in kernels: numbers, records, rows and whole arrays found by where the array is and its shape.

Numba finds the way to every item by strides and copies the array's description each time, and fills arrays in loops
for any layout: together half of the code to compile.
"""

from __future__ import annotations

from typing import Any

from llvmlite.ir import Constant
from numba.core import ir, types
from numba.core.lowering import Lower
from numba.core.types.containers import BaseTuple
from numba.core.types.misc import unliteral

from posewright.kernels.compiling.part_arguments import borrowed_array, is_plain
from posewright.kernels.compiling.part_new_arrays import MAKERS, fill, lower_maker, maker_signature


class ItemLowering(Lower):
    """Numba's lowering, with plain arrays handled in the short way."""

    context: Any

    def field(self, variable: Any, name: str) -> Any:
        """Of a variable whose value is a structure, as the description of an array."""
        model = self.context.data_model_manager[self.typeof(variable.name)]
        return model.get(self.builder, self.loadvar(variable.name), name)

    def lower_call(self, resty: Any, expr: Any) -> Any:
        """A call, among them the making of an array."""
        called, signature = self.typeof(expr.func.name), self.fndesc.calltypes[expr]
        if getattr(called, "typing_key", None) in MAKERS and expr.args and maker_signature(signature.args, {}):
            lengths = self._numbers_in(expr.args[0])
            return lower_maker(self.context, self.builder, called.typing_key, signature.return_type, lengths)
        return super().lower_call(resty, expr)

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        """What is not a statement, among that the shape of an array."""
        if expr.op == "getattr" and expr.attr == "shape" and isinstance(self.typeof(expr.value.name), types.Array):
            return self.field(expr.value, "shape")
        return super().lower_expr(resty, expr)

    def lower_getitem(self, resty: Any, expr: Any, value: Any, index: Any, signature: Any) -> Any:
        """`value[index]`."""
        if not self._is_plain_item(value, index):
            return super().lower_getitem(resty, expr, value, index, signature)
        place = self._place_of(value, index)
        if not isinstance(resty, types.Array):
            return self.context.unpack_value(self.builder, resty, place)
        model, lengths = borrowed_array(resty), self._lengths(value)[len(self._types_in(index)) :]
        row = model.from_argument(self.builder, (place, *lengths))
        row = model.set(self.builder, row, self.field(value, "meminfo"), "meminfo")
        self.incref(resty, row)
        return row

    def lower_setitem(self, target_var: Any, index_var: Any, value_var: Any, signature: Any) -> Any:
        """`target[index] = value`."""
        if not (self._is_plain_item(target_var, index_var) and self._is_number(value_var)):
            return super().lower_setitem(target_var, index_var, value_var, signature)
        return self.builder.store(self._cast_to_item(value_var, target_var), self._place_of(target_var, index_var))

    def lower_inst(self, inst: Any) -> Any:
        """A statement, among them `target[:] = value`."""
        if not (isinstance(inst, ir.StaticSetItem) and self._is_fill(inst)):
            return super().lower_inst(inst)
        model = self.context.data_model_manager[self.typeof(inst.target.name)]
        return fill(self.builder, model, self.loadvar(inst.target.name), self._cast_to_item(inst.value, inst.target))

    def _is_fill(self, statement: Any) -> bool:
        """Whether it is `array[:] = number`, or the same with more axes."""
        everything = (slice(None),) * getattr(self.typeof(statement.target.name), "ndim", 0)
        return (
            self._is_plain_array(statement.target)
            and self._is_number(statement.value)
            and statement.index in (slice(None), everything)
        )

    def _is_plain_item(self, array: Any, index: Any) -> bool:
        """Whether `array[index]` is a number, a record or a row of a plain array."""
        along = self._types_in(index)
        return (
            self._is_plain_array(array)
            and 0 < len(along) <= self.typeof(array.name).ndim
            and all(isinstance(unliteral(each), types.Integer) for each in along)
        )

    def _is_plain_array(self, variable: Any) -> bool:
        kind = self.typeof(variable.name)
        return isinstance(kind, types.Array) and kind.aligned and is_plain(kind)

    def _is_number(self, variable: Any) -> bool:
        return isinstance(unliteral(self.typeof(variable.name)), types.Number)

    def _types_in(self, index: Any) -> list[Any]:
        """Numba's type of the number along each axis."""
        kind = self.typeof(index.name)
        return list(kind) if isinstance(kind, BaseTuple) else [kind]

    def _numbers_in(self, index: Any) -> list[Any]:
        """The number along each axis."""
        kinds, value = self._types_in(index), self.loadvar(index.name)
        numbers = [value]
        if isinstance(self.typeof(index.name), BaseTuple):
            numbers = [self.builder.extract_value(value, axis) for axis in range(len(kinds))]
        return [
            self.context.cast(self.builder, number, kind, types.intp)
            for number, kind in zip(numbers, kinds, strict=True)
        ]

    def _place_of(self, array: Any, index: Any) -> Any:
        """Pointer to `array[index]`; an index below zero counts from the end."""
        builder, kinds, steps = self.builder, self._types_in(index), self._numbers_in(index)
        offset = None
        for axis, length in enumerate(self._lengths(array)):
            offset = offset and builder.mul(offset, length)
            if axis < len(steps):
                step = steps[axis]
                if unliteral(kinds[axis]).signed:
                    below = builder.icmp_signed("<", step, Constant(step.type, 0))
                    step = builder.select(below, builder.add(step, length), step)
                offset = builder.add(offset, step) if offset else step
        return builder.gep(self.field(array, "data"), [offset], inbounds=True)

    def _cast_to_item(self, variable: Any, array: Any) -> Any:
        """The value of a variable as a number of an array."""
        dtype = self.typeof(array.name).dtype
        return self.context.cast(self.builder, self.loadvar(variable.name), self.typeof(variable.name), dtype)

    def _lengths(self, array: Any) -> list[Any]:
        """The length of an array along each axis."""
        shape = self.field(array, "shape")
        return [self.builder.extract_value(shape, axis) for axis in range(self.typeof(array.name).ndim)]
