"""A model that is fitted at once, with scores that are known."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin

from probus import Task
from probus.spaces import Integer, Real, Space


class Shrunk(RegressorMixin, BaseEstimator):
    """Predicts a multiple of the mean of the target."""

    def __init__(self, factor=0.0, power=1):
        self.factor = factor
        self.power = power

    def fit(self, X, y):
        if self.power == 7:
            raise ValueError("seven is not allowed")
        self.value_ = self.factor**self.power * float(np.mean(y))
        return self

    def predict(self, X):
        return np.full(len(X), self.value_)


@pytest.fixture(scope="session")
def shrunk():
    return Shrunk()


@pytest.fixture(scope="session")
def space():
    return Space({"factor": Real(0.0, 2.0), "power": Integer(1, 3)})


@pytest.fixture(scope="session")
def numbers():
    """A task of numbers around 10."""
    rng = np.random.default_rng(0)
    return Task.of(rng.normal(size=(60, 1)), 10.0 + rng.normal(size=60))
