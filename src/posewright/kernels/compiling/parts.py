"""Kernels inside kernels: lowered once, then optimised and turned into machine code only as parts of their callers.

Numba by itself makes of every function a finished library with a wrapper for Python, links it into each caller and
optimises all of it again there, so that the depth of calls multiplies the time to compile. A part is not finished: it
keeps its code as lowered, and a kernel called from Python is optimised together with all that it calls.

All that is done with insides of Numba is here and in `passes`.
"""

from __future__ import annotations

import gc
import pickle
import struct
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from llvmlite import binding
from numba.core import caching, config
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, CompileResult, compile_result
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager
from numba.core.runtime import rtsys
from numba.core.types.misc import unliteral

from posewright.kernels.compiling.cache import KernelFile, cache_folder, one_process
from posewright.kernels.compiling.choice import plain, say_why, use_plain
from posewright.kernels.compiling.passes import part_passes

Announce = Callable[[str], None]
_CHECKSUM = struct.Struct("<I")


def dispatcher_of_parts(function: Callable[..., Any], options: dict[str, Any], announce: Announce) -> Any:
    """What Python calls for a kernel: its part, finished; kernels that call it are given the part.

    Args:
        function: The kernel.
        options: As of `numba.njit`.
        announce: Called with the name of a kernel that has to be compiled.
    """
    part = numba.njit(**options, no_cpython_wrapper=True, pipeline_class=_PartCompiler)(function)
    whole = numba.njit(**options, pipeline_class=_compiler_of(part))(function)
    if KernelFile.of(function) is not None:
        _cached(part, _PartCache(function), announce)
        _cached(whole, _KernelCache(function), lambda _: None)
    own_overload, own_template = whole.get_overload, whole.get_call_template

    def call_template(arguments: Any, named: Any) -> Any:
        if plain():
            return own_template(arguments, named)
        # Without its literal types, or a variant would be compiled for each constant in a call.
        return part.get_call_template(tuple(map(unliteral, arguments)), named)

    whole.get_overload = lambda signature: (own_overload if plain() else part.get_overload)(signature)
    whole.get_call_template = call_template
    return whole


# Compiling.


class _PartCompiler(Compiler):
    """Numba's compiler, stopped after lowering."""

    def define_pipelines(self) -> list[PassManager]:
        return [part_passes()]

    def compile_extra(self, func: Callable[..., Any]) -> CompileResult:
        """Lower the function and make it known to its callers."""
        self.state.flags.no_compile = True
        self.state.library = _PartLibrary(self.state.targetctx.codegen(), func.__qualname__)
        result = super().compile_extra(func)
        result.library.finalize()
        result = _found_by_callers(result)
        self.state.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        return result


def _compiler_of(part: Any) -> type[Compiler]:
    """The compiler of what is called from Python: a part (its dispatcher) finished, with a wrapper for Python.

    Where that fails, Numba compiles the function by itself; if it can, it does so with all others from then on.
    """

    class WholeCompiler(Compiler):
        def compile_extra(self, func: Callable[..., Any]) -> CompileResult:
            if plain():
                return super().compile_extra(func)
            arguments, context = tuple(self.state.args), self.state.targetctx
            collected = gc.isenabled()
            gc.disable()  # Numba builds large graphs of small objects, nearly all of them in use
            try:
                part.compile(arguments)
                return _finished(part.overloads[arguments], context, func.__qualname__)
            except Exception as error:
                use_plain(f"as parts of each other they cannot be ({error!r:.200})")
            finally:
                if collected:
                    gc.enable()
            try:
                result = super().compile_extra(func)
            except BaseException:
                use_plain(None)  # a mistake in the kernel
                raise
            say_why()
            return result

    return WholeCompiler


def _finished(part: CompileResult, context: Any, name: str) -> CompileResult:
    library = _WholeLibrary(context.codegen(), name)
    library.entry = part.fndesc.llvm_func_name
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


def _found_by_callers(part: CompileResult) -> CompileResult:
    # Callers find a function by its entry point: for Numba something built in, which is never called of a part.
    return part._replace(entry_point=part.library.__sizeof__)


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

    Nobody else calls these copies of the parts, so they are private: LLVM then inlines those with one caller and drops
    arguments that are not used, of which an array has five. Private, not internal, because an internal function keeps
    its name, and the linker would take it for a part of the same name in another library, with other arguments.

    Loops over a few numbers were unrolled in the parts. To unroll the others too makes half as much machine code again
    and nothing faster.
    """

    entry = ""
    """Name of the kernel itself, which plain Numba may link into others."""

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            known = function.name == self.entry or function.name.startswith("NRT_")  # Numba prunes those by name
            if function.linkage == binding.Linkage.linkonce_odr and not known:
                function.linkage = "private"
        options = binding.create_pipeline_tuning_options(speed_level=config.OPT)
        options.loop_vectorization = bool(config.LOOP_VECTORIZE)
        options.slp_vectorization = bool(config.SLP_VECTORIZE)
        options.loop_unrolling = False
        builder = binding.create_pass_builder(self._codegen._tm, options)
        passes = builder.getModulePassManager()
        passes.add_refprune_pass()
        passes.run(self._final_module, builder)


# Caching, by Numba's own cache, in our folders.


def _cached(dispatcher: Any, cache: _KernelCache, announce: Announce) -> None:
    """Give a dispatcher its cache, and let one process at a time compile for it."""
    dispatcher._cache, cache.announce = cache, announce
    compile_or_load = dispatcher.compile
    lock = Path(cache.cache_path) / f"{cache._impl.filename_base}.lock"

    def compile_alone(signature: Any) -> Any:
        with global_compiler_lock, one_process(lock):  # threads take both in this order
            return compile_or_load(signature)

    dispatcher.compile = compile_alone


class _KernelLocator(caching._CacheLocator):
    """Tells Numba where a kernel's cache is; the folder's name already says which sources it belongs to."""

    kind = "whole"

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> _KernelLocator | None:
        file = KernelFile.of(py_func)
        return None if file is None else cls(cache_folder(file))

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return self.kind


class _KernelCacheImpl(caching.CompileResultCacheImpl):
    _locator_classes = [_KernelLocator]  # noqa: RUF012 (Numba iterates a list)


class _CheckedFile(caching.IndexDataCacheFile):
    """Numba's files, each with a checksum: what is damaged or cut short counts as absent, and is compiled again."""

    def _load_index(self) -> dict[Any, str]:
        found = self._load_data(self._index_name)
        return found[1] if found is not None and found[0] == self._source_stamp else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        self._save_data(self._index_name, (self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:
        with suppress(OSError, struct.error):
            data = Path(self._data_path(name)).read_bytes()
            if _CHECKSUM.unpack_from(data)[0] == zlib.crc32(memoryview(data)[_CHECKSUM.size :]):
                return pickle.loads(memoryview(data)[_CHECKSUM.size :])
        return None

    def _dump(self, obj: Any) -> bytes:
        data: bytes = super()._dump(obj)
        return _CHECKSUM.pack(zlib.crc32(data)) + data


class _KernelCache(caching.FunctionCache):
    _impl_class = _KernelCacheImpl
    announce: Announce

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _CheckedFile(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        # Numba would first load all that it can compile, and SciPy with it, which takes longer than everything else.
        rtsys.initialize(target_context)
        found = None
        with suppress(OSError):
            found = self._load_overload(sig, target_context)
        if found is None:
            self.announce(self._py_func.__name__)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):  # a folder that cannot be written to only costs compiling again in the next process
            super().save_overload(sig, data)


class _PartLocator(_KernelLocator):
    kind = "part"


class _PartCacheImpl(caching.CompileResultCacheImpl):
    _locator_classes = [_PartLocator]  # noqa: RUF012 (Numba iterates a list)

    def reduce(self, data: CompileResult) -> tuple[Any, ...]:
        """What is stored of a part."""
        data.fndesc.typemap = data.fndesc.calltypes = None  # as Numba does: not needed, and not always storable
        module = data.library._final_module.as_bitcode()
        return data.library.name, module, data.fndesc, data.environment, data.signature, data.reload_init

    def rebuild(self, target_context: Any, payload: tuple[Any, ...]) -> CompileResult:
        """The part that was stored."""
        name, module, fndesc, environment, signature, reload_init = payload
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


class _PartCache(_KernelCache):
    _impl_class = _PartCacheImpl
