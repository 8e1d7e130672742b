"""Targets from functions of a table: classes in five ways, numbers with noise and skew."""

from __future__ import annotations

import torch
from torch import Tensor

from probus.in_context._network import MOST_CLASSES as CLASSES
from research.incontext.draws import Draw, picked, standardised
from research.incontext.functions import OUTPUTS
from research.incontext.graphs import CLUSTERS, Graph

__all__ = ["CLASSES", "classes", "numbers"]

_PROTOTYPES = 18


def classes(draw: Draw, values: Tensor, columns: Tensor, graph: Graph) -> tuple[Tensor, Tensor]:
    """Class codes (B, N) and the number of classes (B,) from functions (B, N, OUTPUTS) of the table's columns.

    Two classes are mostly a threshold; more are ranges, the largest of several functions, the nearest of several
    rows, or the latent groups. Proportions are unequal, and in some tables labels are replaced at random.
    """
    B, N, _ = values.shape
    count = torch.where(draw.sometimes(0.42, B), 2, draw.integers(2, CLASSES + 1, B))
    is_class = torch.arange(CLASSES, device=draw.device) < count[:, None]
    share = draw.normal(B, CLASSES) * draw.log_uniform(0.15, 1.8, B, 1)
    share = torch.softmax(share.masked_fill(~is_class, -1e9), 1)
    rank = values[:, :, 0].argsort(1).argsort(1) / N + 1e-4 * draw.uniform(B, N)

    way, two = draw.uniform(B, 1), (count == 2)[:, None]
    ranges, bands = torch.where(two, 0.62, 0.28), torch.where(two, 0.74, 0.34)
    y = torch.where(way < ranges, _ranges(rank, share), _bands(draw, rank, share))
    y = torch.where((way >= bands) & (way < 0.85), _largest(draw, values, share, is_class), y)
    y = torch.where((way >= 0.85) & (way < 0.97), _nearest(draw, values, columns, count), y)
    groups = graph.clustered[:, None] & draw.sometimes(0.3, B, 1)
    y = torch.where(groups, _groups(draw, graph, count), y)

    wrong = draw.share(0.75, B, 1, most=0.3, power=2.0)
    y = torch.where(draw.sometimes(wrong, B, N), (draw.uniform(B, N) * count[:, None]).long(), y)
    y = y.clamp(min=0).minimum(count[:, None] - 1)
    renamed = torch.where(is_class, draw.uniform(B, CLASSES), 2.0).argsort(1)
    return renamed.gather(1, y), count


def _ranges(rank: Tensor, share: Tensor) -> Tensor:
    """Classes are ordered ranges of one function."""
    return (rank[:, :, None] > share.cumsum(1)[:, None, :-1]).sum(2)


def _bands(draw: Draw, rank: Tensor, share: Tensor) -> Tensor:
    """A class may have several ranges."""
    of_band = torch.multinomial(share + 1e-9, 16, replacement=True)
    return of_band.gather(1, (rank * draw.integers(3, 13, len(rank), 1)).long().clamp(0, 15))


def _largest(draw: Draw, values: Tensor, share: Tensor, is_class: Tensor) -> Tensor:
    """Each class has a function, and the largest one wins."""
    bias = torch.log(share + 1e-6).clamp_min(-6) * 0.6
    score = standardised(values) * draw.log_uniform(0.7, 2.0, len(share), 1, 1) + bias[:, None]
    return score.masked_fill(~is_class[:, None], -1e9).argmax(2)


def _nearest(draw: Draw, values: Tensor, columns: Tensor, count: Tensor) -> Tensor:
    """The class of the nearest of some rows, in the space of two to six functions or columns."""
    B, N, _ = values.shape
    some = picked(standardised(columns), draw.integers(0, columns.shape[2], B, OUTPUTS))
    dimensions = torch.arange(OUTPUTS, device=draw.device) < draw.integers(2, 7, B, 1, 1)
    space = torch.where(draw.sometimes(0.5, B, 1, 1), standardised(values), some) * dimensions
    rows = draw.integers(0, N, B, _PROTOTYPES)[:, :, None].expand(-1, -1, OUTPUTS)
    number = torch.arange(_PROTOTYPES, device=draw.device).expand(B, -1)
    used = number < torch.maximum(count, draw.integers(2, _PROTOTYPES + 1, B))[:, None]
    distance = torch.cdist(space, space.gather(1, rows)).masked_fill(~used[:, None], 1e9)
    label = torch.where(number < count[:, None], number, (draw.uniform(B, _PROTOTYPES) * count[:, None]).long())
    return label.gather(1, distance.argmin(2))


def _groups(draw: Draw, graph: Graph, count: Tensor) -> Tensor:
    """The latent group of the row: the columns are its effects."""
    number = torch.arange(CLUSTERS, device=draw.device).expand(len(count), -1)
    label = torch.where(number < count[:, None], number, (draw.uniform(*number.shape) * count[:, None]).long())
    return label.gather(1, graph.cluster)


def numbers(draw: Draw, values: Tensor) -> Tensor:
    """(B, N) numbers: a function, noise that may have long tails or differ between rows, then skew and rounding."""
    B, N, _ = values.shape
    v = standardised(values)
    signal = v[:, :, 0]
    second = torch.where(draw.sometimes(0.5, B, 1), v[:, :, 1], v[:, :, 0] * v[:, :, 1])
    signal = signal + draw.share(0.7, B, 1) * second
    tail = torch.exp(draw.share(0.6, B, 1, most=1.2) * draw.normal(B, N))
    spread = torch.exp(draw.share(0.7, B, 1, most=1.2) * v[:, :, 2].clamp(-2, 2))
    level = draw.log_uniform(0.005, 1.5, B, 1) * draw.sometimes(0.7, B, 1)
    y = standardised(signal + level * tail * spread * draw.normal(B, N)).clamp(-12, 12)
    return _skewed(draw, y)


def _skewed(draw: Draw, y: Tensor) -> Tensor:
    """Long tails, counts, limits, equal gaps, rounding: what numbers in tables look like."""
    B = len(y)
    way = draw.index((10.0, 4.0, 1.0, 1.0, 1.0, 1.5, 1.0), B, 1)
    scale = draw.log_uniform(0.2, 1.6, B, 1)
    y = torch.where(way == 1, torch.exp((scale * y).clamp(max=8)), y)
    y = torch.where(way == 2, torch.sign(y) * y.abs() ** (1.0 + scale), y)
    y = torch.where(way == 3, torch.special.ndtr(y), y)
    y = torch.where(way == 4, torch.relu(y - draw.normal(B, 1)), y)
    y = torch.where(way == 5, torch.poisson(torch.exp((scale * y + draw.normal(B, 1)).clamp(-5, 5))), y)
    y = torch.where(way == 6, y.clamp(max=1.2), y)
    y = torch.where(draw.sometimes(0.1, B, 1), -y, y)
    steps = draw.log_uniform(2, 60, B, 1)
    rounded = torch.floor(standardised(y) * steps / 4)
    return standardised(torch.where(draw.sometimes(0.2, B, 1), rounded, y))
