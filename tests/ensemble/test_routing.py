"""What is passed along with the rows reaches just those models that asked for it."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from probus.ensemble import (
    BaggingClassifier,
    BaggingRegressor,
    BlendingClassifier,
    BlendingRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
    VotingRegressor,
)

X = np.random.default_rng(0).normal(size=(60, 3))
Y = np.arange(60) % 2
WEIGHTS, COLOURS = np.arange(1.0, 61.0), np.array([f"c{i}" for i in range(60)])
NAMED = [
    VotingClassifier,
    VotingRegressor,
    StackingClassifier,
    StackingRegressor,
    BlendingClassifier,
    BlendingRegressor,
]


class Recording(BaseEstimator):
    """Keeps what it was given besides rows and target."""

    def fit(self, X, y, sample_weight=None, colours=None):
        self.classes_ = np.unique(y)
        self.n_rows_ = len(X)
        self.weights_, self.colours_ = sample_weight, colours
        return self

    def predict(self, X, loudness=None):
        self.loudness_ = loudness
        return np.full(len(X), self.classes_[0])


class RecordingClassifier(ClassifierMixin, Recording):
    """A classifier that keeps what it was given."""


class RecordingRegressor(RegressorMixin, Recording):
    """A regressor that keeps what it was given."""


def recording(ensemble):
    return (RecordingClassifier if "Classifier" in ensemble.__name__ else RecordingRegressor)()


@pytest.mark.parametrize("ensemble", NAMED)
def test_without_routing_only_weights_are_passed_along(ensemble):
    fitted = ensemble([("one", recording(ensemble))]).fit(X, Y, sample_weight=WEIGHTS)
    np.testing.assert_array_equal(fitted.estimators_[0].weights_, WEIGHTS)
    with pytest.raises(ValueError, match="only supported if enable_metadata_routing=True"):
        ensemble([("one", recording(ensemble))]).fit(X, Y, colours=COLOURS)


@pytest.mark.parametrize("ensemble", NAMED)
@config_context(enable_metadata_routing=True)
def test_each_member_gets_what_it_asked_for(ensemble):
    members = [
        ("weighs", recording(ensemble).set_fit_request(sample_weight=True, colours=False)),
        ("paints", recording(ensemble).set_fit_request(sample_weight=False, colours=True)),
        ("renamed", recording(ensemble).set_fit_request(sample_weight=False, colours="paint")),
    ]
    fitted = ensemble(members).fit(X, Y, sample_weight=WEIGHTS, colours=COLOURS, paint=COLOURS[::-1])
    weighs, paints, renamed = fitted.estimators_
    np.testing.assert_array_equal(weighs.weights_, WEIGHTS)
    np.testing.assert_array_equal(paints.colours_, COLOURS)
    np.testing.assert_array_equal(renamed.colours_, COLOURS[::-1])
    assert weighs.colours_ is paints.weights_ is renamed.weights_ is None


@pytest.mark.parametrize("ensemble", NAMED)
@config_context(enable_metadata_routing=True)
def test_what_nobody_spoke_for_is_refused(ensemble):
    with pytest.raises(UnsetMetadataPassedError, match=r"\[colours\] are passed but are not explicitly set"):
        ensemble([("one", recording(ensemble))]).fit(X, Y, colours=COLOURS)
    with pytest.raises(TypeError, match=r"unexpected argument\(s\) {'taste'}"):
        ensemble([("one", recording(ensemble))]).fit(X, Y, taste=COLOURS)


@config_context(enable_metadata_routing=True)
def test_rows_that_weigh_nothing_take_what_was_passed_with_them():
    half = np.where(np.arange(60) < 30, 0.0, 1.0)
    member = RecordingClassifier().set_fit_request(sample_weight=True, colours=True)
    fitted = VotingClassifier([("one", member)]).fit(X, Y, sample_weight=half, colours=COLOURS)
    np.testing.assert_array_equal(fitted.estimators_[0].colours_, COLOURS[30:])


class Seeing(RecordingClassifier):
    """Refuses colours that are not those of its rows."""

    def fit(self, X, y, sample_weight=None, colours=None):
        assert len(colours) == len(X)
        np.testing.assert_array_equal(colours, [f"c{i:.0f}" for i in X[:, 0]])
        return super().fit(X, y, sample_weight, colours)


@pytest.mark.parametrize("ensemble", [StackingClassifier, BlendingClassifier])
@config_context(enable_metadata_routing=True)
def test_folds_take_their_part_of_what_was_passed(ensemble):
    rows = np.column_stack([np.arange(60.0), X])
    fitted = ensemble([("sees", Seeing().set_fit_request(colours=True))]).fit(rows, Y, colours=COLOURS)
    np.testing.assert_array_equal(fitted.estimators_[0].colours_, COLOURS)  # the last fit is on all rows


@pytest.mark.parametrize("ensemble", NAMED[2:])
@config_context(enable_metadata_routing=True)
def test_the_final_model_gets_what_it_takes_and_asks_when_it_predicts(ensemble):
    member = recording(ensemble).set_fit_request(colours=True, sample_weight=True)
    final = recording(ensemble).set_predict_request(loudness=True)
    fitted = ensemble([("one", member)], final).fit(X, Y, colours=COLOURS, sample_weight=WEIGHTS)
    assert len(fitted.final_estimator_.colours_) == len(fitted.final_estimator_.weights_)
    fitted.predict(X, loudness=11)
    assert fitted.final_estimator_.loudness_ == 11


@pytest.mark.parametrize("ensemble", NAMED[2:])
def test_without_routing_parameters_of_predict_are_the_final_models(ensemble):
    fitted = ensemble([("one", recording(ensemble))], recording(ensemble)).fit(X, Y)
    fitted.predict(X, loudness=3)
    assert fitted.final_estimator_.loudness_ == 3


@config_context(enable_metadata_routing=True)
def test_groups_find_their_way_to_the_folds_of_stacking():
    groups = np.arange(60) // 6
    stacked = make_pipeline(StandardScaler(), StackingRegressor([("one", RecordingRegressor())], cv=GroupKFold(2)))
    assert stacked.fit(X, Y, groups=groups).predict(X).shape == (60,)
    with pytest.raises(ValueError, match="number of groups: 1"):
        stacked.fit(X, Y, groups=np.zeros(60))
    with pytest.raises(TypeError, match=r"unexpected argument\(s\) {'groups'}"):
        StackingRegressor([("one", RecordingRegressor())], cv=3).fit(X, Y, groups=groups)


# -- bags ----------------------------------------------------------------------------------------------


class Asked(RecordingClassifier):
    """Keeps by which method it was asked, and what it was told then."""

    def predict(self, X, loudness=None):
        self.asked_ = "predict", loudness
        return np.full(len(X), self.classes_[0])


class AskedForChances(Asked):
    """Gives chances too."""

    def predict_proba(self, X, loudness=None):
        self.asked_ = "predict_proba", loudness
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


class AskedForLogarithms(AskedForChances):
    """Gives logarithms of chances, and decisions, too."""

    def predict_log_proba(self, X, loudness=None):
        self.asked_ = "predict_log_proba", loudness
        return np.full((len(X), len(self.classes_)), -np.log(len(self.classes_)))

    def decision_function(self, X, loudness=None):
        self.asked_ = "decision_function", loudness
        return np.zeros(len(X))


@pytest.mark.parametrize(
    ("member", "method", "by"),
    [
        (Asked(), "predict", "predict"),
        (Asked(), "predict_proba", "predict"),
        (Asked(), "predict_log_proba", "predict"),
        (AskedForChances(), "predict", "predict_proba"),
        (AskedForChances(), "predict_log_proba", "predict_proba"),
        (AskedForLogarithms(), "predict_log_proba", "predict_log_proba"),
        (AskedForLogarithms(), "decision_function", "decision_function"),
    ],
)
@config_context(enable_metadata_routing=True)
def test_members_of_a_bag_are_told_by_the_method_they_are_asked_by(member, method, by):
    getattr(member, f"set_{by}_request")(loudness=True)
    bagged = BaggingClassifier(member, 2, random_state=0).fit(X, Y)
    with np.errstate(divide="ignore"):
        getattr(bagged, method)(X, loudness=5)
    assert [one.asked_ for one in bagged.estimators_] == 2 * [(by, 5)]


@pytest.mark.parametrize("bag", [BaggingClassifier, BaggingRegressor])
def test_bags_pass_nothing_along_without_routing(bag):
    with pytest.raises(ValueError, match="only supported if enable_metadata_routing=True"):
        bag(recording(bag)).fit(X, Y, colours=COLOURS)
    with pytest.raises(ValueError, match="only supported if enable_metadata_routing=True"):
        bag(recording(bag), 2).fit(X, Y).predict(X, loudness=1)


@pytest.mark.parametrize("weighs", [True, False])
@pytest.mark.parametrize("bag", [BaggingClassifier, BaggingRegressor])
@config_context(enable_metadata_routing=True)
def test_members_of_a_bag_get_what_belongs_to_their_rows(bag, weighs):
    member = recording(bag).set_fit_request(colours=True, sample_weight=weighs)
    bagged = bag(member, 3, random_state=0).fit(X, Y, sample_weight=WEIGHTS, colours=COLOURS)
    for one, rows in zip(bagged.estimators_, bagged.estimators_samples_, strict=True):
        shown = np.unique(rows) if weighs else rows
        np.testing.assert_array_equal(one.colours_, COLOURS[shown])
        assert one.n_rows_ == len(shown)
        if weighs:
            np.testing.assert_array_equal(one.weights_, np.bincount(rows)[shown])
