"""Training and validation rows: validated, weighted and split."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from probus.base import checked_numbers, checked_weights, encoded_classes
from probus.ensemble._row_weights import are_counts, in_range, mean_one
from probus.ensemble.boosting._categorical_features import nominal_columns
from probus.errors import DataError
from probus.sklearn_seam import num_samples
from probus.tree import Trees
from probus.tree.prediction import sums_of
from probus.tree.preparation import Design, balanced_weights, design_of

_LARGEST = 1e130  # of targets: sums of their squares over many rows are finite


@dataclass(frozen=True, eq=False)
class DesignRows:
    """Rows of a design, their targets and weights.

    offset : float64[n, k], the raw predictions of an initial model, added to the start value
    at : int32[n], which rows of the design they are; all if None. A large matrix is not copied to hold out rows
    """

    design: Design
    y: np.ndarray
    weight: np.ndarray | None
    offset: np.ndarray | None = None
    at: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.y)

    @property
    def X(self) -> np.ndarray:
        """The values of the rows."""
        return self.design.X if self.at is None else self.design.X[self.at]

    def values_of(self, some: np.ndarray | slice) -> np.ndarray:
        """The values of some of the rows."""
        return self.design.X[some if self.at is None else self.at[some]]

    def some(self, which: np.ndarray) -> DesignRows:
        """A subset, by number."""
        weight, offset = (None if a is None else a[which] for a in (self.weight, self.offset))
        at = (which if self.at is None else self.at[which]).astype(np.int32)
        return DesignRows(self.design, self.y[which], weight, offset, at)

    def raw_predictions(self, start: np.ndarray, before: Trees | None, n_jobs: int | None = None) -> np.ndarray:
        """What the start value, the offset and the trees of an earlier fit add up to: float64[n, k]."""
        raw = np.tile(start, (len(self), 1)) if self.offset is None else start + self.offset
        return raw if before is None else sums_of(before, self.X, len(start), n_jobs, raw)


def training_design(model: Any, X: Any) -> Design:
    """The training data as a Design; float32 is not copied, since only its codes are used."""
    return design_of(model, X, reset=True, nominal=nominal_columns(model.categorical_features, X), single=True)


def classification_rows(model: Any, X: Any, y: Any, sample_weight: Any) -> DesignRows:
    """The training rows of a classifier, whose ``classes_`` are set; without rows of weight zero."""
    design = training_design(model, X)
    model.classes_, codes = encoded_classes(y, design.n_rows)
    model.n_classes_ = len(model.classes_)
    weight = checked_weights(sample_weight, codes)
    weight = None if weight is None else _without_extremes(weight)
    by_class = balanced_weights(model.class_weight, model.classes_, codes, weight)
    if by_class is not None:
        by_class = _without_extremes(by_class)
        weight = by_class if weight is None else weight * by_class
    return with_weight(DesignRows(design, codes.astype(np.float64), weight))


def regression_rows(model: Any, X: Any, y: Any, sample_weight: Any) -> DesignRows:
    """The training rows of a regressor, without rows of weight zero."""
    design = training_design(model, X)
    target = regression_target(y, design.n_rows)
    return with_weight(DesignRows(design, target, checked_weights(sample_weight, target)))


def regression_target(y: Any, n_rows: int) -> np.ndarray:
    """The numbers to predict; a DataError where their squares would overflow or vanish."""
    target = checked_numbers(y, n_rows)
    low, high = float(target.min()), float(target.max())
    large = max(-low, high) > _LARGEST
    if large or 0.0 < high - low < 1.0 / _LARGEST:
        raise DataError(
            f"y is between {low:.4g} and {high:.4g}: sums of its squares are beyond double precision.",
            f"absolute values up to {_LARGEST:g}" if large else f"values at least {1.0 / _LARGEST:g} apart",
            "Divide y by a power of ten, and multiply the predictions by it.",
        )
    return target


def with_weight(rows: DesignRows) -> DesignRows:
    """The rows whose weight is not zero; weights that are not counts have a mean of one, None if all are one."""
    if rows.weight is None:
        return rows
    there = rows.weight > 0.0
    weight = rows.weight.copy()
    weight[there] = _without_extremes(weight[there])
    rows = replace(rows, weight=None if (weight[there] == 1.0).all() else weight)
    kept = np.flatnonzero(weight)  # fewer, if some weigh less than 1e-300 of the others
    return rows if len(kept) == len(rows) else rows.some(kept)


def _without_extremes(weight: np.ndarray) -> np.ndarray:
    """Weights as they are if they count repeated rows, else with a mean of one."""
    return weight if are_counts(weight) else mean_one(weight)


def validation_rows(model: Any, X: Any, y: Any, sample_weight: Any) -> DesignRows | None:
    """The user's validation rows, validated against the columns and classes of the fit."""
    if not validation_is_given(X, y, sample_weight):
        return None
    design = design_of(model, X, reset=False)
    classes = getattr(model, "classes_", None)
    if classes is None:
        target = regression_target(y, design.n_rows)
    else:
        target = validation_codes(y, design.n_rows, classes).astype(np.float64)
    weight = checked_weights(sample_weight, target)
    return DesignRows(design, target, None if weight is None else in_range(weight))


def validation_pair(eval_set: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """X and y of the validation rows, given as such or as LightGBM takes them: a pair, or pairs, of which the last."""
    if eval_set is None:
        return X, y
    if X is not None or y is not None:
        raise DataError("eval_set together with X_val and y_val.", "one of them")
    if isinstance(eval_set, list) and eval_set and isinstance(eval_set[-1], tuple):
        eval_set = eval_set[-1]
    if not (isinstance(eval_set, (tuple, list)) and len(eval_set) == 2):
        raise DataError(f"eval_set of type {type(eval_set).__name__}.", "eval_set=(X_val, y_val)")
    return eval_set[0], eval_set[1]


def validation_is_given(X: Any, y: Any, sample_weight: Any) -> bool:
    """Whether there are validation rows; raises where a part of them is missing."""
    if X is None and y is None:
        if sample_weight is not None:
            raise DataError("sample_weight_val is passed without X_val and y_val.", "all three, or none")
        return False
    if X is None or y is None:
        there, gone = ("y_val", "X_val") if X is None else ("X_val", "y_val")
        raise DataError(f"{there} is provided, but {gone} was not provided.", "both, or neither")
    if num_samples(X) == 0:
        raise DataError("X_val has no rows.", "at least one validation row")
    return True


def validation_codes(y: Any, n_rows: int, classes: np.ndarray) -> np.ndarray:
    """The labels of validation rows as codes into the classes of the fit; others are an error."""
    found, codes = encoded_classes(y, n_rows)
    unknown = [label for label in found.tolist() if label not in classes]
    if unknown:
        raise DataError(f"y_val contains {unknown[0]!r}, which y does not.", f"classes {classes[:10].tolist()}")
    return np.searchsorted(classes, found)[codes]


def strata_of(y: np.ndarray, fraction: float) -> np.ndarray | None:
    """The classes for a stratified split, if both parts can have a row of each; otherwise None."""
    counts = np.unique(y, return_counts=True)[1]
    size = int(fraction) if isinstance(fraction, Integral) else int(fraction * len(y))
    return y if counts.min() > 1 and len(counts) <= min(size, len(y) - size) else None


def train_validation_rows(
    rows: np.ndarray, fraction: float, seed: int, strata: np.ndarray | None, otherwise: str
) -> tuple[np.ndarray, np.ndarray]:
    """Training and validation rows, each in order; ``otherwise`` names the parameter that avoids the split."""
    try:
        train, held = train_test_split(rows, test_size=fraction, random_state=seed, stratify=strata)
    except ValueError as error:
        raise DataError(
            f"early stopping holds out {fraction} of {len(rows)} rows: {error}",
            "enough rows for training and validation",
            f"Pass X_val and y_val, set validation_fraction, or {otherwise}.",
        ) from error
    return np.sort(train), np.sort(held)
