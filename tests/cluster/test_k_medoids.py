"""K-medoids: the best swap by brute force, R's pam, any distance, and bad input."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from probus.cluster import KMedoids
from probus.cluster._medoid_swaps import first_medoids
from probus.data import Table
from probus.distances import gower_distances
from probus.errors import DataError
from probus.metrics import silhouette_samples


def total(D, medoids):
    return D[:, list(medoids)].min(axis=1).sum()


@given(seed=st.integers(0, 10**6), k=st.integers(1, 4), init=st.sampled_from(["build", "random"]))
@settings(max_examples=30, deadline=None)
def test_no_swap_is_left_that_lowers_the_sum(seed, k, init):
    X = np.random.default_rng(seed).normal(size=(15, 2)).round(1)
    D = cdist(X, X, "cityblock")
    model = KMedoids(k, metric="manhattan", init=init, random_state=seed).fit(X)
    medoids = list(model.medoid_indices_)
    assert model.inertia_ == pytest.approx(total(D, medoids))
    swaps = [total(D, [row, *medoids[:c], *medoids[c + 1 :]]) for c in range(k) for row in range(15)]
    assert min(swaps) >= model.inertia_ - 1e-9
    assert len(set(medoids)) == k


def test_the_sum_is_the_least_there_is_with_several_starts():
    X = np.random.default_rng(2).normal(size=(12, 2))
    D = cdist(X, X)
    best = min(total(D, medoids) for medoids in combinations(range(12), 3))
    assert KMedoids(3, init="random", n_init=20, random_state=0).fit(X).inertia_ == pytest.approx(best)


# R 4.2.2, cluster 2.1.4: pam(scale(USArrests), 4) and pam(iris[1:4], 3): $id.med, $objective, $silinfo
@pytest.mark.parametrize(
    ("name", "medoids", "mean_distance", "widths"),
    [
        ("arrests", [1, 22, 36, 29], 1.02710195293, [0.388852539267, 0.307137174192, 0.278768003134, 0.457769547225]),
        ("iris", [8, 79, 113], 0.654207699215, [0.798140488429, 0.417319921541, 0.451105060434]),
    ],
)
def test_medoids_and_silhouettes_are_those_of_r(name, medoids, mean_distance, widths, arrests):
    X = arrests if name == "arrests" else load_iris().data
    model = KMedoids(len(medoids)).fit(X)
    assert set(model.medoid_indices_ + 1) == set(medoids)
    assert model.inertia_ / len(X) == pytest.approx(mean_distance)
    silhouettes = silhouette_samples(X, model.labels_)
    of_medoid = [silhouettes[model.labels_ == model.labels_[medoid - 1]].mean() for medoid in medoids]
    np.testing.assert_allclose(of_medoid, widths, rtol=1e-9)


def test_the_mean_distance_is_that_of_r_where_medoids_are_tied():
    # R 4.2.2, cluster 2.1.4: pam(iris[1:4], 3, metric = "manhattan")$objective
    assert KMedoids(3, metric="manhattan").fit(load_iris().data).inertia_ / 150 == pytest.approx(1.098)


def test_the_first_medoids_are_greedy():
    X = np.random.default_rng(4).normal(size=(20, 2))
    D, chosen = cdist(X, X), []
    for _ in range(4):
        chosen.append(min(set(range(20)) - set(chosen), key=lambda row: total(D, [*chosen, row])))
    np.testing.assert_array_equal(first_medoids(D, 4), chosen)


def test_mixed_rows_are_clustered_by_gower_and_new_rows_by_the_same_ranges():
    rng = np.random.default_rng(0)
    group = rng.integers(0, 2, 60)
    size = np.where(rng.random(60) < 0.2, np.nan, group * 5 + rng.normal(size=60))
    table = Table.of({"size": size, "colour": np.array(["red", "blue"])[group], "age": rng.normal(size=60)})
    model = KMedoids(2, metric="gower").fit(table)
    D = gower_distances(table)
    np.testing.assert_array_equal(model.labels_, D[:, model.medoid_indices_].argmin(axis=1))
    np.testing.assert_array_equal(model.predict(table), model.labels_)
    np.testing.assert_array_equal(KMedoids(2, metric="precomputed").fit(D).labels_, model.labels_)
    assert np.mean(model.labels_ == group) in (pytest.approx(1.0, abs=0.1), pytest.approx(0.0, abs=0.1))


def test_rows_without_a_common_column_are_as_far_apart_as_any():
    table = {"a": [1.0, None, 2.0, 1.0], "b": [None, 1.0, 3.0, None]}
    model = KMedoids(2, metric="gower").fit(table)
    assert model.labels_[0] == model.labels_[3] != model.labels_[1]


def test_duplicates_and_too_few_rows():
    with pytest.warns(ConvergenceWarning, match="only 1 distinct row for n_clusters=3: identical rows"):
        model = KMedoids(3).fit(np.ones((5, 2)))
    assert model.inertia_ == 0.0
    assert len(set(model.medoid_indices_)) == 3
    with pytest.raises(DataError, match="n_samples=2 should be >= n_clusters=3"):
        KMedoids(3).fit([[0.0], [1.0]])
