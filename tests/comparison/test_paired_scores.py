import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from probus.comparison._bayesian import bayesian_correlated_ttest
from probus.comparison._paired_scores import corrected_resampled_ttest, resampled_ttest, wilcoxon
from probus.errors import DataError

A = np.array([0.82, 0.855, 0.80, 0.843, 0.83, 0.79, 0.86, 0.81, 0.837, 0.82])
B = np.array([0.80, 0.81, 0.79, 0.822, 0.787, 0.796, 0.83, 0.802, 0.834, 0.813])

TESTS = {
    "resampled": resampled_ttest,
    "corrected": lambda a, b, **how: corrected_resampled_ttest(a, b, 1 / 9, **how),
    "wilcoxon": wilcoxon,
    "bayesian": lambda a, b, **how: bayesian_correlated_ttest(a, b, 1 / 9, **how),
}
P_TESTS = {name: test for name, test in TESTS.items() if name != "bayesian"}
each_test = pytest.mark.parametrize("test", TESTS.values(), ids=TESTS)
each_p_test = pytest.mark.parametrize("test", P_TESTS.values(), ids=P_TESTS)
scores = st.lists(st.floats(0, 1).map(lambda x: round(x, 3)), min_size=6, max_size=20)


# -- properties ----------------------------------------------------------------------------------------


@pytest.mark.slow
@each_p_test
@settings(max_examples=20, deadline=None)  # SciPy counts all permutations where there are ties
@given(scores, st.randoms())
def test_swapping_the_models_turns_the_difference_and_keeps_p(test, a, random):
    b = random.sample(a, len(a))
    one, other = test(a, b), test(b, a)
    assert one.pvalue == pytest.approx(other.pvalue)
    assert one.effect.value == pytest.approx(-other.effect.value)
    assert one.effect.low == pytest.approx(-other.effect.high)


@pytest.mark.parametrize("name", ["resampled", "corrected"])
@given(scores, st.randoms(), st.sampled_from([0.8, 0.95, 0.99]))
def test_a_t_interval_holds_zero_exactly_where_the_test_does_not_reject(name, a, random, level):
    result = TESTS[name](a, random.sample(a, len(a)), level=level)
    assert (0 in result.effect) == (not result.significant(1 - level)) or result.pvalue == pytest.approx(1 - level)


@given(scores, st.randoms())
def test_the_correction_never_makes_a_result_more_significant(a, random):
    b = random.sample(a, len(a))
    assert TESTS["corrected"](a, b).pvalue >= TESTS["resampled"](a, b).pvalue - 1e-12


@each_p_test
def test_losses_turn_the_sentence_not_the_numbers(test):
    gain, loss = test(A, B), test(A, B, greater_is_better=False)
    assert gain.effect == loss.effect
    assert gain.sentence.startswith("a beats b")
    assert loss.sentence.startswith("b beats a")


# -- references ----------------------------------------------------------------------------------------


def test_the_resampled_t_is_r_s_paired_t_test():
    # R 4.2.2, t.test(A, B, paired = TRUE)
    result = resampled_ttest(A, B)
    assert (result.statistic, result.pvalue) == pytest.approx((3.36955241485463564, 0.00826285226148316))
    assert (result.effect.low, result.effect.high) == pytest.approx((0.00594852122610061, 0.03025147877389935))
    assert result.df == 9
    assert "Too optimistic" in result.note


def test_the_course_notes_example_of_thirty_splits():
    # t = 1.930 with p = 0.063: the notes do not say how many splits, and 30 give that p
    d = np.tile([1.0, -1.0], 15)
    d += 1.930 * d.std(ddof=1) / np.sqrt(30)
    result = resampled_ttest(d, np.zeros(30))
    assert result.statistic == pytest.approx(1.930)
    assert result.pvalue == pytest.approx(0.063, abs=0.001)
    assert ": undecided on" in result.sentence


def test_the_corrected_t_by_its_formula():
    d = A - B
    result = corrected_resampled_ttest(A, B, 1 / 9, n_rows=891, names=("forest", "logistic"))
    t = d.mean() / np.sqrt(d.var(ddof=1) * (1 / 10 + 1 / 9))
    assert result.statistic == pytest.approx(t)
    assert result.pvalue == pytest.approx(2 * stats.t.sf(t, 9))
    assert result.sentence == (
        "forest beats logistic on 891 rows (difference 0.018 [0.000, 0.036], p = 0.046, corrected resampled t-test)"
    )


def test_wilcoxon_with_its_interval_is_r_s():
    # R 4.2.2, wilcox.test(A, B, paired = TRUE, conf.int = TRUE); V is the sum of the positive ranks, 55 − 2
    result = wilcoxon(A, B)
    assert result.statistic == 55 - 53
    assert result.pvalue == pytest.approx(0.005859375)
    assert (result.effect.value, result.effect.low, result.effect.high) == pytest.approx((0.0185, 0.0065, 0.0315))


def test_wilcoxon_s_ranks_are_not_upset_by_floating_point():
    # Demšar 2006 (JMLR 7), table 2: C4.5 with and without tuned m, R⁻ = 12, zeros shared
    plain = [.763, .599, .954, .628, .882, .936, .661, .583, .775, 1, .940, .619, .972, .957]  # fmt: skip
    tuned = [.768, .591, .971, .661, .888, .931, .668, .583, .838, 1, .962, .666, .981, .978]  # fmt: skip
    result = wilcoxon(plain, tuned, zero_method="zsplit")
    assert result.statistic == 12
    assert result.note == "Differences of zero: 2 of 14, shared between both signs."
    assert result.sentence.startswith("b beats a on 14 data sets")


@pytest.mark.slow
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
def test_zeros_are_handled_as_scipy_does(zero_method):
    d = np.array([0.0, 0.1, 0.3, -0.2, 0.4, 0.0, 0.6, 0.7, -0.5, 0.8])
    found = stats.wilcoxon(d, zero_method=zero_method)
    result = wilcoxon(d, np.zeros(10), zero_method=zero_method)
    assert (result.statistic, result.pvalue) == pytest.approx((found.statistic, found.pvalue))


@pytest.mark.parametrize("n", [6, 20, 60])
def test_the_hodges_lehmann_interval_inverts_the_signed_rank_test(n):
    d = np.random.default_rng(n).normal(0.3, 1, n)
    effect = wilcoxon(d, np.zeros(n)).effect
    for bound in (effect.low, effect.high):
        inside = bound + 1e-9 * np.sign(effect.value - bound)
        outside = bound - 1e-9 * np.sign(effect.value - bound)
        method = "exact" if n <= 50 else "approx"
        assert stats.wilcoxon(d - inside, method=method).pvalue > 0.05 - 0.002
        assert stats.wilcoxon(d - outside, method=method).pvalue < 0.05 + 0.002


# -- edges ---------------------------------------------------------------------------------------------


@each_p_test
def test_equal_scores_have_statistic_0_and_p_1(test):
    result = test(A, A)
    assert (result.statistic, result.pvalue) == (0, 1)
    assert result.sentence.startswith("a and b score the same on all 10 ")
    assert not result.significant()


@pytest.mark.parametrize("name", ["resampled", "corrected"])
def test_one_and_the_same_difference_everywhere_is_the_limit_and_says_so(name):
    result = TESTS[name](A, A - 0.1)  # 0.1 up to floating-point noise
    assert (result.statistic, result.pvalue) == (np.inf, 0)
    assert result.effect.low == result.effect.high == pytest.approx(0.1)
    assert result.note.startswith("Every difference is the same, so their spread cannot be estimated")


def test_too_few_data_sets_leave_wilcoxon_s_interval_unbounded():
    assert wilcoxon(A[:5], B[:5]).effect.half_width == np.inf
    assert wilcoxon(A[:6], B[:6]).effect.half_width < np.inf


@each_test
def test_lists_of_unequal_length_are_refused(test):
    with pytest.raises(DataError, match="10 scores of a and 9 of b"):
        test(A, B[:9])


@each_test
def test_a_single_pair_is_refused(test):
    with pytest.raises(DataError, match=r"Expected at least two\. A single pair has no spread"):
        test([0.8], [0.7])


@each_test
def test_nan_scores_are_refused(test):
    with pytest.raises(DataError, match=r"scores of b: 1 of 10 are NaN or infinite.*\n.*leave that pair out of both"):
        test(A, np.where(np.arange(10) == 3, np.nan, B))


@each_test
@pytest.mark.parametrize(
    ("bad", "said"),
    [([["x"]] * 10, "scores of a that are not numbers"), (np.ones((10, 2)), r"of a of shape \(10, 2\)")],
)
def test_what_is_no_list_of_numbers_is_refused(test, bad, said):
    with pytest.raises(DataError, match=said):
        test(bad, B)


@pytest.mark.parametrize("ratio", [0, -1, np.nan, np.inf])
def test_the_ratio_of_rows_must_be_positive(ratio):
    with pytest.raises(DataError, match=r"n_test / n_train, above zero\. Ten folds have 1/9"):
        corrected_resampled_ttest(A, B, ratio)


def test_an_unknown_zero_method_is_refused():
    with pytest.raises(DataError, match="one of 'wilcox', 'pratt', 'zsplit'"):
        wilcoxon(A, B, zero_method="drop")
