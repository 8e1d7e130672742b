"""What stacking and blending have in common: a final model fitted on the predictions of other models."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import hstack, issparse
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, get_routing_for_object, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from probus.allowed_values import HasMethod, NoneAllowed
from probus.base import Accepts, Classifier, Regressor, matrix_input
from probus.data import Column, Table, checked_array
from probus.ensemble._inputs import validated_any_shape
from probus.ensemble._members import aligned_predictions, fit_member, methods_text
from probus.ensemble.stacking._multilabel import decoded_labels, label_probabilities, multilabel_predictions
from probus.ensemble.stacking._named_members import NamedMembers
from probus.errors import DataError, ModelFileError
from probus.parameters import attribute, inherited, parameter
from probus.sklearn_seam import VisualBlock, check_feature_names_in
from probus.state import Array, Labels, Many, Object, Spec, String
from probus.wrapping import accepted_by_all, must_take_weights, routing_enabled, takes_weights

_METHODS = ("predict_proba", "decision_function", "predict")

KnownLabels = np.ndarray | list[np.ndarray] | None  # of a target of classes; of each column of several; of numbers


def _final_has(method: str) -> Callable[[Any], Any]:
    return lambda model: getattr(getattr(model, "final_estimator_", model.final_estimator), method)


class Stacked(NamedMembers):
    """Parent of ensembles whose final model is fitted on predictions for rows that the members were not fitted on.

    The ``fit`` of a subclass sets ``estimators_`` and passes their predictions to ``_fit_final``.
    """

    final_estimator: Any = parameter(
        "The model fitted on the predictions of the others.",
        default=None,
        of=[NoneAllowed(), HasMethod("fit")],
        kw_only=False,
    )
    passthrough: bool = parameter(
        "Whether the final model also gets the columns; as a Table if it accepts levels.", default=False
    )

    fitted: ClassVar[dict[str, Spec]] = {
        **NamedMembers.fitted,
        "final_estimator_": Object(BaseEstimator),
        "stack_method_": Many(String(_METHODS), "m"),
        "meta_widths_": Array("i8", "m", low=1, high=1_000_000),
    }

    @property
    def accepts(self) -> Accepts:
        """What all members accept, and the final model too if it also gets the columns."""
        accepts = accepted_by_all([*self._listed_models(), *([self._final()] if self.passthrough else [])])
        return replace(accepts, weights=accepts.weights and takes_weights(self._final()))

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless members, their columns and those of the final model are consistent."""
        super().check_fitted_state()
        width = int(self.meta_widths_.sum()) + (self.n_features_in_ if self.passthrough else 0)
        if getattr(self.final_estimator_, "n_features_in_", width) != width:
            raise ModelFileError(f"a final model of {self.final_estimator_.n_features_in_} columns.", f"{width}")

    def transform(self, X: Any) -> Any:
        """The predictions of each member for X, followed by X if ``passthrough`` is set."""
        return self._meta_features(X)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns of ``transform``."""
        check_is_fitted(self)
        given = check_feature_names_in(self, input_features, generate_names=self.passthrough)
        return np.array([*self._meta_names(), *(given if self.passthrough else [])], dtype=object)

    def get_metadata_routing(self) -> MetadataRouter:
        """Parameters of ``fit`` are routed to the members, those of ``predict`` to the final model."""
        to_predict = MethodMapping().add(caller="predict", callee="predict")
        final = getattr(self, "final_estimator_", self._final())
        return super().get_metadata_routing().add(final_estimator_=final, method_mapping=to_predict)

    def _sk_visual_block_(self) -> VisualBlock:
        names, models = zip(*self.estimators, strict=True)
        members = VisualBlock("parallel", models, names=names, dash_wrapped=False)
        final = VisualBlock("parallel", [self._final()], names=["final_estimator"], dash_wrapped=False)
        return VisualBlock("serial", (members, final), dash_wrapped=False)

    # -- to be implemented ------------------------------------------------------------------------------

    @abstractmethod
    def _final(self) -> Any:
        """The final model, or the default."""

    @abstractmethod
    def _method_wanted(self) -> str:
        """The method of members to call: a name or "auto"."""

    @abstractmethod
    def _labels(self) -> KnownLabels:
        """The labels that the members are fitted to; None for regression."""

    # -- steps of fit ----------------------------------------------------------------------------------

    def _validate(self, X: Any, *, reset: bool) -> Any:
        """X as it is passed to members; raises if it is passed to a final model that does not accept its columns."""
        if self.passthrough and not self.accepts.nominal:
            matrix_input(self, X, reset=reset)
        return validated_any_shape(self, X, reset=reset)

    def _check_final(self) -> None:
        final = self._final()
        kind, fits = ("classifier", is_classifier) if is_classifier(self) else ("regressor", is_regressor)
        if not fits(final):
            raise DataError(f"'final_estimator' parameter should be a {kind}. Got {type(final).__name__}.", f"a {kind}")

    def _pass_to_final(self, weights: np.ndarray | None, others: dict[str, Any]) -> dict[str, Any]:
        """The parameters of ``fit`` that the final model takes."""
        final, given = self._final(), {**others, **({} if weights is None else {"sample_weight": weights})}
        if not routing_enabled():
            must_take_weights([final] if given else [])
            return given
        requested = get_routing_for_object(final).consumes("fit", given)
        return {name: value for name, value in given.items() if name in requested or has_fit_parameter(final, name)}

    def _methods(self) -> list[str]:
        """The method to call of each member."""
        return [_method_of(name, model, self._method_wanted()) for name, model in self._active_members()]

    def _fit_final(self, X: Any, y: np.ndarray, given: dict[str, Any], predictions: Sequence[np.ndarray]) -> None:
        """Fit the final model on the members' predictions for these rows."""
        blocks = self._blocks(predictions)
        self.meta_widths_ = np.array([block.shape[1] for block in blocks])
        self.final_estimator_ = fit_member(clone(self._final()), self._beside(blocks, X), y, **given)

    def _predict(self, X: Any, params: dict[str, Any]) -> Any:
        """The predictions of the final model, with the parameters that are routed to it."""
        meta = self._meta_features(X)
        if routing_enabled():
            params = process_routing(self, "predict", **params)["final_estimator_"]["predict"]
        return self.final_estimator_.predict(meta, **params)

    # -- predictions of members as columns --------------------------------------------------------------

    def _meta_features(self, X: Any) -> Any:
        check_is_fitted(self)
        X = self._validate(X, reset=False)
        return self._beside(self._blocks(self._member_predictions(self.stack_method_, X)), X)

    def _member_predictions(self, methods: Sequence[str], X: Any) -> list[np.ndarray]:
        """The predictions of each fitted member."""
        labels = self._labels()
        return [
            predictions_of(member, method, X, labels) for member, method in zip(self.estimators_, methods, strict=True)
        ]

    def _blocks(self, predictions: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The columns of each member; of the probabilities of two classes only the second."""
        blocks = [one[:, None] if one.ndim == 1 else one for one in predictions]
        if isinstance(self._labels(), list):
            return blocks
        binary = [
            method == "predict_proba" and block.shape[1] == 2
            for method, block in zip(self.stack_method_, blocks, strict=True)
        ]
        return [block[:, 1:] if two else block for block, two in zip(blocks, binary, strict=True)]

    def _beside(self, blocks: list[np.ndarray], X: Any) -> Any:
        """The columns of all members, followed by X if it is passed through."""
        meta = np.hstack(blocks)
        if not self.passthrough:
            return meta
        if issparse(X):
            return hstack([meta, X], format=X.format)
        if not isinstance(X, Table):
            return np.hstack([meta, checked_array(X)])
        return Table([*map(Column.numbers, self._meta_names(), meta.T), *X])

    def _meta_names(self) -> list[str]:
        own, named = type(self).__name__.lower(), zip(self._active_members(), self.meta_widths_, strict=True)
        return [f"{own}_{name}{k if width > 1 else ''}" for (name, _), width in named for k in range(width)]


class StackedClassifier(Classifier, Stacked):
    """Parent of stacked models that predict classes."""

    final_estimator: Any = inherited(
        doc="The classifier fitted on the predictions of the others. None is scikit-learn's ``LogisticRegression``.",
        default=None,
        kw_only=False,
    )
    stack_method: str = parameter(
        'The method of the members to call. "auto" is the first that each has of ``predict_proba``, '
        "``decision_function`` and ``predict``.",
        default="auto",
        one_of=("auto", *_METHODS),
    )

    classes_: Any = attribute()
    fitted: ClassVar[dict[str, Spec]] = {**Stacked.fitted, "classes_": Labels("K")}

    @available_if(_final_has("predict"))
    def predict(self, X: Any, **predict_params: Any) -> Any:
        """The class that the final model predicts."""
        predictions = self._predict(X, predict_params)
        return (
            decoded_labels(predictions, self.classes_)
            if isinstance(self.classes_, list)
            else self.classes_[predictions]
        )

    @available_if(_final_has("predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of the final model: of each class, or of each label."""
        meta = self._meta_features(X)
        if isinstance(self.classes_, list):
            predictions = self.final_estimator_.predict_proba(meta)
            return label_probabilities(predictions, self.final_estimator_.classes_, self.classes_)
        return aligned_predictions(self.final_estimator_, "predict_proba", meta, np.arange(len(self.classes_)))

    @available_if(_final_has("decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """The decision function of the final model; −∞ for classes that it was not fitted on."""
        meta = self._meta_features(X)
        predictions, known = self.final_estimator_.decision_function(meta), self.final_estimator_.classes_
        if len(known) == len(self.classes_) or isinstance(self.classes_, list):
            return predictions
        decisions = np.full((len(predictions), len(self.classes_)), -np.inf)
        decisions[:, known] = predictions if predictions.ndim == 2 else np.column_stack([-predictions, predictions])
        return decisions

    def _final(self) -> Any:
        if self.final_estimator is not None:
            return self.final_estimator
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression()

    def _method_wanted(self) -> str:
        return self.stack_method


class StackedRegressor(Regressor, Stacked):
    """Parent of stacked models that predict numbers."""

    final_estimator: Any = inherited(
        doc="The regressor fitted on the predictions of the others. None is scikit-learn's ``RidgeCV``.",
        default=None,
        kw_only=False,
    )

    @available_if(_final_has("predict"))
    def predict(self, X: Any, **predict_params: Any) -> Any:
        """The number that the final model predicts."""
        return self._predict(X, predict_params)

    def _final(self) -> Any:
        if self.final_estimator is not None:
            return self.final_estimator
        from sklearn.linear_model import RidgeCV

        return RidgeCV()

    def _method_wanted(self) -> str:
        return "predict"

    def _labels(self) -> None:
        return None


def predictions_of(member: Any, method: str, X: Any, labels: KnownLabels) -> np.ndarray:
    """The predictions of a fitted member; labels as their positions among the known ones."""
    if isinstance(labels, list):
        return multilabel_predictions(member, method, X, labels)
    return aligned_predictions(member, method, X, labels)


def _method_of(name: str, model: Any, wanted: str) -> str:
    """The method of a model to call: the given one, or the first it has."""
    found = [method for method in _METHODS if hasattr(model, method) and wanted in ("auto", method)]
    if not found:
        raise DataError(
            f"Underlying estimator {name} does not implement the method {wanted}: {methods_text([model])}.",
            f"a model with {wanted if wanted != 'auto' else ', '.join(_METHODS)}",
            "Pass stack_method='auto', which takes the first that each has." if wanted != "auto" else "",
        )
    return found[0]
