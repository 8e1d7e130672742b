import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import KFold
from sklearn.utils.estimator_checks import check_estimator

from probus.data import Table
from probus.errors import DataError
from probus.tree._cart import DecisionTreeClassifier, DecisionTreeRegressor
from probus.tree._cost_complexity_cv import CostComplexityCV
from probus.tree.prune import misclassification_risk, pruned, pruning_path


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:250, :8], np.array(["malignant", "benign"])[y[:250]]


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return X[:200], y[:200]


def losses_of(model, X, y, loss: str) -> np.ndarray:
    if loss == "brier":
        return ((model.predict_proba(X) - (y[:, None] == model.classes_)) ** 2).sum(axis=1)
    wrong = {"error": lambda p: p != y, "squared_error": lambda p: (p - y) ** 2, "absolute_error": lambda p: abs(p - y)}
    return wrong[loss](model.predict(X)).astype(float)


# -- properties ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("loss", "rule"), [("error", "1se"), ("brier", "min"), ("squared_error", "1se"),
                                            ("absolute_error", "min")])  # fmt: skip
def test_risks_are_those_of_trees_grown_and_pruned_one_by_one(cancer, diabetes, loss, rule):
    classes = loss in ("error", "brier")
    X, y = cancer if classes else diabetes
    tree = (DecisionTreeClassifier if classes else DecisionTreeRegressor)(min_samples_leaf=5)
    folds = list(KFold(4, shuffle=True, random_state=1).split(X))
    model = CostComplexityCV(tree, cv=folds, rule=rule, loss=loss, random_state=0).fit(X, y)
    for k in range(0, len(model.alphas_), 5):
        last = k + 1 == len(model.alphas_)
        alpha = np.inf if last else np.sqrt(model.alphas_[k] * model.alphas_[k + 1])
        losses = np.zeros(len(y))
        for train, test in folds:
            one = clone(tree).set_params(random_state=0).fit(X[train], y[train])
            one.tree_ = pruned(one.tree_, alpha)
            losses[test] = losses_of(one, X[test], y[test], loss)
        np.testing.assert_allclose(model.cv_risk_[k], losses.mean(), rtol=1e-9)
        np.testing.assert_allclose(model.cv_se_[k], losses.std() / np.sqrt(len(y)), rtol=1e-6)


@pytest.mark.parametrize("classes", [True, False])
def test_the_best_estimator_is_the_tree_of_the_price_chosen(cancer, diabetes, classes):
    X, y = cancer if classes else diabetes
    tree = DecisionTreeClassifier() if classes else DecisionTreeRegressor()
    model = CostComplexityCV(tree, cv=5, random_state=0).fit(X, y)
    assert model.alpha_ > 0
    again = clone(tree).set_params(ccp_alpha=model.alpha_, random_state=0).fit(X, y)
    np.testing.assert_array_equal(again.tree_.threshold, model.tree_.threshold)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert model.best_estimator_.ccp_alpha == model.alpha_
    assert model.n_leaves_ == model.get_n_leaves() == again.get_n_leaves()
    assert model.path_leaves_[model.table_.chosen] == model.n_leaves_
    np.testing.assert_allclose(model.train_risk_[model.table_.chosen], losses_of(
        model, X, y, "error" if classes else "squared_error").mean())  # fmt: skip


def test_weights_equal_repetition(cancer):
    X, y = cancer
    times = np.random.default_rng(0).integers(1, 4, len(y))
    rows = np.repeat(np.arange(len(y)), times)
    folds = list(KFold(3, shuffle=True, random_state=0).split(X))
    repeated = [tuple(np.flatnonzero(np.isin(rows, part)) for part in fold) for fold in folds]
    weighted = CostComplexityCV(cv=folds, random_state=0).fit(X, y, times)
    copied = CostComplexityCV(cv=repeated, random_state=0).fit(X[rows], y[rows])
    for name in ("alphas_", "cv_risk_", "cv_se_", "alpha_"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(copied, name), atol=1e-9)


def test_one_tree_is_grown_in_each_fold_and_one_on_all_rows(cancer, monkeypatch):
    sizes, fit = [], DecisionTreeClassifier.fit
    monkeypatch.setattr(
        DecisionTreeClassifier, "fit", lambda self, X, *more: sizes.append(len(X)) or fit(self, X, *more)
    )
    CostComplexityCV(cv=5, random_state=0).fit(*cancer)
    assert sorted(sizes) == [200] * 5 + [250]


def test_threads_change_nothing(cancer):
    one, two = (CostComplexityCV(cv=4, random_state=3, n_jobs=n).fit(*cancer) for n in (1, 2))
    np.testing.assert_array_equal(one.cv_risk_, two.cv_risk_)


# -- ways of working -----------------------------------------------------------------------------------


def test_the_least_risk_keeps_at_least_as_many_leaves_as_one_standard_error(cancer):
    one_se, least = (CostComplexityCV(cv=5, rule=rule, random_state=0).fit(*cancer) for rule in ("1se", "min"))
    np.testing.assert_array_equal(one_se.cv_risk_, least.cv_risk_)
    assert one_se.n_leaves_ <= least.n_leaves_
    assert least.alpha_ == least.alphas_[least.table_.least]


def test_pruning_by_misclassification_is_rparts(cancer):
    X, y = cancer
    model = CostComplexityCV(cv=5, risk="misclassification", random_state=0).fit(X, y)
    full = DecisionTreeClassifier(random_state=0).fit(X, y).tree_
    path = pruning_path(full, misclassification_risk(full))
    np.testing.assert_allclose(model.alphas_, path.alphas[path.steps])
    np.testing.assert_allclose(model.train_risk_, path.impurities[path.steps], atol=1e-12)


def test_it_is_a_classifier_or_a_regressor_as_its_tree_is(diabetes):
    assert is_classifier(CostComplexityCV())
    model = CostComplexityCV(DecisionTreeRegressor(), cv=3)
    assert is_regressor(model)
    assert not hasattr(model, "predict_proba")
    assert hasattr(CostComplexityCV(), "predict_proba")
    assert not hasattr(model.fit(*diabetes), "classes_")


def test_a_class_that_a_fold_has_not_seen_counts_as_wrong():
    X, y = np.arange(12.0)[:, None], np.array(["a"] * 6 + ["b"] * 5 + ["c"])
    folds = [(np.arange(11), np.array([11])), (np.arange(1, 12), np.array([0]))]
    for loss, risk in (("error", 0.5), ("brier", 1.0)):
        model = CostComplexityCV(cv=folds, loss=loss).fit(X, y)
        np.testing.assert_allclose(model.cv_risk_[0], risk)  # the lone "c" is taken for a pure "b"


def test_columns_of_any_kind_with_missing_go_through():
    rng = np.random.default_rng(0)
    colour = np.array(["red", "green", "blue"])[rng.integers(0, 3, 120)]
    size = np.where(rng.random(120) < 0.2, np.nan, rng.normal(size=120))
    y = np.where((colour == "red") ^ (rng.random(120) < 0.1), "yes", "no")
    table = Table.of({"colour": colour.tolist(), "size": size}, kinds={"colour": "nominal"})
    model = CostComplexityCV(cv=5, random_state=0).fit(table, y)
    assert model.n_leaves_ == 2
    assert model.score(table, y) > 0.8
    pandas = CostComplexityCV(cv=5, random_state=0).fit(table.to_pandas(), y)
    np.testing.assert_array_equal(pandas.predict(table.to_pandas()), model.predict(table))


@pytest.mark.parametrize(("missing", "risk"), [("surrogate", 0.0), ("learn", 0.5)])
def test_a_level_that_a_fold_has_not_seen_goes_by_surrogates(missing, risk):
    """Cross-validation with surrogates and nominal columns is held to rpart's in test_rpart.py."""
    size = np.arange(40.0)
    town = np.where(size < 20, "Ulm", "Bonn").astype(object)
    town[[0, 39]] = "Kiel"
    table = Table.of({"town": town.tolist(), "size": size}, kinds={"town": "nominal"})
    folds = [(np.arange(1, 39), np.array([0, 39]))]
    model = CostComplexityCV(DecisionTreeClassifier(missing=missing), cv=folds, rule="min").fit(table, size < 20)
    np.testing.assert_allclose(model.cv_risk_[0], risk)


def test_it_answers_as_a_tree_does(cancer):
    X, y = cancer
    model = CostComplexityCV(cv=3, random_state=0).fit(X, y)
    best = model.best_estimator_
    np.testing.assert_array_equal(model.predict_proba(X), best.predict_proba(X))
    np.testing.assert_array_equal(model.predict_log_proba(X), best.predict_log_proba(X))
    np.testing.assert_array_equal(model.apply(X), best.apply(X))
    np.testing.assert_array_equal(model.feature_importances_, best.feature_importances_)
    assert (model.decision_path(X) != best.decision_path(X)).nnz == 0
    assert model.get_depth() == best.get_depth()
    assert repr(model.trace(X[:3])) == repr(best.trace(X[:3]))
    assert repr(model.regions()) == repr(best.regions())


# -- contract and refusals -----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("tree", [DecisionTreeClassifier(), DecisionTreeRegressor()], ids=["classes", "numbers"])
def test_it_keeps_scikit_learns_contract(tree):
    check_estimator(CostComplexityCV(tree, cv=3))


def test_other_estimators_are_refused():
    from sklearn.tree import DecisionTreeClassifier as Theirs

    with pytest.raises(DataError, match="Expected a DecisionTreeClassifier or DecisionTreeRegressor of Probus"):
        CostComplexityCV(Theirs()).fit([[0.0], [1.0]], [0, 1])


def test_a_tree_that_prunes_itself_is_refused():
    with pytest.raises(DataError, match="estimator prunes itself: prune='pessimistic'"):
        CostComplexityCV(DecisionTreeClassifier(prune="pessimistic")).fit([[0.0], [1.0]], [0, 1])


def test_a_loss_or_risk_of_the_other_sort_is_refused():
    with pytest.raises(DataError, match="Expected 'error' or 'brier'"):
        CostComplexityCV(loss="squared_error").fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(DataError, match="risk='misclassification' for a regressor"):
        CostComplexityCV(DecisionTreeRegressor(), risk="misclassification").fit([[0.0], [1.0]], [0, 1])


def test_one_row_is_refused():
    with pytest.raises(DataError, match="at least two rows"):
        CostComplexityCV().fit([[0.0]], [0])


@pytest.mark.parametrize("largest", [1e90, 1e-90])
def test_a_target_whose_fourth_power_overflows_is_refused(largest):
    with pytest.raises(DataError, match=r"(?s)as large as 9e.*between 1e-70 and 1e\+70.*Divide y by a constant"):
        CostComplexityCV(DecisionTreeRegressor()).fit(np.arange(10.0)[:, None], np.arange(10.0) * largest)
