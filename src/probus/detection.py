"""What detectors of odd rows have in common: scores, a threshold, and the columns that make a row odd."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import OneOf, RealIn
from probus.base import Model, OutlierMixin, matrix_input, table_input
from probus.data import Column, Kind, Schema, Table
from probus.data.row_selection import take_rows
from probus.display import Cells, Picture, Result, counted, figure
from probus.display.drawing import ORANGE, new_axes, tidy
from probus.errors import DataError
from probus.parameters import attribute, parameter
from probus.state import Array, Number, Spec

__all__ = [
    "Detector",
    "Explanation",
    "Thresholded",
    "explanation_of",
    "explanation_of_table",
    "oddest",
    "typical_contributions",
    "typical_values",
    "with_typical",
]

CONTAMINATION = parameter(
    'The share of outliers among the training rows; "auto" is 0.1.',
    default="auto",
    of=[OneOf("auto"), RealIn(above=0, at_most=0.5)],
)
_SHOWN = 3  # columns named for a row


@dataclass(frozen=True, repr=False, eq=False)
class Explanation(Result):
    """How much each column adds to the oddness of rows, n × d; negative where it makes the row more usual.

    Attributes
    ----------
    columns : the names of the columns.
    contributions : what each column adds, rows × columns.
    values, typical : of each row and column, what it is and what is typical, as text.
    scores, rows : of each row, ``score_samples`` and its number.
    """

    columns: tuple[str, ...]
    contributions: np.ndarray
    values: tuple[tuple[str, ...], ...]
    typical: tuple[tuple[str, ...], ...]
    scores: np.ndarray
    rows: np.ndarray

    def __len__(self) -> int:
        return len(self.scores)

    def reasons(self, row: int, most: int = _SHOWN) -> str:
        """The columns that make a row odd, the strongest first, with its values and what is typical."""
        added = self.contributions[row]
        order = [j for j in np.argsort(-added, kind="stable")[:most] if added[j] > 0]
        parts = (f"{self.columns[j]} = {self.values[row][j]} (typical {self.typical[row][j]})" for j in order)
        return ", ".join(parts) or "no single column"

    def _rows(self) -> dict[str, Any]:
        return {"row": self.rows, "score": self.scores, **dict(zip(self.columns, self.contributions.T, strict=True))}

    def _parts(self) -> Iterator[Any]:
        yield f"Explanation of {counted(len(self), 'row')}, the oddest first"
        order = np.argsort(self.scores, kind="stable")
        rows = [(str(self.rows[row]), figure(self.scores[row]), self.reasons(row)) for row in order]
        yield Cells([("row", "score", "because of"), *rows], right=[0], margin=2, most=10)
        yield Picture(self.plot)

    def plot(self, ax: Any = None, row: int | None = None) -> Any:
        """Bars of what each column adds, by default for the oddest row."""
        ax = new_axes(ax, 5.6, 4.0)
        row = int(np.argmin(self.scores)) if row is None else row
        added = self.contributions[row]
        order = np.argsort(np.abs(added), kind="stable")[-12:]
        ax.barh(range(len(order)), added[order], color=ORANGE, height=0.7)
        tidy(ax, f"row {self.rows[row]}", "adds to its oddness", "")
        names = [f"{self.columns[j]} = {self.values[row][j]}" for j in order]
        ax.set_yticks(range(len(order)), names, parse_math=False)
        ax.grid(visible=False, axis="y")
        return ax


class Thresholded(OutlierMixin, Model):
    """Base class of what has ``score_samples``, larger for more usual rows, and a threshold for them, ``offset_``."""

    offset_: float = attribute()

    def score_samples(self, X: Any) -> np.ndarray:
        """How usual each row is."""
        raise NotImplementedError

    def decision_function(self, X: Any) -> np.ndarray:
        """``score_samples`` less the threshold: negative for outliers."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """1 for usual rows, −1 for outliers."""
        return np.where(self.decision_function(X) < 0, -1, 1)


class Detector(Thresholded):
    """Base class of detectors that explain their scores by what is typical of each column."""

    contamination: Any = attribute()
    typical_: np.ndarray = attribute()

    fitted: ClassVar[dict[str, Spec]] = {"offset_": Number(), "typical_": Array("f8", "d")}

    def _set_threshold(self, scores: Any, usual: float | None, weights: np.ndarray | None = None) -> None:
        """``usual`` where the contamination is "auto", else so that this share of the training rows is below."""
        if self.contamination == "auto" and usual is not None:
            self.offset_ = float(usual)
        else:
            share = 0.1 if self.contamination == "auto" else self.contamination
            found = scores() if callable(scores) else scores
            if weights is None:
                self.offset_ = float(np.percentile(found, 100.0 * share))
            else:
                self.offset_ = float(np.percentile(found, 100.0 * share, weights=weights, method="inverted_cdf"))

    def _set_typical(self, rows: Any) -> None:
        self.typical_ = typical_values(rows)

    def _contributions(self, rows: Any, scores: np.ndarray) -> np.ndarray:
        """What each column adds."""
        return typical_contributions(self._scores, rows, scores, self.typical_)

    def _scores(self, rows: Any) -> np.ndarray:
        """Scores of validated rows."""
        raise NotImplementedError

    def explain(self, X: Any) -> Explanation:
        """Which columns make rows odd.

        By default a column's share is how much ``score_samples`` would rise if its value were the typical one: the
        median, or the most frequent level.
        """
        check_is_fitted(self)
        typed = self.accepts.nominal
        rows = table_input(self, X, reset=False) if typed else matrix_input(self, X, reset=False)
        scores = self._scores(rows)
        return explanation_of(self, rows, scores, self._contributions(rows, scores))

    def top(self, X: Any, n: int = 20) -> Explanation:
        """The oddest rows with their reasons, the oddest first.

        >>> from probus.anomaly import ZScore
        >>> rows = np.array([[1.0], [2.0], [9.0], [1.5], [2.5]])
        >>> ZScore().fit(rows).top(rows, 2).rows
        array([2, 0])
        """
        return oddest(self, X, n)


def oddest(detector: Any, X: Any, n: int) -> Explanation:
    """The explanation of the n rows with the lowest scores, the oddest first."""
    if isinstance(X, Integral):
        raise DataError(
            f"top({X}) without rows.", "rows, and how many of them", f"Pass the training rows: top(X, {X})."
        )
    order = np.argsort(detector.score_samples(X), kind="stable")[:n]
    return replace(detector.explain(take_rows(X, order)), rows=order)


def explanation_of(model: Any, rows: Any, scores: np.ndarray, contributions: np.ndarray) -> Explanation:
    """The contributions of the columns of a model's rows, with their names, values, and what is typical."""
    names = getattr(model, "feature_names_in_", None)
    columns = tuple(map(str, names)) if names is not None else tuple(f"x{j}" for j in range(rows.shape[1]))
    schema = model.schema_ if model.accepts.nominal else None
    typical = (_typical_texts(model.typical_, schema),) * len(scores)
    return Explanation(columns, contributions, _texts(rows), typical, scores, np.arange(len(scores)))


def explanation_of_table(score: Any, table: Table, typical: np.ndarray) -> Explanation:
    """How much more usual the rows of a table would be with the typical value of each column, by any scores."""
    scores = score(table)
    usual = table
    for j, value in enumerate(typical):
        usual = with_typical(usual, j, value)
    added = typical_contributions(score, table, scores, typical)
    return Explanation(table.names, added, _texts(table), _texts(usual), scores, np.arange(len(scores)))


def typical_contributions(score: Any, rows: Any, scores: np.ndarray, typical: np.ndarray) -> np.ndarray:
    """How much more usual each row would be if its value in a column were typical, rows × columns."""
    return np.column_stack([score(with_typical(rows, j, typical[j])) - scores for j in range(rows.shape[1])])


def with_typical(rows: Any, j: int, value: float) -> Any:
    """The rows with the typical value in column j."""
    if isinstance(rows, Table):
        column = tuple(rows)[j]
        if column.kind is Kind.TEXT:
            return rows.with_columns(replace(column, values=np.full_like(column.values, None)))
        return rows.with_columns(replace(column, values=np.full_like(column.values, value)))
    changed = rows.copy()
    changed[:, j] = value
    return changed


def typical_values(rows: Any) -> np.ndarray:
    """The median of each numeric column, the most frequent level of others; 0 where nothing is known and for text."""
    if isinstance(rows, Table):
        return np.array([_typical(column) for column in rows])
    typical = np.median(rows, axis=0)
    for j in np.flatnonzero(np.isnan(typical)):  # one by one: the median that skips NaN takes ten times as long
        known = rows[~np.isnan(rows[:, j]), j]
        typical[j] = np.median(known) if len(known) else 0.0
    return typical


def _typical_texts(typical: np.ndarray, schema: Schema | None) -> tuple[str, ...]:
    texts = []
    for j, value in enumerate(typical):
        levels = schema[j].levels if schema is not None and schema[j].kind is not Kind.NUMERIC else ()
        dates = schema is not None and schema[j].dates
        texts.append(str(levels[int(value)]) if levels else figure(float(value), dates=dates))
    return tuple(texts)


def _typical(column: Column) -> float:
    known = column.values[~column.missing]
    if not len(known) or column.kind is Kind.TEXT:
        return 0.0
    if column.kind is not Kind.NUMERIC:
        return float(np.argmax(np.bincount(known)))
    return float(np.percentile(known, 50, method="lower") if column.dates else np.median(known))


def _texts(rows: Any) -> tuple[tuple[str, ...], ...]:
    if isinstance(rows, Table):
        return tuple(zip(*map(_column_texts, rows), strict=True))
    return tuple(tuple("missing" if value != value else figure(value) for value in row) for row in rows.tolist())


def _column_texts(column: Column) -> list[str]:
    cells = zip(column.decoded().tolist(), column.missing, strict=True)
    return ["missing" if gone else _text(value, column.dates) for value, gone in cells]


def _text(value: Any, dates: bool) -> str:
    return figure(value, dates=dates) if isinstance(value, float) else str(value)
