"""A choice between parts, made by a parameter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Model
from probus.data import Kind
from probus.dummy import ZeroRClassifier
from probus.errors import DataError
from probus.naive_bayes import NaiveBayes
from probus.parameters import attribute, parameter
from probus.pipeline._drawable import Drawable
from probus.pipeline._flow import graph_input, names_of, suited_to, target_for
from probus.pipeline._graph_shape import PASSTHROUGH, is_part
from probus.pipeline._row_metadata import PER_ROW, VALIDATION, given_to, routed, router_of, split_given, weights_allowed
from probus.pipeline._select_columns import Select
from probus.sklearn_seam import BaseComposition
from probus.spaces import Choice, Fixed, Space, search_space
from probus.state import Either, Object, Spec, String
from probus.wrapping import accepted_by_all, validation_parameters


def _chosen_has(method: str) -> Callable[[OneOf], bool]:
    def check(one: OneOf) -> bool:
        part = one._chosen()
        return method in ("transform", "get_feature_names_out") if isinstance(part, str) else hasattr(part, method)

    return check


class OneOf(Drawable, BaseComposition, Model):
    """One of several alternatives, chosen by a parameter: it behaves as the chosen one.

    ``choose(pca=PCA(), none="passthrough")`` builds one. Its search space has the choice, and the parameters of each
    alternative for the case that it is chosen.

    Attributes
    ----------
    chosen_ : the fitted alternative.

    >>> from probus.dummy import ZeroRClassifier
    >>> from probus.naive_bayes import GaussianNB
    >>> model = OneOf([("bayes", GaussianNB()), ("none", ZeroRClassifier())], choice="none")
    >>> model.fit([[0], [1], [2]], ["a", "b", "b"]).predict([[0]]).tolist()
    ['b']
    """

    chosen_: Any = attribute()
    fitted: ClassVar[dict[str, Spec]] = {"chosen_": Either(Object(BaseEstimator), String((PASSTHROUGH,)))}
    passes_on = (*PER_ROW, *VALIDATION)

    alternatives: list[tuple[str, Any]] = parameter(
        'A list of names and estimators, or "passthrough" in place of an estimator.', kw_only=False
    )
    choice: str | None = parameter("The name of an alternative; None is the first.", default=None, kw_only=False)

    @classmethod
    def examples(cls) -> list[Model]:
        """A chosen classifier, and a chosen transformer."""
        return [
            cls([("bayes", NaiveBayes()), ("none", ZeroRClassifier())], "bayes"),
            cls([("none", PASSTHROUGH), ("all", Select(kind=list(map(str, Kind))))], "all"),
        ]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters; those of alternatives as ``name__parameter``."""
        return self._get_params("alternatives", deep=deep)

    def set_params(self, **params: Any) -> OneOf:
        """Set the choice, alternatives by name, or their parameters as ``name__parameter``."""
        self._set_params("alternatives", **params)
        return self

    def chosen(self) -> Any:
        """The alternative that is chosen, not fitted."""
        pairs = self.alternatives
        if not isinstance(pairs, (list, tuple)) or not pairs or not all(_is_pair(pair) for pair in pairs):
            raise DataError(f"alternatives={pairs!r:.60}.", "a list of names and estimators, at least one")
        named = dict(pairs)
        if len(named) < len(pairs):
            raise DataError("two alternatives of the same name.", "a name for each of its own")
        if self.choice is not None and self.choice not in named:
            raise DataError(f"choice={self.choice!r}.", "one of " + ", ".join(map(repr, named)))
        return pairs[0][1] if self.choice is None else named[self.choice]

    @property
    def inner_models(self) -> list[Any]:
        """The chosen alternative, which gets the validation rows."""
        return [self.chosen()]

    def _chosen(self) -> Any:
        return self.chosen_ if hasattr(self, "chosen_") else self.chosen()

    @property
    def classes_(self) -> np.ndarray:
        """The classes of the chosen alternative."""
        check_is_fitted(self)
        return self.chosen_.classes_

    @property
    def accepts(self) -> Accepts:
        """What the chosen alternative accepts."""
        part = self.chosen()
        return replace(accepted_by_all([] if isinstance(part, str) else [part]), weights=weights_allowed(part))

    def __sklearn_tags__(self) -> Tags:
        part = self.chosen()
        return super().__sklearn_tags__() if isinstance(part, str) else get_tags(part)

    def search_space(self) -> Space:
        """The choice, and the parameters of each alternative for the case that it is chosen."""
        self.chosen()  # alternatives that are none are an error
        names = [name for name, _ in self.alternatives]
        parameters: dict[str, Any] = {"choice": Choice(*names) if len(names) > 1 else Fixed(names[0])}
        for name, part in self.alternatives:
            if not isinstance(part, str):
                parameters |= search_space(part).prefixed(f"{name}__").given(choice=name)
        return Space(parameters).with_default({**self.get_params(), "choice": self.choice or names[0]})

    # -- fit and use -----------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **params: Any) -> OneOf:
        """Fit the chosen alternative; weights, groups and validation rows are passed to it."""
        part = self.chosen()
        given = split_given(X, y, {"sample_weight": sample_weight, **params}, type(self).__name__)
        self.__dict__.pop("chosen_", None)  # a fit that fails leaves no model
        rows = graph_input(self, given.X, parts=[part], reset=True)
        if isinstance(part, str):
            self.chosen_ = part
            return self
        own = {**self._for_chosen(given.per_row), **validation_parameters(part, given.validation)}
        self.chosen_ = clone(part).fit(suited_to(part, rows), target_for(part, given.y), **own)
        return self

    @available_if(_chosen_has("transform"))
    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None, **params: Any) -> Any:
        """``fit`` and ``transform`` of the same rows, as the chosen alternative does it."""
        part = self.chosen()
        if isinstance(part, str) or not hasattr(part, "fit_transform"):
            return self.fit(X, y, sample_weight, **params).transform(X)
        given = split_given(X, y, {"sample_weight": sample_weight, **params}, type(self).__name__)
        self.__dict__.pop("chosen_", None)
        rows = graph_input(self, given.X, parts=[part], reset=True)
        chosen, own = clone(part), self._for_chosen(given.per_row)
        output = chosen.fit_transform(suited_to(part, rows), target_for(part, given.y), **own)
        self.chosen_ = chosen
        return output

    def get_metadata_routing(self) -> Any:
        """Parameters of ``fit`` go to the chosen alternative if it requests them."""
        return router_of(self, [("chosen", self.chosen())])

    def _for_chosen(self, per_row: Mapping[str, Any]) -> dict[str, Any]:
        shares = routed(self, per_row)
        return given_to(self.chosen(), per_row, last=True) if shares is None else shares["chosen"]

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return suited_to(self.chosen_, graph_input(self, X, reset=False))

    @available_if(_chosen_has("predict"))
    def predict(self, X: Any, **params: Any) -> Any:
        """The prediction for each row."""
        rows = self._rows(X)
        return self.chosen_.predict(rows, **params)

    @available_if(_chosen_has("predict_proba"))
    def predict_proba(self, X: Any, **params: Any) -> Any:
        """The probability of each class."""
        rows = self._rows(X)
        return self.chosen_.predict_proba(rows, **params)

    @available_if(_chosen_has("predict_log_proba"))
    def predict_log_proba(self, X: Any, **params: Any) -> Any:
        """The logarithm of the probability of each class."""
        rows = self._rows(X)
        return self.chosen_.predict_log_proba(rows, **params)

    @available_if(_chosen_has("decision_function"))
    def decision_function(self, X: Any, **params: Any) -> Any:
        """The decision function of the chosen alternative."""
        rows = self._rows(X)
        return self.chosen_.decision_function(rows, **params)

    @available_if(_chosen_has("score"))
    def score(self, X: Any, y: Any = None, **params: Any) -> float:
        """The score of the chosen alternative."""
        rows = self._rows(X)
        return self.chosen_.score(rows, y, **params)

    @available_if(_chosen_has("transform"))
    def transform(self, X: Any) -> Any:
        """The rows transformed by the chosen alternative."""
        rows = self._rows(X)
        return rows if isinstance(self.chosen_, str) else self.chosen_.transform(rows)

    @available_if(_chosen_has("get_feature_names_out"))
    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns that ``transform`` returns."""
        check_is_fitted(self)
        if not isinstance(self.chosen_, str):
            return self.chosen_.get_feature_names_out(input_features)
        start = getattr(self, "feature_names_in_", names_of(np.empty((0, self.n_features_in_))))
        return np.array(start if input_features is None else input_features, dtype=object)


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, (list, tuple)) and len(pair) == 2 and isinstance(pair[0], str) and is_part(pair[1])
