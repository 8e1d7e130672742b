"""A regression whose predictions have the same distribution in each group."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import is_classifier

from probus.base import Model, Regressor, checked_numbers, checked_weights
from probus.calibration import FitRows, folds_of, out_of_fold
from probus.data import Table
from probus.ensemble import fit_member
from probus.errors import DataError
from probus.fairness._groups import GroupCoder
from probus.fairness._mitigation import FairModel
from probus.linear_model import LinearRegression
from probus.parameters import N_JOBS, RANDOM_STATE, attribute, parameter
from probus.state import Array, Many, Spec
from probus.wrapping import must_take_weights


class GroupQuantiles(Regressor, FairModel):
    r"""A regression whose predictions are mapped so that they are distributed alike in all groups.

    A prediction at the quantile u of its group becomes the mean of the quantiles u of all groups,
    :math:`\sum_h \pi_h Q_h(F_g(\hat y))`, weighted by their shares of the rows: of all predictions with demographic
    parity these are the nearest in the mean square (Chzhen et al. 2020). The quantiles are those of rows predicted out
    of fold. ``amount`` goes only a part of the way.

    Attributes
    ----------
    estimator_ : the model of all rows.
    quantiles_ : the sorted predictions of each group, and ``shares_`` their weights.
    groups_ : how rows become groups.

    Examples
    --------
    >>> from probus.datasets import mtcars
    >>> cars = mtcars().drop("name")
    >>> model = GroupQuantiles(LinearRegression(), sensitive="am").fit(cars.drop("mpg"), cars["mpg"])
    >>> manual = cars["am"].numbers_array() == 1
    >>> predicted = model.predict(cars.drop("mpg"))
    >>> bool(abs(predicted[manual].mean() - predicted[~manual].mean()) < 2.0)
    True
    """

    amount: float = parameter(
        "0 keeps the predictions, 1 maps them to one distribution.", default=1.0, at_least=0, at_most=1
    )
    cv: Any = parameter("The number of folds, a splitter, or pairs of rows; None is five.", default=None, of=[])
    n_jobs: int | None = N_JOBS
    random_state: Any = RANDOM_STATE.but(doc="The seed of the folds.")

    quantiles_: list[np.ndarray] = attribute()
    shares_: np.ndarray = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        **FairModel.fitted,
        "quantiles_": Many(Array("f8", "*"), "g"),
        "shares_": Array("f8", "g"),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Least squares, whose first column is the sensitive one."""
        return [cls(LinearRegression(), sensitive=0, keep_sensitive=True, cv=2, amount=0.5)]

    def fit(self, X: Any, y: Any, sensitive_features: Any = None, sample_weight: Any = None) -> GroupQuantiles:
        """Fit the model on all rows and without each fold; ``sensitive_features`` where ``sensitive`` names none."""
        if is_classifier(self.estimator):
            raise DataError(f"{type(self.estimator).__name__} is a classifier.", "a regressor")
        if sample_weight is not None:
            must_take_weights([self.estimator])
        table, sensitive = self._rows_of_fit(X, sensitive_features)
        target = checked_numbers(y, len(table))
        weights = checked_weights(sample_weight, target)
        kept = np.arange(len(table)) if weights is None else np.flatnonzero(weights)
        self.groups_ = GroupCoder.of(sensitive.take(kept), None if weights is None else weights[kept])
        self._warn_of_one_group()
        groups = np.maximum(self.groups_.codes(sensitive), 0)
        rows = self._without_sensitive(table)
        inner = self._inner()
        data = FitRows(rows, target, weights, None, None)
        found = out_of_fold(
            inner, data, folds_of("cv", self.cv, data, self.random_state), _predict, self.n_jobs, keep=False
        )
        self.estimator_ = fit_member(inner, rows, target, weights)
        w = np.ones(len(target)) if weights is None else weights
        used = w[found.rows] > 0
        group, predicted, w = groups[found.rows][used], found.predicted[used], w[found.rows][used]
        self.quantiles_ = [_repeated(predicted[group == g], w[group == g]) for g in range(len(self.groups_))]
        self.shares_ = np.bincount(group, w, minlength=len(self.groups_)) / w.sum()
        return self

    def predict(self, X: Any, sensitive_features: Any = None) -> np.ndarray:
        """The predictions; ``sensitive_features`` are the groups where X does not have the sensitive column."""
        rows, group = self._read(X, sensitive_features)
        plain = _predict(self.estimator_, rows)
        mapped = plain.copy()
        for code, own in enumerate(self.quantiles_):
            mine = group == code
            if len(own) and mine.any():
                u = np.interp(plain[mine], *_distribution(own))
                parts = [np.interp(u, _levels(len(q)), q) for q in self.quantiles_ if len(q)]
                shares = self.shares_[[len(q) > 0 for q in self.quantiles_]]
                mapped[mine] = shares @ np.array(parts)
        return (1 - self.amount) * plain + self.amount * mapped


def _predict(model: Any, X: Table) -> np.ndarray:
    return np.asarray(model.predict(X), dtype=np.float64).ravel()


def _levels(n: int) -> np.ndarray:
    """The quantiles that n sorted values are."""
    return (np.arange(n) + 0.5) / n


def _distribution(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sorted values, each once, and the mean quantile of each; those that differ by rounding are one."""
    width = 1e-9 * max(float(values[-1] - values[0]), float(np.abs(values).max()))
    first = np.flatnonzero(np.r_[True, np.diff(values) > width])
    counts = np.diff(np.r_[first, len(values)])
    return values[first], np.add.reduceat(_levels(len(values)), first) / counts


def _repeated(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The sorted values; whole weights repeat them, others are quantiles of the weighted values."""
    order = np.argsort(values, kind="stable")
    values, weights = values[order], weights[order]
    if np.array_equal(weights, np.round(weights)) and weights.sum() <= 20 * max(len(weights), 1):
        return np.repeat(values, weights.astype(np.int64))
    reached = (np.cumsum(weights) - weights / 2) / weights.sum()
    return np.interp(_levels(len(values)), reached, values)
