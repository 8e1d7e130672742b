"""What bagging has in common for classification and regression."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from typing import Any, ClassVar
from warnings import warn

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_array, check_random_state
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import delayed
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import HasMethod, IntegerIn, NoneAllowed, RealIn
from probus.base import Accepts, Model, checked_weights
from probus.data import is_frame
from probus.data.row_selection import take_rows
from probus.ensemble._inputs import validated
from probus.ensemble._members import parallel
from probus.ensemble.bagging._bag_member import fit_on_draw, member_predictions
from probus.ensemble.bagging._sampling import BagDraws, columns_drawn, rows_to_draw
from probus.ensemble.forest._bags import Bags
from probus.errors import DataError, ModelFileError
from probus.parameters import N_JOBS, RANDOM_STATE, VERBOSE, WARM_START, attribute, parameter
from probus.state import Array, Many, Maybe, Number, Object, Spec
from probus.wrapping import accepted_by_all, must_take_weights, refuse_params, routing_enabled

_METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function")


class Bagging(Model):
    """What bagging has in common for classification and regression."""

    estimator: Any = parameter(
        "The model to fit on each sample. None is a decision tree.",
        default=None,
        of=[HasMethod("fit", "predict"), NoneAllowed()],
        kw_only=False,
    )
    n_estimators: int = parameter(
        "The number of members. More make predictions steadier, and take longer.",
        default=10,
        at_least=1,
        kw_only=False,
    )
    max_samples: float | None = parameter(
        "How many rows are drawn for each member: a number, or a share of the rows. None draws as many as there are.",
        default=None,
        of=[NoneAllowed(), IntegerIn(at_least=1), RealIn(above=0, at_most=1, besides_int=True)],
    )
    max_features: float = parameter(
        "How many columns are drawn for each member: a number, or a share of the columns.",
        default=1.0,
        of=[IntegerIn(at_least=1), RealIn(above=0, at_most=1, besides_int=True)],
    )
    bootstrap: bool = parameter("Whether rows are drawn with replacement.", default=True)
    bootstrap_features: bool = parameter("Whether columns are drawn with replacement.", default=False)
    oob_score: bool = parameter(
        "Whether each row is predicted by the members that were not fitted on it, which gives ``oob_score_`` and "
        "``oob_curve_``.",
        default=False,
    )
    warm_start: bool = WARM_START.but(
        doc="Whether ``fit`` keeps the members of the previous fit and adds those that ``n_estimators`` lacks."
    )
    n_jobs: int | None = N_JOBS
    random_state: Any = RANDOM_STATE
    verbose: int = VERBOSE

    estimators_: list[Any] = attribute()
    estimators_features_: list[np.ndarray] = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        "estimator_": Object(BaseEstimator),
        "estimators_": Many(Object(BaseEstimator), "m"),
        "estimators_features_": Many(Array("i8", "*", low=0, high="d"), "m"),
        "bags_": Object(Bags),
        "oob_score_": Maybe(Number()),
        "oob_curve_": Maybe(Array("f8", "m")),
    }

    @property
    def accepts(self) -> Accepts:
        """The input that the estimator accepts; weights always, since rows can be drawn by them."""
        return replace(accepted_by_all([self._chosen()]), weights=True)

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows of each member, drawn again: right only if warm starts were fitted on the same rows."""
        check_is_fitted(self)
        draws = self._draws()
        return [draws.rows(t) for t in range(len(self.bags_))]

    def get_metadata_routing(self) -> MetadataRouter:
        """Parameters of a method are routed to the method of the members that it calls."""
        mapping = MethodMapping().add(caller="fit", callee="fit")
        for method in _METHODS:
            mapping.add(caller=method, callee=self._member_method(method))
        return MetadataRouter(owner=self).add(estimator=self._chosen(), method_mapping=mapping)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Any:
        """Fit each member on its own rows and columns; other parameters are passed to it by metadata routing."""
        refuse_params(params, self, "fit")
        given = self._pass_to_members("fit", "fit", params)
        X = self._whole(X, reset=True)
        y = self._target(y, X.shape[0])
        weights = checked_weights(sample_weight, y)
        bags = rows_to_draw(X, y, bootstrap=self.bootstrap, max_samples=self.max_samples, weights=weights)
        self._check_choices(bags, weights)
        self.estimator_ = self._chosen()
        first, seeds = self._seeds()
        self.bags_ = bags.extended(seeds)
        draws, fit = self._draws(), delayed(fit_on_draw)
        kept = None if self.bootstrap else weights
        jobs = (fit(self.estimator_, draws, t, X, y, kept, self._n_classes(), given) for t in range(first, len(seeds)))
        self.estimators_ += parallel([self.estimator_], self.n_jobs, self.verbose)(jobs)
        self.estimators_features_ += [draws.columns(t) for t in range(first, len(seeds))]
        if self.oob_score:
            self._score_out_of_bag(X, y, weights)
        return self

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: int) -> Any:
        return self.estimators_[index]

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless each member fits its columns and has only classes of the ensemble."""
        for member, columns in zip(self.estimators_, self.estimators_features_, strict=True):
            if getattr(member, "n_features_in_", len(columns)) != len(columns):
                raise ModelFileError(f"a member of {member.n_features_in_} columns.", f"{len(columns)}")
            strange = np.setdiff1d(getattr(member, "classes_", []), np.arange(self._n_classes() or 0))
            if self._n_classes() is not None and len(strange):
                raise ModelFileError(f"a member with class {strange[0]}.", f"places of {self._n_classes()} classes")

    # -- to be implemented ------------------------------------------------------------------------------

    @abstractmethod
    def _chosen(self) -> Any:
        """The estimator, or the default."""

    @abstractmethod
    def _target(self, y: Any, n_rows: int) -> np.ndarray:
        """The target as it is passed to members."""

    @abstractmethod
    def _member_method(self, method: str) -> str:
        """The method of the members that is called for a method of the ensemble."""

    @abstractmethod
    def _n_classes(self) -> int | None:
        """How many classes there are; None for numbers."""

    @abstractmethod
    def _score_out_of_bag(self, X: Any, y: np.ndarray, weights: np.ndarray | None) -> None:
        """Evaluate the ensemble with the predictions of members for rows that they were not fitted on."""

    # -- steps of fit ----------------------------------------------------------------------------------

    def _whole(self, X: Any, *, reset: bool) -> Any:
        X = validated(self, X, reset=reset)
        if self.bootstrap_features and is_frame(X):
            # a frame cannot hold a column twice
            return check_array(X, dtype=None, ensure_all_finite=False)
        return X

    def _check_choices(self, bags: Bags, weights: np.ndarray | None) -> None:
        if weights is not None and not self.bootstrap:
            must_take_weights([self._chosen()])
        if self.oob_score and (not self.bootstrap or self.warm_start):
            other = "warm_start=False" if self.bootstrap else "bootstrap=True"
            raise DataError(f"Out of bag estimation only available if {other}.", other, "Or pass oob_score=False.")
        n_classes = self._n_classes()
        if n_classes is not None and 0 < bags.size < n_classes:
            warn(
                f"max_samples={self.max_samples!r} draws {bags.size} of {bags.n_rows} rows: too few to contain all "
                f"{n_classes} classes. Pass a larger max_samples.",
                stacklevel=4,
            )

    def _draws(self) -> BagDraws:
        n_columns = self.n_features_in_
        max_features = columns_drawn(self.max_features, n_columns)
        return BagDraws(self.bags_, self.bootstrap, n_columns, max_features, self.bootstrap_features)

    def _seeds(self) -> tuple[int, np.ndarray]:
        """The number of members before a warm start, and the seeds of all, the same as without it."""
        if not (self.warm_start and hasattr(self, "estimators_")):
            self.estimators_, self.estimators_features_ = [], []
        for name in ("oob_score_", "oob_curve_", "oob_decision_function_", "oob_prediction_"):
            self.__dict__.pop(name, None)
        n_before = len(self.estimators_)
        if n_before > self.n_estimators:
            raise DataError(
                f"n_estimators={self.n_estimators} must be larger or equal to len(estimators_)={n_before} when "
                "warm_start==True.",
                "more members than before",
            )
        if n_before == self.n_estimators:
            warn("Warm-start fitting without increasing n_estimators does not fit new trees.", stacklevel=4)
        seeds = check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=self.n_estimators)
        if n_before:
            seeds[:n_before] = self.bags_.seeds
        return n_before, seeds

    # -- predict ---------------------------------------------------------------------------------------

    def _mean_prediction(self, method: str, X: Any, params: dict[str, Any]) -> np.ndarray:
        """The mean of the members' predictions, added in their order."""
        return reduce(np.add, self._predictions(method, X, params)) / len(self.estimators_)

    def _predictions(self, method: str, X: Any, params: dict[str, Any]) -> Iterator[np.ndarray]:
        """The predictions of each member, in their order."""
        check_is_fitted(self)
        refuse_params(params, self, method)
        by = self._member_method(method)
        given = self._pass_to_members(method, by, params)
        X = self._whole(X, reset=False)
        each, predict = zip(self.estimators_, self.estimators_features_, strict=True), delayed(member_predictions)
        jobs = (predict(member, by, X, columns, self._labels(), given) for member, columns in each)
        return parallel(self.estimators_, self.n_jobs, self.verbose)(jobs)

    def _pass_to_members(self, method: str, callee: str, params: dict[str, Any]) -> dict[str, Any]:
        return process_routing(self, method, **params)["estimator"][callee] if routing_enabled() else {}

    def _out_of_bag_predictions(self, method: str, X: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """For each member the rows that it was not fitted on, and its predictions for them."""
        each = zip(self.estimators_, self.estimators_features_, self.estimators_samples_, strict=True)
        by, labels = self._member_method(method), self._labels()
        for member, columns, rows in each:
            outside = np.flatnonzero(np.bincount(rows, minlength=X.shape[0]) == 0)
            if len(outside):
                yield outside, member_predictions(member, by, take_rows(X, outside), columns, labels, {})
            else:  # a sample of few rows may contain all
                yield outside, np.zeros(1)

    def _labels(self) -> np.ndarray | None:
        n_classes = self._n_classes()
        return None if n_classes is None else np.arange(n_classes)
