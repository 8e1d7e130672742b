"""Two half moons, two cheap families that tuning improves, their study, and their search alone."""

import numpy as np
import pytest

import probus
from probus.lifecycle._elimination import search_families
from probus.lifecycle._families import families
from probus.lifecycle._family_fits import FamilyFits
from probus.lifecycle._fit_pool import FitPool
from probus.metrics import measure
from probus.model_selection import splits_of
from probus.naive_bayes import NaiveBayes
from probus.neighbors import KNeighborsClassifier

TWO_FAMILIES = {"bayes": NaiveBayes(), "k-NN": KNeighborsClassifier(50)}


def _moons(n=120, seed=0):
    random = np.random.default_rng(seed)
    angle, labels = random.uniform(0, np.pi, n), np.arange(n) % 2
    x = np.where(labels, 1 - np.cos(angle), np.cos(angle)) + random.normal(0, 0.25, n)
    z = np.where(labels, 0.5 - np.sin(angle), np.sin(angle)) + random.normal(0, 0.25, n)
    return {"x": x, "z": z, "y": np.array(["no", "yes"])[labels]}


def _study(data=None, **options):
    how = {"target": "y", "cv": 3, "models": TWO_FAMILIES, "evaluations": 5, "progress": None}
    return probus.study(_moons() if data is None else data, **{**how, **options})


def _search(data, splits=2, evaluations=4, models=None):
    task = probus.Task(data, target="y")
    models = families("classification", models or TWO_FAMILIES)
    fits = FamilyFits(models, task, splits_of(splits, task, random_state=0), measure("roc_auc"), 0)
    found = search_families(fits, FitPool(fits, 1, None, None), evaluations=evaluations, update=lambda *_: None)
    return fits, found.searches


def _facts(result):
    rows = [{key: value for key, value in row.items() if key != "seconds"} for row in result.tried]
    return rows, [outcome.probabilities.tolist() for each in result.results.values() for outcome in each.outcomes]


@pytest.fixture(scope="session")
def moons():
    return _moons


@pytest.fixture(scope="session")
def two_families():
    return TWO_FAMILIES


@pytest.fixture(scope="session")
def study():
    return _study


@pytest.fixture(scope="session")
def search():
    return _search


@pytest.fixture(scope="session")
def tuned():
    return _study()


@pytest.fixture(scope="session")
def facts():
    """What was tried and predicted in a study, without its times."""
    return _facts
