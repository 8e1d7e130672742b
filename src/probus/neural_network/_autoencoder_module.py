"""An autoencoder in PyTorch, and how its input is corrupted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from probus.neural_network._torch import load_torch

torch = load_torch("an autoencoder")
nn: Any = torch.nn
functional = nn.functional

_FUNCTIONS = {
    "identity": nn.Identity, "sigmoid": nn.Sigmoid, "logistic": nn.Sigmoid, "tanh": nn.Tanh, "relu": nn.ReLU,
    "leaky_relu": nn.LeakyReLU, "elu": nn.ELU, "selu": nn.SELU, "softplus": nn.Softplus, "softsign": nn.Softsign,
    "silu": nn.SiLU, "swish": nn.SiLU, "gelu": nn.GELU, "mish": nn.Mish,
}  # fmt: skip


class AutoencoderModule(nn.Module):
    """Linear layers with activations between them; those of the encoder come first.

    sizes : the widths from the input to the output. activations : of the output of each layer but the last.
    """

    def __init__(self, sizes: Sequence[int], activations: Sequence[str]):
        super().__init__()
        self.linear = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.functions = [_FUNCTIONS[name]() for name in activations]
        for layer in self.linear:
            nn.init.xavier_uniform_(layer.weight)
            nn.init.zeros_(layer.bias)

    def forward(self, X: Any) -> Any:
        """The output, before a sigmoid."""
        for layer, function in zip(self.linear, self.functions, strict=False):
            X = function(layer(X))
        return self.linear[-1](X)


def corrupted_by(X: Any, corruption: str | None, level: float) -> Any:
    """The rows with a share of numbers set to 0, or with normal noise."""
    if corruption == "masking":
        return X * (torch.rand_like(X) >= level)
    return X + level * torch.randn_like(X) if corruption == "gaussian" else X


def reconstruction_loss(output: Any, X: Any, cross_entropy: bool) -> Any:
    """The mean over the rows of the sum over the columns."""
    if cross_entropy:
        return functional.binary_cross_entropy_with_logits(output, X, reduction="sum") / len(X)
    return ((output - X) ** 2).sum() / len(X)
