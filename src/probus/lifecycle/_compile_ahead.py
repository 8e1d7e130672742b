"""What a second process compiles while the first models of a study are evaluated."""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import Any

import numpy as np

from probus.data import Table
from probus.data.row_selection import drawn_rows


def some_rows(X: Table, y: np.ndarray, most: int = 500) -> tuple[Table, np.ndarray]:
    """Rows that are enough for the kernels of each model to be compiled."""
    codes = np.unique(y, return_inverse=True)[1] if y.dtype.kind != "f" else None
    rows = drawn_rows(np.arange(len(y)), most, np.random.default_rng(0), codes)
    return X.take(rows), y[rows]


def fit_each(models: list[Any], X: Table, y: np.ndarray) -> None:
    """Fit the models and predict, so that what they call is compiled."""
    warnings.simplefilter("ignore")
    for model in models:
        with suppress(Exception):  # the study itself reports what fails
            model.fit(X, y)
            getattr(model, "predict_proba", model.predict)(X)
