from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from sklearn.calibration import calibration_curve

from probus.errors import DataError
from probus.metrics import calibration, expected_calibration_error, roc
from probus.metrics.curves._shares import wilson

few = settings(max_examples=settings.default.max_examples // 3)


@st.composite
def predicted(draw):
    n = draw(st.integers(2, 40))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    p = draw(st.lists(st.sampled_from(np.linspace(0, 1, 13)), min_size=n, max_size=n))
    weights = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    y[:2], weights[:2] = [0, 1], [1, 2]
    return np.array(y), np.array(p), np.array(weights)


def calibrated(n, seed):
    rng = np.random.default_rng(seed)
    p = rng.uniform(0.02, 0.98, n)
    return (rng.random(n) < p).astype(int), p


@few
@given(predicted(), st.integers(1, 12))
def test_uniform_bins_are_scikit_learns(data, n_bins):
    y, p, _ = data
    curve = calibration(y, p, n_bins=n_bins, strategy="uniform", n_resamples=2)
    observed, mean = calibration_curve(y, p, n_bins=n_bins)
    assert curve.observed == pytest.approx(observed)
    assert curve.predicted == pytest.approx(mean)


@few
@given(st.integers(1, 8), st.integers(1, 10), st.integers(0, 99))
def test_quantile_bins_are_scikit_learns_where_the_rows_divide_evenly(n_bins, per_bin, seed):
    y, p = calibrated(n_bins * per_bin + 2 * n_bins, seed)
    y[:2] = [0, 1]
    curve = calibration(y, p, n_bins=n_bins, strategy="quantile", n_resamples=2)
    observed, mean = calibration_curve(y, p, n_bins=n_bins, strategy="quantile")
    assert curve.observed == pytest.approx(observed)
    assert curve.predicted == pytest.approx(mean)
    assert np.ptp(curve.rows) == 0


@few
@given(predicted(), st.sampled_from(["quantile", "uniform"]))
def test_weights_equal_repetition(data, strategy):
    y, p, weights = data
    weighted = calibration(y, p, sample_weight=weights, strategy=strategy, n_bins=4, n_resamples=2)
    repeated = calibration(np.repeat(y, weights), np.repeat(p, weights), strategy=strategy, n_bins=4, n_resamples=2)
    for name in ("lower", "upper", "predicted", "observed", "weight", "histogram"):
        assert getattr(weighted, name) == pytest.approx(getattr(repeated, name))
    assert weighted.expected_error.value == pytest.approx(repeated.expected_error.value)


@few
@given(predicted())
def test_the_expected_error_is_the_measure_of_that_name(data):
    y, p, weights = data
    curve = calibration(y, p, sample_weight=weights, n_resamples=2)
    assert curve.expected_error.value == pytest.approx(expected_calibration_error(y, p, sample_weight=weights))
    gaps = np.abs(curve.observed - curve.predicted)
    assert curve.expected_error.value == pytest.approx(curve.weight @ gaps)
    assert curve.maximum_error.value == pytest.approx(gaps.max())


@few
@given(predicted())
def test_every_row_is_in_one_bin_and_every_interval_holds_its_value(data):
    y, p, _ = data
    curve = calibration(y, p, n_bins=5, n_resamples=20)
    assert curve.rows.sum() == len(y)
    assert curve.weight.sum() == pytest.approx(1)
    assert curve.histogram.sum() == pytest.approx(1)
    assert (curve.lower - 1e-12 <= curve.predicted).all()
    assert (curve.predicted <= curve.upper + 1e-12).all()
    low, high = wilson(curve.observed, curve.rows, 0.95)
    assert np.array_equal(curve.low, low)
    assert np.array_equal(curve.high, high)
    assert curve.expected_error.value in curve.expected_error
    assert curve.maximum_error.value in curve.maximum_error


def test_a_calibrated_model_is_not_blamed():
    errors = [calibration(*calibrated(200, seed), n_resamples=60, random_state=seed) for seed in range(60)]
    assert np.mean([curve.expected_error.low == 0 for curve in errors]) > 0.9
    assert np.mean([curve.maximum_error.low == 0 for curve in errors]) > 0.9


def test_an_overconfident_model_is():
    y, p = calibrated(2000, 0)
    sharp = 1 / (1 + np.exp(-2 * np.log(p / (1 - p))))
    curve = calibration(y, sharp, random_state=0)
    assert curve.expected_error.low > 0.03


def test_a_class_of_several_is_held_against_the_rest():
    y = np.array(["a", "b", "c", "b", "a", "c"])
    probabilities = np.array([[5, 3, 2], [2, 5, 3], [1, 3, 6], [4, 3, 3], [6, 2, 2], [3, 4, 3]]) / 10
    curve = calibration(y, probabilities, pos_label="b", n_bins=2, strategy="quantile", n_resamples=2)
    observed, mean = calibration_curve(y == "b", probabilities[:, 1], n_bins=2, strategy="quantile")
    assert curve.label == "b"
    assert curve.observed == pytest.approx(observed)
    assert curve.predicted == pytest.approx(mean)


def test_constant_predictions_make_one_bin():
    curve = calibration([0, 1, 1, 1], [0.6] * 4, n_resamples=10, random_state=0)
    assert curve.rows.tolist() == [4]
    assert curve.expected_error.value == pytest.approx(0.15)


@pytest.mark.parametrize(
    ("y", "p", "options", "told"),
    [
        ([0, 1], [-0.5, 1.5], {}, r"probabilities from -0.5 to 1.5\.\n.*decision function"),
        ([0, 1], [0.5, np.nan], {}, "missing"),
        ([1, 1], [0.5, 0.6], {}, "every row that counts is of class 1"),
        ([0, 1], [0.5, 0.6], {"n_bins": 0}, "n_bins=0"),
        ([0, 1], [0.5, 0.6], {"strategy": "width"}, r"strategy='width'\.\n.*'quantile' or 'uniform'"),
        ([0, 1, 2], [0.5, 0.6, 0.7], {}, "Pass pos_label=0"),
    ],
)
def test_what_cannot_be_calibrated_is_told(y, p, options, told):
    with pytest.raises(DataError, match=told):
        calibration(y, p, **options)


def test_errors_name_what_was_passed():
    with pytest.raises(DataError, match="y_true has 2 rows and probabilities has 1"):
        calibration([0, 1], [0.5])
    with pytest.raises(DataError, match="scores: 1 of 2 values are missing"):
        roc([0, 1], [0.5, np.nan])
    with pytest.raises(DataError, match="y_proba: 1 of 2 values are missing"):
        expected_calibration_error([0, 1], [0.5, np.nan])


@pytest.mark.parametrize(("observed", "side"), [([0.1, 0.4, 0.9], "left"), ([0.1, 1.0, 0.9], "right")])
def test_the_caption_is_where_no_point_is(observed, side):
    curve = replace(calibration([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.8]), predicted=np.array([0.1, 0.5, 0.9]),
                    observed=np.array(observed), low=np.array(observed), high=np.array(observed))  # fmt: skip
    ax = curve.plot(Figure().add_subplot())
    assert [text.get_ha() for text in ax.texts] == [side]
