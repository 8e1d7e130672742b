"""Bagging: many models of one kind, each fitted on rows and columns drawn at random, that answer on average."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar
from warnings import warn

import numpy as np
from sklearn.base import BaseEstimator, _fit_context
from sklearn.metrics import r2_score
from sklearn.utils import check_array, check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import delayed
from sklearn.utils.validation import _estimator_has, check_is_fitted

from probus.base import Accepts, Classifier, Model, Regressor, checked_numbers, checked_weights, encoded_classes
from probus.data.frames import is_frame
from probus.ensemble.draws import Draws, columns_drawn, rows_to_draw
from probus.ensemble.entering import columns_of, entered, rows_of
from probus.ensemble.forest.bags import Bags
from probus.ensemble.members import (
    accepted_by_all,
    answer,
    fitted_member,
    must_take_weights,
    parallel,
    seeded,
    takes_weights,
)
from probus.errors import DataError, ModelFileError
from probus.naive_bayes import GaussianNB
from probus.state import Array, Labels, Many, Maybe, Number, Object, Size, Spec
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["BaggingClassifier", "BaggingRegressor"]


class _Bagging(Model):
    """What bagging classes and bagging numbers have in common."""

    estimators_: list[Any]
    estimators_features_: list[np.ndarray]
    fitted: ClassVar[dict[str, Spec]] = {
        "estimator_": Object(BaseEstimator),
        "estimators_": Many(Object(BaseEstimator), "m"),
        "estimators_features_": Many(Array("i8", "*", low=0, high="d"), "m"),
        "bags_": Object(Bags),
        "oob_score_": Maybe(Number()),
        "oob_curve_": Maybe(Array("f8", "m")),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "max_samples": [None, Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="right")],
        "max_features": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0, 1, closed="right")],
        "bootstrap": ["boolean"],
        "bootstrap_features": ["boolean"],
        "oob_score": ["boolean"],
        "warm_start": ["boolean"],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: float | None = None,
        max_features: float = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: bool = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ):
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @property
    def accepts(self) -> Accepts:
        """What the estimator takes; weights always, since rows can be drawn by them."""
        return replace(accepted_by_all([self._chosen()]), weights=True)

    @property
    def estimators_samples_(self) -> list[np.ndarray]:
        """The rows that each member was shown; drawn again, so right only if warm starts were given the same rows."""
        check_is_fitted(self)
        draws = self._draws()
        return [draws.rows(t) for t in range(len(self.bags_))]

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit each member on rows and columns of its own."""
        X = self._whole(X, reset=True)
        y = self._target(y, X.shape[0])
        weights = checked_weights(sample_weight, y)
        bags = rows_to_draw(X, y, bootstrap=self.bootstrap, max_samples=self.max_samples, weights=weights)
        self._check_choices(bags, weights)
        self.estimator_ = self._chosen()
        first, seeds = self._seeds()
        self.bags_ = bags.extended(seeds)
        draws, fit = self._draws(), delayed(_drawn_and_fitted)
        kept = None if self.bootstrap else weights
        jobs = (fit(self.estimator_, draws, t, X, y, kept, self._n_classes()) for t in range(first, len(seeds)))
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
        """Raise a ModelFileError unless each member has as many columns as it is given, and no class of its own."""
        for member, columns in zip(self.estimators_, self.estimators_features_, strict=True):
            if getattr(member, "n_features_in_", len(columns)) != len(columns):
                raise ModelFileError(f"a member of {member.n_features_in_} columns.", f"{len(columns)}")
            strange = np.setdiff1d(getattr(member, "classes_", []), np.arange(self._n_classes() or 0))
            if self._n_classes() is not None and len(strange):
                raise ModelFileError(f"a member with class {strange[0]}.", f"places of {self._n_classes()} classes")

    # -- what children say -----------------------------------------------------------------------------

    @abstractmethod
    def _chosen(self) -> Any:
        """The estimator, or the default."""

    @abstractmethod
    def _target(self, y: Any, n_rows: int) -> np.ndarray:
        """The target as members will see it."""

    @abstractmethod
    def _n_classes(self) -> int | None:
        """How many classes there are; None for numbers."""

    @abstractmethod
    def _score_out_of_bag(self, X: Any, y: np.ndarray, weights: np.ndarray | None) -> None:
        """Judge the ensemble by what members say about rows that they were not shown."""

    # -- parts of fit ----------------------------------------------------------------------------------

    def _whole(self, X: Any, *, reset: bool) -> Any:
        X = entered(self, X, reset=reset)
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
            raise DataError(
                f"max_samples={self.max_samples!r} draws {bags.size} of {bags.n_rows} rows: too few to hold all of "
                f"{n_classes} classes.",
                f"at least {n_classes} rows for each member",
                "Pass a larger max_samples.",
            )

    def _draws(self) -> Draws:
        n_columns = self.n_features_in_
        max_features = columns_drawn(self.max_features, n_columns)
        return Draws(self.bags_, self.bootstrap, n_columns, max_features, self.bootstrap_features)

    def _seeds(self) -> tuple[int, np.ndarray]:
        """How many members are there after a warm start, and the seeds of all, the same as without it."""
        if not (self.warm_start and hasattr(self, "estimators_")):
            self.estimators_, self.estimators_features_ = [], []
        for name in ("oob_score_", "oob_curve_", "oob_decision_function_", "oob_prediction_"):
            self.__dict__.pop(name, None)
        n_there = len(self.estimators_)
        if n_there > self.n_estimators:
            raise DataError(
                f"n_estimators={self.n_estimators} must be larger or equal to len(estimators_)={n_there} when "
                "warm_start==True.",
                "more members than before",
            )
        if n_there == self.n_estimators:
            warn("Warm-start fitting without increasing n_estimators does not fit new trees.", stacklevel=4)
        seeds = check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=self.n_estimators)
        if n_there:
            seeds[:n_there] = self.bags_.seeds
        return n_there, seeds

    # -- asking ----------------------------------------------------------------------------------------

    def _mean_of(self, method: str, X: Any) -> np.ndarray:
        """The mean of what members say, added in their order."""
        check_is_fitted(self)
        X = self._whole(X, reset=False)
        each, ask = zip(self.estimators_, self.estimators_features_, strict=True), delayed(_asked)
        labels = self._labels()
        jobs = (ask(member, method, X, columns, labels) for member, columns in each)
        return sum(parallel(self.estimators_, self.n_jobs, self.verbose)(jobs)) / len(self.estimators_)

    def _outside(self, method: str, X: Any) -> Any:
        """For each member the rows that it was not shown, and what it says about them."""
        labels = self._labels()
        each = zip(self.estimators_, self.estimators_features_, self.estimators_samples_, strict=True)
        for member, columns, rows in each:
            outside = np.flatnonzero(np.bincount(rows, minlength=X.shape[0]) == 0)
            if len(outside):
                yield outside, _asked(member, method, rows_of(X, outside), columns, labels)
            else:  # of few rows, all can be shown
                yield outside, np.empty((0,) if labels is None else (0, len(labels)))

    def _labels(self) -> np.ndarray | None:
        n_classes = self._n_classes()
        return None if n_classes is None else np.arange(n_classes)


class BaggingClassifier(Classifier, _Bagging):
    """Many classifiers of one kind, each fitted on a bootstrap sample of the rows; their chances are averaged.

    scikit-learn's class and parameters. A Table or a frame keeps its kinds on the way to
    members that take them. A class that is not among a member's rows has no chance with that member. Weights of rows
    are how often they are drawn; without replacement (``bootstrap=False``) they reach the members as they are.

    Parameters
    ----------
    estimator : any classifier; a ``DecisionTreeClassifier`` by default.
    oob_score : judge the ensemble by the rows that members were not shown. Sets ``oob_score_`` (accuracy),
        ``oob_decision_function_`` (NaN for rows that all were shown) and ``oob_curve_`` (the error of the first
        1, 2, … members together).

    Examples
    --------
    >>> from probus.datasets import iris
    >>> table = iris()
    >>> X, y = table.drop("species"), table["species"]
    >>> model = BaggingClassifier(n_estimators=30, oob_score=True, random_state=0).fit(X, y)
    >>> print(f"{model.oob_score_:.2f}", model.oob_curve_.shape)
    0.94 (30,)
    """

    fitted: ClassVar[dict[str, Spec]] = {
        **_Bagging.fitted,
        "classes_": Labels("K"),
        "n_classes_": Size("K"),
        "oob_decision_function_": Maybe(Array("f8", "n K")),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Trees with out-of-bag rows, and naive Bayes on parts of the columns."""
        return [cls(n_estimators=3, oob_score=True), cls(GaussianNB(), 3, bootstrap=False, max_features=0.7)]

    def predict(self, X: Any) -> np.ndarray:
        """The class with the largest chance."""
        places = self.predict_proba(X).argmax(axis=1)
        return self.classes_[places]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The mean of the members' chances; of their votes where they give none."""
        return self._mean_of("chances", X)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithm of the chances."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @available_if(_estimator_has("decision_function", delegates=("estimators_", "estimator")))
    def decision_function(self, X: Any) -> np.ndarray:
        """The mean of the members' decision functions."""
        return self._mean_of("decision_function", X)

    def _chosen(self) -> Any:
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def _target(self, y: Any, n_rows: int) -> np.ndarray:
        self.classes_, codes = encoded_classes(y, n_rows)
        self.n_classes_ = len(self.classes_)
        return codes

    def _n_classes(self) -> int:
        return self.n_classes_

    def _score_out_of_bag(self, X: Any, y: np.ndarray, weights: np.ndarray | None) -> None:
        w = np.ones(len(y)) if weights is None else weights
        chances, wrong, curve = np.zeros((len(y), self.n_classes_)), np.full(len(y), np.nan), []
        for rows, said in self._outside("chances", X):
            chances[rows] += said
            wrong[rows] = chances[rows].argmax(axis=1) != y[rows]
            curve.append(_mean(wrong, w))
        _warn_of_rows_never_outside(wrong)
        self.oob_curve_ = np.array(curve)
        self.oob_score_ = 1.0 - curve[-1]
        with np.errstate(invalid="ignore"):
            self.oob_decision_function_ = chances / chances.sum(axis=1, keepdims=True)


class BaggingRegressor(Regressor, _Bagging):
    """Many regressors of one kind, each fitted on a bootstrap sample of the rows; their predictions are averaged.

    scikit-learn's class and parameters; tables and weights as in ``BaggingClassifier``.

    Parameters
    ----------
    estimator : any regressor; a ``DecisionTreeRegressor`` by default.
    oob_score : judge the ensemble by the rows that members were not shown. Sets ``oob_score_`` (R²),
        ``oob_prediction_`` (NaN for rows that all were shown) and ``oob_curve_`` (the mean squared error of the first
        1, 2, … members together).

    Examples
    --------
    >>> BaggingRegressor(n_estimators=1, bootstrap=False).fit([[1.0], [2.0], [7.0]], [1.0, 1.5, 9.0]).predict([[8.0]])
    array([9.])
    """

    fitted: ClassVar[dict[str, Spec]] = {**_Bagging.fitted, "oob_prediction_": Maybe(Array("f8", "n"))}

    @classmethod
    def examples(cls) -> list[Model]:
        """Trees with out-of-bag rows, and on parts of the columns."""
        return [cls(n_estimators=3, oob_score=True), cls(n_estimators=3, bootstrap=False, max_features=0.7)]

    def predict(self, X: Any) -> np.ndarray:
        """The mean of the members' predictions."""
        return self._mean_of("predict", X)

    def _chosen(self) -> Any:
        return DecisionTreeRegressor() if self.estimator is None else self.estimator

    def _target(self, y: Any, n_rows: int) -> np.ndarray:
        return checked_numbers(y, n_rows)

    def _n_classes(self) -> None:
        return None

    def _score_out_of_bag(self, X: Any, y: np.ndarray, weights: np.ndarray | None) -> None:
        w = np.ones(len(y)) if weights is None else weights
        sums, times, squares, curve = np.zeros(len(y)), np.zeros(len(y)), np.full(len(y), np.nan), []
        for rows, said in self._outside("predict", X):
            sums[rows] += said
            times[rows] += 1
            squares[rows] = (sums[rows] / times[rows] - y[rows]) ** 2
            curve.append(_mean(squares, w))
        _warn_of_rows_never_outside(squares)
        self.oob_curve_ = np.array(curve)
        with np.errstate(invalid="ignore"):
            self.oob_prediction_ = sums / times
        there = times > 0
        few = there.sum() < 2  # as R² has it
        self.oob_score_ = np.nan if few else r2_score(y[there], self.oob_prediction_[there], sample_weight=w[there])


# -- one member ----------------------------------------------------------------------------------------


def _drawn_and_fitted(
    estimator: Any, draws: Draws, t: int, X: Any, y: np.ndarray, weights: np.ndarray | None, n_classes: int | None
) -> Any:
    """Member t, fitted on its rows and columns; weights are those that rows keep."""
    rows, member = draws.rows(t), seeded(estimator, int(draws.bags.seeds[t]))
    X = columns_of(X, draws.columns(t))
    n_shown = n_classes if n_classes is None else len(np.unique(y[rows]))
    if takes_weights(member):
        w = np.bincount(rows, minlength=len(y)) * (1.0 if weights is None else weights)
    else:
        X, y, w = rows_of(X, rows), y[rows], None
    try:
        return fitted_member(member, X, y, w)
    except ValueError as error:
        if n_shown == n_classes:
            raise
        raise DataError(
            f"a draw of {len(rows)} rows holds {n_shown} of {n_classes} classes, which {type(member).__name__} does "
            f"not take: {str(error).partition(chr(10))[0]}",
            "all classes among the rows of every member",
            "Pass a larger max_samples.",
        ) from error


def _asked(member: Any, method: str, X: Any, columns: np.ndarray, labels: np.ndarray | None) -> np.ndarray:
    """What a member says about rows of all columns; its vote counts as a chance where it gives none."""
    X = columns_of(X, columns)
    if method != "chances":
        return answer(member, method, X, labels)
    if hasattr(member, "predict_proba"):
        return answer(member, "predict_proba", X, labels)
    return np.eye(len(labels))[answer(member, "predict", X, labels)]  # type: ignore[arg-type]


def _mean(losses: np.ndarray, w: np.ndarray) -> float:
    """The weighted mean of those that are known; NaN where none is."""
    known = ~np.isnan(losses)
    return float(np.average(losses[known], weights=w[known])) if w[known].sum() > 0 else np.nan


def _warn_of_rows_never_outside(losses: np.ndarray) -> None:
    never = int(np.isnan(losses).sum())
    if never:
        warn(
            "Some inputs do not have OOB scores. This probably means too few estimators were used to compute any "
            f"reliable oob estimates. {never} of {len(losses)} rows were shown to every member.",
            stacklevel=5,
        )
