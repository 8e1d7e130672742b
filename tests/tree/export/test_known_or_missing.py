"""Splits that part the known from the missing, on a column of numbers and on one of levels."""

from dataclasses import replace

import numpy as np
import pytest

from probus.tree._trees import Tree
from probus.tree.export import export_rules, export_text, plot_tree, regions, trace


@pytest.fixture
def model(random_model):
    """Height known? else wood known? else neither."""
    model = random_model(0)
    leaf = -1
    model.tree_ = Tree(
        children_left=np.array([1, leaf, 3, leaf, leaf]),
        children_right=np.array([2, leaf, 4, leaf, leaf]),
        feature=np.array([0, -2, 1, -2, -2]),
        threshold=np.array([np.inf, -2.0, -2.0, -2.0, -2.0]),
        missing_go_to_left=np.zeros(5, np.uint8),
        subset=np.array([-1, -1, 0, -1, -1]),
        subsets=np.array([0b11111, 0b11111], np.uint32),
        impurity=np.zeros(5),
        n_node_samples=np.array([9, 4, 5, 3, 2]),
        weighted_n_node_samples=np.array([9.0, 4.0, 5.0, 3.0, 2.0]),
        value=np.arange(5.0).reshape(5, 1, 1),
        n_levels=np.array([0, 5, 0, 0]),
    )
    model.tree_.check()
    return model


def test_rules_and_text_show_it(model):
    assert [rule.condition for rule in export_rules(model)] == [
        "height is known",
        "height is missing and wood is known",
        "height is missing and wood is missing",
    ]
    assert "|   |--- wood is missing\n" in export_text(model)


def test_a_trace_shows_it(model):
    rows = {"height": [1.0, None, None], "wood": ["elm", "ash", None], "size": ["S"] * 3, "when": [19750] * 3}
    ways = trace(model, rows)
    assert [way.lines()[:-1] for way in ways] == [
        ["height = 1 is known → left"],
        ["height is missing → right", "wood = ash is known → left"],
        ["height is missing → right", "wood is missing → right"],
    ]


def test_regions_still_sum_to_the_prediction_and_pictures_are_drawn(model, mixed_table):
    table = mixed_table(1)
    np.testing.assert_array_equal(regions(model)(table), model.predict(table))
    assert {"is known", "is missing"} <= {text.get_text() for text in plot_tree(model)}
    assert len(regions(model).plot().patches) == 1  # the missing have no place on an axis


def test_levels_that_no_row_had_go_with_the_missing(model, mixed_table):
    model.tree_ = replace(model.tree_, subsets=np.array([0b00011, 0b00011], np.uint32))
    table = mixed_table(2)
    np.testing.assert_array_equal(regions(model)(table), model.predict(table))
    assert [way.leaf for way in trace(model, table)] == model.apply(table).tolist()


def test_a_picture_names_levels_and_missing_values_of_one_branch():
    import matplotlib.pyplot as plt

    from probus.tree import DecisionTreeClassifier

    rng = np.random.default_rng(0)
    level = rng.choice(["a", "b", "c", None], 200)
    model = DecisionTreeClassifier(random_state=0).fit({"g": level.tolist()}, [v in ("a", None) for v in level])
    plot_tree(model)
    shown = [text.get_text() for text in plt.gca().texts]
    plt.close("all")
    assert any(text.replace("\n", " ") == "a or missing" for text in shown)
