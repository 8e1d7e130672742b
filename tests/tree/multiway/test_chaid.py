import numpy as np
import pytest
from scipy.stats import chi2_contingency

from probus import Column, Table, datasets
from probus.tree.multiway import CHAIDClassifier


def labels(name, values):
    return Column.labels(name, [None if v is None else str(v) for v in values])


def test_noise_is_rarely_split():
    """Tested at 5 %, with the ways to merge counted."""
    rng = np.random.default_rng(0)
    split = 0
    for _ in range(60):
        table = Table([labels("noise", rng.integers(0, 5, 150))])
        split += CHAIDClassifier().fit(table, rng.integers(0, 2, 150)).get_n_leaves() > 1
    assert split <= 6  # 3 expected at most; the multiplier is conservative


def test_levels_alike_become_one_branch_and_the_score_is_its_adjusted_p_value():
    region = np.repeat(["n", "s", "e", "w"], 50)
    yes = np.concatenate([np.arange(50) < k for k in (40, 38, 10, 12)])
    model = CHAIDClassifier(max_depth=1).fit(Table([labels("region", region)]), yes)
    assert model.export_text().splitlines() == [
        "region in {e, w}: False (100.0/22.0)",
        "region in {n, s}: True (100.0/22.0)",
    ]
    p = chi2_contingency([[22, 78], [78, 22]], correction=False).pvalue
    assert model.tree_.score[0] == pytest.approx(7 * p)  # S(4, 2) = 7 ways to make two groups of four


def test_numbers_merge_with_their_neighbours_only():
    """Both ends are alike, the middle is not: three branches, though two groups would do."""
    x = np.arange(300.0)
    y = (x >= 100) & (x < 200)
    model = CHAIDClassifier(n_bins=6).fit(Table([Column.numbers("x", x)]), y)
    assert model.export_text().splitlines() == [
        "x <= 99.5: False (100.0)",
        "99.5 < x <= 199.5: True (100.0)",
        "x > 199.5: False (100.0)",
    ]
    nominal = CHAIDClassifier().fit(Table([labels("x", np.digitize(x, [100, 200]))]), y)
    assert nominal.get_n_leaves() == 2


def test_missing_joins_the_levels_it_is_like():
    size = Table.of({"size": ["S", "M", "L", None] * 40}).with_kinds(size=["S", "M", "L"])
    model = CHAIDClassifier().fit(size, [1, 0, 0, 1] * 40)
    assert model.export_text().splitlines() == ["size = S or size is missing: 1 (80.0)", "size in {M, L}: 0 (80.0)"]
    assert str(model.rules()[0]) == "(size = S or size is missing): 1 (80.0)"
    assert model.predict({"size": [None]}).tolist() == [1]


def test_missing_may_be_a_branch_of_its_own():
    table = Table([labels("colour", ["a", "b", None] * 30)])
    model = CHAIDClassifier().fit(table, [0, 0, 1] * 30)
    assert model.export_text().splitlines() == ["colour in {a, b}: 0 (60.0)", "colour is missing: 1 (30.0)"]


def test_missing_where_training_had_none_goes_to_every_branch():
    table = Table([labels("colour", ["a", "a", "b"] * 30)])
    model = CHAIDClassifier().fit(table, [0, 0, 1] * 30)
    np.testing.assert_allclose(model.predict_proba({"colour": [None]}), [[2 / 3, 1 / 3]])


def test_p_values_too_small_for_floats_still_rank_columns():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 6000)
    good, better = np.where(rng.random(6000) < 0.05, 1 - y, y), np.where(rng.random(6000) < 0.01, 1 - y, y)
    model = CHAIDClassifier(max_depth=1).fit(Table([labels("good", good), labels("better", better)]), y)
    assert model.tree_.feature[0] == 1
    assert model.tree_.score[0] == 0.0


def test_branches_have_min_child_rows_and_parents_min_parent():
    titanic = datasets.titanic()
    table = titanic.select("Pclass", "Sex", "Age", "Fare", "Embarked")
    tree = CHAIDClassifier(min_child=40, min_parent=120).fit(table, titanic["Survived"]).tree_
    assert tree.weight.min() >= 40
    assert tree.weight[~tree.is_leaf].min() >= 120
    assert tree.n_leaves > 4


def test_the_stricter_the_levels_the_smaller_the_tree():
    titanic = datasets.titanic()
    table = titanic.select("Pclass", "Sex", "Age", "Fare", "Embarked")
    leaves = [CHAIDClassifier(alpha_split=a).fit(table, titanic["Survived"]).get_n_leaves() for a in (0.5, 0.05, 1e-6)]
    assert leaves == sorted(leaves, reverse=True)
    assert len(set(leaves)) == 3


def test_conditions_on_one_column_are_merged_in_rules():
    x = np.arange(400.0)
    y = np.digitize(x, [100, 200, 300]) % 2
    colour = np.tile(["a", "b"], 200)
    table = Table([Column.numbers("x", x), labels("colour", colour)])
    rules = CHAIDClassifier(n_bins=16, alpha_merge=0.001).fit(table, y ^ ((colour == "a") & (x < 50))).rules()
    for rule in rules:
        assert sum("x" in condition for condition in rule.conditions) <= 1
