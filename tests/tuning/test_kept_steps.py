"""Steps before the model are fitted once on the rows of a split; scores are the same as without."""

import pickle
from collections import Counter

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from probus import Task
from probus.ensemble import HistGradientBoostingClassifier
from probus.naive_bayes import GaussianNB
from probus.spaces import Real, Space
from probus.tuning import Random, SuccessiveHalving, tune
from probus.tuning import _evaluate as kept_steps
from probus.tuning._evaluate import KeptSteps

FITS = Counter()


class Shifted(TransformerMixin, BaseEstimator):
    """Counts how often it is fitted, by the mean of its rows."""

    def __init__(self, by=0.0):
        self.by = by

    def fit(self, X, y=None):
        self.mean_ = np.mean(X)
        FITS[self.by, self.mean_] += 1
        return self

    def transform(self, X):
        return np.asarray(X) - self.mean_ + self.by


@pytest.fixture
def iris():
    X, y = load_iris(return_X_y=True)
    return Task.of(X, np.array(["a", "b", "c"])[y])


def searched(model, task, **how):
    return [each.scores for each in tune(model, task, cv=3, progress=None, **how).archive]


def test_a_step_is_fitted_once_on_the_rows_of_a_split(iris):
    FITS.clear()
    model = make_pipeline(Shifted(), LogisticRegression())
    space = Space({"logisticregression__C": Real(0.1, 10, log=True)})
    found = tune(model, iris, space=space, tuner=Random(), evaluations=5, cv=3, progress=None)
    assert len(found.archive) == 5
    assert sorted(FITS.values()) == [1, 1, 1, 1], "three splits, and all rows at the end"
    assert found.best_estimator_.memory is None


def test_a_step_whose_parameters_are_tuned_is_fitted_again(iris):
    FITS.clear()
    model = make_pipeline(Shifted(), LogisticRegression())
    space = Space({"shifted__by": Real(0.0, 1.0), "logisticregression__C": Real(0.1, 10, log=True)})
    tune(model, iris, space=space, tuner=Random(), evaluations=5, cv=3, progress=None)
    assert len({by for by, _ in FITS}) == 5


@pytest.mark.parametrize(
    ("model", "tuner"),
    [
        (GaussianNB(), Random()),
        (
            make_pipeline(Shifted(), Shifted(1.0), LogisticRegression()),
            SuccessiveHalving(max_fidelity=9, fidelity="rows"),
        ),
        pytest.param(HistGradientBoostingClassifier(early_stopping=True, max_iter=9), Random(), marks=pytest.mark.slow),
    ],
    ids=["naive Bayes", "steps", "early stopping"],
)
def test_scores_are_those_without(model, tuner, iris, monkeypatch):
    space = Space({"logisticregression__C": Real(0.1, 10)}) if hasattr(model, "steps") else None
    how = {"space": space, "tuner": tuner, "evaluations": 9}
    with_kept = searched(model, iris, **how)
    monkeypatch.setattr(kept_steps, "_MOST_CELLS", 0)
    assert searched(model, iris, **how) == with_kept


def test_a_step_that_cannot_be_pickled_is_fitted_every_time(iris):
    FITS.clear()
    model = make_pipeline(FunctionTransformer(lambda X: X), Shifted(), LogisticRegression())
    space = Space({"logisticregression__C": Real(0.1, 10, log=True)})
    found = tune(model, iris, space=space, tuner=Random(), evaluations=2, cv=3, progress=None)
    assert not any(each.error for each in found.archive)
    assert sorted(FITS.values()) == [1, 2, 2, 2]


def test_another_process_begins_with_nothing():
    kept = KeptSteps(100)
    kept._kept["rows", 1] = ((b"key",), "fitted")
    assert pickle.loads(pickle.dumps(kept))._kept == {}
