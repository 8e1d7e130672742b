"""The network of the package on a device: its weights are read when they are needed, and checked."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from probus.errors import ModelFileError
from probus.in_context._network import Network
from probus.neural_network import gpu_named

WEIGHTS_FILE = Path(__file__).parent / "weights" / "network.npz"
SHA256 = "9e7290d8160b83e359e9b96c3655c7b722fb129226e6b87616e0ea741d03545d"


def network_on(device: str) -> Any:
    """The network for a parameter ``device``: in PyTorch on a GPU, in NumPy on a processor."""
    gpu = gpu_named(device)
    return shipped_network() if gpu is None else _network_of_pytorch(gpu)


@cache
def shipped_network() -> Network:
    """The network in NumPy."""
    return Network(_weights())


@cache
def _network_of_pytorch(device: Any) -> Any:
    from probus.in_context._device_network import DeviceNetwork

    return DeviceNetwork(_weights(), device)


def _weights() -> dict[str, np.ndarray]:
    """The weights by name; a ModelFileError where the file is not the one that this version was released with."""
    content = WEIGHTS_FILE.read_bytes()
    if sha256(content).hexdigest() != SHA256:
        raise ModelFileError(f"{WEIGHTS_FILE} has changed.", "the weights of this version", "Install probus again.")
    with np.load(BytesIO(content), allow_pickle=False) as arrays:
        return {name: arrays[name].astype(np.float32) for name in arrays.files}
