"""All distances between two sets of rows, as a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.data import Table
from probus.distances._registry import distance_of


def pairwise_distances(
    X: Any, Y: Any = None, metric: Any = "euclidean", *, n_jobs: int | None = None, **params: Any
) -> np.ndarray:
    """The distance of every row of X to every row of Y (to X itself where None).

    ``metric="gower"`` measures typed tables, with ``weights`` and ``asymmetric`` as further parameters, and
    ``metric="hellinger"`` rows of shares. Any other is scikit-learn's of that name (``"minkowski"`` with ``p`` and
    ``w``, ``"chebyshev"``, ``"hamming"``, which is one less simple matching, ``"jaccard"``, a callable, …).

    Parameters
    ----------
    X : the rows.
    Y : other rows with the same columns; None is X.
    metric : the name of a distance, or a function of two rows.
    n_jobs : the number of jobs that run in parallel; the result does not depend on it.
    params : parameters of the metric.

    Returns
    -------
    The distances, rows of X × rows of Y.

    >>> pairwise_distances([[0, 0]], [[3, 4]], metric="chebyshev")
    array([[4.]])
    >>> pairwise_distances({"sex": ["m", "w"], "age": [20, 60]}, metric="gower")
    array([[0., 1.],
           [1., 0.]])
    """
    from sklearn import metrics

    distance = distance_of(metric)
    if not distance.typed:
        X, Y = (data.numbers() if isinstance(data, Table) else data for data in (X, Y))
    if distance.own:
        return distance.pairs(X, Y, n_jobs, **params)
    return metrics.pairwise_distances(X, Y, metric, n_jobs=n_jobs, **params)
