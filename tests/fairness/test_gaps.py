"""Differences and ratios between groups: fairlearn's values, and intervals that hold as often as they say."""

import pickle

import numpy as np
import pytest

import probus.fairness as fairness
from probus.data import Table
from probus.errors import DataError
from probus.fairness import Gap, GroupWarning, demographic_parity_difference, equal_opportunity_difference
from probus.fairness._intervals import GroupValues, differences, largest_difference, level_of_pairs, ratios
from probus.metrics.curves import wilson

# fairlearn 0.15 on the rows of `case`: function, method, weights, agg, value
FAIRLEARN = [
    ('demographic_parity_difference', 'between_groups', False, None, 0.085995086),
    ('demographic_parity_difference', 'between_groups', True, None, 0.062213619),
    ('demographic_parity_difference', 'to_overall', False, None, 0.045454545),
    ('demographic_parity_difference', 'to_overall', True, None, 0.032121419),
    ('demographic_parity_ratio', 'between_groups', False, None, 0.840909091),
    ('demographic_parity_ratio', 'between_groups', True, None, 0.883262143),
    ('demographic_parity_ratio', 'to_overall', False, None, 0.909090909),
    ('demographic_parity_ratio', 'to_overall', True, None, 0.939727254),
    ('equal_opportunity_difference', 'between_groups', False, None, 0.171428571),
    ('equal_opportunity_difference', 'between_groups', True, None, 0.205251193),
    ('equal_opportunity_difference', 'to_overall', False, None, 0.105820106),
    ('equal_opportunity_difference', 'to_overall', True, None, 0.12841912),
    ('equal_opportunity_ratio', 'between_groups', False, None, 0.769230769),
    ('equal_opportunity_ratio', 'between_groups', True, None, 0.729010068),
    ('equal_opportunity_ratio', 'to_overall', False, None, 0.84375),
    ('equal_opportunity_ratio', 'to_overall', True, None, 0.811309445),
    ('equalized_odds_difference', 'between_groups', False, 'worst_case', 0.180293501),
    ('equalized_odds_difference', 'between_groups', False, 'mean', 0.175861036),
    ('equalized_odds_difference', 'between_groups', True, 'worst_case', 0.205251193),
    ('equalized_odds_difference', 'between_groups', True, 'mean', 0.175056333),
    ('equalized_odds_difference', 'to_overall', False, 'worst_case', 0.105820106),
    ('equalized_odds_difference', 'to_overall', False, 'mean', 0.104516161),
    ('equalized_odds_difference', 'to_overall', True, 'worst_case', 0.12841912),
    ('equalized_odds_difference', 'to_overall', True, 'mean', 0.103688129),
    ('equalized_odds_ratio', 'between_groups', False, 'worst_case', 0.594339623),
    ('equalized_odds_ratio', 'between_groups', False, 'mean', 0.681785196),
    ('equalized_odds_ratio', 'between_groups', True, 'worst_case', 0.647704384),
    ('equalized_odds_ratio', 'between_groups', True, 'mean', 0.688357226),
    ('equalized_odds_ratio', 'to_overall', False, 'worst_case', 0.767772512),
    ('equalized_odds_ratio', 'to_overall', False, 'mean', 0.805761256),
    ('equalized_odds_ratio', 'to_overall', True, 'worst_case', 0.771330025),
    ('equalized_odds_ratio', 'to_overall', True, 'mean', 0.791319735),
]  # fmt: skip


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(7)
    n = 400
    group = rng.choice(list("abcd"), n, p=[0.4, 0.3, 0.2, 0.1])
    y = rng.integers(0, 2, n)
    decision = (rng.random(n) < 0.3 + 0.3 * y + 0.05 * (group == "b")).astype(int)
    return y, decision, group, rng.random(n) + 0.1


@pytest.mark.parametrize(("name", "method", "weighted", "agg", "value"), FAIRLEARN)
def test_values_are_those_of_fairlearn(case, name, method, weighted, agg, value):
    y, decision, group, weight = case
    options = {} if agg is None else {"agg": agg}
    found = getattr(fairness, name)(
        y, decision, sensitive_features=group, method=method, sample_weight=weight if weighted else None, **options
    )
    assert float(found) == pytest.approx(value, abs=1e-8)
    assert found.low <= found.value <= found.high


def test_a_difference_of_two_groups_has_the_interval_of_newcombe():
    # Newcombe (1998), table II, method 10, example (a): 56 of 70 and 48 of 80
    y = np.ones(150, int)
    decision = np.r_[np.ones(56), np.zeros(14), np.ones(48), np.zeros(32)].astype(int)
    y[-1] = 0  # so that there are two classes
    found = demographic_parity_difference(y, decision, sensitive_features=["a"] * 70 + ["b"] * 80)
    assert (found.value, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=1e-4)


@pytest.mark.parametrize(
    ("shares", "rows"),
    [
        ([0.3, 0.3], [100, 100]),
        ([0.1, 0.1], [500, 30]),
        ([0.2, 0.4, 0.6], [100, 50, 20]),
        ([0.3] * 6, [200, 100, 80, 60, 40, 30]),
        ([0.02, 0.05, 0.02], [1000, 200, 300]),
    ],
)
def test_intervals_of_all_pairs_hold_together(shares, rows):
    p, n, rng = np.array(shares), np.array(rows), np.random.default_rng(1)
    truth, true_ratio, draws = p[:, None] - p, p[:, None] / p, 1000
    others, held = ~np.eye(len(p), dtype=bool), np.zeros(3)
    for _ in range(draws):
        found = rng.binomial(n, p) / n
        low, high = wilson(found, n, level_of_pairs(len(p), 0.95))
        _, bottom, top = differences(found, low, high)
        held[0] += ((bottom <= truth + 1e-12) & (truth <= top + 1e-12))[others].all()
        _, bottom, top = ratios(found, low, high)
        held[1] += ((bottom <= true_ratio) & (true_ratio <= top))[others].all()
        gap = largest_difference(GroupValues(found, lambda level, p=found: wilson(p, n, level)), 0.95)
        held[2] += gap.low <= np.ptp(p) + 1e-12 and np.ptp(p) <= gap.high
    assert (held[:2] / draws >= 0.93).all()
    assert (held[:2] / draws <= 0.98).all()  # shares of few rows are held a little too often
    assert held[2] / draws >= 0.93


def test_weights_equal_repetition_in_value():
    y, decision, group = [1, 0, 1, 0, 1, 1], [1, 0, 0, 1, 1, 0], ["a", "a", "a", "b", "b", "b"]
    weight = [2, 1, 3, 1, 2, 2]
    repeated = [np.repeat(each, weight) for each in (y, decision, group)]
    weighted = demographic_parity_difference(y, decision, sensitive_features=group, sample_weight=weight)
    assert float(weighted) == pytest.approx(
        float(demographic_parity_difference(repeated[0], repeated[1], sensitive_features=repeated[2]))
    )


def test_a_gap_is_a_float():
    gap = Gap(0.25, 0.1, 0.4)
    assert isinstance(gap, float)
    assert gap + 0.25 == 0.5
    assert gap == 0.25
    assert hash(gap) == hash(0.25)
    assert np.asarray([gap]).tolist() == [0.25]
    assert sorted([Gap(0.3, 0, 1), gap])[0] is gap
    assert repr(pickle.loads(pickle.dumps(gap))) == "0.25 [0.10, 0.40]"


def test_several_columns_are_combined_and_missing_is_a_group(case):
    y, decision, _, _ = case
    frame = {"sex": ["f", "m"] * 200, "old": ["yes", "yes", "no", None] * 100}
    found = demographic_parity_difference(y, decision, sensitive_features=frame)
    joined = [f"{a} {b}" for a, b in zip(frame["sex"], frame["old"], strict=True)]
    assert repr(found) == repr(demographic_parity_difference(y, decision, sensitive_features=joined))
    assert repr(found) == repr(demographic_parity_difference(y, decision, sensitive_features=Table.of(frame)))


def test_labels_need_not_be_numbers(case):
    y, decision, group, _ = case
    words = np.array(["bad", "good"])
    plain = equal_opportunity_difference(y, decision, sensitive_features=group)
    assert equal_opportunity_difference(words[y], words[decision], sensitive_features=group) == plain
    other = equal_opportunity_difference(words[y], words[decision], sensitive_features=group, pos_label="bad")
    assert other == fairness.equal_opportunity_difference(1 - y, 1 - decision, sensitive_features=group)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"sensitive_features": ["a"] * 4}, "all 4 rows have group = a."),
        ({"sensitive_features": ["a", "b"]}, "sensitive_features has 2 rows and y has 4."),
        ({"sensitive_features": None}, "no sensitive_features."),
        ({"sensitive_features": list("abab"), "method": "x"}, "one of 'between_groups', 'to_overall'"),
        ({"sensitive_features": list("abab"), "level": 2}, "level"),
    ],
)
def test_errors_say_what_is_expected(arguments, text):
    with pytest.raises(DataError, match=text.replace(".", "\\.")):
        demographic_parity_difference([0, 1, 1, 0], [1, 0, 1, 0], **arguments)


def test_a_group_without_positives_is_left_out_with_a_warning():
    y, decision, group = [1, 1, 0, 1, 0, 0], [1, 0, 1, 1, 0, 1], list("aabbcc")
    with pytest.warns(GroupWarning, match="group = c left out of the TPR: no rows with the positive label"):
        found = equal_opportunity_difference(y, decision, sensitive_features=group)
    assert found == 0.5
    with pytest.raises(DataError, match="rows with the positive label in 1 of 2 groups"):
        equal_opportunity_difference([1, 0, 0, 0], [1, 0, 1, 0], sensitive_features=list("aabb"))


def test_more_than_two_classes_need_a_positive_one():
    with pytest.raises(DataError, match="pos_label"):
        demographic_parity_difference(list("abc"), list("abc"), sensitive_features=list("xyx"))


def test_ranges_of_a_number_are_said_where_fairlearn_has_a_group_for_each_value():
    y, code = np.tile([0, 1], 60), np.repeat(np.arange(6), 20)
    with pytest.warns(GroupWarning, match="group is a number: its groups are 4 ranges .* Pass text"):
        demographic_parity_difference(y, y, sensitive_features=code)
