"""Each kernel against a few lines that nobody can doubt."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

from probus.metrics.bootstrap._kernels import draw_counts, rank_areas, tally, weighted_sums
from probus.metrics.bootstrap.draws import Draws
from probus.metrics.bootstrap.forms import Ranking
from probus.metrics.outcome import Outcome

NONE = np.empty(0, dtype=np.uint32)


@st.composite
def counted_scores(draw):
    """Scores with ties, labels of both classes, and how often each row was drawn."""
    n = draw(st.integers(2, 40))
    scores = np.array(draw(st.lists(st.integers(-4, 4), min_size=n, max_size=n)), dtype=np.float64)
    positive = np.array([True, False, *draw(st.lists(st.booleans(), min_size=n - 2, max_size=n - 2))])
    counts = np.array(draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)), dtype=np.uint8)
    counts[:2] = 1  # both classes occur
    return scores, positive, counts


def areas(amount, zero, scores, positive):
    ranking = Ranking.of(positive, scores)
    out = np.empty(2)
    rank_areas(amount, zero, ranking.order, ranking.positive, ranking.last, out)
    return out


@settings(deadline=None)
@given(counted_scores())
def test_counts_give_scikit_learns_areas_with_those_weights(case):
    scores, positive, counts = case
    expected = [f(positive, scores, sample_weight=counts) for f in (roc_auc_score, average_precision_score)]
    assert areas(counts, np.int64(0), scores, positive) == pytest.approx(expected, rel=1e-12)
    assert areas(counts.astype(np.float64), 0.0, scores, positive) == pytest.approx(expected, rel=1e-12)


@settings(deadline=None)
@given(counted_scores())
def test_the_area_is_the_share_of_pairs_in_order_ties_counting_half(case):
    scores, positive, counts = case
    above = np.sign(scores[positive][:, None] - scores[~positive]) / 2 + 0.5
    pairs = counts[positive][:, None].astype(float) * counts[~positive]
    assert areas(counts, np.int64(0), scores, positive)[0] == pytest.approx((above * pairs).sum() / pairs.sum())


def test_areas_without_a_side_are_undefined():
    scores, positive = np.array([1.0, 2.0]), np.array([True, False])
    no_positives = areas(np.array([0, 3], dtype=np.uint8), np.int64(0), scores, positive)
    no_negatives = areas(np.array([3, 0], dtype=np.uint8), np.int64(0), scores, positive)
    assert np.isnan(no_positives).all()
    assert np.isnan(no_negatives[0])
    assert no_negatives[1] == 1


def test_sums_and_tallies_are_those_of_numpy():
    rng = np.random.default_rng(0)
    counts, columns = rng.integers(0, 9, 501).astype(np.uint8), rng.normal(size=(3, 501))
    out = np.empty(3)
    weighted_sums(counts, columns, out)
    assert out == pytest.approx(columns @ counts)
    codes, weights = rng.integers(0, 6, 501).astype(np.int32), rng.random(501)
    cells = np.empty(6)
    for amount in (counts, counts * weights):
        tally(amount, codes, np.empty((4, 6)), cells)
        assert cells == pytest.approx(np.bincount(codes, amount))


@given(st.integers(0, 2**64 - 1), st.lists(st.integers(1, 30), min_size=1, max_size=4))
def test_every_stratum_is_drawn_as_often_as_it_has_units(seed, sizes):
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    order = np.random.default_rng(0).permutation(starts[-1]).astype(np.uint32)
    counts = np.empty(starts[-1], dtype=np.uint8)
    draw_counts(np.uint64(seed), order, starts, counts)
    assert [counts[order[a:b]].sum() for a, b in pairwise(starts)] == sizes


def test_draws_are_uniform_and_independent():
    """Counts of a unit are Binomial(n, 1/n), those of two units have the correlation −1/(n − 1) of a multinomial."""
    n, seeds = 7, np.random.SeedSequence(0).generate_state(20_000, np.uint64)
    draws = Draws.of(Outcome(np.zeros(n), np.zeros(n)))
    counts = np.array([draws.counts(seed) for seed in seeds])
    assert stats.chisquare(counts.sum(axis=0)).pvalue > 0.001
    seen = np.bincount(counts[:, 3], minlength=n + 1)[:5]
    expected = stats.binom.pmf(np.arange(5), n, 1 / n)
    assert (
        stats.chisquare([*seen, len(seeds) - seen.sum()], len(seeds) * np.append(expected, 1 - expected.sum())).pvalue
        > 0.001
    )
    assert np.corrcoef(counts[:, 1], counts[:, 5])[0, 1] == pytest.approx(-1 / (n - 1), abs=0.02)


def test_kernels_run_as_plain_python():
    compiled, plain = np.empty(50, dtype=np.uint8), np.empty(50, dtype=np.uint8)
    starts = np.array([0, 50])
    draw_counts(np.uint64(3), NONE, starts, compiled)
    with np.errstate(over="ignore"):
        draw_counts.py_func(np.uint64(3), NONE, starts, plain)
    assert (compiled == plain).all()
