"""Results with scores to the letter, made by hand: nothing is fitted."""

from types import SimpleNamespace

import numpy as np
import pytest

from probus.data import Task
from probus.metrics import Outcome, measures_for
from probus.model_selection import Failure, Resampled
from probus.model_selection._splits import repeated_folds

N = 100
RNG = np.random.default_rng(0)
NUMBERS = Task({"x": np.arange(float(N)), "y": RNG.normal(size=N)}, target="y")
CLASSES = Task({"x": np.arange(float(N)), "y": ["no", "yes"] * (N // 2)}, target="y")


def ten_splits(task):
    """Five folds, drawn twice: as many scores as the tests list."""
    return repeated_folds(task, 5, 2)


def with_errors(name, errors, splits=None, failed=()):
    """A regression result whose RMSE and MAE on each split is the error given for it."""
    splits = splits or ten_splits(NUMBERS)
    pairs = zip(splits.pairs, errors, strict=True)
    outcomes = tuple(Outcome(NUMBERS.y[test], NUMBERS.y[test] + error) for (_, test), error in pairs)
    return _result(name, NUMBERS, splits, outcomes, failed)


def with_hits(name, hits, splits=None, failed=(), task=CLASSES):
    """A classification result that is right on the rows where ``hits`` is true, without probabilities."""
    splits = splits or ten_splits(task)
    actual = task.table[task.target].values.astype(np.int64)
    said = np.where(hits, actual, 1 - actual)
    outcomes = tuple(Outcome(actual[test], said[test], classes=task.classes, positive=1) for _, test in splits.pairs)
    return _result(name, task, splits, outcomes, failed)


def _result(name, task, splits, outcomes, failed):
    failures = tuple(Failure(split, "ValueError: boom") for split in failed)
    measures = measures_for(len(task.classes))[:1]
    return Resampled(name, task, splits, outcomes, measures, failures, seconds=np.ones(len(splits)))


@pytest.fixture(scope="session")
def made():
    makers = {"with_errors": with_errors, "with_hits": with_hits, "ten_splits": ten_splits}
    return SimpleNamespace(**makers, numbers=NUMBERS, classes=CLASSES, n=N)
