"""K-means: Lloyd's iteration as scikit-learn's, the optimum by brute force, and bad input."""

from itertools import product

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn import cluster as sklearn_cluster
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import probus
from probus.cluster import KMeans, MiniBatchKMeans
from probus.cluster import _lloyd as lloyd_module
from probus.cluster._k_means import coreset
from probus.errors import DataError, ModelFileError


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(0)
    return rng.normal(size=(6, 5))[rng.integers(0, 6, 900)] * 2 + rng.normal(size=(900, 5))


def test_the_iterations_are_those_of_scikit_learn_from_the_same_start(blobs):
    weights = np.random.default_rng(1).random(len(blobs))
    for scale, shift in ((1.0, 0.0), (1e-8, 0.0), (1e4, 1e7)):
        X = blobs * scale + shift
        start = X[:20]
        ours = KMeans(20, init=start, tol=0.0).fit(X, sample_weight=weights)
        theirs = sklearn_cluster.KMeans(20, init=start, tol=0.0).fit(X, sample_weight=weights)
        np.testing.assert_array_equal(ours.labels_, theirs.labels_)
        np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-9, atol=1e-9 * scale)
        assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-6)
        assert ours.n_iter_ == theirs.n_iter_


def test_single_precision_gives_the_nearest_centres(monkeypatch):
    """Rows so close together that single precision cannot distinguish their centres, and far from the origin."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(500, 4)), 1e4 + 1e-3 * rng.normal(size=(500, 4))])
    monkeypatch.setattr(lloyd_module, "_SMALLEST_SINGLE", 0)
    model = KMeans(30, random_state=0, tol=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), cdist(X, model.cluster_centers_).argmin(axis=1))
    np.testing.assert_array_equal(model.labels_, model.predict(X))
    for label in range(30):
        np.testing.assert_allclose(model.cluster_centers_[label], X[model.labels_ == label].mean(axis=0), rtol=1e-9)


@pytest.mark.parametrize("single", [True, False])
def test_centres_that_move_far_are_measured_for_all_rows(monkeypatch, single):
    """Each assignment is that of all distances, with fast centres and without."""
    monkeypatch.setattr(lloyd_module, "_SMALLEST_SINGLE", 0.0 if single else np.inf)
    rng = np.random.default_rng(3)
    X = rng.normal(size=(900, 6))
    centres = X[:36].copy()
    near = lloyd_module._Assignment(lloyd_module.WeightedRows(X, np.ones(900)), centres)
    shifts, fast = np.zeros(36), 0
    for _ in range(12):
        near.update(centres, shifts)
        np.testing.assert_array_equal(near.labels, cdist(X, centres).argmin(axis=1))
        moves = rng.normal(size=(36, 6)) * 0.01
        moves[rng.choice(36, 3, replace=False)] *= 40
        centres, shifts = centres + moves, np.linalg.norm(moves, axis=1)
        fast += len(lloyd_module._fast_centres(shifts)[0])
    assert fast > 0


def test_the_number_of_threads_and_the_size_of_blocks_do_not_matter(monkeypatch):
    X = np.random.default_rng(6).normal(size=(9000, 12))
    fits = []
    for n_jobs, block in ((1, 1024), (2, 1024), (2, 700)):
        monkeypatch.setattr(lloyd_module, "_BLOCK", block)
        fits.append(lloyd_module.lloyd(lloyd_module.WeightedRows(X, np.ones(9000), n_jobs), X[:60], 40, 0.0))
    for other in fits[1:]:
        np.testing.assert_array_equal(other.labels, fits[0].labels)
        np.testing.assert_array_equal(other.centres, fits[0].centres)
    np.testing.assert_array_equal(fits[0].labels, cdist(X, fits[0].centres).argmin(axis=1))


def test_a_coreset_has_the_sums_of_squares_of_all_rows():
    rng = np.random.default_rng(4)
    X = np.vstack([rng.normal(size=(20_000, 3)), rng.normal(size=(8, 3)) * 0.1 + 200])
    w = rng.uniform(0.5, 2.0, len(X))
    X -= w @ X / w.sum()
    few = coreset(lloyd_module.WeightedRows(X, w), 2000, np.random.RandomState(0))
    assert len(few.X) <= 2000
    assert (few.X[:, 0] > 100).any()  # a small group far away
    for k in (1, 5):
        centres = np.vstack([X[rng.choice(20_000, k)], X[-1:]])
        sums = [
            rows.w @ cdist(rows.X, centres, "sqeuclidean").min(axis=1)
            for rows in (few, lloyd_module.WeightedRows(X, w))
        ]
        assert sums[0] / few.w.sum() == pytest.approx(sums[1] / w.sum(), rel=0.1)


def test_many_rows_start_from_few_and_reach_as_good_a_sum():
    X = np.random.default_rng(5).uniform(size=(12_000, 2))
    ours = [KMeans(6, random_state=seed).fit(X) for seed in range(4)]
    theirs = [sklearn_cluster.KMeans(6, n_init=1, random_state=seed).fit(X) for seed in range(4)]
    assert np.mean([m.inertia_ for m in ours]) < 1.02 * np.mean([m.inertia_ for m in theirs])
    distances = cdist(X, ours[0].cluster_centers_)
    np.testing.assert_array_equal(ours[0].labels_, distances.argmin(axis=1))
    means = [X[ours[0].labels_ == c].mean(axis=0) for c in range(6)]
    np.testing.assert_allclose(ours[0].cluster_centers_, means, atol=0.01)


def test_the_sum_of_squares_is_the_least_there_is():
    X = np.random.default_rng(3).normal(size=(9, 2))
    best = min(
        sum(((X[np.array(labels) == k] - X[np.array(labels) == k].mean(axis=0)) ** 2).sum() for k in set(labels))
        for labels in product(range(2), repeat=9)
    )
    assert KMeans(2, n_init=20, random_state=0).fit(X).inertia_ == pytest.approx(best)


def test_the_order_of_rows_does_not_matter_and_weights_are_repetition(blobs):
    counts = np.random.default_rng(2).integers(0, 4, len(blobs))
    shuffled = np.random.default_rng(3).permutation(np.repeat(np.arange(len(blobs)), counts))
    weighted = KMeans(6, random_state=0).fit(blobs, sample_weight=counts)
    repeated = KMeans(6, random_state=0).fit(blobs[shuffled])
    np.testing.assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_)
    np.testing.assert_array_equal(weighted.labels_[shuffled], repeated.labels_)


def test_seeding_is_as_good_as_that_of_scikit_learn(blobs):
    ours = [KMeans(6, random_state=seed, max_iter=1).fit(blobs).inertia_ for seed in range(30)]
    theirs = [sklearn_cluster.KMeans(6, random_state=seed, max_iter=1).fit(blobs).inertia_ for seed in range(30)]
    spread = np.std(ours + theirs) / np.sqrt(15)
    assert abs(np.mean(ours) - np.mean(theirs)) < 3 * spread


def test_an_empty_cluster_takes_the_furthest_row():
    X = np.array([[0.0], [1.0], [2.0], [50.0]])
    model = KMeans(2, init=[[1.0], [1000.0]]).fit(X)
    np.testing.assert_array_equal(model.labels_, [0, 0, 0, 1])
    np.testing.assert_allclose(model.cluster_centers_.ravel(), [1.0, 50.0])


def test_one_cluster_is_the_mean(blobs):
    model = KMeans(1).fit(blobs)
    np.testing.assert_allclose(model.cluster_centers_[0], blobs.mean(axis=0))
    assert model.inertia_ == pytest.approx(len(blobs) * blobs.var(axis=0).sum())


def test_duplicates_only_are_reported():
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(2\) found smaller than n_clusters \(3\)"):
        model = KMeans(3, random_state=0).fit([[0.0], [0.0], [1.0], [1.0]])
    assert model.inertia_ == 0.0
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(1\)"):
        KMeans(3, random_state=0).fit(np.ones((5, 2)))


def test_fewer_rows_than_clusters_are_refused():
    with pytest.raises(DataError, match=r"n_samples=2 should be >= n_clusters=3(.|\n)*Lower n_clusters"):
        KMeans(3).fit([[0.0], [1.0]])


@pytest.mark.parametrize(("start", "what"), [([[0.0]], "number of clusters 2"), ([[0.0, 1.0]] * 2, "features")])
def test_starts_of_another_shape_are_refused(start, what):
    with pytest.raises(DataError, match=what):
        KMeans(2, init=start).fit([[0.0], [1.0], [2.0]])


@pytest.mark.parametrize("model", [KMeans(5, random_state=0), MiniBatchKMeans(5, random_state=0)])
def test_rows_of_single_precision_have_centres_and_distances_of_single_precision(model, tmp_path):
    X = np.random.default_rng(0).normal(size=(500, 3)).astype(np.float32)
    single, double = clone(model).fit(X), clone(model).fit(X.astype(np.float64))
    assert (single.cluster_centers_.dtype, single.transform(X).dtype) == (np.float32, np.float32)
    assert (double.cluster_centers_.dtype, double.transform(X).dtype) == (np.float64, np.float64)
    np.testing.assert_array_equal(single.predict(X), single.labels_)
    assert single.inertia_ == pytest.approx(double.inertia_, rel=1e-5)
    probus.save(single, tmp_path / "model.probus")
    again = probus.load(tmp_path / "model.probus")
    np.testing.assert_array_equal(again.transform(X), single.transform(X))
    single.labels_[0] = 5
    with pytest.raises(ModelFileError, match="below 5"):
        probus.save(single, tmp_path / "model.probus")
    if isinstance(single, MiniBatchKMeans):
        assert single.partial_fit(X).cluster_centers_.dtype == np.float32
