"""Compilation of the parts of kernels: functions that other compiled functions call, and Python never does.

Numba optimises every function and generates its machine code before it is linked into those that call it, where both
are done again: for a part five calls below a kernel, six times. Here a part is only linked, and the kernel optimised
with all of its parts; this takes a third off the time of compiling, and the code is as fast.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.cpu import CPUTargetOptions

from probus.numba_seam._versions import are_tried

__all__ = ["borrowing_options", "part_options"]


class _PartLibrary(JITCodeLibrary):
    """The code of a part, to be linked into others."""

    def __init__(self, context: Any, name: str):
        super().__init__(context.codegen(), name)
        self._context = context

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        # Numba sets a variable to the environment of every function: it must exist
        module = self._codegen._create_empty_module(self.name)
        environments = [v.name for v in self._final_module.global_variables if v.name.startswith("_ZN08NumbaEnv")]
        for name in environments:
            self._context.declare_env_global(module, name)
        self._codegen._add_module(llvm.parse_assembly(str(module)))
        self._finalized = True


class _PartCompiler(Compiler):
    def define_pipelines(self) -> Any:
        state = self.state
        if state.library is None:
            state.library = _PartLibrary(state.targetctx, state.func_id.func_qualname)
        return super().define_pipelines()


def part_options() -> dict[str, Any]:
    """What ``njit`` needs to compile a part this way; nothing in a version of Numba for which it was not tried."""
    return {"pipeline_class": _PartCompiler} if are_tried() else {}


def borrowing_options() -> dict[str, Any]:
    """What it needs further if the part neither makes nor returns arrays: it borrows those of its caller.

    Counting references, with a lock each time, would take a sixth of the time of small nodes and an eighth of
    compiling. They are counted where Numba no longer has the option.
    """
    return {"_nrt": False} if hasattr(CPUTargetOptions, "_nrt") else {}
