"""Sampling until labels are independent of groups: how many rows, which, and where samplers act."""

import numpy as np
import pytest

import probus
from probus.augmentation import SMOTE, RandomOverSampler, RandomUnderSampler
from probus.data import Table, Task
from probus.errors import DataError
from probus.fairness import GroupSampler, audit
from probus.fairness._group_sampler import independent_counts
from probus.linear_model import LogisticRegression
from probus.naive_bayes import NaiveBayes


def people(n, seed=0):
    rng = np.random.default_rng(seed)
    sex = rng.choice(["f", "m"], n, p=[0.4, 0.6])
    x, z = rng.normal(size=n) + 0.9 * (sex == "m"), rng.normal(size=n)
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-1.5 * x)), "yes", "no")
    return Table.of({"x": x, "z": z, "sex": sex, "y": y})


@pytest.mark.parametrize("sampler", [None, RandomOverSampler(shrinkage=0.1), SMOTE(), RandomUnderSampler()])
def test_labels_are_independent_of_groups_afterwards(sampler):
    rows = people(500)
    X, y = rows.drop("y"), rows["y"].decoded()
    found, labels = GroupSampler(sampler, sensitive="sex", random_state=0).fit_resample(X, y)
    group = found["sex"].decoded()
    counts = np.array([[((group == g) & (labels == k)).sum() for k in ("no", "yes")] for g in "fm"])
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    assert counts == pytest.approx(expected, abs=1.01)
    before = X["sex"].decoded()
    assert (group == "f").mean() == pytest.approx((before == "f").mean(), abs=0.01)
    assert (labels == "yes").mean() == pytest.approx((y == "yes").mean(), abs=0.01)
    assert (len(found) < 500) == isinstance(sampler, RandomUnderSampler)


def test_as_few_rows_as_needed_are_added_or_left_out():
    counts = np.array([[30, 10], [20, 40]])
    more, fewer = independent_counts(counts, removes=False), independent_counts(counts, removes=True)
    # of 100 rows independence expects 20, 20, 30 and 30: 1.5 times as many as needed for 30, half of it for 10
    assert more.tolist() == [[30, 30], [45, 45]]
    assert fewer.tolist() == [[10, 10], [15, 15]]
    assert independent_counts(np.array([[10, 20], [30, 60]]), removes=False).tolist() == [[10, 20], [30, 60]]


def test_rows_of_arrays_keep_their_values_and_groups_may_be_given():
    rows = people(200)
    X, y = np.column_stack([rows["x"].numbers_array(), rows["z"].numbers_array()]), rows["y"].decoded()
    found, labels = GroupSampler(random_state=0).fit_resample(X, y, sensitive_features=rows["sex"])
    assert {tuple(row) for row in found.tolist()} == {tuple(row) for row in X.tolist()}
    assert np.array_equal(found[:200], X)
    assert np.array_equal(labels[:200], y)


@pytest.mark.parametrize("model", [LogisticRegression(), NaiveBayes()])
def test_only_training_rows_are_sampled_and_decisions_are_more_alike(model):
    task = Task(people(900), target="y", sensitive="sex")
    gaps = []
    for each in (model, GroupSampler(random_state=0) >> model):
        found = probus.resample(each, task, cv=3, random_state=0)
        assert not found.failures
        assert len(found.pooled()) == 900
        gaps.append(audit(found).verdict("demographic_parity").difference.value)
    assert gaps[1] < 0.85 * gaps[0]


def test_errors_say_what_is_expected():
    rows = people(60)
    X, y = rows.drop("y"), rows["y"].decoded()
    for sampler, arguments, text in (
        (GroupSampler(), (), "GroupSampler without a sensitive column."),
        (GroupSampler(sensitive="age"), (), "age"),
        (GroupSampler(sensitive=7), (), "sensitive=7."),
        (GroupSampler(sensitive=[]), (), "sensitive=[]."),
        (GroupSampler(), (["a"],), "sensitive_features has 1 rows and y has 60."),
        (GroupSampler(sampler=3, sensitive="sex"), (), "sampler"),
        (GroupSampler(sensitive="sex"), "no row", "no row of sex = f with the label 'yes'."),
    ):
        labels = np.where(X["sex"].decoded() == "f", "no", y) if arguments == "no row" else y
        with pytest.raises(DataError) as raised:
            sampler.fit_resample(X, labels, *(() if arguments == "no row" else arguments))
        assert text in str(raised.value)
