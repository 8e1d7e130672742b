"""The numbers that describe a cell, in PyTorch: those of ``_cell_features`` for a batch of tables."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from probus.neural_network import load_torch

if TYPE_CHECKING:
    from torch import Tensor

torch: Any = load_torch("the in-context network on a GPU")

_FREQUENCIES = 8
FEATURES = 2 + 4 * _FREQUENCIES + 2


@dataclass(frozen=True)
class Columns:
    """What cells are compared with: mean, standard deviation and sorted values of the training rows of each column.

    mean, deviation, count : (B, 1, F)
    ordered : (B, F, N), infinity in place of missing values
    """

    mean: Tensor
    deviation: Tensor
    count: Tensor
    ordered: Tensor


def cell_features(X: Tensor, nominal: Tensor, columns: Columns) -> Tensor:
    """(B, N, F, 36): standardised value and rank, their sines and cosines, whether missing, whether nominal.

    X : (B, N, F), NaN for missing values; nominal : (B, F)
    """
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
