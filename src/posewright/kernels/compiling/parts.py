"""Kernels inside kernels: lowered once, then optimised and turned into machine code only as parts of their callers.

Numba by itself makes of every function a finished library with a wrapper for Python, links it into each caller and
optimises all of it again there, so that the depth of calls multiplies the time to compile. A part is not finished: it
keeps its code as lowered, and whoever is called from Python optimises it together with everything else.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import binding
from numba.core import config
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, Flags, compile_result
from numba.core.compiler_machinery import PassManager

from posewright.kernels.compiling.choice import plain, tried_plainly
from posewright.kernels.compiling.part_passes import part_passes


class PartCompiler(Compiler):
    """Numba's compiler, stopped after lowering."""

    def define_pipelines(self) -> list[PassManager]:
        """The one way to compile."""
        return [part_passes()]

    def compile_extra(self, func: Callable[..., Any]) -> CompileResult:
        """Lower the function and make it known to its callers."""
        self.state.flags = _QuickFlags(self.state.flags)
        self.state.flags.no_compile = True
        self.state.library = _PartLibrary(self.state.targetctx.codegen(), func.__qualname__)
        result = super().compile_extra(func)
        result.library.finalize()
        result = _found_by_callers(result)
        self.state.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        return result


def compiler_of(part: Any) -> type[Compiler]:
    """The compiler of what is called from Python: a part that is finished and gets a wrapper for Python.

    Where that fails, Numba compiles the function by itself; if it can, it does so with all others from then on.

    Args:
        part: Numba's dispatcher of the part.
    """

    class WholeCompiler(Compiler):
        def compile_extra(self, func: Callable[..., Any]) -> CompileResult:
            if plain():
                return super().compile_extra(func)
            arguments, context = tuple(self.state.args), self.state.targetctx
            try:
                with _nothing_collected():
                    part.compile(arguments)
                    return _finished(part.overloads[arguments], context, func.__qualname__)
            except Exception as error:
                with tried_plainly(f"as parts of each other they cannot be ({error!r:.200})"):
                    return super().compile_extra(func)

    return WholeCompiler


def _finished(part: CompileResult, context: Any, name: str) -> CompileResult:
    library = _WholeLibrary(context.codegen(), name)
    library.enable_object_caching()
    library.add_linking_library(part.library)
    # Python keeps the arguments during the call: only what is returned needs its references counted.
    counted = context.data_model_manager[part.signature.return_type].contains_nrt_meminfo()
    context.subtarget(enable_nrt=counted).create_cpython_wrapper(
        library, part.fndesc, part.environment, None, release_gil=True
    )
    entry_point = context.get_executable(library, part.fndesc, part.environment)
    context.insert_user_function(entry_point, part.fndesc, [library])
    result = part._replace(library=library, entry_point=entry_point, metadata={})
    for environment in result._find_referenced_environments():  # as of what Numba loads from a cache
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
            lifted=(),
            reload_init=reload_init,
        )
    )


def _found_by_callers(part: CompileResult) -> CompileResult:
    # Callers find a function by its entry point: for Numba something built in, which of a part nobody calls.
    return part._replace(entry_point=part.library.__sizeof__)


class _QuickFlags(Flags):
    """Numba's flags, which it compares for nearly every operation that it types, compared by what was set."""

    __slots__ = ()

    def __hash__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Flags) and self._values == other._values


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Do not look for garbage while Numba builds large graphs of small objects, nearly all of them in use."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


class _PartLibrary(JITCodeLibrary):
    """Code that is linked into others, together with what it calls, and never runs by itself."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout
        for function in module.functions:
            if not function.is_declaration:
                passes, builder = self._codegen._function_pass_manager()
                passes.run(function, builder)

    def finalize(self) -> None:
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True


class _WholeLibrary(JITCodeLibrary):
    """Code that is called from Python, optimised together with all its parts in one go.

    Loops over a few numbers were unrolled in the parts. To unroll the others too makes half as much machine code again
    and nothing faster.
    """

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        options = binding.create_pipeline_tuning_options(speed_level=config.OPT)
        options.loop_vectorization = bool(config.LOOP_VECTORIZE)
        options.slp_vectorization = bool(config.SLP_VECTORIZE)
        options.loop_unrolling = False
        builder = binding.create_pass_builder(self._codegen._tm, options)
        passes = builder.getModulePassManager()
        passes.add_refprune_pass()
        passes.run(self._final_module, builder)
