"""The first layer of networks for texts and series, in PyTorch."""

from __future__ import annotations

from typing import Any

from probus.neural_network._torch import load_torch

torch: Any = load_torch("a network for texts or series")
nn: Any = torch.nn
Module: Any = nn.Module


class Embedding(Module):
    """Steps as vectors: of word pieces, or a linear function of numbers.

    n_pieces : the number of word pieces; None for series of ``channels`` numbers
    """

    def __init__(self, n_pieces: int | None, channels: int, width: int):
        super().__init__()
        self.of_text = n_pieces is not None
        self.scale = 1.0 if n_pieces is None else width**0.5  # vectors are as long as the coding of places
        self.layer = nn.Linear(channels, width) if n_pieces is None else nn.Embedding(n_pieces, width, padding_idx=0)
        if self.of_text:
            nn.init.normal_(self.layer.weight, std=width**-0.5)
            with torch.no_grad():
                self.layer.weight[0] = 0.0

    def forward(self, first: Any, second: Any) -> tuple[Any, Any, Any]:
        """The vectors of the steps, which of them are there, and the numbers beside; without common padding."""
        here = first != 0 if self.of_text else second.bool()
        beside = second if self.of_text else second.new_zeros((len(first), 0), dtype=self.layer.weight.dtype)
        longest = max(int(here.any(dim=0).nonzero().max()) + 1 if bool(here.any()) else 1, 1)
        first, here = first[:, :longest], here[:, :longest]
        return self.layer(first) * self.scale, here, beside


def mean_of(steps: Any, here: Any) -> Any:
    """The mean of the steps that are there; zero where none is."""
    weight = here[:, :, None].to(steps.dtype)
    return (steps * weight).sum(dim=1) / weight.sum(dim=1).clamp(min=1.0)
