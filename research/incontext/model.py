"""The network: cells attend to cells of their column and of their row, then rows attend to training rows.

A table of B·N·F cells and one target goes in; class probabilities or quantiles of the target for the rows after the
first ``training`` come out. Keys and values come of training rows only: new rows depend on them and not on each
other, so that the training side can be computed once (``InContextNetwork.context``) and kept.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import gelu, scaled_dot_product_attention

from research.incontext.attention import column_attention
from research.incontext.targets import CLASSES

__all__ = ["LEVELS", "QUANTILES", "Context", "InContextNetwork", "Settings"]

QUANTILES = 64
LEVELS = (torch.arange(QUANTILES) + 0.5) / QUANTILES
_FREQUENCIES = 8
_FEATURES = 2 + 4 * _FREQUENCIES + 2
_IDENTITY = 24  # random numbers that distinguish columns
_UNKNOWN_CLASS, _UNKNOWN_NUMBER, _TARGETS = CLASSES, CLASSES + 1, CLASSES + 2
_SUMMARIES = 3  # extra cells of a row, which become its summary


@dataclass(frozen=True)
class Settings:
    width: int = 128
    heads: int = 4
    blocks: int = 6
    expansion: int = 2
    row_width: int = 256
    row_heads: int = 4
    row_blocks: int = 5
    row_expansion: int = 4


# -- cells to numbers ----------------------------------------------------------------------------------------


@dataclass
class Columns:
    """What cells are compared with: mean, standard deviation and sorted values of the training rows of each column."""

    mean: Tensor
    deviation: Tensor
    count: Tensor
    ordered: Tensor


def training_columns(X: Tensor) -> Columns:
    known = ~X.isnan()
    count = known.sum(1, keepdim=True).clamp_min(1)
    mean = torch.where(known, X, 0.0).sum(1, keepdim=True) / count
    deviation = (torch.where(known, X - mean, 0.0).square().sum(1, keepdim=True) / count).sqrt()
    ordered = torch.where(known, X, torch.inf).transpose(1, 2).contiguous().sort(-1).values
    return Columns(mean, deviation, count, ordered)


def cell_features(X: Tensor, nominal: Tensor, columns: Columns) -> Tensor:
    """(B, N, F, 36): standardised value and rank, their sines and cosines, whether missing, whether nominal."""
    z = torch.nan_to_num((X - columns.mean) / (columns.deviation + 1e-6)).clamp(-30, 30)
    z = torch.sign(z) * torch.log1p(z.abs())
    value = torch.nan_to_num(X).transpose(1, 2).contiguous()
    below = torch.searchsorted(columns.ordered, value) + torch.searchsorted(columns.ordered, value, right=True)
    rank = (below.transpose(1, 2) / (2.0 * columns.count)).clamp(0, 1) * 2 - 1
    known = (~X.isnan()).float()[..., None]
    frequency = 2.0 ** torch.arange(_FREQUENCIES, device=X.device) * math.pi / 4
    a, b = rank[..., None] * frequency, z[..., None] * frequency
    parts = [z[..., None], rank[..., None], a.sin(), a.cos(), b.sin(), b.cos()]
    flag = nominal[:, None, :, None].expand(*X.shape, 1).float()
    return torch.cat([torch.cat(parts, -1) * known, 1 - known, flag], -1)


# -- layers --------------------------------------------------------------------------------------------------


def _linear(inputs: int, outputs: int, *, zero: bool = False) -> nn.Linear:
    layer = nn.Linear(inputs, outputs, bias=False)
    nn.init.normal_(layer.weight, std=0.0 if zero else inputs**-0.5)
    return layer


class Norm(nn.Module):
    """Division by the root mean square."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x: Tensor) -> Tensor:
        z = x.float()
        return (z * torch.rsqrt(z.square().mean(-1, keepdim=True) + 1e-6) * self.gain).to(x.dtype)


class RowAttention(nn.Module):
    """Each cell attends to the cells of its column in the training rows; columns are folded into the heads.

    Scores are multiplied by a learnt function of the logarithm of the number of training rows.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.norm = heads, Norm(width)
        self.query, self.key, self.value = (_linear(width, width) for _ in range(3))
        self.out = _linear(width, width, zero=True)
        self.scale, self.slope = nn.Parameter(torch.ones(heads)), nn.Parameter(torch.zeros(heads))

    def _split(self, x: Tensor) -> Tensor:
        B, N, T, width = x.shape
        return x.reshape(B, N, T * self.heads, width // self.heads).transpose(1, 2)

    def keys(self, h: Tensor) -> tuple[Tensor, Tensor]:
        return self._split(self.key(h)), self._split(self.value(h))

    def attend(self, x: Tensor, h: Tensor, keys: tuple[Tensor, Tensor], log_rows: Tensor) -> Tensor:
        """The cells ``x``, normalised ``h``, after a look at the training rows."""
        scale = (self.scale + self.slope * log_rows).repeat_interleave(x.shape[3] // self.heads)
        query = self._split(self.query(h) * scale.to(h.dtype))
        return x + self.out(scaled_dot_product_attention(query, *keys).transpose(1, 2).reshape(x.shape))


class ColumnAttention(nn.Module):
    """Each cell attends to the cells of its row."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.norm = heads, Norm(width)
        self.qkv, self.out = _linear(width, 3 * width), _linear(width, width, zero=True)

    def forward(self, x: Tensor) -> Tensor:
        B, N, T, width = x.shape
        mixed = column_attention(self.qkv(self.norm(x)).view(B * N, T, 3 * width), self.heads)
        return x + self.out(mixed).view(x.shape)


class Perceptron(nn.Module):
    def __init__(self, width: int, expansion: int) -> None:
        super().__init__()
        self.norm = Norm(width)
        self.up, self.down = _linear(width, expansion * width), _linear(expansion * width, width, zero=True)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.down(gelu(self.up(self.norm(x)), approximate="tanh"))


class Block(nn.Module):
    """Attention among rows, among columns where the block has it, and a perceptron."""

    def __init__(self, width: int, heads: int, expansion: int, columns: bool) -> None:
        super().__init__()
        self.rows = RowAttention(width, heads)
        self.columns = ColumnAttention(width, heads) if columns else nn.Identity()
        self.perceptron = Perceptron(width, expansion)

    def forward(self, x: Tensor, training: int, log_rows: Tensor) -> Tensor:
        h = self.rows.norm(x)
        return self._finish(x, h, self.rows.keys(h[:, :training]), log_rows)

    def keys(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.rows.keys(self.rows.norm(x))

    def query(self, x: Tensor, keys: tuple[Tensor, Tensor], log_rows: Tensor) -> Tensor:
        return self._finish(x, self.rows.norm(x), keys, log_rows)

    def _finish(self, x: Tensor, h: Tensor, keys: tuple[Tensor, Tensor], log_rows: Tensor) -> Tensor:
        return self.perceptron(self.columns(self.rows.attend(x, h, keys, log_rows)))


# -- the network ---------------------------------------------------------------------------------------------


@dataclass
class Context:
    """The training side of a table: all that new rows need."""

    columns: Columns
    nominal: Tensor
    identity: Tensor
    keys: list[tuple[Tensor, Tensor]]
    log_rows: Tensor
    count: Tensor | None
    mean: Tensor | None
    deviation: Tensor | None


class InContextNetwork(nn.Module):
    def __init__(self, settings: Settings = Settings()) -> None:  # noqa: B008 (frozen)
        super().__init__()
        s, self.settings = settings, settings
        self.embed, self.mix = nn.Linear(_FEATURES, s.width), Perceptron(s.width, 2)
        self.identity = _linear(_IDENTITY, s.width)
        self.summaries = nn.Parameter(0.5 * torch.randn(_SUMMARIES, s.width))
        widths = {"cells": s.width, "summary": s.width, "rows": s.row_width}
        self.classes = nn.ModuleDict({at: nn.Embedding(_TARGETS, width) for at, width in widths.items()})
        self.numbers = nn.ModuleDict({at: nn.Linear(_FEATURES, width, bias=False) for at, width in widths.items()})
        for table in self.classes.values():
            nn.init.normal_(table.weight, std=0.5)
        for layer in self.numbers.values():
            nn.init.normal_(layer.weight, std=0.15)
        self.cell_blocks = nn.ModuleList(Block(s.width, s.heads, s.expansion, True) for _ in range(s.blocks))
        self.norm, self.widen = Norm(s.width), _linear(_SUMMARIES * s.width, s.row_width)
        self.row_blocks = nn.ModuleList(
            Block(s.row_width, s.row_heads, s.row_expansion, False) for _ in range(s.row_blocks)
        )
        self.last = Norm(s.row_width)
        self.class_hidden, self.class_out = _linear(s.row_width, 2 * s.row_width), nn.Linear(2 * s.row_width, CLASSES)
        self.number_hidden = _linear(s.row_width, 2 * s.row_width)
        self.number_out = nn.Linear(2 * s.row_width, QUANTILES)
        for head in (self.class_out, self.number_out):
            nn.init.normal_(head.weight, std=0.02)
        nn.init.zeros_(self.class_out.bias)
        self.register_buffer("levels", LEVELS, persistent=False)
        with torch.no_grad():
            self.number_out.bias.copy_(torch.special.ndtri(LEVELS).asinh())

    def describe(self) -> dict[str, int]:
        return asdict(self.settings)

    def forward(
        self, X: Tensor, nominal: Tensor, y: Tensor, count: Tensor, training: int, identity: Tensor | None = None
    ) -> Tensor:
        """Outputs for the rows after ``training``: logits (B, n, 10), or quantiles (B, n, 64) where y has fractions.

        Quantiles are of the arsinh of the target, standardised by the training rows.
        """
        y = y[:, :training]
        context = self._begin(X[:, :training], nominal, y, count, identity)
        with torch.autocast("cuda", torch.bfloat16, enabled=X.is_cuda):
            x, target = self._cells(X, context, y)
            for block in self.cell_blocks:
                x = block(x, training, context.log_rows)
            x = self._rows(x, target)
            for block in self.row_blocks:
                x = block(x, training, context.log_rows)
            return self._outputs(x[:, training:, 0], context)

    @torch.no_grad()
    def context(self, X: Tensor, nominal: Tensor, y: Tensor, count: Tensor, identity: Tensor | None = None) -> Context:
        """The training side of tables, computed once."""
        context = self._begin(X, nominal, y, count, identity)
        with torch.autocast("cuda", torch.bfloat16, enabled=X.is_cuda):
            x, target = self._cells(X, context, y)
            for i, block in enumerate([*self.cell_blocks, *self.row_blocks]):
                if i == len(self.cell_blocks):
                    x = self._rows(x, target)
                context.keys.append(block.keys(x))
                x = block.query(x, context.keys[-1], context.log_rows)
        return context

    @torch.no_grad()
    def predict(self, X: Tensor, context: Context) -> Tensor:
        """Outputs for new rows of the tables of a context."""
        with torch.autocast("cuda", torch.bfloat16, enabled=X.is_cuda):
            x, target = self._cells(X, context, None)
            for i, block in enumerate([*self.cell_blocks, *self.row_blocks]):
                if i == len(self.cell_blocks):
                    x = self._rows(x, target)
                x = block.query(x, context.keys[i], context.log_rows)
            return self._outputs(x[:, :, 0], context)

    def _begin(self, X: Tensor, nominal: Tensor, y: Tensor, count: Tensor, identity: Tensor | None) -> Context:
        B, N, F = X.shape
        if identity is None:
            identity = torch.randn(B, 1, F, _IDENTITY, device=X.device)
        log_rows = torch.full((), math.log(N / 256), device=X.device)
        context = Context(training_columns(X), nominal, identity, [], log_rows, None, None, None)
        if y.is_floating_point():
            context.mean, context.deviation = y.mean(1, keepdim=True), y.std(1, correction=0, keepdim=True) + 1e-6
        else:
            context.count = count
        return context

    def _cells(self, X: Tensor, context: Context, y: Tensor | None) -> tuple[Tensor, Tensor]:
        """The cells with the summaries of their rows (B, N, 3 + F, width), and the targets for the rows' blocks."""
        targets = {at: self._target(at, X, context, y) for at in self.classes}
        features = cell_features(X, context.nominal, context.columns)
        kind = torch.bfloat16 if X.is_cuda else torch.float32
        x = self.embed(features) + self.identity(context.identity) + targets["cells"].to(kind)[:, :, None]
        summaries = self.summaries + targets["summary"][:, :, None]
        return torch.cat([summaries.to(kind), self.mix(x.to(kind))], 2), targets["rows"].to(kind)

    def _target(self, at: str, X: Tensor, context: Context, y: Tensor | None) -> Tensor:
        """Embedded targets (B, N, width): known ones first, "unknown" for the rows after them."""
        B, N, _ = X.shape
        known = 0 if y is None else y.shape[1]
        table, of_numbers = self.classes[at], context.count is None
        unknown = table.weight[_UNKNOWN_NUMBER if of_numbers else _UNKNOWN_CLASS].expand(B, N - known, -1)
        if y is None:
            return unknown
        if not of_numbers:
            return torch.cat([table(y).to(unknown.dtype), unknown], 1)
        z = y[:, :, None]
        features = cell_features(z, torch.zeros(B, 1, dtype=torch.bool, device=X.device), training_columns(z))
        return torch.cat([self.numbers[at](features[:, :, 0]).to(unknown.dtype), unknown], 1)

    def _rows(self, x: Tensor, target: Tensor) -> Tensor:
        """Summaries become rows (B, N, 1, row width)."""
        B, N = x.shape[:2]
        z = self.widen(self.norm(x[:, :, :_SUMMARIES]).reshape(B, N, -1))
        return (z + target).to(x.dtype)[:, :, None]

    def _outputs(self, x: Tensor, context: Context) -> Tensor:
        h = self.last(x)
        if context.count is None:
            hidden = gelu(self.number_hidden(h)).float()
            with torch.autocast("cuda", enabled=False):
                return self.number_out(hidden)
        logits = self.class_out(gelu(self.class_hidden(h))).float()
        return logits.masked_fill(torch.arange(CLASSES, device=x.device) >= context.count[:, None, None], -1e9)
