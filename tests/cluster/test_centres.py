"""K-medians, soft k-means, split-and-merge moves and vector quantisation."""

import warnings
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from probus.cluster import KMeans, KMedians, SoftKMeans, VectorQuantizer
from probus.cluster._k_medians import weighted_median
from probus.errors import DataError


@given(seed=st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_a_weighted_median_is_the_median_of_repeated_rows(seed):
    rng = np.random.default_rng(seed)
    X, w = rng.normal(size=(7, 2)).round(1), rng.integers(0, 4, 7)
    if w.any():
        expected = np.median(np.repeat(X, w, axis=0), axis=0)
        np.testing.assert_allclose(weighted_median(X, w.astype(float)), expected)


def test_the_sum_of_absolute_differences_is_the_least_there_is():
    X = np.random.default_rng(3).normal(size=(8, 2))
    best = np.inf
    for labels in product(range(2), repeat=8):
        groups = [X[np.array(labels) == k] for k in set(labels)]
        best = min(best, sum(np.abs(group - np.median(group, axis=0)).sum() for group in groups))
    model = KMedians(2, n_init=30, init="random", random_state=0).fit(X)
    assert model.inertia_ == pytest.approx(best)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_an_outlier_moves_no_median():
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0], [1e6]])
    model = KMedians(2, init=[[1.0], [11.0]]).fit(X)
    np.testing.assert_allclose(model.cluster_centers_.ravel(), [1.0, 11.5])


def test_stiff_clusters_are_those_of_k_means_and_soft_ones_coincide():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)) + 5 * rng.integers(0, 2, (60, 1))
    stiff = SoftKMeans(2, stiffness=1e4, random_state=0).fit(X)
    hard = KMeans(2, random_state=0).fit(X)
    np.testing.assert_allclose(stiff.cluster_centers_, hard.cluster_centers_)
    assert stiff.inertia_ == pytest.approx(hard.inertia_)
    soft = SoftKMeans(2, stiffness=1e-4, tol=0, random_state=0, max_iter=50).fit(X)
    np.testing.assert_allclose(soft.cluster_centers_, np.tile(X.mean(axis=0), (2, 1)), atol=1e-3)


def test_memberships_are_the_softmax_of_squared_distances_and_energy_never_rises():
    X = np.random.default_rng(1).normal(size=(40, 3))
    energies = []
    for n_iter in range(1, 12):
        model = SoftKMeans(3, stiffness=2.0, tol=0, max_iter=n_iter, random_state=0).fit(X)
        energies.append(model.free_energy_)
    assert (np.diff(energies) <= 1e-12).all()
    raw = np.exp(-2.0 * cdist(X, model.cluster_centers_) ** 2)
    np.testing.assert_allclose(model.predict_proba(X), raw / raw.sum(axis=1, keepdims=True))


def test_split_and_merge_moves_leave_a_poor_optimum():
    """Two centres start in one of three clusters and one between the other two, where Lloyd's iteration stays."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(50, 2)) * 0.5 + centre for centre in ([0, 0], [20, 0], [24, 0])])
    start = [[-0.5, 0.0], [0.5, 0.0], [22.0, 0.0]]
    plain, moved = (KMeans(3, init=start, split_merge=moves).fit(X) for moves in (False, True))
    best = KMeans(3, n_init=20, random_state=0).fit(X)
    assert plain.inertia_ > 2 * best.inertia_
    assert moved.inertia_ == pytest.approx(best.inertia_)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_split_and_merge_moves_never_raise_the_sum(seed):
    X = np.random.default_rng(seed).normal(size=(40, 2))
    plain, moved = (KMeans(5, random_state=seed, split_merge=moves).fit(X) for moves in (False, True))
    assert moved.inertia_ <= plain.inertia_ * (1 + 1e-12)
    np.testing.assert_array_equal(moved.labels_, moved.predict(X))


def test_codes_decode_to_the_nearest_vectors():
    X = np.random.default_rng(0).normal(size=(300, 4))
    quantizer = VectorQuantizer(n_codes=8, random_state=0).fit(X)
    codes = quantizer.encode(X)
    assert codes.dtype == np.uint8
    np.testing.assert_array_equal(codes, cdist(X, quantizer.codebook_).argmin(axis=1))
    np.testing.assert_array_equal(quantizer.transform(X), quantizer.decode(codes))
    distortions = [VectorQuantizer(n_codes=k, random_state=0).fit(X).distortion(X) for k in (1, 4, 16, 64)]
    assert distortions[0] == pytest.approx(X.var(axis=0).mean())
    assert (np.diff(distortions) < 0).all()


@pytest.mark.parametrize(
    ("codes", "text"),
    [([3, 8], "codes from 3 to 8."), ([-1], "codes from -1 to -1."), ([0.5], "codes of type float64.")],
)
def test_codes_without_a_vector_are_refused(codes, text):
    quantizer = VectorQuantizer(n_codes=8, random_state=0).fit(np.arange(20.0)[:, None])
    with pytest.raises(DataError, match=f"{text}\n  Expected whole numbers from 0 to 7"):
        quantizer.decode(codes)


@pytest.mark.parametrize("model", [KMeans(3), KMedians(3), SoftKMeans(3, stiffness=9.0)])
def test_fewer_distinct_rows_than_clusters_are_reported(model):
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(2\) found smaller than n_clusters \(3\)"):
        model.set_params(random_state=0).fit(np.arange(2.0).repeat(9)[:, None])


def test_soft_centres_that_coincide_are_no_duplicates():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SoftKMeans(3, stiffness=1e-3, random_state=0).fit(np.arange(9.0)[:, None])
    np.testing.assert_allclose(model.cluster_centers_, 4.0, atol=1e-2)  # all three at the mean of the rows


@pytest.mark.parametrize("model", [KMeans(2), KMedians(2), SoftKMeans(2)])
@pytest.mark.parametrize(
    ("weights", "text"),
    [
        (np.zeros(4), "at least one non-zero number.\n  Expected a weight for each row: 0 or more, not all of them 0"),
        (-np.ones(4), "Negative values in data passed to `sample_weight`.\n  Expected a weight for each row"),
        (np.ones(3), "(?s)sample_weight.shape.*Expected a weight for each row"),
    ],
)
def test_weights_that_cannot_be_used_are_refused(model, weights, text):
    with pytest.raises(DataError, match=text):
        model.fit(np.arange(4.0)[:, None], sample_weight=weights)
