"""K-means by batches: scikit-learn's steps, running means, files, and bad input."""

import numpy as np
import pytest
from scipy import sparse
from sklearn import cluster as sklearn_cluster
from sklearn.exceptions import ConvergenceWarning

import probus
from probus.cluster import KMeans, MiniBatchKMeans
from probus.errors import DataError

RANDOM = np.random.default_rng(0)
ROWS = RANDOM.normal(size=(600, 3)) + 7 * np.repeat(np.eye(3), 200, axis=0)
START = ROWS[[0, 250, 500]]


def test_batches_move_centres_as_those_of_scikit_learn():
    """Without weights, from given centres, and without drawing small clusters again."""
    ours = MiniBatchKMeans(3, init=START, n_init=1)
    theirs = sklearn_cluster.MiniBatchKMeans(3, init=START, n_init=1, reassignment_ratio=0.0, random_state=0)
    for batch in np.array_split(RANDOM.permutation(ROWS), 6):
        ours.partial_fit(batch)
        theirs.partial_fit(batch)
        np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, rtol=1e-10)
        np.testing.assert_array_equal(ours.labels_, theirs.labels_)
        assert ours.inertia_ == pytest.approx(theirs.inertia_)
    assert ours.counts_.sum() == 600
    assert ours.n_steps_ == 6


def test_weights_are_repetition_in_batches():
    weights = RANDOM.integers(1, 4, 600)
    weighed = MiniBatchKMeans(3, init=START, n_init=1).partial_fit(ROWS, sample_weight=weights)
    repeated = MiniBatchKMeans(3, init=START, n_init=1).partial_fit(np.repeat(ROWS, weights, axis=0))
    np.testing.assert_allclose(weighed.cluster_centers_, repeated.cluster_centers_)
    same = MiniBatchKMeans(3, init=START, n_init=1).partial_fit(sparse.csr_array(ROWS), sample_weight=weights)
    np.testing.assert_allclose(same.cluster_centers_, weighed.cluster_centers_)


def test_the_sum_is_nearly_that_of_all_rows():
    found = MiniBatchKMeans(3, batch_size=100, random_state=0).fit(ROWS)
    assert found.inertia_ <= 1.05 * KMeans(3, random_state=0).fit(ROWS).inertia_
    assert found.inertia_ == pytest.approx(-found.score(ROWS))
    assert not hasattr(MiniBatchKMeans(3, compute_labels=False, random_state=0).fit(ROWS), "labels_")


@pytest.mark.parametrize("labels", [True, False])
def test_a_single_pass_is_enough(labels):
    model = MiniBatchKMeans(3, max_iter=1, compute_labels=labels, random_state=0).fit(ROWS)
    assert model.n_steps_ <= 1
    assert hasattr(model, "labels_") == labels


def test_a_loaded_model_goes_on(tmp_path):
    model = MiniBatchKMeans(3, random_state=0).fit(ROWS)
    probus.save(model, tmp_path / "batches.probus")
    loaded = probus.load(tmp_path / "batches.probus")
    np.testing.assert_array_equal(
        loaded.partial_fit(ROWS[:50]).cluster_centers_, model.partial_fit(ROWS[:50]).cluster_centers_
    )


@pytest.mark.parametrize("method", ["fit", "partial_fit"])
@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (ROWS[:2], r"n_samples=2 should be >= n_clusters=3(.|\n)*Lower n_clusters"),
        (np.where(ROWS > 9, np.nan, ROWS), r"Input X contains NaN(.|\n)*probus.tabular\(MiniBatchKMeans"),
        (ROWS * 1e200, "whose squares are not finite"),
    ],
)
def test_rows_that_cannot_be_clustered_are_refused(method, rows, text):
    with pytest.raises(DataError, match=text):
        getattr(MiniBatchKMeans(3), method)(rows)


def test_fewer_distinct_rows_than_clusters_are_reported():
    with pytest.warns(ConvergenceWarning, match=r"distinct clusters \(1\) found smaller than n_clusters \(3\)"):
        MiniBatchKMeans(3, random_state=0).fit(np.ones((20, 2)))
