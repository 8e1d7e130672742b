import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin

from probus.data import Column, Table


@pytest.fixture(scope="session")
def shop():
    """Sixty rows: two numbers, a nominal and a binary column, nothing missing."""
    rng = np.random.default_rng(5)
    n = 60
    return Table(
        [
            Column.numbers("age", rng.normal(40, 10, n)),
            Column.numbers("spent", rng.gamma(2, 50, n)),
            Column.labels("town", [("Bonn", "Oslo", "Rome")[i] for i in rng.integers(3, size=n)]),
            Column.labels("sex", [("f", "m")[i] for i in rng.integers(2, size=n)], ["f", "m"]),
        ]
    )


@pytest.fixture(scope="session")
def bought(shop):
    rng = np.random.default_rng(6)
    score = (shop["age"].values - 40) / 10 + shop["sex"].values + rng.normal(0, 0.5, len(shop))
    return np.where(score > 0.5, "yes", "no")


class Recorder(TransformerMixin, BaseEstimator):
    """A transformer of no library of ours; remembers what its methods were given."""

    def __init__(self, log=None):
        self.log = log

    def fit(self, X, y=None, sample_weight=None, groups=None, sensitive_features=None):
        self.n_features_in_ = np.shape(X)[1]
        self.fitted_on_ = {"X": X, "y": y, "w": sample_weight, "groups": groups, "sensitive": sensitive_features}
        return self

    def transform(self, X):
        return np.asarray(X)


class Nearest(ClassifierMixin, BaseEstimator):
    """A classifier as third parties write them: no tags, no names, no weights."""

    def fit(self, X, y):
        X, self.classes_ = np.asarray(X, float), np.unique(y)
        self.centres_ = np.array([X[np.asarray(y) == label].mean(axis=0) for label in self.classes_])
        return self

    def predict(self, X):
        away = ((np.asarray(X, float)[:, None] - self.centres_) ** 2).sum(axis=2)
        return self.classes_[away.argmin(axis=1)]


@pytest.fixture
def recorder():
    return Recorder()


@pytest.fixture
def nearest():
    return Nearest()
