"""Stacking: a final model fitted on cross-validated predictions of other models (Wolpert 1992)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping
from sklearn.utils.parallel import delayed
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import OneOf, SplitsValue
from probus.base import Model, checked_numbers, checked_weights, encoded_classes
from probus.data.row_selection import take_rows
from probus.dummy import ZeroRRegressor
from probus.ensemble._members import fit_member, parallel
from probus.ensemble.stacking._multilabel import encoded_labels, is_multilabel
from probus.ensemble.stacking._named_members import validation_for
from probus.ensemble.stacking._stacking_base import (
    KnownLabels,
    Stacked,
    StackedClassifier,
    StackedRegressor,
    predictions_of,
)
from probus.errors import DataError
from probus.naive_bayes import GaussianNB, NaiveBayes
from probus.parameters import CV, VERBOSE
from probus.sklearn_seam import check_method_params
from probus.state import Either, Labels, Many, Spec
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor
from probus.wrapping import refuse_params

Folds = list[tuple[np.ndarray, np.ndarray]]


class _Stacking(Stacked):
    """What stacking has in common for classification and regression."""

    cv: Any = CV.but(
        doc=f'{CV.doc} "prefit": the models are fitted already, on other rows than these.',
        of=[SplitsValue(), OneOf("prefit")],
    )
    verbose: int = VERBOSE

    def get_metadata_routing(self) -> MetadataRouter:
        """As for all stacked models; ``groups`` are routed to a splitter that takes them."""
        router = super().get_metadata_routing()
        if self._prefit():
            return router
        return router.add(splitter=check_cv(self.cv), method_mapping=MethodMapping().add(caller="fit", callee="split"))

    def _stack(
        self,
        X: Any,
        y: np.ndarray,
        sample_weight: Any,
        groups: Any,
        validation: dict[str, Any],
        others: dict[str, Any],
    ) -> None:
        """Fit members on all rows, and the final model on their cross-validated predictions."""
        weights = checked_weights(sample_weight, y)
        self._check_final()
        given_to_final = self._pass_to_final(weights, others)
        given = {} if self._prefit() else self._pass_to_members(weights, groups=groups, **others)
        methods = self._methods()
        if self._prefit():
            self.estimators_ = [_must_be_fitted(name, model) for name, model in self._active_members()]
            predictions = self._member_predictions(methods, X)
        else:
            self.estimators_ = self._fit_members_on(X, y, given, validation)
            predictions = self._out_of_fold(X, y, given, validation, self._folds(X, y, groups), methods)
        self.stack_method_ = methods
        self._fit_final(X, y, given_to_final, predictions)

    def _prefit(self) -> bool:
        return isinstance(self.cv, str) and self.cv == "prefit"

    def _folds(self, X: Any, y: np.ndarray, groups: Any) -> Folds:
        """The same folds for all members, drawn once; each row is in the test rows of exactly one."""
        splitter = check_cv(self.cv, y, classifier=is_classifier(self))
        folds = [(np.asarray(train), np.asarray(test)) for train, test in splitter.split(X, y, groups)]
        times = np.bincount(np.concatenate([test for _, test in folds]), minlength=len(y))
        if (times != 1).any():
            raise DataError(
                f"cv leaves {int((times == 0).sum())} of {len(y)} rows out of all test folds and has "
                f"{int((times > 1).sum())} in several.",
                "each row in the test rows of exactly one fold: a partition",
                "Use for example KFold(5) or StratifiedKFold(5).",
            )
        return folds

    def _out_of_fold(
        self,
        X: Any,
        y: np.ndarray,
        given: dict[str, dict[str, Any]],
        validation: dict[str, Any],
        folds: Folds,
        methods: list[str],
    ) -> list[np.ndarray]:
        """The cross-validated predictions of each member."""
        members, predict = self._active_members(), delayed(_fit_and_predict)
        jobs = (
            predict(model, method, X, y, given[name], validation, fold, self._labels())
            for (name, model), method in zip(members, methods, strict=True)
            for fold in folds
        )
        parts = list(parallel([model for _, model in members], self.n_jobs, self.verbose)(jobs))
        back = np.argsort(np.concatenate([test for _, test in folds]))
        each = range(0, len(parts), len(folds))
        return [np.concatenate(parts[first : first + len(folds)])[back] for first in each]


class StackingClassifier(StackedClassifier, _Stacking):
    """A final classifier fitted on the cross-validated predictions of other models.

    scikit-learn's class and parameters. The final model is fitted on out-of-fold predictions, the members on all
    rows. A class that is missing from the training rows of a fold has probability zero there. Members that accept
    the columns of a Table or a frame get them unchanged. A multilabel target, one column of 0 and 1 for each label, is
    passed to models that accept it; ``predict_proba`` is then the probability of each label.

    Examples
    --------
    >>> from probus.datasets import titanic
    >>> table = titanic().select("Survived", "Pclass", "Sex", "Age", "Fare")
    >>> members = [("tree", DecisionTreeClassifier(max_depth=4)), ("bayes", NaiveBayes())]
    >>> model = StackingClassifier(members).fit(table.drop("Survived"), table["Survived"])
    >>> model.stack_method_, model.final_estimator_.coef_.shape
    (['predict_proba', 'predict_proba'], (1, 2))
    """

    fitted: ClassVar[dict[str, Spec]] = {**StackedClassifier.fitted, "classes_": Either(Labels("K"), Many(Labels()))}

    @classmethod
    def examples(cls) -> list[Model]:
        """The default final model for tables of any kind, and one that also gets numeric columns."""
        tree = DecisionTreeClassifier(max_depth=2)
        return [
            cls([("tree", tree), ("bayes", NaiveBayes())], cv=3),
            cls([("tree", tree), ("bayes", GaussianNB())], tree, cv=2, passthrough=True),
        ]

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, *, X_val: Any = None, y_val: Any = None,
        sample_weight_val: Any = None, **params: Any,
    ) -> StackingClassifier:  # fmt: skip
        """Fit members and final model; ``groups`` are passed to ``cv``, other parameters by metadata routing.

        ``X_val``, ``y_val`` and ``sample_weight_val`` are passed to the members that stop early, in every fold too.
        """
        refuse_params(params, self, "fit")
        self._check_members(same_kind=False)
        X = self._validate(X, reset=True)
        self.classes_, codes = (encoded_labels if is_multilabel(y) else encoded_classes)(y, X.shape[0])
        validation = self._validation(X_val, y_val, sample_weight_val, self.classes_)
        self._stack(X, codes, sample_weight, groups, validation, params)
        return self

    def _labels(self) -> KnownLabels:
        if self._prefit():
            return self.classes_
        if isinstance(self.classes_, list):
            return [np.arange(len(values)) for values in self.classes_]
        return np.arange(len(self.classes_))


class StackingRegressor(StackedRegressor, _Stacking):
    """A final regressor fitted on the cross-validated predictions of other models.

    scikit-learn's class and parameters; see ``StackingClassifier``.

    Examples
    --------
    >>> from probus.datasets import mtcars
    >>> cars = mtcars()
    >>> members = [("tree", DecisionTreeRegressor(max_depth=2)), ("mean", ZeroRRegressor())]
    >>> model = StackingRegressor(members).fit(cars[["wt", "hp"]], cars["mpg"])
    >>> print(f"{model.score(cars, cars['mpg'].values):.2f}")
    0.84
    """

    @classmethod
    def examples(cls) -> list[Model]:
        """A final tree, with columns and without; for RidgeCV, weights do not equal repetition."""
        tree = DecisionTreeRegressor(min_weight_fraction_leaf=0.15)  # smaller leaves have many equally good splits
        members = [("tree", tree), ("mean", ZeroRRegressor())]
        return [cls(members, tree, cv=3), cls(members, tree, cv=2, passthrough=True)]

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, *, X_val: Any = None, y_val: Any = None,
        sample_weight_val: Any = None, **params: Any,
    ) -> StackingRegressor:  # fmt: skip
        """Fit members and final model; ``groups`` are passed to ``cv``, other parameters by metadata routing.

        ``X_val``, ``y_val`` and ``sample_weight_val`` are passed to the members that stop early, in every fold too.
        """
        refuse_params(params, self, "fit")
        self._check_members()
        X = self._validate(X, reset=True)
        validation = self._validation(X_val, y_val, sample_weight_val)
        self._stack(X, checked_numbers(y, X.shape[0]), sample_weight, groups, validation, params)
        return self


def _must_be_fitted(name: str, model: Any) -> Any:
    check_is_fitted(model, msg=f"cv='prefit', and {name!r}, this %(name)s, is not fitted.")
    return model


def _fit_and_predict(
    model: Any,
    method: str,
    X: Any,
    y: np.ndarray,
    given: dict[str, Any],
    validation: dict[str, Any],
    fold: tuple[np.ndarray, np.ndarray],
    labels: KnownLabels,
) -> np.ndarray:
    """The predictions of a model fitted on the training rows of a fold for its test rows."""
    train, test = fold
    given = check_method_params(X, given, train)
    stopping = validation_for(model, validation, y[train])
    member = fit_member(clone(model), take_rows(X, train), y[train], **given, validation=stopping)
    return predictions_of(member, method, take_rows(X, test), labels)
