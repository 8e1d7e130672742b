"""What was true and what a model said, in the one form that every measure reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from probus.data.column import Column, Level, level_key, quote_some
from probus.errors import DataError

__all__ = ["Outcome"]

_SUM_TOLERANCE = 1e-3  # single-precision softmaxes of many classes are this far from one


@dataclass(frozen=True, eq=False)
class Outcome:
    """Rows with their truth and a model's predictions.

    actual : int64 codes into ``classes``, or float64 for numbers.
    predicted : codes or float64; None where only scores were given.
    chances : float64[n, K], a probability for each class; None where there are none.
    scores : float64[n], larger for the positive class; the positive column of ``chances`` where those were given.
    classes : the labels, in order; empty for numbers.
    positive : the code of the class of interest; None where there is none.
    weights : float64[n], or None where every row counts once.
    """

    actual: np.ndarray
    predicted: np.ndarray | None = None
    chances: np.ndarray | None = None
    scores: np.ndarray | None = None
    classes: tuple[Level, ...] = ()
    positive: int | None = None
    weights: np.ndarray | None = None

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
    ) -> Outcome:
        """Truth and predictions as users hand them over.

        ``needs`` says what ``y_pred`` is, as a measure declares it: "labels", "scores" (one number a row, larger for
        the positive class), "probabilities" (one column per class, or that of the positive class alone), or "values"
        (numbers to predict numbers). A matrix of probabilities serves labels and scores too. ``classes`` are the
        columns of such a matrix in order, by default the sorted labels. The positive class is ``pos_label``, or the
        last of two.

        >>> seen = Outcome.of(["no", "yes", "yes"], [0.2, 0.9, 0.4], needs="probabilities")
        >>> seen.actual, seen.predicted, seen.positive
        (array([0, 1, 1]), array([0, 1, 0]), 1)
        """
        truth = _one_dimensional(y_true, "y_true")
        weights = None if sample_weight is None else _checked_weights(sample_weight, len(truth))
        said = np.asarray(y_pred)
        if len(said) != len(truth):
            raise DataError(f"y_true has {len(truth)} rows and y_pred has {len(said)}.", "one prediction per row")
        if len(truth) == 0:
            raise DataError("no rows.", "at least one")
        if needs == "values":
            actual, predicted = (_numbers(each, name) for each, name in ((truth, "y_true"), (said, "y_pred")))
            return cls(actual, predicted, weights=weights)
        labels_given = needs == "labels" and said.ndim == 1
        labels = _classes_of(truth, said if labels_given else None, classes)
        positive = _positive_code(labels, pos_label)
        outcome = cls(_codes(truth, labels, "y_true"), classes=labels, positive=positive, weights=weights)
        if labels_given:
            return replace(outcome, predicted=_codes(said, labels, "y_pred"))
        if needs == "scores" and said.ndim == 1:
            return replace(outcome, scores=_numbers(said, "y_pred"))
        return outcome.with_chances(_numbers(said, "y_pred"))

    def with_chances(self, chances: np.ndarray) -> Outcome:
        """The outcome with probabilities, from which labels and scores follow: a matrix, or the positive column."""
        if chances.ndim == 1:
            if len(self.classes) != 2 or self.positive is None:
                raise DataError(f"one probability per row for {len(self.classes)} classes.", "one column per class")
            other = 1.0 - chances
            chances = np.column_stack([other, chances] if self.positive == 1 else [chances, other])
        _check_chances(chances, len(self.classes))
        scores = None if self.positive is None else np.ascontiguousarray(chances[:, self.positive])
        return replace(self, predicted=chances.argmax(axis=1), chances=chances, scores=scores)

    def take(self, rows: np.ndarray) -> Outcome:
        """The outcome on those rows."""
        parts = ("actual", "predicted", "chances", "scores", "weights")
        return replace(self, **{name: part[rows] for name in parts if (part := getattr(self, name)) is not None})

    def weighted(self, weights: np.ndarray | None) -> Outcome:
        """The outcome with other row weights."""
        return replace(self, weights=weights)


def _one_dimensional(values: Any, name: str) -> np.ndarray:
    array = values.decoded() if isinstance(values, Column) else np.asarray(values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise DataError(f"{name} has shape {array.shape}.", "one value per row")
    lost = sum(v is None or v != v for v in array) if array.dtype.kind == "O" else 0
    lost += int(np.isnan(array).sum()) if array.dtype.kind == "f" else 0
    if lost:
        raise DataError(f"{name} has {lost} missing values (NaN).", "a value for every row")
    return array


def _numbers(values: np.ndarray, name: str) -> np.ndarray:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"{name} holds {quote_some(np.ravel(values)[:3])}.", "numbers") from None
    if not np.isfinite(array).all():
        raise DataError(f"{name} has values that are NaN or infinite.", "finite numbers")
    return array


def _classes_of(truth: np.ndarray, said: np.ndarray | None, given: Sequence[Level] | None) -> tuple[Level, ...]:
    if given is not None:
        return tuple(given)
    both = truth if said is None else np.concatenate([truth, said.astype(truth.dtype, copy=False)])
    return tuple(np.unique(both).tolist())


def _codes(values: np.ndarray, classes: tuple[Level, ...], name: str) -> np.ndarray:
    code = {level_key(label): i for i, label in enumerate(classes)}
    seen, places = np.unique(values, return_inverse=True)
    unknown = [label for label in seen.tolist() if level_key(label) not in code]
    if unknown:
        raise DataError(f"{name} holds {quote_some(unknown)}.", f"one of the classes {quote_some(classes, 12)}")
    return np.array([code[level_key(label)] for label in seen.tolist()], dtype=np.int64)[places]


def _positive_code(classes: tuple[Level, ...], pos_label: Level | None) -> int | None:
    if pos_label is None:
        return 1 if len(classes) == 2 else None
    keys = [level_key(label) for label in classes]
    if level_key(pos_label) not in keys:
        raise DataError(f"pos_label={pos_label!r}.", f"one of the classes {quote_some(classes, 12)}")
    return keys.index(level_key(pos_label))


def _check_chances(chances: np.ndarray, n_classes: int) -> None:
    if chances.ndim != 2 or chances.shape[1] != n_classes:
        raise DataError(
            f"probabilities of shape {chances.shape} for {n_classes} classes.",
            "one column per class",
            "Pass classes=… where some class does not occur in y_true.",
        )
    if chances.min() < 0 or chances.max() > 1 + 1e-9:
        raise DataError(f"probabilities from {chances.min():g} to {chances.max():g}.", "between 0 and 1")
    off = np.abs(chances.sum(axis=1) - 1.0).max()
    if off > _SUM_TOLERANCE:
        raise DataError(f"rows of probabilities that miss 1 by up to {off:.2g}.", "rows that sum to 1")


def _checked_weights(weights: Any, n: int) -> np.ndarray:
    array = np.asarray(weights, dtype=np.float64)
    if array.shape != (n,) or not np.isfinite(array).all() or (array < 0).any() or not array.any():
        raise DataError("sample_weight that cannot be used.", f"{n} numbers, none negative, not all zero")
    return array
