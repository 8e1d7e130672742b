"""The network for typed tables that predicts numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags

from probus.allowed_values import InstanceOf
from probus.base import Model, Regressor
from probus.callbacks import Callback
from probus.errors import DataError, ModelFileError
from probus.neural_network._tabular_net import TabularNet, small
from probus.neural_network._targets import target_numbers
from probus.parameters import parameter
from probus.state import Array, Maybe, Spec


class TabularNetRegressor(TabularNet, Regressor):
    """A neural network for tables of any columns that predicts numbers, or quantiles, and needs no tuning.

    Numbers are embedded piecewise linearly, levels by a vector each; unseen and rare levels share one, and missing
    values have a flag. A network has many members that share most of their weights, in the manner of TabM
    (Gorishniy et al. 2025). Networks that hold out different rows for early stopping are averaged. Its mistakes differ
    from those of boosting, so that the mean of both is better than boosting on most tables.

    Training needs PyTorch; prediction does not.

    Attributes
    ----------
    histories_ : the loss and the score of each epoch, for each network; ``history_`` is the first.
    n_iter_ : the most epochs of a network.
    target_centre_, target_scale_ : mean and standard deviation of the target, or of each.
    quantiles_ : the quantiles that are predicted, in order; None with other losses.
    encoding_ : how columns are encoded.
    weights_ : the weights by name, with the networks as first axis.

    Examples
    --------
    >>> from probus.datasets import mtcars
    >>> cars = mtcars()
    >>> X, y = cars.drop("mpg", "name"), cars["mpg"]
    >>> net = TabularNetRegressor(n_models=1, random_state=0).fit(X, y)
    >>> net.score(X, y) > 0.8
    True
    """

    loss: str = parameter(
        '"squared_error" predicts the mean, "absolute_error" the median, "quantile" the ``quantiles``.',
        default="squared_error",
        one_of=("squared_error", "absolute_error", "quantile"),
    )
    quantiles: Any = parameter(
        'The quantiles for loss="quantile", between 0 and 1. The median, which ``predict`` returns, is always fitted.',
        default=(0.05, 0.5, 0.95),
        of=[InstanceOf(tuple), InstanceOf(list), InstanceOf(np.ndarray)],
    )

    fitted: ClassVar[dict[str, Spec]] = {
        **TabularNet.fitted,
        "target_centre_": Array("f8", "t"),
        "target_scale_": Array("f8", "t"),
        "quantiles_": Maybe(Array("f8", "q")),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """A small one for the mean, and one for quantiles."""
        return [small(cls), small(cls, loss="quantile", learning_rate_init=0.02, max_iter=25)]

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, callbacks: Iterable[Callback] = ()
    ) -> TabularNetRegressor:
        """Train the networks.

        Parameters
        ----------
        X : the rows.
        y : the target, of one column or several.
        sample_weight : the weight of each row; whole ones, of at most ten on average, count as repeated rows. Early
            stopping holds out a row and its copies together.
        callbacks : called after each epoch of each network with the training, which stops where one returns True.

        Returns
        -------
        The model.
        """
        self.quantiles_ = self._fitted_quantiles()
        return self._fit(X, lambda n_rows: self._numbers(y, n_rows), sample_weight, callbacks=callbacks)

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> TabularNetRegressor:
        """One epoch over a batch of rows; columns and target are scaled as in the first.

        Parameters
        ----------
        X, y, sample_weight : the rows, as in ``fit``.

        Returns
        -------
        The model.
        """
        first = not hasattr(self, "weights_")
        if first:
            self.quantiles_ = self._fitted_quantiles()
        return self._fit(X, lambda n_rows: self._numbers(y, n_rows), sample_weight, first=first, one_epoch=True)

    def predict(self, X: Any) -> np.ndarray:
        """The predicted numbers: means, or medians where the loss is that of medians or quantiles.

        Parameters
        ----------
        X : the rows.

        Returns
        -------
        One per row, or rows × targets.
        """
        found = self._numbers_of(X)
        if self.quantiles_ is not None:
            return found[:, np.searchsorted(self.quantiles_, 0.5)]
        return found[:, 0] if found.shape[1] == 1 else found

    def predict_quantiles(self, X: Any) -> np.ndarray:
        """The predicted ``quantiles``, in their order; those of a row do not cross.

        Parameters
        ----------
        X : the rows.

        Returns
        -------
        Rows × quantiles.
        """
        found = self._numbers_of(X)
        if self.quantiles_ is None:
            raise DataError(f"loss={self.loss!r} predicts no quantiles.", "loss='quantile'")
        return found[:, np.searchsorted(self.quantiles_, np.asarray(self.quantiles, np.float64))]

    def _numbers_of(self, X: Any) -> np.ndarray:
        found = self._means(X, lambda outputs: outputs)
        if self.quantiles_ is not None:
            found = np.sort(found, axis=1)
        return found * self.target_scale_ + self.target_centre_

    # -- fitting ---------------------------------------------------------------------------------------

    def _fitted_quantiles(self) -> np.ndarray | None:
        """The quantiles to fit, in increasing order and the median among them; None for means."""
        if self.loss == "squared_error":
            return None
        wanted = np.atleast_1d(np.asarray(self.quantiles if self.loss == "quantile" else [], np.float64))
        if wanted.ndim != 1 or (self.loss == "quantile" and not len(wanted)) or not ((wanted > 0) & (wanted < 1)).all():
            raise DataError(f"quantiles={self.quantiles!r}.", "numbers between 0 and 1", "Pass quantiles=[0.1, 0.9].")
        return np.unique([*wanted, 0.5])

    def _numbers(self, y: Any, n_rows: int) -> np.ndarray:
        targets = target_numbers(y, n_rows).reshape(n_rows, -1)
        if self.quantiles_ is not None and targets.shape[1] > 1:
            raise DataError(
                f"loss={self.loss!r} with {targets.shape[1]} targets.", "one target", "Fit a model for each."
            )
        return targets

    def _prepared(self, targets: np.ndarray, *, first: bool) -> np.ndarray:
        if first:
            self._learn_target_scale(targets)
        if targets.shape[1] != len(self.target_centre_):
            raise DataError(f"a target of {targets.shape[1]} columns.", f"{len(self.target_centre_)}, as before")
        return ((targets - self.target_centre_) / self.target_scale_).astype(np.float32)

    def _learn_target_scale(self, targets: np.ndarray) -> None:
        largest = np.abs(targets).max(axis=0)
        unit = np.where(largest > 0.0, largest, 1.0)  # squares of what is divided by it are finite
        shares = targets / unit
        self.target_centre_ = shares.mean(axis=0) * unit
        scale = shares.std(axis=0) * unit
        self.target_scale_ = np.where(scale > 1e-14 * largest, scale, 1.0)

    def _n_outputs(self) -> int:
        return len(self.target_centre_) if self.quantiles_ is None else len(self.quantiles_)

    def _loss(self, device: Any) -> Any:
        from probus.neural_network._tabular_module import PinballLoss, SquaredError

        return SquaredError() if self.quantiles_ is None else PinballLoss(self.quantiles_, device)

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless quantiles, targets and weights fit each other."""
        quantiles = self.quantiles_
        if quantiles is not None and (len(self.target_centre_) != 1 or 0.5 not in quantiles):
            raise ModelFileError("quantiles without the median, or of several targets.")
        super().check_fitted_state()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self.loss == "squared_error"
        return tags
