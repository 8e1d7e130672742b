"""The prior: batches of drawn tables of equal shape, on the device on which the network learns.

A table is made in five steps, each a module: a random graph (``graphs``); functions of its nodes or of its columns
(``functions``); a target of them (``targets``); what the table shows of its columns (``columns``); and a check
whether a simple model learns anything from it (``learnable``). Every random choice is made for each table.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import torch
from torch import Tensor

from research.incontext.columns import observed
from research.incontext.draws import Draw, picked, standardised
from research.incontext.functions import OUTPUTS, forest, line, waves
from research.incontext.graphs import LAYERS, Graph, graph
from research.incontext.learnable import explained, most_learnable
from research.incontext.targets import classes, numbers

__all__ = ["Shape", "Tables", "draw_tables"]


@dataclass(frozen=True)
class Shape:
    """How many tables, of how many rows and columns; the first ``training`` rows are the context."""

    tables: int
    rows: int
    columns: int
    training: int
    of_classes: bool


@dataclass
class Tables:
    """A batch of tables: X (B, N, F) with NaN, nominal (B, F), y (B, N), the number of classes (B,), learnable (B,)."""

    X: Tensor
    nominal: Tensor
    y: Tensor
    count: Tensor
    learnable: Tensor

    def tensors(self) -> list[Tensor]:
        return [getattr(self, field.name) for field in fields(self)]


@torch.no_grad()
def draw_tables(draw: Draw, shape: Shape) -> Tables:
    """More tables than needed are drawn, so that most that cannot be learnt are left out."""
    spare = 1.5 if shape.columns <= 4 else 1.3 if shape.columns <= 10 else 1.15
    drawn = _drawn(draw, replace(shape, tables=-int(-shape.tables * spare // 1)))
    score = explained(draw, drawn.X, drawn.y, shape.of_classes)
    drawn.learnable = score > 0.015
    kept = most_learnable(draw, score, shape.tables)
    return Tables(*(part[kept] for part in drawn.tensors()))


def _drawn(draw: Draw, shape: Shape) -> Tables:
    B, N, F = shape.tables, shape.rows, shape.columns
    nodes = graph(draw, B, N, F)
    target_nodes = _target_nodes(draw, nodes)
    shown = _shown_nodes(draw, nodes, target_nodes, F)
    columns = picked(nodes.values, shown)
    values = _functions(draw, nodes, picked(nodes.values, target_nodes), columns)
    if shape.of_classes:
        y, count = classes(draw, values, columns, nodes)
    else:
        y, count = numbers(draw, values), torch.zeros(B, dtype=torch.long, device=draw.device)
    X, nominal = observed(draw, picked(nodes.seen, shown), nodes.nominal.gather(1, shown))
    return Tables(X, nominal, y, count, count)


def _target_nodes(draw: Draw, nodes: Graph) -> Tensor:
    """Nodes of one layer, which become the target."""
    B = len(nodes.direct)
    deep = 1 + draw.sometimes(0.55, B).long() + draw.sometimes(0.3, B).long()
    layer = torch.where(nodes.direct, deep, draw.integers(0, LAYERS + 1, B))
    return (layer * nodes.width)[:, None] + draw.order(B, nodes.width)[:, :OUTPUTS]


def _shown_nodes(draw: Draw, nodes: Graph, target: Tensor, F: int) -> Tensor:
    """Nodes that become columns: the roots of direct tables, else any, rather those that go with the target."""
    B, N, M = nodes.values.shape
    order = draw.uniform(B, M)
    node = torch.arange(M, device=draw.device)
    of_layer = draw.normal(B, LAYERS + 1).abs().gather(1, (node // nodes.width).expand(B, M))
    z = standardised(nodes.values)
    with_target = torch.bmm(z.transpose(1, 2), picked(z, target[:, :3])).abs() / N
    strongest = with_target.amax(2)
    related = 0.6 * with_target[:, :, 0] + 0.4 * strongest
    itself = (strongest > 0.995) & draw.sometimes(0.9, B, 1)
    any_node = order + 0.5 * of_layer - 4.0 * draw.uniform(B, 1) * related + 20.0 * itself
    return torch.where(nodes.direct[:, None], order + 10.0 * (node >= F), any_node).argsort(1)[:, :F]


def _functions(draw: Draw, nodes: Graph, of_nodes: Tensor, columns: Tensor) -> Tensor:
    """(B, N, OUTPUTS): what the target is made of: nodes of the graph, or lines, waves or forests of the columns."""
    B, N, _ = of_nodes.shape
    way = draw.uniform(B, 1, 1)
    noise = draw.log_uniform(0.01, 1.0, B, 1, 1) * draw.sometimes(0.35, B, 1, 1)
    values = standardised(of_nodes) + noise * draw.normal(B, N, OUTPUTS)
    of_line = standardised(line(draw, columns)) + draw.log_uniform(0.05, 2.0, B, 1, 1) * draw.normal(B, N, OUTPUTS)
    values = torch.where(way < 0.17, of_line, values)
    wave, wood = standardised(waves(draw, columns)), standardised(forest(draw, columns))
    mixed = draw.share(0.7, B, 1, 1)
    values = torch.where((way >= 0.17) & (way < 0.32), wave + mixed * wood, values)
    return torch.where((way >= 0.32) & (way < 0.45), wood + mixed * wave, values)
