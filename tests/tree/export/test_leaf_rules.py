import json

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from probus.tree.export import export_rules


@pytest.fixture(scope="module")
def rules(as_ours):
    iris = load_iris()
    fitted = DecisionTreeClassifier(random_state=0).fit(iris.data, iris.target)
    fitted.classes_ = iris.target_names
    return export_rules(as_ours(fitted, ["sl", "sw", "pl", "pw"]))


def test_the_rules_share_out_all_rows(rules):
    assert sum(rule.n for rule in rules) == 150
    assert sum(rule.share for rule in rules) == pytest.approx(1)
    assert all(sum(rule.distribution.values()) == pytest.approx(1) for rule in rules)


def test_conditions_on_a_column_are_merged(rules):
    assert all(sum(name in c for c in rule.conditions) <= 1 for rule in rules for name in ("sl", "sw", "pl", "pw"))
    assert str(rules[1]) == "0.8 < pw ≤ 1.65 and pl ≤ 4.95 → versicolor (100 % of 47)"


def test_a_rule_names_each_column_on_its_path_once(random_model):
    for seed in range(10):
        model = random_model(seed, classes=3)
        for rule in export_rules(model):
            node, names = model.tree_.parents[rule.leaf], set()
            while node >= 0:
                names.add(model.feature_names_in_[model.tree_.feature[node]])
                node = model.tree_.parents[node]
            assert sorted(name for c in rule.conditions for name in names if name in c.split()) == sorted(names)
            assert len(rule.conditions) == len(names)


def test_a_leaf_alone_always_holds(as_ours):
    fitted = DecisionTreeClassifier().fit([[0.0], [1.0]], ["a", "a"])
    (rule,) = export_rules(as_ours(fitted))
    assert (rule.condition, rule.prediction, rule.n) == ("always", "a", 2)


def test_a_tree_of_numbers_has_no_distribution(random_model):
    model = random_model(1)
    found = export_rules(model)
    assert all(rule.distribution is None for rule in found)
    assert {rule.prediction for rule in found} == set(model.tree_.value[model.tree_.is_leaf].ravel().tolist())


def test_text_html_and_data(rules):
    frame = rules.to_frame()
    assert frame.columns[:3] == ["leaf", "condition", "prediction"]
    assert frame["n"].to_list() == [rule.n for rule in rules]
    assert json.loads(json.dumps(rules.to_dict()))[0]["distribution"]["setosa"] == 1.0
    assert repr(rules).splitlines()[0].split("→")[1].strip() == "setosa (100 % of 50)"
    assert "0.8 &lt; pw ≤ 1.65<br>pl ≤ 4.95" in rules._repr_html_()
    assert len(rules[:2]) == 2
    assert np.isclose(rules[0].share, 1 / 3)
