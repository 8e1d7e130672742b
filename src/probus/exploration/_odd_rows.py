"""Rows that are unlike all others, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.anomaly import KNearestDistance
from probus.data import Table
from probus.display import Cells, Result, counted
from probus.exploration._fair_distance import FairDistance

FALSE_ALARMS = 0.1
_REFERENCE = 1000  # rows that every row is compared with
_FEWEST_ROWS = 30
_NEIGHBOURS = 10
_ROWS_A_BLOCK = 50_000
_NAMED = 50  # rows whose reasons are found
_TAIL, _BEYOND = 0.6, 0.98  # shares of the rows between which the tail is fitted
_SHOWN = 10
_REASONS, _WEIGHTY = 3, 0.1  # reasons of a row, each at least such a share of the first


@dataclass(frozen=True)
class OddRow:
    """A row far from all others.

    Attributes
    ----------
    row : its number, from 0.
    times : its mean distance to its nearest rows, divided by the median of all rows.
    reasons : what makes it odd, in words.
    """

    row: int
    times: float
    reasons: str


@dataclass(frozen=True, eq=False, repr=False)
class OddRows(Result):
    """The rows that are further from all others than the tail of the distances explains, the oddest first.

    Attributes
    ----------
    rows : their numbers, from 0.
    named : the first of them with reasons.
    reference : how many rows each was compared with.
    table_rows : the number of rows of the table.
    why : why none could be looked for, or empty.
    """

    rows: np.ndarray
    named: tuple[OddRow, ...]
    reference: int
    table_rows: int
    why: str = ""

    def __len__(self) -> int:
        return len(self.rows)

    def sentence(self) -> str:
        """How many there are."""
        if self.why:
            return f"No row is called odd: {self.why}."
        if not len(self):
            return "No row is odd."
        return f"{counted(len(self), 'row')} {'is' if len(self) == 1 else 'are'} odd."

    def rate(self) -> str:
        """The rate of false alarms."""
        return (
            "A row is called odd where its mean distance to the nearest rows is larger than the distances of all rows "
            f"explain; where every row is usual, about one table in {round(1 / FALSE_ALARMS)} has such a row."
        )

    def _rows(self) -> list[dict[str, Any]]:
        return [dict(vars(row)) for row in self.named]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {"rows": self.rows.tolist(), "named": self._rows(), "false_alarms": FALSE_ALARMS, "why": self.why}

    def _parts(self) -> Iterator[Any]:
        yield self.sentence()
        if self.named:
            yield Cells([("row", "distance", "because of"), *self.lines()[:_SHOWN]], right=[0, 1], margin=2)

    def lines(self) -> list[tuple[str, str, str]]:
        """A line for each named row, as text."""
        return [(f"{row.row:,}", f"{row.times:.1f} ×", row.reasons) for row in self.named]


def find_odd_rows(table: Table, distance: FairDistance, seed: int) -> OddRows:
    """Compare every row with a random sample, by the mean distance to the nearest rows of it."""
    n = table.n_rows
    if n < _FEWEST_ROWS or not table.names:
        why = "there are too few rows" if table.names else "no column can be compared"
        return OddRows(np.empty(0, dtype=np.int64), (), 0, n, why)
    rows = np.arange(n) if n <= _REFERENCE else np.random.default_rng([seed, 4]).choice(n, _REFERENCE, replace=False)
    reference = distance.clipped(table.take(np.sort(rows)))
    k = _NEIGHBOURS if n >= 10 * _NEIGHBOURS else _NEIGHBOURS // 2
    model = KNearestDistance(k, method="mean", metric="gower", metric_params=distance.params).fit(reference)
    blocks = range(0, n, _ROWS_A_BLOCK)
    away = -np.concatenate([model.score_samples(table.take(slice(start, start + _ROWS_A_BLOCK))) for start in blocks])
    threshold = tail_threshold(away, FALSE_ALARMS)
    odd = np.flatnonzero(away > threshold)
    odd = odd[np.argsort(-away[odd], kind="stable")]
    return OddRows(odd, _named(model, table, odd[:_NAMED], away), len(rows), n)


def _named(model: KNearestDistance, table: Table, odd: np.ndarray, away: np.ndarray) -> tuple[OddRow, ...]:
    if not len(odd):
        return ()
    usual = float(np.median(away))
    explained = model.explain(table.take(odd))
    added = explained.contributions
    weighty = (added > _WEIGHTY * added.max(axis=1, keepdims=True)).sum(axis=1)
    return tuple(
        OddRow(int(row), float(away[row] / usual), explained.reasons(place, min(int(weighty[place]), _REASONS)))
        for place, row in enumerate(odd)
    )


def tail_threshold(distances: np.ndarray, expected: float) -> float:
    """The distance beyond which so many rows are expected, if the tail were the power law that fits its observed part.

    The logarithms beyond the 60 % quantile are exponential then. Their mean is estimated from those below the 98 %
    quantile, the others counted as beyond it, so that odd rows do not set their own threshold. The expectation is over
    the uncertain mean too: if m were seen, of that sum, further ones are beyond x with probability (1 + x / sum)^-m.
    Infinite where the distances take too few values.

    >>> usual = np.random.default_rng(0).pareto(3.0, 1000) + 1
    >>> 20 < tail_threshold(usual, 0.05) < 45
    True
    """
    positive = distances[distances > 0]
    if 2 * len(positive) < len(distances) or not len(positive):
        return np.inf
    logs = np.log(np.maximum(distances, positive.min()))
    start, end = np.quantile(logs, [_TAIL, _BEYOND])
    beyond = logs[logs > start] - start
    seen = int((beyond < end - start).sum())
    if not seen:
        return np.inf
    total = np.minimum(beyond, end - start).sum()
    times = max((1 - _TAIL) * len(distances) / expected, 1.0)
    return float(np.exp(start + total * np.expm1(np.log(times) / seen)))
