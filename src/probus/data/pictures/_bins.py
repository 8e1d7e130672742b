"""The bins of histograms, and the rows that are drawn as points."""

from __future__ import annotations

import numpy as np

from probus.data.large_numbers import within_range

_MOST_BINS = 28
_POINTS = 3_000  # drawn: more only become darker


def histogram_edges(finite: np.ndarray) -> np.ndarray:
    """Equal bins, 2 n^⅓ of them (Rice's rule) up to a limit that still reads.

    Where few whole numbers occur, each gets a bin around it, so that none falls between them.

    >>> histogram_edges(np.array([1.0, 2.0, 2.0, 4.0]))
    array([0.5, 1.5, 2.5, 3.5, 4.5])
    """
    finite, power = within_range(finite)
    low, high = finite.min(), finite.max()
    if power == 1 and high - low < _MOST_BINS and (finite == np.floor(finite)).all():
        return np.arange(low, high + 2) - 0.5
    return np.linspace(low, high, min(round(2 * np.cbrt(len(finite))), _MOST_BINS) + 1) * power


def drawn_rows(usable: np.ndarray) -> np.ndarray:
    """The rows of a mask, or a sample of them, the same every time."""
    rows = np.flatnonzero(usable)
    return rows if len(rows) <= _POINTS else np.sort(np.random.default_rng(0).choice(rows, _POINTS, replace=False))
