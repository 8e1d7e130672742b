"""The network as it is trained: training rows and new rows go through together, a GPU computes in bfloat16.

The network itself is ``probus.in_context._torch_network``, with which the package predicts. ``InContextNetwork`` adds
what training needs: one pass for all rows, the columns of a batch on its device, and fast attention among columns.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from probus.in_context._network import IDENTITY
from probus.in_context._torch_cell_features import Columns
from probus.in_context._torch_network import LEVELS, Context, Settings, TorchNetwork
from research.incontext.attention import column_attention

__all__ = ["Context", "InContextNetwork", "Settings"]


def training_columns(X: Tensor) -> Columns:
    known = ~X.isnan()
    count = known.sum(1, keepdim=True).clamp_min(1)
    mean = torch.where(known, X, 0.0).sum(1, keepdim=True) / count
    deviation = (torch.where(known, X - mean, 0.0).square().sum(1, keepdim=True) / count).sqrt()
    ordered = torch.where(known, X, torch.inf).transpose(1, 2).contiguous().sort(-1).values
    return Columns(mean, deviation, count, ordered)


class InContextNetwork(TorchNetwork):
    def __init__(self, settings: Settings = Settings()) -> None:  # noqa: B008 (frozen)
        super().__init__(settings, column_attention, half=True)
        self.register_buffer("levels", LEVELS, persistent=False)

    def forward(
        self, X: Tensor, nominal: Tensor, y: Tensor, count: Tensor, training: int, identity: Tensor | None = None
    ) -> Tensor:
        """Outputs for the rows after ``training``: logits (B, n, 10), or quantiles (B, n, 64) where y has fractions.

        Quantiles are of the arsinh of the target, standardised by the training rows.
        """
        y = y[:, :training]
        context = _begin(X[:, :training], nominal, y, count, identity)
        with self.precision(X):
            x, target = self.cells(X, context, y)
            for block in self.cell_blocks:
                x = block(x, training, context.log_rows)
            x = self.rows(x, target)
            for block in self.row_blocks:
                x = block(x, training, context.log_rows)
            return self.outputs(x[:, training:, 0], context)

    @torch.no_grad()
    def context(self, X: Tensor, nominal: Tensor, y: Tensor, count: Tensor, identity: Tensor | None = None) -> Context:
        """The training side of tables, computed once."""
        context = _begin(X, nominal, y, count, identity)
        self.add_keys(X, y, context)
        return context


def _begin(X: Tensor, nominal: Tensor, y: Tensor, count: Tensor, identity: Tensor | None) -> Context:
    B, N, F = X.shape
    if identity is None:
        identity = torch.randn(B, 1, F, IDENTITY, device=X.device)
    log_rows = torch.full((), math.log(N / 256), device=X.device)
    of_numbers = y.is_floating_point()
    of_target = training_columns(y[:, :, None]) if of_numbers else None
    return Context(training_columns(X), nominal, identity, log_rows, None if of_numbers else count, of_target)
