"""The test of paired rows: symmetry, adjustment for many models, the three verdicts, and error rates simulated."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import norm, studentized_range

from probus.comparison import Leaderboard, compare
from probus.comparison._paired_rows import JointDistribution, paired_rows_test
from probus.comparison._significance import Pairing
from probus.data import Task
from probus.dummy import OneRClassifier, ZeroRClassifier
from probus.errors import DataError
from probus.metrics import Outcome, measures_for
from probus.model_selection import Resampled, resample
from probus.model_selection._splits import repeated_folds
from probus.naive_bayes import GaussianNB
from probus.tree import DecisionTreeClassifier

ROWS = np.arange(100)
PAIRING = Pairing(("a", "b"), "100 rows")


def hits(share, seed):
    return np.random.default_rng(seed).random(100) < share


def many(made, n_models):
    """The first is right on 63 rows, the second on the other 37, and the rest on some of each."""
    first = ROWS % 100 < 63
    others = [made.with_hits(f"m{i}", hits(0.5, i)) for i in range(n_models - 2)]
    return [made.with_hits("first", first), made.with_hits("second", ~first), *others]


# -- of two models -------------------------------------------------------------------------------------


def test_a_model_scores_the_same_as_itself(made):
    result = made.with_hits("a", ROWS % 3 > 0).tested("accuracy")
    found = paired_rows_test(result, result, PAIRING)
    assert (found.pvalue, found.effect.value) == (1, 0)
    assert found.sentence == "a and b score the same on all 100 rows (difference 0, p = 1, paired rows)"


def test_models_that_differ_by_rounding_score_the_same(made):
    errors = np.linspace(1, 1.1, 10)
    a, b = (made.with_errors(name, each).tested("mae") for name, each in (("a", errors), ("b", errors * (1 + 1e-15))))
    assert paired_rows_test(a, b, PAIRING).pvalue == 1


def test_the_order_of_the_two_only_turns_the_difference(made):
    a, b = made.with_hits("a", ROWS % 3 > 0).tested("accuracy"), made.with_hits("b", hits(0.5, 0)).tested("accuracy")
    forth, back = paired_rows_test(a, b, PAIRING), paired_rows_test(b, a, PAIRING)
    assert forth.pvalue == back.pvalue
    assert (forth.effect.value, forth.effect.low) == (-back.effect.value, -back.effect.high)


def test_the_area_of_a_constant_is_certain_and_bounds_every_difference_from_it():
    x = np.linspace(-1, 1, 60)
    y = np.where(x + 0.1 * np.sin(40 * x) > 0, "yes", "no")
    models = {"constant": ZeroRClassifier(), "OneR": OneRClassifier()}
    found = compare(models, x[:, None], y, scoring="roc_auc", progress=None)
    area = found.results["constant"].estimate("roc_auc")
    assert (area.low, area.value, area.high) == (0.5, 0.5, 0.5)
    difference = found.tests["OneR", "constant"].difference
    assert 0.3 < abs(difference.value) < 0.5
    assert max(abs(difference.low), abs(difference.high)) == 0.5


@pytest.mark.parametrize(("scoring", "value"), [("balanced_accuracy", 1 / 3), ("kappa", 0.0), ("mcc", 0.0)])
def test_what_any_constant_has_is_shown_without_an_interval(scoring, value):
    rng = np.random.default_rng(0)
    y = rng.choice(list("abc"), 120, p=[0.5, 0.3, 0.2])
    found = resample(ZeroRClassifier(), rng.normal(size=(120, 2)), y, scoring=scoring).estimate(scoring)
    assert [found.value, found.low, found.high] == pytest.approx([value] * 3, rel=1e-12, abs=0)
    other = resample(GaussianNB(), rng.normal(size=(120, 2)), y, scoring=scoring).estimate(scoring)
    assert other.low < other.value < other.high


def test_the_area_of_a_model_that_happens_to_be_constant_is_not_certain():
    rng = np.random.default_rng(0)
    tree = DecisionTreeClassifier(min_samples_leaf=20)  # of 30 rows
    found = resample(tree, rng.normal(size=(60, 2)), np.where(rng.random(60) < 0.5, "a", "b"), cv=2, scoring="roc_auc")
    assert np.all(found.scores() == 0.5)
    area = found.estimate()
    assert area.low < 0.45 < 0.55 < area.high


def test_few_groups_have_few_degrees_of_freedom(made):
    a, b = made.with_hits("a", ROWS % 3 > 0).tested("accuracy"), made.with_hits("b", hits(0.5, 0)).tested("accuracy")
    twenty, uneven = np.arange(100) % 20, np.append(np.zeros(81), np.arange(1, 20))
    assert paired_rows_test(a, b, PAIRING).df == pytest.approx(99, rel=0.02)
    of_twenty, of_uneven = (paired_rows_test(a, b, PAIRING, groups=each) for each in (twenty, uneven))
    assert of_twenty.df == pytest.approx(19, rel=0.02)
    assert of_uneven.df == pytest.approx(1, rel=0.02)  # one group has most of the rows
    assert of_twenty.effect.half_width < of_uneven.effect.half_width


def test_it_is_the_t_test_of_rows_where_models_do_not_vary(made):
    a, b = ROWS % 3 > 0, hits(0.5, 0)
    apart = a.astype(float) - b
    found = paired_rows_test(
        made.with_hits("a", a).tested("accuracy"), made.with_hits("b", b).tested("accuracy"), PAIRING
    )
    assert found.statistic == pytest.approx(apart.mean() / (apart.std(ddof=1) / 10))
    assert found.details["standard_error"] == pytest.approx(apart.std(ddof=1) / 10)


def test_a_measure_that_is_not_made_of_rows_is_compared_by_the_corrected_t(made):
    def share_right(y_true, y_pred):
        return float(np.mean(np.asarray(y_true) == np.asarray(y_pred)))

    results = [made.with_hits("a", hits(0.9, 1)), made.with_hits("b", hits(0.5, 0))]
    assert compare(results, scoring=share_right).test == "corrected_t"
    with pytest.raises(DataError, match=r"is not made of rows that both were tested on\.(.|\n)*test='corrected_t'"):
        compare(results, scoring=share_right, test="paired_rows")


# -- of many -------------------------------------------------------------------------------------------


def test_adjusted_p_values_are_never_smaller(made):
    for pair in Leaderboard.of(many(made, 6), ["accuracy"]).pairs:
        assert pair.adjusted >= pair.pvalue


def test_every_pair_is_tested(made):
    board = Leaderboard.of(many(made, 5), ["accuracy"])
    assert {frozenset((p.a, p.b)) for p in board.pairs} == set(map(frozenset, combinations([s.name for s in board], 2)))


def test_p_values_grow_with_the_number_of_models(made):
    results = many(made, 12)
    found = [Leaderboard.of(results[:m], ["accuracy"]).pairs["first", "second"] for m in (2, 4, 12)]
    assert len({pair.pvalue for pair in found}) == 1
    assert found[0].adjusted < found[1].adjusted < found[2].adjusted
    assert found[0].detectable < found[1].detectable < found[2].detectable


@pytest.mark.parametrize("df", [4.0, 1e9])
def test_what_is_detected_is_that_of_the_t_test(df):
    from scipy import stats

    of_one_pair = np.abs(np.random.default_rng(0).standard_normal(200_000))
    found = JointDistribution.detectable(2.0, df, np.sort(of_one_pair), 0.05)
    assert found == pytest.approx(2.0 * (stats.t.isf(0.025, df) + 0.8416), rel=0.01)


@pytest.mark.parametrize("n_models", [2, 3, 6])
def test_of_independent_models_it_is_the_studentised_range_of_tukey(made, n_models):
    # rows of each model are apart from those of the others, so that their scores are independent
    tested = made.with_hits("a", hits(0.5, 0)).tested("accuracy")
    moves = np.zeros((n_models, len(tested.moves)))
    for m in range(n_models):
        own = tested.unit % n_models == m
        moves[m, own] = np.where(tested.unit // n_models % 2, 1.0, -1.0)[own]
    moves = moves / np.sqrt(np.sum(moves**2, axis=1, keepdims=True))
    joint = JointDistribution({f"m{m}": replace(tested, moves=each) for m, each in enumerate(moves)})
    for pvalue in (0.2, 0.05, 0.01):
        expected = studentized_range.sf(norm.isf(pvalue / 2) * np.sqrt(2), n_models, np.inf)
        assert joint.adjusted(pvalue, joint.largest()) == pytest.approx(expected, abs=0.012)


def test_a_planned_baseline_has_a_smaller_p_than_all_pairs_give_it(made):
    results = many(made, 8)
    open_, planned = (Leaderboard.of(results, ["accuracy"], baseline=name) for name in (None, "second"))
    assert planned.pairs["first", "second"].adjusted < open_.pairs["first", "second"].adjusted
    assert "second against the best is one planned comparison" in planned.note
    for pair in open_.pairs:
        if {pair.a, pair.b} != {"first", "second"}:
            assert planned.pairs[pair.a, pair.b].adjusted == pair.adjusted


def test_a_baseline_that_is_no_model_is_refused(made):
    with pytest.raises(DataError, match=r"no model 'zero' for the baseline\.\n  Expected one of a and b"):
        compare([made.with_hits("a", hits(0.5, 0)), made.with_hits("b", hits(0.5, 1))], baseline="zero")


# -- verdicts ------------------------------------------------------------------------------------------


def test_models_within_the_margin_are_equivalent(made):
    right = ROWS % 10 > 0
    results = [made.with_hits("a", right), made.with_hits("b", right ^ (ROWS == 3))]
    near, strict = compare(results, margin=0.05), compare(results, margin=0.005)
    assert (near.leaderboard["b"].verdict, strict.leaderboard["b"].verdict) == ("equivalent", "undecided")
    assert near.leaderboard["b"].tied
    assert near.sentence.startswith("a practically equals b on 100 rows (difference 0.010 [")
    assert "equivalent: the interval of the difference lies within ±0.05" in repr(near.leaderboard)
    assert near.headline().endswith(" Equivalent to it within 0.05: b.")


def test_an_undecided_model_shows_the_difference_that_would_be_found(made):
    results = [made.with_hits("a", hits(0.6, 0)), made.with_hits("b", hits(0.6, 1))]
    said = compare(results)
    pair, standing = said.tests[0], said.leaderboard[1]
    error = (pair.difference.high - pair.difference.low) / 2 / 1.96
    assert standing.verdict == "undecided"
    assert standing.detectable == pytest.approx((1.96 + 0.8416) * error, rel=0.02)
    assert f"detects {standing.detectable:.2g}" in repr(said.leaderboard)
    sentence = "Undecided against it, with the difference that these rows can detect: "
    assert f"{sentence}{standing.name} ({standing.detectable:.2g})." in said.headline()


def test_each_of_several_undecided_models_has_its_own_detectable_difference(made):
    best = hits(0.7, 0)
    near = best & (ROWS % 30 > 0)
    said = compare([made.with_hits("best", best), made.with_hits("near", near), made.with_hits("far", hits(0.65, 1))])
    assert said.leaderboard.best.name == "best"
    found = {each.name: each.detectable for each in said.leaderboard if each.verdict == "undecided"}
    assert found["near"] < 0.7 * found["far"]
    for name, detectable in found.items():
        assert f"{name} ({detectable:.2g})" in said.headline()


def test_the_baseline_alone_is_not_every_other_model(made):
    good, other, zero = (made.with_hits(name, hits(share, i)) for i, (name, share) in enumerate(
        [("good", 0.95), ("other", 0.4), ("zero", 0.3)]
    ))  # fmt: skip
    assert "significantly worse" not in compare([good, zero], baseline="zero").headline("zero")
    assert "Baseline zero: 0.3" in compare([good, zero], baseline="zero").headline("zero")
    assert " other is significantly worse. Baseline" in compare([good, other, zero], baseline="zero").headline("zero")
    assert compare([good, zero]).headline().endswith(" zero is significantly worse.")
    assert compare([good, other, zero]).headline().endswith(" Every other model is significantly worse.")


def test_a_model_that_is_worse_shows_no_detectable_difference(made):
    board = Leaderboard.of([made.with_hits("a", hits(0.95, 0)), made.with_hits("b", hits(0.4, 1))], ["accuracy"])
    assert board.remark(board["b"]) == "worse, p < 0.001"
    assert [each.name for each in board.with_verdict("worse")] == ["b"]


def test_intervals_that_do_not_overlap_are_explained_where_the_verdict_is_undecided(made):
    board = Leaderboard.of(many(made, 12), ["accuracy"])
    best, second = board["first"].scores["accuracy"], board["second"]
    assert second.scores["accuracy"].high < best.low
    assert second.verdict == "undecided"
    sentence = (
        "the intervals of second and of the best do not overlap, but among 12 models differences as large occur by "
        f"chance ({second.evidence})"
    )
    assert sentence in board.apart_but_undecided()
    assert board.note.endswith(sentence)


def test_a_baseline_that_failed_is_no_planned_comparison(made):
    results = [made.with_hits("sound", hits(0.5, 0)), made.with_hits("shaky", hits(0.9, 1), failed=[3])]
    results.append(made.with_hits("other", hits(0.4, 2)))
    board = Leaderboard.of(results, ["accuracy"], baseline="shaky")
    assert board.pairs.to_dict() == Leaderboard.of(results, ["accuracy"]).pairs.to_dict()


def test_the_report_on_a_baseline_without_gain(made):
    results = {name: made.with_hits(name, hits(0.6, seed)) for seed, name in enumerate(("a", "b"))}
    said = compare(results, baseline="b")
    assert f"no clear gain over it ({said.leaderboard['b'].evidence})." in said.over_baseline("b")


# -- error rates ---------------------------------------------------------------------------------------


def result_of(name, task, splits, predict):
    """The labels that ``predict`` gives to the test rows of each split from its training rows."""
    actual = task.table[task.target].values.astype(np.int64)
    outcomes = tuple(
        Outcome(actual[test], predict(train, test), classes=task.classes, positive=1) for train, test in splits.pairs
    )
    return Resampled(name, task, splits, outcomes, measures_for(2)[:1], seconds=np.ones(len(splits)))


def stump(x, y, train, test):
    """The best threshold on one feature, above which rows are positive."""
    order = np.argsort(x[train])
    positives = np.concatenate([[0], np.cumsum(y[train][order])])
    right = np.arange(len(train) + 1) - 2 * positives  # negatives below less positives below, up to a constant
    cut = int(right.argmax())
    threshold = -np.inf if cut == 0 else x[train][order[cut - 1]]
    return (x[test] > threshold).astype(np.int64)


@pytest.mark.slow
def test_equal_models_are_seldom_found_to_differ():
    rng = np.random.default_rng(0)
    worse = 0
    for _ in range(100):
        y = (rng.random(120) < 0.5).astype(np.int64)
        x = rng.normal(size=(2, 120)) + 0.8 * y
        task = Task({"x": x[0], "y": np.array(["no", "yes"])[y]}, target="y")
        splits = repeated_folds(task, 5, 5)
        results = [result_of(f"m{j}", task, splits, lambda *rows, x=x[j], y=y: stump(x, y, *rows)) for j in range(2)]
        worse += len(Leaderboard.of(results, ["accuracy"]).with_verdict("worse"))
    assert worse <= 10


def test_no_difference_is_larger_than_the_range_of_the_score():
    task = Task({"x": np.arange(12) % 5, "y": ["no", "yes", "no"] * 4}, target="y")
    found = compare([ZeroRClassifier(), OneRClassifier()], task)
    (pair,) = found.tests
    assert pair.difference.low >= -1
    assert pair.difference.high <= 1
    assert np.isnan(pair.detectable) or pair.detectable < 1
