"""Whether clusters are divided by a gap: fewer rows between two than within either."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import squareform

from probus.cluster._fresh_fits import are_distances, prepared, taken
from probus.distances import pairwise_distances

GAP = 1.15  # times the steps within clusters: chosen on the shapes of docs/clusters.md, judged on others
_NEIGHBOURS = 4
_CORE = 0.8  # of the rows of a cluster, without those at its edge
_MOST_ROWS = 400
_FAR_NEIGHBOURS = 8
_CURVE, _OF_CURVE = 1.2, 0.48  # local dimensions up to which rows are on a curve, and how much larger its gaps are
_FEWEST = 5  # rows of a cluster that can be said to be apart from others


def gap_ratios(D: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """For each label, in order, the largest step to the nearest other cluster by that within the two clusters.

    A step is a mutual reachability distance (Campello, Moulavi and Sander 2013): that of two rows, or to the fourth
    neighbour of either if it is larger. The largest step of the path with the shortest ones is compared: from the core
    of one cluster to that of another, and between most rows within each. About 1 where clusters divide what is
    connected, of whatever shape; more, where there is a gap between them. 0 for clusters of fewer than five rows, with
    which none is compared, and infinite for a single cluster. Rows on a curve have larger gaps by chance than rows that
    fill an area: with fewer than two local dimensions ratios are divided by up to 1.48.

    D : float64[n, n], all distances known. labels : int[n], −1 for rows of no cluster.
    """
    n = len(D)
    clusters = np.unique(labels[labels >= 0])
    neighbour = np.partition(D, min(_NEIGHBOURS, n - 1), axis=1)[:, min(_NEIGHBOURS, n - 1)]
    reach = np.maximum(D, np.maximum.outer(neighbour, neighbour))
    np.fill_diagonal(reach, 0.0)
    steps = _largest_steps(reach)
    if len(clusters) < 2:
        return np.full(len(clusters), np.inf)
    members = [np.flatnonzero(labels == cluster) for cluster in clusters]
    inner, cores = zip(*(_core(reach, rows) for rows in members), strict=True)
    large = [a for a, rows in enumerate(members) if len(rows) >= _FEWEST]
    ratios = np.zeros(len(clusters))
    ratios[large] = np.inf if len(large) > 1 else 0.0
    for place, a in enumerate(large):
        for b in large[:place]:
            between, within = steps[np.ix_(cores[a], cores[b])].min(), max(inner[a], inner[b])
            ratio = between / within if within > 0 else np.inf * between if between > 0 else 0.0
            ratios[[a, b]] = np.minimum(ratios[[a, b]], ratio)
    return ratios / _of_chance(D, neighbour)


def gaps_of(model: Any, rows: Any, labels: np.ndarray) -> np.ndarray:
    """The gap ratios of the clusters of a model, unfitted, by its own distance; of a sample where the rows are many.

    rows : the input of the model, as ``rows_of`` returns it.
    """
    clusters = np.unique(labels[labels >= 0])
    chosen = np.arange(len(labels))
    if len(labels) > _MOST_ROWS:
        chosen = np.sort(np.random.default_rng(0).choice(chosen, _MOST_ROWS, replace=False))
    last, ready = prepared(model, rows)
    some = taken(last, ready, chosen)
    if are_distances(last):
        D = np.array(some, dtype=np.float64)
    else:
        named = getattr(last, "metric", None) or "euclidean"
        D = pairwise_distances(some, metric=named, **(getattr(last, "metric_params", None) or {}))
    D[np.isnan(D)] = np.nanmax(D, initial=0.0)  # of rows without any value in common
    np.fill_diagonal(D, 0.0)
    ratios = np.zeros(len(clusters))  # of clusters without a row in the sample
    drawn = labels[chosen]
    ratios[np.isin(clusters, drawn)] = gap_ratios(D, drawn)
    return ratios


def _largest_steps(reach: np.ndarray) -> np.ndarray:
    """The largest step of the path between two rows whose largest step is smallest."""
    if len(reach) < 2:
        return np.zeros_like(reach)
    return squareform(cophenet(linkage(squareform(reach, checks=False), "single")))


def _of_chance(D: np.ndarray, near: np.ndarray) -> float:
    """How much larger the gaps of a connected cloud are than those of an area, by its local dimensions.

    These are log 2 / mean log (d₈ / d₄), with d the distances to the eighth and to the fourth neighbour (Levina and
    Bickel 2004).
    """
    if len(D) <= _FAR_NEIGHBOURS:
        return 1.0
    far = np.partition(D, _FAR_NEIGHBOURS, axis=1)[:, _FAR_NEIGHBOURS]
    growth = np.log(far[near > 0] / near[near > 0])
    if not growth.any():
        return 1.0
    dimensions = np.log(_FAR_NEIGHBOURS / _NEIGHBOURS) / float(np.median(growth) or growth.mean())
    return 1.0 + _OF_CURVE * float(np.clip((2.0 - dimensions) / (2.0 - _CURVE), 0.0, 1.0))


def _core(reach: np.ndarray, rows: np.ndarray) -> tuple[float, np.ndarray]:
    """The largest step that connects most rows of a cluster, and which rows these are."""
    steps = _largest_steps(reach[np.ix_(rows, rows)])
    levels = np.quantile(steps, _CORE, axis=1)
    centre = int(levels.argmin())
    return float(levels[centre]), rows[steps[centre] <= levels[centre]]
