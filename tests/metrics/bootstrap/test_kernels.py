"""Each kernel against a few lines that nobody can doubt."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score

from probus.metrics._outcome import Outcome
from probus.metrics.bootstrap import _drawing, _kernels
from probus.metrics.bootstrap._drawing import _law, draw_counts
from probus.metrics.bootstrap._draws import Draws
from probus.metrics.bootstrap._kernels import rank_areas, resample, tally, weighted_sums
from probus.metrics.resample_forms import Ranking

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


@pytest.mark.slow
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


@settings(max_examples=10)
@given(st.integers(0, 2**64 - 1), st.lists(st.integers(1000, 1500), min_size=1, max_size=3), st.booleans())
def test_every_large_stratum_is_drawn_as_often_as_it_has_units(seed, sizes, ordered):
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    order = np.random.default_rng(0).permutation(starts[-1]).astype(np.uint32) if ordered else np.arange(starts[-1])
    counts = np.empty(starts[-1], dtype=np.uint8)
    draw_counts(np.uint64(seed), order.astype(np.uint32), starts, counts)
    assert [counts[order[a:b]].sum() for a, b in pairwise(starts)] == sizes


@pytest.mark.parametrize(("n", "n_seeds"), [(7, 20_000), (1100, 4000)])
def test_draws_are_uniform_and_independent(n, n_seeds):
    """Counts of a unit are Binomial(n, 1/n), those of two units have the correlation −1/(n − 1) of a multinomial."""
    draws = Draws.of(Outcome(np.zeros(n), np.zeros(n)))
    counts = np.array([draws.counts(seed) for seed in np.random.SeedSequence(0).generate_state(n_seeds, np.uint64)])
    assert stats.chisquare(counts.sum(axis=0)).pvalue > 0.001
    units = [3] if n < 10 else slice(None, None, 10)  # of few units, one: the others would not be independent
    seen = np.bincount(counts[:, units].ravel(), minlength=10)[:6]
    expected = stats.binom.pmf(np.arange(6), n, 1 / n)
    total = counts[:, units].size
    assert stats.chisquare([*seen, total - seen.sum()], total * np.append(expected, 1 - expected.sum())).pvalue > 0.001
    assert np.corrcoef(counts[:, 1], counts[:, 5])[0, 1] == pytest.approx(-1 / (n - 1), abs=4 / np.sqrt(n_seeds))


def test_means_of_many_units_vary_as_those_of_copied_rows():
    """The variance of a resample's sum is Σ(x − x̄)²; were the counts left unmade whole, it would be Σx²."""
    x = np.random.default_rng(1).gamma(2, size=2000)
    draws = Draws.of(Outcome(x, x))
    sums = np.array([draws.counts(seed) @ x for seed in np.random.SeedSequence(2).generate_state(4000, np.uint64)])
    assert stats.kstest((sums - x.sum()) / (x.std() * np.sqrt(len(x))), "norm").pvalue > 0.001
    assert sums.var() == pytest.approx(((x - x.mean()) ** 2).sum(), rel=0.1)


def test_the_law_of_counts_is_poissons():
    """What 16 bits stand for and what they leave over make up every probability."""
    starts, rest = np.empty(8, np.uint16), np.empty(30)
    _law(0.97, starts, rest)
    told = np.diff(starts.astype(int), prepend=0) / 65_536
    left = np.diff(rest, prepend=0) * (1 - told.sum())
    left[:8] += told
    assert left == pytest.approx(stats.poisson.pmf(np.arange(30), 0.97), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("n", [50, 1100])
def test_kernels_run_as_plain_python(n, monkeypatch):
    compiled, plain = np.empty(n, dtype=np.uint8), np.empty(n, dtype=np.uint8)
    starts = np.array([0, n])
    draw_counts(np.uint64(3), NONE, starts, compiled)
    for name, kernel in vars(_drawing).copy().items():
        if hasattr(kernel, "py_func"):
            monkeypatch.setattr(_drawing, name, kernel.py_func)
    with np.errstate(over="ignore"):
        _drawing.draw_counts(np.uint64(3), NONE, starts, plain)
    assert (compiled == plain).all()


def test_what_is_cached_is_compiled_for_stated_types_only():
    """Else two processes that first meet different types may number the entries of one cache alike."""
    for kernel in (draw_counts, rank_areas, resample):
        with pytest.raises(TypeError, match="No matching definition"):
            kernel(
                *[np.complex128(0)] * len(kernel.py_func.__code__.co_varnames[: kernel.py_func.__code__.co_argcount])
            )
    inner = [k for m in (_drawing, _kernels) for k in vars(m).values() if hasattr(k, "py_func")]
    cached = {k.py_func.__name__ for k in inner if type(k._cache).__name__ != "NullCache"}
    assert cached == {"draw_counts", "rank_areas", "resample"}
