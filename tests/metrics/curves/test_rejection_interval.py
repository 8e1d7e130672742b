"""The rejection where a share of the signal is kept, with the error of the threshold."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from research.rejections import Cell, coverage
from scipy.stats import binom, binomtest, norm

from probus.errors import DataError
from probus.metrics import efficiency_rejection
from probus.metrics.curves._rejection_interval import background_where_kept
from probus.metrics.curves._shares import clopper_pearson, quantile

few = settings(max_examples=settings.default.max_examples // 3)
Z = quantile(0.95)


@few
@given(st.integers(0, 40), st.integers(1, 40), st.floats(0.5, 0.999))
def test_the_exact_interval_of_a_share_is_that_of_scipy(hits, misses, level):
    ours = clopper_pearson(hits / (hits + misses), hits + misses, quantile(level))
    theirs = binomtest(hits, hits + misses).proportion_ci(level, "exact")
    assert [float(end) for end in ours] == pytest.approx([theirs.low, theirs.high], abs=1e-9)


def joined_intervals(signal, background, efficiency):
    """The definition: at each threshold, with the number of signal rows at or above it, and strictly above it."""
    scores, ends = np.concatenate([signal, background]), []
    for t in [np.inf, *np.unique(scores)]:
        at_least, above = (signal >= t).sum(), (signal > t).sum()
        m, n, passing = len(signal), len(background), int((background >= t).sum())
        p = min(binom.cdf(at_least, m, efficiency), binom.sf(above - 1, m, efficiency))
        left = Z**2 - max(0.0, norm.isf(p)) ** 2
        if left >= 0:
            ends.append(binomtest(passing, n).proportion_ci(2 * norm.cdf(np.sqrt(left)) - 1, "exact"))
    return min(each.low for each in ends), max(each.high for each in ends)


@few
@given(st.integers(0, 10_000), st.integers(2, 12), st.integers(2, 12), st.sampled_from([0.1, 0.5, 0.93, 1.0]))
def test_it_joins_the_intervals_at_all_thresholds_that_are_possible(seed, m, n, efficiency):
    rng = np.random.default_rng(seed)
    signal, background = (rng.normal(shift, size=k).round(1) for shift, k in ((1, m), (0, n)))  # with ties
    scores = np.concatenate([signal, background])
    found = efficiency_rejection(np.repeat([1, 0], [m, n]), scores, band=False).rejection_at(efficiency)
    low, high = joined_intervals(signal, background, efficiency)
    value = found.value  # the interval is stretched to it
    assert [found.low, found.high] == pytest.approx([min(1 - high, value), max(1 - low, value)], abs=1e-6)


def test_with_a_threshold_that_is_known_it_is_that_of_a_share():
    t = np.linspace(4, -4, 4001)
    found = background_where_kept(norm.sf(t - 1), norm.sf(t), 0.5, (1e12, 50), 0.95)
    share = norm.sf(1)
    assert found == pytest.approx([float(end) for end in clopper_pearson(share, 50, Z)], abs=1e-3)


def test_of_many_rows_it_is_that_of_the_delta_method():
    t, (m, n) = np.linspace(4, -4, 400_001), (1e6, 2e6)
    low, high = background_where_kept(norm.sf(t - 1), norm.sf(t), 0.5, (m, n), 0.95)
    share, slope = norm.sf(1), norm.pdf(1) / norm.pdf(0)
    needed = Z * np.sqrt(share * (1 - share) / n + slope**2 * 0.25 / m)
    assert (high - low) / 2 == pytest.approx(needed, rel=0.01)


def test_it_is_wider_than_that_of_the_threshold_as_it_is():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 500)
    curve = efficiency_rejection(y, rng.normal(size=1000) + y, band=False)
    rejection, there = curve.rejection_at(0.9), curve.working_point(efficiency=0.9).rejection
    assert rejection.value == there.value
    assert rejection.half_width > 1.3 * there.half_width


def test_the_ends_hold_in_either_unit():
    y, scores = np.repeat([0, 1], 30), np.random.default_rng(1).normal(size=60)
    plain, inverse = (
        efficiency_rejection(y, scores, rejection=kind, band=False).rejection_at(0.5)
        for kind in ("complement", "inverse")
    )
    assert [inverse.low, inverse.high] == pytest.approx([1 / (1 - plain.low), 1 / (1 - plain.high)])


def test_where_all_signal_is_kept_nothing_bounds_the_threshold_from_below():
    assert efficiency_rejection([0, 0, 0, 1, 1], [1, 2, 3, 4, 5], band=False).rejection_at(1.0).low == 0


def test_the_size_of_weights_does_not_matter():
    y, scores = np.repeat([0, 1], 40), np.random.default_rng(2).normal(size=80)
    curves = [efficiency_rejection(y, scores, sample_weight=w, band=False) for w in (None, np.full(80, 3.0))]
    first, other = (curve.rejection_at(0.8) for curve in curves)
    assert [other.low, other.high] == pytest.approx([first.low, first.high])


@pytest.mark.parametrize("efficiency", [0.0, 1.1])
def test_an_efficiency_that_is_no_share_is_refused(efficiency):
    with pytest.raises(DataError, match="a share above 0, at most 1"):
        efficiency_rejection([0, 1], [1, 2], band=False).rejection_at(efficiency)


@pytest.mark.slow
@pytest.mark.parametrize(
    "cell",
    [
        Cell("wide", 0.5, 0.5, 40, 1000),
        Cell("exponential", 0.9, 0.99, 300, 3000, weighted=True),
        Cell("heavy", 0.9, 0.9, 500, 60),
        Cell("tied", 0.9, 0.5, 30, 30),
        Cell("exponential", 0.5, 0.9999, 300, 10_000),
    ],
    ids=lambda cell: f"{cell.population} {cell.rejection}",
)
def test_the_interval_holds_the_true_rejection(cell):
    """A short form of ``python -m research.rejections``, whose populations did not choose the method."""
    (_, held), _ = coverage(cell, 400)
    assert held >= 0.93
