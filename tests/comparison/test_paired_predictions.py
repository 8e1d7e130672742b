import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.stats import multinomial

from probus.comparison._paired_predictions import cochran_q, mcnemar, paired_difference
from probus.errors import DataError


def rows(only_a, only_b, both=100, neither=20):
    """Truth and two predictions with that many rows of each sort."""
    y = np.ones(both + only_a + only_b + neither, dtype=int)
    a = np.repeat([1, 1, 0, 0], [both, only_a, only_b, neither])
    b = np.repeat([1, 0, 1, 0], [both, only_a, only_b, neither])
    return y, a, b


few = settings(max_examples=30, deadline=None)
predictions = st.integers(2, 30).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 2), min_size=n, max_size=n) for _ in range(4)])
)


# -- McNemar -------------------------------------------------------------------------------------------


@few
@given(predictions, st.permutations(range(30)))
def test_the_order_of_the_rows_and_of_the_models_does_not_matter(drawn, order):
    y, a, b, _ = (np.array(each) for each in drawn)
    order = [i for i in order if i < len(y)]
    one, other = mcnemar(y, a, b), mcnemar(y[order], b[order], a[order])
    assert (one.statistic, one.pvalue) == (other.statistic, other.pvalue)
    assert one.effect.value == pytest.approx(np.mean(a == y) - np.mean(b == y))
    assert one.effect.low == pytest.approx(-other.effect.high)


@pytest.mark.parametrize(
    ("table", "exact", "corrected", "plain"),
    [
        # R 4.2.2: binom.test(b, b + c)$p.value, mcnemar.test(x) and mcnemar.test(x, correct = FALSE); statsmodels 0.15
        # and mlxtend 0.25 give the same, but for b = c, where they correct 0 to a χ² of 1/(b + c) and R and we do not
        ((12, 5), 0.143463134765625, (2.117647058823529, 0.145610095396868), (2.8823529411764706, 0.0895550744136431)),
        ((40, 25), 0.0816815339415403, (3.01538461538462, 0.08247788747321), (3.4615384615384617, 0.0628118475160988)),
        ((59, 6), 4.96465032712862e-12, (41.6, 1.11993271495425e-10), (43.2153846153846, 4.90336143319514e-11)),
        ((30, 30), 1, (0, 1), (0, 1)),
    ],
)
def test_mcnemar_is_r_s(table, exact, corrected, plain):
    data = rows(*table)
    found = mcnemar(*data, exact=True)
    assert (found.statistic, found.df) == (min(table), None)
    assert found.pvalue == pytest.approx(exact)
    for correction, expected in ((True, corrected), (False, plain)):
        found = mcnemar(*data, exact=False, correction=correction)
        assert (found.statistic, found.pvalue) == pytest.approx(expected)
        assert found.df == 1


def test_few_disagreements_are_counted_exactly_and_many_approximated():
    assert mcnemar(*rows(12, 12)).name == "exact McNemar test"
    assert mcnemar(*rows(13, 12)).name == "McNemar test with continuity correction"


def test_the_sentence_and_the_table_behind_it():
    found = mcnemar(*rows(12, 5), names=("forest", "k-NN"))
    assert found.sentence == (
        "forest and k-NN: undecided on 137 rows (difference 0.051 [-0.009, 0.116], p = 0.14, exact McNemar test)"
    )
    assert found.details == {"both_right": 100, "only_first_right": 12, "only_second_right": 5, "both_wrong": 20}
    assert found.n == 137


@pytest.mark.parametrize("exact", [True, False])
def test_identical_predictions_have_statistic_0_and_p_1(exact):
    y, a, _ = rows(10, 0)
    found = mcnemar(y, a, a, exact=exact)
    assert (found.statistic, found.pvalue) == (0, 1)
    assert found.sentence.startswith("a and b are right and wrong the same on all 130 rows (difference 0, p = 1")
    assert found.effect.half_width > 0


def test_labels_may_be_words_and_probabilities_will_do():
    y = np.array(["no", "yes", "maybe", "yes"])
    probabilities = np.eye(3)[[1, 2, 0, 1]]  # maybe, no, yes
    found = mcnemar(y, probabilities, ["no", "yes", "no", "yes"])
    assert found.details == {"both_right": 2, "only_first_right": 1, "only_second_right": 1, "both_wrong": 0}


def test_one_row_says_nothing():
    found = mcnemar([1], [1], [0])
    assert found.sentence.startswith("a and b: undecided on 1 row (difference 1.00 [-0.59, 1.00], p = 1")
    assert found.effect.low < 0 < found.effect.high == 1


@pytest.mark.parametrize(
    ("a", "said"),
    [
        ([1, 0], "y has 3 rows and predictions of x has 2"),
        ([1, 0, np.nan], "predictions of x: 1 of 3 values are missing"),
    ],
)
def test_predictions_that_do_not_fit_are_refused_with_the_name_of_the_model(a, said):
    with pytest.raises(DataError, match=said):
        mcnemar([1, 0, 1], a, [1, 0, 1], names=("x", "y"))


def test_exact_is_yes_no_or_auto():
    with pytest.raises(DataError, match="True, False or 'auto'"):
        mcnemar(*rows(1, 2), exact="maybe")


# -- the interval --------------------------------------------------------------------------------------


def accepts(delta, only_a, only_b, n, z=1.959963984540054):
    """Tango's score test of a difference, its likeliest share found by search."""

    def unlikeliness(q):
        shares = ((only_a, q + delta), (only_b, q), (n - only_a - only_b, 1 - 2 * q - delta))
        return -sum(count * np.log(max(share, 1e-300)) for count, share in shares if count)

    ends = (max(0, -delta), (1 - delta) / 2)
    q = minimize_scalar(unlikeliness, bounds=ends, method="bounded", options={"xatol": 1e-13}).x
    return abs(only_a - only_b - n * delta) <= z * np.sqrt(n * (2 * q + delta - delta**2))


@pytest.mark.parametrize(("only_a", "only_b", "n"), [(12, 2, 50), (12, 5, 100), (0, 0, 100), (3, 9, 20), (7, 0, 30)])
def test_the_interval_is_all_that_the_score_test_accepts(only_a, only_b, n):
    found = paired_difference(only_a, only_b, n)
    inwards = 1e-5 * (found.high - found.low)
    assert accepts(found.low + inwards, only_a, only_b, n)
    assert not accepts(found.low - inwards, only_a, only_b, n)
    assert accepts(found.high - inwards, only_a, only_b, n)
    assert not accepts(found.high + inwards, only_a, only_b, n)


@few
@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 500))
def test_the_interval_holds_zero_where_mcnemar_without_correction_does_not_reject(only_a, only_b, rest):
    found = paired_difference(only_a, only_b, only_a + only_b + rest)
    assert found.low <= found.value <= found.high
    assert -1 <= found.low < found.high <= 1
    chi2 = (only_a - only_b) ** 2 / (only_a + only_b) if only_a + only_b else 0
    assert (0 in found) == (chi2 < 1.959963984540054**2)


@pytest.mark.parametrize(("n", "p", "q"), [(30, 0.2, 0.1), (40, 0.1, 0.1), (60, 0.12, 0.03), (60, 0.02, 0.02)])
def test_the_interval_covers_the_truth_as_often_as_it_says(n, p, q):
    probabilities = {
        (a, b): multinomial.pmf([a, b, n - a - b], n, [p, q, 1 - p - q]) for a in range(n) for b in range(n - a)
    }
    coverage = sum(
        chance for (a, b), chance in probabilities.items() if chance > 1e-7 and p - q in paired_difference(a, b, n)
    )
    assert 0.93 < coverage < 0.98


# -- Cochran -------------------------------------------------------------------------------------------


@few
@given(predictions)
def test_for_two_models_cochran_is_mcnemar_without_correction(drawn):
    y, a, b, _ = drawn
    q, chi2 = cochran_q(y, a, b), mcnemar(y, a, b, exact=False, correction=False)
    assert (q.statistic, q.pvalue) == pytest.approx((chi2.statistic, chi2.pvalue))
    assert abs(q.effect.value) == pytest.approx(abs(chi2.effect.value))


@few
@given(predictions)
def test_the_order_of_the_models_does_not_matter_to_cochran(drawn):
    y, a, b, c = drawn
    one, other = cochran_q(y, a, b, c), cochran_q(y, c, a, b)
    assert (one.statistic, one.pvalue) == pytest.approx((other.statistic, other.pvalue))


def test_cochran_is_statsmodels_and_mlxtend_s():
    # statsmodels 0.15 cochrans_q on the right and wrong, mlxtend 0.25 cochrans_q(y, a, b, c): both 6.0625, p = 0.0482…
    i = np.arange(60)
    y = i % 2
    a, b, c = (np.where(i % step == 0, 1 - y, y) for step in (7, 5, 3))
    found = cochran_q(y, a, b, c, names=("a", "b", "c"))
    assert (found.statistic, found.pvalue) == pytest.approx((6.0625, 0.04825528130927964))
    assert found.df == 2
    assert found.details["accuracies"] == pytest.approx({"a": 51 / 60, "b": 48 / 60, "c": 40 / 60})
    assert found.sentence.startswith("the 3 models are not equally accurate on 60 rows: a is best, c worst (difference")
    assert found.effect.method.endswith("Bonferroni over 3 pairs")


def test_identical_predictions_have_q_0_and_p_1():
    y, a, _ = rows(10, 0)
    found = cochran_q(y, a, a, a)
    assert (found.statistic, found.pvalue, found.effect.value) == (0, 1, 0)
    assert "undecided on 130 rows whether the 3 models differ" in found.sentence


def test_one_model_alone_is_refused():
    with pytest.raises(DataError, match=r"predictions of 1 model\.\n  Expected at least two"):
        cochran_q([1, 0], [1, 0])
