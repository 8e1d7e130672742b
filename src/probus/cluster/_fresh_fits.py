"""Fits of a clustering to parts of the rows, through a pipeline to the rows that its last step is given."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import has_fit_parameter

from probus.data import Table, has_names
from probus.data.row_selection import take_rows


def rows_of(X: Any) -> Any:
    """Rows that can be taken by number: a Table, or an array."""
    if has_names(X):
        return Table.of(X, infer=False)
    return X if hasattr(X, "tocsr") else np.asarray(X)


def drawn_rows(n: int, samples: int, random_state: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The distinct rows of each bootstrap sample, and how often each was drawn."""
    random = check_random_state(random_state)
    for _ in range(samples):
        yield np.unique(random.randint(0, n, n), return_counts=True)


@contextmanager
def without_convergence_warnings() -> Iterator[None]:
    """Fits to samples do not repeat the warnings of the fit to all rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def last_step(model: Any) -> Any:
    """The clustering at the end of a pipeline, or the model itself."""
    while getattr(model, "steps", None):
        model = model.steps[-1][1]
    return model


def are_distances(model: Any) -> bool:
    """Whether the model is given the distances of all rows in place of the rows."""
    return bool(get_tags(model).input_tags.pairwise)


def taken(model: Any, rows: Any, chosen: np.ndarray) -> Any:
    """Some of the rows, or the distances between them."""
    some = take_rows(rows, chosen)
    return some[:, chosen] if are_distances(model) else some


def prepared(model: Any, rows: Any) -> tuple[Any, Any]:
    """The clustering, unfitted, and the rows as the steps before it, fitted to them, pass them on."""
    last = clone(model)
    while getattr(last, "steps", None):
        if len(last.steps) > 1:
            rows = last[:-1].fit_transform(rows)
        last = last.steps[-1][1]
    return last, rows


def fitted_labels(model: Any, rows: Any, counts: np.ndarray | None = None) -> np.ndarray:
    """The labels of a fresh fit; how often rows were drawn are their weights, where the model takes weights."""
    fresh, rows = prepared(model, rows)
    if counts is not None and has_fit_parameter(fresh, "sample_weight"):
        return np.asarray(fresh.fit_predict(rows, sample_weight=counts.astype(np.float64)))
    return np.asarray(fresh.fit_predict(rows))
