"""The only place that imports PyTorch, when a network is trained: its devices, its random numbers, its threads.

A module with classes of PyTorch begins with ``torch = load_torch()`` and is imported within functions only.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from probus.errors import DataError

# dropout draws from the generator of the process, so that networks on several threads are trained in turn
_one_at_a_time = threading.RLock()
_one_precision = threading.RLock()  # a setting of the process too
_ANY_DEVICE = "Pass device='auto', or device='cpu'."


def load_torch(needed_by: str = "this network") -> Any:
    """The module ``torch``; an error that names the extra where it is not installed."""
    try:
        import torch
    except ImportError:
        raise DataError(
            f"{needed_by} needs PyTorch, which is not installed.",
            "it to be installed",
            "Run pip install 'probus[neural]'.",
        ) from None
    return torch


def pytorch_is_installed() -> bool:
    """Whether PyTorch can be imported."""
    try:
        load_torch()
    except DataError:
        return False
    return True


def device_named(wanted: str) -> Any:
    """The device for a parameter ``device``: "auto", "cpu", "cuda", "cuda:1" or "mps".

    >>> device_named("cpu")
    device(type='cpu')
    """
    kind, _, number = str(wanted).partition(":")
    if wanted not in ("auto", "cpu", "mps") and (kind != "cuda" or not (number.isdigit() or wanted == "cuda")):
        raise DataError(f"device={wanted!r}.", "'auto', 'cpu', 'cuda', 'cuda:0', … or 'mps'", _ANY_DEVICE)
    torch = load_torch(f"device={wanted!r}")
    n_gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    has_mps = bool(torch.backends.mps.is_available())
    if wanted == "auto":
        return (
            torch.device("cuda", torch.cuda.current_device()) if n_gpus else torch.device("mps" if has_mps else "cpu")
        )
    if wanted in ("cpu", "mps"):
        if wanted == "mps" and not has_mps:
            raise _no_device(wanted, "PyTorch finds no GPU of Apple.")
        return torch.device(wanted)
    if n_gpus <= int(number or 0):
        raise _no_device(wanted, f"PyTorch finds {n_gpus or 'no'} GPU{'s' * (n_gpus > 1)} with CUDA.")
    return torch.device("cuda", int(number) if number else torch.cuda.current_device())


def _no_device(wanted: str, found: str) -> DataError:
    return DataError(f"device={wanted!r}: {found}", "a device that is there", _ANY_DEVICE)


def gpu_named(wanted: str) -> Any:
    """The GPU for a parameter ``device`` of a model that needs no PyTorch without one; None for a processor.

    >>> gpu_named("cpu") is None
    True
    """
    if wanted == "cpu" or (wanted == "auto" and not pytorch_is_installed()):
        return None
    device = device_named(wanted)
    return None if device.type == "cpu" else device


@contextmanager
def without_tf32() -> Iterator[None]:
    """Within, GPUs multiply matrices with all digits of single precision, also where the process allows TF32."""
    matmul = load_torch().backends.cuda.matmul
    name, exact = ("fp32_precision", "ieee") if hasattr(matmul, "fp32_precision") else ("allow_tf32", False)
    with _one_precision:
        before = getattr(matmul, name)
        setattr(matmul, name, exact)
        try:
            yield
        finally:
            setattr(matmul, name, before)


# -- random numbers ------------------------------------------------------------------------------------


def seed_of(random_state: Any) -> int:
    """A seed for PyTorch from a parameter ``random_state``."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


@contextmanager
def seeded(seed: int, device: Any) -> Iterator[None]:
    """Within, PyTorch draws from that seed; afterwards its generators are as they were."""
    torch = load_torch()
    with _one_at_a_time:
        before = random_states(device)
        try:
            torch.default_generator.manual_seed(seed)
            if device.type == "cuda":
                torch.cuda.default_generators[device.index].manual_seed(seed)
            elif device.type == "mps":
                torch.mps.manual_seed(seed)
            yield
        finally:
            set_random_states(device, before)


def random_states(device: Any) -> list[np.ndarray]:
    """The states of the generators of the processor and of the device, as bytes."""
    torch = load_torch()
    states = [torch.get_rng_state()]
    if device.type == "cuda":
        states.append(torch.cuda.get_rng_state(device))
    elif device.type == "mps":
        states.append(torch.mps.get_rng_state())
    return [state.cpu().numpy().copy() for state in states]


def set_random_states(device: Any, states: list[np.ndarray]) -> None:
    """Return to those states."""
    torch = load_torch()
    torch.set_rng_state(torch.from_numpy(states[0].copy()))
    if len(states) == 1:  # of a training on a processor
        return
    if device.type == "cuda":
        torch.cuda.set_rng_state(torch.from_numpy(states[1].copy()), device)
    elif device.type == "mps":
        torch.mps.set_rng_state(torch.from_numpy(states[1].copy()))


# -- threads -------------------------------------------------------------------------------------------


@contextmanager
def threads(n_jobs: int | None) -> Iterator[None]:
    """Within, PyTorch uses that many threads; None leaves its own number."""
    torch = load_torch()
    before = torch.get_num_threads()
    if n_jobs is None or n_jobs == before:
        yield
        return
    import joblib

    torch.set_num_threads(n_jobs if n_jobs > 0 else max(1, joblib.cpu_count() + 1 + n_jobs))
    try:
        yield
    finally:
        torch.set_num_threads(before)
