import gc
import weakref

import numpy as np
import pytest
from sklearn import ensemble as theirs
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.model_selection import cross_val_score

from probus import Table, ensemble
from probus.datasets import titanic
from probus.ensemble import ExtraTreesClassifier, ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from probus.errors import DataError
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor

CLASSIFIERS = [RandomForestClassifier, ExtraTreesClassifier]
REGRESSORS = [RandomForestRegressor, ExtraTreesRegressor]
ARRAYS = (
    "children_left",
    "children_right",
    "feature",
    "threshold",
    "missing_go_to_left",
    "value",
    "weighted_n_node_samples",
    "n_node_samples",
    "improvement",
    "impurity",
)


def numbers(n=200, d=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)


def labels(n=200, d=5, seed=0, k=3):
    X, z = numbers(n, d, seed)
    return X, np.argsort(np.argsort(z)) * k // n


def assert_same_trees(one, other):
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one.trees_, name), getattr(other.trees_, name), err_msg=name)


# -- what a forest is made of ------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [RandomForestClassifier, RandomForestRegressor])
def test_one_exact_tree_on_all_rows_and_columns_is_a_decision_tree(model):
    X, y = labels() if model is RandomForestClassifier else numbers()
    y = (64 * y).round() / 64 if model is RandomForestRegressor else y  # sums are exact in any order
    # weights and large leaves, so that no two columns are equally good
    size, w = {"min_samples_leaf": 5}, np.random.default_rng(1).integers(16, 64, len(y)) / 32
    forest = model(1, bootstrap=False, max_features=None, max_bins=None, random_state=0, **size).fit(X, y, w)
    tree = (DecisionTreeClassifier if model is RandomForestClassifier else DecisionTreeRegressor)(**size).fit(X, y, w)
    assert tree.tree_.node_count > 20
    for name in ("children_left", "feature", "threshold", "value", "impurity", "n_node_samples"):
        np.testing.assert_array_equal(getattr(forest[0].tree_, name), getattr(tree.tree_, name))


@pytest.mark.parametrize("limit", [{"max_depth": 3}, {"max_leaf_nodes": 12}, {"max_leaf_nodes": 6, "max_depth": 2}])
@pytest.mark.parametrize("model", [RandomForestClassifier, RandomForestRegressor])
def test_bins_of_single_values_are_exact(model, limit):
    X, y = labels(400) if model is RandomForestClassifier else numbers(400)
    X = X.round(1)
    binned, exact = (
        model(1, bootstrap=False, max_features=None, max_bins=bins, random_state=0, **limit).fit(X, y)
        for bins in (255, None)
    )
    for name in ("children_left", "feature", "threshold", "n_node_samples"):
        np.testing.assert_array_equal(getattr(binned.trees_, name), getattr(exact.trees_, name))
    for name in ("value", "improvement", "impurity"):
        np.testing.assert_allclose(getattr(binned.trees_, name), getattr(exact.trees_, name), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("model", CLASSIFIERS + REGRESSORS)
def test_a_forest_says_the_mean_of_its_trees(model):
    X, y = labels() if model in CLASSIFIERS else numbers()
    forest = model(7, random_state=0, max_depth=4).fit(X, y)
    ask = "predict_proba" if model in CLASSIFIERS else "predict"
    mean = np.mean([getattr(tree, ask)(X) for tree in forest.estimators_], axis=0)
    np.testing.assert_allclose(getattr(forest, ask)(X), mean)
    np.testing.assert_array_equal(forest.apply(X), np.column_stack([tree.apply(X) for tree in forest]))
    paths, start = forest.decision_path(X)
    np.testing.assert_array_equal(start, np.cumsum([0, *(tree.tree_.node_count for tree in forest)]))
    assert (paths[:, start[2] : start[3]] != forest[2].decision_path(X)).nnz == 0


def test_trees_are_given_one_by_one_as_decision_trees():
    X, y = labels()
    forest = RandomForestClassifier(4, random_state=0, max_depth=3).fit(X, np.array(["a", "b", "c"])[y])
    assert len(forest) == len(forest.estimators_) == 4
    assert isinstance(forest[-1], DecisionTreeClassifier)
    assert forest[1].max_depth == 3
    assert forest[1].max_features_ == 2
    assert set(forest[1].predict(X)) <= {"a", "b", "c"}
    assert forest.estimator_.get_params()["splitter"] == "best"
    assert [len(rows) for rows in forest.estimators_samples_] == [200] * 4


@pytest.mark.parametrize("bootstrap", [True, False])
@pytest.mark.parametrize("model", CLASSIFIERS + REGRESSORS)
def test_each_tree_can_be_fitted_again_alone(model, bootstrap):
    X, y = labels() if model in CLASSIFIERS else numbers()
    y = (3 * y).round()  # whole numbers, so that sums do not depend on their order
    forest = model(3, max_features=0.5, bootstrap=bootstrap, random_state=0).fit(X, y)
    for tree, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        again = clone(tree).fit(X[rows], y[rows]).tree_
        for name in ("children_left", "feature", "threshold", "value"):
            np.testing.assert_array_equal(getattr(again, name), getattr(tree.tree_, name))


def test_importances_are_the_mean_of_the_trees():
    X, y = numbers()
    forest = RandomForestRegressor(5, random_state=0).fit(X, y)
    mean = np.mean([tree.feature_importances_ for tree in forest], axis=0)
    np.testing.assert_allclose(forest.feature_importances_, mean)
    assert forest.feature_importances_.sum() == pytest.approx(1.0)
    assert (RandomForestRegressor(2).fit(X, np.ones(200)).feature_importances_ == 0).all()


# -- the same forest whatever should not matter ------------------------------------------------------------


@pytest.mark.parametrize("model", CLASSIFIERS + REGRESSORS)
def test_any_number_of_jobs_grows_the_same_bytes(model, monkeypatch):
    monkeypatch.setattr("probus.parallel._WORTH_A_THREAD", 1e-9)
    X, y = labels() if model in CLASSIFIERS else numbers()
    one, two = (model(6, bootstrap=True, oob_score=True, random_state=0, n_jobs=n).fit(X, y) for n in (1, 3))
    assert_same_trees(one, two)
    assert one.oob_score_ == two.oob_score_
    np.testing.assert_array_equal(one.oob_curve_, two.oob_curve_)


@pytest.mark.parametrize("model", [*CLASSIFIERS, *REGRESSORS, DecisionTreeClassifier, DecisionTreeRegressor])
def test_single_precision_grows_the_trees_of_the_same_numbers_in_double_precision(model):
    X, y = labels() if "Classifier" in model.__name__ else numbers()
    X = X.astype(np.float32)
    one, two = (model(random_state=0, max_leaf_nodes=20).fit(own, y) for own in (X, X.astype(np.float64)))
    trees = [fitted.trees_ if hasattr(fitted, "trees_") else fitted.tree_ for fitted in (one, two)]
    for name in ("children_left", "feature", "threshold", "value"):
        np.testing.assert_array_equal(getattr(trees[0], name), getattr(trees[1], name))


@pytest.mark.parametrize("options", [{}, {"max_bins": None}, {"bootstrap": True, "weighted": True}, {"weighted": True}])
@pytest.mark.parametrize("model", CLASSIFIERS + REGRESSORS)
def test_the_order_of_rows_does_not_matter(model, options):
    X, y = labels() if model in CLASSIFIERS else numbers()
    X, y = np.vstack([X, X[:50]]), np.concatenate([y, y[:50]])  # some rows twice, and with different weights
    options = dict(options)
    weight = np.random.default_rng(2).uniform(0.5, 2.0, len(y)) if options.pop("weighted", False) else None
    one = model(5, random_state=0, **options).fit(X, y, weight)
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(y))
        own = None if weight is None else weight[order]
        assert_same_trees(one, model(5, random_state=0, **options).fit(X[order], y[order], own))


def test_the_order_of_rows_does_not_matter_to_several_outputs_or_balanced_classes():
    X, y = numbers()
    order = np.random.default_rng(0).permutation(len(y))
    both = np.column_stack([y, np.sin(y)])
    forest = RandomForestRegressor(5, random_state=0)
    assert_same_trees(clone(forest).fit(X, both), clone(forest).fit(X[order], both[order]))
    X, y = labels()
    forest = RandomForestClassifier(5, class_weight="balanced_subsample", random_state=0)
    assert_same_trees(clone(forest).fit(X, y), clone(forest).fit(X[order], y[order]))


@pytest.mark.parametrize("max_bins", [255, None])
@pytest.mark.parametrize("model", CLASSIFIERS + REGRESSORS)
def test_weights_equal_repetition(model, max_bins):
    X, y = labels(60) if model in CLASSIFIERS else numbers(60)
    y = (3 * y).round()  # whole numbers, so that sums do not depend on their order
    w = np.random.default_rng(3).integers(0, 4, 60)
    again = np.repeat(np.arange(60), w)
    for bootstrap in (False, True):
        options = {"random_state": 0, "bootstrap": bootstrap, "max_bins": max_bins}
        weighted = model(3, **options).fit(X, y, sample_weight=w)
        repeated = model(3, **options).fit(X[again], y[again])
        np.testing.assert_allclose(weighted.predict(X), repeated.predict(X))


@pytest.mark.parametrize("model", CLASSIFIERS + REGRESSORS)
def test_trees_that_come_later_are_those_that_would_have_come_at_once(model):
    X, y = labels() if model in CLASSIFIERS else numbers()
    options = {"random_state": 0, "bootstrap": True, "oob_score": True}
    grown = model(3, warm_start=True, **options)
    with pytest.warns(UserWarning, match="OOB"):
        grown.fit(X, y)
    grown.set_params(n_estimators=12).fit(X, y)
    at_once = model(12, **options).fit(X, y)
    assert_same_trees(grown, at_once)
    np.testing.assert_array_equal(grown.oob_curve_, at_once.oob_curve_)
    with pytest.warns(UserWarning, match="Warm-start fitting without increasing n_estimators does not fit new trees"):
        grown.fit(X, y)
    with pytest.raises(DataError, match="n_estimators=2 must be larger or equal"):
        grown.set_params(n_estimators=2).fit(X, y)


def test_trees_of_other_classes_are_not_added():
    X, y = labels()
    forest = RandomForestClassifier(2, warm_start=True, random_state=0).fit(X, y)
    with pytest.raises(DataError, match="warm_start on classes"):
        forest.set_params(n_estimators=3).fit(X, y % 2)
    with pytest.warns(UserWarning, match="does not fit new trees"):
        forest.set_params(n_estimators=2).fit(X, np.column_stack([y, y]))
    assert forest.classes_.tolist() == [0, 1, 2]


def test_counts_that_are_all_zero_are_refused_in_the_words_of_scikit_learn():
    with pytest.raises(DataError, match="Sum of y is not strictly positive which is necessary for Poisson regression"):
        RandomForestRegressor(criterion="poisson").fit(np.zeros((3, 3)), np.zeros(3))


# -- classes, weights, columns -----------------------------------------------------------------------------


@pytest.mark.parametrize("model", CLASSIFIERS)
@pytest.mark.parametrize("class_weight", ["balanced", "balanced_subsample", {0: 1.0, 1: 20.0}])
def test_weights_of_classes_raise_the_rare_one(model, class_weight):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    y = (X[:, 0] + rng.normal(size=600) > 1.8).astype(int)
    plain, raised = (
        model(25, max_depth=3, random_state=0, class_weight=weight).fit(X, y).predict_proba(X)[:, 1].mean()
        for weight in (None, class_weight)
    )
    assert raised > 2 * plain


def test_balanced_without_bags_is_a_weight_for_each_row():
    X, y = labels(k=2)
    y[:60] = 0
    balanced = RandomForestClassifier(2, bootstrap=False, class_weight="balanced_subsample", random_state=0).fit(X, y)
    weight = len(y) / (2 * np.bincount(y))[y]
    weighted = RandomForestClassifier(2, bootstrap=False, random_state=0).fit(X, y, sample_weight=weight)
    assert_same_trees(balanced, weighted)


def test_one_class_is_predicted():
    forest = RandomForestClassifier(3, oob_score=True, random_state=0).fit(np.arange(30.0)[:, None], ["only"] * 30)
    assert (forest.predict([[3.0]]), forest.predict_proba([[3.0]]).tolist()) == (["only"], [[1.0]])
    assert forest.n_classes_ == 1


@pytest.mark.parametrize("model", CLASSIFIERS)
def test_levels_and_missing_values_are_taken_as_they_are(model):
    passengers = titanic()
    X, y = passengers.select("Pclass", "Sex", "Age", "Fare", "Embarked"), passengers["Survived"]
    forest = model(30, random_state=0, bootstrap=True, oob_score=True, min_samples_leaf=3).fit(X, y)
    assert forest.oob_score_ > 0.77
    assert (forest.trees_.subset >= 0).any()
    forest.trees_.check()


def test_levels_that_only_a_part_of_all_tells_apart_are_found():
    rng = np.random.default_rng(0)
    level = rng.permutation(np.arange(600) % 6)
    y = np.isin(level, (0, 3, 4)).astype(int)
    as_levels = RandomForestClassifier(5, max_depth=1, categorical_features=[0], random_state=0).fit(level[:, None], y)
    assert as_levels.score(level[:, None], y) == 1.0
    table = Table.of({"letter": np.array(list("abcdef"))[level]})
    assert RandomForestClassifier(5, max_depth=1, random_state=0).fit(table, y).score(table, y) == 1.0


def test_that_a_value_is_missing_can_be_the_answer():
    X = np.random.default_rng(0).normal(size=(300, 2))
    y = np.arange(300) % 2
    X[y == 1, 0] = np.nan
    forest = RandomForestClassifier(5, max_features=None, random_state=0).fit(X, y)
    assert forest.score(X, y) == 1.0
    assert forest.trees_.feature[0] == 0


def test_missing_values_can_be_an_error():
    with pytest.raises(ValueError, match="NaN"):
        RandomForestClassifier(missing="error").fit([[np.nan], [1.0]], [0, 1])


def test_what_binned_trees_do_not_know_is_grown_by_the_other_engine():
    X, y = numbers()
    rising = RandomForestRegressor(5, monotonic_cst=[1, 0, 0, 0, 0], random_state=0).fit(X, y)
    ladder = np.zeros((50, 5))
    ladder[:, 0] = np.linspace(-2, 2, 50)
    assert (np.diff(rising.predict(ladder)) >= 0).all()
    few = RandomForestRegressor(3, max_leaf_nodes=6, random_state=0).fit(X, y)
    assert all(tree.get_n_leaves() <= 6 for tree in few)
    medians = RandomForestRegressor(1, bootstrap=False, criterion="absolute_error", max_depth=1).fit(X, y)
    left = X[:, medians.trees_.feature[0]] <= medians.trees_.threshold[0]
    assert medians.trees_.value[1, 0, 0] == pytest.approx(np.median(y[left]))
    assert RandomForestRegressor(3, criterion="poisson", random_state=0).fit(X, np.exp(y)).predict(X).min() > 0


def test_pruned_trees_are_smaller():
    X, y = labels()
    full, cut = (RandomForestClassifier(4, ccp_alpha=alpha, random_state=0).fit(X, y) for alpha in (0.0, 0.02))
    assert 4 < len(cut.trees_.feature) < len(full.trees_.feature) / 2
    cut.trees_.check()


def test_equally_good_columns_are_chosen_at_random():
    y = np.random.default_rng(0).permutation(np.arange(60.0) % 2)
    X = np.repeat(y[:, None], 4, axis=1)
    forest = RandomForestRegressor(60, criterion="absolute_error", random_state=0).fit(X, y)
    assert (forest.feature_importances_ > 0.1).all()


@pytest.mark.parametrize("rows", [1, 200])
def test_forest_that_predicted_is_freed_at_once(rows):
    X, y = numbers()
    forest = RandomForestRegressor(2, random_state=0).fit(X, y)
    forest.predict(X[:rows])
    trees = weakref.ref(forest.trees_)
    gc.disable()
    try:
        del forest
        assert trees() is None
    finally:
        gc.enable()


def test_friedman_mse_is_a_deprecated_name_of_squared_error():
    X, y = numbers()
    with pytest.warns(FutureWarning, match="friedman_mse"):
        old = RandomForestRegressor(2, criterion="friedman_mse", random_state=0).fit(X, y)
    assert_same_trees(old, RandomForestRegressor(2, criterion="squared_error", random_state=0).fit(X, y))


def test_progress_is_told(capsys):
    X, y = labels(60)
    RandomForestClassifier(20, verbose=1, n_jobs=1).fit(X, y)
    assert capsys.readouterr().out.splitlines()[-1] == "tree 20 of 20"
    RandomForestClassifier(3, verbose=2, n_jobs=1).fit(X, y)
    assert capsys.readouterr().out == "tree 1 of 3\ntree 2 of 3\ntree 3 of 3\n"


# -- against scikit-learn ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ["RandomForestClassifier", "ExtraTreesClassifier"])
@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_classes_are_told_apart_as_well_as_by_scikit_learn(name, load):
    X, y = load(return_X_y=True)
    ours, other = (  # one row of a fold is 0.03: the means of several seeds
        np.mean([cross_val_score(getattr(room, name)(20, random_state=s), X, y, cv=5) for s in range(6)])
        for room in (ensemble, theirs)
    )
    assert ours >= other - 0.015


@pytest.mark.slow
@pytest.mark.parametrize("name", ["RandomForestRegressor", "ExtraTreesRegressor"])
def test_numbers_are_predicted_as_well_as_by_scikit_learn(name):
    X, y = load_diabetes(return_X_y=True)
    ours, other = (
        cross_val_score(getattr(room, name)(40, random_state=0), X, y, cv=5).mean() for room in (ensemble, theirs)
    )
    assert ours >= other - 0.03


def test_importances_are_near_those_of_scikit_learn():
    X, y = labels(600)
    ours, other = (room.RandomForestClassifier(100, random_state=0).fit(X, y) for room in (ensemble, theirs))
    np.testing.assert_allclose(ours.feature_importances_, other.feature_importances_, atol=0.015)


def test_parameters_and_defaults_are_those_of_scikit_learn():
    for name in ("RandomForestClassifier", "RandomForestRegressor", "ExtraTreesClassifier", "ExtraTreesRegressor"):
        ours, other = (getattr(room, name)().get_params() for room in (ensemble, theirs))
        assert {key: ours[key] for key in other} == other
        assert ours.keys() - other.keys() == {"max_bins", "categorical_features", "missing"}
