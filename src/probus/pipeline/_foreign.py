"""Models of other libraries behind ``tabular``: rows and labels as they take them."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Transformer, encoded_classes
from probus.data import Table, is_frame
from probus.errors import DataError
from probus.parameters import parameter
from probus.pipeline._row_metadata import VALIDATION, split_given
from probus.pipeline._tabular import TabularPipeline
from probus.wrapping import libraries_of, parts_of, routing_enabled

_OURS = frozenset({"probus", "sklearn"})  # whose models take a Table, which converts itself to an array
_OF_ARRAYS = frozenset({"lightgbm", "xgboost", "catboost"})  # some refuse names of columns such as "size<5"
_OF_CODES = frozenset({"xgboost"})  # whose classifiers take no labels but 0, 1, 2, …
_ROWS = "rows"


def foreign_pipeline(model: Any, steps: Iterable[tuple[str, Any]]) -> TabularPipeline | None:
    """The pipeline of preparation and a model that has a part of another library; None for other models."""
    foreign = foreign_libraries(model)
    if not foreign or isinstance(getattr(model, "accepts", None), Accepts):  # who declares that knows a Table
        return None
    before = dict(steps)
    before[_ROWS] = LibraryRows(before.pop("scale", None), "array" if foreign <= _OF_ARRAYS else "given")
    kind = CodedPipeline if foreign & _OF_CODES and is_classifier(model) else ForeignPipeline
    return kind([*before.items(), ("model", model)])


def foreign_libraries(model: Any) -> set[str]:
    """The libraries of the model, and of models inside it, that do not inherit from one of Probus or scikit-learn."""
    libraries = [libraries_of(part) for part in parts_of(model)]
    return set().union(*(each for each in libraries if not each & _OURS))


class LibraryRows(Transformer, auto_wrap_output_keys=None):
    """Rows of numbers as a model of another library takes them: an array, or a frame."""

    accepts = Accepts(missing=True)

    scaler: Any = parameter("A transformer of numbers, applied first; None for none.", default=None, kw_only=False)
    container: str = parameter(
        'What rows are converted to; "given" is what ``ForeignPipeline`` finds.',
        default="given",
        one_of=("given", "array", "pandas", "polars"),
        kw_only=False,
    )

    def fit(self, X: Any, y: Any = None) -> LibraryRows:
        """Learn the names of the columns, and fit the scaler."""
        table = Table.of(X, infer=False)
        self.names_, self.container_ = list(table.names), self.container
        self.scaler_ = None if self.scaler is None else clone(self.scaler).fit(table.numbers())
        return self

    def transform(self, X: Any) -> Any:
        """The rows in the container of the fit."""
        check_is_fitted(self)
        values = Table.of(X, infer=False).numbers()
        values = values if self.scaler_ is None else self.scaler_.transform(values)
        if self.container_ == "pandas":
            import pandas as pd

            return pd.DataFrame(values, columns=self.names_)
        if self.container_ == "polars":
            import polars as pl

            return pl.DataFrame(values, schema=self.names_)
        return values


class ForeignPipeline(TabularPipeline):
    """What ``tabular`` returns for a model of another library.

    The model gets the rows that its library takes: a frame of pandas where the data were one, else an array. Where
    ``fit`` of the model fails on these, it is given the other; which one it took is used for prediction.
    """

    def fit(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Fit the steps one after the other; see ``Sequence`` for what else it takes."""
        step = self.named_steps[_ROWS]
        if step.container != "given" or routing_enabled():
            return super().fit(X, y, **params)
        failed: list[Exception] = []
        for container in _containers(X):
            try:
                self.named_steps[_ROWS].set_params(container=container)
                return super().fit(X, y, **params)
            except Exception as error:  # whatever the model raises where it does not know the container
                failed.append(error)
            finally:
                self.named_steps[_ROWS].set_params(container="given")
        raise failed[0]


def _containers(X: Any) -> list[str]:
    """The containers to try, the one the rows came in first; arrays before polars, which fewer models take."""
    table = getattr(X, "table", X)  # of a Task
    origin = table.origin if isinstance(table, Table) else None
    if is_frame(table):
        origin = type(table).__module__.partition(".")[0]
    if origin == "pandas":
        return ["pandas", "array"]
    return ["array", *(["polars"] if origin == "polars" else []), *(["pandas"] if find_spec("pandas") else [])]


class CodedPipeline(ForeignPipeline):
    """The same for a classifier whose labels must be 0, 1, 2, …: it is fitted on codes, and predicts the labels."""

    @property
    def classes_(self) -> np.ndarray:
        """The labels."""
        check_is_fitted(self.steps[-1][1])
        return self._labels

    def fit(self, X: Any, y: Any = None, **params: Any) -> Any:
        """Fit on the codes of the labels; see ``Sequence`` for what else it takes."""
        given = split_given(X, y, {} if routing_enabled() else params, type(self).__name__)
        n_rows = given.X.shape[0] if hasattr(given.X, "shape") else len(given.X)
        self._labels, codes = encoded_classes(given.y, n_rows)
        if "y_val" in given.validation:
            params = {**params, "y_val": self._codes(params["y_val"])}
        others = params if routing_enabled() else {**given.per_row, **given.others, **_validation(params)}
        return super().fit(given.X, codes, **others)

    def predict(self, X: Any, **params: Any) -> np.ndarray:
        """The labels of the predicted codes."""
        return self._labels[np.asarray(super().predict(X, **params), dtype=np.int64).reshape(-1)]

    def score(self, X: Any, y: Any = None, sample_weight: Any = None, **_: Any) -> float:
        """The accuracy of the predicted labels."""
        return float(accuracy_score(y, self.predict(X), sample_weight=sample_weight))

    def _codes(self, y: Any) -> np.ndarray:
        found, codes = encoded_classes(y, len(y))
        unknown = [label for label in found.tolist() if label not in self._labels]
        if unknown:
            raise DataError(f"y_val contains {unknown[0]!r}, which y does not.", f"classes {self._labels.tolist()}")
        return np.searchsorted(self._labels, found)[codes]


def _validation(params: dict[str, Any]) -> dict[str, Any]:
    return {name: params[name] for name in VALIDATION if params.get(name) is not None}
