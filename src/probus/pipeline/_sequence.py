"""Steps in a row: scikit-learn's Pipeline, through which weights, groups and validation rows travel."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

from sklearn.pipeline import Pipeline

from probus.base import Accepts
from probus.errors import DataError
from probus.pipeline._drawable import Drawable
from probus.pipeline._graph_shape import PASSTHROUGH
from probus.pipeline._row_metadata import PER_ROW, VALIDATION, GivenRows, given_to, split_given
from probus.pipeline._validation_rows import before_preparation, unseen_levels_expected
from probus.wrapping import accepted_by_all, routing_enabled, takes_weights, validation_parameters


class Sequence(Drawable, Pipeline):
    """What ``a >> b`` returns: scikit-learn's Pipeline, through which weights, groups and validation rows travel.

    ``fit`` takes, beside ``step__parameter`` for one step:

    - ``sample_weight``, which every step gets whose ``fit`` takes weights; ``groups`` and ``sensitive_features``
      likewise;
    - ``X_val`` and ``y_val``, for the early stopping of the last step: the rows are transformed by the fitted steps;
    - a ``Task`` instead of X and y, which brings its weights, groups and sensitive columns.

    If the last step holds out validation rows itself, they are held out before the other steps are fitted. With
    scikit-learn's metadata routing enabled, parameters are routed as each step requests.

    Parameters
    ----------
    steps : names and estimators, the last of which may be a model.
    transform_input, memory, verbose : as in scikit-learn's Pipeline.

    >>> from probus.naive_bayes import GaussianNB
    >>> from probus.preprocessing import StandardScaler
    >>> model = (StandardScaler() >> GaussianNB()).fit([[1.0], [2.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> model.predict([[4.5]]).tolist(), list(model.named_steps)
    (['b'], ['standardscaler', 'gaussiannb'])
    """

    passes_on = (*PER_ROW, *VALIDATION)

    def save(self, path: Any) -> Any:
        """Write the fitted steps to a file that contains only data, as ``probus.save``, and return the path."""
        return import_module("probus.persistence").save(self, path)  # which imports probus, and that all

    @property
    def accepts(self) -> Accepts:
        """What the first step accepts."""
        first = next((step for _, step in self.steps if step not in (None, PASSTHROUGH)), None)
        common = accepted_by_all([] if first is None else [first])
        return replace(common, weights=bool(self.steps) and takes_weights(self))

    @property
    def inner_models(self) -> list[Any]:
        """The last step, which gets the validation rows."""
        return [self.steps[-1][1]]

    def fit(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Fit the steps one after the other; see the class for what else it takes."""
        if routing_enabled():
            return super().fit(X, y, **params)
        given = split_given(X, y, params, type(self).__name__)
        if len(self.steps) > 1:
            given = before_preparation(self.steps[-1][1], given)
        if given.validation:
            return self._fit_with_validation(given)
        return super().fit(given.X, given.y, **self._for_steps(given.per_row), **given.others)

    def fit_transform(self, X: Any, y: Any = None, **params: Any) -> Any:
        """``fit`` and ``transform`` of the same rows."""
        if routing_enabled():
            return super().fit_transform(X, y, **params)
        given = split_given(X, y, params, type(self).__name__)
        if given.validation:
            raise DataError("X_val and y_val in fit_transform.", "validation rows only where the last step is a model")
        return super().fit_transform(given.X, given.y, **self._for_steps(given.per_row), **given.others)

    def __rshift__(self, other: Any) -> Any:
        from probus.pipeline._composing import sequence

        return sequence(self, other)

    def __rrshift__(self, other: Any) -> Any:
        from probus.pipeline._composing import sequence

        return sequence(other, self)

    def _for_steps(self, per_row: Mapping[str, Any]) -> dict[str, Any]:
        """The values for each step, as ``step__parameter``."""
        given: dict[str, Any] = {}
        for place, name, step in self._iter(filter_passthrough=True):
            taken = given_to(step, per_row, last=place == len(self.steps) - 1)
            given |= {f"{name}__{parameter}": value for parameter, value in taken.items()}
        return given

    def _fit_with_validation(self, given: GivenRows) -> Any:
        """Fit the steps before the last, transform training and validation rows, and fit the last."""
        params = {**self._for_steps(given.per_row), **given.others}
        name, last = self.steps[-1]
        own = {key: value for key, value in params.items() if key.startswith(f"{name}__")}
        X, X_val = given.X, given.validation["X_val"]
        if len(self.steps) > 1:
            head = self[:-1]
            X = head.fit_transform(X, given.y, **{key: value for key, value in params.items() if key not in own})
            with unseen_levels_expected():
                for _, _, step in head._iter():
                    X_val = step.transform(X_val)
            self.steps[:-1] = head.steps
        validation = validation_parameters(last, {**given.validation, "X_val": X_val})
        last.fit(X, given.y, **{key.removeprefix(f"{name}__"): value for key, value in own.items()}, **validation)
        return self
