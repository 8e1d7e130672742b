"""The confusion matrix with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import Level
from probus.display import Picture, Result, counted, drawing
from probus.errors import DataError
from probus.metrics._confusion import counts_of
from probus.metrics._estimates import Estimate
from probus.metrics._outcome import Outcome
from probus.metrics.curves._shares import effective_size, share, wilson

_LEGIBLE = 6.5  # points
_AXIS: dict[str, int | None] = {"true": 1, "pred": 0, "all": None}


@dataclass(frozen=True, eq=False, repr=False)
class ConfusionMatrix(Result):
    """Rows by actual class (down) and predicted class (across).

    Attributes
    ----------
    counts : float64[k, k], the weight of the rows, their number where none were given.
    squares : float64[k, k], the sum of squared weights, from which intervals learn how many rows there are.
    classes : the labels, in order.
    n : the number of rows.
    level : of the intervals.
    """

    counts: np.ndarray
    squares: np.ndarray
    classes: tuple[Level, ...]
    n: int
    level: float

    @classmethod
    def of(cls, outcome: Outcome, *, level: float = 0.95) -> ConfusionMatrix:
        """The matrix of an outcome with predicted classes."""
        if not outcome.classes:
            raise DataError("numbers as the target.", "classes", "Numbers have errors, not a confusion matrix.")
        weights = np.ones(len(outcome)) if outcome.weights is None else outcome.weights
        squares = counts_of(outcome.weighted(weights**2))
        return cls(counts_of(outcome), squares, outcome.classes, int((weights > 0).sum()), level)

    @property
    def accuracy(self) -> Estimate:
        """The share of rows on the diagonal."""
        whole = self.counts.sum()
        return share(np.trace(self.counts) / whole, effective_size(whole, self.squares.sum()), self.level, rows=self.n)

    def shares(self, normalize: str = "true") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Each cell as a share, with the ends of its Wilson interval.

        ``normalize`` is the denominator: "true" of the actual class (rows sum to 1, recall on the diagonal), "pred" of
        the predicted class (columns sum to 1, precision on the diagonal), "all" of all rows. A share of nothing is NaN.
        """
        if normalize not in _AXIS:
            raise DataError(f"normalize={normalize!r}.", "'true', 'pred' or 'all'")
        axis = _AXIS[normalize]
        whole, squares = (part.sum(axis=axis, keepdims=True) for part in (self.counts, self.squares))
        value = np.divide(self.counts, whole, out=np.full(self.counts.shape, np.nan), where=whole > 0)
        return value, *wilson(value, effective_size(whole, squares), self.level)

    def per_class(self) -> Any:
        """A polars frame: precision and recall of each class with their intervals, F1, and the weight of its rows."""
        import polars as pl

        table: dict[str, Any] = {"class": [str(label) for label in self.classes]}
        for name, normalize in (("precision", "pred"), ("recall", "true")):
            for suffix, part in zip(("", "_low", "_high"), self.shares(normalize), strict=True):
                table[name + suffix] = np.diagonal(part)
        either = self.counts.sum(axis=0) + self.counts.sum(axis=1)
        table["f1"] = np.divide(
            2 * np.diagonal(self.counts), either, out=np.full(len(either), np.nan), where=either > 0
        )
        return pl.DataFrame({**table, "support": self.counts.sum(axis=1)})

    def _parts(self) -> list[Picture | str]:
        head = f"Confusion of {counted(self.n, 'row')}, {len(self.classes)} classes: accuracy {self.accuracy}"
        wrong = np.where(np.eye(len(self.classes), dtype=bool), 0.0, self.counts)
        if not wrong.any():
            return [Picture(self.plot), f"{head}\nno row is taken for another class"]
        actual, predicted = np.unravel_index(wrong.argmax(), wrong.shape)
        pair = f"{self.classes[actual]!r} taken for {self.classes[predicted]!r}"
        often = f"most often {pair}: {wrong.max():,.6g} of {self.counts[actual].sum():,.6g}"
        return [Picture(self.plot), f"{head}\n{often}"]

    def _rows(self) -> dict[str, Any]:
        """A row for each cell, with its count and its share of the actual class."""
        k = len(self.classes)
        labels = np.array([str(label) for label in self.classes], dtype=object)
        value, low, high = (part.ravel() for part in self.shares("true"))
        cells = {"actual": np.repeat(labels, k).tolist(), "predicted": np.tile(labels, k).tolist()}
        return {**cells, "count": self.counts.ravel(), "share": value, "low": low, "high": high}

    def plot(self, ax: Any = None, *, normalize: str = "true") -> Any:
        """Cells shaded by their share, with counts, shares and intervals written in where they fit."""
        k = len(self.classes)
        side = min(max(2.2 + 0.95 * k, 4.2), 11)
        ax = drawing.new_axes(ax, side, side)
        shares = self.shares(normalize)
        ax.imshow(np.nan_to_num(shares[0]), cmap=drawing.blues(), vmin=0, vmax=1)
        self._write_cells(ax, shares)
        names = [str(label) if len(str(label)) <= 14 else str(label)[:13] + "…" for label in self.classes]
        drawing.tidy(ax, f"Confusion\naccuracy {self.accuracy}", "predicted", "actual")
        slanted: Any = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
        ax.set_xticks(range(k), names, parse_math=False, **(slanted if k * max(map(len, names)) > 45 else {}))
        ax.set_yticks(range(k), names, parse_math=False)
        ax.set_xticks(np.arange(k - 1) + 0.5, minor=True)
        ax.set_yticks(np.arange(k - 1) + 0.5, minor=True)
        ax.grid(False)
        ax.grid(True, which="minor", color="white", linewidth=1.5)
        ax.tick_params(which="minor", length=0)
        ax.spines[:].set_visible(False)
        return ax

    def _write_cells(self, ax: Any, shares: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
        """As much as can be read in a cell: the count, then its share, then the interval of that."""
        width = ax.get_window_extent().width / ax.figure.dpi * 72 / len(self.classes) / 0.68  # in widths of a letter
        lines, size = (3, width / 10) if width / 10 >= _LEGIBLE else (2 if width / 5 >= _LEGIBLE else 1, width / 5)
        for (i, j), count in np.ndenumerate(self.counts):
            value, low, high = (float(part[i, j]) for part in shares)
            text = [f"{count:,.5g}", f"{100 * value:.0f} %", f"[{100 * low:.0f}, {100 * high:.0f}] %"][
                : 1 if np.isnan(value) else lines
            ]
            ax.text(
                j,
                i,
                "\n".join(text),
                ha="center",
                va="center",
                color="white" if value > 0.5 else drawing.INK,
                fontsize=min(size, 10.5),
                linespacing=1.35,
            )


def confusion_table(
    y_true: Any,
    y_pred: Any,
    *,
    classes: Sequence[Level] | None = None,
    sample_weight: Any = None,
    level: float = 0.95,
) -> ConfusionMatrix:
    """The confusion matrix of predicted labels, or of a matrix of probabilities (the largest wins).

    Parameters
    ----------
    y_true : the true labels.
    y_pred : the predicted labels, or probabilities with a column per class.
    classes : the labels in the order of the matrix, by default sorted; those that do not occur may be named too.
    sample_weight : the weight of each row; None is 1.
    level : of the Wilson intervals of every share.

    Returns
    -------
    The matrix, which prints and plots itself.

    >>> confusion_table(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "a"])
    Confusion of 5 rows, 2 classes: accuracy 0.60 [0.23, 0.88]
    most often 'a' taken for 'b': 1 of 2
    """
    outcome = Outcome.of(y_true, y_pred, needs="labels", classes=classes, sample_weight=sample_weight)
    return ConfusionMatrix.of(outcome, level=level)
