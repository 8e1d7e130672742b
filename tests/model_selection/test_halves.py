"""Unstable models are fitted on halves of the rows too, which shows how scores vary with the training rows."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import probus
from probus.data import Task
from probus.model_selection import Splits, resample, splits_of
from probus.model_selection._score_variance import score_variance
from probus.model_selection._split_intervals import OF_HALVES
from probus.model_selection._splits import halves
from probus.model_selection._tested_rows import TestedRows
from probus.naive_bayes import GaussianNB

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 3))
COLUMNS = {f"x{i}": X[:, i] for i in range(3)}
TASK = Task({**COLUMNS, "y": np.where(X[:, 0] + 1.5 * rng.normal(size=120) > 0, "yes", "no")}, target="y")
NUMBERS = Task({**COLUMNS, "y": X[:, 0] + rng.normal(size=120)}, target="y")
TREE = DecisionTreeClassifier(random_state=0)


class NeedsRows(ClassifierMixin, BaseEstimator):
    """A full tree that fails on fewer rows than it wants."""

    def __init__(self, rows=80):
        self.rows = rows

    def fit(self, X, y):
        if len(y) < self.rows:
            raise ValueError("too few rows")
        self.tree_ = DecisionTreeClassifier(random_state=0).fit(X, y)
        self.classes_ = self.tree_.classes_
        return self

    def predict(self, X):
        return self.tree_.predict(X)

    def predict_proba(self, X):
        return self.tree_.predict_proba(X)


@pytest.mark.parametrize(("model", "task"), [(TREE, TASK), (DecisionTreeRegressor(random_state=0), NUMBERS)])
def test_a_model_that_varies_with_its_training_rows_is_fitted_on_halves(model, task):
    result = resample(model, task)
    assert len(result) == 25
    assert len(result.halves.outcomes) == 20
    for train, test in result.halves.splits.pairs:
        assert len(train) == len(test) == 60
        assert not set(train) & set(test)
    assert result.estimate().method == OF_HALVES
    assert result.scores().shape == (25,)


@pytest.mark.parametrize(
    ("model", "options"),
    [(GaussianNB(), {}), (TREE, {"cv": 5}), (NeedsRows(), {})],
    ids=["a stable model", "splits that were asked for", "a model that fails on halves"],
)
def test_nothing_else_is(model, options):
    result = resample(model, TASK, **options)
    assert result.halves is None
    assert not result.failures
    assert "halves" not in result.estimate().method


def test_large_tables_and_rows_in_time_order_are_not_halved():
    many = Task({"x": np.arange(2001.0), "y": ["a", "b", "c"] * 667}, target="y")
    assert splits_of(None, many).halved is None
    timed = Task({**COLUMNS, "when": np.arange(120.0), "y": TASK.y}, target="y", time="when")
    assert splits_of(None, timed).halved is None
    assert halves(timed, splits_of(None, timed)) is None


def test_groups_stay_whole():
    task = Task({**COLUMNS, "who": np.repeat(np.arange(30), 4), "y": TASK.y}, target="y", group="who")
    result = resample(TREE, task)
    for train, test in result.halves.splits.pairs:
        assert not set(task.groups[train]) & set(task.groups[test])


def test_the_halves_depend_on_the_seed_only():
    one, same, other = (resample(TREE, TASK, random_state=seed) for seed in (1, 1, 2))
    two = resample(TREE, TASK, random_state=1, n_jobs=2)
    pairs = [[train.tolist() for train, _ in each.halves.splits.pairs] for each in (one, same, two, other)]
    assert pairs[0] == pairs[1] == pairs[2] != pairs[3]
    assert str(one.estimate()) == str(same.estimate()) == str(two.estimate())


def test_progress_counts_the_fits_of_halves():
    steps = []
    resample(TREE, TASK, progress=lambda *step: steps.append(step[:2]))
    assert steps[0] == (0, 25)
    assert steps[25:27] == [(25, 25), (25, 45)]
    assert steps[-1] == (45, 45)


def test_progress_of_several_models_never_goes_back():
    steps = []
    models = {"tree": TREE, "bayes": GaussianNB(), "another": DecisionTreeClassifier(random_state=1)}
    probus.compare(models, TASK, progress=lambda *step: steps.append(step[:2]))
    done = [step[0] for step in steps]
    assert done == sorted(done)
    assert steps[-1] == (115, 115)


def test_a_difference_to_a_stable_model_has_the_halves_of_the_other():
    tree, bayes = (resample(model, TASK).tested("accuracy") for model in (TREE, GaussianNB()))
    assert tree.minus(bayes).halves is tree.halves
    assert bayes.minus(tree).halves is tree.halves
    twice = tree.minus(resample(DecisionTreeClassifier(max_depth=9, random_state=1), TASK).tested("accuracy"))
    assert twice.halves is not tree.halves


def made(rng, splits: Splits, hard, trained, noise: float) -> TestedRows:
    """Losses that are the sum of what a row adds as a test row, the mean of what training rows add, and noise."""
    rows = np.concatenate([test for _, test in splits.pairs])
    split = np.repeat(np.arange(len(splits)), [len(test) for _, test in splits.pairs])
    of_model = np.array([trained[train].mean() for train, _ in splits.pairs])
    losses = hard[rows] + of_model[split] + noise * rng.normal(size=len(rows))
    moves = losses - losses.mean()
    return TestedRows(losses.mean(), moves, moves, rows, np.arange(len(hard)), split, splits.folds, unstable=0.5)


@pytest.mark.slow
def test_halves_show_the_variance_of_training_sets_whose_rows_add_up():
    rng = np.random.default_rng(3)
    task = Task({"x": np.arange(100.0), "y": np.arange(100.0)}, target="y")
    folds = splits_of(None, task)
    halved = halves(task, folds)
    values, with_halves, without = [], [], []
    for _ in range(200):
        hard, trained = rng.normal(size=100), 2 * rng.normal(size=100)
        tested = made(rng, folds, hard, trained, 1.0)
        values.append(tested.value)
        without.append(score_variance(tested).total)
        with_halves.append(score_variance(replace(tested, halves=made(rng, halved, hard, trained, 1.0))).total)
    needed = np.var(values, ddof=1)
    assert 0.8 < np.mean(with_halves) / needed < 1.2
    off = [np.sqrt(np.mean((np.array(each) - needed) ** 2)) for each in (with_halves, without)]
    assert off[0] < off[1]
    assert np.mean(without) < 0.8 * needed
