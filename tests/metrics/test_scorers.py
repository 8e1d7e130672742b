"""Scorers of make_scorer as measures: scikit-learn's own values, orientation, and what cannot be taken apart."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    fbeta_score,
    hinge_loss,
    log_loss,
    make_scorer,
    mean_pinball_loss,
    roc_auc_score,
)
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import LinearSVC

import probus
from probus.comparison import compare
from probus.errors import DataError
from probus.metrics import measure
from probus.model_selection import resample

X, Y = make_classification(200, 5, n_informative=3, flip_y=0.1, random_state=0)
NAMED = np.array(["no", "yes"])[Y]
X3, Y3 = make_classification(240, 6, n_informative=4, n_classes=3, random_state=1)
MODEL = LinearDiscriminantAnalysis()  # which scaling does not change
FOLDS = StratifiedKFold(4, shuffle=True, random_state=0)


def of_one_column(y_true, probability):
    """A function that takes the probabilities of one class."""
    assert np.ndim(probability) == 1
    return float(np.mean((np.asarray(y_true) == "yes") == (probability > 0.3)))


OF_TWO = [
    make_scorer(fbeta_score, beta=2, pos_label="yes"),
    make_scorer(log_loss, response_method="predict_proba", greater_is_better=False),
    make_scorer(brier_score_loss, response_method="predict_proba", greater_is_better=False, pos_label="yes"),
    make_scorer(of_one_column, response_method="predict_proba"),
    make_scorer(roc_auc_score, response_method=("decision_function", "predict_proba"), max_fpr=0.5),
    make_scorer(average_precision_score, response_method="decision_function", pos_label="yes"),
    make_scorer(hinge_loss, response_method="decision_function", greater_is_better=False),
]
OF_THREE = [
    make_scorer(fbeta_score, beta=2, average="macro"),
    make_scorer(log_loss, response_method="predict_proba", greater_is_better=False),
    make_scorer(roc_auc_score, response_method="predict_proba", multi_class="ovo"),
    make_scorer(hinge_loss, response_method="decision_function", greater_is_better=False),
]


@pytest.mark.parametrize("scorer", OF_TWO, ids=str)
def test_two_classes_have_scikit_learn_s_scores(scorer):
    expected = cross_val_score(MODEL, X, NAMED, cv=FOLDS, scoring=scorer)
    found = resample(MODEL, X, NAMED, cv=FOLDS, scoring=scorer)
    assert np.abs(found.scores()) == pytest.approx(np.abs(expected))
    assert found.measures[0].greater_is_better == (expected > 0).all()


@pytest.mark.parametrize("scorer", OF_THREE, ids=str)
def test_three_classes_have_scikit_learn_s_scores(scorer):
    expected = cross_val_score(MODEL, X3, Y3, cv=FOLDS, scoring=scorer)
    assert np.abs(resample(MODEL, X3, Y3, cv=FOLDS, scoring=scorer).scores()) == pytest.approx(np.abs(expected))


def test_the_classes_need_not_be_in_the_order_of_their_names():
    task = probus.Task({"x": X[:, 0], "z": X[:, 1], "y": NAMED}, target="y", pos_label="no")
    scorer = make_scorer(log_loss, response_method="predict_proba", greater_is_better=False)
    expected = cross_val_score(MODEL, X[:, :2], NAMED, cv=FOLDS, scoring=scorer)
    assert resample(MODEL, task, cv=FOLDS, scoring=scorer).scores() == pytest.approx(-expected)


def test_models_without_probabilities_are_scored_by_their_decisions():
    scorer = make_scorer(hinge_loss, response_method="decision_function", greater_is_better=False)
    expected = cross_val_score(probus.tabular(LinearSVC()), X, NAMED, cv=FOLDS, scoring=scorer)
    assert resample(LinearSVC(), X, NAMED, cv=FOLDS, scoring=scorer).scores() == pytest.approx(-expected)


def test_numbers_have_scikit_learn_s_scores_without_the_minus_sign():
    y = X @ np.arange(5.0) + np.sin(5 * X[:, 0])
    scorer = make_scorer(mean_pinball_loss, greater_is_better=False, alpha=0.9)
    expected = cross_val_score(LinearRegression(), X, y, cv=4, scoring=scorer)
    found = measure(scorer)
    assert resample(LinearRegression(), X, y, cv=4, scoring=scorer).scores().shape == (4,)
    assert found(y, np.zeros(200)) == pytest.approx(mean_pinball_loss(y, np.zeros(200), alpha=0.9))
    assert (expected < 0).all()
    assert found.caution == (
        "mean_pinball_loss(alpha=0.9) is displayed without the minus sign of its scorer: smaller values are better"
    )


def test_the_positive_class_of_the_task_is_passed_on():
    task = probus.Task({"x": X[:, 0], "z": X[:, 1], "y": NAMED}, target="y", pos_label="no")
    found = resample(MODEL, task, cv=FOLDS, scoring=make_scorer(fbeta_score, beta=2))
    named = make_scorer(fbeta_score, beta=2, pos_label="no")
    assert found.scores() == pytest.approx(cross_val_score(MODEL, X[:, :2], NAMED, cv=FOLDS, scoring=named))


def test_scorers_compare_models_by_the_corrected_t():
    scorer = make_scorer(fbeta_score, beta=2, pos_label="yes")
    found = compare([LogisticRegression(), LinearDiscriminantAnalysis()], X, NAMED, scoring=scorer)
    assert found.test == "corrected_t"
    assert "fbeta score(beta=2, pos label='yes')" in repr(found)
    loss = make_scorer(hinge_loss, response_method="decision_function", greater_is_better=False)
    found = compare([LogisticRegression(), LinearDiscriminantAnalysis()], X, NAMED, scoring=loss)
    assert any("displayed without the minus sign" in note for note in found.notes)


class Fragile(ClassifierMixin, BaseEstimator):
    """Fails where the first training row is positive."""

    def fit(self, X, y):
        if X[0, 0] > 0:
            raise ValueError("positive")
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return X[:, 0]

    def predict(self, X):
        return self.classes_[(X[:, 0] > 0).astype(int)]


def test_a_failed_split_has_the_decisions_of_the_class_frequencies():
    scorer = make_scorer(hinge_loss, response_method="decision_function", greater_is_better=False)
    halves = [(np.arange(100), np.arange(100, 200)), (np.arange(100, 200), np.arange(100))]
    signed = X.copy()
    signed[0, 0], signed[100, 0] = 1.0, -1.0
    with pytest.warns(UserWarning, match="FAILED on 1 of 2"):
        found = resample(Fragile(), signed, NAMED, cv=halves, scoring=scorer)
    share = np.mean(NAMED[:100] == "yes")
    margin = np.where(NAMED[100:] == "yes", 1, -1) * np.log(share / (1 - share))
    assert found.scores()[0] == pytest.approx(np.mean(np.maximum(0, 1 - margin)))


def test_other_functions_of_an_estimator_are_refused():
    with pytest.raises(DataError) as refused:
        measure(lambda estimator, X, y: 1.0)
    assert str(refused.value) == (
        "a function of (estimator, X, y).\n"
        "  Expected a function of (y_true, y_pred), or a scorer of make_scorer. "
        "Pass the name of a measure, or make_scorer of the function of (y_true, y_pred)."
    )


def test_what_is_not_predicted_is_refused():
    scorer = make_scorer(lambda y, p: 1.0, response_method=["predict_log_proba"])
    with pytest.raises(DataError, match=r"a scorer with response_method=\['predict_log_proba'\]"):
        measure(scorer)


@pytest.mark.filterwarnings("ignore:hinge_loss is displayed")
@pytest.mark.parametrize("model", [LogisticRegression(), LinearSVC()], ids=str)
@pytest.mark.parametrize("scorer", [OF_TWO[0], OF_TWO[-1]], ids=str)
def test_scorers_tune_models(model, scorer):
    tuned = probus.tune(model, X, NAMED, scoring=scorer, evaluations=2, space={"C": [0.1, 10.0]}, cv=3)
    assert tuned.score(X, NAMED) == pytest.approx(abs(scorer(tuned.best_estimator_, X, NAMED)))
