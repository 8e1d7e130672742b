"""Rows that are odd for their context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin, clone
from sklearn.utils.validation import check_is_fitted

from probus.data import Column, Kind, Table
from probus.detection import Explanation
from probus.errors import DataError

__all__ = ["Contextual"]


class Contextual(OutlierMixin, BaseEstimator):
    """A detector for each context: a row is compared with rows of the same levels in the columns ``by``.

    Each context with at least ``min_rows`` rows has its own detector of the other columns; the rows of smaller and of
    new contexts are scored by one that is fitted on all. Scores are made comparable: less their median among the
    training rows of the context, divided by the median absolute deviation.

    Parameters
    ----------
    detector : any detector with ``score_samples``.
    by : names of the columns of the context. Numeric columns are cut into ``bins`` parts of about as many rows each.
    min_rows : the fewest rows of a context.
    contamination : the share of outliers among the training rows.

    Attributes
    ----------
    detectors_ : the fitted detectors by context, a tuple of codes of the columns; () is the one of all rows.
    offset_ : the threshold.

    Examples
    --------
    >>> from probus.anomaly import ZScore
    >>> degrees = [0.0, 1.0, 2.0] * 10 + [20.0, 21.0, 22.0] * 9 + [1.0] * 3
    >>> days = {"month": ["Jan"] * 30 + ["Jul"] * 30, "degrees": degrees}
    >>> model = Contextual(ZScore(robust=True), by=["month"], contamination=0.05).fit(days)
    >>> model.predict({"month": ["Jan", "Jul"], "degrees": [2.0, 2.0]})
    array([ 1, -1])
    """

    def __init__(
        self, detector: Any, by: Sequence[str], *, bins: int = 5, min_rows: int = 20, contamination: float = 0.1
    ):
        self.detector = detector
        self.by = by
        self.bins = bins
        self.min_rows = min_rows
        self.contamination = contamination

    def fit(self, X: Any, y: Any = None) -> Contextual:
        """Fit the detectors; y is ignored."""
        table = Table.of(X, infer=False)
        by = [self.by] if isinstance(self.by, str) else list(self.by)
        if not by or len(by) == table.shape[1]:
            raise DataError(f"by={self.by!r}.", "the names of some columns, and not of all")
        if not 0 < self.contamination <= 0.5:
            raise DataError(f"contamination={self.contamination}.", "a share above 0 and at most 0.5")
        self.by_, self.schema_ = by, table.schema
        shares = np.arange(1, self.bins) / self.bins
        self.cuts_ = {name: _cuts(table[name], shares) for name in by if table[name].kind is Kind.NUMERIC}
        contexts = self._contexts(table)
        rest = table.drop(*by)
        self.detectors_, self._scales = {}, {}
        for context, rows in [((), np.arange(len(contexts))), *_grouped(contexts).items()]:
            if context and len(rows) < self.min_rows:
                continue
            part = rest.take(rows)
            self.detectors_[context] = clone(self.detector).fit(part)
            scores = self.detectors_[context].score_samples(part)
            middle = np.median(scores)
            spread = np.median(np.abs(scores - middle)) or np.abs(scores - middle).mean() or 1.0
            self._scales[context] = (middle, spread)
        self.offset_ = float(np.percentile(self.score_samples(table), 100 * self.contamination))
        return self

    def _contexts(self, table: Table) -> list[tuple[int, ...]]:
        codes = [
            np.searchsorted(self.cuts_[name], table[name].values) if name in self.cuts_ else table[name].values
            for name in self.by_
        ]
        return list(zip(*(code.tolist() for code in codes), strict=True))

    def _parts(self, X: Any) -> list[tuple[tuple[int, ...], np.ndarray, Table]]:
        """The context of the detector, the rows and their other columns, for each detector that is needed."""
        check_is_fitted(self)
        table = self.schema_.apply(Table.of(X, infer=False))
        contexts = [context if context in self.detectors_ else () for context in self._contexts(table)]
        rest = table.drop(*self.by_)
        return [(context, rows, rest.take(rows)) for context, rows in _grouped(contexts).items()]

    def score_samples(self, X: Any) -> np.ndarray:
        """How usual each row is among its like."""
        parts = self._parts(X)
        scores = np.empty(sum(len(rows) for _, rows, _ in parts))
        for context, rows, part in parts:
            middle, spread = self._scales[context]
            scores[rows] = (self.detectors_[context].score_samples(part) - middle) / spread
        return scores

    def decision_function(self, X: Any) -> np.ndarray:
        """``score_samples`` less the threshold: negative for outliers."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """1 for usual rows, −1 for outliers."""
        return np.where(self.decision_function(X) < 0, -1, 1)

    def explain(self, row: Any) -> Explanation:
        """Which columns make a single row odd in its context."""
        parts = self._parts(row)
        if len(parts) != 1:
            raise DataError("rows of several contexts.", "rows of one context", "Explain them one by one.")
        ((context, _, part),) = parts
        return self.detectors_[context].explain(part)


def _cuts(column: Column, shares: np.ndarray) -> np.ndarray:
    known = column.values[~column.missing]
    return np.unique(np.quantile(known, shares)) if len(known) else np.empty(0)


def _grouped(contexts: list[tuple[int, ...]]) -> dict[tuple[int, ...], np.ndarray]:
    """The rows of each context."""
    rows: dict[tuple[int, ...], list[int]] = {}
    for row, context in enumerate(contexts):
        rows.setdefault(context, []).append(row)
    return {context: np.array(found) for context, found in rows.items()}
