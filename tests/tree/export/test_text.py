import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
import sklearn.tree
from sklearn.datasets import load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.tree import export_text as text_of_sklearn

import probus.tree
from probus.errors import DataError
from probus.tree.export import export_text

mpl.use("Agg")

WAYS = [
    {},
    {"show_weights": True, "decimals": 3},
    {"max_depth": 0},
    {"max_depth": 2, "spacing": 1},
    {"decimals": 0, "spacing": 7},
]


@pytest.mark.parametrize("how", WAYS)
def test_a_tree_on_numbers_reads_as_scikit_learns(as_ours, how):
    X, y = load_iris(return_X_y=True)
    classifier = DecisionTreeClassifier(random_state=0).fit(X, y, sample_weight=np.linspace(0.5, 2, len(y)))
    assert export_text(as_ours(classifier), **how) == text_of_sklearn(classifier, **how)
    X, y = load_diabetes(return_X_y=True)
    regressor = DecisionTreeRegressor(random_state=0, max_depth=5).fit(X, y)
    assert export_text(as_ours(regressor), **how) == text_of_sklearn(regressor, **how)


def test_given_names_read_as_scikit_learns(as_ours):
    X, y = load_iris(return_X_y=True)
    fitted = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    how = {"feature_names": list("abcd"), "class_names": ["x", "y", "z"]}
    assert export_text(as_ours(fitted), **how) == text_of_sklearn(fitted, **how)


def test_a_tree_that_is_one_leaf_reads_as_scikit_learns(as_ours):
    fitted = DecisionTreeRegressor().fit([[0.0], [1.0]], [2.0, 2.0])
    assert export_text(as_ours(fitted)) == text_of_sklearn(fitted)


def test_levels_ordinals_and_dates_are_named(random_model):
    text = "".join(export_text(random_model(seed, classes=2)) for seed in range(12))
    for phrase in ("wood in {", "wood = ", "size <= M", "size >  M", "when <= 2024-0", "class: class 1"):
        assert f"|--- {phrase}" in text


@pytest.mark.parametrize(("name", "value"), [("max_depth", -1), ("spacing", 0), ("decimals", -1)])
def test_a_number_out_of_range_is_refused(random_model, name, value):
    with pytest.raises(DataError, match=f"{name}={value}"):
        export_text(random_model(0), **{name: value})


@pytest.mark.parametrize("depth", [1, 3])
def test_scikit_learns_own_functions_show_our_trees(depth):
    for load, ours, theirs in (
        (load_iris, probus.tree.DecisionTreeClassifier, DecisionTreeClassifier),
        (load_diabetes, probus.tree.DecisionTreeRegressor, DecisionTreeRegressor),
    ):
        X, y = load(return_X_y=True)
        X = X.astype(np.float32)[:, 2:3]  # one column: no ties between columns, which are drawn at random there
        a, b = ours(max_depth=depth).fit(X, y), theirs(max_depth=depth).fit(X, y)
        assert text_of_sklearn(a, show_weights=True) == text_of_sklearn(b, show_weights=True)
        assert sklearn.tree.export_graphviz(a, filled=True) == sklearn.tree.export_graphviz(b, filled=True)
        shown = [[text.get_text() for text in sklearn.tree.plot_tree(tree, filled=True)] for tree in (a, b)]
        assert shown[0] == shown[1]
        plt.close("all")
