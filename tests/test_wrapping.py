"""Models that wrap models: weights, seeds, what they accept, and names."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from probus import Task, datasets, resample
from probus.base import Accepts
from probus.dummy import ZeroRClassifier
from probus.ensemble import BaggingClassifier, VotingClassifier
from probus.naive_bayes import GaussianNB
from probus.neighbors import KNeighborsClassifier
from probus.tree import DecisionTreeClassifier
from probus.wrapping import accepted_by_all, fit_weighted, named_models, set_random_states, takes_weights

SOME_TAKE_NONE = VotingClassifier([("zero", ZeroRClassifier()), ("knn", KNeighborsClassifier())])
PIPELINE = make_pipeline(StandardScaler(), LogisticRegression())


@pytest.fixture
def weighted_task():
    table = datasets.load("iris").drop("petal_length")
    return Task(table, target="species", weight="petal_width")


def test_a_vote_of_models_that_take_no_weights_is_resampled_without_them(weighted_task):
    result = resample(SOME_TAKE_NONE, weighted_task, cv=3)
    assert not result.failures
    assert any("takes no sample weights" in note for note in result.notes)


@pytest.mark.parametrize("model", [PIPELINE, GridSearchCV(PIPELINE, {"logisticregression__C": [0.1, 1.0]}, cv=2)])
def test_weights_reach_the_last_step_of_a_pipeline(model, weighted_task):
    result = resample(model, weighted_task, cv=3)
    assert not result.failures
    assert not any("takes no sample weights" in note for note in result.notes)


def test_weights_within_a_search_over_a_pipeline_equal_repetition():
    rng = np.random.default_rng(0)
    X, y, w = rng.normal(size=(60, 2)), np.arange(60) % 2, rng.integers(1, 4, 60)
    weighted = fit_weighted(GridSearchCV(make_pipeline(GaussianNB()), {}, cv=2), X, y, w.astype(float))
    repeated = GaussianNB().fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


def test_a_wrapper_takes_weights_if_its_members_do():
    assert not takes_weights(SOME_TAKE_NONE)
    assert takes_weights(VotingClassifier([("zero", ZeroRClassifier()), ("bayes", GaussianNB())]))
    assert takes_weights(BaggingClassifier(KNeighborsClassifier()))  # rows can be drawn by their weights


def test_all_models_accept_what_each_accepts():
    both = accepted_by_all([DecisionTreeClassifier(), KNeighborsClassifier()])
    assert both == Accepts(sparse=True, scaled=True)
    assert accepted_by_all([]) == Accepts.everything()


def test_parts_get_different_seeds_and_the_same_ones_again():
    inner = DecisionTreeClassifier()
    first, again, other = (
        set_random_states(
            VotingClassifier([("a", clone(inner)), ("b", make_pipeline(clone(inner)))]), seed
        ).get_params()
        for seed in (1, 1, 2)
    )
    names = ("a__random_state", "b__decisiontreeclassifier__random_state")
    assert [first[name] for name in names] == [again[name] for name in names]
    assert len({params[name] for params in (first, other) for name in names}) == 4


def test_models_are_named_by_their_classes_inside_pipelines():
    assert list(named_models([PIPELINE, LogisticRegression()])) == ["LogisticRegression", "LogisticRegression 2"]
