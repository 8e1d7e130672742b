"""The relevance of a numeric column to a target, in nats, and its p-value."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import special

from probus.preprocessing._screening_target import ScreeningTarget

_MOST_BINS = 16


def mutual_information(x: np.ndarray, target: ScreeningTarget) -> tuple[float, float]:
    """The mutual information in nats between x, in bins of equal frequency, and the target; and its p-value.

    The bias of the estimate, (bins - 1)(classes - 1) / 2n, is subtracted; the p-value is that of the G-test. Rows
    where x is missing are ignored.

    >>> mutual_information(np.array([1.0, 1, 2, 2] * 25), ScreeningTarget.of(["a", "a", "b", "b"] * 25, 100))[0]
    0.688...
    """
    present = ~np.isnan(x)
    n = int(present.sum())
    if n == 0:
        return 0.0, 1.0
    labels = target.values[present] if target.n_classes else _bins(target.values[present])
    counts = _contingency(_bins(x[present]), labels)
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / n
    seen = counts > 0
    information = float((counts[seen] * np.log(counts[seen] / expected[seen])).sum()) / n
    freedom = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    if freedom == 0:
        return 0.0, 1.0
    return information - freedom / (2 * n), float(special.chdtrc(freedom, 2 * n * information))


def correlation(x: np.ndarray, target: ScreeningTarget) -> tuple[float, float]:
    r"""The information of Pearson's correlation between x and the target, and its p-value.

    :math:`-\tfrac12 \ln(1 - r^2)` is the mutual information of two normal variables with that correlation. For
    several classes it is the largest of the one-vs-rest values.

    >>> correlation(np.array([1.0, 2, 3, 4]), ScreeningTarget(np.array([1.0, 2, 3, 3])))[0]
    1.107...
    """
    present = ~np.isnan(x)
    n = int(present.sum())
    if n < 4:
        return 0.0, 1.0
    values = target.values[present]
    sides = values[None] if not target.n_classes else values == np.arange(target.n_classes)[:, None]
    if target.n_classes == 2:
        sides = sides[1:]
    centred = sides - sides.mean(axis=1, keepdims=True)
    deviation = x[present] - x[present].mean()
    deviation /= np.abs(deviation).max() or 1.0  # avoids overflow of squares
    scale = np.sqrt((deviation**2).sum() * (centred**2).sum(axis=1))
    products = np.abs((centred * deviation).sum(axis=1))  # no BLAS: its threads cost more than this small sum
    r = np.divide(products, scale, out=np.zeros(len(scale)), where=scale > 0).max()
    unexplained = max(1.0 - r * r, 1e-12)
    p_value = 2 * special.stdtr(n - 2, -r * np.sqrt((n - 2) / unexplained))
    return -0.5 * float(np.log(unexplained)), min(1.0, len(sides) * float(p_value))


SCREENS: dict[str, Callable[[np.ndarray, ScreeningTarget], tuple[float, float]]] = {
    "mutual_information": mutual_information,
    "correlation": correlation,
}


def _bins(x: np.ndarray) -> np.ndarray:
    """Bins of about equal frequency, their number growing with the rows; equal values share a bin."""
    n_bins = int(np.clip(np.cbrt(len(x)), 2, _MOST_BINS))
    cuts = np.quantile(x, np.arange(1, n_bins) / n_bins, method="inverted_cdf")
    return np.searchsorted(cuts, x, side="left")


def _contingency(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """The contingency table of two codings, without codes that do not occur."""
    shape = (int(rows.max()) + 1, int(columns.max()) + 1)
    counts = np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1]).reshape(shape)
    return counts[counts.any(axis=1)][:, counts.any(axis=0)]
