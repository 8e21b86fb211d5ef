"""What Numba's front end does for a kernel, without what kernels have no use for.

Numba rewrites closures, generators, array expressions and contexts that kernels do not have, and looks five times at
where each variable begins and ends, which matters once, before lowering, and only for arrays that a kernel makes.
"""

from __future__ import annotations

from typing import Any

from numba.core import ir, types
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.errors import NumbaError
from numba.core.ir_utils import build_definitions
from numba.core.postproc import PostProcessor
from numba.core.rewrites import rewrite_registry
from numba.core.ssa import reconstruct_ssa
from numba.core.typed_passes import AnnotateTypes, IRLegalization, NoPythonBackend, PreLowerStripPhis
from numba.core.untyped_passes import (
    DeadBranchPrune,
    FixupArgs,
    GenericRewrites,
    IRProcessing,
    ReconstructSSA,
    RewriteSemanticConstants,
    TranslateByteCode,
)

from posewright.kernels.compiling.part_lowering import PartLowering
from posewright.kernels.compiling.part_typing import PartTyping


@register_pass(mutates_CFG=True, analysis_only=False)
class _Rewrites(GenericRewrites):
    _name = "posewright_rewrites"

    def run_pass(self, state: Any) -> bool:
        blocks = state.func_ir.blocks
        for kind in rewrite_registry.rewrites["before-inference"]:
            rewrite = kind(state)
            waiting = list(blocks.items())
            while waiting:
                label, block = waiting.pop()
                if rewrite.match(state.func_ir, block, state.typemap, state.calltypes):
                    blocks[label] = rewrite.apply()
                    waiting.append((label, blocks[label]))
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class _SingleAssignment(ReconstructSSA):
    _name = "posewright_ssa"

    def run_pass(self, state: Any) -> bool:
        state.func_ir = reconstruct_ssa(state.func_ir)
        self._patch_locals(state)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class _StripPhis(PreLowerStripPhis):
    _name = "posewright_strip_phis"

    def run_pass(self, state: Any) -> bool:
        state.func_ir = self._strip_phi_nodes(state.func_ir)
        state.func_ir._definitions = build_definitions(state.func_ir.blocks)
        return True


@register_pass(mutates_CFG=False, analysis_only=False)
class _Lifetimes(IRLegalization):
    """Marks where variables end whose references to arrays are counted; for others nothing has to be done there."""

    _name = "posewright_lifetimes"

    def run_pass(self, state: Any) -> bool:
        models = state.targetctx.data_model_manager
        if not state.flags.nrt:
            self._require_no_arrays(state, models)
            return True
        PostProcessor(state.func_ir).run(emit_dels=True)
        for block in state.func_ir.blocks.values():
            block.body = [
                statement
                for statement in block.body
                if not isinstance(statement, ir.Del) or models[state.typemap[statement.value]].contains_nrt_meminfo()
            ]
        return True

    def _require_no_arrays(self, state: Any, models: Any) -> None:
        """Refuse a kernel that is given arrays by kernels it calls and counts no references: nobody would free them."""
        for call, signature in state.calltypes.items():
            if isinstance(call, ir.Expr) and call.op == "call":
                called = state.typemap[call.func.name]
                if isinstance(called, types.Dispatcher) and models[signature.return_type].contains_nrt_meminfo():
                    given = f"is given arrays by {called.dispatcher.py_func.__name__}: it has to name np"
                    raise NumbaError(f"{state.func_id.func_name} {given}", call.loc)


_PASSES = (
    TranslateByteCode,
    FixupArgs,
    IRProcessing,
    RewriteSemanticConstants,
    DeadBranchPrune,
    _Rewrites,
    _SingleAssignment,
    PartTyping,
    _StripPhis,
    _Lifetimes,
    AnnotateTypes,
    PartLowering,
    NoPythonBackend,
)


def part_passes() -> PassManager:
    """The passes, in order."""
    manager = PassManager("kernel")
    for one in _PASSES:
        manager.add_pass(one, one.__name__)
    manager.finalize()
    return manager
