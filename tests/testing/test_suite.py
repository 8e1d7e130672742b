"""The suite finds what is broken: each behaviour against an estimator that lacks it."""

import unittest
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator

import probus
from probus.base import Accepts, Classifier, Model, checked_weights, encoded_classes, matrix_input, table_input
from probus.data import Kind
from probus.dummy import ZeroRClassifier
from probus.neighbors import KNeighborsClassifier, NearestNeighbors
from probus.testing import Conformance, check, checks_for, estimators
from probus.testing.behaviours import BEHAVIOURS


class Sound(ZeroRClassifier):
    """Outside of Probus, and does nothing wrong."""


class IgnoresWeights(ZeroRClassifier):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y)


class CountsAbsentRows(ZeroRClassifier):
    def fit(self, X, y, sample_weight=None):
        weights = checked_weights(sample_weight, y)
        return super().fit(X, y, None if weights is None else weights + 1e-3)


class TakesAnyWeights(ZeroRClassifier):
    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y, None if sample_weight is None else np.ones(len(y)))


class DeniesWeights(ZeroRClassifier):
    accepts = Accepts(nominal=True, text=True, missing=True)


class KeepsSecrets(ZeroRClassifier):
    def fit(self, X, y, sample_weight=None):
        self.secret_ = 1
        return super().fit(X, y, sample_weight)


class Remembers(ZeroRClassifier):
    def fit(self, X, y, sample_weight=None):
        before = getattr(self, "class_prior_", None)
        super().fit(X, y, sample_weight)
        self.class_prior_ = self.class_prior_ if before is None else before
        return self


class DrawsLots(ZeroRClassifier):
    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self.class_prior_ = np.random.default_rng().dirichlet(np.ones(len(self.classes_)))
        return self


class CountsQuestions(ZeroRClassifier):
    def predict_proba(self, X):
        probabilities = super().predict_proba(X)
        self.class_prior_ = np.roll(self.class_prior_, 1)
        return probabilities


class MeansTheBatch(ZeroRClassifier):
    def predict_proba(self, X):
        probabilities = super().predict_proba(X)
        return probabilities ** (1 / len(probabilities))


class PoisonsInput(ZeroRClassifier):
    def fit(self, X, y, sample_weight=None):
        if isinstance(X, probus.Table):
            next(iter(X)).values[0] += 1
        return super().fit(X, y, sample_weight)


class KeepsYourArray(ZeroRClassifier):
    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        self._first = table_input(self, X, reset=False).columns[0].values
        return self

    def predict_proba(self, X):
        return super().predict_proba(X) + np.nan_to_num(self._first[1])


class TakesInfinity(ZeroRClassifier):
    def fit(self, X, y, sample_weight=None):
        if isinstance(X, probus.Table):
            X = X.with_columns(*(c for c in _without_infinity(X)))
        return super().fit(X, y, sample_weight)


def _without_infinity(table):
    return (probus.Column.numbers(c.name, np.nan_to_num(c.values, posinf=0.0)) for c in table.of_kind(Kind.NUMERIC))


class BoastsOfInfinity(ZeroRClassifier):
    accepts = Accepts(nominal=True, text=True, missing=True, weights=True, infinite=True)

    def fit(self, X, y, sample_weight=None):
        infinite = any(np.isinf(c.values).any() for c in table_input(self, X, reset=True).of_kind(Kind.NUMERIC))
        return super().fit(X, y, np.arange(len(y)) if infinite else sample_weight)


class RefusesLevels(ZeroRClassifier):
    def fit(self, X, y, sample_weight=None):
        if any(c.kind.has_levels for c in table_input(self, X, reset=True)):
            raise ValueError("no levels")
        return super().fit(X, y, sample_weight)


class RefusesGaps(ZeroRClassifier):
    def fit(self, X, y, sample_weight=None):
        if any(c.missing.any() for c in table_input(self, X, reset=True)):
            raise ValueError("no gaps")
        return super().fit(X, y, sample_weight)


class GoesByPosition(Classifier):
    """Predicts by the first column, wherever it comes from."""

    def fit(self, X, y):
        X = matrix_input(self, X, reset=True)
        self.classes_, _ = encoded_classes(y, len(X))
        return self

    def predict(self, X):
        matrix = X.numbers() if isinstance(X, probus.Table) else matrix_input(self, X, reset=False)
        return self.classes_[(matrix[:, 0] > 0).astype(int)]


class HatesUnicode(ZeroRClassifier):
    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        "".join(str(name) for name in getattr(self, "feature_names_in_", ())).encode("ascii")
        return self


class WarnsTwice(ZeroRClassifier):
    def predict(self, X):
        self.predict_proba(X)
        return super().predict(X)


class NeedsRows(ZeroRClassifier):
    def fit(self, X, y, sample_weight=None):
        if len(y) < 2:
            raise ValueError
        return super().fit(X, y, sample_weight)


class NeedsClasses(ZeroRClassifier):
    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        if len(self.classes_) < 2:
            raise ValueError("bad input")
        return self


class FearsWidth(ZeroRClassifier):
    def fit(self, X, y, sample_weight=None):
        if np.shape(X)[1] > len(y):
            raise ValueError("too wide")
        return super().fit(X, y, sample_weight)


class ForgetsItsLabels(ZeroRClassifier):
    def predict(self, X):
        return np.asarray(super().predict(X), dtype=object)


class LearnsFromNothing(ZeroRClassifier):
    def fit(self, X, y, sample_weight=None):
        if len(y) == 0:
            return self
        return super().fit(X, y, sample_weight)


class CannotTravel(ZeroRClassifier):
    def fit(self, X, y, sample_weight=None):
        self._function = lambda: None
        return super().fit(X, y, sample_weight)


BROKEN = [
    (IgnoresWeights, "weights_equal_repetition"),
    (IgnoresWeights, "a_weight_of_zero_is_absence"),
    (CountsAbsentRows, "a_weight_of_zero_is_absence"),
    (TakesAnyWeights, "weights_that_make_no_sense_are_refused"),
    (DeniesWeights, "weights_are_declared_where_fit_takes_them"),
    (KeepsSecrets, "every_fitted_attribute_is_declared"),
    (Remembers, "fitting_again_forgets_what_was_before"),
    (DrawsLots, "the_same_seed_gives_the_same_bytes"),
    (DrawsLots, "any_number_of_threads_gives_the_same_bytes"),
    (CountsQuestions, "predicting_changes_nothing"),
    (MeansTheBatch, "one_row_is_predicted_as_among_many"),
    (PoisonsInput, "input_is_left_as_it_was"),
    (KeepsYourArray, "a_model_keeps_its_own_copy"),
    (TakesInfinity, "infinite_values_are_refused"),
    (BoastsOfInfinity, "infinite_values_are_as_good_as_large_ones"),
    (RefusesLevels, "nominal_columns_are_taken_or_refused_by_name"),
    (RefusesGaps, "values_may_be_missing_everywhere"),
    (RefusesGaps, "a_column_may_be_missing_throughout"),
    (GoesByPosition, "columns_are_matched_by_name"),
    (GoesByPosition, "missing_values_are_refused_by_name"),
    (HatesUnicode, "odd_names_are_names_like_others"),
    (WarnsTwice, "unseen_levels_become_missing_with_one_warning"),
    (NeedsRows, "one_row_is_enough_or_refused"),
    (NeedsClasses, "one_class_is_predicted_or_refused"),
    (FearsWidth, "more_columns_than_rows_are_taken"),
    (ForgetsItsLabels, "labels_come_back_as_they_were_given"),
    (LearnsFromNothing, "nothing_to_learn_from_is_refused"),
    (CannotTravel, "a_pickled_model_predicts_the_same"),
]


def run(estimator, name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dict(checks_for(estimator))[name]()


@pytest.mark.parametrize(("cls", "name"), [pytest.param(*case, id=f"{case[0].__name__}-{case[1]}") for case in BROKEN])
def test_a_broken_estimator_is_found_out(cls, name):
    with pytest.raises(Exception) as error:
        run(cls(), name)
    assert not isinstance(error.value, unittest.SkipTest)


def test_a_sound_estimator_passes_and_says_what_could_not_run():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        conformance = check(Sound)
    assert isinstance(conformance, Conformance)
    assert not conformance.failures
    reasons = {outcome.check: outcome.reason for outcome in conformance.skips}
    assert reasons["a_saved_model_predicts_the_same"] == "model files hold the estimators of Probus only"
    assert f"{len(conformance)} checks of Sound()" in repr(conformance)
    assert len(conformance.to_dict()["outcomes"]) == len(conformance)


def test_failures_are_raised_together_or_returned(monkeypatch):
    def two_checks(estimator):
        yield "good", lambda: None
        yield "bad", lambda: {}["nothing"]

    monkeypatch.setattr("probus.testing._suite.checks_for", two_checks)
    with pytest.raises(
        AssertionError, match=r"2 checks of Sound\(\): 1 passed, 1 failed[\s\S]*bad: KeyError: 'nothing'"
    ):
        check(Sound)
    assert [outcome.check for outcome in check(Sound(), raise_=False).failures] == ["bad"]


def test_every_behaviour_runs_on_some_estimator_and_has_a_sentence_for_a_name():
    names = {name for cls in (ZeroRClassifier, KNeighborsClassifier, NearestNeighbors) for name, _ in checks_for(cls())}
    rest = {behaviour.name for behaviour in BEHAVIOURS} - names
    assert rest == {
        "infinite_values_are_as_good_as_large_ones",
        "negative_values_are_refused",
        "targets_that_are_not_numbers_are_refused",
    }
    assert len({behaviour.name for behaviour in BEHAVIOURS}) == len(BEHAVIOURS)
    assert all(behaviour.run.__doc__ for behaviour in BEHAVIOURS)


def test_estimators_are_ours_concrete_and_public():
    found = estimators()
    assert ZeroRClassifier in found
    assert len(set(found)) == len(found)
    assert all(issubclass(cls, Model) and issubclass(cls, BaseEstimator) for cls in found)
    assert all(cls.__module__.startswith("probus.") for cls in found)
    assert not {cls.__name__ for cls in found} & {"Model", "Classifier", "StandardScaler", "OneHotEncoder"}


def test_a_class_may_give_its_own_examples(monkeypatch):
    monkeypatch.setattr("probus.testing._suite.checks_for", lambda estimator: [("good", lambda: None)])

    class Several(KNeighborsClassifier):
        @classmethod
        def examples(cls):
            return [cls(), cls(metric="gower")]

    assert [outcome.estimator for outcome in check(Several)] == ["Several()", "Several(metric='gower')"]
