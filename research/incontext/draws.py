"""Random numbers on one device, named by their distribution."""

from __future__ import annotations

import math

import torch
from torch import Tensor

__all__ = ["Draw", "picked", "standardised"]


class Draw:
    """Draws tensors on a device. Sizes of 1 make a choice that is shared along that axis.

    torch's own generators are used, so ``torch.manual_seed`` makes a batch reproducible.
    """

    def __init__(self, device: torch.device | str) -> None:
        self.device = torch.device(device)
        self._weights: dict[tuple[float, ...], Tensor] = {}  # a copy to the device waits for it

    def uniform(self, *shape: int) -> Tensor:
        return torch.rand(*shape, device=self.device)

    def normal(self, *shape: int) -> Tensor:
        return torch.randn(*shape, device=self.device)

    def log_uniform(self, low: float, high: float, *shape: int) -> Tensor:
        return torch.exp(self.uniform(*shape) * math.log(high / low) + math.log(low))

    def sometimes(self, probability: float | Tensor, *shape: int) -> Tensor:
        """True with a probability."""
        return self.uniform(*shape) < probability

    def integers(self, low: int, high: int, *shape: int) -> Tensor:
        """Whole numbers of low … high − 1."""
        return torch.randint(low, high, shape, device=self.device)

    def index(self, weights: tuple[float, ...], *shape: int) -> Tensor:
        """Indices, drawn in proportion to some weights."""
        if weights not in self._weights:
            self._weights[weights] = torch.tensor(weights, device=self.device)
        return torch.multinomial(self._weights[weights], math.prod(shape), replacement=True).view(*shape)

    def share(self, none: float, *shape: int, most: float = 1.0, power: float = 1.0) -> Tensor:
        """A share in 0 … most that is 0 with probability ``none``: how much of a table something concerns."""
        return self.sometimes(1.0 - none, *shape) * self.uniform(*shape) ** power * most

    def order(self, *shape: int) -> Tensor:
        """Random permutations along axis 1."""
        return self.uniform(*shape).argsort(1)


def standardised(x: Tensor) -> Tensor:
    """Mean 0 and standard deviation 1 along the rows (axis 1)."""
    return (x - x.mean(1, keepdim=True)) / (x.std(1, keepdim=True) + 1e-4)


def picked(x: Tensor, columns: Tensor) -> Tensor:
    """(B, N, M) and indices (B, K): the columns (B, N, K)."""
    return x.gather(2, columns[:, None].expand(-1, x.shape[1], -1))
