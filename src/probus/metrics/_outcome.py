"""True values and predictions in the one form that every measure reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from probus.data import Level
from probus.errors import DataError
from probus.metrics._arrays import as_array, as_flat, as_numbers, as_weights
from probus.metrics._labels import are_numbers, classes_of, codes_of, positive_code
from probus.metrics.resample_forms import Ranking

NEEDS = ("labels", "scores", "probabilities", "values", "predictions", "decisions")

_SUM_TOLERANCE = 1e-3  # single-precision softmaxes of many classes are this far from one
_TOLERANCE = 1e-6  # and their single entries this far outside [0, 1]
_PARTS = {
    "predicted": "predictions",
    "probabilities": "probabilities",
    "scores": "scores of the positive class",
    "decisions": "decision values",
}


@dataclass(frozen=True, eq=False)
class Outcome:
    """Rows with their truth and a model's predictions.

    Attributes
    ----------
    actual : int64 codes into ``classes``, or float64 for numbers.
    predicted : codes or float64; None where only scores were given.
    probabilities : float64[n, K], a probability for each class; None where there are none.
    scores : float64[n], larger for the positive class; the positive column of ``probabilities`` where those were given.
    classes : the labels, in order; empty for numbers.
    positive : the code of the class of interest; None where there is none.
    weights : float64[n], or None where every row counts once.
    decisions : what ``decision_function`` returns: float64[n], larger for the positive class, or float64[n, K] of more
        than two classes; None where there are none, or nothing needs them.
    """

    actual: np.ndarray
    predicted: np.ndarray | None = None
    probabilities: np.ndarray | None = None
    scores: np.ndarray | None = None
    classes: tuple[Level, ...] = ()
    positive: int | None = None
    weights: np.ndarray | None = None
    decisions: np.ndarray | None = None

    def __post_init__(self) -> None:
        for name in ("predicted", "probabilities", "scores", "weights", "decisions"):
            part = getattr(self, name)
            if part is not None and len(part) != len(self.actual):
                raise DataError(f"actual has {len(self.actual)} rows and {name} has {len(part)}.", "as many of each")

    def __len__(self) -> int:
        return len(self.actual)

    @classmethod
    def of(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        needs: str = "labels",
        classes: Sequence[Level] | None = None,
        pos_label: Level | None = None,
        sample_weight: Any = None,
        called: tuple[str, str] = ("y_true", "y_pred"),
    ) -> Outcome:
        """Truth and predictions as users pass them.

        ``needs`` is the type of ``y_pred``, as a measure declares it: "labels", "scores" (one number a row, larger for
        the positive class), "probabilities" (one column per class, or that of the positive class alone), "values"
        (numbers to predict numbers), "decisions" (of ``decision_function``), or "predictions" (values where the truth
        or they are floats, labels otherwise). A matrix of probabilities serves labels and scores too. ``classes`` are
        the columns of such a matrix in order, by default the sorted labels. The positive class is ``pos_label``, or the
        last of two.
        ``called`` are the names by which errors call truth and predictions.

        >>> seen = Outcome.of(["no", "yes", "yes"], [0.2, 0.9, 0.4], needs="probabilities")
        >>> seen.actual, seen.predicted, seen.positive
        (array([0, 1, 1]), array([0, 1, 0]), 1)
        """
        if needs not in NEEDS:
            raise DataError(f"needs={needs!r}.", "one of " + ", ".join(map(repr, NEEDS)))
        of_truth, of_predicted = called
        truth, predicted = as_flat(y_true, of_truth), as_array(y_pred, of_predicted)
        if len(predicted) != len(truth):
            raise DataError(
                f"{of_truth} has {len(truth)} rows and {of_predicted} has {len(predicted)}.", "one prediction per row"
            )
        if len(truth) == 0:
            raise DataError("no rows.", "at least one")
        weights = as_weights(sample_weight, len(truth))
        if needs == "predictions":
            needs = "values" if classes is None and predicted.ndim == 1 and are_numbers(truth, predicted) else "labels"
        if needs == "values":
            return cls(
                as_numbers(truth, of_truth), as_numbers(as_flat(predicted, of_predicted), of_predicted), weights=weights
            )
        labels_given = needs == "labels" and predicted.ndim == 1
        labels = classes_of(truth, predicted if labels_given else None, classes, pos_label, called)
        positive = positive_code(labels, pos_label)
        outcome = cls(codes_of(truth, labels, of_truth), classes=labels, positive=positive, weights=weights)
        if labels_given:
            return replace(outcome, predicted=codes_of(predicted, labels, of_predicted))
        numbers = as_numbers(predicted, of_predicted)
        if needs == "decisions":
            return replace(outcome, decisions=numbers, scores=numbers if numbers.ndim == 1 else None)
        if needs == "scores" and numbers.ndim == 1:
            return replace(outcome, scores=numbers)
        return outcome.with_probabilities(numbers)

    def with_probabilities(self, probabilities: np.ndarray) -> Outcome:
        """The outcome with probabilities, from which labels and scores follow: a matrix, or the positive column."""
        if probabilities.ndim == 1:
            probabilities = self._both_columns(probabilities)
        _check_probabilities(probabilities, len(self.classes))
        probabilities = np.clip(probabilities, 0.0, 1.0)
        scores = None if self.positive is None else np.ascontiguousarray(probabilities[:, self.positive])
        return replace(self, predicted=probabilities.argmax(axis=1), probabilities=probabilities, scores=scores)

    def need(self, part: str) -> np.ndarray:
        """That part of the outcome ("predicted", "probabilities" or "scores"); an error where it was not given.

        >>> Outcome(np.array([0, 1])).need("probabilities")
        Traceback (most recent call last):
            ...
        probus.errors.DataError: no probabilities to measure.
          Expected what the measure needs: see probus.metrics.measures().
        """
        found = getattr(self, part)
        if found is None:
            raise DataError(f"no {_PARTS[part]} to measure.", "what the measure needs: see probus.metrics.measures()")
        return found

    @cached_property
    def ranking(self) -> Ranking:
        """The rows by falling score, sorted once for all measures of the scores."""
        from probus.metrics._ranking import positives_of

        return Ranking.of(positives_of(self), self.need("scores"))

    def take(self, rows: np.ndarray) -> Outcome:
        """The outcome on those rows."""
        parts = ("actual", "predicted", "probabilities", "scores", "weights", "decisions")
        return replace(self, **{name: part[rows] for name in parts if (part := getattr(self, name)) is not None})

    def weighted(self, weights: np.ndarray | None) -> Outcome:
        """The outcome with other row weights."""
        return replace(self, weights=weights)

    def mean(self, rows: np.ndarray) -> float:
        """The weighted mean of one number per row; rows without weight may be NaN."""
        if self.weights is None:
            return float(rows.mean())
        counted = self.weights > 0
        return float(np.average(rows[counted], weights=self.weights[counted]))

    def total(self, rows: np.ndarray) -> float:
        """The weighted sum of one number per row."""
        return float(rows.sum() if self.weights is None else rows @ self.weights)

    def _both_columns(self, positive: np.ndarray) -> np.ndarray:
        if len(self.classes) != 2 or self.positive is None:
            raise DataError(
                f"one probability per row for {len(self.classes)} classes.",
                "one column per class",
                "Pass classes=… where some class does not occur in y_true.",
            )
        other = 1.0 - positive
        return np.column_stack([other, positive] if self.positive == 1 else [positive, other])


def _check_probabilities(probabilities: np.ndarray, n_classes: int) -> None:
    if probabilities.ndim != 2 or probabilities.shape[1] != n_classes:
        raise DataError(
            f"probabilities of shape {probabilities.shape} for {n_classes} classes.",
            "one column per class",
            "Pass classes=… where some class does not occur in y_true.",
        )
    if probabilities.min() < -_TOLERANCE or probabilities.max() > 1 + _TOLERANCE:
        raise DataError(f"probabilities from {probabilities.min():g} to {probabilities.max():g}.", "between 0 and 1")
    off = np.abs(probabilities @ np.ones(n_classes) - 1.0).max()  # many times as fast as summing short rows
    if off > _SUM_TOLERANCE:
        raise DataError(f"rows of probabilities that miss 1 by up to {off:.2g}.", "rows that sum to 1")
