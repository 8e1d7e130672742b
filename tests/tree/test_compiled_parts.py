"""Parts of kernels are linked into the kernels that call them, and not compiled for themselves."""

import numpy as np
import pytest
from numba import njit

from probus.numba_seam import _versions as versions
from probus.numba_seam import compiled_parts
from probus.tree.kernel_parts import inner, longer


@inner
def double(x):
    return 2.0 * x


@inner
def double_all(values):
    for i in range(len(values)):
        values[i] = double(values[i])


@njit
def kernel(values):
    double_all(values)
    return longer(values, len(values) + 1)[:-1]


def test_a_kernel_contains_its_parts():
    assert kernel(np.arange(3.0)).tolist() == [0.0, 2.0, 4.0]
    assert kernel(np.arange(3, dtype=np.float32)).tolist() == [0.0, 2.0, 4.0]


@pytest.mark.skipif(not compiled_parts.part_options(), reason="this version of Numba was not tried")
def test_no_machine_code_is_generated_for_a_part():
    kernel(np.arange(3.0))
    (part,) = (code for args, code in double_all.overloads.items() if args[0].dtype.bitwidth == 64)
    engine = part.library.codegen._engine
    assert engine.is_symbol_defined(next(iter(kernel.overloads.values())).fndesc.llvm_func_name)
    assert not engine.is_symbol_defined(part.fndesc.llvm_func_name)


def test_a_version_of_numba_not_tried_compiles_parts_as_it_does_by_itself(monkeypatch):
    monkeypatch.setattr(versions, "TRIED", ((0, 1), (0, 2)))
    assert compiled_parts.part_options() == {}
