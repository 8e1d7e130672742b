"""Decision trees as estimators: what they take, what they refuse, and what stands where scikit-learn has it."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn.tree
from scipy.sparse import csc_array, csr_array
from sklearn.exceptions import NotFittedError

from probus.data import Table, UnseenLevelWarning
from probus.errors import DataError
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor

BOTH = pytest.mark.parametrize("Model", [DecisionTreeClassifier, DecisionTreeRegressor])
NAN = float("nan")


@pytest.fixture
def coloured():
    colours = np.array(["red", "green", "blue", "grey"])[np.random.default_rng(0).integers(0, 4, 80)]
    return Table.of({"colour": colours, "size": np.arange(80.0)}), (np.isin(colours, ["red", "grey"])).astype(int)


# -- data that tells little ----------------------------------------------------------------------------


def test_one_class_is_predicted_with_certainty():
    tree = DecisionTreeClassifier().fit([[1.0], [2.0]], ["only", "only"])
    assert tree.predict([[7.0]]).tolist() == ["only"]
    assert tree.predict_proba([[7.0]]).tolist() == [[1.0]]
    assert tree.tree_.node_count == 1


@BOTH
def test_constant_and_empty_columns_are_never_asked(Model):
    X = np.column_stack([np.full(20, 3.0), np.full(20, NAN), np.arange(20.0)])
    tree = Model().fit(X, np.arange(20) // 5)
    assert set(tree.tree_.feature) == {2, -2}
    assert tree.feature_importances_.tolist() == [0.0, 0.0, 1.0]
    assert Model().fit(X[:, :2], np.arange(20) // 5).tree_.node_count == 1


@BOTH
def test_a_column_may_be_missing_throughout_after_training(Model):
    X = np.random.default_rng(0).normal(size=(50, 2))
    tree = Model(max_depth=3).fit(X, X[:, 0] > 0)
    assert len(tree.predict(np.full((4, 2), NAN))) == 4


def test_missing_values_go_where_they_went_in_training():
    X = np.array([[1.0], [2.0], [NAN], [8.0], [9.0], [NAN]])
    assert DecisionTreeClassifier().fit(X, [0, 0, 0, 1, 1, 0]).predict([[NAN]]) == [0]
    assert DecisionTreeClassifier().fit(X, [0, 0, 1, 1, 1, 1]).predict([[NAN]]) == [1]


def test_missing_values_that_come_later_go_with_the_most():
    X = np.arange(10.0)[:, None]
    assert DecisionTreeClassifier().fit(X, [0] * 7 + [1] * 3).predict([[NAN]]) == [0]
    assert DecisionTreeClassifier().fit(X, [0] * 3 + [1] * 7).predict([[NAN]]) == [1]


# -- what is refused -----------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    ("y", "weight", "said"),
    [
        ([0.0, NAN, 1.0], None, "NaN"),
        ([0.0, 1.0], None, "inconsistent numbers of samples"),
        ([[[0, 1]], [[1, 0]], [[1, 1]]], None, "dim 3"),
        ([0, 1, 1], [1.0, -1.0, 1.0], "Negative values"),
        ([0, 1, 1], [0.0, 0.0, 0.0], "zero"),
        ([0, 1, 1], [1.0, NAN, 1.0], "NaN"),
    ],
)
def test_targets_and_weights_that_make_no_sense_are_refused(Model, y, weight, said):
    with pytest.raises(ValueError, match=said):
        Model().fit([[1.0], [2.0], [3.0]], y, np.array(weight) if weight else None)


@BOTH
def test_missing_values_are_refused_where_they_are_an_error(Model):
    with pytest.raises(ValueError, match="NaN"):
        Model(missing="error").fit([[1.0], [NAN]], [0, 1])
    with pytest.raises(DataError, match=r"does not accept missing values \(NaN\): 'size'"):
        Model(missing="error").fit(Table.of({"size": [1.5, None]}), [0, 1])


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"max_depth": 0}, "max_depth"),
        ({"min_samples_leaf": 0}, "min_samples_leaf"),
        ({"max_bins": 1}, "max_bins"),
        ({"criterion": "squared_error"}, "criterion"),
        ({"monotonic_cst": [1]}, "monotonic_cst has shape 1 but the input data X has 2 features"),
        ({"monotonic_cst": [1, 2]}, "of -1, 0 or 1, but got"),
        ({"monotonic_cst": [0, 1], "categorical_features": [1]}, "constrains a nominal column"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(params, said):
    with pytest.raises(ValueError, match=said):
        DecisionTreeClassifier(**params).fit([[1.0, 0.0], [2.0, 1.0]], [0, 1])


def test_constraints_need_two_classes():
    with pytest.raises(DataError, match="not supported with multiclass"):
        DecisionTreeClassifier(monotonic_cst=[1]).fit([[1.0], [2.0], [3.0]], [0, 1, 2])


def test_poisson_takes_counts_only():
    with pytest.raises(DataError, match="are negative"):
        DecisionTreeRegressor(criterion="poisson").fit([[1.0], [2.0]], [1.0, -1.0])
    with pytest.raises(DataError, match="not positive"):
        DecisionTreeRegressor(criterion="poisson").fit([[1.0], [2.0]], [0.0, 0.0])


def test_poisson_never_predicts_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 3)), np.maximum(rng.normal(size=400), 0.0)
    assert DecisionTreeRegressor(criterion="poisson").fit(X, y).predict(X).min() > 1e-9


def test_pessimistic_pruning_is_for_classes():
    with pytest.raises(DataError, match="prune='pessimistic' for regression"):
        DecisionTreeRegressor(prune="pessimistic").fit([[1.0], [2.0]], [0.0, 1.0])


# -- levels --------------------------------------------------------------------------------------------


@BOTH
def test_levels_are_parted_as_they_are(Model, coloured):
    table, y = coloured
    tree = Model().fit(table, y)
    left, right = tree.tree_.levels_of(0)
    sides = {frozenset(np.array(tree.schema_["colour"].levels)[side]) for side in (left, right)}
    assert sides == {frozenset({"red", "grey"}), frozenset({"green", "blue"})}
    assert tree.tree_.node_count == 3


@BOTH
def test_an_unseen_level_goes_as_the_missing_do_with_a_warning(Model, coloured):
    table, y = coloured
    tree = Model().fit(table, y)
    with pytest.warns(UnseenLevelWarning, match="pink"):
        unseen = tree.predict({"colour": ["pink"], "size": [1.0]})
    assert unseen == tree.predict({"colour": [None], "size": [1.0]})


@BOTH
@pytest.mark.parametrize("chosen", [[0], (0,), np.array([0]), [True, False], ["colour"]])
def test_columns_of_levels_are_chosen_by_index_mask_or_name(Model, chosen, coloured):
    table, y = coloured
    codes = np.column_stack([table["colour"].values, table["size"].values]).astype(float)
    X = Table.of({"colour": codes[:, 0], "size": codes[:, 1]}) if chosen == ["colour"] else codes
    tree = Model(categorical_features=chosen).fit(X, y)
    assert (tree.tree_.n_levels > 0).tolist() == [True, False]
    assert tree.tree_.node_count == 3
    assert (tree.predict(X) == y).all()


@pytest.mark.filterwarnings("error")
def test_an_array_with_levels_is_asked_by_arrays():
    X = np.array([[0.0, 1.0], [3.0, 1.0], [7.0, 2.0], [0.0, 2.0]])
    tree = DecisionTreeClassifier(categorical_features=[0]).fit(X, [0, 1, 0, 0])
    assert tree.predict(X).tolist() == [0, 1, 0, 0]
    assert not hasattr(tree, "feature_names_in_")


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ([2], r"categorical_features names column 2.\n  Expected 0 to 1"),
        ([-1], "categorical_features names column -1"),
        ([True], "a mask of 1 for 2 columns"),
        (["colour"], "no column 'colour'"),
        ([0.5], "categorical_features holds 0.5"),
    ],
)
def test_columns_that_are_not_there_cannot_be_chosen(chosen, said):
    with pytest.raises(ValueError, match=said):
        DecisionTreeClassifier(categorical_features=chosen).fit([[1.0, 2.0], [2.0, 1.0]], [0, 1])


def test_no_column_is_chosen_by_an_empty_list():
    assert not DecisionTreeClassifier(categorical_features=[]).fit([[1.0], [2.0]], [0, 1]).tree_.n_levels.any()


# -- where scikit-learn has it -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["DecisionTreeClassifier", "DecisionTreeRegressor"])
def test_names_attributes_and_answers_are_those_of_scikit_learn(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3)).astype(np.float32)
    y = (X[:, 0] > 0) + 2 * (X[:, 1] > X[:, 2]) if name.endswith("fier") else X[:, 0] + X[:, 1] ** 2
    ours = {"DecisionTreeClassifier": DecisionTreeClassifier, "DecisionTreeRegressor": DecisionTreeRegressor}[name]
    a, b = ours(min_samples_leaf=4).fit(X, y), getattr(sklearn.tree, name)(min_samples_leaf=4, random_state=0).fit(X, y)
    assert b.get_params().keys() <= a.get_params().keys()
    changed = {"min_samples_leaf", "random_state"}
    assert all(a.get_params()[key] == value for key, value in b.get_params().items() if key not in changed)
    assert (a.get_depth(), a.get_n_leaves()) == (b.get_depth(), b.get_n_leaves())
    assert (a.max_features_, a.n_outputs_, a.n_features_in_) == (b.max_features_, b.n_outputs_, b.n_features_in_)
    np.testing.assert_allclose(a.feature_importances_, b.feature_importances_)
    np.testing.assert_array_equal(a.apply(X), b.apply(X))
    assert a.apply(X).dtype == b.apply(X).dtype
    ours_path, theirs_path = a.decision_path(X), b.decision_path(X)
    assert type(ours_path) is type(theirs_path)
    np.testing.assert_array_equal(ours_path.toarray(), theirs_path.toarray())
    np.testing.assert_allclose(a.predict(X), b.predict(X))
    shown = [key for key in dir(b.tree_) if not key.startswith("_")]
    assert all(hasattr(a.tree_, key) for key in shown)


def test_every_attribute_of_a_tree_has_the_type_scikit_learn_gives_it():
    X, y = np.arange(12.0)[:, None], np.arange(12) % 3
    ours = DecisionTreeClassifier().fit(X, y).tree_
    theirs = sklearn.tree.DecisionTreeClassifier().fit(X, y).tree_
    for key in ("children_left", "children_right", "feature", "threshold", "impurity", "n_node_samples", "value",
                "weighted_n_node_samples", "missing_go_to_left"):  # fmt: skip
        assert getattr(ours, key).dtype == getattr(theirs, key).dtype, key
        assert getattr(ours, key).shape == getattr(theirs, key).shape, key


@BOTH
@pytest.mark.parametrize("form", [csr_array, csc_array])
def test_sparse_rows_are_rows(Model, form):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)) * (rng.random((60, 5)) < 0.4), rng.integers(0, 3, 60)
    dense, sparse = Model().fit(X, y), Model().fit(form(X), y)
    np.testing.assert_array_equal(dense.tree_.threshold, sparse.tree_.threshold)
    np.testing.assert_array_equal(dense.predict(X), sparse.predict(form(X)))
    np.testing.assert_array_equal(dense.tree_.apply(X), sparse.tree_.apply(form(X)))


@BOTH
def test_a_pickle_holds_the_tree_and_nothing_cached(Model, coloured):
    tree = Model().fit(*coloured)
    before = pickle.dumps(tree)
    answers = tree.predict(coloured[0])
    assert pickle.dumps(tree) == before
    np.testing.assert_array_equal(pickle.loads(before).predict(coloured[0]), answers)


@pytest.mark.parametrize("model", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_unchecked_input_is_taken_as_it_is(model, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 2, 40)
    checked = model().fit(X, y)
    monkeypatch.setattr("probus.tree._cart.design_of", None)
    monkeypatch.setattr("probus.tree._tree_model.design_of", None)
    unchecked = model().fit(X, y, check_input=False)
    np.testing.assert_array_equal(unchecked.tree_.threshold, checked.tree_.threshold)
    np.testing.assert_array_equal(unchecked.predict(X, check_input=False), y)
    assert unchecked.decision_path(X, check_input=False).shape == (40, unchecked.tree_.node_count)


@pytest.mark.parametrize("frame", [pd.DataFrame, Table.of])
def test_levels_for_a_tree_fitted_on_numbers_are_named(frame):
    model = DecisionTreeClassifier().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    message = (
        r"DecisionTreeClassifier was fitted on an array of numbers; X has columns that are not: 'sex' \((nominal|bina)"
        r"(?s:.)*Fit the model on a Table or a data frame"
    )
    with pytest.raises(DataError, match=message):
        model.predict(frame({"age": [1.0, 2.5], "sex": ["m", "f"]}))
    with pytest.raises(NotFittedError):
        DecisionTreeClassifier().predict(frame({"age": [1.0, 2.5], "sex": ["m", "f"]}))


@pytest.mark.parametrize("settings", [{}, {"missing": "surrogate"}, {"max_bins": 255}])
def test_nodes_that_are_pure_enough_are_leaves(settings):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = (X[:, 0] + 0.5 * rng.normal(size=400) > 0) + (X[:, 1] > 1.2)
    full = DecisionTreeClassifier(random_state=0, **settings).fit(X, y).tree_
    tree = DecisionTreeClassifier(random_state=0, max_purity=0.8, **settings).fit(X, y).tree_
    purity = tree.value[:, 0].max(axis=1)
    assert (purity[~tree.is_leaf] < 0.8).all()
    assert 1 < tree.n_leaves < full.n_leaves
    assert ((purity >= 0.8) | (tree.n_node_samples == 1))[tree.is_leaf].all()
