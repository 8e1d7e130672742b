"""Voting: different models fitted on the same rows, whose predictions are counted or averaged."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.preprocessing import LabelEncoder
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import ArrayValue, NoneAllowed
from probus.base import Accepts, Classifier, Model, Regressor, checked_numbers, checked_weights, encoded_classes
from probus.dummy import ZeroRRegressor
from probus.ensemble._inputs import validated_any_shape, width_of_target
from probus.ensemble._members import aligned_predictions, methods_text
from probus.ensemble.stacking._named_members import NamedMembers
from probus.errors import DataError
from probus.naive_bayes import GaussianNB, NaiveBayes
from probus.parameters import VERBOSE, parameter
from probus.sklearn_seam import check_feature_names_in
from probus.state import Labels, Spec
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor
from probus.wrapping import accepted_by_all, refuse_params


class _Voting(NamedMembers):
    """What voting has in common for classification and regression."""

    weights: Any = parameter(
        "The weight of each estimator, dropped ones included. None gives all the same.",
        default=None,
        of=[ArrayValue(), NoneAllowed()],
    )
    verbose: bool = VERBOSE.but(doc="Whether the time that each member takes is printed.", default=False)

    @property
    def accepts(self) -> Accepts:
        """The input that all members accept."""
        return accepted_by_all(self._listed_models())

    def _check_weights(self) -> None:
        if self.weights is not None and len(self.weights) != len(self.estimators):
            raise DataError(
                f"Number of `estimators` and weights must be equal; got {len(self.weights)} weights, "
                f"{len(self.estimators)} estimators.",
                "one weight per estimator, dropped ones included",
            )

    def _weights(self) -> np.ndarray:
        """The weight of each member that is not dropped."""
        given = np.ones(len(self.estimators)) if self.weights is None else np.asarray(self.weights, np.float64)
        active = {name for name, _ in self._active_members()}
        return given[[name in active for name, _ in self.estimators]]

    def _each(self, method: str, X: Any, labels: np.ndarray | None) -> list[np.ndarray]:
        """The predictions of each member."""
        check_is_fitted(self)
        X = validated_any_shape(self, X, reset=False)
        return [aligned_predictions(member, method, X, labels) for member in self.estimators_]

    def _fit_members(
        self, X: Any, y: np.ndarray, sample_weight: Any, validation: dict[str, Any], others: dict[str, Any]
    ) -> None:
        given = self._pass_to_members(checked_weights(sample_weight, y), **others)
        self.estimators_ = self._fit_members_on(X, y, given, validation, "Voting" if self.verbose else None)

    def _names_out(self, input_features: Any, ends: list[str]) -> np.ndarray:
        check_is_fitted(self)
        check_feature_names_in(self, input_features, generate_names=False)
        own = type(self).__name__.lower()
        return np.array([f"{own}_{name}{end}" for name, _ in self._active_members() for end in ends], dtype=object)


class ManyLabelsError(DataError, NotImplementedError):
    """Several labels per row for a model of one; scikit-learn raises a NotImplementedError there."""


class VotingClassifier(Classifier, _Voting):
    """Different classifiers on the same rows: the class with the most votes, or with the largest mean probability.

    scikit-learn's class and parameters. Members that accept the columns of a Table or a frame get them unchanged.

    Examples
    --------
    >>> from probus.datasets import penguins
    >>> table = penguins()
    >>> members = [("tree", DecisionTreeClassifier(max_depth=3)), ("bayes", NaiveBayes())]
    >>> model = VotingClassifier(members, voting="soft").fit(table.drop("species"), table["species"])
    >>> model.predict(table.drop("species").take([0, 200]))
    array(['Adelie', 'Gentoo'], dtype=object)
    """

    fitted: ClassVar[dict[str, Spec]] = {**NamedMembers.fitted, "classes_": Labels("K")}

    voting: str = parameter(
        '"hard" counts the predicted classes. "soft" averages the probabilities, which suits calibrated models.',
        default="hard",
        one_of=("hard", "soft"),
    )
    flatten_transform: bool = parameter(
        "With soft voting, whether ``transform`` returns rows × (members · classes), else members × rows × classes.",
        default=True,
    )

    @classmethod
    def examples(cls) -> list[Model]:
        """Hard voting on tables of any kind, and soft voting on numbers."""
        tree = DecisionTreeClassifier(max_depth=2)
        return [
            cls([("tree", tree), ("bayes", NaiveBayes())]),
            cls([("tree", tree), ("bayes", GaussianNB())], voting="soft", weights=[2, 1]),
        ]

    @property
    def le_(self) -> LabelEncoder:
        """Encodes labels as the integers that members are fitted to, and decodes them."""
        check_is_fitted(self)
        return LabelEncoder().fit(self.classes_)

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None,
        sample_weight_val: Any = None, **params: Any,
    ) -> VotingClassifier:  # fmt: skip
        """Fit each member on all rows; other parameters are passed to members by metadata routing.

        ``X_val``, ``y_val`` and ``sample_weight_val`` are passed to the members that stop early.
        """
        refuse_params(params, self, "fit")
        self._check_members()
        self._check_weights()
        self._check_probabilities()
        X = validated_any_shape(self, X, reset=True)
        _must_be_one_label_each(y)
        self.classes_, codes = encoded_classes(y, X.shape[0])
        validation = self._validation(X_val, y_val, sample_weight_val, self.classes_)
        self._fit_members(X, codes, sample_weight, validation, params)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The class with the most votes, or with the largest mean probability; the first of equals."""
        if self.voting == "soft":
            places = self.predict_proba(X).argmax(axis=1)
        else:
            labels = np.arange(len(self._known_classes()))
            votes = [
                w * np.eye(len(labels))[predicted] for w, predicted in zip(self._weights(), self._votes(X), strict=True)
            ]
            places = np.sum(votes, axis=0).argmax(axis=1)
        return self.classes_[places]

    @available_if(lambda self: self._must_be_soft())
    def predict_proba(self, X: Any) -> np.ndarray:
        """The weighted mean of the members' probabilities."""
        return np.average(self._probabilities_of(X), axis=0, weights=self._weights())

    def transform(self, X: Any) -> np.ndarray:
        """The predictions of each member: positions of classes among ``classes_``, or probabilities."""
        if self.voting == "hard":
            return np.stack(self._votes(X), axis=1)
        return np.hstack(self._probabilities_of(X)) if self.flatten_transform else np.stack(self._probabilities_of(X))

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns of ``transform``."""
        if self.voting == "hard":
            return self._names_out(input_features, [""])
        if not self.flatten_transform:
            raise DataError(
                "get_feature_names_out is not supported when `voting='soft'` and `flatten_transform=False`.",
                "flatten_transform=True",
            )
        return self._names_out(input_features, [str(k) for k in range(len(self._known_classes()))])

    def _known_classes(self) -> np.ndarray:
        check_is_fitted(self)
        return self.classes_

    def _votes(self, X: Any) -> list[np.ndarray]:
        return self._each("predict", X, np.arange(len(self._known_classes())))

    def _probabilities_of(self, X: Any) -> list[np.ndarray]:
        return self._each("predict_proba", X, np.arange(len(self._known_classes())))

    def _must_be_soft(self) -> bool:
        if self.voting == "hard":
            raise AttributeError(f"predict_proba is not available when voting={self.voting!r}")
        return True

    def _check_probabilities(self) -> None:
        lacking = [model for _, model in self._active_members() if not hasattr(model, "predict_proba")]
        if self.voting == "soft" and lacking:
            raise DataError(
                f"voting='soft' needs predict_proba: {methods_text(lacking)}.",
                "models that predict probabilities",
                "Pass voting='hard', or leave them out.",
            )


class VotingRegressor(Regressor, _Voting):
    """Different regressors on the same rows: the mean of their predictions.

    scikit-learn's class and parameters. Members that accept the columns of a Table or a frame get them unchanged.

    Examples
    --------
    >>> members = [("tree", DecisionTreeRegressor()), ("mean", ZeroRRegressor())]
    >>> VotingRegressor(members, weights=[3, 1]).fit([[1.0], [2.0]], [0.0, 8.0]).predict([[2.0]])
    array([7.])
    """

    @classmethod
    def examples(cls) -> list[Model]:
        """A tree and the mean."""
        return [cls([("tree", DecisionTreeRegressor(max_depth=3)), ("mean", ZeroRRegressor())], weights=[2, 1])]

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None,
        sample_weight_val: Any = None, **params: Any,
    ) -> VotingRegressor:  # fmt: skip
        """Fit each member on all rows; other parameters are passed to members by metadata routing.

        ``X_val``, ``y_val`` and ``sample_weight_val`` are passed to the members that stop early.
        """
        refuse_params(params, self, "fit")
        self._check_members()
        self._check_weights()
        X = validated_any_shape(self, X, reset=True)
        validation = self._validation(X_val, y_val, sample_weight_val)
        self._fit_members(X, checked_numbers(y, X.shape[0]), sample_weight, validation, params)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The weighted mean of the members' predictions."""
        return np.average(self._each("predict", X, None), axis=0, weights=self._weights())

    def transform(self, X: Any) -> np.ndarray:
        """The predictions of each member, one column each."""
        return np.stack(self._each("predict", X, None), axis=1)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns of ``transform``."""
        return self._names_out(input_features, [""])


def _must_be_one_label_each(y: Any) -> None:
    n_labels = width_of_target(y)
    if n_labels > 1:
        raise ManyLabelsError(
            f"y has {n_labels} labels in each row. VotingClassifier only supports binary or multiclass "
            "classification. Multilabel and multi-output classification are not supported.",
            "one label for each row",
            "Fit one model per column.",
        )
