"""What a table shows of its columns: copies, noise, skew, rounding, codes of levels, missing values."""

from __future__ import annotations

import torch
from torch import Tensor

from research.incontext.draws import Draw, picked, standardised

__all__ = ["observed"]

_CODES = 24


def observed(draw: Draw, x: Tensor, nominal: Tensor) -> tuple[Tensor, Tensor]:
    """Columns (B, N, F) with NaN where a value is missing, and which of them are declared nominal (B, F)."""
    x = _irrelevant(draw, x)
    x, nominal = _copied(draw, x, nominal)
    numeric = ~nominal[:, None]
    x = torch.where(numeric, _warped(draw, x), x)
    x, nominal = _rounded(draw, x, nominal)
    x = torch.where(~nominal[:, None], _with_zeros(draw, x), x)
    B, _, F = x.shape
    undeclared = draw.sometimes(0.15, B, 1) | draw.sometimes(0.05, B, F)
    return _with_missing(draw, x), nominal & ~undeclared


def _irrelevant(draw: Draw, x: Tensor) -> Tensor:
    """Some columns get the values of other rows, and say nothing about their own."""
    B, N, F = x.shape
    some = draw.sometimes(draw.share(0.6, B, 1, 1, most=0.8, power=2.0), B, 1, F)
    return torch.where(some, torch.roll(x, 1 + N // 3, 1), x)


def _copied(draw: Draw, x: Tensor, nominal: Tensor) -> tuple[Tensor, Tensor]:
    """Some columns repeat others, exactly or with noise."""
    B, N, F = x.shape
    source = draw.integers(0, F, B, F)
    some = draw.sometimes(draw.share(0.8, B, 1, most=0.4), B, F)
    noise = draw.log_uniform(0.001, 0.5, B, 1, F) * draw.sometimes(0.7, B, 1, F) * draw.normal(B, N, F)
    of_level = nominal.gather(1, source)
    repeated = picked(x, source) + noise * ~of_level[:, None]
    return torch.where(some[:, None], repeated, x), torch.where(some, of_level, nominal)


def _warped(draw: Draw, x: Tensor) -> Tensor:
    """Monotone changes of scale, with long tails or without; squares of some of both."""
    B, _, F = x.shape
    kind = draw.integers(0, 8, B, 1, F) * draw.sometimes(0.6, B, 1, 1)
    z = standardised(x).clamp(-8, 8)
    y = torch.where(kind == 4, torch.exp(z), z)
    y = torch.where(kind == 5, z**3, y)
    y = torch.where(kind == 6, torch.sigmoid(2.0 * z), y)
    return torch.where(kind == 7, torch.sign(z) * torch.log1p(3.0 * z.abs()), y)


def _rounded(draw: Draw, x: Tensor, nominal: Tensor) -> tuple[Tensor, Tensor]:
    """Some numbers become ordinal codes, and some of these get codes in no order."""
    B, _, F = x.shape
    some = draw.sometimes(draw.share(0.5, B, 1, 1, power=1.5), B, 1, F) & ~nominal[:, None]
    x = torch.where(
        some, torch.floor(standardised(x) * draw.log_uniform(1.2, 40, B, 1, F) / 2.5 + draw.normal(B, 1, F)), x
    )
    shuffled = some & draw.sometimes(draw.share(0.6, B, 1, 1), B, 1, F)
    level = (x - x.amin(1, keepdim=True)).long() % _CODES
    code = draw.order(B, _CODES, F).float().gather(1, level.clamp(0, _CODES - 1))
    return torch.where(shuffled, code, x), nominal | shuffled[:, 0]


def _with_zeros(draw: Draw, x: Tensor) -> Tensor:
    """Some columns are 0 in many rows."""
    B, _, F = x.shape
    some = draw.sometimes(draw.share(0.8, B, 1, 1, most=0.5), B, 1, F)
    return torch.where(some, torch.relu(x - 0.7 * draw.normal(B, 1, F)), x)


def _with_missing(draw: Draw, x: Tensor) -> Tensor:
    """Values are missing at random, or more often where they, or those of another column, are large or small."""
    B, N, F = x.shape
    rate = draw.share(0.75, B, 1, 1, most=0.6, power=2.0) * draw.sometimes(draw.uniform(B, 1, 1), B, 1, F)
    own = torch.arange(F, device=x.device).expand(B, F)
    driver = torch.where(draw.sometimes(0.5, B, F), own, draw.integers(0, F, B, F))
    slope = draw.normal(B, 1, F) * 3.0 * draw.sometimes(0.5, B, 1, 1)
    gone = draw.sometimes(rate * 2.0 * torch.sigmoid(slope * standardised(picked(x, driver)).clamp(-3, 3)), B, N, F)
    return torch.where(gone, torch.nan, x)
