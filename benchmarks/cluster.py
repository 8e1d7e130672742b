"""Clusterings against scikit-learn and faiss, with the quality of both."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn import cluster as sklearn_cluster
from sklearn import metrics as sklearn_metrics
from sklearn import mixture as sklearn_mixture
from sklearn.datasets import make_blobs

from benchmarks.measure import Contest, peak_memory
from probus.cluster import DBSCAN, KMeans
from probus.metrics import silhouette_score
from probus.mixture import GaussianMixture


def contests() -> Iterator[Contest]:
    """k-means, mixtures, DBSCAN, silhouette, and the memory of single linkage."""
    yield from _k_means()
    yield _mixture()
    yield from _dbscan()
    yield _silhouette()


def overlapping(n: int, d: int, k: int) -> np.ndarray:
    """Rows of k groups that overlap."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(k, d))[rng.integers(0, k, n)] * 0.5 + rng.normal(size=(n, d))


def _k_means() -> Iterator[Contest]:
    n, d, k = 200_000, 50, 100
    X = overlapping(n, d, k)
    what = f"k-means, {n:,} × {d}, k = {k}"

    def ours() -> float:
        return KMeans(k, random_state=0).fit(X).inertia_

    def theirs() -> float:
        return sklearn_cluster.KMeans(k, n_init=1, random_state=0).fit(X).inertia_

    def sums(a: float, b: float) -> str:
        return f"sums of squares {a:.6g} and {b:.6g}"

    yield Contest(what, ours, "scikit-learn", theirs, 1.5, sums, rounds=3)
    try:
        import faiss
    except ImportError:
        return
    rows = X.astype(np.float32)

    def in_faiss(iterations: int, rows_per_centre: int) -> float:
        index = faiss.Kmeans(d, k, niter=iterations, seed=0, max_points_per_centroid=rows_per_centre)
        index.train(rows)
        return float(index.index.search(rows, 1)[0].astype(np.float64).sum())

    # faiss starts from random rows and does not test for convergence: of all rows, 25 iterations leave a larger sum
    # than ours and 60 about the same; by default it uses 256 rows for each centre, whose optimum is not that of all
    for name, iterations, some in (("60 iterations", 60, n), ("25 iterations", 25, n), ("its defaults", 25, 256)):
        peer = partial(in_faiss, iterations, some)
        yield Contest(what, ours, f"faiss, {name}", peer, 1.5 if iterations == 60 else 0.0, sums, rounds=3)
    for iterations in (25, 60):
        peer = partial(in_faiss, iterations, n)
        enough = _iterations_to_reach(1.001 * peer(), X, k)
        if enough is not None:
            yield Contest(
                f"{what}, to a sum within 0.1 % of the peer's, {enough} iterations",
                lambda enough=enough: KMeans(k, random_state=0, max_iter=enough).fit(X).inertia_,
                f"faiss, {iterations} iterations",
                peer,
                1.5,
                sums,
                rounds=3,
            )


def _iterations_to_reach(target: float, X: np.ndarray, k: int) -> int | None:
    """The least ``max_iter``, roughly, with which our sum of squares is at most the target; None for none."""
    for iterations in (1, 2, 3, 5, 7, 10, 14, 20, 28, 40, 56, 80):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if KMeans(k, random_state=0, max_iter=iterations).fit(X).inertia_ <= target:
                return iterations
    return None


def _mixture() -> Contest:
    n, d, k = 200_000, 20, 10
    X = overlapping(n, d, k)
    start: dict[str, Any] = {"n_components": k, "max_iter": 20, "tol": 0.0, "means_init": X[:k], "random_state": 0}
    start |= {"weights_init": np.full(k, 1 / k), "precisions_init": np.tile(np.eye(d), (k, 1, 1))}
    return Contest(
        f"Gaussian mixture, full, {n:,} × {d}, k = {k}, 20 iterations",
        lambda: GaussianMixture(**start).fit(X).score(X[:20_000]),
        "scikit-learn",
        lambda: sklearn_mixture.GaussianMixture(**start).fit(X).score(X[:20_000]),
        2.0,
        lambda a, b: f"mean log-likelihoods {a:.5f} and {b:.5f}",
        rounds=2,
    )


def _dbscan() -> Iterator[Contest]:
    for n, d, eps in ((100_000, 3, 0.5), (50_000, 10, 2.5)):
        X = make_blobs(int(0.9 * n), d, centers=20, center_box=(-10, 10), random_state=0)[0]
        X = np.vstack([X, np.random.default_rng(1).uniform(-12, 12, size=(n - len(X), d))])
        yield Contest(
            f"DBSCAN, {n:,} × {d}",
            lambda X=X, eps=eps: DBSCAN(eps=eps, min_samples=10).fit(X).labels_,
            "scikit-learn, all cores",
            lambda X=X, eps=eps: sklearn_cluster.DBSCAN(eps=eps, min_samples=10, n_jobs=-1).fit(X).labels_,
            3.0,
            lambda a, b: f"equal labels: {np.mean(a == b):.2%}",
            rounds=3,
        )


def _silhouette() -> Contest:
    X = overlapping(30_000, 20, 10)
    labels = KMeans(10, random_state=0).fit(X).labels_
    return Contest(
        "silhouette, 30,000 × 20",
        lambda: silhouette_score(X, labels),
        "scikit-learn",
        lambda: sklearn_metrics.silhouette_score(X, labels),
        2.0,
        lambda a, b: f"difference {abs(a - b):.1e}",
        rounds=2,
    )


def single_linkage_memory() -> float:
    """Megabytes that single linkage of 30,000 × 10 needs at most, the interpreter and its imports included."""
    return peak_memory(
        "import numpy as np\nfrom probus.cluster import AgglomerativeClustering\n"
        "X = np.random.default_rng(0).normal(size=(30_000, 10))\n"
        "AgglomerativeClustering(2, linkage='single').fit(X)"
    )


if __name__ == "__main__":
    for contest in contests():
        print(contest.run())
    print(f"single linkage, 30,000 × 10: {single_linkage_memory():.0f} MB")
