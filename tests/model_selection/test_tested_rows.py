"""What rows add to scores: sums, derivatives by finite differences, groups and undefined splits."""

from dataclasses import replace

import numpy as np
import pytest

from probus.metrics import measure
from probus.model_selection._joined_outcomes import joined
from probus.model_selection._splits import Splits
from probus.model_selection._tested_rows import _logarithms, _spread_ties
from probus.model_selection._tested_rows import tested_rows as rows_of

CLASSES = ["accuracy", "log_loss", "roc_auc", "balanced_accuracy", "f1", "kappa", "mcc"]
NUMBERS = ["mae", "rmse", "r2"]


def of(made, name, **how):
    result = (made.regressed if name in NUMBERS else made.classified)(**how)
    return result, result.tested(name)


# -- the value -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["accuracy", "log_loss", "roc_auc", "mae"])
def test_means_and_areas_are_the_mean_of_the_scores_of_splits(made, name):
    result, tested = of(made, name)
    assert tested.value == pytest.approx(result.scores(name).mean(), rel=1e-12)


def test_the_rmse_is_the_root_of_the_mean_squared_error_of_all_splits(made):
    result, tested = of(made, "rmse")
    assert tested.value == pytest.approx(np.sqrt(result.scores("mse").mean()), rel=1e-12)
    assert tested.value > result.scores("rmse").mean()


def test_f1_is_that_of_the_counts_of_all_splits(made):
    result, tested = of(made, "f1")
    right, wrong = (
        sum(np.sum((o.predicted == 1) & (o.actual == 1)) for o in result.outcomes),
        sum(np.sum(o.predicted != o.actual) for o in result.outcomes),
    )
    assert tested.value == pytest.approx(2 * right / (2 * right + wrong), rel=1e-12)


def test_average_precision_is_that_of_the_rows_of_a_repetition_ranked_together(made):
    result, tested = of(made, "average_precision")
    repeats = [joined(result.outcomes[first : first + 5]) for first in (0, 5, 10)]
    together = np.mean([measure("average_precision").compute(each) for each in repeats])
    assert tested.value == pytest.approx(together, rel=1e-12)
    assert len(tested.moves) == 300
    assert np.mean(tested.moves) == pytest.approx(0, abs=1e-12)


def test_average_precision_of_few_positives_is_not_above_that_of_many(made):
    rng = np.random.default_rng(0)
    y = (np.arange(300) % 20 == 0).astype(np.int64)  # 15 positives, 3 of them in each fold
    few = np.mean(
        [
            made.cross_validated(y, lambda _, test: rng.random(len(test))).tested("average_precision").value
            for _ in range(20)
        ]
    )
    assert few == pytest.approx(0.05, abs=0.03)  # a mean over folds is 0.12


def test_the_calibration_error_is_that_of_the_rows_of_all_folds(made):
    rng = np.random.default_rng(0)
    p = rng.random(200)
    result = made.of_predictions(made.task_of(np.where(rng.random(200) < p, "yes", "no")), p)
    found = result.estimate("ece")
    assert found.low == 0
    assert found.value == pytest.approx(measure("ece").compute(result.pooled()))
    assert found.value < result.scores("ece").mean() / 1.5  # of 40 rows, it is larger by chance
    assert found.method.endswith("the rows of all folds together")


# -- the moves -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CLASSES + NUMBERS)
def test_moves_sum_to_zero(made, name):
    _, tested = of(made, name)
    for moves in (tested.moves, tested.as_tested):
        assert np.mean(moves) == pytest.approx(0, abs=1e-9 * np.abs(moves).max())


def test_the_mean_move_of_a_split_is_the_distance_of_its_score_from_the_mean(made):
    result, tested = of(made, "accuracy", only_labels=True)
    means = np.bincount(tested.split, tested.moves) / np.bincount(tested.split)
    np.testing.assert_allclose(means, result.scores("accuracy") - tested.value, atol=1e-12)


@pytest.mark.parametrize("name", CLASSES + NUMBERS)
def test_a_row_moves_the_score_as_a_little_more_weight_on_it_does(made, name):
    result, tested = of(made, name)
    within = tested.as_tested - (np.bincount(tested.split, tested.as_tested) / np.bincount(tested.split))[tested.split]
    step = 1e-5
    for i in (0, 3, 25, 140, 299):
        s, place = tested.split[i], i - int(np.flatnonzero(tested.split == tested.split[i])[0])
        ends = []
        for sign in (1, -1):
            weights = np.ones(len(result.outcomes[s]))
            weights[place] += sign * step
            outcomes = list(result.outcomes)
            outcomes[s] = replace(outcomes[s], weights=weights)
            others = [replace(o, weights=np.ones(len(o))) if o.weights is None else o for o in outcomes]
            ends.append(rows_of(measure(name), others, result.splits, None).value)
        slope = (ends[0] - ends[1]) / (2 * step)
        if name == "roc_auc":  # the variance of an area has n − 1 of each class where the derivative has n
            rows = np.count_nonzero(result.outcomes[s].actual == result.outcomes[s].actual[place])
            slope *= np.sqrt(rows / (rows - 1))
        assert within[i] / len(within) == pytest.approx(slope, rel=1e-3, abs=1e-7)


def test_training_rows_of_a_class_move_the_score_by_the_odds_of_that_class(made):
    _, with_odds = of(made, "log_loss")
    assert not np.array_equal(with_odds.moves, with_odds.as_tested)
    _, labels = of(made, "accuracy", only_labels=True)
    assert np.array_equal(labels.moves, labels.as_tested)


def test_training_rows_move_counts_by_the_strength_of_the_signal(made):
    rng = np.random.default_rng(0)
    logit = rng.normal(size=2000) - 1.4
    p = 1 / (1 + np.exp(-logit))
    task = made.task_of(np.where(rng.random(2000) < p, "yes", "no"))
    result = made.of_predictions(task, p)
    tested = result.tested("f1")
    positive, as_trained = task.y[tested.unit] == "yes", tested.moves - tested.as_tested
    # a positive that was found likely makes the signal stronger, and a stronger signal calls more rows positive
    assert np.corrcoef(logit[tested.unit][positive], as_trained[positive])[0, 1] > 0.9
    loss = result.tested("brier")
    assert np.ptp((loss.moves - loss.as_tested)[positive]) < 1e-12


# -- how much predictions owe to their training rows ---------------------------------------------------


def test_the_unstable_share_is_that_of_noise_in_the_predictions(made):
    rng = np.random.default_rng(0)
    task = made.task_of(rng.normal(size=20_000))
    f = (task.y + rng.normal(size=20_000)) / 2  # the best prediction from what is known: an error of variance 1/2
    result = made.of_predictions(task, f + 0.5 * rng.normal(size=20_000))
    assert result.tested("mae").unstable == pytest.approx(0.25 / 0.75, abs=0.02)
    assert made.of_predictions(task, f).tested("mae").unstable == pytest.approx(0, abs=0.02)


def test_the_unstable_share_of_probabilities(made):
    rng = np.random.default_rng(0)
    p = rng.random(20_000)
    task = made.task_of(np.where(rng.random(20_000) < p, "yes", "no"))
    true, certain = (made.of_predictions(task, each).tested("brier").unstable for each in (p, 1.0 * (p > 0.5)))
    assert (true, certain) == (pytest.approx(0, abs=0.02), pytest.approx(0.5))
    only_labels = made.classified(only_labels=True)
    assert only_labels.tested("accuracy").unstable == pytest.approx(0.5)


# -- differences, groups, weights ----------------------------------------------------------------------


def test_a_difference_is_that_of_the_values_and_of_the_moves(made):
    (_, a), (_, b) = of(made, "rmse"), of(made, "rmse", noise=1.0)
    apart = a.minus(b)
    assert apart.value == a.value - b.value
    np.testing.assert_array_equal(apart.moves, a.moves - b.moves)


# -- groups, weights, undefined splits -----------------------------------------------------------------


def test_rows_of_a_group_are_summed_in_each_split(made):
    groups = [f"g{i // 4}" for i in range(100)]
    grouped, alone = made.classified(groups=groups), made.classified()
    grouped = replace(alone, task=grouped.task)
    by_group, by_row = grouped.tested("accuracy"), alone.tested("accuracy")
    assert by_group.value == by_row.value
    assert by_group.n_units == 25
    row = np.concatenate(alone.rows)
    for group, split in ((0, 0), (7, 3), (24, 14)):
        of_both = (row // 4 == group) & (by_row.split == split)
        names = np.unique(groups, return_inverse=True)[1][4 * group]
        place = (by_group.unit == names) & (by_group.split == split)
        share = by_group.moves[place].sum() / len(by_group.moves)
        assert share == pytest.approx(by_row.moves[of_both].sum() / len(by_row.moves), abs=1e-12)


def test_rows_without_weight_move_nothing(made):
    result = made.regressed()
    weights = np.ones(20)
    weights[4] = 0
    outcomes = [replace(each, weights=weights) for each in result.outcomes]
    tested = replace(result, outcomes=tuple(outcomes)).tested("rmse")
    assert tested.moves[4] == 0
    assert np.isfinite(tested.moves).all()


def test_splits_on_which_an_area_is_undefined_are_left_out(made):
    result = made.classified()
    actual = np.concatenate([o.actual for o in result.outcomes[:5]])
    assert set(actual) == {0, 1}
    first = result.outcomes[0]
    one_class = replace(first, actual=np.zeros_like(first.actual))
    shaky = replace(result, outcomes=(one_class, *result.outcomes[1:]))
    tested = shaky.tested("roc_auc")
    assert 0 not in tested.split
    assert tested.value == pytest.approx(result.scores("roc_auc")[1:].mean())
    assert shaky.estimate("roc_auc").method.endswith("undefined on 1 of 15 splits, which are left out")


def test_a_measure_without_derivatives_or_without_any_split_has_no_rows(made):
    assert made.classified().tested("ece") is None
    result = made.classified()
    outcomes = tuple(replace(o, actual=np.zeros_like(o.actual)) for o in result.outcomes)
    assert replace(result, outcomes=outcomes).tested("roc_auc") is None


def test_splits_that_are_given_count_by_their_rows(made):
    result = made.classified(repeats=1)
    plan = Splits(result.splits.pairs[:3], 1, 1, "given")
    part = replace(result, splits=plan, outcomes=result.outcomes[:3])
    assert part.tested("accuracy").n_units == 60


def test_probabilities_of_0_count_as_1_percent_where_rows_are_counted():
    p = np.array([[0.0, 1.0], [0.2, 0.8], [0.6, 0.4]])
    expected = np.log(np.maximum(p, 0.01))
    np.testing.assert_array_equal(_logarithms(p, 0.01), expected)
    smaller = np.array([[0.0, 1.0], [0.001, 0.999]])  # the order of probabilities is kept
    assert np.exp(_logarithms(smaller, 0.01))[0, 0] == pytest.approx(0.001)
    certain = np.array([[1e-30, 1.0], [0.5, 0.5]])  # known to be so small
    assert np.exp(_logarithms(certain, 0.01))[0, 0] == pytest.approx(1e-12)


def test_votes_of_neighbours_that_are_unanimous_do_not_hide_how_f1_varies_with_the_signal(made):
    rng = np.random.default_rng(0)
    y = (rng.random(300) < 0.3).astype(np.int64)
    votes = rng.binomial(15, np.clip(0.25 + 0.25 * y + 0.1 * rng.normal(size=300), 0.0, 1.0)) / 15
    votes[:20] = 0.0
    widths = []
    for least in (0.0, 1 / 100):
        result = made.cross_validated(y, lambda _, test, least=least: np.maximum(votes[test], least))
        widths.append(result.estimate("f1").half_width)
    assert widths[0] == pytest.approx(widths[1], rel=1e-3)  # the next votes are not quite as far from 1 % as from 0


def test_scores_without_probabilities_move_f1_as_the_log_odds_that_they_are(made):
    # whose unit does not matter: a logistic regression on them finds it
    rng = np.random.default_rng(1)
    odds = 1.5 * rng.normal(size=400) - 1.0
    y = (rng.random(400) < 1 / (1 + np.exp(-odds))).astype(np.int64)
    given = made.cross_validated(y, lambda _, test: 1 / (1 + np.exp(-odds[test])))
    outcomes = tuple(
        replace(each, probabilities=None, scores=7 * odds[test])
        for each, test in zip(given.outcomes, given.rows, strict=True)
    )
    scored = replace(given, outcomes=outcomes)
    labels = replace(given, outcomes=tuple(replace(each, scores=None) for each in outcomes))
    widths = [each.estimate("f1").half_width for each in (given, scored, labels)]
    assert widths[1] == pytest.approx(widths[0], rel=0.05)
    assert widths[2] < 0.9 * widths[0]


def test_votes_of_a_few_neighbours_move_f1_as_probabilities_between_them(made):
    rng = np.random.default_rng(2)
    p = np.clip(0.3 + 0.18 * rng.normal(size=400), 0.01, 0.99)
    y = (rng.random(400) < p).astype(np.int64)
    votes = np.round(5 * p) / 5
    smooth, coarse = (made.cross_validated(y, lambda _, test, q=q: q[test]).tested("f1") for q in (p, votes))
    assert np.std(coarse.moves - coarse.as_tested) == pytest.approx(np.std(smooth.moves - smooth.as_tested), rel=0.35)


def test_ties_are_spread_up_to_the_middle_between_values():
    logs = np.log([[0.8, 0.2], [0.8, 0.2], [0.6, 0.4], [0.6, 0.4], [0.4, 0.6], [0.4, 0.6]])
    odds = np.diff(_spread_ties(logs, np.zeros(6, dtype=np.int64)), axis=1).ravel()
    middle = np.log([0.25 * 2 / 3, 1.0]) / 2
    assert (odds[:2] < middle[0]).all()
    assert (np.abs(odds[2:4] - middle.mean()) < np.diff(middle) / 2).all()
    assert (odds[4:] > middle[1]).all()
    assert len(np.unique(odds)) == 6
    apart = np.log([[0.8, 0.2], [0.6, 0.4], [0.4, 0.6]])
    assert _spread_ties(apart, np.zeros(3, dtype=np.int64)) is apart
