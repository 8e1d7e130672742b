"""Checkpoints as plain arrays: ``full-*.npz`` of at most 15 MiB to go on from, half-precision weights to use.

bfloat16 momentum is stored as the bits of unsigned 16-bit numbers.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

import probus.in_context
from research.incontext.model import InContextNetwork, Settings

__all__ = ["averaged_file", "load_half", "load_network", "newest", "read_counts", "read_full", "save_full", "save_half"]

_SHIPPED = Path(__file__).parent / "checkpoint"  # has counts and log; its weights are in the package
_WEIGHTS_FILE = Path(probus.in_context.__file__).parent / "weights" / "network.npz"
_MOST_BYTES = 15 * 2**20
_BITS = "bits:"


def averaged_file(folder: Path) -> Path:
    """The half-precision weights of a checkpoint."""
    return _WEIGHTS_FILE if folder.resolve() == _SHIPPED else folder / "averaged.npz"


def save_half(file: Path, weights: dict[str, Tensor]) -> None:
    np.savez(file, **{name: value.detach().half().cpu().numpy() for name, value in weights.items()})


def load_half(file: Path) -> dict[str, Tensor]:
    with np.load(file) as arrays:
        return {name: torch.from_numpy(arrays[name]).float() for name in arrays.files}


def load_network(file: Path, settings: Settings = Settings()) -> InContextNetwork:  # noqa: B008 (frozen)
    """The network with half-precision weights of a file, ready to predict."""
    network = InContextNetwork(settings)
    network.load_state_dict(load_half(file))
    return network.eval()


def save_full(
    folder: Path, network: nn.Module, moments: dict[str, Tensor], averaged: dict[str, Tensor], state: dict[str, Any]
) -> None:
    """Weights in single precision, moments in bfloat16, averaged weights in half, and the counts of ``state``."""
    folder.mkdir(parents=True, exist_ok=True)
    arrays = {f"weight:{name}": value.detach().cpu().numpy() for name, value in network.state_dict().items()}
    for name, value in moments.items():
        if value.ndim:
            arrays[f"{_BITS}{name}"] = value.detach().bfloat16().cpu().view(torch.uint16).numpy()
        else:
            arrays[f"moment:{name}"] = value.detach().cpu().numpy()
    for old in folder.glob("full-*.npz"):
        old.unlink()
    for i, part in enumerate(_parts(arrays)):
        np.savez(folder / f"full-{i}.npz", **part)
    save_half(folder / "averaged.npz", averaged)
    (folder / "state.json").write_text(json.dumps(state))


def _parts(arrays: dict[str, np.ndarray]) -> list[dict[str, np.ndarray]]:
    parts: list[dict[str, np.ndarray]] = [{}]
    size = 0
    for name, value in arrays.items():
        if size + value.nbytes + 512 > _MOST_BYTES:
            parts.append({})
            size = 0
        parts[-1][name] = value
        size += value.nbytes + 512
    return parts


def read_full(folder: Path) -> tuple[dict[str, Tensor], dict[str, Tensor]] | None:
    """Weights and moments; None where the folder has half-precision weights only."""
    weights, moments, files = {}, {}, sorted(folder.glob("full-*.npz"))
    for file in files:
        with np.load(file) as arrays:
            for key in arrays.files:
                kind, name = key.split(":", 1)
                value = torch.from_numpy(arrays[key])
                if kind == "weight":
                    weights[name] = value
                else:
                    moments[name] = value.view(torch.bfloat16).float() if kind == "bits" else value
    return (weights, moments) if files else None


def read_counts(folder: Path) -> dict[str, Any]:
    """What training has seen: steps, tables, seconds, legs."""
    return json.loads((folder / "state.json").read_text())


def newest(folders: list[Path]) -> Path:
    """The folder whose checkpoint has seen most tables, of those with moments if there are any."""
    there = [folder for folder in folders if (folder / "state.json").exists()]
    return max(there, key=lambda folder: (any(folder.glob("full-*.npz")), read_counts(folder)["tables"]))
