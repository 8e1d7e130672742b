"""Random functions of the columns of a batch of tables: activations, trees, forests, waves, lines."""

from __future__ import annotations

import torch
from torch import Tensor

from research.incontext.draws import Draw, picked, standardised

__all__ = ["OUTPUTS", "activation", "compile_activation", "forest", "line", "random_activations", "trees", "waves"]

OUTPUTS = 10  # functions that a table has: one makes numbers or two classes, all of them make ten classes
_FREQUENCIES = (2.0, 3.0, 3.0, 1.0, 1.5, 1.5, 1.5, 1.2, 2.0, 0.5, 0.8, 1.5, 2.0, 1.0)  # of the activations below


def _activation(x: Tensor, kind: Tensor) -> Tensor:
    """Each entry through the activation of its kind; 0 is the identity."""
    y = torch.where(kind == 1, torch.tanh(x), x)
    y = torch.where(kind == 2, torch.relu(x), y)
    y = torch.where(kind == 3, torch.sin(2.5 * x), y)
    y = torch.where(kind == 4, torch.sign(x), y)
    y = torch.where(kind == 5, x * x - 1.0, y)
    y = torch.where(kind == 6, x.abs(), y)
    y = torch.where(kind == 7, torch.exp(-x * x) * 2.0, y)
    y = torch.where(kind == 8, torch.where(x > 0, x, 0.1 * x), y)
    y = torch.where(kind == 9, torch.cos(4.0 * x), y)
    y = torch.where(kind == 10, torch.floor(1.5 * x), y)
    y = torch.where(kind == 11, torch.sign(x) * torch.sqrt(x.abs() + 1e-6), y)
    y = torch.where(kind == 12, torch.sigmoid(4.0 * x) * 2.0 - 1.0, y)
    return torch.where(kind == 13, x.clamp(-1.0, 1.0) ** 3, y)


_functions = {"activation": _activation}


def compile_activation() -> None:
    """Fuse the activations into one kernel."""
    _functions["activation"] = torch.compile(_activation, dynamic=True)


def activation(x: Tensor, kind: Tensor) -> Tensor:
    return _functions["activation"](x, kind)


def random_activations(draw: Draw, *shape: int) -> Tensor:
    return draw.index(_FREQUENCIES, *shape)


def trees(draw: Draw, x: Tensor, count: int, depth: int) -> Tensor:
    """(B, N, count) values of random trees with axis-aligned splits at values that rows have.

    Every table favours a few columns, more or less.
    """
    B, N, M = x.shape
    inner, leaves = 2**depth - 1, 2**depth
    favour = torch.exp(draw.normal(B, 1, M) * draw.uniform(B, 1, 1) * 2.0).expand(B, count, M)
    column = torch.multinomial(favour.reshape(B * count, M), inner, replacement=True).view(B, count * inner)
    row = draw.integers(0, N, B, count * inner)
    threshold = x.reshape(B, -1).gather(1, row * M + column)
    first = torch.arange(count, device=x.device)
    node = torch.zeros(B, N, count, dtype=torch.long, device=x.device)
    for _ in range(depth):
        at = (node + first * inner).view(B, -1)
        value = x.gather(2, column.gather(1, at).view(B, N, count))
        node = 2 * node + 1 + (value > threshold.gather(1, at).view(B, N, count)).long()
    leaf = draw.normal(B, count * leaves)
    return leaf.gather(1, (node - inner + first * leaves).view(B, -1)).view(B, N, count)


def forest(draw: Draw, x: Tensor) -> Tensor:
    """(B, N, OUTPUTS): sums of trees, of one to sixteen trees each."""
    B = x.shape[0]
    depth = int(torch.randint(2, 6, (1,)))
    weight = draw.normal(B, 16, OUTPUTS) * draw.sometimes(draw.log_uniform(1 / 16, 1.0, B, 1, 1), B, 16, OUTPUTS)
    weight = weight + torch.eye(16, OUTPUTS, device=x.device)
    return torch.bmm(trees(draw, x, 16, depth), weight)


def _few_columns(draw: Draw, x: Tensor) -> Tensor:
    """(B, M, 1): weights of columns, many of them 0 in most tables."""
    B, _, M = x.shape
    weight = torch.exp(0.7 * draw.normal(B, M, 1)) * draw.sometimes(draw.log_uniform(0.1, 2.0, B, 1, 1), B, M, 1)
    one = torch.nn.functional.one_hot(draw.integers(0, M, B), M).float()[:, :, None]
    return torch.where(weight.amax(1, keepdim=True) > 0, weight, one)


def waves(draw: Draw, x: Tensor) -> Tensor:
    """(B, N, OUTPUTS): smooth functions of few columns, draws of a Gaussian process by random Fourier features."""
    B, _, M = x.shape
    scale = _few_columns(draw, x)
    scale = scale / (scale.norm(dim=1, keepdim=True) + 1e-6) * draw.log_uniform(0.3, 4.0, B, 1, 1)
    heavy = torch.where(
        draw.sometimes(0.5, B, 1, 1), draw.log_uniform(0.5, 2.0, B, 1, 48), torch.ones_like(scale[:, :1])
    )
    phase = torch.bmm(standardised(x).clamp(-4, 4), draw.normal(B, M, 48) * scale * heavy)
    return torch.bmm(torch.cos(phase + 6.2832 * draw.uniform(B, 1, 48)), draw.normal(B, 48, OUTPUTS)) / 48**0.5


def line(draw: Draw, x: Tensor) -> Tensor:
    """(B, N, OUTPUTS): weighted sums of the columns, in some tables with a few of their products."""
    B, _, M = x.shape
    z = standardised(x).clamp(-6, 6)
    value = torch.bmm(z, draw.normal(B, M, OUTPUTS) * _few_columns(draw, x))
    first, second = (picked(z, draw.integers(0, M, B, 4)) for _ in range(2))
    products = torch.bmm(first * second, draw.normal(B, 4, OUTPUTS))
    return standardised(value) + products * draw.share(0.6, B, 1, 1)
