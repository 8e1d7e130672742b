import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probus.data import Task
from probus.dummy import ZeroRClassifier
from probus.errors import DataError
from probus.metrics import Outcome, measure
from probus.model_selection import OutOfBagBootstrap, resample
from probus.model_selection._bootstrap_632 import no_information, out_of_bag, weighed
from probus.naive_bayes import GaussianNB
from probus.neighbors import KNeighborsClassifier

share = st.floats(0, 1)
error, accuracy = measure("error_rate"), measure("accuracy")


def noise(n=100, seed=0):
    rng = np.random.default_rng(seed)
    return Task({"a": rng.normal(size=n), "b": rng.normal(size=n), "y": ["p", "q"] * (n // 2)}, target="y")


# -- the weights ---------------------------------------------------------------------------------------


@given(share, share, share)
def test_the_weight_of_the_outside_score_lies_between_632_and_1(apparent, outside, chance):
    plus = weighed(error, apparent, outside, chance)
    capped = min(outside, chance)
    ends = 0.368 * apparent + 0.632 * capped, capped
    assert min(ends) - 1e-12 <= plus <= max(ends) + 1e-12


@given(share, share, share)
def test_accuracy_and_error_say_the_same(apparent, outside, chance):
    for level in (None, chance):
        turned = weighed(accuracy, 1 - apparent, 1 - outside, None if level is None else 1 - level)
        assert turned == pytest.approx(1 - weighed(error, apparent, outside, level))


def test_by_hand_as_in_efron_and_tibshirani():
    # apparent 0.1, outside 0.3, chance 0.5: R = 0.2 / 0.4 = 0.5, w = 0.632 / (1 - 0.184) = 0.774510
    assert weighed(error, 0.1, 0.3) == pytest.approx(0.2264)
    assert weighed(error, 0.1, 0.3, 0.5) == pytest.approx(0.1 + 0.632 / 0.816 * 0.2)
    assert weighed(error, 0.3, 0.1, 0.5) == pytest.approx(0.368 * 0.3 + 0.632 * 0.1)  # no overfitting: R = 0


# -- its parts -----------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=3, max_size=60))
def test_no_information_is_the_error_of_every_truth_with_every_prediction(pairs):
    actual, predicted = np.array(pairs).T
    outcome = Outcome(actual, predicted, classes=("a", "b", "c"))
    assert no_information(error, outcome) == pytest.approx(np.mean(actual[:, None] != predicted[None, :]))


@pytest.mark.slow
def test_no_information_of_many_rows_is_close_to_that_and_of_a_ranking_is_a_half():
    rng = np.random.default_rng(0)
    actual = np.sort(rng.integers(0, 2, 2000))
    probabilities = np.clip(0.2 + 0.6 * actual + 0.1 * rng.normal(size=2000), 0, 1)
    outcome = Outcome(actual, classes=("a", "b"), positive=1).with_probabilities(probabilities)
    p, q = actual.mean(), outcome.predicted.mean()
    assert no_information(error, outcome) == pytest.approx(p * (1 - q) + q * (1 - p), abs=0.005)
    assert no_information(measure("roc_auc"), outcome) == pytest.approx(0.5, abs=0.005)
    numbers = Outcome(np.arange(500.0), np.arange(500.0))
    expected = np.mean(np.abs(np.arange(500)[:, None] - np.arange(500)))
    assert no_information(measure("mae"), numbers) == pytest.approx(expected, rel=0.02)


def test_each_row_counts_once_however_often_it_was_out_of_the_bag():
    def says(hits):
        return Outcome(np.zeros(len(hits), int), np.array([1 - hit for hit in hits]), classes=("a", "b"))

    rows = [np.array([0, 1]), np.array([0]), np.array([0, 2])]
    outcomes = [says([1, 0]), says([1]), says([0, 1])]  # row 0: 2 of 3 right, row 1: none, row 2: all
    assert out_of_bag(accuracy, rows, outcomes) == pytest.approx((2 / 3 + 0 + 1) / 3)
    weighted = [o.weighted(np.array([3.0, 1.0, 0.0])[r]) for o, r in zip(outcomes, rows, strict=True)]
    assert out_of_bag(accuracy, rows, weighted) == pytest.approx((3 * 2 / 3 + 0) / 4)


def test_the_rmse_is_the_root_of_a_mean_over_rows_not_a_mean_of_roots():
    rows = [np.array([0, 1]), np.array([1, 2])]
    outcomes = [Outcome(np.zeros(2), np.array([1.0, 3.0])), Outcome(np.zeros(2), np.array([1.0, 2.0]))]
    by_row = [1.0, (9.0 + 1.0) / 2, 4.0]
    assert out_of_bag(measure("rmse"), rows, outcomes) == pytest.approx(np.sqrt(np.mean(by_row)))
    weighted = [o.weighted(np.array([1.0, 0.0, 2.0])[r]) for o, r in zip(outcomes, rows, strict=True)]
    assert out_of_bag(measure("rmse"), rows, weighted) == pytest.approx(np.sqrt((1.0 + 2 * 4.0) / 3))


# -- on models -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_one_nearest_neighbour_on_noise_fools_632_but_not_632_plus():
    result = resample(KNeighborsClassifier(1), noise(), cv=OutOfBagBootstrap(50, random_state=0))
    assert result.apparent.actual.tolist() == result.apparent.predicted.tolist()
    assert result.estimate("error_rate", how=".632").value == pytest.approx(0.316, abs=0.06)
    assert result.estimate("error_rate", how=".632+").value == pytest.approx(0.5, abs=0.06)
    assert 0.5 in result.estimate("error_rate", how=".632+")
    assert result.estimate("error_rate", how=".632").method.endswith(
        "; too optimistic, since the model overfits: use how='.632+'"
    )


def test_a_model_that_does_not_overfit_has_three_estimates_that_agree():
    rng = np.random.default_rng(1)
    x = rng.normal(size=300)
    task = Task({"x": x, "y": np.where(x + rng.normal(size=300) > 0, "p", "q")}, target="y")
    result = resample(GaussianNB(), task, cv=OutOfBagBootstrap(40, random_state=0))
    outside, plain, plus = (result.estimate(how=how).value for how in ("mean", ".632", ".632+"))
    assert plain == pytest.approx(outside, abs=0.01)
    assert plus == pytest.approx(plain, abs=0.005)
    assert "optimistic" not in result.estimate(how=".632").method


@pytest.mark.slow
def test_632_plus_is_less_biased_than_the_out_of_bag_score_for_a_model_that_learns():
    """Two normal classes one standard deviation either side of 0: the error of 3-NN, known from fresh rows."""
    gaps = {"mean": [], ".632": [], ".632+": []}
    for seed in range(30):
        rng = np.random.default_rng(seed)

        def draw(n, rng=rng):
            side = np.arange(n) % 2
            return rng.normal(size=(n, 4)) + side[:, None], np.where(side == 1, "p", "q")

        X, y = draw(40)
        task = Task({**{f"x{j}": X[:, j] for j in range(4)}, "y": y}, target="y")
        result = resample(KNeighborsClassifier(3), task, cv=OutOfBagBootstrap(30, random_state=seed))
        fresh, truth = draw(4000)
        missed = np.mean(KNeighborsClassifier(3).fit(X, y).predict(fresh) != truth)
        for how, found in gaps.items():
            found.append(result.estimate("error_rate", how=how).value - missed)
    bias = {how: np.mean(found) for how, found in gaps.items()}
    assert bias["mean"] > 0.005
    assert abs(bias[".632+"]) < bias["mean"]
    assert bias[".632"] < bias[".632+"]


def test_the_interval_says_whose_width_it_has():
    result = resample(ZeroRClassifier(), noise(), cv=OutOfBagBootstrap(10, random_state=0))
    estimate = result.estimate(how=".632+")
    assert estimate.method == ".632+ bootstrap (Efron and Tibshirani 1997), as wide as the out-of-bag interval"
    assert estimate.low <= estimate.value <= estimate.high


def test_other_splits_cannot_be_weighed_so():
    with pytest.raises(DataError, match=r"stratified 3-fold cross-validation\.\n  Expected the out-of-bag bootstrap"):
        resample(ZeroRClassifier(), noise(), cv=3).estimate(how=".632+")
