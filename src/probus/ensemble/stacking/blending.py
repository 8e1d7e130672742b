"""Blending: a final model learns from what others say about rows that were held out from all of them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, RealNotInt
from sklearn.utils.metadata_routing import _raise_for_params
from sklearn.utils.validation import _check_method_params

from probus.base import Model, checked_numbers, checked_weights, encoded_classes
from probus.dummy import ZeroRRegressor
from probus.ensemble.inputs import rows_of
from probus.ensemble.stacking.holdout import held_out
from probus.ensemble.stacking.stacking_base import Stacked, StackedClassifier, StackedRegressor
from probus.naive_bayes import NaiveBayes
from probus.state import Array, Spec
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["BlendingClassifier", "BlendingRegressor"]


class _Blending(Stacked):
    """What blending classes and blending numbers have in common."""

    validation_fraction: float
    refit: bool
    random_state: Any
    fitted: ClassVar[dict[str, Spec]] = {"held_out_": Array("bool", "*")}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "validation_fraction": [Interval(RealNotInt, 0, 1, closed="neither")],
        "refit": ["boolean"],
        "random_state": ["random_state"],
    }

    def _blend(
        self, X: Any, y: np.ndarray, sample_weight: Any, others: dict[str, Any], classes: np.ndarray | None
    ) -> None:
        """Fit members on some rows, the final model on what they say about the others, and members on all."""
        weights = checked_weights(sample_weight, y)
        self._check_final()
        self.stack_method_ = self._methods()
        given, given_to_final = self._given_to_members(weights, **others), self._given_to_final(weights, others)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        self.held_out_ = held_out(X, y, self.validation_fraction, weights, seed, classes)
        shown, kept = np.flatnonzero(~self.held_out_), np.flatnonzero(self.held_out_)
        given_now = {name: _check_method_params(X, mine, shown) for name, mine in given.items()}
        self.estimators_ = self._fit_members_on(rows_of(X, shown), y[shown], given_now)
        rows = rows_of(X, kept)
        said = self._member_predictions(self.stack_method_, rows)
        self._fit_final(rows, y[kept], _check_method_params(X, given_to_final, kept), said)
        if self.refit:
            self.estimators_ = self._fit_members_on(X, y, given)


class BlendingClassifier(StackedClassifier, _Blending):
    """A classifier that learns from what other models say about rows that were held out from all of them.

    Members are fitted once on some of the rows, and once on all for predictions to come, where stacking fits them
    for every fold: for models that take long. Rows that are alike are held out together.

    Parameters
    ----------
    estimators : names and models; ``set_params(name="drop")`` leaves one out. Regressors are asked for their numbers.
    final_estimator : the classifier that learns from them; scikit-learn's ``LogisticRegression`` by default.
    validation_fraction : the share of the rows, by weight, to hold out of each class.
    refit : whether members are fitted on all rows in the end; else predictions come from those that lack some. What
        members say shifts a little with it: a final model with sharp thresholds, such as a tree, is safer without.
    stack_method : what members are asked; "auto" is the first they have of ``predict_proba``, ``decision_function``
        and ``predict``.
    passthrough : whether the final model is shown the columns too; a Table if it takes levels.

    Attributes
    ----------
    held_out_ : which of the rows were held out.

    Examples
    --------
    >>> from probus.datasets import penguins
    >>> table = penguins()
    >>> members = [("tree", DecisionTreeClassifier(max_depth=3)), ("bayes", NaiveBayes())]
    >>> model = BlendingClassifier(members, random_state=0).fit(table.drop("species"), table["species"])
    >>> len(table), int(model.held_out_.sum()), model.final_estimator_.n_features_in_
    (344, 69, 6)
    """

    fitted: ClassVar[dict[str, Spec]] = {**StackedClassifier.fitted, **_Blending.fitted}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StackedClassifier._parameter_constraints,
        **_Blending._parameter_constraints,
    }

    def __init__(
        self,
        estimators: list[tuple[str, Any]],
        final_estimator: Any = None,
        *,
        validation_fraction: float = 0.2,
        refit: bool = True,
        stack_method: str = "auto",
        n_jobs: int | None = None,
        passthrough: bool = False,
        random_state: Any = None,
    ):
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.validation_fraction = validation_fraction
        self.refit = refit
        self.stack_method = stack_method
        self.n_jobs = n_jobs
        self.passthrough = passthrough
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Model]:
        """On what models for any table say, on columns of numbers too, and with members that lack rows."""
        tree = DecisionTreeClassifier(max_depth=2)
        return [
            cls([("tree", tree), ("bayes", NaiveBayes())], validation_fraction=0.4),
            cls([("tree", tree)], validation_fraction=0.4, passthrough=True),
            cls([("bayes", NaiveBayes())], validation_fraction=0.4, refit=False),
        ]

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> BlendingClassifier:
        """Fit members and final model; others of the parameters go to those that ask for them by metadata routing."""
        _raise_for_params(params, self, "fit")
        self._check_members(same_kind=False)
        X = self._validated(X, reset=True)
        self.classes_, codes = encoded_classes(y, X.shape[0])
        self._blend(X, codes, sample_weight, params, self.classes_)
        return self

    def _labels(self) -> np.ndarray:
        return np.arange(len(self.classes_))


class BlendingRegressor(StackedRegressor, _Blending):
    """A regressor that learns from what other models say about rows that were held out from all of them.

    As ``BlendingClassifier``; the default final model is scikit-learn's ``RidgeCV``.

    Examples
    --------
    >>> from probus.datasets import mtcars
    >>> cars = mtcars()
    >>> members = [("tree", DecisionTreeRegressor(max_depth=2)), ("mean", ZeroRRegressor())]
    >>> BlendingRegressor(members, random_state=0).fit(cars[["wt", "hp"]], cars["mpg"]).predict({"wt": [2], "hp": [90]})
    array([24.2266642])
    """

    fitted: ClassVar[dict[str, Spec]] = {**StackedRegressor.fitted, **_Blending.fitted}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **StackedRegressor._parameter_constraints,
        **_Blending._parameter_constraints,
    }

    def __init__(
        self,
        estimators: list[tuple[str, Any]],
        final_estimator: Any = None,
        *,
        validation_fraction: float = 0.2,
        refit: bool = True,
        n_jobs: int | None = None,
        passthrough: bool = False,
        random_state: Any = None,
    ):
        self.estimators = estimators
        self.final_estimator = final_estimator
        self.validation_fraction = validation_fraction
        self.refit = refit
        self.n_jobs = n_jobs
        self.passthrough = passthrough
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Model]:
        """A final tree; to RidgeCV, weights are not repetition."""
        tree = DecisionTreeRegressor(min_weight_fraction_leaf=0.15)
        return [cls([("tree", tree), ("mean", ZeroRRegressor())], tree, validation_fraction=0.4)]

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> BlendingRegressor:
        """Fit members and final model; others of the parameters go to those that ask for them by metadata routing."""
        _raise_for_params(params, self, "fit")
        self._check_members()
        X = self._validated(X, reset=True)
        self._blend(X, checked_numbers(y, X.shape[0]), sample_weight, params, None)
        return self
