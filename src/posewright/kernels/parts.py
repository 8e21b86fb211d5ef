"""Kernels inside kernels: lowered once, then optimised and turned into machine code only as parts of their callers.

Numba by itself makes of every function a finished library with a wrapper for Python, links it into each caller and
optimises all of it again there, so that the depth of calls multiplies the time to compile. A part is not finished: it
keeps its code as lowered, and whoever is called from Python optimises it together with everything else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import binding
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, compile_result


class PartCompiler(Compiler):
    """Numba's compiler, stopped after lowering."""

    def compile_extra(self, func: Callable[..., Any]) -> CompileResult:
        """Lower the function and make it known to its callers."""
        self.state.flags.no_compile = True
        self.state.library = _PartLibrary(self.state.targetctx.codegen(), func.__qualname__)
        result = super().compile_extra(func)
        result.library.finalize()
        result = _found_by_callers(result)
        self.state.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        return result


class WholeCompiler(Compiler):
    """Numba's compiler, for what is called from Python and may consist of parts."""

    def compile_extra(self, func: Callable[..., Any]) -> CompileResult:
        """Compile, and give each part its environment, as Numba does with what it loads from a cache."""
        result = super().compile_extra(func)
        for environment in result._find_referenced_environments():
            result.codegen.set_env(environment.env_name, environment)
        return result


def packed(part: CompileResult) -> tuple[Any, ...]:
    """What is stored of a part."""
    part.fndesc.typemap = part.fndesc.calltypes = None  # as Numba does: not needed, and not always storable
    module = part.library._final_module.as_bitcode()
    return part.library.name, module, part.fndesc, part.environment, part.signature, part.reload_init


def unpacked(target_context: Any, stored: tuple[Any, ...]) -> CompileResult:
    """The part that `packed` stored."""
    name, module, fndesc, environment, signature, reload_init = stored
    for initialise in reload_init:
        initialise()
    library = _PartLibrary(target_context.codegen(), name)
    library._final_module = binding.parse_bitcode(module)
    library._finalized = True
    return _found_by_callers(
        compile_result(
            target_context=target_context,
            typing_context=target_context.typing_context,
            library=library,
            fndesc=fndesc,
            environment=environment,
            signature=signature,
            objectmode=False,
            reload_init=reload_init,
        )
    )


def _found_by_callers(part: CompileResult) -> CompileResult:
    # Callers find a function by its entry point: for Numba something built in, which of a part nobody calls.
    return part._replace(entry_point=part.library.__sizeof__)


class _PartLibrary(JITCodeLibrary):
    """Code that is linked into others, together with what it calls, and never runs by itself."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True
