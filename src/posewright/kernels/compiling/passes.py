"""The passes of Numba's front end that a kernel needs, each operation typed once.

Numba also rewrites closures, generators, array expressions and contexts, which kernels do not have, and types every
`a + b` by trying dozens of definitions. The passes here are Numba's own; what they make of a kernel is the same.
"""

from __future__ import annotations

from typing import Any

from numba.core import ir, types
from numba.core.compiler_machinery import AnalysisPass, PassManager, register_pass
from numba.core.typed_passes import (
    AnnotateTypes,
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.types.containers import BaseTuple
from numba.core.types.misc import EllipsisType, SliceType, unliteral
from numba.core.untyped_passes import (
    DeadBranchPrune,
    FixupArgs,
    GenericRewrites,
    IRProcessing,
    ReconstructSSA,
    RewriteSemanticConstants,
    TranslateByteCode,
)


class _RememberingContext:
    """Numba's typing context for one kernel, which remembers the signatures of operators and of functions of `math`."""

    _PURE_MODULES = frozenset({"_operator", "math", "builtins"})
    _known: dict[int, tuple[Any, dict[tuple[Any, ...], Any]]] = {}  # noqa: RUF012 (shared: for all kernels of a process)

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, func: Any, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        """The signature of a call, from memory if there was one like it."""
        function = func if isinstance(func, types.Type) else self._context._lookup_global(func)
        pure = type(function) is types.Function and self._is_pure(function.typing_key)
        if kws or not pure:
            return self._context.resolve_function_type(func, args, kws)
        if all(isinstance(unliteral(argument), types.Number) for argument in args):
            args = tuple(map(unliteral, args))  # as Numba, which looks at constants only where types do not suffice
        # Numba keeps with this very object what it will call for a signature: another one has to find out again.
        _, signatures = self._known.setdefault(id(function), (function, {}))
        found = signatures.get(args)
        if found is None:
            found = self._context.resolve_function_type(func, args, kws)
            if found is not None:
                signatures[args] = found
        return found

    def _is_pure(self, function: Any) -> bool:
        return getattr(function, "__module__", "") in self._PURE_MODULES


@register_pass(mutates_CFG=True, analysis_only=False)
class _Typing(NopythonTypeInference):
    _name = "posewright_type_inference"

    def run_pass(self, state: Any) -> bool:
        context = state.typingctx
        state.typingctx = _RememberingContext(context)
        try:
            return super().run_pass(state)
        finally:
            state.typingctx = context


@register_pass(mutates_CFG=False, analysis_only=True)
class _References(AnalysisPass):
    """Counts references to arrays only in kernels that make arrays, are given some by a call, or return them.

    All others look at arrays that their caller keeps. Counting there too makes some solves take half as long again.
    """

    _name = "posewright_references"
    _VIEWS = frozenset({"getattr", "getitem", "static_getitem", "typed_getitem", "cast", "phi", "build_tuple"})
    _VIEWS |= {"getiter", "iternext", "pair_first", "exhaust_iter"}

    def __init__(self) -> None:
        AnalysisPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        models = state.targetctx.data_model_manager
        owned = models[state.return_type].contains_nrt_meminfo() or any(
            models[state.typemap[statement.target.name]].contains_nrt_meminfo()
            for block in state.func_ir.blocks.values()
            for statement in block.find_insts(ir.Assign)
            if isinstance(statement.value, ir.Expr) and not self._is_view(statement.value, state.typemap)
        )
        if not owned:
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        return False

    def _is_view(self, expression: ir.Expr, typemap: dict[str, Any]) -> bool:
        if expression.op != "getitem":
            return expression.op in self._VIEWS
        index = typemap[expression.index.name]
        parts = index.types if isinstance(index, BaseTuple) else (index,)
        return all(isinstance(part, types.Integer | SliceType | EllipsisType) for part in parts)


_PASSES = (
    TranslateByteCode,
    FixupArgs,
    IRProcessing,
    RewriteSemanticConstants,
    DeadBranchPrune,
    GenericRewrites,
    ReconstructSSA,
    _Typing,
    PreLowerStripPhis,
    IRLegalization,
    AnnotateTypes,
    _References,
    NativeLowering,
    NoPythonBackend,
)


def part_passes() -> PassManager:
    """The passes, in order."""
    manager = PassManager("kernel")
    for one in _PASSES:
        manager.add_pass(one, one.__name__)
    manager.finalize()
    return manager
