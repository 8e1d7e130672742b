"""Results of repeated folds, made by hand: nothing is fitted."""

from types import SimpleNamespace

import numpy as np
import pytest

from probus.data import Task
from probus.metrics import Outcome, measures_for
from probus.model_selection import Resampled
from probus.model_selection._splits import repeated_folds

N = 100


def task_of(y, groups=None):
    table = {"x": np.arange(float(len(y))), "y": y}
    return Task(table if groups is None else {**table, "who": groups}, target="y", group=groups and "who")


def classified(repeats=3, n=N, seed=0, noise=1.0, groups=None, only_labels=False):
    """Probabilities of two classes that differ from repeat to repeat as much as ``noise``."""
    rng = np.random.default_rng(seed)
    actual = (np.arange(n) % 10 > 5).astype(np.int64)
    task = task_of(np.array(["no", "yes"])[actual], groups)
    splits = repeated_folds(task, 5, repeats)
    signal = actual + rng.normal(size=n)
    outcomes = []
    for _, test in splits.pairs:
        outcome = Outcome(actual[test], classes=task.classes, positive=1)
        p = 1 / (1 + np.exp(0.5 - signal[test] - noise * rng.normal(size=len(test))))
        outcome = outcome.with_probabilities(p)
        labels = Outcome(actual[test], outcome.predicted, classes=task.classes, positive=1)
        outcomes.append(labels if only_labels else outcome)
    return result_of(task, splits, outcomes)


def regressed(repeats=3, n=N, seed=0, unit=1.0, of_fold=0.0, noise=0.3):
    """Predictions with errors, of which ``noise`` differs from repeat to repeat and ``of_fold`` from fold to fold."""
    rng = np.random.default_rng(seed)
    y = rng.normal(size=n)
    task = task_of(y)
    splits = repeated_folds(task, 5, repeats)
    error = rng.normal(size=n)
    outcomes = []
    for _, test in splits.pairs:
        off = error[test] + noise * rng.normal(size=len(test)) + of_fold * rng.normal()
        outcomes.append(Outcome(unit * y[test], unit * (y[test] + off)))
    return result_of(task, splits, outcomes)


def cross_validated(y, probability):
    """The probabilities that a function of training and test rows gives, in five folds, drawn five times."""
    task = task_of(np.array(["no", "yes"])[y])
    splits = repeated_folds(task, 5, 5)
    nothing = [Outcome(y[test], classes=task.classes, positive=1) for _, test in splits.pairs]
    outcomes = [each.with_probabilities(probability(*rows)) for each, rows in zip(nothing, splits.pairs, strict=True)]
    return result_of(task, splits, outcomes)


def of_predictions(task, predicted):
    """Numbers, or probabilities of the last class, of all rows, tested once in five folds."""
    splits = repeated_folds(task, 5, 1)
    actual = task.table[task.target].values
    if not task.classes:
        return result_of(task, splits, [Outcome(actual[test], predicted[test]) for _, test in splits.pairs])
    nothing = Outcome(actual.astype(np.int64), classes=task.classes, positive=1)
    outcome = nothing.with_probabilities(predicted)
    return result_of(task, splits, [outcome.take(test) for _, test in splits.pairs])


def result_of(task, splits, outcomes):
    return Resampled("made", task, splits, tuple(outcomes), measures_for(len(task.classes))[:1])


@pytest.fixture(scope="session")
def made():
    makers = (classified, regressed, cross_validated, of_predictions, result_of, task_of)
    return SimpleNamespace(**{each.__name__: each for each in makers})
