"""Small studies: two clouds of points, cheap models without tuning, and a model that cannot be fitted."""

import numpy as np
import pytest

import probus
from probus.dummy import ZeroRClassifier


def _two_blobs(n=60, **columns):
    random = np.random.default_rng(0)
    labels = np.array(["no", "yes"])[np.arange(n) % 2]
    x = random.normal(size=n) + 3 * (labels == "yes")
    return {"x": x, "z": random.normal(size=n), **columns, "y": labels}


def _study(data=None, **options):
    options = {
        "target": "y", "cv": 3, "progress": None, "models": ("bayes", "tree"), "evaluations": 0, **options
    }  # fmt: skip
    return probus.study(_two_blobs() if data is None else data, **options)


class Breaks(ZeroRClassifier):
    """Cannot be fitted."""

    def fit(self, X, y, sample_weight=None):
        raise RuntimeError("it broke\nsecond line")


@pytest.fixture(scope="session")
def two_blobs():
    return _two_blobs


@pytest.fixture(scope="session")
def study():
    return _study


@pytest.fixture(scope="session")
def breaking():
    return Breaks


@pytest.fixture(scope="session")
def blobs():
    return _study(cv=None, models=["bayes", "linear", "tree", "neighbors"])
