"""Memory that is freed goes back to the system."""

import ctypes

import numpy as np
import pytest

from probus.memory import return_free_memory


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
