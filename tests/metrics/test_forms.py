"""A resample by counts has the value that its rows, copied out, would have."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probus.errors import DataError
from probus.metrics import MEASURES, Outcome, measure
from probus.metrics.bootstrap import resampled_values
from probus.metrics.bootstrap._draws import Draws, seeds_of
from probus.metrics.resample_forms import Whole

OF_CLASSES = [m for m in MEASURES.values() if m.needs in ("labels", "scores", "probabilities")]
OF_NUMBERS = [m for m in MEASURES.values() if m.needs == "values"]
NAMED = ("accuracy", "f1_macro", "log_loss")
few = settings(max_examples=settings.default.max_examples // 5)
BY_FUNCTION = {"signal_efficiency_at_rejection", "ece", "median_absolute_error", "rae"}


def classified(n, k, rng, weights=None):
    probabilities = rng.multinomial(50, rng.dirichlet(np.ones(k), n)) / 50  # in steps, so that scores tie
    outcome = Outcome(rng.integers(0, k, n), classes=tuple(range(k)), positive=1, weights=weights)
    return outcome.with_probabilities(probabilities)


def numbers(n, rng, weights=None):
    y = rng.gamma(2, size=n)
    return Outcome(y, y + 0.3 * np.abs(rng.normal(size=n)), weights=weights)


def check(measures, outcome, **how):
    """Against the measures of the copied rows, and in other resamples of the rows weighted by their counts."""
    values = resampled_values(measures, outcome, 4, random_state=3, **how)
    draws = Draws.of(outcome, how.get("stratify", False), how.get("groups"))
    for b, seed in enumerate(seeds_of(3, 4)):
        counts = draws.counts(seed)
        if b % 2:
            same = outcome.weighted(counts * (1.0 if outcome.weights is None else outcome.weights))
        else:
            same = outcome.take(np.repeat(np.arange(len(outcome)), counts))
        for i, each in enumerate(measures):
            expected = pytest.approx(each.compute(same), rel=1e-9, abs=1e-12, nan_ok=True)
            assert values[i, b] == expected, each.name


@few
@given(st.integers(1, 60), st.integers(2, 4), st.booleans(), st.sampled_from(["rows", "classes", "groups"]), st.data())
def test_every_measure_of_classes_is_that_of_the_copied_rows(n, k, weighted, drawn, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    outcome = classified(n, k, rng, rng.random(n) + 0.1 if weighted else None)
    groups = rng.integers(0, 5, n) if drawn == "groups" else None
    if groups is not None and len(np.unique(groups)) < 2:
        return
    check(OF_CLASSES, outcome, stratify=drawn == "classes", groups=groups)


@few
@given(st.integers(1, 60), st.booleans(), st.booleans(), st.data())
def test_every_measure_of_numbers_is_that_of_the_copied_rows(n, weighted, grouped, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    outcome = numbers(n, rng, rng.random(n) + 0.1 if weighted else None)
    groups = np.arange(n) % 7 if grouped and n > 1 else None
    check(OF_NUMBERS, outcome, groups=groups)


def test_measures_of_truths_far_from_zero_lose_no_digits():
    rng = np.random.default_rng(0)
    y = 1e6 + rng.normal(size=200)
    check([measure("r2"), measure("rse")], Outcome(y, y + 0.1 * rng.normal(size=200)))


def test_all_but_a_few_measures_are_computed_from_counts():
    rng = np.random.default_rng(0)
    outcome = classified(30, 2, rng)
    slow = {m.name for m in OF_CLASSES if isinstance(m.form_of(outcome), Whole)}
    outcome = numbers(30, rng)
    slow |= {m.name for m in OF_NUMBERS if isinstance(m.form_of(outcome), Whole)}
    assert slow == BY_FUNCTION


def test_a_function_is_given_copied_rows():
    def middle(y_true, y_pred):
        return float(np.median(np.abs(y_true - y_pred)))

    check_copied = measure(middle)
    outcome = numbers(40, np.random.default_rng(1))
    values = resampled_values([check_copied], outcome, 5, random_state=0)
    draws = Draws.of(outcome)
    for b, seed in enumerate(seeds_of(0, 5)):
        rows = np.repeat(np.arange(40), draws.counts(seed))
        assert values[0, b] == middle(outcome.actual[rows], outcome.predicted[rows])


def test_the_same_random_state_draws_the_same_rows_for_another_model():
    rng = np.random.default_rng(0)
    first, second = classified(80, 2, rng), classified(80, 2, rng)
    second = Outcome(first.actual, classes=first.classes, positive=1).with_probabilities(second.probabilities)
    hits = measure("accuracy")
    a, b = (resampled_values([hits], each, 50, random_state=1)[0] for each in (first, second))
    draws = Draws.of(first)
    gap = (first.predicted == first.actual) * 1.0 - (second.predicted == second.actual)
    expected = [draws.counts(seed) @ gap / 80 for seed in seeds_of(1, 50)]
    assert a - b == pytest.approx(expected)


def test_resamples_are_the_same_for_any_number_of_threads():
    outcome = classified(20_000, 2, np.random.default_rng(0))
    measures = [measure(name) for name in ("roc_auc", "average_precision", "f1", "log_loss")]
    one, two = (resampled_values(measures, outcome, 200, random_state=0, n_jobs=jobs) for jobs in (1, 2))
    assert (one == two).all()


@pytest.mark.parametrize("drawn", ["rows", "classes", "groups"])
@pytest.mark.parametrize("weighted", [False, True])
def test_resamples_of_many_rows_are_those_of_the_copied_rows_too(drawn, weighted):
    """Many units are drawn by another way than few."""
    rng = np.random.default_rng(2)
    outcome = classified(6000, 3, rng, rng.integers(0, 3, 6000) * 0.5 if weighted else None)
    groups = rng.integers(0, 2000, 6000) if drawn == "groups" else None
    check([measure(name) for name in NAMED], outcome, stratify=drawn == "classes", groups=groups)


@pytest.mark.parametrize("n", [1, 2])
def test_one_row_or_two_of_one_class_have_resamples(n):
    outcome = Outcome(np.zeros(n, int), classes=(0, 1), positive=1).with_probabilities(np.full((n, 2), 0.5))
    values = resampled_values([measure(name) for name in (*NAMED, "roc_auc")], outcome, 3, random_state=0)
    assert (values[0] == 1).all()
    assert np.isnan(values[-1]).all()


def test_what_kernels_read_need_not_be_contiguous_or_writable():
    rng = np.random.default_rng(3)
    plain = classified(40, 2, rng, rng.random(40))
    strided = np.repeat(plain.weights, 2)[::2]
    strided.flags.writeable = False
    measures = [measure(name) for name in (*NAMED, "roc_auc")]
    a, b = (resampled_values(measures, each, 5, random_state=0) for each in (plain, plain.weighted(strided)))
    assert (a == b).all()


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        (Outcome(np.array([], int), np.array([], int), classes=(0, 1)), r"no rows.\n  Expected at least one"),
        (Outcome(np.array([0, 2]), np.array([0, 1]), classes=(0, 1)), "codes from 0 to 2 for 2 classes"),
        (Outcome(np.array([0, 1]), np.array([-1, 1]), classes=(0, 1)), "codes from -1 to 1 for 2 classes"),
    ],
)
def test_codes_that_would_lead_out_of_bounds_are_refused(outcome, said):
    with pytest.raises(DataError, match=said):
        resampled_values([measure("accuracy")], outcome, 5)
