"""How well each cluster comes back when the rows are drawn again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import has_fit_parameter

from probus.data import Table
from probus.data.frames import is_frame
from probus.data.row_selection import take_rows
from probus.display import Cells, Result
from probus.display.drawing import BLUE, MUTED, new_axes, tidy
from probus.errors import DataError

__all__ = ["Stability", "drawn_rows", "fitted_labels", "rows_of", "stability"]


@dataclass(frozen=True, repr=False)
class Stability(Result):
    """The similarity of each cluster to the most similar one of each bootstrap sample.

    clusters : the labels. sizes : their rows.
    jaccard : samples × clusters, the shared rows by the rows of either; NaN where none of the cluster was drawn.
    """

    clusters: np.ndarray
    sizes: np.ndarray
    jaccard: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        """The mean of each cluster: above 0.75 it is stable, below 0.5 it dissolves (Hennig 2007)."""
        return np.nanmean(self.jaccard, axis=0)

    def _rows(self) -> list[dict[str, Any]]:
        low, high = np.nanpercentile(self.jaccard, [5, 95], axis=0)
        return [
            {
                "cluster": int(cluster), "rows": int(self.sizes[c]), "jaccard": float(self.mean[c]),
                "low": float(low[c]), "high": float(high[c]),
                "dissolved": float(np.nanmean(self.jaccard[:, c] <= 0.5)), "verdict": _verdict(self.mean[c]),
            }
            for c, cluster in enumerate(self.clusters)
        ]  # fmt: skip

    def _parts(self) -> Iterable[Any]:
        stable = int((self.mean > 0.75).sum())
        yield f"{stable} of {len(self.clusters)} clusters are stable over {len(self.jaccard)} bootstrap samples."
        rows = [
            [f"{r['cluster']}", f"{r['rows']:,}", f"{r['jaccard']:.2f} ({r['low']:.2f} to {r['high']:.2f})",
             f"{r['dissolved']:.0%}", r["verdict"]]
            for r in self._rows()
        ]  # fmt: skip
        yield Cells([["cluster", "rows", "Jaccard similarity (90 %)", "dissolved", ""], *rows], right=(0, 1))

    def plot(self, ax: Any = None) -> Any:
        """The mean similarity of each cluster with 90 % of the samples."""
        ax = new_axes(ax, 5.6, 0.8 + 0.45 * len(self.clusters))
        for place, row in enumerate(self._rows()):
            ax.plot([row["low"], row["high"]], [place, place], color=BLUE, alpha=0.4, linewidth=4)
            ax.plot(row["jaccard"], place, "o", color=BLUE)
        for limit in (0.5, 0.75):
            ax.axvline(limit, color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)))
        tidy(ax, "Stability of clusters", "Jaccard similarity", "cluster")
        ax.set_yticks(range(len(self.clusters)), [str(cluster) for cluster in self.clusters])
        ax.set_xlim(0, 1.02)
        ax.set_ylim(-0.6, len(self.clusters) - 0.4)
        return ax


def stability(model: Any, X: Any, *, n_bootstrap: int = 50, random_state: Any = 0) -> Stability:
    """How well each cluster of a model comes back in bootstrap samples of the rows (Hennig 2007).

    The model is fitted to all rows and to each sample; a cluster's similarity is that of its drawn rows to the most
    similar cluster of the sample. Noise (−1) is no cluster.

    Parameters
    ----------
    model : a clustering, unfitted
    X : its input
    n_bootstrap : the number of samples
    random_state : the seed of the samples

    >>> from probus.cluster import KMeans
    >>> X = [[0.0], [0.1], [0.2], [0.3], [9.0], [9.1], [9.2], [9.3]]
    >>> stability(KMeans(2, random_state=0), X, n_bootstrap=10).mean
    array([1., 1.])
    """
    rows = rows_of(X)
    labels = fitted_labels(model, rows)
    clusters = np.unique(labels[labels >= 0])
    if not len(clusters):
        raise DataError("the model finds no cluster: every row is noise.", "at least one cluster")
    found = []
    for drawn, counts in drawn_rows(len(labels), n_bootstrap, random_state):
        again = fitted_labels(model, take_rows(rows, drawn), counts)
        found.append([_best_match(labels[drawn] == cluster, again) for cluster in clusters])
    sizes = np.array([(labels == cluster).sum() for cluster in clusters])
    return Stability(clusters, sizes, np.array(found))


def rows_of(X: Any) -> Any:
    """Rows that can be taken by number: a Table, or an array."""
    if isinstance(X, Table) or type(X) is dict or is_frame(X):
        return Table.of(X, infer=False)
    return X if hasattr(X, "tocsr") else np.asarray(X)


def drawn_rows(n: int, samples: int, random_state: Any) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The distinct rows of each bootstrap sample, and how often each was drawn."""
    random = check_random_state(random_state)
    for _ in range(samples):
        yield np.unique(random.randint(0, n, n), return_counts=True)


def fitted_labels(model: Any, rows: Any, counts: np.ndarray | None = None) -> np.ndarray:
    """The labels of a fresh fit; how often rows were drawn are their weights, where the model takes weights."""
    fresh = clone(model)
    if counts is not None and has_fit_parameter(fresh, "sample_weight"):
        return np.asarray(fresh.fit_predict(rows, sample_weight=counts.astype(np.float64)))
    return np.asarray(fresh.fit_predict(rows))


def _best_match(inside: np.ndarray, labels: np.ndarray) -> float:
    """The Jaccard similarity of a set of rows to the most similar cluster."""
    if not inside.any():
        return np.nan
    others = [labels == other for other in np.unique(labels[labels >= 0])]
    return max((float((inside & other).sum() / (inside | other).sum()) for other in others), default=0.0)


def _verdict(similarity: float) -> str:
    if similarity > 0.75:
        return "stable"
    return "a pattern, its rows doubtful" if similarity > 0.6 else "doubtful" if similarity > 0.5 else "dissolves"
