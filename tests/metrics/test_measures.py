"""The measures as functions, and the numbers of the textbook."""

import subprocess
import sys

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

import probus.metrics as pm
from probus.errors import DataError

LABELS = ["Red", "Blue", "Red", "Blue", "Gold"]
PREDICTIONS = ["Red", "Red", "Blue", "Red", "Blue"]


@pytest.mark.parametrize(
    ("average", "precision", "recall"), [("macro", 0.11, 0.17), ("micro", 0.2, 0.2), ("weighted", 0.13, 0.2)]
)
def test_averages_over_three_colours(average, precision, recall):
    assert round(pm.measure(f"precision_{average}")(LABELS, PREDICTIONS), 2) == precision
    assert round(pm.measure(f"recall_{average}")(LABELS, PREDICTIONS), 2) == recall
    assert round(pm.precision_score(LABELS, PREDICTIONS, average=average, zero_division=0), 2) == precision
    assert round(pm.recall_score(LABELS, PREDICTIONS, average=average, zero_division=0), 2) == recall


def test_the_confusion_matrix_of_three_colours():
    assert pm.confusion_matrix(LABELS, PREDICTIONS, labels=["Red", "Blue", "Gold"]).tolist() == [
        [1, 1, 0],
        [2, 0, 0],
        [0, 1, 0],
    ]


OURS = ("cluster", "pairwise", "pairwise_distances", "silhouette_samples", "silhouette_score")
BORROWED = [name for name in pm.__all__ if hasattr(sk, name) and name not in OURS]


@pytest.mark.parametrize("name", BORROWED)
def test_borrowed_names_are_scikit_learns_own(name):
    assert getattr(pm, name) is getattr(sk, name)
    assert name in dir(pm)


def test_every_public_name_resolves_and_others_do_not():
    assert all(getattr(pm, name) is not None for name in pm.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        pm.nonsense


def test_looking_at_an_estimate_does_not_wait_for_scikit_learns_measures():
    code = "import sys, probus.metrics; print({'sklearn.metrics', 'polars', 'numba'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_the_squared_errors_belong_together():
    y, p, w = [3, -0.5, 2, 7], [2.5, 0.0, 2, 8], [1, 2, 3, 4]
    sse = pm.sum_squared_error(y, p, sample_weight=w)
    assert sse == pytest.approx(10 * pm.mean_squared_error(y, p, sample_weight=w))
    assert pm.relative_squared_error(y, p, sample_weight=w) ** 2 == pytest.approx(
        1 - pm.r2_score(y, p, sample_weight=w)
    )


def test_an_outlier_moves_the_squared_measures_more_than_the_absolute_ones():
    rng = np.random.default_rng(0)
    x = rng.uniform(-3, 3, 100)
    y, p = x + rng.normal(0, 0.7, 100), x
    worse = {
        name: function(np.append(y, 15.0), np.append(p, 0.0)) / function(y, p)
        for name, function in (
            ("rmse", pm.root_mean_squared_error),
            ("mae", pm.mean_absolute_error),
            ("rse", pm.relative_squared_error),
            ("rae", pm.relative_absolute_error),
        )
    }
    assert max(worse["mae"], worse["rae"]) < min(worse["rmse"], worse["rse"])


# -- signal and background ---------------------------------------------------------------------------------------

scored = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.0, 0.2, 0.4, 0.5, 0.6, 0.8, 1.0]), st.integers(1, 3)),
    min_size=1,
    max_size=20,
).map(lambda rows: [np.array(part) for part in zip((True, 0.5, 1), (False, 0.5, 1), *rows, strict=True)])


@settings(max_examples=20, deadline=None)
@given(scored, st.sampled_from([0.0, 0.4, 0.5, 0.9]))
def test_efficiency_and_rejection_are_recalls_of_the_two_sides(rows, threshold):
    y, score, w = rows
    called = score >= threshold
    efficiency = pm.signal_efficiency(y, score, threshold=threshold, sample_weight=w)
    rejection = pm.background_rejection(y, score, threshold=threshold, sample_weight=w)
    assert efficiency == pytest.approx(sk.recall_score(y, called, sample_weight=w))
    assert rejection == pytest.approx(sk.recall_score(y, called, pos_label=False, sample_weight=w))
    assert rejection == pytest.approx(pm.specificity_score(y, called, sample_weight=w))


@settings(max_examples=20, deadline=None)
@given(scored, st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]))
def test_efficiency_at_a_rejection_is_the_best_of_all_thresholds(rows, rejection):
    y, score, w = rows
    best = max(
        pm.signal_efficiency(y, score, threshold=t, sample_weight=w)
        for t in [*score, np.inf]
        if pm.background_rejection(y, score, threshold=t, sample_weight=w) >= rejection - 1e-12
    )
    found = pm.signal_efficiency_at_rejection(y, score, rejection=rejection, sample_weight=w)
    assert found == pytest.approx(best)


def test_the_signal_can_be_named():
    y, score = ["s", "b", "b"], [0.9, 0.2, 0.7]
    assert pm.signal_efficiency(y, score, pos_label="s") == 1
    assert pm.background_rejection(y, score, pos_label="s") == 0.5
    assert pm.signal_efficiency_at_rejection(y, score, rejection=1, pos_label="s") == 1


def test_a_rejection_is_a_share():
    with pytest.raises(DataError, match=r"rejection=90\.\n  Expected a share between 0 and 1"):
        pm.signal_efficiency_at_rejection([0, 1], [0.1, 0.9], rejection=90)


# -- labels ------------------------------------------------------------------------------------------------------


def test_error_rate_is_what_accuracy_leaves():
    assert pm.error_rate(LABELS, PREDICTIONS) == pytest.approx(1 - pm.accuracy_score(LABELS, PREDICTIONS))
    assert pm.error_rate([1, 0], [1, 1], sample_weight=[3, 1]) == 0.25


# -- calibration -------------------------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=2, max_size=40), st.integers(1, 12))
def test_the_calibration_error_is_the_mean_gap_of_scikit_learns_curve(rows, n_bins):
    y, p = (np.array(part) for part in zip(*rows, strict=True))
    if y.all() or not y.any():
        return
    share, mean = calibration_curve(y, p, n_bins=n_bins)
    place = np.searchsorted(np.linspace(0, 1, n_bins + 1)[1:-1], p)
    sizes = np.bincount(place)
    gap = (sizes[sizes > 0] * abs(share - mean)).sum() / len(y)
    assert pm.expected_calibration_error(y, p, n_bins=n_bins) == pytest.approx(gap, abs=1e-12)


def test_with_several_classes_the_most_probable_one_is_judged():
    probabilities = np.array([[0.75, 0.25, 0.0], [0.75, 0.0, 0.25], [0.0, 0.75, 0.25], [0.25, 0.0, 0.75]])
    assert pm.expected_calibration_error(["a", "a", "b", "a"], probabilities, labels=["a", "b", "c"]) == 0
    one = pm.expected_calibration_error(["a", "a", "b", "a"], probabilities, labels=["a", "b", "c"], pos_label="c")
    assert one == pytest.approx((0.25 + 0.25 + 0.75) / 4)


def test_bins_are_at_least_one():
    with pytest.raises(DataError, match=r"n_bins=0\.\n  Expected at least one bin"):
        pm.expected_calibration_error([0, 1], [0.1, 0.9], n_bins=0)
