"""Rows that are odd for their context."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import ArrayValue, InstanceOf, IntegerIn
from probus.anomaly._wrapped_detector import WrappedDetector
from probus.anomaly._z_score import ZScore
from probus.base import BaseEstimator, Model, clone, table_input
from probus.data import Column, Kind, Table
from probus.detection import Explanation
from probus.ensemble import numbers_or_cells
from probus.errors import DataError
from probus.parameters import parameter
from probus.state import Array, Many, Maybe, Number, Object, Plain, Spec

_ALL = ()  # the context of the detector of all rows


class Contextual(WrappedDetector):
    """A detector for each context: a row is compared with rows of the same levels in the columns ``by``.

    Each context with at least ``min_rows`` rows has its own detector of the other columns. The rows of smaller, new and
    unknown contexts are scored by one that is fitted on all. Scores are made comparable: less their median among the
    training rows of the context, divided by the median absolute deviation.

    Attributes
    ----------
    contexts_ : the contexts, each a tuple of codes of its columns; () are all rows. detectors_ : the detector of each.
    scales_ : median and median absolute deviation of the scores of each context. offset_ : the threshold.

    Examples
    --------
    >>> from probus.anomaly import ZScore
    >>> degrees = [0.0, 1.0, 2.0] * 10 + [20.0, 21.0, 22.0] * 9 + [1.0] * 3
    >>> days = {"month": ["Jan"] * 30 + ["Jul"] * 30, "degrees": degrees}
    >>> model = Contextual(ZScore(robust=True), by=["month"], contamination=0.05).fit(days)
    >>> model.predict({"month": ["Jan", "Jul"], "degrees": [2.0, 2.0]})
    array([ 1, -1])
    """

    by: Sequence[str | int] = parameter(
        "Names or numbers of the columns that make the context.",
        of=[ArrayValue(), IntegerIn(), InstanceOf(str)],
        kw_only=False,
    )
    bins: int = parameter(
        "A numeric column of the context is cut into so many bins of about as many rows each.", default=5, at_least=1
    )
    min_rows: int = parameter("The fewest rows of a context that has a detector of its own.", default=20, at_least=1)
    contamination: float = parameter(
        "The share of outliers among the training rows.", default=0.1, above=0, at_most=0.5
    )

    prepared: ClassVar[str | None] = "detector"
    fitted: ClassVar[dict[str, Spec]] = {
        "by_": Many(Plain(), "b"),
        "cuts_": Many(Maybe(Array("f8", "*")), "b"),
        "contexts_": Many(Plain(), "m"),
        "detectors_": Many(Object(BaseEstimator), "m"),
        "scales_": Array("f8", "m 2"),
        "offset_": Number(),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """By a number."""
        return [cls(ZScore(), [0], bins=2, min_rows=5)]

    def fit(self, X: Any, y: Any = None) -> Contextual:
        """Fit the detectors; y is ignored."""
        table = self._table(X, reset=True)
        self.by_ = _names(self.by, table)
        shares = np.arange(1, self.bins) / self.bins
        self.cuts_ = [_cuts(table[name], shares) if table[name].kind is Kind.NUMERIC else None for name in self.by_]
        found = _group(self._contexts(table))
        found[_ALL] = np.arange(len(table))
        self.contexts_ = sorted(context for context, rows in found.items() if not context or len(rows) >= self.min_rows)
        parts = [self._given(table.take(found[context])) for context in self.contexts_]
        self.detectors_ = [clone(self.detector).fit(part) for part in parts]
        scores = [detector.score_samples(part) for detector, part in zip(self.detectors_, parts, strict=True)]
        self.scales_ = np.array([_middle_and_spread(each) for each in scores])
        self.offset_ = float(np.percentile(self._scores(table), 100 * self.contamination))
        return self

    def _table(self, X: Any, reset: bool) -> Table:
        objects = isinstance(X, np.ndarray) and X.dtype.kind == "O"
        return table_input(self, numbers_or_cells(X) if objects else X, reset=reset, any_kind=True, passed_on=True)

    def _contexts(self, table: Table) -> list[tuple[Any, ...]]:
        """The context of each row, () where a column of it is missing or has a new level."""
        columns = [table[name] for name in self.by_]
        codes = [
            column.values if cuts is None else np.searchsorted(cuts, column.values)
            for column, cuts in zip(columns, self.cuts_, strict=True)
        ]
        known = ~np.any([column.missing for column in columns], axis=0)
        each = zip(*(code.tolist() for code in codes), strict=True)
        return [context if whole else _ALL for context, whole in zip(each, known, strict=True)]

    def _given(self, table: Table) -> Any:
        """The columns that are no context, as the detector takes them."""
        rest = table.drop(*self.by_)
        return rest if hasattr(self.detector, "accepts") else rest.numbers()

    def _parts(self, table: Table) -> list[tuple[int, np.ndarray, Any]]:
        """The number of the detector, the rows and their other columns, for each detector that is needed."""
        number = {context: i for i, context in enumerate(self.contexts_)}
        contexts = [context if context in number else _ALL for context in self._contexts(table)]
        return [(number[context], rows, self._given(table.take(rows))) for context, rows in _group(contexts).items()]

    def score_samples(self, X: Any) -> np.ndarray:
        """How usual each row is among its like."""
        check_is_fitted(self)
        return self._scores(self._table(X, reset=False))

    def _scores(self, table: Table) -> np.ndarray:
        parts = self._parts(table)
        scores = np.empty(sum(len(rows) for _, rows, _ in parts))
        for i, rows, part in parts:
            middle, spread = self.scales_[i]
            scores[rows] = (self.detectors_[i].score_samples(part) - middle) / spread
        return scores

    def explain(self, X: Any) -> Explanation:
        """Which columns make rows odd in their contexts; scores and shares are in the unit of ``score_samples``."""
        check_is_fitted(self)
        parts = self._parts(self._table(X, reset=False))
        found = [self.detectors_[i].explain(part) for i, _, part in parts]
        back = np.argsort(np.concatenate([rows for _, rows, _ in parts]))
        middle, spread = self.scales_[np.repeat([i for i, _, _ in parts], [len(rows) for _, rows, _ in parts])][back].T
        scores = np.concatenate([part.scores for part in found])[back]
        added = np.concatenate([part.contributions for part in found])[back]
        values, typical = ([row for part in found for row in getattr(part, name)] for name in ("values", "typical"))
        return Explanation(
            found[0].columns,
            added / spread[:, None],
            tuple(values[row] for row in back),
            tuple(typical[row] for row in back),
            (scores - middle) / spread,
            np.arange(len(back)),
        )


def _names(by: Any, table: Table) -> list[str]:
    """The names of the columns of the context."""
    chosen = [by] if isinstance(by, (str, Integral)) else list(by)
    if not chosen or len(set(chosen)) == table.shape[1]:
        raise DataError(f"by={by!r} of n_features={table.shape[1]}.", "some columns, and not all of them")
    for number in chosen:
        if isinstance(number, Integral) and not 0 <= int(number) < table.shape[1]:
            raise DataError(f"by={by!r} of n_features={table.shape[1]}.", f"numbers below {table.shape[1]}")
    return [table.names[int(name)] if isinstance(name, Integral) else table[name].name for name in chosen]


def _middle_and_spread(scores: np.ndarray) -> tuple[float, float]:
    middle = np.median(scores)
    away = np.abs(scores - middle)
    return middle, np.median(away) or away.mean() or 1.0


def _cuts(column: Column, shares: np.ndarray) -> np.ndarray:
    known = column.values[~column.missing]
    return np.unique(np.quantile(known, shares)) if len(known) else np.empty(0)


def _group(contexts: list[tuple[Any, ...]]) -> dict[tuple[Any, ...], np.ndarray]:
    """The rows of each context."""
    rows: dict[tuple[Any, ...], list[int]] = {}
    for row, context in enumerate(contexts):
        rows.setdefault(context, []).append(row)
    return {context: np.array(found) for context, found in rows.items()}
