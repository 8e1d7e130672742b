"""How well each cluster comes back when the rows are drawn again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.cluster._fresh_fits import (
    are_distances,
    drawn_rows,
    fitted_labels,
    rows_of,
    taken,
    without_convergence_warnings,
)
from probus.cluster._gaps import GAP, gaps_of
from probus.data import Table
from probus.display import Cells, Result, percent
from probus.display.drawing import BLUE, MUTED, new_axes, tidy
from probus.errors import DataError


@dataclass(frozen=True, repr=False)
class Stability(Result):
    """The similarity of each cluster to the most similar one of each bootstrap sample.

    Attributes
    ----------
    clusters : the labels.
    sizes : their rows.
    jaccard : samples × clusters, the shared rows by the rows of either; NaN where none of the cluster was drawn.
    split : whether a cluster has rows that are identical to rows of another: then the order of the rows decides which
        it has, and its similarity means nothing.
    gap : the largest step from each cluster to the nearest other, divided by that between most rows of either. It is
        about 1 or less where a cluster is a part of what is connected: the parts of a ball or a cone come back, too.
    """

    clusters: np.ndarray
    sizes: np.ndarray
    jaccard: np.ndarray
    split: np.ndarray
    gap: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        """The mean of each cluster: above 0.75 it is stable, below 0.5 it dissolves (Hennig 2007)."""
        return np.nanmean(self.jaccard, axis=0)

    @property
    def stable(self) -> np.ndarray:
        """Which clusters are: of a mean above 0.75, with a gap to others, and not of rows that others have too."""
        return (self.mean > 0.75) & ~self.split & (self.gap >= GAP)

    def _verdict(self, c: int) -> str:
        if self.split[c]:
            return "arbitrary: identical rows are split"
        if self.stable[c]:
            return "stable"
        mean = self.mean[c]
        if mean > 0.75:
            return "comes back, without a gap to others"
        return "a pattern, its rows doubtful" if mean > 0.6 else "doubtful" if mean > 0.5 else "dissolves"

    def _rows(self) -> list[dict[str, Any]]:
        low, high = np.nanpercentile(self.jaccard, [5, 95], axis=0)
        return [
            {
                "cluster": int(cluster), "rows": int(self.sizes[c]), "jaccard": float(self.mean[c]),
                "low": float(low[c]), "high": float(high[c]),
                "gap": float(self.gap[c]), "dissolved": float(np.nanmean(self.jaccard[:, c] <= 0.5)),
                "verdict": self._verdict(c),
            }
            for c, cluster in enumerate(self.clusters)
        ]  # fmt: skip

    def _parts(self) -> Iterable[Any]:
        stable, samples = int(self.stable.sum()), len(self.jaccard)
        yield f"{stable} of {len(self.clusters)} clusters are stable over {samples} bootstrap samples."
        rows = [
            [f"{r['cluster']}", f"{r['rows']:,}", f"{r['jaccard']:.2f} ({r['low']:.2f} to {r['high']:.2f})",
             percent(r['dissolved']), f"{r['gap']:.2f}", r["verdict"]]
            for r in self._rows()
        ]  # fmt: skip
        yield Cells([["cluster", "rows", "Jaccard similarity (90 %)", "dissolved", "gap", ""], *rows], right=(0, 1))

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
    similar cluster of the sample. Noise (−1) is no cluster. Clusters that split identical rows, as they must where
    there are fewer distinct rows than clusters, are not stable, even if they are similar. Neither are clusters without
    a gap to the next one, which divide what is connected.

    Parameters
    ----------
    model : a clustering, unfitted, or a pipeline that ends with one, such as ``tabular(KMeans(3))``
    X : its input
    n_bootstrap : the number of samples
    random_state : the seed of the samples

    Returns
    -------
    The mean similarity of each cluster, and which are stable.

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
    with without_convergence_warnings():
        for drawn, counts in drawn_rows(len(labels), n_bootstrap, random_state):
            again = fitted_labels(model, taken(model, rows, drawn), counts)
            found.append([_best_match(labels[drawn] == cluster, again) for cluster in clusters])
    sizes = np.array([(labels == cluster).sum() for cluster in clusters])
    identical = _identical(rows, are_distances(model))
    shared = [
        np.isin(identical[labels == cluster], identical[(labels >= 0) & (labels != cluster)]).any()
        for cluster in clusters
    ]
    return Stability(clusters, sizes, np.array(found), np.array(shared), gaps_of(model, rows, labels))


def _best_match(inside: np.ndarray, labels: np.ndarray) -> float:
    """The Jaccard similarity of a set of rows to the most similar cluster."""
    if not inside.any():
        return np.nan
    others = [labels == other for other in np.unique(labels[labels >= 0])]
    return max((float((inside & other).sum() / (inside | other).sum()) for other in others), default=0.0)


def _identical(rows: Any, distances: bool) -> np.ndarray:
    """A number for each row, equal for identical rows."""
    if distances:
        return (np.asarray(rows) == 0).argmax(axis=1)
    if isinstance(rows, Table):
        keys: Iterable[Any] = zip(*rows.to_dict().values(), strict=True)
    else:
        keys = map(tuple, (rows.toarray() if hasattr(rows, "tocsr") else rows).tolist())
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(key, len(numbers)) for key in keys])
