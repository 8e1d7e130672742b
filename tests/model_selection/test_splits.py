import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probus import compare, tune
from probus.data import Task
from probus.errors import DataError
from probus.model_selection import (
    Bootstrap,
    GroupKFold,
    KFold,
    LeaveOneOut,
    LeavePOut,
    OutOfBagBootstrap,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    Splits,
    TimeSeriesSplit,
    TrainValidationTest,
    resample,
    splits_of,
)
from probus.neighbors import KNeighborsClassifier


def task_of(n=60, *, classes=2, **roles):
    columns = {"x": np.arange(n, dtype=float), "y": [f"c{i % classes}" for i in range(n)] if classes else np.arange(n)}
    columns |= {"site": [f"s{i // 4}" for i in range(n)], "day": [float((i * 7) % n) for i in range(n)]}
    return Task(columns, target="y", **roles)


@pytest.mark.slow
@pytest.mark.parametrize("classes", [0, 2, 3])
@pytest.mark.parametrize("group", [None, "site"])
@given(folds=st.integers(2, 6), seed=st.integers(0, 2**31 - 1))
def test_each_row_is_tested_once_and_trained_on_otherwise(classes, group, folds, seed):
    task = task_of(classes=classes, group=group)
    splits = splits_of(folds, task, random_state=seed)
    assert sorted(np.concatenate([test for _, test in splits.pairs]).tolist()) == list(range(60))
    for train, test in splits.pairs:
        assert sorted([*train, *test]) == list(range(60))
        if group:
            assert not set(task.groups[train]) & set(task.groups[test])


def test_the_default_is_five_folds_five_times_that_keep_the_class_shares():
    splits = splits_of(None, task_of(classes=3))
    assert (splits.folds, splits.repeats, splits.scheme) == (5, 5, "cross-validation")
    assert splits.test_to_train == pytest.approx(1 / 4)
    for _, test in splits.pairs:
        assert np.bincount(test % 3).tolist() == [4, 4, 4]
    assert splits.pairs[0][1].tolist() != splits.pairs[5][1].tolist()


@pytest.mark.parametrize(("rows", "repeats"), [(2_000, 5), (2_001, 2), (50_000, 2), (50_001, 1)])
def test_folds_are_repeated_less_often_where_there_are_many_rows(rows, repeats):
    task = Task({"x": np.arange(float(rows)), "y": np.arange(float(rows))}, target="y")
    assert (splits_of(None, task).folds, splits_of(None, task).repeats) == (5, repeats)


def test_without_a_seed_the_folds_are_always_the_same_so_that_models_can_be_compared():
    one, same, other = (splits_of(None, task_of(), random_state=seed) for seed in (None, None, 1))
    assert [t.tolist() for _, t in one.pairs] == [t.tolist() for _, t in same.pairs]
    assert [t.tolist() for _, t in one.pairs] != [t.tolist() for _, t in other.pairs]


def test_a_time_orders_the_default_splits():
    task = task_of(time="day")
    for splitter in (None, 4, TimeSeriesSplit(4)):
        for train, test in splits_of(splitter, task).pairs:
            assert task.times[train].max() < task.times[test].min()
    assert splits_of(None, task).how == "5 time-ordered splits"


@pytest.mark.parametrize(
    ("splitter", "how", "scheme", "folds", "repeats"),
    [
        (KFold(4), "4-fold cross-validation", "cross-validation", 4, 1),
        (
            RepeatedStratifiedKFold(n_splits=5, n_repeats=3),
            "RepeatedStratifiedKFold, 15 splits",
            "cross-validation",
            5,
            3,
        ),
        (LeaveOneOut(), "leave-one-out cross-validation", "cross-validation", 60, 1),
        (ShuffleSplit(7), "random hold-out, 7 times", "holdout", 1, 7),
        (ShuffleSplit(1), "random hold-out", "holdout", 1, 1),
        (TrainValidationTest(), "training 60 %, validation 20 %, test 20 %", "holdout", 1, 1),
        (LeavePOut(2, n_splits=9), "leave-2-out, 9 random choices", "cross-validation", 1, 9),
        (Bootstrap(3), "bootstrap, 3 times, tested on every row", "bootstrap", 1, 3),
        (OutOfBagBootstrap(3), "out-of-bag bootstrap, 3 times", "out-of-bag", 1, 3),
        ([(range(40), range(40, 60))], "given", "holdout", 1, 1),
        ([(range(30), range(30, 60)), (range(30, 60), range(30))], "given", "cross-validation", 2, 1),
    ],
    ids=lambda value: str(value)[:30],
)
def test_any_splitter_says_how_it_splits(splitter, how, scheme, folds, repeats):
    if isinstance(splitter, LeavePOut):
        splitter = LeavePOut(2, n_splits=9, random_state=1)
    splits = splits_of(splitter, task_of())
    assert (splits.how, splits.scheme) == (how, scheme)
    assert splits.folds * splits.repeats == len(splits) == folds * repeats
    if not isinstance(splitter, LeavePOut):
        assert (splits.folds, splits.repeats) == (folds, repeats)


def test_masks_are_rows():
    first = np.arange(60) < 40
    ((train, test),) = splits_of([(first, ~first)], task_of()).pairs
    assert (len(train), test.tolist()) == (40, list(range(40, 60)))


def test_splits_are_taken_as_they_are():
    task = task_of()
    splits = splits_of(3, task)
    assert splits_of(splits, task) is splits
    assert repr(splits) == "3 splits: stratified 3-fold cross-validation"
    with pytest.raises(DataError, match=r"split 0 names row [0-9]+\.\n  Expected rows 0 to 29 of this task"):
        splits_of(splits, task_of(30))


def test_a_bag_counts_each_training_row_once():
    splits = splits_of(OutOfBagBootstrap(50, random_state=0), task_of())
    assert splits.test_to_train == pytest.approx(0.368 / 0.632, rel=0.1)


def test_classes_smaller_than_the_folds_are_spread_as_far_as_they_go(recwarn):
    task = Task({"x": range(20), "y": ["a"] * 17 + ["b"] * 3}, target="y")
    assert splits_of(5, task).how == "stratified 5-fold cross-validation"
    tiny = Task({"x": range(8), "y": ["a", "b"] * 4}, target="y")
    assert splits_of(5, tiny).how == "5-fold cross-validation"
    assert not recwarn.list


def test_splits_that_cannot_be_are_errors_that_say_so():
    task = task_of()
    with pytest.raises(DataError, match=r"60 rows for 61 folds\.\n  Expected at least as many rows as folds"):
        splits_of(61, task)
    with pytest.raises(DataError, match=r"15 groups for 20 folds\.\n  Expected at least as many groups as folds"):
        splits_of(20, task_of(group="site"))
    with pytest.raises(DataError, match=r"1 folds\.\n  Expected at least 2"):
        splits_of(1, task)
    with pytest.raises(DataError, match=r"GroupKFold.* cannot split this task: .*\n  Pass group=… to the Task"):
        splits_of(GroupKFold(3), task)
    with pytest.raises(DataError, match="n_splits=20 greater than the number of groups"):
        splits_of(GroupKFold(20), task_of(group="site"))
    with pytest.raises(
        DataError, match=r"4-fold cross-validation: group 's3' of column 'site' .*\n  Expected groups that"
    ):
        splits_of(KFold(4), task_of(group="site"))
    with pytest.raises(DataError, match=r"found str 'ten' to split by\.\n  Expected None, a number of folds"):
        splits_of("ten", task)
    with pytest.raises(DataError, match=r"split 0 tests 5 rows that it trains on\.\n  Expected rows it has not seen"):
        splits_of([(range(40), range(35, 60))], task)
    with pytest.raises(DataError, match="split 0 has 0 training and 60 test rows"):
        splits_of([([], range(60))], task)
    with pytest.raises(DataError, match="no split at all"):
        splits_of([], task)
    with pytest.raises(DataError, match="no split at all"):
        splits_of(Splits((), 1, 1, "none"), task)


# -- rows that repeat each other --------------------------------------------------------------------------


def copies(jitter=0.0, n=120):
    rng = np.random.default_rng(0)
    source = np.append(np.arange(n), rng.integers(0, n, n))
    X = rng.normal(size=(n, 4))[source] + jitter * rng.normal(size=(2 * n, 4))
    label = np.where(rng.random(n) < 0.3, "a", "b")[source]
    return Task({**{f"x{j}": X[:, j] for j in range(4)}, "y": label}, target="y"), source


@pytest.mark.parametrize("jitter", [0.0, 0.02])
def test_default_folds_keep_copies_together(jitter):
    task, source = copies(jitter)
    splits = splits_of(None, task)
    assert splits.how.startswith("stratified 5-fold cross-validation, 5 times, rows that")
    assert splits.how.endswith(" in one fold")
    for train, test in splits.pairs:
        assert len(train) + len(test) == len(task)
        assert np.isin(source[test], source[train]).mean() < 0.1 * (jitter > 0) + 0.001
        assert (task.y[test] == "a").mean() == pytest.approx((task.y == "a").mean(), abs=0.12)


def test_folds_without_copies_and_splits_that_were_given_are_unchanged():
    task, source = copies()
    alone = task.take(np.unique(source, return_index=True)[1])
    given = splits_of(5, alone, random_state=0)
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(splits_of(None, alone).pairs[:5], given.pairs, strict=False))
    assert splits_of(5, task).copies is None
    assert splits_of(KFold(5), task).copies is None


def test_a_model_of_the_nearest_row_has_the_accuracy_of_new_rows_although_rows_were_copied():
    rng = np.random.default_rng(1)
    task, source = copies(0.01)
    coin = Task.of(task.X, rng.choice(["a", "b"], source.max() + 1)[source])
    result = resample(KNeighborsClassifier(1), coin, scoring="accuracy")
    assert result.estimate().low < 0.5 < result.estimate().high
    assert resample(KNeighborsClassifier(1), coin, scoring="accuracy", cv=KFold(5, shuffle=True)).estimate().low > 0.6


def test_a_tuner_chooses_on_folds_that_keep_copies_together():
    tuned = tune(KNeighborsClassifier(), copies()[0], evaluations=2, random_state=0)
    assert " in one fold" in tuned.archive.header["cv"]


def test_comparisons_of_models_count_copies_as_one_row():
    task, source = copies()
    alone = task.take(np.unique(source, return_index=True)[1])
    models = {"one": KNeighborsClassifier(1), "ten": KNeighborsClassifier(10)}
    width = [compare(models, each, scoring="brier").tests["one", "ten"].difference.half_width for each in (task, alone)]
    assert width[0] > 0.8 * width[1]
