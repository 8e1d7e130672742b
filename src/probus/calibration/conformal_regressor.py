"""Prediction intervals for any regressor, from its predictions of rows it was not fitted on."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils.validation import check_is_fitted

from probus.base import Model, Regressor, checked_numbers, checked_weights
from probus.calibration.conformal_base import ConformalModel
from probus.calibration.conformity import checked_level
from probus.calibration.out_of_fold import OutOfFold, Rows, first_run
from probus.calibration.residual_scale import can_scale, cross_fitted_scale, enough_rows, fitted_scale, pays, scale_of
from probus.data.row_selection import take_rows
from probus.ensemble.inputs import validated_any_shape
from probus.errors import DataError
from probus.model_selection import Resampled
from probus.model_selection.model_input import rows_for
from probus.state import Array, Maybe, Number, Object, Spec
from probus.tree import DecisionTreeRegressor

__all__ = ["ConformalRegressor"]


class ConformalRegressor(Regressor, ConformalModel):
    """A regressor with prediction intervals that hold the target of a new row as often as their level says.

    Conformal prediction: the model is fitted without each fold of the rows in turn, and the distances of the targets
    from these predictions show how far the target of a new row may be from its own. It needs no assumption but that
    new rows are drawn as the training rows were, independently or in groups.

    Parameters
    ----------
    estimator : a regressor.
    cv : the number of folds, 5 by default; a splitter; or pairs of training and test rows. No row may be tested twice.
    method : "cv+" keeps the models of all folds, and an interval covers the target with a probability of at least
        2·level − 1, in practice of about ``level`` (Barber et al. 2021). "cv" keeps none of them: the out-of-fold
        residuals are set around the prediction of the model of all rows, for a sixth of the memory and time.
        "jackknife+" leaves each row out in turn. "split" fits the model once, on three quarters of the rows, and
        predicts the others.
    scaled : whether intervals are as wide as residuals of similar rows are large, which a forest predicts; "auto" does
        if that gives better intervals in cross-validation. ``fit`` takes more time with it.
    n_jobs : the number of folds run in parallel; it does not change the result.
    random_state : determines the folds where ``cv`` is a number or None; None always gives the same ones.

    Attributes
    ----------
    estimator_ : the model of all rows, which predicts.
    models_ : the models of the folds; none for "cv".
    residuals_ : target − prediction of each row that was predicted out of fold, and ``residual_rows_`` which these are.
    scale_model_ : the forest that predicts the size of residuals, or None.

    Examples
    --------
    >>> from probus.datasets import mtcars
    >>> from probus.linear_model import Ridge
    >>> cars = mtcars()
    >>> model = ConformalRegressor(Ridge()).fit(cars[["wt", "hp"]], cars["mpg"])
    >>> model.predict_interval({"wt": [2.0], "hp": [90.0]}, level=0.8).round(1)
    array([[23.2, 30.1]])
    """

    fitted: ClassVar[dict[str, Spec]] = {
        **ConformalModel.fitted,
        "residuals_": Array("f8", "n"),
        "residual_rows_": Array("i8", "n", low=0),
        "scale_model_": Maybe(Object(BaseEstimator)),
        "mean_residual_": Number(),
    }

    def __init__(
        self,
        estimator: Any,
        *,
        cv: Any = None,
        method: str = "cv+",
        scaled: bool | str = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ):
        self.estimator = estimator
        self.cv = cv
        self.method = method
        self.scaled = scaled
        self.n_jobs = n_jobs
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Model]:
        """A tree for tables of any kind."""
        return [cls(DecisionTreeRegressor(max_depth=2), cv=2, scaled=False)]

    # -- fitting ---------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> ConformalRegressor:
        """Fit the model on all rows and, for the intervals, without each fold; groups are not split between folds."""
        if is_classifier(self.estimator):
            raise DataError(
                f"{type(self.estimator).__name__} is a classifier.", "a regressor", "See ConformalClassifier."
            )
        X = validated_any_shape(self, X, reset=True)
        y = checked_numbers(y, X.shape[0])
        weights = checked_weights(sample_weight, y)
        data = Rows(X, y, weights, None if groups is None else np.asarray(groups), None)
        return self._learn(data, self._fit_models(data, _predicted))

    @classmethod
    def from_resampled(cls, model: Any, resampled: Resampled, *, scaled: bool | str = "auto") -> ConformalRegressor:
        """The intervals of a fitted model from what ``resample`` kept of the same model, without fitting it again.

        model : the model, fitted on all rows of the task. resampled : with ``keep_models=True`` intervals are those
        of "cv+", else of "cv"; of repeated splits the first run is used.
        """
        check_is_fitted(model)
        resampled.check_failures()
        parts = [outcome.need("predicted") for outcome in resampled.outcomes]
        task, found = resampled.task, first_run(resampled, parts)
        method = "cv" if found.models is None else "cv+"
        self = cls(clone(model), cv=resampled.splits.folds, method=method, scaled=scaled)
        X = validated_any_shape(self, rows_for(model, task), reset=True)
        self.estimator_ = model
        return self._learn(Rows(X, task.y.astype(np.float64), task.sample_weight, task.groups, None), found)

    def _learn(self, data: Rows, found: OutOfFold) -> ConformalRegressor:
        """Keep the residuals, scaled where that is better."""
        rows = found.rows
        X = data.X if len(rows) == len(data) else take_rows(data.X, rows)
        weights, groups = data.of_rows(rows)
        residual = data.y[rows] - found.predicted
        scale = self._scale(X, residual, weights, groups)
        score = np.abs(residual) if scale is None else np.abs(residual) / scale
        self._keep(data, found, score, None)
        self.residuals_, self.residual_rows_ = residual, rows.astype(np.int64)
        return self

    def _scale(self, X: Any, residual: np.ndarray, weights: Any, groups: Any) -> np.ndarray | None:
        """The out-of-fold scale of each row, the model for new rows kept; None where intervals are not scaled."""
        self.mean_residual_, self.scale_model_ = float(np.average(np.abs(residual), weights=weights)), None
        if self.scaled not in (True, False, "auto"):
            raise DataError(f"scaled={self.scaled!r}.", "True, False or 'auto'")
        if self.scaled is False or self.mean_residual_ == 0:
            return None
        if self.scaled == "auto" and not (can_scale(X) and enough_rows(len(residual), groups)):
            return None
        scale = cross_fitted_scale(X, residual, weights, groups)
        if self.scaled == "auto" and not pays(residual, scale, weights, groups):
            return None
        self.scale_model_ = fitted_scale(X, residual, weights)
        return scale

    # -- predicting ------------------------------------------------------------------------------------

    def predict(self, X: Any) -> np.ndarray:
        """The predictions of the model of all rows."""
        check_is_fitted(self)
        return _predicted(self.estimator_, validated_any_shape(self, X, reset=False))

    def predict_interval(self, X: Any, level: float = 0.9) -> np.ndarray:
        """The interval of each row that holds its target with a probability of about ``level``: float64[n, 2].

        Raises an error if there are too few rows for the level: 90 % needs 9, 99 % needs 99.
        """
        check_is_fitted(self)
        self.conformity_.must_reach(checked_level(level))
        X = validated_any_shape(self, X, reset=False)
        centre = _predicted(self.estimator_, X)
        scale = np.ones(len(centre))
        if self.scale_model_ is not None:
            scale = scale_of(self.scale_model_, X, self.mean_residual_)
        conformity, centres = self.conformity_, np.array([_predicted(model, X) for model in self.models_])
        if not self.models_:
            conformity, centres = conformity.together(), centre[None]
        high = conformity.upper(centres, scale, level)
        low = -conformity.upper(-centres, scale, level)
        return np.column_stack([np.minimum(low, centre), np.maximum(high, centre)])


def _predicted(model: Any, X: Any) -> np.ndarray:
    predicted = np.asarray(model.predict(X), dtype=np.float64)
    if predicted.ndim != 1:
        raise DataError(f"predictions of shape {predicted.shape}.", "one number per row")
    return predicted
