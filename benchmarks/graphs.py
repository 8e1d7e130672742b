"""Columns by kind: a graph against scikit-learn's ColumnTransformer on the same frame, with the same model after it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks.measure import Contest
from probus.naive_bayes import GaussianNB
from probus.pipeline import by_kind, union
from probus.preprocessing import TableEncoder

ROWS = (2_000, 200_000)
NUMBERS, LEVELS = 10, 5


def contests() -> Iterator[Contest]:
    for n in ROWS:
        frame, y = _data(n)
        numbers, levels = list(frame.columns[:NUMBERS]), list(frame.columns[NUMBERS:])
        parts = [("n", StandardScaler(), numbers), ("l", OneHotEncoder(sparse_output=False), levels)]
        ours = by_kind(numeric=StandardScaler(), rest=TableEncoder()) >> union() >> GaussianNB()
        theirs = make_pipeline(ColumnTransformer(parts), GaussianNB())
        row = frame[:1]
        yield Contest(
            f"graph by kind, {n:,} × {NUMBERS + LEVELS}, fit and predict",
            lambda ours=ours, frame=frame, y=y: ours.fit(frame, y).predict_proba(frame),
            "ColumnTransformer",
            lambda theirs=theirs, frame=frame, y=y: theirs.fit(frame, y).predict_proba(frame),
            1.0,
            _difference,
        )
    yield Contest(
        "graph by kind, one-row predict",
        lambda: ours.predict_proba(row),
        "ColumnTransformer",
        lambda: theirs.predict_proba(row),
        1.0,
        _difference,
        repeat=50,
    )


def _data(n: int) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    columns: dict[str, Any] = {f"x{j}": rng.normal(size=n) for j in range(NUMBERS)}
    names = np.array([f"level {i}" for i in range(6)])
    columns |= {f"c{j}": pd.Categorical(names[rng.integers(6, size=n)]) for j in range(LEVELS)}
    return pd.DataFrame(columns), (columns["x0"] + rng.normal(size=n) > 0).astype(int)


def _difference(ours: np.ndarray, theirs: np.ndarray) -> str:
    return f"probabilities differ by {np.abs(ours - theirs).max():.0e}"
