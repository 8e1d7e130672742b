"""Models whose training rows are sampled: where samplers act, and probabilities for the shares before them."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import probus
from probus.augmentation import (
    SMOTE,
    Mixup,
    Noise,
    RandomOverSampler,
    RandomUnderSampler,
    SampledClassifier,
    corrected,
    sampled,
)
from probus.base import BaseEstimator, ClassifierMixin
from probus.data import Table
from probus.ensemble import RandomForestClassifier
from probus.errors import DataError
from probus.linear_model import LinearRegression, LogisticRegression
from probus.naive_bayes import NaiveBayes
from probus.pipeline import branch, tabular, union
from probus.preprocessing import StandardScaler


def rare(n=2000, share=0.05, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return rng.normal(size=(n, 2)) + 1.5 * y[:, None], y


class Recorder(ClassifierMixin, BaseEstimator):
    """Counts the rows that it is fitted on and predicts."""

    fitted, predicted = [], []

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.fitted.append(np.bincount(y).tolist())
        return self

    def predict(self, X):
        self.predicted.append(len(X))
        return np.resize(self.classes_, len(X))


def test_only_training_rows_are_sampled_by_resample():
    X, y = rare(200, 0.2)
    Recorder.fitted, Recorder.predicted = [], []
    result = probus.resample(RandomOverSampler(random_state=0) >> Recorder(), X, y, cv=5, scoring="accuracy")
    assert all(no == yes for no, yes in Recorder.fitted)
    assert len(Recorder.fitted) == 5
    assert sum(outcome.actual.size for outcome in result.outcomes) == 200


def test_only_training_rows_are_sampled_by_tune():
    X, y = rare(300, 0.2)
    tuned = probus.tune(
        SMOTE(random_state=0) >> LogisticRegression(), X, y,
        space={"sampler__k_neighbors": [1, 5], "estimator__C": [1.0]},
        scoring="log_loss", evaluations=2, progress=None, random_state=0,
    )  # fmt: skip
    assert len(tuned.archive) == 2


def test_steps_before_a_sampler_are_steps_and_those_after_belong_to_the_model():
    model = StandardScaler() >> SMOTE() >> RandomUnderSampler() >> StandardScaler() >> LogisticRegression()
    assert [name for name, _ in model.steps] == ["standardscaler", "sampledclassifier"]
    inner = model[-1]
    assert isinstance(inner.sampler, SMOTE)
    assert isinstance(inner.estimator.sampler, RandomUnderSampler)
    assert list(inner.estimator.estimator.named_steps) == ["standardscaler_2", "logisticregression"]
    X, y = rare(300)
    np.testing.assert_array_equal(model.fit(X, y).predict_proba(X).shape, (300, 2))


def test_a_sampler_before_a_graph():
    X, y = rare(300)
    graph = branch(StandardScaler(), "passthrough") >> union() >> LogisticRegression()
    model = (RandomOverSampler(random_state=0) >> graph).fit(X, y)
    assert isinstance(model, SampledClassifier)
    assert model.sampled_shares_.tolist() == [0.5, 0.5]


def test_any_model_on_a_mixed_table_with_missing_values():
    people = probus.datasets.titanic()[["Survived", "Sex", "Age", "Fare", "Embarked"]]
    X, y = people.drop("Survived"), people["Survived"]
    for model in (LogisticRegression(), RandomForestClassifier(20, random_state=0), LinearDiscriminantAnalysis()):
        fitted = tabular(SMOTE(random_state=0) >> model).fit(X, y)
        assert fitted.predict_proba(X).shape == (891, 2)
        assert [name for name, _ in fitted.steps] == ["model"]  # levels reach the sampler as levels


# -- probabilities -------------------------------------------------------------------------------------


def test_the_correction_is_bayes_rule():
    """Two normal classes: the posterior for other shares follows from the density, in closed form."""
    x = np.linspace(-3, 4, 50)
    density = np.column_stack([norm.pdf(x), norm.pdf(x, 1.5)])

    def posterior(shares):
        return density * shares / (density * shares).sum(axis=1, keepdims=True)

    old, new = np.array([0.5, 0.5]), np.array([0.97, 0.03])
    np.testing.assert_allclose(corrected(posterior(old), old, new), posterior(new))
    np.testing.assert_allclose(corrected(corrected(posterior(old), old, new), new, old), posterior(old))


def test_logistic_regression_on_repeated_rows_differs_by_the_log_odds_of_the_shares():
    """The closed form for the logit: the logit of the model plus log(π₁ρ₀ / π₀ρ₁)."""
    X, y = rare()
    model = (RandomOverSampler(random_state=0) >> LogisticRegression()).fit(X, y)
    raw = model.estimator_.predict_proba(X)
    odds = np.log(raw[:, 1] / raw[:, 0]) + np.log(model.shares_[1] / model.shares_[0])  # of equal shares
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-odds)))


@pytest.mark.parametrize("sampler", [RandomOverSampler(random_state=0), RandomUnderSampler(random_state=0),
                                     SMOTE(random_state=0)], ids=repr)  # fmt: skip
def test_corrected_probabilities_are_those_of_new_rows(sampler):
    """The mean probability is the share of the class, which it is far from without correction."""
    X, y = rare(4000)
    new, labels = rare(4000, seed=1)
    model = (sampler >> LogisticRegression()).fit(X, y)
    assert model.predict_proba(new)[:, 1].mean() == pytest.approx(labels.mean(), abs=0.012)
    assert model.set_params(correct=False).predict_proba(new)[:, 1].mean() > 0.15


def test_predictions_are_the_most_probable_class_or_those_of_the_model():
    X, y = rare()
    model = (RandomOverSampler(random_state=0) >> LogisticRegression()).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X).argmax(axis=1))
    assert not hasattr(model, "decision_function")
    model.set_params(correct=False)
    np.testing.assert_array_equal(model.predict(X), model.estimator_.predict(X))
    assert hasattr(model, "decision_function")


def test_mixup_and_noise_are_for_regression_too():
    X = np.linspace(0, 1, 60)[:, None]
    for sampler in (Mixup(random_state=0), Noise(0.0, random_state=0)):
        model = (sampler >> LinearRegression()).fit(X, 2 * X[:, 0] + 0.25)
        assert model.predict([[0.9]]) == pytest.approx(2.05)


def test_a_sampler_of_another_library_gets_arrays_and_frames():
    class Theirs(BaseEstimator):
        def fit_resample(self, X, y):
            self.seen = type(X).__name__
            keep = np.r_[np.arange(len(y)), np.flatnonzero(y == "yes")]
            return (X.iloc[keep] if hasattr(X, "iloc") else X[keep]), np.asarray(y)[keep]

    rows = {"x": [1.0, 2.0, 3.0, 4.0], "c": ["a", None, "b", "a"]}
    y = ["no", "no", "no", "yes"]
    for X in (Table.of(rows, {"c": "nominal"}), np.arange(4.0)[:, None]):
        fitted = sampled(Theirs(), NaiveBayes()).fit(X, y)
        assert fitted.sampled_shares_.tolist() == [0.6, 0.4]


def test_a_sampler_of_another_library_stands_before_the_arrow():
    class Theirs(BaseEstimator):  # no fit: imbalanced-learn asks for fit_resample only
        def fit_resample(self, X, y):
            keep = np.r_[np.arange(len(y)), np.flatnonzero(y == "yes")]
            return np.asarray(X, dtype=object)[keep], np.asarray(y)[keep]  # an array, of a frame too

    rows = Table.of({"x": [1.0, 2.0, 3.0, 4.0], "c": ["a", None, "b", "a"]}, {"c": "nominal"})
    fitted = (Theirs() >> NaiveBayes()).fit(rows, ["no", "no", "no", "yes"])
    assert fitted.sampled_shares_.tolist() == [0.6, 0.4]
    assert fitted.feature_names_in_.tolist() == ["x", "c"]


def test_whole_numbers_are_mixed_before_a_regressor():
    seen = []

    class Mean(LinearRegression):
        def fit(self, X, y, sample_weight=None):
            seen.extend(y)
            return super().fit(X, y, sample_weight)

    (Mixup(alpha=1.0, random_state=0) >> Mean()).fit(np.arange(30.0)[:, None], np.arange(30))
    assert any(value != round(value) for value in seen)


def test_saved_models_predict_the_same(tmp_path):
    X, y = rare(300)
    model = (SMOTE(random_state=0) >> LogisticRegression()).fit(X, y)
    probus.save(model, tmp_path / "model.probus")
    np.testing.assert_array_equal(probus.load(tmp_path / "model.probus").predict_proba(X), model.predict_proba(X))


def test_refusals():
    X, y = rare(50)
    with pytest.raises(DataError, match="LinearRegression is a regressor"):
        SampledClassifier(SMOTE(), LinearRegression()).fit(X, y)
    with pytest.raises(DataError, match="is a classifier"):
        probus.augmentation.SampledRegressor(Noise(), NaiveBayes()).fit(X, y)
    with pytest.raises(DataError, match="probabilities of shape"):
        corrected([[0.5, 0.5]], [1.0], [1.0])
    with pytest.raises(DataError, match="positive shares of the fit"):
        corrected([[0.5, 0.5]], [1.0, 0.0], [0.5, 0.5])

    class NoParameters:
        def fit_resample(self, X, y):
            return X, y

    with pytest.raises(DataError, match=r"NoParameters has no get_params\.\n  Expected a sampler that can be cloned"):
        sampled(NoParameters(), NaiveBayes()).fit(X, y)

    class Drops(BaseEstimator):
        def fit_resample(self, X, y):
            return X[y == 0], y[y == 0]

    with pytest.raises(DataError, match=r"after sampling, Drops has the classes \[0\]"):
        sampled(Drops(), NaiveBayes()).fit(X, y)
