"""Rules: brute force, mlxtend, SciPy's Fisher test, and error rates and coverage by simulation."""

from itertools import combinations, pairwise, product

import numpy as np
import pytest
from scipy.stats import fisher_exact

from probus import DataError, Table
from probus.association import association_rules, frequent_itemsets
from probus.association._lift_interval import lift_interval

ALL = {"min_confidence": 0.0, "min_lift": 0.0, "alpha": None, "redundant": True}


@pytest.fixture(scope="module")
def bought():
    rng = np.random.default_rng(3)
    matrix = rng.random((300, 6)) < 0.35
    matrix[:, 5] |= matrix[:, 0] & matrix[:, 1]
    return matrix


def shares(bought):
    return lambda *items: bought[:, list(items)].all(axis=1).mean()


@pytest.mark.parametrize("max_consequent", [1, 2, None])
def test_measures_are_those_of_the_definitions(bought, max_consequent):
    n, share = len(bought), shares(bought)
    itemsets = frequent_itemsets(bought, 0.03)
    rules = association_rules(itemsets, max_consequent=max_consequent, **ALL)
    most = max_consequent or 99
    expected = {
        (tuple(sorted(set(each.items) - set(right))), right)
        for each in itemsets
        for size in range(1, min(most, len(each.items) - 1) + 1)
        for right in combinations(each.items, size)
    }
    assert {(rule.antecedent, rule.consequent) for rule in rules} == expected
    for rule in rules:
        both, one, other = share(*rule.antecedent, *rule.consequent), share(*rule.antecedent), share(*rule.consequent)
        assert rule.support == pytest.approx(both)
        assert rule.confidence.value == pytest.approx(both / one)
        assert rule.lift.value == pytest.approx(both / one / other)
        assert rule.leverage == pytest.approx(both - one * other)
        assert rule.conviction == pytest.approx((1 - other) / (1 - both / one) if both < one else np.inf)
        a, x, y = (round(n * p) for p in (both, one, other))
        table = [[a, x - a], [y - a, n - x - y + a]]
        assert rule.pvalue == pytest.approx(fisher_exact(table, alternative="greater").pvalue, rel=1e-9)
        smaller = [part for k in range(len(rule.antecedent)) for part in combinations(rule.antecedent, k)]
        best = max(share(*part, *rule.consequent) / (share(*part) if part else 1.0) for part in smaller)
        assert rule.improvement == pytest.approx(both / one - best, abs=1e-12)


# R, datasets::Titanic, as as.data.frame(Titanic)$Freq: class within sex within age within survived
TITANIC = "0 0 35 0 0 0 17 0 118 154 387 670 4 13 89 3 5 11 13 0 1 13 14 0 57 14 75 192 140 80 76 20"


def test_rules_of_the_titanic_are_those_of_mlxtend():
    """mlxtend 0.25, fpgrowth(min_support=0.005) and association_rules: support, confidence, lift, leverage."""
    levels = product(("No", "Yes"), ("Child", "Adult"), ("Male", "Female"), ("1st", "2nd", "3rd", "Crew"))
    rows = [row for row, count in zip(levels, TITANIC.split(), strict=True) for _ in range(int(count))]
    columns = zip(("Survived", "Age", "Sex", "Class"), zip(*rows, strict=True), strict=True)
    itemsets = frequent_itemsets(Table.of({name: list(column) for name, column in columns}), 0.005)
    assert len(itemsets) == 107
    assert sum(each.support for each in itemsets) == pytest.approx(14.972739663789184)
    rules = association_rules(itemsets, **{**ALL, "min_confidence": 0.8})
    on_survival = {rule.antecedent: rule for rule in rules if rule.consequent[0].startswith("Survived")}
    assert len(on_survival) == 12
    for antecedent, expected in {
        ("Age = Child", "Class = 2nd"): (0.010904, 1.0, 3.095640, 0.007382),
        ("Class = 1st", "Sex = Female"): (0.064062, 0.972414, 3.010243, 0.042781),
        ("Age = Adult", "Class = 3rd", "Sex = Male"): (0.175829, 0.837662, 1.237379, 0.033731),
    }.items():
        rule = on_survival[antecedent]
        found = rule.support, rule.confidence.value, rule.lift.value, rule.leverage
        assert found == pytest.approx(expected, abs=1e-6)


def test_what_is_kept_and_in_which_order(bought):
    itemsets = frequent_itemsets(bought, 0.03)
    every = association_rules(itemsets, **ALL)
    kept = association_rules(itemsets, min_confidence=0.6, min_lift=1.2, alpha=0.01)
    expected = [
        rule
        for rule in every
        if rule.confidence.value >= 0.6 and rule.lift.value >= 1.2 and rule.adjusted <= 0.01 and rule.improvement > 0
    ]
    assert [str(rule) for rule in kept] == [str(rule) for rule in expected]
    assert str(kept[0]) == "0, 1 → 5"
    assert kept["0, 1 → 5"].conviction == np.inf
    assert all(a.pvalue <= b.pvalue for a, b in pairwise(every))


def test_p_values_are_corrected_for_the_rules_that_were_not_frequent_too(bought):
    rules = association_rules(frequent_itemsets(bought, 0.15, max_length=2), **ALL)
    pairs = 6 * 5 // 2
    assert rules.measured < rules.examined == 2 * pairs
    assert rules[0].adjusted == min(1.0, rules[0].pvalue * 2 * pairs)


def test_tails_of_large_counts_agree_with_scipy():
    from scipy.stats import hypergeom

    from probus.association._fisher import fisher_tails

    rng = np.random.default_rng(0)
    n = 100_000
    one, other = rng.integers(1, n, 60), rng.integers(1, n, 60)
    both = np.clip((one * other / n + rng.normal(size=60) * 60).astype(int), np.maximum(0, one + other - n), None)
    both = np.minimum(both, np.minimum(one, other))
    np.testing.assert_allclose(
        fisher_tails(both, one, other, n), hypergeom.sf(both - 1, n, one, other), rtol=1e-7, atol=1e-12
    )


def test_independent_items_give_a_rule_in_at_most_alpha_of_the_samples():
    """The support is one that only the most frequent pairs reach: selecting them must not make them significant."""
    rng = np.random.default_rng(1)
    alpha, runs = 0.1, 300
    false = 0
    for _ in range(runs):
        itemsets = frequent_itemsets(rng.random((200, 15)) < 0.3, 0.12)
        false += len(association_rules(itemsets, min_confidence=0.0, alpha=alpha)) > 0
    assert false <= alpha * runs + 3 * np.sqrt(runs * alpha * (1 - alpha))


@pytest.mark.parametrize("n", [100, 1000])
@pytest.mark.parametrize(("one", "other", "both"), [(0.3, 0.4, 0.2), (0.1, 0.2, 0.05), (0.05, 0.5, 0.045)])
def test_intervals_of_the_lift_cover(one, other, both, n):
    """Also where the confidence is near 1, where the delta method covers 92 %."""
    cells = [both, one - both, other - both, 1 - one - other + both]
    counts = np.random.default_rng(2).multinomial(n, cells, 4000)
    counts = counts[counts[:, 0] > 0]
    low, high = lift_interval(counts[:, 0], counts[:, :2].sum(axis=1), counts[:, [0, 2]].sum(axis=1), n, 0.95)
    lift = both / one / other
    assert np.mean((low <= lift) & (lift <= high)) == pytest.approx(0.95, abs=0.015)


def test_the_lift_of_what_every_basket_holds_is_one():
    rules = association_rules(frequent_itemsets([["a", "b"], ["a"], ["a", "b"]], 0.1), **ALL)
    assert [(rule.lift.value, rule.lift.high) for rule in rules if rule.antecedent == ("a",)] == [(1.0, 1.0)]


def test_text_frame_and_picture():
    baskets = [["bread", "butter"]] * 30 + [["bread"]] * 10 + [["milk"]] * 60
    rules = association_rules(frequent_itemsets(baskets, 0.05))
    assert "bread → butter" in repr(rules)
    assert "<svg" in rules._repr_html_()
    frame = rules.to_frame()
    assert frame.columns == [
        "antecedent", "consequent", "count", "support", "confidence", "confidence_low", "confidence_high", "lift",
        "lift_low", "lift_high", "leverage", "conviction", "improvement", "pvalue", "adjusted",
    ]  # fmt: skip
    assert frame.row(0)[:4] == (["butter"], ["bread"], 30, 0.3)
    assert rules.to_dict()[0]["conviction"] is None
    assert (
        repr(association_rules(frequent_itemsets([["a"], ["b"]], 0.1))) == "Rules: 0 of 2 rules examined in 2 baskets"
    )


@pytest.mark.parametrize(("options", "text"), [
    ({"min_confidence": 2}, "min_confidence=2"),
    ({"alpha": 0}, "alpha=0"),
    ({"max_consequent": 0}, "max_consequent=0"),
    ({"level": 95}, "a confidence level of 95"),
    ({"max_rules": 3}, r"itemsets give \d+ rules.\n  Expected at most max_rules=3. Raise min_support"),
])  # fmt: skip
def test_bad_settings(bought, options, text):
    with pytest.raises(DataError, match=text):
        association_rules(frequent_itemsets(bought, 0.1), **options)


def test_only_all_frequent_itemsets_have_rules(bought):
    with pytest.raises(DataError, match="association_rules was given list"):
        association_rules([["a"]])
    with pytest.raises(DataError, match=r"closed itemsets only.\n  Expected all frequent itemsets. Use kind='all'"):
        association_rules(frequent_itemsets(bought, 0.1, kind="closed"))
