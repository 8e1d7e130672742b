"""k-NN against scikit-learn, Gower k-NN against the package ``gower``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn import neighbors as sklearn_neighbors

from benchmarks.measure import Contest, peak_memory
from probus.data import Table
from probus.neighbors import KNeighborsClassifier, NearestNeighbors

K = 5


def contests() -> Iterator[Contest]:
    rng = np.random.default_rng(0)
    for d in (10, 100):
        X, queries = rng.normal(size=(50_000, d)), rng.normal(size=(10_000, d))
        y = (X[:, :5].sum(axis=1) > 0).astype(int)
        yield from _knn(X, y, queries)
    yield _gower(20_000)


def _knn(X: np.ndarray, y: np.ndarray, queries: np.ndarray) -> Iterator[Contest]:
    n, d = X.shape
    ours = KNeighborsClassifier(K).fit(X, y)
    algorithms = ("brute", "kd_tree") if d <= 10 else ("brute",)
    for algorithm in algorithms:
        theirs = sklearn_neighbors.KNeighborsClassifier(K, algorithm=algorithm, n_jobs=-1).fit(X, y)
        yield Contest(
            f"k-NN predict, {n:,} × {d}, {len(queries):,} queries",
            lambda: ours.predict(queries),
            f"scikit-learn, {algorithm}",
            lambda theirs=theirs: theirs.predict(queries),
            1.3,
            lambda a, b: f"equal answers: {np.mean(a == b):.2%}",
        )


def mixed(n: int) -> dict[str, np.ndarray]:
    """Ten columns, five numeric and five nominal."""
    rng = np.random.default_rng(1)
    numbers = {f"n{j}": rng.normal(size=n) for j in range(5)}
    return numbers | {f"c{j}": rng.choice(list("abcdefgh"), n) for j in range(5)}


def _gower(n: int) -> Contest:
    import gower
    import pandas as pd

    data = mixed(n)
    table = Table.of(data, infer=False)
    frame = pd.DataFrame(data).astype({name: object for name in data if name[0] == "c"})

    def theirs() -> np.ndarray:
        matrix = gower.gower_matrix(frame)
        near = np.argpartition(matrix, K, axis=1)[:, : K + 1]
        return np.sort(np.take_along_axis(matrix, near, axis=1), axis=1)[:, 1:]

    def ours() -> np.ndarray:
        return NearestNeighbors(n_neighbors=K, metric="gower").fit(table).kneighbors()[0]

    memory = peak_memory(
        "from benchmarks.neighbours import *\n"
        f"NearestNeighbors(n_neighbors=5, metric='gower').fit(Table.of(mixed({n}), infer=False)).kneighbors()"
    )
    return Contest(
        f"Gower k-NN, {n:,} × 10 mixed rows, all against all",
        ours,
        "gower + argpartition",
        theirs,
        20.0,
        lambda a, b: (
            f"largest difference of distances {np.abs(a - b).max():.0e}; our process at its peak {memory:.0f} MB"
        ),
        rounds=1,  # the peer needs minutes
    )
