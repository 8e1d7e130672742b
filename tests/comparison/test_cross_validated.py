import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression

import probus
from probus.comparison._five_by_two_cv import alpaydin_f, dietterich_t, ftest_5x2cv, ttest_5x2cv
from probus.comparison._pairs import judge
from probus.comparison._significance import Pairing
from probus.dummy import OneRClassifier, ZeroRClassifier, ZeroRRegressor
from probus.errors import DataError, FailedModelError
from probus.metrics import Measure
from probus.naive_bayes import GaussianNB, NaiveBayes

A = np.array([[0.82, 0.80], [0.85, 0.79], [0.81, 0.84], [0.83, 0.82], [0.80, 0.86]])
B = np.array([[0.78, 0.79], [0.80, 0.79], [0.80, 0.79], [0.81, 0.78], [0.79, 0.80]])
PAIRING = Pairing(("a", "b"), "100 rows")

each_arithmetic = pytest.mark.parametrize("test", [dietterich_t, alpaydin_f])
each_test = pytest.mark.parametrize("test", [ttest_5x2cv, ftest_5x2cv])


@pytest.fixture(scope="module")
def iris():
    return probus.Task(probus.datasets.load("iris"), target="species")


# -- the arithmetic ------------------------------------------------------------------------------------


def test_dietterich_s_t_is_mlxtend_s():
    # mlxtend 0.25, paired_ttest_5x2cv with a scorer that returns these scores
    found = dietterich_t(A - B, PAIRING)
    assert (found.statistic, found.pvalue) == pytest.approx((1.4231361339296393, 0.2139818353243832))
    assert found.df == 5
    assert found.note == "The difference is the mean of all ten; t and p are of the first, which is 0.04."
    assert found.effect.value == pytest.approx(0.029)


def test_alpaydin_s_f_is_mlxtend_s():
    # mlxtend 0.25, combined_ftest_5x2cv with a scorer that returns these scores
    found = alpaydin_f(A - B, PAIRING)
    assert (found.statistic, found.pvalue) == pytest.approx((1.5822784810126582, 0.3196579432451302))
    assert found.df == (10, 5)
    assert found.effect.value == found.details["mean_difference"] == pytest.approx(0.029)


def test_the_course_notes_example_has_its_p_value():
    q = np.array([[2.073, 0.0]] + [[0.0, 0.0]] * 4)
    q[1:] += np.array([1, -1]) * np.sqrt((5 - 2.073**2 / 2) / 8)  # Σ s² = 5
    found = dietterich_t(q, PAIRING)
    assert found.statistic == pytest.approx(2.073)
    assert found.pvalue == pytest.approx(0.093, abs=0.0005)


@pytest.mark.parametrize("level", [0.5, 0.7, 0.95])
def test_the_interval_of_f_holds_zero_exactly_where_the_test_does_not_reject(level):
    rng = np.random.default_rng(0)
    for shift in np.linspace(-3, 3, 25):
        found = alpaydin_f(rng.normal(shift, 1, (5, 2)), PAIRING, level=level)
        if found.effect.half_width < np.inf:
            assert (0 in found.effect) == (not found.significant(1 - level))


@pytest.mark.parametrize("level", [0.5, 0.7, 0.95])
def test_a_model_is_called_better_only_where_t_and_the_displayed_interval_agree(level):
    rng, beats = np.random.default_rng(0), {"a": 0, "b": 0, "neither": 0}
    for shift in np.linspace(-3, 3, 60):
        q = rng.normal(shift, 1, (5, 2))
        found = dietterich_t(q, PAIRING, level=level)
        same_side = 0 not in found.effect and (found.effect.value > 0) == (q[0, 0] > 0)
        winner = ("a" if q.mean() > 0 else "b") if found.significant(1 - level) and same_side else "neither"
        assert found.effect.value == pytest.approx(q.mean())
        assert found.sentence.startswith({"a": "a beats b", "b": "b beats a"}.get(winner, "a and b: undecided"))
        beats[winner] += 1
    assert min(beats.values()) > 0


def test_a_first_difference_against_the_other_nine_decides_nothing():
    q = np.full((5, 2), -0.02) + np.array([[0.001, -0.001]] * 5)
    q[0] = 0.03
    found = dietterich_t(q, PAIRING)
    assert found.significant()
    assert found.effect.value < 0
    assert found.sentence.startswith("a and b: undecided on 100 rows (difference -0.0100 [")
    assert found.note.endswith("does not lie on its side of zero, so that neither model is called better.")
    assert [pair.verdict for pair in judge([("a", "b", found)], True, 0.05)] == ["undecided"]


def test_the_interval_of_the_mean_of_ten_covers_more_often_than_it_says():
    rng = np.random.default_rng(2)  # ten differences that share half of their variance
    found = [dietterich_t(rng.normal(1, 1, (5, 2)) + rng.normal(0, 1, (5, 1)), PAIRING) for _ in range(400)]
    assert np.mean([1 in each.effect for each in found]) > 0.95


def test_where_every_difference_is_rejected_the_interval_is_unbounded():
    q = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0], [4.0, 4.0], [5.0, 5.01]])
    found = alpaydin_f(q, PAIRING)
    assert found.significant()
    assert (found.effect.low, found.effect.high) == (-np.inf, np.inf)


@each_arithmetic
def test_equal_scores_have_statistic_0_and_p_1(test):
    found = test(np.zeros((5, 2)), PAIRING)
    assert (found.statistic, found.pvalue) == (0, 1)
    assert found.sentence.startswith("a and b score the same on all 100 rows (difference 0, p = 1")


@each_arithmetic
def test_halves_that_never_differ_give_the_limit_and_say_so(test):
    found = test(np.full((5, 2), 0.1), PAIRING)
    assert (found.statistic, found.pvalue) == (np.inf, 0)
    assert "their spread cannot be estimated" in found.note
    assert found.effect.low == found.effect.high


def test_under_the_null_both_reject_as_often_as_they_say():
    q = np.random.default_rng(1).normal(0, 1, (600, 5, 2))
    for test in (dietterich_t, alpaydin_f):
        rejected = sum(test(each, PAIRING).significant() for each in q)
        assert 0.01 < rejected / 600 < 0.075  # the F errs on the safe side


# -- the fitting ---------------------------------------------------------------------------------------


@each_test
def test_a_good_model_beats_the_majority_class(test, iris):
    found = test(GaussianNB(), ZeroRClassifier(), iris, names=("naive Bayes", "Zero-R"), random_state=0)
    assert found.significant(0.001)
    assert found.sentence.startswith("naive Bayes beats Zero-R on 150 rows (difference 0.6")
    assert np.shape(found.details["differences"]) == (5, 2)


@each_test
def test_losses_have_their_own_orientation(test, iris):
    found = test(GaussianNB(), ZeroRClassifier(), iris, scoring="log_loss", names=("naive Bayes", "Zero-R"))
    assert found.effect.value < 0
    assert found.sentence.startswith("naive Bayes beats Zero-R")


@each_test
def test_a_model_does_not_differ_from_itself(test, iris):
    found = test(GaussianNB(), GaussianNB(), iris)
    assert (found.statistic, found.pvalue) == (0, 1)


@each_test
@pytest.mark.parametrize("state", [0, lambda: np.random.RandomState(0)], ids=["number", "generator"])
def test_the_same_state_draws_the_same_halves(test, iris, state):
    states = [state() if callable(state) else state for _ in range(2)]
    one, other = (test(GaussianNB(), OneRClassifier(), iris, random_state=each) for each in states)
    assert one == other
    assert one.details != test(GaussianNB(), OneRClassifier(), iris, random_state=3).details


@each_test
def test_mixed_tables_with_missing_and_groups_will_do(test):
    table = {
        "age": [22, None, 30, 41] * 15,
        "sex": ["m", "f", None, "m"] * 15,
        "family": [f"f{i // 3}" for i in range(60)],
        "y": ["no", "yes", "yes", "no"] * 15,
    }
    task = probus.Task(table, target="y", group="family")
    assert test(NaiveBayes(), GaussianNB(), task).effect.value >= 0


@each_test
def test_regression_takes_its_own_measures(test):
    x = np.linspace(0, 1, 60)
    task = probus.Task({"x": x, "y": 3 * x + np.sin(40 * x)}, target="y")
    found = test(LinearRegression(), ZeroRRegressor(), task, scoring="rmse", names=("line", "mean"))
    assert "line beats mean" in found.sentence


class Stubborn(ClassifierMixin, BaseEstimator):
    """Fails on training sets of so many rows or more."""

    def __init__(self, rows=0):
        self.rows = rows

    def fit(self, X, y):
        if len(X) >= self.rows:
            raise RuntimeError("no")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


@each_test
@pytest.mark.filterwarnings("ignore::probus.model_selection.FailedSplitWarning")
def test_a_model_that_fails_on_some_halves_is_not_tested(test, iris):
    odd = iris.take(np.arange(149))  # halves of 74 and 75 rows
    with pytest.raises(
        FailedModelError, match=r"y failed on 5 of 10 splits.*: RuntimeError: no\n  Expected a model that"
    ):
        test(GaussianNB(), Stubborn(rows=75), odd, names=("x", "y"))


@each_test
def test_a_model_that_fails_on_every_half_is_an_error(test, iris):
    with pytest.raises(FailedModelError, match="y failed on all 10 splits: RuntimeError: no"):
        test(GaussianNB(), Stubborn(), iris, names=("x", "y"))


@each_test
def test_rows_in_time_are_refused(test):
    task = probus.Task({"x": range(20), "when": range(20), "y": ["a", "b"] * 10}, target="y", time="when")
    with pytest.raises(DataError, match=r"the task is ordered by 'when'\.\n  .*corrected_resampled_ttest"):
        test(GaussianNB(), ZeroRClassifier(), task)


@each_test
def test_an_undefined_score_is_refused(test, iris):
    nowhere = Measure("nowhere", "nowhere", lambda outcome: np.nan, "labels")
    with pytest.raises(DataError, match="nowhere of a is undefined on 10 of 10 halves"):
        test(GaussianNB(), ZeroRClassifier(), iris, scoring=nowhere)


@each_test
def test_a_table_is_no_task(test):
    with pytest.raises(DataError, match="found dict without y"):
        test(GaussianNB(), ZeroRClassifier(), {"x": [1, 2]})
