"""Memory that is freed goes back to the system."""

import ctypes
import mmap

import numpy as np
import pytest

from probus.memory import return_columns, return_free_memory, returnable


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


@pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="the C library has nothing to return: it is not glibc"
)
def test_what_is_freed_goes_back_to_the_system():
    arrays = [np.ones(10_000) for _ in range(2_000)]  # 160 MB, each too small to be mapped on its own
    keep = arrays[::400]
    del arrays
    before = resident()
    return_free_memory()
    assert len(keep) == 5
    assert resident() < before - 100e6


def test_it_does_nothing_where_the_library_cannot(monkeypatch):
    monkeypatch.setattr("probus.memory._trim", lambda: None)
    before = np.ones(10)
    return_free_memory()
    assert before.sum() == 10


@pytest.mark.skipif(not hasattr(mmap, "MADV_DONTNEED"), reason="the system takes back whole arrays only")
def test_columns_of_a_large_matrix_go_back_to_the_system_and_the_others_keep_their_values():
    matrix = returnable((4, 2_000_000), np.float64)  # 64 MB
    matrix[:] = np.arange(2_000_000)
    before = resident()
    return_columns(matrix[1:], 1_000, 1_999_000)
    assert resident() < before - 40e6
    np.testing.assert_array_equal(matrix[0], np.arange(2_000_000))
    for kept in (slice(1_000), slice(1_999_000, None)):
        np.testing.assert_array_equal(matrix[:, kept], np.tile(np.arange(2_000_000.0)[kept], (4, 1)))


def test_a_small_matrix_keeps_all():
    matrix = returnable((2, 1_000), np.float64)
    matrix[:] = 1.0
    return_columns(matrix, 0, 1_000)
    assert matrix.sum() == 2_000
