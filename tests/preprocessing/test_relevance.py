import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import mutual_info_score

from probus.errors import DataError
from probus.preprocessing._relevance import correlation, mutual_information
from probus.preprocessing._screening_target import ScreeningTarget


def test_information_on_few_values_is_the_plug_in_estimate_less_its_bias():
    rng = np.random.default_rng(0)
    x, y = rng.integers(3, size=900), rng.integers(4, size=900)
    value, p_value = mutual_information(x.astype(float), ScreeningTarget.of(y, 900))
    assert value == pytest.approx(mutual_info_score(x, y) - 2 * 3 / (2 * 900))
    table = np.histogram2d(x, y, bins=(3, 4))[0]
    assert p_value == pytest.approx(stats.chi2_contingency(table, lambda_="log-likelihood", correction=False).pvalue)


def test_information_does_not_change_under_monotone_transforms():
    x, y = np.random.default_rng(1).normal(size=(2, 500))
    target = ScreeningTarget.of(x * x + y, 500)
    assert mutual_information(x, target) == mutual_information(np.exp(x), target)


@pytest.mark.parametrize("screen", [mutual_information, correlation])
def test_p_values_of_noise_are_uniform(screen):
    rng = np.random.default_rng(2)
    labels = ScreeningTarget.of(rng.integers(2, size=400), 400)
    p_values = [screen(rng.normal(size=400), labels)[1] for _ in range(200)]
    assert stats.kstest(p_values, "uniform").pvalue > 0.01


def information_of(r):
    return pytest.approx(-0.5 * np.log(1 - r * r))


def test_correlation_is_pearsons():
    x, y = np.random.default_rng(3).normal(size=(2, 50))
    expected = stats.pearsonr(x, y)
    assert correlation(x, ScreeningTarget.of(y, 50)) == (
        information_of(expected.statistic),
        pytest.approx(expected.pvalue),
    )


def test_correlation_with_classes_is_that_of_the_clearest_class():
    x = np.repeat([0.0, 0.0, 1.0], 20) + np.random.default_rng(4).normal(0, 0.1, 60)
    labels = np.repeat(["a", "b", "c"], 20)
    assert correlation(x, ScreeningTarget.of(labels, 60))[0] == information_of(np.corrcoef(x, labels == "c")[0, 1])


def test_a_straight_line_is_very_much_but_finite():
    assert np.isfinite(correlation(np.arange(30.0), ScreeningTarget.of(np.arange(30), 30))[0])


@pytest.mark.parametrize("screen", [mutual_information, correlation])
def test_missing_values_are_ignored_and_constants_have_no_relevance(screen):
    x, y = np.random.default_rng(5).normal(size=(2, 100))
    with_missing = np.where(np.arange(100) % 2, np.nan, x)
    assert screen(with_missing, ScreeningTarget.of(y, 100)) == screen(
        x[::2], ScreeningTarget.of(y, 100).take(np.arange(0, 100, 2))
    )
    assert screen(np.ones(100), ScreeningTarget.of(y, 100)) == (0.0, 1.0)
    assert screen(np.full(100, np.nan), ScreeningTarget.of(y, 100)) == (0.0, 1.0)


def test_few_whole_numbers_and_labels_are_classes_and_other_numbers_are_numbers():
    assert ScreeningTarget.of(np.arange(30) % 5, 30).n_classes == 5
    assert ScreeningTarget.of([True, False], 2).n_classes == 2
    assert ScreeningTarget.of(["a", "b", "c"], 3).n_classes == 3
    assert ScreeningTarget.of(np.arange(30), 30).n_classes == 0
    assert ScreeningTarget.of([0.5, 1.5, 0.5], 3).n_classes == 0


def test_bad_targets_are_errors():
    with pytest.raises(DataError, match="X has 31 rows and y has 30"):
        ScreeningTarget.of(np.arange(30), 31)
    with pytest.raises(DataError, match="y contains NaN"):
        ScreeningTarget.of(np.append(np.arange(30.0), np.nan), 31)
