"""What AdaBoost has in common for classification and regression."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Model, checked_weights
from probus.data.row_selection import take_rows
from probus.ensemble.adaboost._history import History
from probus.ensemble.adaboost._weak_models import (
    AnyModels,
    PlainTrees,
    WeakModels,
    is_plain_tree,
    prediction_input,
    training_input,
)
from probus.errors import ModelFileError
from probus.parameters import attribute
from probus.state import Array, Many, Object, Spec
from probus.tree.preparation import Design, n_features_to_try
from probus.wrapping import accepted_by_all, set_random_states

_GRID = 2.0**-52


class AdaBoostRound(NamedTuple):
    """The result of a round: the error of the model, its weight, and the factors to multiply the row weights by.

    Boosting stops where there are no factors.
    """

    error: float
    weight: float
    factor: np.ndarray | None


class AdaBoost(Model):
    """Parent of the AdaBoost models: weak models, each fitted with larger weights where the previous ones erred."""

    estimators_: list[Any] = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        "estimators_": Many(Object(BaseEstimator)),
        "estimator_weights_": Array("f8", "M"),
        "estimator_errors_": Array("f8", "M"),
    }

    @property
    def accepts(self) -> Accepts:
        """The input that the estimator accepts, and sample weights."""
        return replace(accepted_by_all([self._chosen()]), weights=True)

    @property
    def estimator_(self) -> Any:
        """The estimator, not fitted, of which every weak model is a clone."""
        check_is_fitted(self)
        return self._chosen()

    @property
    def history_(self) -> History:
        """Error and weight of each weak model; see its ``plot`` and ``to_frame``."""
        check_is_fitted(self)
        n = len(self.estimators_)
        return History(self.estimator_errors_[:n], self.estimator_weights_[:n], self._chance())

    @property
    def feature_importances_(self) -> np.ndarray:
        """The importances that the weak models report, weighted as they are in the vote."""
        check_is_fitted(self)
        if not all(hasattr(member, "feature_importances_") for member in self.estimators_):
            name = type(self.estimators_[0]).__name__
            raise AttributeError(f"Unable to compute feature importances: {name} has no feature_importances_.")
        weights = self.estimator_weights_[: len(self.estimators_)]
        each = np.array([member.feature_importances_ for member in self.estimators_])
        return np.average(each, axis=0, weights=weights if weights.sum() > 0.0 else None)

    # -- boosting --------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit weak models until there are ``n_estimators``, one makes no error, or one is no better than guessing."""
        self._check_estimator()
        X = training_input(self, self._chosen(), X)
        n_rows = X.n_rows if isinstance(X, Design) else X.shape[0]
        y = self._target(y, n_rows)
        weights = checked_weights(sample_weight, y)
        weights = np.ones(n_rows) if weights is None else weights
        self._boost(self._weak_models(X, y, weights))
        return self

    def _weak_models(self, X: Any, y: np.ndarray, weights: np.ndarray) -> WeakModels:
        """How weak models are fitted, on the rows whose weight is not zero."""
        rows, classes = np.flatnonzero(weights), getattr(self, "classes_", None)
        everything, y, own = len(rows) == len(y), y[rows], weights[rows]
        if not isinstance(X, Design):
            return AnyModels(X if everything else take_rows(X, rows), y if classes is None else classes[y], own)
        names = ("n_features_in_", "feature_names_in_", "schema_", "classes_", "n_classes_")
        shared = {name: getattr(self, name) for name in names if hasattr(self, name)}
        shared["max_features_"] = n_features_to_try(self._chosen().max_features, X.X.shape[1])
        design = X if everything else Design(X.X[rows], X.n_levels)
        return PlainTrees(design, y, own, 0 if classes is None else len(classes), shared)

    def _boost(self, weak: WeakModels) -> None:
        """Run the rounds; the weight of a row is its own weight times a factor that is 1 at first."""
        own, random = weak.own, check_random_state(self.random_state)
        factor = np.ones(len(own))
        self.estimators_ = []
        self.estimator_weights_ = np.zeros(self.n_estimators)
        self.estimator_errors_ = np.ones(self.n_estimators)
        for t in range(self.n_estimators):
            member = set_random_states(clone(self._chosen()), random)
            factor = _on_grid(factor, float((own * factor).sum()))
            done = self._round(weak, member, own * factor, random)
            if done is None:
                return
            self.estimators_.append(member)
            self.estimator_errors_[t], self.estimator_weights_[t] = done.error, done.weight
            if done.factor is None:
                return
            factor = factor * done.factor
            if not np.isfinite((own * factor).sum()):
                warnings.warn(
                    f"Sample weights have reached infinite values, at iteration {t}, causing overflow. "
                    "Iterations stopped. Try lowering the learning rate.",
                    stacklevel=4,
                )
                return

    # -- to be implemented ------------------------------------------------------------------------------

    @abstractmethod
    def _chosen(self) -> Any:
        """The estimator, or the default."""

    @abstractmethod
    def _check_estimator(self) -> None:
        """Raise unless the estimator can be boosted."""

    @abstractmethod
    def _target(self, y: Any, n_rows: int) -> np.ndarray:
        """Codes of classes, or numbers."""

    @abstractmethod
    def _chance(self) -> float:
        """The error of guessing."""

    @abstractmethod
    def _round(self, weak: WeakModels, member: Any, weight: np.ndarray, random: Any) -> AdaBoostRound | None:
        """Fit a member and compute its error; None where it is to be left out."""

    # -- use -------------------------------------------------------------------------------------------

    def _predictions(self, X: Any) -> Iterator[np.ndarray]:
        """What each weak model predicts, in their order."""
        check_is_fitted(self)
        X, how = prediction_input(self, self.estimators_, X)
        return (np.asarray(member.predict(X, **how)) for member in self.estimators_)

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: int) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless members, weights, columns and classes are consistent."""
        if not 1 <= len(self.estimators_) <= len(self.estimator_weights_):
            raise ModelFileError(f"{len(self.estimators_)} weak models.", "one or more, each with a weight")
        plain, classes = is_plain_tree(self.estimators_[0]), getattr(self, "classes_", np.empty(0)).tolist()
        for member in self.estimators_:
            if getattr(member, "n_features_in_", self.n_features_in_) != self.n_features_in_:
                raise ModelFileError(f"a weak model of {member.n_features_in_} columns.", f"{self.n_features_in_}")
            if is_plain_tree(member) != plain:
                raise ModelFileError("weak models of several kinds.", "clones of one")
            strange = [label for label in np.asarray(getattr(member, "classes_", [])).tolist() if label not in classes]
            if strange:
                raise ModelFileError(f"a weak model with class {strange[0]!r}.", "classes of the ensemble")


def _on_grid(factor: np.ndarray, total: float) -> np.ndarray:
    """Factors rounded to multiples of a small share of the total weight, so that sums of them are exact.

    A row of weight 2 then equals two rows to the last bit, and rounding rarely decides between equally good splits. No
    factor is zero, so that no row loses all its weight.
    """
    scale = 2.0 ** np.ceil(np.log2(total))
    return np.maximum(np.rint(factor / scale / _GRID), 1.0) * _GRID
