"""The network in PyTorch: that of ``_network`` for a batch of tables. It is trained by ``research/incontext``.

A table of B·N·F cells and one target goes in; class probabilities or quantiles of the target come out. Keys and values
come of training rows only: new rows depend on them and not on each other, so that the training side can be computed
once and kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from probus.in_context import _network
from probus.in_context._network import IDENTITY, MOST_CLASSES
from probus.in_context._torch_blocks import Block, Norm, Perceptron, attend_to_columns, linear
from probus.in_context._torch_cell_features import FEATURES, Columns, cell_features
from probus.neural_network import load_torch

if TYPE_CHECKING:
    from torch import Tensor

torch: Any = load_torch("the in-context network on a GPU")
nn: Any = torch.nn
Module: Any = nn.Module
gelu: Any = nn.functional.gelu

LEVELS: Any = torch.from_numpy(_network.LEVELS).float()
_UNKNOWN_CLASS, _UNKNOWN_NUMBER, _TARGETS = MOST_CLASSES, MOST_CLASSES + 1, MOST_CLASSES + 2
SUMMARIES = 3  # extra cells of a row, which become its summary
_ROOM = 2**28  # numbers of an intermediate result


@dataclass(frozen=True)
class Settings:
    """The sizes of the network."""

    width: int = 128
    heads: int = 4
    blocks: int = 6
    expansion: int = 2
    row_width: int = 256
    row_heads: int = 4
    row_blocks: int = 5
    row_expansion: int = 4


@dataclass
class Context:
    """The training side of tables: all that new rows need.

    nominal, identity : (B, F) and (B, 1, F, 24)
    log_rows : the logarithm of the number of training rows, divided by 256
    count : (B,), the number of classes; None for numbers
    of_target : what numbers are compared with; None for classes
    """

    columns: Columns
    nominal: Tensor
    identity: Tensor
    log_rows: Tensor
    count: Tensor | None
    of_target: Columns | None
    keys: list[tuple[Tensor, Tensor]] = field(default_factory=list)


class TorchNetwork(Module):
    """The network, with weights to begin a training from.

    Parameters
    ----------
    settings : its sizes.
    attend : attention among the columns of rows.
    half : whether a GPU with CUDA computes in bfloat16.
    """

    def __init__(
        self,
        settings: Settings = Settings(),  # noqa: B008 (frozen)
        attend: Callable[[Tensor, int], Tensor] = attend_to_columns,
        half: bool = False,
    ) -> None:
        super().__init__()
        s, self.settings, self.half_on_gpu = settings, settings, half
        self.embed, self.mix = nn.Linear(FEATURES, s.width), Perceptron(s.width, 2)
        self.identity = linear(IDENTITY, s.width)
        self.summaries = nn.Parameter(0.5 * torch.randn(SUMMARIES, s.width))
        widths = {"cells": s.width, "summary": s.width, "rows": s.row_width}
        self.classes = nn.ModuleDict({at: nn.Embedding(_TARGETS, width) for at, width in widths.items()})
        self.numbers = nn.ModuleDict({at: nn.Linear(FEATURES, width, bias=False) for at, width in widths.items()})
        for table in self.classes.values():
            nn.init.normal_(table.weight, std=0.5)
        for layer in self.numbers.values():
            nn.init.normal_(layer.weight, std=0.15)
        self.cell_blocks = nn.ModuleList(Block(s.width, s.heads, s.expansion, attend) for _ in range(s.blocks))
        self.norm, self.widen = Norm(s.width), linear(SUMMARIES * s.width, s.row_width)
        self.row_blocks = nn.ModuleList(Block(s.row_width, s.row_heads, s.row_expansion) for _ in range(s.row_blocks))
        self.last = Norm(s.row_width)
        self._add_heads(s.row_width)

    def _add_heads(self, width: int) -> None:
        self.class_hidden, self.class_out = linear(width, 2 * width), nn.Linear(2 * width, MOST_CLASSES)
        self.number_hidden, self.number_out = linear(width, 2 * width), nn.Linear(2 * width, len(LEVELS))
        for head in (self.class_out, self.number_out):
            nn.init.normal_(head.weight, std=0.02)
        nn.init.zeros_(self.class_out.bias)
        with torch.no_grad():
            self.number_out.bias.copy_(torch.special.ndtri(LEVELS).asinh())

    def describe(self) -> dict[str, int]:
        """The sizes by name."""
        return asdict(self.settings)

    @property
    def blocks(self) -> list[Any]:
        """All blocks in order."""
        return [*self.cell_blocks, *self.row_blocks]

    # -- passes ----------------------------------------------------------------------------------------

    @torch.no_grad()
    def add_keys(self, X: Tensor, y: Tensor, context: Context) -> None:
        """Bring the training rows through the network, and add their keys and values to the context.

        X : (B, N, F), NaN for missing values; y : (B, N), class codes or numbers
        """
        at_once = self._rows_at_once(context)
        with self.precision(X):
            x, target = self.cells(X, context, y)
            for place, block in enumerate(self.blocks):
                if place == len(self.cell_blocks):
                    x = self.rows(x, target)
                keys = block.keys(x)
                context.keys.append(keys)
                x = torch.cat([block.query(part, keys, context.log_rows) for part in x.split(at_once, 1)], 1)

    @torch.no_grad()
    def predict(self, X: Tensor, context: Context) -> Tensor:
        """Outputs for new rows (B, n, F) of the tables of a context: logits (B, n, 10), or quantiles (B, n, 64).

        Quantiles are of the arsinh of the target, standardised by the training rows.
        """
        with self.precision(X):
            return torch.cat([self._predict(part, context) for part in X.split(self._rows_at_once(context), 1)], 1)

    def _predict(self, X: Tensor, context: Context) -> Tensor:
        x, target = self.cells(X, context, None)
        for place, (block, keys) in enumerate(zip(self.blocks, context.keys, strict=True)):
            if place == len(self.cell_blocks):
                x = self.rows(x, target)
            x = block.query(x, keys, context.log_rows)
        return self.outputs(x[:, :, 0], context)

    def _rows_at_once(self, context: Context) -> int:
        """How many rows go through a block together: their scores, or their hidden units, have to be kept."""
        B, F, N = context.columns.ordered.shape
        s = self.settings
        return max(1, _ROOM // (B * (SUMMARIES + F) * (s.heads * N + 16 * s.width)))

    def precision(self, X: Tensor) -> Any:
        """The precision of a pass, as a context manager."""
        return torch.autocast("cuda", torch.bfloat16, enabled=self.half_on_gpu and X.is_cuda)

    # -- from cells to outputs -------------------------------------------------------------------------

    def cells(self, X: Tensor, context: Context, y: Tensor | None) -> tuple[Tensor, Tensor]:
        """The cells with the summaries of their rows (B, N, 3 + F, width), and the targets for the rows' blocks."""
        targets = {at: self._target(at, X, context, y) for at in self.classes}
        features = cell_features(X, context.nominal, context.columns)
        kind = torch.bfloat16 if self.half_on_gpu and X.is_cuda else torch.float32
        x = self.embed(features) + self.identity(context.identity) + targets["cells"].to(kind)[:, :, None]
        summaries = self.summaries + targets["summary"][:, :, None]
        return torch.cat([summaries.to(kind), self.mix(x.to(kind))], 2), targets["rows"].to(kind)

    def _target(self, at: str, X: Tensor, context: Context, y: Tensor | None) -> Tensor:
        """Embedded targets (B, N, width): known ones first, "unknown" for the rows after them."""
        B, N, _ = X.shape
        known = 0 if y is None else y.shape[1]
        table, of_target = self.classes[at], context.of_target
        unknown = table.weight[_UNKNOWN_CLASS if of_target is None else _UNKNOWN_NUMBER].expand(B, N - known, -1)
        if y is None:
            return unknown
        if of_target is None:
            return torch.cat([table(y).to(unknown.dtype), unknown], 1)
        features = cell_features(y[:, :, None], torch.zeros(B, 1, dtype=torch.bool, device=X.device), of_target)
        return torch.cat([self.numbers[at](features[:, :, 0]).to(unknown.dtype), unknown], 1)

    def rows(self, x: Tensor, target: Tensor) -> Tensor:
        """Summaries become rows (B, N, 1, row width)."""
        B, N = x.shape[:2]
        z = self.widen(self.norm(x[:, :, :SUMMARIES]).reshape(B, N, -1))
        return (z + target).to(x.dtype)[:, :, None]

    def outputs(self, x: Tensor, context: Context) -> Tensor:
        """Logits or quantiles from rows (B, n, row width)."""
        h = self.last(x)
        if context.count is None:
            hidden = gelu(self.number_hidden(h)).float()
            with torch.autocast("cuda", enabled=False):
                return self.number_out(hidden)
        logits = self.class_out(gelu(self.class_hidden(h))).float()
        absent = torch.arange(MOST_CLASSES, device=x.device) >= context.count[:, None, None]
        return logits.masked_fill(absent, -1e9)
