"""From Numba's typed statements to LLVM's: as Numba does it, in fewer steps, for kernels that borrow their arrays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import ir
from numba.core.cgutils import alloca_once
from numba.core.compiler_machinery import register_pass
from numba.core.errors import NumbaError
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering

from posewright.kernels.compiling.part_arguments import borrowing
from posewright.kernels.compiling.part_loops import LoopLowering


class _Lower(LoopLowering):
    """Numba's lowering of one function."""

    context: Any

    def setup_function(self, fndesc: Any) -> None:
        with self._borrowing():
            super().setup_function(fndesc)

    def extract_function_arguments(self) -> Any:
        with self._borrowing():
            return super().extract_function_arguments()

    def lower_block(self, block: Any) -> None:
        # As Numba's, which prepares for an error at every statement.
        self.pre_block(block)
        for statement in block.body:
            self.loc = statement.loc
            try:
                self.lower_inst(statement)
            except NumbaError as error:
                error.add_context(f"lowering {statement} at {self.loc}")
                raise
        self.post_block(block)

    def lower_inst(self, inst: Any) -> Any:
        # As Numba's, which writes every statement out for its log.
        if not isinstance(inst, ir.Assign):
            return super().lower_inst(inst)
        argument = inst.value.index + 1 if isinstance(inst.value, ir.Arg) else None
        self.storevar(self.lower_assign(self.typeof(inst.target.name), inst), inst.target.name, argument)

    def lower_binop(self, resty: Any, expr: Any, op: Any) -> Any:
        # As Numba's, which types every operation once more.
        signature = self.fndesc.calltypes[expr]
        if {expr.static_lhs, expr.static_rhs} != {ir.UNDEFINED}:
            return super().lower_binop(resty, expr, op)
        context, builder = self.context, self.builder
        values = [
            context.cast(builder, self.loadvar(side.name), self.typeof(side.name), wanted)
            for side, wanted in zip((expr.lhs, expr.rhs), signature.args, strict=True)
        ]
        function = context.typing_context.resolve_value_type(op)
        if signature.args not in function._impl_keys:  # `a += b` was typed, `a + b` will be called
            function.get_call_type(context.typing_context, signature.args, {})
        found = context.get_function(function, signature)(builder, values)
        return context.cast(builder, found, signature.return_type, resty)

    def storevar(self, value: Any, name: str, argidx: int | None = None) -> None:
        # As Numba's, which asks LLVM for the size of every argument, for debuggers.
        if argidx is None or name in self._singly_assigned_vars:
            super().storevar(value, name, argidx)
        else:
            self._alloca_var(name, self.typeof(name))
            self.builder.store(value, self.getvar(name))

    def alloca_lltype(self, name: str, lltype: Any, datamodel: Any = None) -> Any:
        # As Numba's, which does the same for every variable.
        return alloca_once(self.builder, lltype, name=name)

    @contextmanager
    def _borrowing(self) -> Iterator[None]:
        context = self.context
        self.context = borrowing(context, self.fndesc)
        try:
            yield
        finally:
            self.context = context


@register_pass(mutates_CFG=True, analysis_only=False)
class PartLowering(NativeLowering):
    """The pass that lowers."""

    _name = "posewright_lowering"

    @property
    def lowering_class(self) -> type[Lower]:
        """What lowers one function."""
        return _Lower
