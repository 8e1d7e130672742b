"""What linear models have in common: a prediction is a weighted sum of columns plus an intercept."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import Tags
from sklearn.utils.validation import check_array, check_is_fitted

from probus.base import (
    Accepts,
    Model,
    Regressor,
    check_size,
    checked_numbers,
    checked_weights,
    encoded_classes,
    matrix_input,
    refuse_labels,
    target_array,
)
from probus.data import Column
from probus.distances.magnitudes import check_squares
from probus.errors import DataError
from probus.linear_model.inference._coefficient_summary import CoefficientSummary
from probus.linear_model.inference._extrapolation import TrainingRange, training_range, warn_of_extrapolation
from probus.parameters import attribute
from probus.state import Array, Either, Maybe, Number, Object, Spec


class LinearRegressor(Regressor):
    """Parent of the regressions that predict Xβ + β₀, of one target or several."""

    accepts = Accepts(sparse=True, weights=True, scaled=False)
    fitted: ClassVar[dict[str, Spec]] = {
        "coef_": Either(Array("f8", "d"), Array("f8", "t d"), Array("f4", "d"), Array("f4", "t d")),
        "intercept_": Either(Number(), Array("f8", "t"), Array("f4", "t")),
        "training_range_": Maybe(Object(TrainingRange)),
    }

    several_targets: ClassVar[bool] = False  # whether y may have several columns

    coef_: np.ndarray = attribute()
    intercept_: Any = attribute()
    training_range_: TrainingRange | None = attribute()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self.several_targets
        return tags

    def predict(self, X: Any) -> np.ndarray:
        """The predicted number of each row; one column per target where there are several.

        An ``ExtrapolationWarning`` names the columns of rows that lie far outside the training range.
        """
        check_is_fitted(self)
        single = self.coef_.dtype == np.float32 == float_dtype(X)
        X = matrix_input(self, X, reset=False)
        warn_of_extrapolation(self, X, getattr(self, "training_range_", None), column_names)
        predicted = raw_predictions(X, self.coef_, self.intercept_)
        return predicted.astype(np.float32) if single else predicted

    def summary(self, *, level: float = 0.95) -> CoefficientSummary:
        """Coefficients with standard errors, where they are valid; a penalised regression refuses."""
        check_is_fitted(self)
        raise DataError(
            f"{type(self).__name__} has no standard errors: its penalty shrinks coefficients or selects columns with "
            "the same rows, so that intervals and p-values of least squares would be wrong.",
            "a regression without a penalty, or one with a posterior",
            "Use LinearRegression, BestSubset or BayesianRidge, or judge the predictions with probus.resample.",
        )

    def _keep(self, coef: np.ndarray, intercept: np.ndarray, single: bool, X: Any, dtype: type = np.float64) -> None:
        """Store the coefficients float64[k, p] and intercepts float64[k] of k targets, or of a single one.

        X : the training rows, whose range is stored unless they are sparse.
        dtype : of what is stored.
        """
        self.training_range_ = training_range(X)
        self.coef_ = np.ascontiguousarray(coef[0] if single else coef, dtype=dtype)
        self.intercept_ = np.float64(intercept[0]) if single else np.asarray(intercept, dtype=dtype)


def checked_classes(y: Any, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """The sorted classes of a target, at least two, and its codes into them."""
    classes, codes = encoded_classes(y, n_rows)
    if len(classes) < 2:
        raise DataError(
            "This solver needs samples of at least 2 classes in the data, but the data contains only one class: "
            f"{classes[:1].tolist()[0]!r}.",
            "two or more classes",
        )
    return classes, codes


def column_names(model: Model, p: int) -> list[str]:
    """The names of the fitted columns, x0, x1, … where they have none."""
    names = getattr(model, "feature_names_in_", None)
    return [f"x{j}" for j in range(p)] if names is None else [str(name) for name in names]


def float_dtype(X: Any) -> type:
    """The type of the coefficients of rows, as in scikit-learn: float32 where X is, else float64.

    They are computed in double precision, and rounded.
    """
    return np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64


def raw_predictions(X: Any, coef: np.ndarray, intercept: Any) -> np.ndarray:
    """Xβᵀ + β₀ of dense or sparse rows."""
    product = X @ coef.T
    return (product.toarray() if issparse(product) else product) + intercept


def checked_rows(
    model: Model, X: Any, y: Any, sample_weight: Any, **checks: Any
) -> tuple[Any, np.ndarray, np.ndarray | None]:
    """The rows, the target and the weights of a fit of one number; ``checks`` are those of ``matrix_input``."""
    X = matrix_input(model, X, reset=True, **checks)
    target = checked_numbers(y, X.shape[0])
    weights = checked_weights(sample_weight, X)
    check_squares(X, target)
    return X, target, weights


def checked_targets(y: Any, n_rows: int) -> tuple[np.ndarray, bool]:
    """One or several numeric targets as float64[n, k], and whether it is one, given as a vector.

    >>> checked_targets([1, 2], 2)
    (array([[1.],
           [2.]]), True)
    """
    if type(y) is np.ndarray and y.ndim in (1, 2) and len(y) == n_rows and y.size and y.dtype.kind in "fiu":
        numbers = y.astype(np.float64)  # full validation takes as long as a fit of few rows
        if np.isfinite(numbers).all():
            return (numbers[:, None], True) if y.ndim == 1 else (numbers, False)
    if y is None or isinstance(y, Column):
        return checked_numbers(y, n_rows)[:, None], True
    check_size(given := target_array(y), "y")
    targets = check_array(given, dtype=None, ensure_2d=False, input_name="y")
    if targets.ndim != 2:
        return checked_numbers(targets, n_rows)[:, None], True
    refuse_labels(targets.ravel())
    targets = check_array(targets, dtype=np.float64, input_name="y")
    if len(targets) != n_rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows and "
            f"y has {len(targets)}.",
            "one row of y per row of X",
        )
    return targets, False
