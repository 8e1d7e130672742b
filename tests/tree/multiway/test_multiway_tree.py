from dataclasses import replace

import numpy as np
import pytest

from probus import ModelFileError, Table, datasets
from probus.state import check_state
from probus.tree.multiway import C45Classifier, CHAIDClassifier, MultiwayTree


@pytest.fixture
def tree(weather):
    return C45Classifier().fit(weather.with_numbers, weather.play).tree_


def changed(array, place, value):
    array = array.copy()
    array[place] = value
    return array


def test_a_grown_tree_passes_its_own_check(tree):
    check_state("MultiwayTree", MultiwayTree.declared, tree.parts())
    tree.check()


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("first_child", 0, 2),
        ("first_child", 0, -1),
        ("first_child", 1, 1),
        ("n_children", 0, 2),
        ("n_children", 1, 1),
        ("feature", 0, 4),
        ("feature", 0, -1),
        ("feature", 2, 1),
        ("route", 0, -1),
        ("route", 0, 10**9),
        ("routes", 0, 3),
    ],
)
def test_forged_indices_are_refused(tree, name, place, value):
    with pytest.raises(ModelFileError):
        replace(tree, **{name: changed(getattr(tree, name), place, value)}).check()


def test_forged_numbers_of_codes_are_refused(tree):
    for huge in (100, np.iinfo(np.int64).max):
        coding = replace(tree.coding, n_codes=changed(tree.coding.n_codes, tree.feature[0], huge))
        with pytest.raises(ModelFileError, match="routes"):
            replace(tree, coding=coding).check()


def test_routes_below_those_there_are_do_not_load(tree):
    with pytest.raises(ModelFileError, match="routes"):
        check_state("MultiwayTree", MultiwayTree.declared, {**tree.parts(), "routes": changed(tree.routes, 0, -3)})


@pytest.mark.parametrize("name", ["threshold", "counts", "value"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -1e300])
def test_forged_numbers_do_no_harm(weather, name, value):
    model = C45Classifier().fit(weather.with_numbers, weather.play)
    model.tree_ = replace(model.tree_, **{name: changed(getattr(model.tree_, name), 0, value)})
    model.tree_.check()
    assert len(model.predict_proba(weather.with_numbers)) == 14
    assert len(model.apply(weather.with_numbers)) == 14


def test_a_tree_of_other_columns_or_classes_does_not_load(weather):
    model = C45Classifier().fit(weather.table, weather.play)
    model.check_fitted_state()
    model.n_features_in_ = 3
    with pytest.raises(ModelFileError, match="a tree of 4 columns"):
        model.check_fitted_state()
    model.n_features_in_, model.n_classes_ = 4, 5
    with pytest.raises(ModelFileError, match="a tree of 2 classes"):
        model.check_fitted_state()


def test_the_shape_of_a_tree(tree):
    assert (tree.node_count, tree.n_leaves, tree.max_depth, tree.n_features) == (8, 5, 2, 4)
    assert tree.depths.tolist() == [0, 1, 1, 1, 2, 2, 2, 2]
    assert tree.parents.tolist() == [-1, 0, 0, 0, 2, 2, 3, 3]
    np.testing.assert_allclose(tree.share, [1, 4 / 14, 5 / 14, 5 / 14, 3 / 5, 2 / 5, 2 / 5, 3 / 5])


def test_importance_is_the_share_of_information_gain(tree):
    """The root gains 0.247 × 14 bits, the two below gain all of the 0.971 × 5 bits they have."""
    np.testing.assert_allclose(tree.feature_importances(), np.array([3.452, 0, 4.855, 4.855]) / 13.16, atol=1e-3)


def test_a_leaf_alone_has_no_importance():
    model = C45Classifier().fit(Table.of({"x": [1.0, 2, 3]}), ["a", "a", "a"])
    assert model.feature_importances_.tolist() == [0.0]
    assert model.export_text() == "a (3.0)"
    assert str(model.rules()[0]) == "always: a (3.0)"


def test_children_have_what_their_parents_have():
    titanic = datasets.titanic()
    table = titanic.select("Pclass", "Sex", "Age", "Fare", "Embarked")
    for model in (C45Classifier(), CHAIDClassifier()):
        tree = model.fit(table, titanic["Survived"]).tree_
        below = np.zeros_like(tree.counts)
        np.add.at(below, tree.parents[1:], tree.counts[1:])
        np.testing.assert_allclose(below[~tree.is_leaf], tree.counts[~tree.is_leaf], atol=1e-9)
