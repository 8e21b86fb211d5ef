"""Loops over `range` in kernels, in a third of the code.

Numba prepares for steps of any sign and takes ways around memory for all that a loop has to know.
"""

from __future__ import annotations

from typing import Any

from llvmlite.ir import Constant
from numba.core import ir, types
from numba.core.cgutils import alloca_once
from numba.core.ir_utils import get_definition, guard
from numba.core.types.iterators import RangeIteratorType

from posewright.kernels.compiling.part_items import ItemLowering


class LoopLowering(ItemLowering):
    """Numba's lowering, with items and loops in the short way."""

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        """What is not a statement, among that the beginning and the steps of a loop."""
        if expr.op == "getiter" and self._counts_by_one(expr.value):
            return self._begin(expr.value, resty)
        if expr.op == "iternext" and isinstance(self.typeof(expr.value.name), RangeIteratorType):
            return self._next(expr.value, resty)
        if expr.op in ("pair_first", "pair_second"):
            found = self.field(expr.value, expr.op.removeprefix("pair_"))
            self.incref(resty, found)
            return found
        return super().lower_expr(resty, expr)

    def _counts_by_one(self, variable: Any) -> bool:
        """Whether a variable is a `range` whose step was not given."""
        made = guard(get_definition, self.func_ir, variable)
        if not (isinstance(made, ir.Expr) and made.op == "call" and len(made.args) < 3 and not made.vararg):
            return False
        called = self.typeof(made.func.name)
        return isinstance(called, types.Function) and called.typing_key is range

    def _begin(self, limits: Any, iterator: Any) -> Any:
        """The iterator of a range: where its number and its count of numbers left are kept, and its step."""
        builder, model = self.builder, self.context.data_model_manager[iterator]
        start, stop = self.field(limits, "start"), self.field(limits, "stop")
        begun = Constant(model.get_value_type(), None)
        for name, number in (("iter", start), ("count", builder.sub(stop, start))):
            place = alloca_once(builder, number.type)
            builder.store(number, place)
            begun = model.set(builder, begun, place, name)
        return model.set(builder, begun, Constant(start.type, 1), "step")

    def _next(self, iterator: Any, pair: Any) -> Any:
        """The next number, and whether there was one left."""
        builder, model = self.builder, self.context.data_model_manager[pair]
        number_at, count_at = self.field(iterator, "iter"), self.field(iterator, "count")
        number, count = builder.load(number_at), builder.load(count_at)
        builder.store(builder.add(number, self.field(iterator, "step")), number_at)
        builder.store(builder.sub(count, Constant(count.type, 1), flags=["nsw"]), count_at)
        found = model.set(builder, Constant(model.get_value_type(), None), number, "first")
        return model.set(builder, found, builder.icmp_signed(">", count, Constant(count.type, 0)), "second")
