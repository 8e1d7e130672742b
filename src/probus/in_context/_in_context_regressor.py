"""The in-context network that predicts numbers and their quantiles."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from probus.allowed_values import InstanceOf
from probus.base import Model, Regressor, checked_numbers, table_input
from probus.errors import DataError, ModelFileError
from probus.in_context._in_context import InContext, small
from probus.in_context._network import LEVELS
from probus.parameters import parameter
from probus.state import Number, Spec

_LARGEST = 1e10  # of standardised numbers: of n rows they are at most √n


class InContextRegressor(InContext, Regressor):
    """A network that was trained on drawn tables, and predicts numbers without being trained on the training rows.

    ``fit`` brings the training rows through the network once. On tables of 200 and of 1,000 training rows it is better
    than boosting in the mean, and its average with boosting is too. ``docs/in-context.md`` has the tables and figures.
    It is slow to predict: ``probus.distil`` makes a fast model of it. Every second member also has the predictions of a
    kernel ridge regression as a column.

    It predicts 64 quantiles of a number, and as the number itself their mean. Sample weights repeat rows, or draw them
    where weights are not whole numbers. Of more than ``context_size`` rows and ``max_columns`` columns some are chosen.

    Attributes
    ----------
    target_centre_, target_scale_ : mean and standard deviation of the target.
    encoding_ : the columns that are used, and their scales.
    cells_, targets_ : the training rows that are used, encoded, and their standardised targets.
    members_ : the passes of the network: for each member the rows and random numbers.
    weights_sha256_ : the hash of the weights, which are not in saved files.

    Examples
    --------
    >>> from probus.datasets import mtcars
    >>> cars = mtcars()
    >>> X, y = cars[["wt", "hp", "cyl"]], cars["mpg"]
    >>> model = InContextRegressor(n_members=1, random_state=0).fit(X.take(range(24)), y.take(range(24)))
    >>> model.predict_interval(X.take([30]), level=0.9).shape
    (1, 2)
    """

    quantiles: Any = parameter(
        "The quantiles of ``predict_quantiles``, between 0 and 1. Those below 1/128 and above 127/128 are taken to be "
        "equal to these.",
        default=(0.05, 0.5, 0.95),
        of=[InstanceOf(tuple), InstanceOf(list), InstanceOf(np.ndarray)],
    )

    fitted: ClassVar[dict[str, Spec]] = {**InContext.fitted, "target_centre_": Number(), "target_scale_": Number()}

    @classmethod
    def examples(cls) -> list[Model]:
        """A small one."""
        return [small(cls)]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> InContextRegressor:
        """Choose the training rows of each member, and bring them through the network.

        Parameters
        ----------
        X : the rows.
        y : the number of each row.
        sample_weight : the weight of each row; rows are repeated or drawn by it.

        Returns
        -------
        The model.
        """
        self._levels(self.quantiles)
        table = table_input(self, X, reset=True)
        return self._fit(table, checked_numbers(y, len(table)), 0, sample_weight)

    def predict(self, X: Any) -> np.ndarray:
        """The predicted numbers: the mean of the predicted quantiles.

        Parameters
        ----------
        X : the rows.

        Returns
        -------
        One per row.
        """
        return self._on_scale(self._standardised(X).mean(axis=1))

    def predict_quantiles(self, X: Any, quantiles: Any = None) -> np.ndarray:
        """The predicted quantiles, in their order; those of a row do not cross.

        Parameters
        ----------
        X : the rows.
        quantiles : those to predict, between 0 and 1; None is the parameter ``quantiles``.

        Returns
        -------
        Rows × quantiles.
        """
        wanted = self._levels(self.quantiles if quantiles is None else quantiles)
        found = self._standardised(X)
        after = np.clip(np.searchsorted(LEVELS, wanted), 1, len(LEVELS) - 1)
        share = np.clip((wanted - LEVELS[after - 1]) / (LEVELS[after] - LEVELS[after - 1]), 0.0, 1.0)
        return self._on_scale(found[:, after - 1] * (1.0 - share) + found[:, after] * share)

    def predict_interval(self, X: Any, level: float = 0.9) -> np.ndarray:
        """The interval between two predicted quantiles, in which a new number lies with probability ``level``.

        The network has learnt the probability on drawn tables; ``probus.calibration.ConformalRegressor`` guarantees it.

        Parameters
        ----------
        X : the rows.
        level : the probability, at most 126/128.

        Returns
        -------
        Rows × (lower, upper).
        """
        if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0.0 < level <= 126 / 128:
            raise DataError(
                f"level={level!r}.", "a probability above 0 and at most 126/128", "ConformalRegressor has higher ones."
            )
        return self.predict_quantiles(X, [0.5 - level / 2, 0.5 + level / 2])

    def _prepared(self, y: np.ndarray) -> np.ndarray:
        largest = np.abs(y).max()
        unit = largest if largest > 0.0 else 1.0  # squares of what is divided by it are finite
        shares = np.sort(y) / unit  # in an order that does not depend on that of the rows
        centre, scale = shares.mean(), shares.std()
        scale = scale if scale > 1e-14 else 1.0
        self.target_centre_, self.target_scale_ = float(centre * unit), float(scale * unit)
        return (y / unit - centre) / scale

    def _standardised(self, X: Any) -> np.ndarray:
        """The quantiles of the standardised target: rows × 64."""
        parts = [np.empty((0, len(LEVELS)))]
        for _, outputs in self._outputs(X):
            contexts = zip(self.members_, outputs, strict=True)
            parts.append(np.mean([self._quantiles(plans[0].rows, found[0]) for plans, found in contexts], axis=0))
        return np.concatenate(parts)

    def _quantiles(self, rows: np.ndarray, found: np.ndarray) -> np.ndarray:
        """The quantiles that a pass predicts, in increasing order: it standardises the targets of its own rows."""
        known = self.targets_[rows]
        return np.sinh(np.sort(found.astype(np.float64), axis=1)) * (known.std() + 1e-6) + known.mean()

    def _on_scale(self, standardised: np.ndarray) -> np.ndarray:
        return standardised * self.target_scale_ + self.target_centre_

    @staticmethod
    def _levels(quantiles: Any) -> np.ndarray:
        try:
            wanted = np.atleast_1d(np.asarray(quantiles, np.float64))
        except (TypeError, ValueError):
            wanted = np.empty(0)
        if wanted.ndim != 1 or not len(wanted) or not ((wanted > 0) & (wanted < 1)).all():
            raise DataError(f"quantiles={quantiles!r}.", "numbers between 0 and 1", "Pass quantiles=[0.1, 0.9].")
        return wanted

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless passes, rows and targets fit each other."""
        single = all(len(plans) == 1 and not plans[0].groups for plans in self.members_)
        if not self.members_ or not single or not np.isfinite([self.target_centre_, self.target_scale_]).all():
            raise ModelFileError("InContextRegressor: passes of classes, or a target that is not finite.")
        if not (np.abs(self.targets_) < _LARGEST).all():
            raise ModelFileError("InContextRegressor: targets that are not standardised.")
        super().check_fitted_state()
