"""Selection of columns against scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn import feature_selection as theirs

from benchmarks.measure import Contest
from probus import feature_selection as ours

_ROWS, _COLUMNS = 100_000, 50


def contests() -> Iterator[Contest]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(_ROWS, _COLUMNS))
    numbers = X[:, :5].sum(axis=1) + rng.normal(size=_ROWS)
    labels = np.digitize(numbers, [-1.0, 1.0])
    table = f"{_ROWS:,} × {_COLUMNS}"
    yield Contest(
        f"mutual information with 3 classes, {table}",
        lambda: ours.mutual_info_classif(X, labels, random_state=0),
        "scikit-learn",
        lambda: theirs.mutual_info_classif(X, labels, random_state=0, n_jobs=-1),
        5.0,
        furthest,
        rounds=2,
    )
    yield Contest(
        f"mutual information with numbers, {_ROWS // 5:,} × {_COLUMNS}",
        lambda: ours.mutual_info_regression(X[: _ROWS // 5], numbers[: _ROWS // 5], random_state=0),
        "scikit-learn",
        lambda: theirs.mutual_info_regression(X[: _ROWS // 5], numbers[: _ROWS // 5], random_state=0, n_jobs=-1),
        1.0,
        furthest,
        rounds=2,
    )


def furthest(a: np.ndarray, b: np.ndarray) -> str:
    return f"furthest value {np.abs(a - b).max():.0e}"
