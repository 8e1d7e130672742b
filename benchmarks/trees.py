"""Decision trees against scikit-learn."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import tree as sklearn_tree
from sklearn.datasets import load_iris
from sklearn.preprocessing import OneHotEncoder

from benchmarks.measure import Contest
from probus import datasets, tree

# UCI's census income data as parquet: all 48,842 rows where this folder has them, else the 8,000 that are bundled
ADULT = Path(os.environ.get("PROBUS_BENCH_DATA", "")) / "adult.parquet"


def contests() -> Iterator[Contest]:
    yield from growing(100_000, 28, goal=6.0, rounds=3)
    yield from growing(1_000_000, 10, goal=5.0, rounds=2)
    yield iris()
    yield from adult()
    yield predicting()


def made(n: int, d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers, two classes and a number to predict; five columns add up, two interact, the rest is noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    signal = X[:, :5].sum(axis=1) + X[:, 5] * X[:, 6]
    return X, (signal + 2.0 * rng.normal(size=n) > 0).astype(int), signal + rng.normal(size=n)


def compared(ours: Any, theirs: Any, scores: list[float]) -> str:
    leaves = f"leaves {ours.get_n_leaves():,} and {theirs.get_n_leaves():,}"
    return f"test score {scores[0]:.4f} and {scores[1]:.4f}, {leaves}"


def growing(n: int, d: int, goal: float, rounds: int) -> Iterator[Contest]:
    X, y, z = made(n + n // 5, d)
    train, test = slice(0, n), slice(n, None)
    for name, target in (("DecisionTreeClassifier", y), ("DecisionTreeRegressor", z)):
        ours, theirs = getattr(tree, name), getattr(sklearn_tree, name)

        def quality(a: Any, b: Any, target: np.ndarray = target) -> str:
            return compared(a, b, [model.score(X[test], target[test]) for model in (a, b)])

        yield Contest(
            f"{name}, fully grown, {n:,} × {d}",
            lambda ours=ours, target=target: ours().fit(X[train], target[train]),
            "scikit-learn",
            lambda theirs=theirs, target=target: theirs(random_state=0).fit(X[train], target[train]),
            goal,
            quality,
            rounds=rounds,
        )


def iris() -> Contest:
    X, y = load_iris(return_X_y=True)
    return Contest(
        "DecisionTreeClassifier on iris, 150 × 4",
        lambda: tree.DecisionTreeClassifier().fit(X, y),
        "scikit-learn",
        lambda: sklearn_tree.DecisionTreeClassifier(random_state=0).fit(X, y),
        1.0,
        lambda a, b: f"leaves {a.get_n_leaves()} and {b.get_n_leaves()}",
        repeat=100,
    )


def adult() -> Iterator[Contest]:
    """Nominal columns as they are against the one-hot matrix, grown to the same number of leaves."""
    import polars as pl

    frame = pl.read_parquet(ADULT) if ADULT.exists() else datasets.load("adult").to_polars()
    y = frame["class"].cast(pl.String).to_numpy()
    X = frame.drop("class")
    numbers = [name for name, dtype in X.schema.items() if dtype.is_numeric()]
    levels = [name for name in X.columns if name not in numbers]
    X = X.with_columns(pl.col(levels).cast(pl.String).fill_null("?").cast(pl.Categorical))
    coder = OneHotEncoder(sparse_output=False, handle_unknown="ignore")
    one_hot = np.hstack([X.select(numbers).to_numpy(), coder.fit_transform(X.select(levels).to_pandas().astype(str))])
    train = np.arange(len(y)) % 3 != 0
    typed, typed_test = X.filter(pl.Series(train)), X.filter(pl.Series(~train))

    def quality(a: Any, b: Any) -> str:
        return compared(a, b, [a.score(typed_test, y[~train]), b.score(one_hot[~train], y[~train])])

    for limit in ({"max_leaf_nodes": 100}, {}):
        what = "100 leaves" if limit else "fully grown"
        yield Contest(
            f"DecisionTreeClassifier, adult, {len(typed):,} rows, nominal columns, {what}; peer on the one-hot matrix",
            lambda limit=limit: tree.DecisionTreeClassifier(**limit).fit(typed, y[train]),
            "scikit-learn",
            lambda limit=limit: sklearn_tree.DecisionTreeClassifier(random_state=0, **limit).fit(
                one_hot[train], y[train]
            ),
            3.0,
            quality,
            rounds=3,
        )


def predicting() -> Contest:
    X, y, _ = made(1_000_000, 10)
    ours = tree.DecisionTreeClassifier(max_depth=12).fit(X[:100_000], y[:100_000])
    theirs = sklearn_tree.DecisionTreeClassifier(max_depth=12, random_state=0).fit(X[:100_000], y[:100_000])
    return Contest(
        "DecisionTreeClassifier.predict, 1,000,000 × 10 at depth 12",
        lambda: ours.predict(X),
        "scikit-learn",
        lambda: theirs.predict(X),
        2.0,
        lambda a, b: f"equal {np.mean(a == b):.3%}",
    )
