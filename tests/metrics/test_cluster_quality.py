"""Silhouettes as scikit-learn's and by definition, sums of squares, and pairs of rows."""

from itertools import combinations

import numpy as np
import pytest
from sklearn import metrics as sklearn_metrics

from probus import metrics
from probus.data import Table
from probus.distances import gower_distances
from probus.errors import DataError


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, 700)
    labels[0] = 9  # a cluster of one row
    return np.abs(rng.normal(size=(700, 3)) + labels[:, None]) + 100.0, labels


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "canberra", "minkowski"])
def test_silhouettes_are_those_of_scikit_learn(rows, metric):
    X, labels = rows
    how = {"metric": metric, **({"p": 3} if metric == "minkowski" else {})}
    expected = sklearn_metrics.silhouette_samples(X, labels, **how)
    np.testing.assert_allclose(metrics.silhouette_samples(X, labels, **how), expected, atol=1e-9)
    assert metrics.silhouette_score(X, labels, **how) == pytest.approx(expected.mean())


def test_silhouettes_of_distances_and_of_mixed_rows(rows):
    X, labels = rows
    colours = np.array(list("rgby"))[np.minimum(labels, 3)]
    table = Table.of({"x": np.where(X[:, 0] > 103, np.nan, X[:, 0]), "y": X[:, 1], "colour": colours})
    expected = sklearn_metrics.silhouette_samples(gower_distances(table), labels, metric="precomputed")
    for given, metric in ((table, "gower"), (gower_distances(table), "precomputed")):
        np.testing.assert_allclose(metrics.silhouette_samples(given, labels, metric=metric), expected, atol=1e-9)
    assert -1 < metrics.silhouette_score(table, labels, metric="gower", sample_size=50, random_state=0) < 1


def test_equal_rows_have_a_silhouette_of_zero():
    np.testing.assert_array_equal(metrics.silhouette_samples(np.ones((6, 2)), [0, 0, 0, 1, 1, 1]), np.zeros(6))


@pytest.mark.parametrize("labels", [[0, 0, 0], [0, 1, 2]])
def test_one_cluster_or_only_single_rows_are_refused(labels):
    with pytest.raises(DataError, match="Valid values are 2 to n_samples - 1"):
        metrics.silhouette_score([[0.0], [1.0], [2.0]], labels)


def test_labels_of_another_length_are_refused():
    with pytest.raises(DataError, match=r"inconsistent numbers of samples: \[3, 2\]"):
        metrics.silhouette_score([[0.0], [1.0], [2.0]], [0, 1])
    with pytest.raises(DataError, match=r"inconsistent numbers of samples: \[3, 2\]"):
        metrics.within_cluster_sum_of_squares([[0.0], [1.0], [2.0]], [0, 1])


def test_sums_within_and_between_are_the_total(rows):
    X, labels = rows
    within = metrics.within_cluster_sum_of_squares(X, labels)
    between = metrics.between_cluster_sum_of_squares(X, labels)
    assert within + between == pytest.approx(((X - X.mean(axis=0)) ** 2).sum())
    expected = sum(((X[labels == k] - X[labels == k].mean(axis=0)) ** 2).sum() for k in set(labels))
    assert within == pytest.approx(expected)
    k, n = len(set(labels)), len(X)
    assert between / within * (n - k) / (k - 1) == pytest.approx(metrics.calinski_harabasz_score(X, labels))


def test_pairs_are_counted_one_by_one():
    rng = np.random.default_rng(3)
    true, found = rng.integers(0, 3, 20), rng.integers(0, 4, 20)
    pairs = [(true[a] == true[b], found[a] == found[b]) for a, b in combinations(range(20), 2)]
    both, of_true, of_found = (sum(map(rule, pairs)) for rule in (all, lambda p: p[0], lambda p: p[1]))
    assert metrics.pair_precision_score(true, found) == pytest.approx(both / of_found)
    assert metrics.pair_recall_score(true, found) == pytest.approx(both / of_true)
    assert metrics.pair_f1_score(true, found) == pytest.approx(2 * both / (of_true + of_found))
    assert metrics.pair_f1_score([0, 1], [1, 0]) == 1.0  # no pairs at all
