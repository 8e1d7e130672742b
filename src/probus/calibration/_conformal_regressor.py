"""Prediction intervals for any regressor, from its predictions of rows it was not fitted on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils.validation import check_is_fitted

from probus.base import Model, Regressor, checked_numbers, checked_weights
from probus.calibration._conformal_base import ConformalModel
from probus.calibration._conformity import checked_level
from probus.calibration._out_of_fold import METHODS, FitRows, OutOfFold, of_all_runs
from probus.calibration._residual_scale import (
    SPREADS,
    Spread,
    can_scale,
    chosen_spread,
    cross_fitted_spread,
    enough_rows,
    fitted_spread,
    spread_of,
)
from probus.data.row_selection import take_rows
from probus.ensemble import validated_any_shape
from probus.errors import DataError
from probus.model_selection import Resampled, rows_for
from probus.parameters import inherited, parameter
from probus.state import Array, Maybe, Number, Object, Spec, String
from probus.tree import DecisionTreeRegressor
from probus.wrapping import must_have_tags


class ConformalRegressor(Regressor, ConformalModel):
    """A regressor with prediction intervals that hold the target of a new row as often as their level says.

    Conformal prediction: the model is fitted without each fold of the rows in turn, and the distances of the targets
    from these predictions show how far the target of a new row may be from its own. It needs no assumption but that
    new rows are drawn as the training rows were, independently or in groups.

    Attributes
    ----------
    estimator_ : the model of all rows, which predicts.
    models_ : the models of the folds; none for "cv".
    residuals_ : target − prediction of each row that was predicted out of fold, and ``residual_rows_`` which these are.
    spread_ : how the width depends on the row: "none", "size" or "quantiles", and ``scale_model_`` the forest, or None.

    Examples
    --------
    >>> from probus.datasets import mtcars
    >>> from probus.linear_model import Ridge
    >>> cars = mtcars()
    >>> model = ConformalRegressor(Ridge()).fit(cars[["wt", "hp"]], cars["mpg"])
    >>> model.predict_interval({"wt": [2.0], "hp": [90.0]}, level=0.8).round(1)
    array([[23.1, 29.8]])
    """

    fitted: ClassVar[dict[str, Spec]] = {
        **ConformalModel.fitted,
        "residuals_": Array("f8", "n"),
        "residual_rows_": Array("i8", "n", low=0),
        "scale_model_": Maybe(Object(BaseEstimator)),
        "mean_residual_": Number(),
        "spread_": String(SPREADS),
    }

    estimator: Any = inherited(doc="A regressor.", kw_only=False)
    method: str = inherited(
        doc='"cv" sets the out-of-fold residuals around the prediction of the model of all rows. "cv+" keeps the '
        "models of all folds, and an interval covers the target with a probability of at least 2·level − 1 for any "
        'model, in practice of ``level`` or one to two points more (Barber et al. 2021). "auto" is "cv", and "cv+" for '
        "rows that the model of all rows predicts beyond all models of the folds, and farther than half the interval "
        'from one. "jackknife+" leaves each row out in turn. "split" fits the model once, on three quarters of the '
        "rows, and predicts the others.",
        default="auto",
        one_of=("auto", *METHODS),
    )
    scaled: bool | str = parameter(
        'How the width depends on the row, by a forest for the out-of-fold residuals. True or "size": as residuals '
        'of similar rows are large. "quantiles": as far to each side as the 5 % and 95 % quantiles of such residuals '
        "are from their median (conformalised quantile regression: Romano, Patterson and Candès 2019; Kivaranovic, "
        'Johnson and Leeb 2020). "auto": the better one in cross-validation, if surely better than equal widths.',
        default="auto",
        one_of=("auto", *SPREADS[1:]),
    )
    weights: str = parameter(
        'What ``sample_weight`` means, besides its part in fitting the model. "frequency": how many rows a row stands '
        'for, so that intervals hold for rows drawn in proportion to the weights. "precision": 1/σ² of its target, so '
        "that every row counts once, unless its weight is zero.",
        default="frequency",
        one_of=("frequency", "precision"),
    )

    @classmethod
    def examples(cls) -> list[Model]:
        """A tree for tables of any kind."""
        return [cls(DecisionTreeRegressor(max_depth=2), cv=2, scaled=False)]

    # -- fitting ---------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> ConformalRegressor:
        """Fit the model on all rows and, for the intervals, without each fold; groups are not split between folds."""
        must_have_tags(self.estimator)
        if is_classifier(self.estimator):
            raise DataError(
                f"{type(self.estimator).__name__} is a classifier.", "a regressor", "See ConformalClassifier."
            )
        X = validated_any_shape(self, X, reset=True)
        y = checked_numbers(y, X.shape[0])
        weights = checked_weights(sample_weight, y)
        data = FitRows(X, y, weights, None if groups is None else np.asarray(groups), None)
        counted = self._count(data)
        return self._learn(counted, self._fit_models(data, _predict))

    @classmethod
    def from_resampled(
        cls, model: Any, resampled: Resampled, *, scaled: bool | str = "auto", weights: str = "frequency"
    ) -> ConformalRegressor:
        """The intervals of a fitted model from what ``resample`` kept of the same model, without fitting it again.

        model : the model, fitted on all rows of the task. resampled : with ``keep_models=True`` intervals are those
        of "auto", else of "cv". Of repeated splits all runs are used. weights : what those of the task mean.
        """
        check_is_fitted(model)
        resampled.check_failures()
        parts = [outcome.need("predicted") for outcome in resampled.outcomes]
        task, found = resampled.task, of_all_runs(resampled, parts)
        method = "cv" if found.models is None else "auto"
        self = cls(clone(model), cv=resampled.splits.folds, method=method, scaled=scaled, weights=weights)
        self._validate_params()
        X = validated_any_shape(self, rows_for(model, task), reset=True)
        self.estimator_ = model
        data = FitRows(X, task.y.astype(np.float64), task.sample_weight, task.groups, None)
        return self._learn(self._count(data), found)

    def _count(self, data: FitRows) -> FitRows:
        """The rows with the weights by which their residuals count."""
        if self.weights == "frequency" or data.weights is None:
            return data
        return replace(data, weights=(data.weights > 0).astype(np.float64))

    def _learn(self, data: FitRows, found: OutOfFold) -> ConformalRegressor:
        """Keep the residuals, scaled where that is better."""
        residual = data.y[found.rows] - found.predicted
        rows, code = np.unique(found.rows, return_inverse=True)
        X = data.X if len(rows) == len(data) else take_rows(data.X, rows)
        mean = np.bincount(code, residual) / np.bincount(code)  # of the predictions of each row, one or several
        spread = self._spread(X, mean, *data.of_rows(rows))
        self._keep(data, found, spread.take(code).scores(residual), None)
        self.residuals_, self.residual_rows_ = residual, found.rows.astype(np.int64)
        return self

    def _spread(self, X: Any, residual: np.ndarray, weights: Any, groups: Any) -> Spread:
        """The spread of each row by a forest not fitted on it, the forest for new rows kept; even if not scaled."""
        self.mean_residual_, self.scale_model_ = float(np.average(np.abs(residual), weights=weights)), None
        self.spread_, even = "none", Spread.even(len(residual))
        if self.scaled is False or self.mean_residual_ == 0:
            return even
        wanted = {True: ["size"], "auto": ["size", "quantiles"]}.get(self.scaled, [str(self.scaled)])
        if self.scaled == "auto" and not (can_scale(X) and enough_rows(len(residual), groups)):
            return even
        tried = {"none": even, **{kind: cross_fitted_spread(kind, X, residual, weights, groups) for kind in wanted}}
        self.spread_ = chosen_spread(tried, residual, weights, groups) if self.scaled == "auto" else wanted[0]
        if self.spread_ != "none":
            self.scale_model_ = fitted_spread(self.spread_, X, residual, weights)
        return tried[self.spread_]

    # -- predicting ------------------------------------------------------------------------------------

    @property
    def uncertainty(self) -> str:
        """How the intervals are made, in words."""
        check_is_fitted(self)
        around = "the residuals of rows that the models were not fitted on, around the prediction"
        how = {"cv+": ", by the models of the folds", "jackknife+": ", by models without each row", "split": ""}
        if self.models_:
            around += how.get(self.method, ", and by the models of the folds where it predicts beyond all of these")
        widths = {
            "none": "equally wide for every row",
            "size": "wider where the residuals of similar rows are larger",
            "quantiles": "as far to each side as the residuals of similar rows (quantile forest)",
        }
        return f"intervals from {around}; {widths[self.spread_]}"

    def predict(self, X: Any) -> np.ndarray:
        """The predictions of the model of all rows."""
        check_is_fitted(self)
        return _predict(self.estimator_, validated_any_shape(self, X, reset=False))

    def predict_interval(self, X: Any, level: float = 0.9) -> np.ndarray:
        """The interval of each row that holds its target with a probability of about ``level``: float64[n, 2].

        Raises an error if there are too few rows for the level: 90 % needs 9, 99 % needs 99.
        """
        check_is_fitted(self)
        self.conformity_.must_reach(checked_level(level))
        X = validated_any_shape(self, X, reset=False)
        centre = _predict(self.estimator_, X)
        spread = Spread.even(len(centre))
        if self.scale_model_ is not None:
            spread = spread_of(self.spread_, self.scale_model_, X, self.mean_residual_)
        times = self.conformity_.quantile(level)
        low, high = centre + spread.middle - times * spread.below, centre + spread.middle + times * spread.above
        if self.models_:
            low, high = self._by_folds(X, centre, spread, level, low, high)
        return np.column_stack([np.minimum(low, centre), np.maximum(high, centre)])

    def _by_folds(
        self, X: Any, centre: np.ndarray, spread: Spread, level: float, low: np.ndarray, high: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The bounds by the models of the folds; for "auto" only of rows that the model predicts unlike all of them.

        Bounds around the model of all rows hold if its errors are like those of the models of the folds, however much
        these disagree: the predictions of full trees vary by as much as the noise, and are as good for one fold as for
        another. A prediction beyond those of all folds, by as much as the interval is wide, is of another kind: least
        squares with as many columns as rows are worse, the more rows they have.
        """
        centres = np.array([_predict(model, X) for model in self.models_])
        upper = self.conformity_.upper(centres + spread.middle, spread.above, level)
        lower = -self.conformity_.upper(-centres - spread.middle, spread.below, level)
        if self.method != "auto":
            return lower, upper
        beyond = (centre < centres.min(axis=0)) | (centre > centres.max(axis=0))
        far = beyond & (np.abs(centres - centre).max(axis=0) > (high - low) / 2)
        return np.where(far, lower, low), np.where(far, upper, high)


def _predict(model: Any, X: Any) -> np.ndarray:
    predicted = np.asarray(model.predict(X), dtype=np.float64)
    if predicted.ndim != 1:
        raise DataError(f"predictions of shape {predicted.shape}.", "one number per row")
    return predicted
