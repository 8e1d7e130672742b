"""Structural causal models: the nodes of random graphs, from which columns and targets are chosen."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from research.incontext.draws import Draw, standardised
from research.incontext.functions import activation, random_activations, trees

__all__ = ["CLUSTERS", "LAYERS", "Graph", "graph"]

CLUSTERS = 8
LAYERS = 3
_LEVELS = 128


@dataclass
class Graph:
    """Nodes of a batch of graphs: roots first, then the layers, ``width`` nodes each.

    values : (B, N, M), what other nodes and targets are computed of
    seen : (B, N, M), what a column that shows the node contains; codes of levels for nominal roots
    nominal : (B, M)
    cluster : (B, N), the latent group of each row
    clustered : (B,), whether the groups differ
    direct : (B,), whether everything depends on roots that the table shows
    """

    values: Tensor
    seen: Tensor
    nominal: Tensor
    cluster: Tensor
    clustered: Tensor
    direct: Tensor
    width: int


def graph(draw: Draw, B: int, N: int, columns: int) -> Graph:
    """Draw the graphs of B tables of N rows, of which ``columns`` nodes will be shown."""
    width = max(16, columns + 4)
    cluster, clustered, roots = _roots(draw, B, N, width)
    values, seen, nominal = _with_levels(draw, roots)
    direct = draw.sometimes(0.55, B)
    shown = torch.arange(width, device=draw.device) % columns  # where all depends on what is shown, others are copies
    only_shown = (direct & draw.sometimes(0.8, B))[:, None, None]
    values = torch.where(only_shown, values[:, :, shown], values)
    layers = _layers(draw, values)
    hidden = torch.zeros(B, width * LAYERS, dtype=torch.bool, device=draw.device)
    return Graph(
        torch.cat([values, *layers], 2), torch.cat([seen, *layers], 2), torch.cat([nominal, hidden], 1),
        cluster, clustered, direct, width,
    )  # fmt: skip


def _roots(draw: Draw, B: int, N: int, width: int) -> tuple[Tensor, Tensor, Tensor]:
    """Roots of several distributions; in some tables rows come from groups, in some the roots are correlated."""
    size = torch.softmax(draw.normal(B, CLUSTERS) * draw.uniform(B, 1) * 1.5, 1)
    used = torch.arange(CLUSTERS, device=draw.device) < draw.integers(2, CLUSTERS + 1, B, 1)
    cluster = torch.multinomial(size * used + 1e-9, N, replacement=True)
    normal, uniform = draw.normal(B, N, width), draw.uniform(B, N, width)
    kind = torch.where(draw.sometimes(0.5, B, 1, 1), draw.integers(0, 5, B, 1, 1), draw.integers(0, 5, B, 1, width))
    x = torch.where(kind == 1, (uniform - 0.5) * 3.46, normal)
    x = torch.where(kind == 2, normal * torch.exp(0.8 * draw.normal(B, N, width)), x)
    x = torch.where(kind == 3, -torch.log(uniform.clamp_min(1e-6)) - 1.0, x)

    clustered = draw.sometimes(0.5, B)
    where = draw.sometimes(draw.uniform(B, 1, 1), B, 1, width) & clustered[:, None, None]
    centre = draw.normal(B, CLUSTERS, width) * draw.log_uniform(0.3, 6.0, B, 1, 1) * where
    spread = torch.exp(0.4 * draw.normal(B, CLUSTERS, width) * draw.sometimes(0.5, B, 1, 1))
    of_row = cluster[:, :, None].expand(-1, -1, width)
    x = x * spread.gather(1, of_row) + centre.gather(1, of_row)

    rank = draw.integers(1, 9, B, 1, 1)
    factors = draw.normal(B, width, width) * (torch.arange(width, device=draw.device)[:, None] < rank)
    strength = draw.sometimes(0.5, B, 1, 1) * draw.log_uniform(0.2, 3.0, B, 1, 1) / rank.float().sqrt()
    return cluster, clustered & where.any(2)[:, 0], standardised(x + strength * torch.bmm(x, factors))


def _with_levels(draw: Draw, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Some roots become nominal: a code is shown, and a random number for each level goes into the graph."""
    B, _, width = x.shape
    many = draw.sometimes(torch.where(draw.sometimes(0.25, B, 1, 1), 0.5, 0.1), B, 1, width)
    levels = torch.where(many, draw.log_uniform(24, _LEVELS, B, 1, width), draw.log_uniform(2, 24, B, 1, width)).floor()
    share = torch.where(draw.sometimes(0.15, B, 1, 1), 1.0, draw.share(0.4, B, 1, 1))
    nominal = draw.sometimes(share, B, 1, width)
    skewed = torch.special.ndtr(x) ** torch.exp(0.6 * draw.normal(B, 1, width))
    level = (skewed * levels).floor().clamp(min=0).minimum(levels - 1).long()
    code, effect = draw.order(B, _LEVELS, width).float(), draw.normal(B, _LEVELS, width)
    values = torch.where(nominal, effect.gather(1, level), x)
    seen = torch.where(nominal, code.gather(1, level), x)
    return values, seen, nominal[:, 0]


def _layers(draw: Draw, roots: Tensor) -> list[Tensor]:
    """Each node is an activation of a weighted sum of a few earlier nodes, or a tree on them, and noise."""
    B, N, width = roots.shape
    noise = draw.log_uniform(0.003, 0.35, B, 1, 1) * draw.sometimes(0.5, B, 1, 1)
    parents = draw.log_uniform(1.0, 8.0, B, 1, 1) / width
    share_of_trees = torch.where(draw.sometimes(0.15, B, 1, 1), 1.0, draw.share(0.5, B, 1, 1))
    one_kind, three_kinds, mode = (
        random_activations(draw, B, 1, 1),
        random_activations(draw, B, 3),
        draw.uniform(B, 1, 1),
    )
    ends_linear = draw.sometimes(0.4, B, 1, 1)
    layers, x = [], roots
    for layer in range(LAYERS):
        source = x if layer == 0 else torch.where(draw.sometimes(0.15, B, 1, width), roots, x)
        weight = draw.normal(B, width, width) * torch.exp(0.5 * draw.normal(B, width, width))
        weight = weight * draw.sometimes(parents, B, width, width)
        one_parent = torch.nn.functional.one_hot(draw.integers(0, width, B, width), width).float().transpose(1, 2)
        z = torch.bmm(source, weight + one_parent * draw.normal(B, 1, width))
        z = standardised(z) * torch.exp(0.5 * draw.normal(B, 1, width)) + 0.6 * draw.normal(B, 1, width)
        of_three = three_kinds.gather(1, draw.integers(0, 3, B, width))[:, None]
        kind = torch.where(
            mode < 0.35, one_kind, torch.where(mode < 0.7, of_three, random_activations(draw, B, 1, width))
        )
        z = activation(z, kind * ~(ends_linear & (layer == LAYERS - 1)))
        if layer < 2:
            depth = int(torch.randint(3, 7, (1,))) if layer == 0 else 3
            z = torch.where(draw.sometimes(share_of_trees, B, 1, width), trees(draw, source, width, depth), z)
        x = (standardised(z) + noise * draw.normal(B, N, width)).clamp(-20, 20)
        layers.append(x)
    return layers
