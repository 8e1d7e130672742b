"""The weights of the network that the package has: read when they are needed, and checked."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import numpy as np

from probus.errors import ModelFileError
from probus.in_context._network import Network

WEIGHTS_FILE = Path(__file__).parent / "weights" / "network.npz"
SHA256 = "9e7290d8160b83e359e9b96c3655c7b722fb129226e6b87616e0ea741d03545d"


@cache
def shipped_network() -> Network:
    """The network; a ModelFileError where the file is not the one that this version was released with."""
    content = WEIGHTS_FILE.read_bytes()
    if sha256(content).hexdigest() != SHA256:
        raise ModelFileError(f"{WEIGHTS_FILE} has changed.", "the weights of this version", "Install probus again.")
    with np.load(BytesIO(content), allow_pickle=False) as arrays:
        return Network({name: arrays[name].astype(np.float32) for name in arrays.files})
