"""Numbers whose squares overflow: refused where squares are needed, measured where they are not."""

import numpy as np
import pytest

from probus.anomaly import (
    CBLOF,
    Grubbs,
    IsolationForest,
    KNearestDistance,
    LocalOutlierFactor,
    Mahalanobis,
    PCAResidual,
    ZScore,
)
from probus.cluster import DBSCAN, AgglomerativeClustering, DivisiveClustering, KMeans, KMedians, KMedoids, SoftKMeans
from probus.decomposition import PCA, FactorAnalysis, IncrementalPCA, choose_components
from probus.errors import DataError
from probus.manifold import MDS, ClassicalMDS
from probus.metrics import silhouette_score, within_cluster_sum_of_squares
from probus.mixture import GaussianMixture

ROWS = np.random.default_rng(0).normal(size=(40, 3))


@pytest.mark.parametrize(
    "model",
    [
        *(KMeans(3), KMeans(3, split_merge=True), KMedians(3), SoftKMeans(3), AgglomerativeClustering(), DBSCAN()),
        *(AgglomerativeClustering(linkage="single"), GaussianMixture(2), PCA(), IncrementalPCA(), FactorAnalysis(1)),
        *(ClassicalMDS(), MDS(), ZScore(), Grubbs(), Mahalanobis(), PCAResidual(), CBLOF()),
    ],
    ids=repr,
)
def test_models_of_squares_refuse_numbers_that_cannot_be_squared(model):
    with pytest.raises(DataError, match=r"as large as .*e\+20., whose squares are not finite.\n.*Divide the columns"):
        model.fit(ROWS * 1e200)


@pytest.mark.parametrize("use", [lambda X, y: choose_components(X), silhouette_score, within_cluster_sum_of_squares])
def test_functions_of_squares_do_too(use):
    with pytest.raises(DataError, match="whose squares are not finite"):
        use(ROWS * 1e200, np.arange(40) % 2)


@pytest.mark.parametrize(
    "model",
    [
        *(KMedoids(3), DivisiveClustering(3), AgglomerativeClustering(3, linkage="average")),
        AgglomerativeClustering(3, linkage="single", metric="manhattan"),
    ],
)
def test_clusters_by_distances_do_not_depend_on_the_unit(model):
    np.testing.assert_array_equal(model.fit(ROWS * 2.0**600).labels_, model.fit(ROWS).labels_)


@pytest.mark.parametrize(
    "model", [KNearestDistance(), LocalOutlierFactor(novelty=True), IsolationForest(random_state=0)]
)
def test_odd_rows_by_distances_and_splits_do_not_either(model):
    expected = model.fit(ROWS).predict(ROWS)
    np.testing.assert_array_equal(model.fit(ROWS * 2.0**600).predict(ROWS * 2.0**600), expected)
