"""The members of a classifier that is made of models of two classes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import MetaEstimatorMixin, clone, is_regressor
from sklearn.utils import Tags, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import delayed
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Classifier
from probus.data.row_selection import take_rows
from probus.dummy import ZeroRClassifier
from probus.ensemble import fit_member, parallel, validated_any_shape
from probus.parameters import attribute
from probus.sklearn_seam import check_method_params
from probus.wrapping import accepted_by_all, must_take_weights, routing_enabled


class BinaryProblems(MetaEstimatorMixin, Classifier):
    """Parent of the classifiers that fit a clone of a model to each of several problems of two classes."""

    estimator: Any = attribute()
    n_jobs: int | None = attribute()
    classes_: np.ndarray = attribute()
    estimators_: list[Any] = attribute()

    @property
    def accepts(self) -> Accepts:
        """What the model of two classes accepts."""
        return accepted_by_all([self.estimator])

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        return len(self.classes_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = get_tags(self.estimator).input_tags.pairwise
        return tags

    def get_metadata_routing(self) -> MetadataRouter:
        """How parameters of ``fit`` reach the members; see scikit-learn's metadata routing."""
        to_members = MethodMapping().add(caller="fit", callee="fit").add(caller="partial_fit", callee="partial_fit")
        return (
            MetadataRouter(owner=self).add_self_request(self).add(estimator=self.estimator, method_mapping=to_members)
        )

    def _rows(self, X: Any) -> Any:
        """The validated rows of a prediction."""
        if not self.__sklearn_is_fitted__():  # scikit-learn's check reads the tags first, which takes longer
            check_is_fitted(self)
        return validated_any_shape(self, X, reset=False)

    def _for_members(self, method: str, sample_weight: Any, others: dict[str, Any]) -> dict[str, Any]:
        """The parameters of each member's ``fit``."""
        given = others if sample_weight is None else {"sample_weight": sample_weight, **others}
        if routing_enabled():
            return dict(getattr(process_routing(self, method, **given).estimator, method))
        if sample_weight is not None:
            must_take_weights([self.estimator])
        return given

    def _fit_members(
        self, X: Any, problems: Sequence[tuple[np.ndarray, np.ndarray | None, Any]], given: dict[str, Any]
    ) -> list[Any]:
        """A clone fitted to each problem: a target of 0 and 1, the rows it is for (None for all), and the class."""
        jobs = (delayed(_fit)(clone(self.estimator), X, target, rows, name, given) for target, rows, name in problems)
        return list(parallel([self.estimator], self.n_jobs)(jobs))


def _fit(member: Any, X: Any, target: np.ndarray, rows: np.ndarray | None, name: Any, given: dict[str, Any]) -> Any:
    if rows is not None:
        given = check_method_params(X, given, rows)
        X, target = take_rows(X, rows), target[rows]
        if get_tags(member).input_tags.pairwise:
            X = X[:, rows]
    if target.min(initial=1) == target.max(initial=0):
        if target[0] == 1:
            warnings.warn(f"Label {name} is present in all training examples.", stacklevel=2)
        else:
            warnings.warn(f"Label not {name} is present in all training examples.", stacklevel=2)
        return ZeroRClassifier().fit(np.zeros((len(target), 1)), target)
    return fit_member(member, X, target, **given)


def score_of(member: Any, X: Any) -> np.ndarray:
    """How much a member favours class 1, more than 0 where it predicts it.

    A decision, or a probability or the number of a regression, minus ½.
    """
    if len(getattr(member, "classes_", (0, 1))) == 1:  # the rows of the other class were absent
        return np.full(X.shape[0], float(member.classes_[0]) - 0.5)
    if hasattr(member, "decision_function"):
        return np.ravel(member.decision_function(X))
    if is_regressor(member):
        return member.predict(X) - 0.5
    return member.predict_proba(X)[:, 1] - 0.5
