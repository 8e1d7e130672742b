"""All distances between two sets of rows, as a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn import metrics

from probus.data import Table
from probus.distances.gower import gower_distances

__all__ = ["pairwise_distances"]


def pairwise_distances(
    X: Any, Y: Any = None, metric: Any = "euclidean", *, n_jobs: int | None = None, **params: Any
) -> np.ndarray:
    """The distance of every row of X to every row of Y (to X itself when None).

    ``metric="gower"`` measures typed tables, with ``weights`` and ``asymmetric`` as further parameters; any other is
    scikit-learn's of that name (``"minkowski"`` with ``p`` and ``w``, ``"chebyshev"``, ``"hamming"``, which is one
    less simple matching, ``"jaccard"``, ``"cosine"``, a callable, …).

    >>> pairwise_distances([[0, 0]], [[3, 4]], metric="chebyshev")
    array([[4.]])
    >>> pairwise_distances({"sex": ["m", "w"], "age": [20, 60]}, metric="gower")
    array([[0., 1.],
           [1., 0.]])
    """
    if metric == "gower":
        return gower_distances(X, Y, n_jobs=n_jobs, **params)
    X, Y = (data.numbers() if isinstance(data, Table) else data for data in (X, Y))
    return metrics.pairwise_distances(X, Y, metric, n_jobs=n_jobs, **params)
