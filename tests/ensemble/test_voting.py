"""Voting against counting and averaging by hand."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import VotingClassifier as Theirs
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import LinearSVC

import probus
from probus import DataError
from probus.datasets import penguins
from probus.dummy import ZeroRClassifier, ZeroRRegressor
from probus.ensemble import VotingClassifier, VotingRegressor
from probus.naive_bayes import GaussianNB, NaiveBayes
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor

X = np.random.default_rng(0).normal(size=(60, 3))
LABELS = np.array(["a", "b", "c"])[np.argsort(np.argsort(X[:, 0] + X[:, 1] ** 2)) // 20]
NUMBERS = X[:, 0] * 2 + X[:, 1]
MODELS = [("tree", DecisionTreeClassifier(max_depth=2)), ("bayes", GaussianNB()), ("lr", LogisticRegression())]


@pytest.mark.parametrize("voting", ["hard", "soft"])
@pytest.mark.parametrize(("name", "model"), MODELS)
def test_one_model_alone_has_its_way(voting, name, model):
    voted = VotingClassifier([(name, model)], voting=voting).fit(X, LABELS)
    np.testing.assert_array_equal(voted.predict(X), model.fit(X, LABELS).predict(X))
    if voting == "soft":
        np.testing.assert_allclose(voted.predict_proba(X), model.predict_proba(X))


def test_one_regressor_alone_has_its_way():
    tree = DecisionTreeRegressor()
    np.testing.assert_array_equal(
        VotingRegressor([("tree", tree)]).fit(X, NUMBERS).predict(X), tree.fit(X, NUMBERS).predict(X)
    )


@settings(max_examples=20)
@given(st.lists(st.floats(0.1, 10), min_size=3, max_size=3))
def test_soft_votes_are_the_weighted_mean(weights):
    voted = VotingClassifier(MODELS, voting="soft", weights=weights).fit(X, LABELS)
    each = [model.fit(X, LABELS).predict_proba(X) for _, model in MODELS]
    mean = sum(w * chances for w, chances in zip(weights, each, strict=True)) / sum(weights)
    np.testing.assert_allclose(voted.predict_proba(X), mean)
    np.testing.assert_array_equal(voted.predict(X), np.unique(LABELS)[mean.argmax(axis=1)])


@settings(max_examples=20)
@given(st.lists(st.integers(1, 5), min_size=3, max_size=3))
def test_hard_votes_are_counted_as_scikit_learn_does(weights):
    ours = VotingClassifier(MODELS, weights=weights).fit(X, LABELS)
    theirs = Theirs(MODELS, weights=weights).fit(X, LABELS)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_array_equal(ours.transform(X), theirs.transform(X))
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()


def test_numbers_are_the_weighted_mean():
    models = [("tree", DecisionTreeRegressor()), ("near", KNeighborsRegressor(3))]
    voted = VotingRegressor(models, weights=[3, 1]).fit(X, NUMBERS)
    each = np.stack([model.fit(X, NUMBERS).predict(X) for _, model in models], axis=1)
    np.testing.assert_allclose(voted.predict(X), each @ [0.75, 0.25])
    np.testing.assert_allclose(voted.transform(X), each)


def test_chances_can_be_had_flat_or_by_member():
    flat = VotingClassifier(MODELS, voting="soft").fit(X, LABELS)
    deep = VotingClassifier(MODELS, voting="soft", flatten_transform=False).fit(X, LABELS)
    assert deep.transform(X).shape == (3, 60, 3)
    np.testing.assert_array_equal(flat.transform(X), np.hstack(deep.transform(X)))
    assert list(flat.get_feature_names_out()[:4]) == [
        f"votingclassifier_{name}" for name in ("tree0", "tree1", "tree2", "bayes0")
    ]
    with pytest.raises(DataError, match="not supported when `voting='soft'` and `flatten_transform=False`"):
        deep.get_feature_names_out()


def test_members_can_be_dropped_and_are_known_by_name():
    voted = VotingClassifier(MODELS, voting="soft", weights=[1, 2, 3]).set_params(bayes="drop").fit(X, LABELS)
    assert [type(member).__name__ for member in voted.estimators_] == ["DecisionTreeClassifier", "LogisticRegression"]
    assert voted.named_estimators_.bayes == "drop"
    assert voted.named_estimators_["lr"] is voted.estimators_[1]
    rest = [pair for pair in MODELS if pair[0] != "bayes"]
    without = VotingClassifier(rest, voting="soft", weights=[1, 3]).fit(X, LABELS)
    np.testing.assert_array_equal(voted.predict_proba(X), without.predict_proba(X))
    assert voted.get_params()["tree__max_depth"] == 2


def test_members_know_the_places_of_labels():
    voted = VotingClassifier(MODELS).fit(X, LABELS)
    assert voted.estimators_[0].classes_.tolist() == [0, 1, 2]
    assert voted.le_.inverse_transform([2, 0]).tolist() == ["c", "a"]


def test_weights_reach_every_member():
    w = np.random.default_rng(1).integers(0, 3, 60)
    models = [("tree", DecisionTreeRegressor(max_depth=2)), ("mean", ZeroRRegressor())]
    weighted = VotingRegressor(models).fit(X, NUMBERS, w)
    rows = np.repeat(np.arange(60), w)
    np.testing.assert_allclose(weighted.predict(X), VotingRegressor(models).fit(X[rows], NUMBERS[rows]).predict(X))


def test_tables_reach_members_as_they_are_and_pipelines_prepare_them():
    table = penguins()
    rows, y = table.drop("species"), table["species"]
    members = [("tree", DecisionTreeClassifier(max_depth=4)), ("lr", probus.tabular(LogisticRegression()))]
    voted = VotingClassifier([*members, ("bayes", NaiveBayes())], voting="soft")
    assert voted.accepts.nominal
    assert voted.accepts.missing
    assert voted.fit(rows, y).score(rows, y.decoded()) > 0.95
    assert voted.estimators_[0].schema_ == rows.schema


def test_frames_reach_members_of_scikit_learn_as_frames():
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    frame = penguins().select("island", "sex").to_pandas().astype(str)
    prepared = make_pipeline(make_column_transformer((OneHotEncoder(), ["island", "sex"])), LogisticRegression())
    voted = VotingClassifier([("lr", prepared)]).fit(frame, penguins()["species"])
    assert set(voted.predict(frame)) <= set(penguins()["species"].levels)


def test_texts_and_records_reach_pipelines_that_read_them():
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline

    texts, y = ["good film", "bad film", "good food", "bad bad food"], [1, 0, 1, 0]
    voted = VotingClassifier([("lr", make_pipeline(CountVectorizer(), LogisticRegression()))])
    for form in (list, tuple, np.array, pd.Series):
        assert voted.fit(form(texts), y).predict(form(["good good"])).tolist() == [1]
    assert not hasattr(voted, "n_features_in_")
    mean = VotingRegressor([("near", make_pipeline(DictVectorizer(), KNeighborsRegressor(1)))])
    assert mean.fit([{"a": 1.0}, {"b": 2.0}], [3.0, 4.0]).predict([{"b": 1.9}]).tolist() == [4.0]


def test_arrays_of_more_dimensions_reach_members_as_they_are():
    class Bright(ClassifierMixin, BaseEstimator):
        """Tells images that are bright on average from others."""

        def fit(self, X, y):
            self.classes_, self.shape_ = np.unique(y), X.shape
            return self

        def predict(self, X):
            return (X.mean(axis=(1, 2)) > 0).astype(int)

    images = np.random.default_rng(0).normal(size=(20, 4, 5))
    bright = (images.mean(axis=(1, 2)) > 0).astype(int)
    voted = VotingClassifier([("bright", Bright())]).fit(images, bright)
    assert voted.estimators_[0].shape_ == (20, 4, 5)
    np.testing.assert_array_equal(voted.predict(images), bright)
    with pytest.raises(ValueError, match="Expected 2D array, got 1D array"):
        VotingClassifier([("bright", Bright())]).fit(np.arange(4.0), [0, 1, 0, 1])


def test_weights_reach_members_whose_fit_takes_any_names():
    nested = Theirs([("tree", DecisionTreeClassifier(max_depth=1))])
    w = np.where(np.arange(60) < 20, 9.0, 1.0)
    voted = VotingClassifier([("votes", nested)]).fit(X, LABELS, w)
    alone = DecisionTreeClassifier(max_depth=1).fit(X, LABELS, w)
    np.testing.assert_array_equal(voted.predict(X), alone.predict(X))


def test_time_is_told_for_each_member(capsys):
    VotingClassifier([*MODELS, ("none", "drop")], verbose=True).fit(X, LABELS)
    told = capsys.readouterr().out.splitlines()
    assert [line.partition(", total")[0].split(") ")[0][-6:] for line in told] == ["1 of 3", "2 of 3", "3 of 3"]
    assert all(line.startswith("[Voting]") for line in told)
    VotingClassifier(MODELS).fit(X, LABELS)
    assert capsys.readouterr().out == ""


def test_notebooks_show_members_side_by_side():
    shown = VotingClassifier(MODELS)._repr_html_()
    assert all(f"<label>{name}</label>" in shown for name, _ in MODELS)


# -- what makes no sense -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimators", "told"),
    [
        ([], "should be a non-empty list of"),
        ([LogisticRegression()], "should be a non-empty list of"),
        ([("lr", "drop")], "All estimators are dropped"),
        ([("near", KNeighborsRegressor())], "The estimator KNeighborsRegressor should be a classifier; 'near' is not"),
        ([("lr", LogisticRegression()), ("lr", LogisticRegression())], "Names provided are not unique"),
    ],
)
def test_members_that_make_no_sense_are_refused(estimators, told):
    with pytest.raises(ValueError, match=told):
        VotingClassifier(estimators).fit(X, LABELS)


def test_there_is_a_weight_for_each_estimator():
    with pytest.raises(DataError, match="got 2 weights, 3 estimators"):
        VotingClassifier(MODELS, weights=[1, 2]).fit(X, LABELS)


def test_soft_votes_need_chances():
    with pytest.raises(
        DataError, match=r"voting='soft' needs predict_proba: LinearSVC has decision_function and predict"
    ):
        VotingClassifier([*MODELS, ("svc", LinearSVC())], voting="soft").fit(X, LABELS)
    with pytest.raises(AttributeError, match="predict_proba"):
        VotingClassifier(MODELS).fit(X, LABELS).predict_proba(X)


def test_weights_need_members_that_take_them():
    with pytest.raises(DataError, match="KNeighborsClassifier does not support sample weights"):
        VotingClassifier([*MODELS, ("near", KNeighborsClassifier())]).fit(X, LABELS, np.ones(60))
    assert not VotingClassifier([("near", KNeighborsClassifier())]).accepts.weights


def test_refusals_are_the_errors_that_scikit_learn_raises():
    with pytest.raises(TypeError, match="Underlying estimator KNeighborsClassifier does not support sample weights"):
        VotingClassifier([("near", KNeighborsClassifier())]).fit(X, LABELS, np.ones(60))
    with pytest.raises(NotImplementedError, match=r"2 labels in each row(.|\n)*Multilabel and multi-output"):
        VotingClassifier(MODELS).fit(X, np.column_stack([LABELS, LABELS]))


def test_a_saved_vote_answers_the_same(tmp_path):
    members = [("tree", DecisionTreeClassifier()), ("zero", ZeroRClassifier()), ("lr", LogisticRegression())]
    voted = VotingClassifier([*members, ("off", "drop")], voting="soft", weights=[1.0, 2.0, 1.0, 0.0]).fit(X, LABELS)
    back = probus.load(probus.save(voted, tmp_path / "m.probus"))
    np.testing.assert_array_equal(back.predict_proba(X), voted.predict_proba(X))
    assert back.named_estimators_.off == "drop"
