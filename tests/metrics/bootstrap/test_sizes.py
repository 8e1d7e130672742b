import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from research.populations import CHOSEN_ON

from probus.errors import DataError
from probus.metrics import Outcome, estimate, test_size_for
from probus.metrics.bootstrap._sizes import _wilson_size
from probus.metrics.curves._shares import quantile, wilson


@given(st.floats(0, 1), st.floats(0.005, 0.2), st.floats(0.5, 0.999))
def test_wilsons_interval_of_that_size_has_the_wanted_half_width(p, half_width, level):
    n = _wilson_size(p, half_width, quantile(level))
    low, high = wilson(p, n, level)
    if n > 1:
        assert (high - low) / 2 == pytest.approx(half_width, rel=1e-6)


def test_the_estimate_on_so_many_rows_is_that_precise():
    wanted = test_size_for("accuracy", 0.03, score=0.8)
    hits = np.arange(wanted.n) < 0.8 * wanted.n
    assert estimate("accuracy", np.ones(wanted.n, int), hits.astype(int)).half_width == pytest.approx(0.03, rel=0.01)


def test_more_precision_and_more_confidence_cost_rows():
    n = int(test_size_for("accuracy", 0.02, score=0.9))
    assert int(test_size_for("accuracy", 0.01, score=0.9)) == pytest.approx(4 * n, rel=0.02)
    assert int(test_size_for("accuracy", 0.02, score=0.9, level=0.99)) > 1.6 * n
    assert int(test_size_for("recall", 0.02, score=0.9, share=0.25)) == pytest.approx(4 * n, rel=0.01)


@pytest.mark.parametrize("name", ["accuracy", "f1", "roc_auc", "log_loss", "rmse"])
def test_a_pilot_foretells_the_precision_of_a_larger_test_set(name):
    rng = np.random.default_rng(0)

    def sample(n):
        if name == "rmse":
            y = rng.normal(size=n)
            return Outcome(y, y + rng.normal(size=n))
        actual = (rng.random(n) < 0.4).astype(int)
        probabilities = 1 / (1 + np.exp(-rng.normal(size=n) - 2 * actual + 1))
        return Outcome(actual, classes=(0, 1), positive=1).with_probabilities(probabilities)

    wanted = test_size_for(name, 0.02, y_true=sample(2000), random_state=0)
    assert "pilot" in wanted.method
    assert estimate(name, sample(wanted.n), random_state=0).half_width == pytest.approx(0.02, rel=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["accuracy", "f1", "rmse", "median_absolute_error"])
def test_a_small_pilot_says_how_little_it_knows(name):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 1000)
    predicted = np.where(rng.random(1000) < 0.8, y, 1 - y)
    if name in ("rmse", "median_absolute_error"):
        y, predicted = rng.normal(size=(2, 1000))
    how = {"n_resamples": 100, "random_state": 0}
    sizes = [test_size_for(name, 0.02, y_true=y[:n], y_pred=predicted[:n], **how) for n in (60, 1000)]
    for each in sizes:
        assert each.low <= each.n <= each.high
        assert f"{each.n:,} [{each.low:,}, {each.high:,}] test rows" in each.sentence
    few, many = sizes
    assert few.high / few.low > 1.3 * many.high / many.low
    assert test_size_for("accuracy", 0.02, score=0.9).low is None


def test_a_pilot_without_errors_does_not_promise_a_test_set_without_errors():
    wanted = test_size_for("accuracy", 0.02, y_true=[0, 1] * 20, y_pred=[0, 1] * 20, random_state=0)
    assert wanted.high > 5 * wanted.n


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "what"), [("accuracy", "0.95"), ("f1", "30 % positive"), ("rmse", "normal errors")])
def test_the_interval_of_a_pilot_holds_the_needed_number(metric, what):
    population = next(each for each in CHOSEN_ON if (each.metric, each.what) == (metric, what))
    rng = np.random.default_rng(2)
    truth = test_size_for(metric, 0.03, y_true=population.sample(rng, 100_000), random_state=0).n
    pilots = [test_size_for(metric, 0.03, y_true=population.sample(rng, 100), random_state=i) for i in range(40)]
    assert np.mean([each.low <= truth <= each.high for each in pilots]) > 0.85


def test_the_answer_is_a_sentence_and_plain_data():
    wanted = test_size_for("accuracy", 0.01, score=0.5)
    assert repr(wanted) == wanted.sentence
    assert wanted.sentence == ("9,600 test rows give accuracy to ±0.01 at 95 % confidence, if it is 0.5 (Wilson).")
    assert wanted.to_dict()["n"] == wanted.n


@pytest.mark.parametrize(
    ("arguments", "how", "text"),
    [
        (("accuracy", 0), {"score": 0.9}, r"half_width=0\.\n  Expected a number above zero"),
        (("accuracy", 0.1), {}, r"no pilot sample for 'accuracy' and no score\.\n  Expected y_true and y_pred"),
        (("rmse", 0.1), {"score": 0.9}, r"no pilot sample for 'rmse'\."),
        (("accuracy", 0.1), {"score": 1.9}, r"score=1\.9, share=1\.0\.\n  Expected shares"),
        (("accuracy", 0.1), {"score": 0.9, "share": 0.0}, r"share=0\.0"),
        (("accuracy", 0.1), {"score": 0.9, "level": 2}, "a confidence level of 2"),
        (
            ("roc_auc", 0.1),
            {"y_true": [1, 1], "y_pred": [0.1, 0.2], "classes": [0, 1]},
            "roc_auc is undefined on the pilot",
        ),
    ],
)
def test_what_cannot_be_answered_is_said(arguments, how, text):
    with pytest.raises(DataError, match=text):
        test_size_for(*arguments, **how)


def test_a_pilot_of_few_distinct_losses_has_a_finite_interval():
    y = np.arange(50.0)
    found = test_size_for("rmse", 0.03, y_true=y, y_pred=y + np.eye(50)[7], random_state=0)
    assert found.low <= found.n <= found.high < 1e9


def test_the_interval_of_a_skewed_loss_reaches_further_up_than_down():
    rng = np.random.default_rng(0)
    y = rng.normal(size=80)
    found = test_size_for("mae", 0.03, y_true=y, y_pred=y + np.exp(rng.normal(size=80)), random_state=0)
    assert found.high / found.n > found.n / found.low


def test_the_interval_does_not_depend_on_the_unit_of_the_losses():
    rng = np.random.default_rng(0)
    y, p = rng.normal(size=(2, 60))
    one, other = (test_size_for("rmse", 0.03 * u, y_true=u * y, y_pred=u * p, random_state=0) for u in (1.0, 1024.0))
    assert (one.n, one.low, one.high) == (other.n, other.low, other.high)
