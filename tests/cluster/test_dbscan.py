"""DBSCAN: by brute force and as scikit-learn and R, for every distance; the choice of a radius; bad input."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn import cluster as sklearn_cluster
from sklearn import metrics as sklearn_metrics
from sklearn.datasets import load_iris

from probus.anomaly import KNearestDistance, LocalOutlierFactor
from probus.cluster import DBSCAN, AgglomerativeClustering, DivisiveClustering, KMedoids, dbscan, suggest_eps
from probus.cluster import _density_tree as density_tree
from probus.cluster._density_tree import join
from probus.distances import pairwise_distances
from probus.errors import DataError
from probus.metrics import silhouette_score


@given(
    seed=st.integers(0, 10**6),
    eps=st.sampled_from([0.05, 0.3, 1.0, 2.0, 30.0]),
    metric=st.sampled_from(["euclidean", "manhattan", "chebyshev", "minkowski"]),
    min_samples=st.integers(1, 8),
)
@settings(max_examples=40, deadline=None)
def test_labels_are_those_of_scikit_learn(seed, eps, metric, min_samples):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(1, 200), rng.integers(1, 5)
    X = rng.normal(size=(n, d)).round(1) + 4 * rng.integers(0, 2, size=(n, 1))  # with ties and border rows
    weights = rng.integers(1, 3, n)
    how = {"eps": eps, "min_samples": min_samples, "metric": metric, "p": 3}
    ours, theirs = (module(**how).fit(X, sample_weight=weights) for module in (DBSCAN, sklearn_cluster.DBSCAN))
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_array_equal(ours.core_sample_indices_, theirs.core_sample_indices_)
    np.testing.assert_array_equal(ours.components_, theirs.components_)


def test_labels_and_core_rows_are_those_of_r(arrests):
    # R 4.2.2, dbscan 1.1.11: dbscan(scale(USArrests), eps = 1, minPts = 4)$cluster, where noise is 0; is.corepoint(…)
    model = DBSCAN(eps=1, min_samples=4).fit(arrests)
    labels = "10020020000202222120202022202200022222212102222222"
    np.testing.assert_array_equal(model.labels_ + 1, [int(label) for label in labels])
    assert len(model.core_sample_indices_) == 21


# R 4.2.2, dbscan 1.1.11: table(dbscan(iris[1:4], eps, minPts = 5)$cluster), sum(is.corepoint(iris[1:4], eps, 5))
@pytest.mark.parametrize(
    ("eps", "sizes", "core"), [(0.4, [32, 46, 36, 14, 22], 89), (0.5, [17, 49, 84], 117), (0.6, [9, 49, 92], 132)]
)
def test_sizes_of_clusters_are_those_of_r(eps, sizes, core):
    model = DBSCAN(eps=eps, min_samples=5).fit(load_iris().data)
    assert np.bincount(model.labels_ + 1).tolist() == sizes
    assert len(model.core_sample_indices_) == core


def test_distances_of_neighbours_and_local_outlier_factors_are_those_of_r(arrests):
    # R 4.2.2, dbscan 1.1.11: kNNdist(scale(USArrests), k = 4); lof(scale(USArrests), minPts = 6), the row included
    distances = -KNearestDistance(4).fit(arrests).training_scores_
    np.testing.assert_allclose(distances[:3], [1.13143510537, 2.32651868895, 1.194090592], rtol=1e-10)
    assert distances.sum() == pytest.approx(58.4197893501)
    factors = -LocalOutlierFactor(5).fit(arrests).negative_outlier_factor_
    expected = [1.0021629627, 1.60486986912, 0.981000099502, 1.13465469682, 1.10157293255, 1.08349989139]
    np.testing.assert_allclose(factors[:6], expected, rtol=1e-9)
    assert factors.mean() == pytest.approx(1.08158034564)


@pytest.mark.parametrize("d", [2, 9])
def test_trees_of_several_levels_give_the_labels_of_scikit_learn(d):
    rng = np.random.default_rng(d)
    X = np.vstack([rng.normal(size=(1500, d)) + 6 * rng.integers(0, 3, size=(1500, 1)), rng.uniform(-9, 21, (500, d))])
    X[::5] = X[0]
    for eps, min_samples in ((0.5 * d**0.5, 8), (0.5 * d**0.5, 450), (50.0, 2001)):
        ours = DBSCAN(eps=eps, min_samples=min_samples).fit(X)
        theirs = sklearn_cluster.DBSCAN(eps=eps, min_samples=min_samples).fit(X)
        np.testing.assert_array_equal(ours.labels_, theirs.labels_)
        np.testing.assert_array_equal(ours.core_sample_indices_, theirs.core_sample_indices_)


def test_duplicates_are_joined_without_comparing_all_of_them(monkeypatch):
    X = np.random.default_rng(0).normal(size=(6000, 2)) * 5
    X[::2] = X[0]
    measured = []
    monkeypatch.setattr(density_tree, "join", lambda *arrays: measured.append(join(*arrays)))
    labels = DBSCAN(eps=0.5).fit(X).labels_
    assert measured[0] < 4 * 6000  # leaves; a leaf of duplicates is near to 3,000 rows
    np.testing.assert_array_equal(labels, sklearn_cluster.DBSCAN(eps=0.5).fit(X).labels_)


@pytest.fixture(scope="module")
def shares():
    rng = np.random.default_rng(0)
    return np.abs(rng.normal(size=(120, 3))) + 3 * np.eye(3)[rng.integers(0, 3, 120)]


@pytest.mark.parametrize(
    ("metric", "eps"), [("cosine", 0.01), ("hellinger", 0.2), ("gower", 0.04), ("canberra", 0.3), ("sqeuclidean", 0.3)]
)
def test_every_distance_gives_the_labels_of_its_matrix(shares, metric, eps):
    D = pairwise_distances(shares, metric=metric)
    expected = sklearn_cluster.DBSCAN(eps=eps, metric="precomputed").fit(D).labels_
    assert len(set(expected)) > 2
    np.testing.assert_array_equal(DBSCAN(eps=eps, metric=metric).fit(shares).labels_, expected)
    np.testing.assert_array_equal(DBSCAN(eps=eps, metric="precomputed").fit(D).labels_, expected)


def test_sparse_rows_and_sparse_distances_give_the_labels_of_dense_ones(shares):
    expected = DBSCAN(eps=0.4).fit(shares)
    np.testing.assert_array_equal(DBSCAN(eps=0.4).fit(sparse.csr_array(shares)).labels_, expected.labels_)
    D = cdist(shares, shares)
    near = sparse.csr_array(np.where(D <= 0.6, D, 0.0))
    np.testing.assert_array_equal(DBSCAN(eps=0.4, metric="precomputed").fit(near).labels_, expected.labels_)


def test_blocks_give_the_labels_of_the_tree(shares, monkeypatch):
    monkeypatch.setattr("probus.distances.measured_rows._CELLS", 500)
    tree, blocks = (dbscan(shares, eps=0.4, algorithm=how) for how in ("auto", "brute"))
    np.testing.assert_array_equal(tree[1], blocks[1])


def test_mixed_rows_with_missing_values_are_clustered():
    table = {"size": [1.0, 1.1, None, 9.0, 9.1, 9.2], "colour": ["red", "red", "red", "blue", None, "blue"]}
    np.testing.assert_array_equal(DBSCAN(eps=0.2, min_samples=2, metric="gower").fit(table).labels_, [0, 0, 0, 1, 1, 1])


def test_a_radius_too_small_is_all_noise_and_one_too_large_is_one_cluster(shares):
    assert set(DBSCAN(eps=1e-9).fit(shares).labels_) == {-1}
    assert len(DBSCAN(eps=1e-9).fit(shares).core_sample_indices_) == 0
    assert set(DBSCAN(eps=1e9).fit(shares).labels_) == {0}
    assert set(DBSCAN(eps=1e200).fit(shares).labels_) == {0}
    assert set(DBSCAN(eps=0.1).fit(np.ones((20, 3))).labels_) == {0}


def test_the_suggested_radius_finds_the_clusters():
    rng = np.random.default_rng(1)
    X = np.vstack([rng.normal(size=(200, 2)) * 0.3 + 5 * k for k in range(3)] + [rng.uniform(-5, 15, size=(20, 2))])
    choice = suggest_eps(X, 5)
    labels = DBSCAN(eps=choice.eps, min_samples=5).fit(X).labels_
    assert len(set(labels) - {-1}) == 3
    assert choice.dense == pytest.approx(len(DBSCAN(eps=choice.eps).fit(X).core_sample_indices_) / len(X))
    assert repr(choice).startswith("eps = ")
    assert choice.plot().get_title(loc="left") == "Distance to the 5th row, itself included"
    assert choice.to_frame().shape == (620, 2)


def test_a_radius_without_rows_that_differ_is_refused():
    with pytest.raises(DataError, match=r"every row has 3 rows at distance 0(.|\n)*Drop duplicates"):
        suggest_eps(np.ones((5, 2)), 3)
    with pytest.raises(DataError, match="min_samples=9 of 5 rows"):
        suggest_eps(np.arange(5.0)[:, None], 9)


@pytest.mark.parametrize(
    ("D", "text"),
    [
        ([[0.0, 1.0], [2.0, 0.0]], r"not symmetric: row 0, column 1 is 1, the other way 2"),
        ([[0.0, -1.0], [-1.0, 0.0]], "Negative values in data: a distance of -1"),
        ([[0.0, np.nan], [np.nan, 0.0]], "contains NaN: 2 of 4 distances are missing"),
        ([[0.0, np.inf], [np.inf, 0.0]], "contains infinity among the distances"),
        ([[0.0, 1.0]], r"Distance matrix should be square, got matrix of shape \(1, 2\)"),
        ([[0.0, 1.0], [1.0, 0.5]], "non-zero elements on the diagonal: row 1 is at distance 0.5 from itself"),
    ],
)
@pytest.mark.parametrize(
    "use",
    [
        DBSCAN(metric="precomputed").fit,
        KMedoids(1, metric="precomputed").fit,
        AgglomerativeClustering(1, metric="precomputed", linkage="average").fit,
        AgglomerativeClustering(1, metric="precomputed", linkage="single").fit,
        DivisiveClustering(1, metric="precomputed").fit,
        LocalOutlierFactor(1, metric="precomputed").fit,
        KNearestDistance(1, metric="precomputed").fit,
        lambda D: suggest_eps(D, 1, metric="precomputed"),
        lambda D: silhouette_score(D, [0, 1], metric="precomputed"),
    ],
)
def test_a_matrix_that_is_not_one_of_distances_is_refused_everywhere(use, D, text):
    with pytest.raises(DataError, match=text):
        use(np.array(D))


def test_a_diagonal_of_rounding_errors_is_zero():
    D = np.sqrt(np.maximum(2e-17 * np.eye(4) + 4 * (1 - np.eye(4)), 0))
    assert AgglomerativeClustering(2, metric="precomputed", linkage="average").fit(D).distances_[0] == 2
    assert (KMedoids(4, metric="precomputed").fit(D).inertia_) == 0


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_the_scale_of_columns_has_to_be_given_except_for_silhouettes(metric):
    X = np.random.default_rng(0).normal(size=(20, 2)) * [1.0, 9.0]
    scale = {"V": X.var(axis=0, ddof=1)} if metric == "seuclidean" else {"VI": np.linalg.inv(np.cov(X.T))}
    for model in (DBSCAN(metric=metric), KMedoids(2, metric=metric), KNearestDistance(metric=metric)):
        with pytest.raises(DataError, match=f"metric='{metric}' without the scale of its columns"):
            model.fit(X)
    found = DBSCAN(eps=0.5, metric=metric, metric_params=scale).fit(X).labels_
    scaled = pairwise_distances(X, metric=metric, **scale)
    np.testing.assert_array_equal(found, sklearn_cluster.DBSCAN(eps=0.5, metric="precomputed").fit(scaled).labels_)
    labels = np.arange(20) % 2
    expected = sklearn_metrics.silhouette_score(X, labels, metric=metric)
    assert silhouette_score(X, labels, metric=metric) == pytest.approx(expected)
