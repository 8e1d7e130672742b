"""What a glass box shows: the curve of a column, the table of a pair, the sizes of terms, and those of single rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.display import Cells, Notes, Picture, Result, counted, figure, rounded, shortened
from probus.ensemble.glass_box._column_view import ColumnView
from probus.ensemble.glass_box._term_plots import draw_curve, draw_sizes, draw_table

NORMAL = 1.959964
_SHOWN = 12


@dataclass(frozen=True, eq=False, repr=False)
class Curve(Result):
    """What a column adds to the prediction, by its value.

    Attributes
    ----------
    view : the column.
    values : float64[bins + 1], of each bin, and of missing values.
    errors : float64[bins + 1], standard errors; NaN where there are none, as after an edit.
    rows : float64[bins + 1], the weight of the training rows in each.
    unit : what the values are added to, in words.
    output : the class whose curve it is; None where there is one curve.
    edited : whether it was edited.
    """

    view: ColumnView
    values: np.ndarray
    errors: np.ndarray
    rows: np.ndarray
    unit: str
    output: Any = None
    edited: bool = False

    @property
    def size(self) -> float:
        """The mean absolute value over the training rows."""
        return float(self.rows @ np.abs(self.values) / max(self.rows.sum(), 1e-300))

    def _rows(self) -> dict[str, Any]:
        """A row for each bin, and one for missing values where training had some."""
        n = len(self.view.centres)
        shown = [b for b in range(n + 1) if b < n or self.rows[n] > 0 or self.values[n]]
        centre = [None if self.view.labels or b == n else float(self.view.centres[b]) for b in shown]
        error, value = self.errors[shown], self.values[shown]
        known = np.isfinite(error)
        half = np.where(known, NORMAL * error, 0.0)
        return {
            "column": [self.view.name] * len(shown),
            **({} if self.output is None else {"class": [str(self.output)] * len(shown)}),
            "bin": [self.view.text(b) for b in shown],
            "centre": centre,
            "value": value.tolist(),
            "low": [float(v) if yes else None for v, yes in zip(value - half, known, strict=True)],
            "high": [float(v) if yes else None for v, yes in zip(value + half, known, strict=True)],
            "rows": self.rows[shown].tolist(),
        }

    def _parts(self) -> list[Any]:
        of = "" if self.output is None else f" of {shortened(str(self.output), 40)}"
        found = self._rows()
        texts = [
            [where, rounded(value, 3), "" if low is None else f"{rounded(low, 3)} to {rounded(high, 3)}", f"{rows:g}"]
            for where, value, low, high, rows in zip(
                *(found[name] for name in ("bin", "value", "low", "high", "rows")), strict=True
            )
        ]
        head = f"What {self.view.name} adds to the {self.unit}{of}{', edited' if self.edited else ''}"
        table = Cells([["value", "adds", "95 %", "rows"], *texts], right=[1, 3], most=_SHOWN)
        return [head, table, Picture(self.plot, (4.8, 3.4))]

    def plot(self, ax: Any = None) -> Any:
        """The curve with its band, and where the training rows are, on matplotlib axes, which are returned."""
        return draw_curve(self, ax)


@dataclass(frozen=True, eq=False, repr=False)
class PairTable(Result):
    """What two columns add together, beyond their curves.

    Attributes
    ----------
    names : the names of the columns.
    labels : the bins of each in words; the last is missing values.
    values, rows : float64[a, b], of each cell, and the weight of its training rows.
    unit : what the values are added to, in words.
    output : the class whose table it is; None where there is one.
    edited : whether it was edited.
    """

    names: tuple[str, str]
    labels: tuple[tuple[str, ...], tuple[str, ...]]
    values: np.ndarray
    rows: np.ndarray
    unit: str
    output: Any = None
    edited: bool = False

    @property
    def size(self) -> float:
        """The mean absolute value over the training rows."""
        return float((self.rows * np.abs(self.values)).sum() / max(self.rows.sum(), 1e-300))

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each cell that has training rows."""
        return [
            {
                self.names[0]: first,
                self.names[1]: second,
                "value": float(self.values[a, b]),
                "rows": float(self.rows[a, b]),
            }
            for a, first in enumerate(self.labels[0])
            for b, second in enumerate(self.labels[1])
            if self.rows[a, b] > 0
        ]

    def _parts(self) -> list[Any]:
        head = f"What {self.names[0]} and {self.names[1]} add together to the {self.unit}, beyond their curves"
        at = np.unravel_index(np.argsort(-np.abs(self.values * (self.rows > 0)), axis=None)[:_SHOWN], self.values.shape)
        cells = [
            [self.labels[0][a], self.labels[1][b], rounded(self.values[a, b], 3), f"{self.rows[a, b]:g}"]
            for a, b in zip(*(each.tolist() for each in at), strict=True)
        ]
        return [head, Cells([[*self.names, "adds", "rows"], *cells], right=[2, 3]), Picture(self.plot, (5.2, 4.2))]

    def plot(self, ax: Any = None) -> Any:
        """A heat map on matplotlib axes, which are returned; cells without training rows are pale."""
        return draw_table(self, ax)


@dataclass(frozen=True, eq=False, repr=False)
class TermSizes(Result):
    """How much each term of a glass box moves predictions.

    Attributes
    ----------
    terms : the names of columns, and of pairs as "a × b".
    sizes : float64[t], the mean absolute value over the training rows; of several classes their mean.
    unit : what the values are added to, in words.
    intercept : what is predicted before any term, of each output.
    edited : the terms that were edited.
    """

    terms: tuple[str, ...]
    sizes: np.ndarray
    unit: str
    intercept: tuple[float, ...]
    edited: tuple[str, ...] = ()

    @property
    def order(self) -> np.ndarray:
        """The terms by their size, the largest first."""
        return np.argsort(-self.sizes, kind="stable")

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each term, the largest first."""
        return [
            {"term": self.terms[t], "size": float(self.sizes[t]), "edited": self.terms[t] in self.edited}
            for t in self.order.tolist()
        ]

    def _parts(self) -> list[Any]:
        rows = [[self.terms[t], figure(float(self.sizes[t]))] for t in self.order.tolist()]
        head = f"{counted(len(self.terms), 'term')} of a glass box: the mean size of what each adds to the {self.unit}"
        notes = [f"Edited: {', '.join(self.edited)}."] if self.edited else []
        return [
            head,
            Cells([["term", "size"], *rows], right=[1], most=_SHOWN),
            Notes(notes),
            Picture(self.plot, (5.2, 4)),
        ]

    def plot(self, ax: Any = None) -> Any:
        """A bar for each of the largest terms, on matplotlib axes, which are returned."""
        return draw_sizes(self, ax)


@dataclass(frozen=True, eq=False, repr=False)
class LocalTerms(Result):
    """What each term adds to the prediction of each row.

    Attributes
    ----------
    terms : the names of columns, and of pairs as "a × b".
    values : float64[n, t, k], by output; with the intercept they sum to the score exactly.
    intercept : float64[k].
    scores : float64[n, k], the sums, on the scale of the link.
    predictions : what is predicted of each row.
    outputs : the classes of the scores; none where there is one.
    unit : the scale, in words.
    """

    terms: tuple[str, ...]
    values: np.ndarray
    intercept: np.ndarray
    scores: np.ndarray
    predictions: tuple[Any, ...]
    outputs: tuple[Any, ...]
    unit: str

    def __len__(self) -> int:
        return len(self.values)

    def _rows(self) -> dict[str, Any]:
        """A row for each term of each row and output."""
        n, t, k = self.values.shape
        names = {} if not self.outputs else {"class": list(map(str, self.outputs)) * (n * t)}
        return {
            "row": np.repeat(np.arange(n), t * k).tolist(),
            "term": np.tile(np.repeat(np.array(self.terms, dtype=object), k), n).tolist(),
            **names,
            "value": self.values.ravel().tolist(),
        }

    def _parts(self) -> list[Any]:
        rows = []
        for i in range(min(len(self), _SHOWN)):
            q = int(self.scores[i].argmax())
            order = np.argsort(-np.abs(self.values[i, :, q]), kind="stable")[:3]
            words = ", ".join(f"{self.terms[t]} {self.values[i, t, q]:+.3g}" for t in order.tolist())
            rows.append([str(i), str(self.predictions[i]), words])
        head = f"Terms of {counted(len(self), 'prediction')}, added to the {self.unit}"
        return [head, Cells([["row", "prediction", "largest terms"], *rows])]
