"""What the conformal regressor and classifier have in common: a model of all rows, and models of the folds."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import SplitsValue
from probus.base import Accepts, Model
from probus.calibration._conformity import Conformity
from probus.calibration._out_of_fold import METHODS, FitRows, OutOfFold, Predict, folds_of, out_of_fold
from probus.data import content_of
from probus.ensemble import fit_member, validated_any_shape
from probus.errors import DataError, ModelFileError
from probus.parameters import N_JOBS, RANDOM_STATE, attribute, parameter
from probus.state import Array, Many, Object, Spec
from probus.wrapping import accepted_by_all, must_take_weights


class ConformalModel(MetaEstimatorMixin, Model):
    """Parent of models that learn their uncertainty from out-of-fold predictions."""

    estimator: Any = parameter("The model whose predictions get their uncertainty.", kw_only=False)
    cv: Any = parameter(
        "The number of folds, a splitter, or pairs of training and test rows, in which no row is tested twice. None is "
        "five folds, stratified for classes, and twenty for numbers with fewer than 200 rows and a quarter to 0.85 as "
        "many columns.",
        default=None,
        of=[SplitsValue()],
    )
    method: str = parameter(
        '"cv" sets the scores of rows predicted out of fold beside the model of all rows. "cv+" keeps the models of '
        'all folds, for six times the memory and time. "jackknife+" leaves each row out in turn. "split" fits the '
        "model once, on three quarters of the rows, and predicts the others.",
        default="cv",
        one_of=METHODS,
    )
    n_jobs: int | None = N_JOBS.but(
        doc="The number of folds that run in parallel. None is one, unless ``joblib.parallel_config`` says otherwise. "
        "The result does not depend on it."
    )
    random_state: Any = RANDOM_STATE.but(
        doc="The seed of the folds, where ``cv`` is a number or None. None always gives the same folds."
    )

    estimator_: Any = attribute()
    models_: list[Any] = attribute()
    conformity_: Conformity = attribute()
    row_sketch_: np.ndarray = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        "estimator_": Object(BaseEstimator),
        "models_": Many(Object(BaseEstimator)),
        "conformity_": Object(Conformity),
        "row_sketch_": Array("f8", "*"),
    }

    @property
    def accepts(self) -> Accepts:
        """What its estimator accepts."""
        return accepted_by_all([self.estimator])

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless there is a model for each fold."""
        folds = int(self.conformity_.fold.max()) + 1
        if self.models_ and len(self.models_) != folds:
            raise ModelFileError(f"{len(self.models_)} models of folds.", f"{folds}, or none")

    def share_of_training_rows(self, X: Any) -> float | None:
        """The share of rows that were training rows, by their features; None where that cannot be judged."""
        check_is_fitted(self)
        return share_known(validated_any_shape(self, X, reset=False), self.row_sketch_)

    @property
    def notes_(self) -> tuple[str, ...]:
        """What the pipeline of the model made of the columns, if it is one."""
        check_is_fitted(self)
        return tuple(getattr(self.estimator_, "notes_", ()))

    def _fit_models(self, data: FitRows, predict: Predict) -> OutOfFold:
        """Fit the model without each fold, and on all rows; the out-of-fold predictions."""
        if data.weights is not None:
            must_take_weights([self.estimator])
        if data.groups is not None and data.groups.shape != data.y.shape:
            raise DataError(f"X has {len(data)} rows and groups has shape {data.groups.shape}.", "a group for each row")
        if data.groups is not None and any(group is None or group != group for group in data.groups.tolist()):
            raise DataError("groups with missing values.", "the group of every row")
        pairs = folds_of(self.method, self.cv, data, self.random_state)
        found = out_of_fold(self.estimator, data, pairs, predict, self.n_jobs, keep=self.method != "cv")
        if self.method == "split" and found.models:
            self.estimator_ = found.models[0]
        else:
            self.estimator_ = fit_member(clone(self.estimator), data.X, data.y, data.weights)
        return found

    def _keep(
        self,
        data: FitRows,
        found: OutOfFold,
        score: np.ndarray,
        labels: np.ndarray | None,
        decided: np.ndarray | None = None,
    ) -> None:
        """Keep the scores of the rows, the models of the folds, and by what to recognise the rows."""
        weights, groups = data.of_rows(found.rows)
        self.conformity_ = Conformity.of(score, found.fold, weights, groups, labels, found.rows, decided)
        self.models_ = [] if found.models is None else list(found.models)
        self.row_sketch_ = row_sketch(data.X)


# -- a few hashes of the training rows, by which a model recognises them: a test on rows it knows is no test


_KEPT = 512


def row_sketch(X: Any) -> np.ndarray:
    """The smallest hashes of the rows, ascending: a sample that any set with these rows would give (Broder 1997)."""
    return np.unique(_hashes(X))[:_KEPT]


def share_known(X: Any, sketch: np.ndarray) -> float | None:
    """The share of rows that are among those of the sketch; None where no row can be judged.

    Of more than 512 training rows only the smallest hashes are known, and rows with larger ones are not judged.

    >>> rows = np.arange(5000.0)[:, None]
    >>> share_known(rows[1000:3000], row_sketch(rows)), share_known(rows + 0.5, row_sketch(rows))
    (1.0, 0.0)
    """
    hashes = _hashes(X)
    judged = hashes[hashes <= sketch[-1]] if len(sketch) == _KEPT else hashes
    return float(np.isin(judged, sketch).mean()) if len(judged) and len(sketch) else None


def _hashes(X: Any) -> np.ndarray:
    return content_of(X)[:, 0] if len(X.shape) == 2 else np.empty(0)
