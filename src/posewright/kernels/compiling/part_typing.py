"""Types of a kernel's variables, each operation typed once.

Numba types every `a + b` by trying dozens of definitions.
"""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NopythonTypeInference
from numba.core.types.misc import unliteral

from posewright.kernels.compiling.part_new_arrays import MAKERS, maker_signature


class _RememberingContext:
    """Numba's typing context for one user of it: what operators and `math` make of types is kept."""

    _PURE_MODULES = frozenset({"_operator", "math", "builtins"})
    _known: dict[int, tuple[Any, dict[tuple[Any, ...], Any]]] = {}  # noqa: RUF012 (shared: for all kernels of a process)

    def __init__(self, context: Any) -> None:
        self._context = context

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, func: Any, args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        """The signature of a call, from memory if there was one like it."""
        function = func if isinstance(func, types.Type) else self._context._lookup_global(func)
        if getattr(function, "typing_key", None) in MAKERS and (made := maker_signature(args, kws)):
            return made
        if kws or type(function) is not types.Function or not self._is_pure(function.typing_key):
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
class PartTyping(NopythonTypeInference):
    """Type inference that remembers."""

    _name = "posewright_type_inference"

    def run_pass(self, state: Any) -> bool:
        """As Numba's."""
        context = state.typingctx
        state.typingctx = _RememberingContext(context)
        try:
            return super().run_pass(state)
        finally:
            state.typingctx = context
