"""What the classifiers of this package have in common: they wrap a model, and rows without labels are rows too."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Classifier, MetaEstimatorMixin, checked_weights
from probus.data.row_selection import take_rows
from probus.ensemble import fit_member, validated
from probus.errors import DataError
from probus.parameters import attribute, parameter
from probus.semi_supervised._partial_labels import PartialLabels
from probus.semi_supervised._unlabelled_gain import compare_without, warn_of_loss
from probus.state import Array, Labels, Maybe, Object, Plain, Spec
from probus.wrapping import accepted_by_all, must_have_tags, must_take_weights, refuse_params

CHECK = parameter(
    "The number of folds of the labelled rows on which the fit with the other rows is compared with one without them: "
    "``gain_`` has the result, and a warning says if those rows make it worse. It takes twice as many fits as folds. "
    "None compares nothing.",
    default=None,
    at_least=2,
)


def _model_has(name: str) -> Any:
    """Whether the fitted model, or else the one to be fitted, has that method."""
    return lambda self: hasattr(vars(self).get("estimator_", self._model), name)


class PartlyLabelledClassifier(MetaEstimatorMixin, Classifier):
    """Parent of classifiers that fit models on labelled rows and on others."""

    estimator: Any = parameter("The classifier that is fitted.", kw_only=False)
    check: int | None = CHECK

    classes_: np.ndarray = attribute()
    transduction_: np.ndarray = attribute()
    labeled_iter_: np.ndarray = attribute()
    gain_: dict[str, Any] | None = attribute()

    prepared: ClassVar[str | None] = "estimator"
    partly_labelled: ClassVar[bool] = True
    _strict: ClassVar[bool] = False
    fitted: ClassVar[dict[str, Spec]] = {
        "transduction_": Labels("n"),
        "labeled_iter_": Array("i8", "n"),
        "gain_": Maybe(Plain()),
    }

    @property
    def accepts(self) -> Accepts:
        """What the model accepts."""
        return accepted_by_all([self._model])

    @property
    def inner_models(self) -> list[Any]:
        """None: validation rows are not passed on."""
        return []

    @property
    def _model(self) -> Any:
        """The classifier that is fitted."""
        return self.estimator

    def _start(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, PartialLabels, np.ndarray | None]:
        """The rows, their labels and weights; ``transduction_`` and the others describe no round yet."""
        must_have_tags(self._model)
        if is_regressor(self._model):
            raise DataError(f"{type(self._model).__name__} is a regressor.", "a classifier")
        X = validated(self, X, reset=True)
        labels = PartialLabels.of(y, X.shape[0], strict=self._strict)
        weights = checked_weights(sample_weight, X)
        if weights is not None:
            must_take_weights([self._model])
        self.labeled_iter_ = np.where(labels.known, 0, -1)
        self.gain_ = None
        if self.check is not None and not labels.known.all():
            found = compare_without(self, X, labels, weights, cv=self.check)
            self.gain_ = found.to_dict()
            warn_of_loss(found)
        return X, labels, weights

    def _fit_on_known(self, model: Any, X: Any, labels: PartialLabels, weights: Any, **others: Any) -> Any:
        """The model, fitted on the rows that have a label by now."""
        rows = np.flatnonzero(labels.known)
        known = None if weights is None else weights[rows]
        return fit_member(clone(model), take_rows(X, rows), labels.of_rows(rows), known, **others)


class DelegatingClassifier(PartlyLabelledClassifier):
    """Parent of those whose predictions are those of one model."""

    estimator_: Any = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        "estimator_": Object(BaseEstimator),
        "classes_": Labels("K"),
        **PartlyLabelledClassifier.fitted,
    }

    def _finish(self, labels: PartialLabels) -> None:
        self.transduction_ = labels.written_out()
        self.classes_ = np.asarray(self.estimator_.classes_)

    def _predicted(self, method: str, X: Any, params: dict[str, Any], *target: Any) -> Any:
        refuse_params(params, self, method)
        check_is_fitted(self)
        given = process_routing(self, method, **params).estimator[method] if params else {}
        return getattr(self.estimator_, method)(validated(self, X, reset=False), *target, **given)

    @available_if(_model_has("predict"))
    def predict(self, X: Any, **params: Any) -> np.ndarray:
        """The class of each row."""
        return self._predicted("predict", X, params)

    @available_if(_model_has("predict_proba"))
    def predict_proba(self, X: Any, **params: Any) -> np.ndarray:
        """The probabilities of the classes."""
        return self._predicted("predict_proba", X, params)

    @available_if(_model_has("predict_log_proba"))
    def predict_log_proba(self, X: Any, **params: Any) -> np.ndarray:
        """The logarithms of the probabilities."""
        return self._predicted("predict_log_proba", X, params)

    @available_if(_model_has("decision_function"))
    def decision_function(self, X: Any, **params: Any) -> np.ndarray:
        """The decisions of the model."""
        return self._predicted("decision_function", X, params)

    def get_metadata_routing(self) -> MetadataRouter:
        """Which methods pass parameters on to which of the model."""
        mapping = MethodMapping().add(callee="fit", caller="fit").add(callee="score", caller="fit")
        for method in ("predict", "predict_proba", "predict_log_proba", "decision_function", "score"):
            mapping.add(callee=method, caller=method)
        return MetadataRouter(owner=self).add(estimator=self.estimator, method_mapping=mapping)
