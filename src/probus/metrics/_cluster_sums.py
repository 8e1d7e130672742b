"""Sums of squares within and between clusters, and agreement of two clusterings by pairs of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.data import Table
from probus.errors import DataError


def within_cluster_sum_of_squares(X: Any, labels: Any) -> float:
    r"""The sum of squared distances of the rows to the means of their clusters.

    .. math:: \mathrm{WCSS} = \sum_k \sum_{i \in k} \lVert x_i - \bar{x}_k \rVert^2

    Parameters
    ----------
    X : rows of numbers.
    labels : the cluster of each row.

    Returns
    -------
    The sum.

    >>> within_cluster_sum_of_squares([[0.0], [2.0], [9.0]], ["a", "a", "b"])
    2.0
    """
    X, codes, _, means = _group(X, labels)
    return float(((X - means[codes]) ** 2).sum())


def between_cluster_sum_of_squares(X: Any, labels: Any) -> float:
    r"""The sum of squared distances of the means of the clusters to that of all rows, each by its number of rows.

    With the sum within clusters, it is the sum of squares of all rows about their mean.

    .. math:: \mathrm{BCSS} = \sum_k n_k \lVert \bar{x}_k - \bar{x} \rVert^2

    Parameters
    ----------
    X : rows of numbers.
    labels : the cluster of each row.

    Returns
    -------
    The sum.

    >>> between_cluster_sum_of_squares([[0.0], [2.0], [4.0]], ["a", "a", "b"])
    6.0
    """
    X, _, counts, means = _group(X, labels)
    return float(counts @ ((means - X.mean(axis=0)) ** 2).sum(axis=1))


def pair_precision_score(labels_true: Any, labels_pred: Any) -> float:
    """Of the pairs of rows in one predicted cluster, the share in one true cluster; 1 where there are none.

    Parameters
    ----------
    labels_true : the true cluster of each row.
    labels_pred : the predicted cluster of each row.

    Returns
    -------
    The share, from 0 to 1.

    >>> pair_precision_score([0, 0, 1, 1], [0, 0, 0, 1])
    0.3333333333333333
    """
    both, predicted, _ = _pairs(labels_true, labels_pred)
    return both / predicted if predicted else 1.0


def pair_recall_score(labels_true: Any, labels_pred: Any) -> float:
    """Of the pairs of rows in one true cluster, the share in one predicted cluster; 1 where there are none.

    Parameters
    ----------
    labels_true : the true cluster of each row.
    labels_pred : the predicted cluster of each row.

    Returns
    -------
    The share, from 0 to 1.

    >>> pair_recall_score([0, 0, 1, 1], [0, 0, 0, 1])
    0.5
    """
    both, _, true = _pairs(labels_true, labels_pred)
    return both / true if true else 1.0


def pair_f1_score(labels_true: Any, labels_pred: Any) -> float:
    """The harmonic mean of the precision and the recall of pairs.

    Parameters
    ----------
    labels_true : the true cluster of each row.
    labels_pred : the predicted cluster of each row.

    Returns
    -------
    The share, from 0 to 1.

    >>> pair_f1_score([0, 0, 1, 1], [0, 0, 0, 1])
    0.4
    """
    both, predicted, true = _pairs(labels_true, labels_pred)
    return 2 * both / (predicted + true) if predicted + true else 1.0


def _group(X: Any, labels: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rows, the code of the cluster of each, and the number of rows and the mean of each cluster."""
    from sklearn.utils import check_array

    from probus.distances.magnitudes import check_squares

    X = check_array(X.numbers() if isinstance(X, Table) else X, dtype=np.float64)
    check_squares(X)
    labels = np.asarray(labels)
    if labels.shape != (len(X),):
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: [{len(X)}, {labels.size}]",
            "a label for each row",
        )
    codes = np.unique(labels, return_inverse=True)[1]
    counts = np.bincount(codes)
    means = np.stack([np.bincount(codes, column) for column in X.T], axis=1) / counts[:, None]
    return X, codes, counts, means


def _pairs(labels_true: Any, labels_pred: Any) -> tuple[int, int, int]:
    """The number of pairs together in both, in the predicted and in the true clusters."""
    from sklearn.metrics import pair_confusion_matrix

    (_, only_predicted), (only_true, both) = pair_confusion_matrix(labels_true, labels_pred) // 2
    return int(both), int(both + only_predicted), int(both + only_true)
