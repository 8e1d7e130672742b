"""Stacking for targets that say of several labels whether each row has them."""

import numpy as np
import pytest
from sklearn.datasets import make_multilabel_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from probus.ensemble import StackingClassifier
from probus.ensemble.stacking._multilabel import multilabel_predictions
from probus.errors import ModelFileError
from probus.state import check_state

X, Y = make_multilabel_classification(120, 6, n_classes=3, n_labels=2, random_state=0)
X = StandardScaler().fit_transform(X)
TREE, NEAR = DecisionTreeClassifier(max_depth=3, random_state=0), KNeighborsClassifier(9)


@pytest.mark.parametrize("labels", [2, 3])
@pytest.mark.parametrize(
    ("member", "method"),
    [
        (TREE, "predict_proba"),
        (MLPClassifier(8, max_iter=5, random_state=0), "predict_proba"),
        (RidgeClassifier(), "decision_function"),
        (TREE, "predict"),
        (Ridge(), "predict"),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_model_says_one_number_for_each_label(member, method, labels):
    stacked = StackingClassifier([("one", member)], NEAR, stack_method=method).fit(X, Y[:, :labels])
    assert stacked.transform(X).shape == (120, labels)
    assert stacked.predict(X).shape == (120, labels)
    assert [values.tolist() for values in stacked.classes_] == labels * [[0, 1]]
    assert stacked.get_feature_names_out().tolist() == [f"stackingclassifier_one{k}" for k in range(labels)]


def test_the_final_model_learns_from_rows_that_members_were_not_shown():
    folds = list(KFold(3).split(X))
    stacked = StackingClassifier([("tree", TREE)], NEAR, cv=folds, passthrough=True).fit(X, Y)
    meta = np.empty((120, 3))
    for train, test in folds:
        chances = TREE.fit(X[train], Y[train]).predict_proba(X[test])
        meta[test] = np.column_stack([one[:, 1] for one in chances])
    final = NEAR.fit(np.hstack([meta, X]), Y)
    rows = np.column_stack([*(one[:, 1] for one in TREE.fit(X, Y).predict_proba(X)), X])
    np.testing.assert_array_equal(stacked.predict(X), final.predict(rows))


@pytest.mark.parametrize("final", [NEAR, MLPClassifier(8, max_iter=300, random_state=0)])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_chances_are_those_of_having_the_label(final):
    stacked = StackingClassifier([("forest", RandomForestClassifier(20, random_state=0))], final).fit(X, Y)
    assert stacked.predict_proba(X).shape == Y.shape
    assert roc_auc_score(Y, stacked.predict_proba(X)) > 0.8


def test_decisions_are_those_of_the_final_model():
    stacked = StackingClassifier([("tree", TREE)], RidgeClassifier()).fit(X, Y)
    decisions = stacked.final_estimator_.decision_function(stacked.transform(X))
    np.testing.assert_array_equal(stacked.decision_function(X), decisions)
    np.testing.assert_array_equal(stacked.predict(X), decisions > 0)


def test_values_of_labels_come_back_as_they_were_given():
    signs = 2 * Y - 1
    fitted, signed = (StackingClassifier([("tree", TREE)], NEAR).fit(X, y) for y in (Y, signs))
    np.testing.assert_array_equal(signed.predict(X), 2 * fitted.predict(X) - 1)
    np.testing.assert_array_equal(signed.predict_proba(X), fitted.predict_proba(X))


@pytest.mark.parametrize("method", ["predict_proba", "predict"])
def test_models_fitted_before_know_the_values_themselves(method):
    signs = 2 * Y - 1
    stacked = StackingClassifier([("tree", TREE.fit(X, signs))], NEAR, cv="prefit", stack_method=method).fit(X, signs)
    said = [one[:, 1] for one in TREE.predict_proba(X)] if method == "predict_proba" else list(Y_of(TREE).T)
    np.testing.assert_array_equal(stacked.transform(X), np.column_stack(said))
    assert set(np.unique(stacked.predict(X))) == {-1, 1}


def Y_of(model):
    return (model.predict(X) + 1) // 2


def test_a_value_that_a_member_was_not_shown_has_no_chance():
    few = np.flatnonzero(Y[:, 0] == 0)
    member = TREE.fit(X[few], Y[few])
    said = multilabel_predictions(member, "predict_proba", X, 3 * [np.array([0, 1])])
    assert said.shape == (120, 3)
    assert not said[:, 0].any()
    assert said[:, 1].any()


def test_files_may_hold_the_values_of_each_label():
    stacked = StackingClassifier([("tree", TREE)], NEAR).fit(X, Y)
    state = {name: value for name, value in vars(stacked).items() if name.endswith("_")}
    check_state("StackingClassifier", StackingClassifier.fitted_state(), state)
    with pytest.raises(ModelFileError, match=r"classes_\[0\] is 7"):
        check_state("StackingClassifier", StackingClassifier.fitted_state(), {**state, "classes_": [7]})
