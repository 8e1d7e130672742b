"""Measures as shares: how many rows they are worth, and how far samples of them lie off."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probus.metrics import Outcome, measure
from probus.metrics._confusion import accuracy
from probus.metrics.bootstrap import estimate_outcome
from probus.metrics.bootstrap._draws import Draws
from probus.metrics.bootstrap._effective import _cell_bias, share_like
from probus.metrics.bootstrap._influence import cell_slopes
from probus.metrics.curves._shares import wilson
from probus.metrics.resample_forms import ConfusionCells


def drawn(n, k, seed):
    rng = np.random.default_rng(seed)
    actual = rng.integers(0, k, n)
    predicted = np.where(rng.random(n) < 0.6, actual, rng.integers(0, k, n))
    return Outcome(actual, predicted, classes=tuple(range(k)), positive=1 if k == 2 else None)


def like(name, outcome, **how):
    of = measure(name)
    form = of.form_of(outcome)
    return share_like(form, of.compute(outcome), (of.low, of.high), outcome, Draws.of(outcome, **how))


@settings(deadline=None, max_examples=30)
@given(st.integers(10, 80), st.integers(2, 5), st.integers(0, 99), st.booleans())
def test_shares_are_not_biased(n, k, seed, stratify):
    names = ["accuracy", "error_rate", *(["recall", "precision"] if k == 2 and not stratify else [])]
    for name in names:
        assert like(name, drawn(n, k, seed), stratify=stratify).bias == pytest.approx(0, abs=1e-6)


def test_the_bias_of_a_squared_share_is_its_variance():
    """E[p̂²] = p² + Var p̂, exactly."""
    counts = np.array([14.0, 6.0, 9.0, 71.0])
    form = ConfusionCells(np.empty(0, np.int32), 2, lambda cells: accuracy(cells) ** 2)
    assert _cell_bias(form, counts, keeps_classes=False) == pytest.approx(0.85 * 0.15 / 100, rel=1e-4)
    within = (20 * 0.7 * 0.3 + 80 * (9 / 80) * (71 / 80)) / 100**2
    assert _cell_bias(form, counts, keeps_classes=True) == pytest.approx(within, rel=1e-4)


@pytest.mark.parametrize("name", ["f1", "kappa", "f1_macro"])
def test_the_bias_is_that_of_many_samples(name):
    rng, shares = np.random.default_rng(0), np.array([[0.65, 0.05], [0.08, 0.22]])
    of, n = measure(name), 40
    tables = rng.multinomial(n, shares.ravel(), 200_000).reshape(-1, 2, 2)
    bias = np.nanmean(of.counts(tables, 1)) - of.counts(shares, 1)
    form = ConfusionCells(np.empty(0, np.int32), 2, lambda cells: of.counts(cells, 1))
    assert _cell_bias(form, n * shares.ravel(), keeps_classes=False) == pytest.approx(bias, rel=0.2)


def test_groups_multiply_the_bias_by_what_they_cost():
    one = drawn(60, 3, seed=0)
    five = one.take(np.repeat(np.arange(60), 5))
    alone, grouped = like("f1_macro", one), like("f1_macro", five, groups=np.repeat(np.arange(60), 5))
    assert grouped.bias == pytest.approx(alone.bias, rel=0.2)
    assert grouped.rows == pytest.approx(alone.rows, rel=0.2)


@pytest.mark.parametrize("name", ["f1_macro", "kappa", "mcc", "accuracy"])
def test_the_interval_spans_that_of_the_value_and_that_of_the_value_without_bias(name):
    outcome, of = drawn(40, 4, seed=3), measure(name)
    found, known = estimate_outcome(of, outcome), like(name, outcome)
    width = of.high - of.low
    ends = [wilson((v - of.low) / width, known.rows, 0.95) for v in (found.value, found.value - known.bias)]
    assert found.low == pytest.approx(of.low + width * min(low for low, _ in ends))
    assert found.high == pytest.approx(of.low + width * max(high for _, high in ends))


def test_many_classes_are_moved_in_blocks_as_cell_by_cell():
    outcome = drawn(500, 40, seed=0)
    form = measure("f1_macro").form_of(outcome)
    counts = np.bincount(form.codes, minlength=1600) + 0.1
    slopes = cell_slopes(form, counts)
    for cell in (0, 1, 656, 1300, 1599):
        step = np.zeros(1600)
        step[cell] = 1e-4 * counts[cell]
        more, fewer = (form.value((counts + sign * step).reshape(40, 40)) for sign in (1, -1))
        assert slopes[cell] == pytest.approx((more - fewer) / (2 * step[cell]), rel=1e-6, abs=1e-12)
