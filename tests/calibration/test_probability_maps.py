import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from scipy.special import expit, log_softmax, logit, softmax
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score

from probus.calibration._probability_maps import chosen_map, fitted_map
from probus.errors import DataError


def two(n, slope=1.0, offset=0.0, seed=0):
    """Stated log odds and outcomes whose true log odds are slope · stated + offset."""
    rng = np.random.default_rng(seed)
    stated = rng.normal(size=n) * 2
    actual = (rng.random(n) < expit(slope * stated + offset)).astype(int)
    return np.column_stack([1 - expit(stated), expit(stated)]), actual


def several(n, temperature, k=4, seed=0):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n, k)) * 2
    actual = (softmax(scores / temperature, axis=1).cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)
    return softmax(scores, axis=1), actual


def test_sigmoid_is_the_logistic_regression_on_log_odds():
    p, actual = two(4000, 0.5, 1.0)
    found = fitted_map("sigmoid", p, actual, None)(p)[:, 1]
    reference = LogisticRegression(C=np.inf, tol=1e-10).fit(logit(p[:, [1]]), actual)
    np.testing.assert_allclose(found, reference.predict_proba(logit(p[:, [1]]))[:, 1], atol=2e-3)


def test_temperature_is_the_exponent_of_least_log_loss():
    p, actual = several(2000, 2.5)
    found = fitted_map("temperature", p, actual, None)
    best = minimize_scalar(
        lambda a: log_loss(actual, softmax(a * np.log(p), axis=1)), bounds=(0.01, 5), method="bounded"
    )
    assert found.coefficients[0] == pytest.approx(best.x, abs=2e-3)
    assert found.coefficients[0] == pytest.approx(1 / 2.5, abs=0.05)


def test_sigmoid_of_several_classes_recovers_offsets():
    p, actual = several(3000, 1.0)
    shifted = p * [1.0, 0.2, 1.0, 3.0]
    shifted /= shifted.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(fitted_map("sigmoid", shifted, actual, None)(shifted), p, atol=0.06)


def test_beta_recovers_unequal_slopes():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.01, 0.99, 6000)
    true = expit(2.0 * np.log(p) - 0.5 * np.log(1 - p) + 0.5)
    actual = (rng.random(6000) < true).astype(int)
    both = np.column_stack([1 - p, p])
    np.testing.assert_allclose(fitted_map("beta", both, actual, None)(both)[:, 1], true, atol=0.04)


def test_isotonic_is_scikit_learns_but_never_certain():
    p, actual = two(500, 0.5)
    found = fitted_map("isotonic", p, actual, None)(p)[:, 1]
    expected = IsotonicRegression(out_of_bounds="clip").fit(p[:, 1], actual).predict(p[:, 1])
    np.testing.assert_allclose(found, np.clip(expected, 0.5 / 501, 1 - 0.5 / 501), atol=1e-9)
    assert 0 < found.min() < found.max() < 1


@pytest.mark.parametrize("method", ["temperature", "sigmoid", "beta", "isotonic"])
def test_weights_equal_repetition(method):
    p, actual = two(60, 0.5)
    weights = np.random.default_rng(1).integers(0, 3, 60)
    rows = np.repeat(np.arange(60), weights)
    weighted = fitted_map(method, p, actual, weights.astype(float))
    repeated = fitted_map(method, p[rows], actual[rows], None)
    np.testing.assert_allclose(weighted(p), repeated(p), atol=0.003)  # the floor and the ends depend on the rows


@pytest.mark.parametrize("method", ["temperature", "sigmoid", "beta", "isotonic"])
def test_probabilities_stay_probabilities(method):
    p, actual = two(40)
    p[:4] = [[0, 1], [1, 0], [0, 1], [1, 0]]  # certain, and wrong at times
    found = fitted_map(method, p, actual, None)(p)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert ((found > 0) & (found < 1)).all()
    assert (np.diff(found[np.argsort(p[:, 1], kind="stable"), 1]) >= -1e-12).all()


@pytest.mark.slow
def test_calibrated_probabilities_are_left_alone_mostly():
    left = [chosen_map("auto", *two(300, seed=seed), None, None)[0].method == "none" for seed in range(20)]
    assert np.mean(left) > 0.6


@pytest.mark.parametrize("made", [two(600, 0.3), two(600, 1.0, 1.5), several(600, 4.0)])
def test_what_is_off_is_mended_and_judged_on_other_rows(made):
    p, actual = made
    chosen, crossed = chosen_map("auto", p[:400], actual[:400], None, None)
    assert chosen.method != "none"
    assert log_loss(actual[400:], chosen(p[400:])) < log_loss(actual[400:], p[400:]) - 0.05
    assert log_loss(actual[:400], crossed) < log_loss(actual[:400], p[:400]) - 0.05


def test_few_rows_are_not_calibrated():
    p, actual = two(18, 0.3)
    assert chosen_map("auto", p, actual, None, None)[0].method == "none"


def test_unknown_maps_are_refused():
    p, actual = several(50, 1.0)
    with pytest.raises(DataError, match="calibration='platt'"):
        chosen_map("platt", p, actual, None, None)
    with pytest.raises(DataError, match="calibration='beta' for 4 classes"):
        chosen_map("beta", p, actual, None, None)


def test_a_probability_of_zero_is_never_kept():
    p, actual = two(200)
    p = np.round(p * 30) / 30  # as of a forest of 30 trees
    chosen, crossed = chosen_map("auto", p, actual, None, None)
    assert (p == 0).any()
    assert chosen.method != "none"
    assert (crossed > 0).all()


def test_a_temperature_needs_no_rows_of_every_class():
    p, actual = several(150, 4.0)
    actual[actual == 3] = 0
    actual[0] = 3
    assert chosen_map("auto", p, actual, None, None)[0].method == "temperature"


@pytest.mark.parametrize("method", ["temperature", "sigmoid", "beta"])
def test_tiny_probabilities_keep_their_order(method):
    """Naive Bayes gives probabilities far below one row of many, and they still rank the rows."""
    rng = np.random.default_rng(0)
    actual = rng.integers(0, 2, 300)
    odds = 8 * (rng.normal(size=300) + 2 * actual - 1)
    p = np.column_stack([expit(-odds), expit(odds)])
    calibrated = fitted_map(method, p, actual, None)(p)
    assert p.min() < 1e-6
    assert roc_auc_score(actual, calibrated[:, 1]) == pytest.approx(roc_auc_score(actual, odds))


def test_probabilities_of_zero_count_as_less_than_all_others():
    p = np.array([0.0, 1e-4, 0.2, 0.6, 0.9, 1.0])
    found = fitted_map("sigmoid", np.column_stack([1 - p, p]), np.array([0, 0, 0, 1, 1, 1]), None)
    assert found.floor == 5e-5
    assert (np.diff(found(np.column_stack([1 - p, p]))[:, 1]) > 0).all()


@pytest.mark.parametrize(("k", "sharpness"), [(2, 0.3), (2, 6.0), (4, 1.0), (9, 3.0)])
@pytest.mark.parametrize("method", ["temperature", "sigmoid"])
def test_slope_and_offsets_are_those_of_least_penalised_loss(k, sharpness, method):
    rng = np.random.default_rng(k)
    actual = rng.integers(0, k, 200)
    p = softmax(sharpness * (rng.normal(size=(200, k)) + 2 * np.eye(k)[actual]), axis=1)
    weights = rng.choice([0.0, 1.0, 2.5], 200)
    found = fitted_map(method, p, actual, weights)

    def loss(theta):
        logs = log_softmax(
            theta[0] * np.log(p) + np.append(0.0, theta[1:] if method == "sigmoid" else [0.0] * (k - 1)), 1
        )
        change = theta - np.append(1.0, np.zeros(len(theta) - 1))
        return -weights @ logs[np.arange(200), actual] + 0.5 * change @ change

    size = k if method == "sigmoid" else 1
    best = minimize(loss, np.append(1.0, np.zeros(size - 1)), tol=1e-10)
    assert loss(found.coefficients) <= best.fun + 1e-8
    np.testing.assert_allclose(found.coefficients, best.x, atol=1e-3)
