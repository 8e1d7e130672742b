"""Muon for the matrices inside the network, Adam for the rest (Jordan et al. 2024; Liu et al. 2025 for the scale).

Muon's step is the momentum with all singular values near 1, by five Newton–Schulz steps. Matrices of one shape go
through them as one batch. The matrix that makes queries, keys and values counts as three.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

__all__ = ["Muon"]

_WEIGHT_DECAY = 0.02
_MOMENTUM = 0.95
_ADAM_RATE = 0.7  # of Muon's


def _is_inner(name: str, parameter: Tensor) -> bool:
    """Whether Muon moves a parameter: products of hidden numbers, not embeddings, gains or outputs."""
    outer = ("embed.", "identity.", "summaries", "classes.", "numbers.", "class_out.", "number_out.")
    return parameter.ndim == 2 and not name.startswith(outer)


class Muon:
    def __init__(self, network: nn.Module, device: torch.device | str) -> None:
        self.groups: dict[str, list[tuple[nn.Parameter, slice]]] = {}
        others = []
        for name, parameter in network.named_parameters():
            if not _is_inner(name, parameter):
                others.append(parameter)
                continue
            size = parameter.shape[0] // (3 if ".qkv." in name else 1)
            for start in range(0, parameter.shape[0], size):
                part = (parameter, slice(start, start + size))
                alone = name.split("_")[0] if name.startswith(("class_", "number_")) else ""  # a task's own
                self.groups.setdefault(f"{alone}{size}x{parameter.shape[1]}", []).append(part)
        self.momentum = {
            group: torch.zeros(len(parts), *parts[0][0][parts[0][1]].shape, device=device)
            for group, parts in self.groups.items()
        }
        self.adam = torch.optim.AdamW(others, betas=(0.9, 0.98), weight_decay=0.0, fused=str(device) != "cpu")

    @torch.no_grad()
    def step(self, rate: float) -> None:
        for group, parts in self.groups.items():
            if parts[0][0].grad is None:  # of the other task
                continue
            gradient = torch.stack([parameter.grad[rows] for parameter, rows in parts])
            momentum = self.momentum[group]
            momentum.lerp_(gradient, 1.0 - _MOMENTUM)
            update = _orthogonal(gradient.lerp(momentum, _MOMENTUM)).float() * (0.2 * max(momentum.shape[1:]) ** 0.5)
            for (parameter, rows), of_part in zip(parts, update, strict=True):
                parameter[rows].mul_(1.0 - rate * _WEIGHT_DECAY).sub_(of_part, alpha=rate)
        for options in self.adam.param_groups:
            options["lr"] = rate * _ADAM_RATE
        self.adam.step()
        self.adam.zero_grad(set_to_none=True)
        for parts in self.groups.values():
            for parameter, _ in parts:
                parameter.grad = None

    def arrays(self) -> dict[str, Tensor]:
        """The state: momentum of matrices, and both moments of each other parameter."""
        state = {f"muon.{group}": value for group, value in self.momentum.items()}
        for i, of_parameter in self.adam.state_dict()["state"].items():
            state |= {f"adam.{i}.{key}": value for key, value in of_parameter.items()}
        return state

    def load(self, state: dict[str, Tensor]) -> None:
        for group, value in self.momentum.items():
            value.copy_(state[f"muon.{group}"])
        moments: dict[int, dict[str, Tensor]] = {}
        for name, value in state.items():
            if name.startswith("adam."):
                _, i, key = name.split(".")
                moments.setdefault(int(i), {})[key] = value
        self.adam.load_state_dict(self.adam.state_dict() | {"state": moments})


def _orthogonal(x: Tensor) -> Tensor:
    """The nearest matrices with equal singular values, roughly."""
    x = x.bfloat16() if x.is_cuda else x
    tall = x.shape[1] > x.shape[2]
    x = x.mT if tall else x
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(5):
        gram = x @ x.mT
        x = 3.4445 * x + (-4.7750 * gram + 2.0315 * gram @ gram) @ x
    return x.mT if tall else x
