from dataclasses import replace
from datetime import timedelta

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import TimeSeriesSplit, cross_val_score
from sklearn.naive_bayes import GaussianNB

from probus.data import Task
from probus.errors import DataError
from probus.model_selection import (
    Bootstrap,
    GroupTimeSplit,
    LeavePOut,
    OutOfBagBootstrap,
    RepeatedGroupKFold,
    RepeatedStratifiedGroupKFold,
    TimeOrderedSplit,
    TrainValidationTest,
    splits_of,
)
from probus.parameters import parameters_of

sizes = st.integers(2, 60)
random_states = st.integers(0, 2**31 - 1)
groups_of_rows = st.lists(st.integers(0, 7), min_size=20, max_size=60).filter(lambda g: len(set(g)) >= 4)


def never_parted(groups, pairs):
    groups = np.asarray(groups)
    return not any(set(groups[train]) & set(groups[test]) for train, test in pairs)


# -- bootstrap -----------------------------------------------------------------------------------------


@given(sizes, random_states)
def test_the_bag_is_as_large_as_the_sample_and_the_rest_is_out_of_it(n, seed):
    for train, test in OutOfBagBootstrap(3, random_state=seed).split(range(n)):
        assert len(train) == n
        assert len(test) > 0
        assert sorted({*train.tolist(), *test.tolist()}) == list(range(n))
        assert not set(train) & set(test)


def test_a_bag_holds_63_percent_of_the_rows():
    shares = [len(np.unique(train)) / 1000 for train, _ in Bootstrap(200, random_state=0).split(range(1000))]
    assert np.mean(shares) == pytest.approx(1 - np.exp(-1), abs=0.002)


def test_the_plain_bootstrap_tests_on_every_row():
    for _, test in Bootstrap(3, random_state=0).split(range(9)):
        assert test.tolist() == list(range(9))


@given(groups_of_rows, random_states)
def test_the_bootstrap_draws_groups_whole(groups, seed):
    pairs = list(OutOfBagBootstrap(3, random_state=seed).split(groups, groups=groups))
    assert never_parted(groups, pairs)
    for train, _ in pairs:
        times = np.bincount(train, minlength=len(groups))
        for group in set(groups):
            assert len(set(times[np.asarray(groups) == group].tolist())) == 1


def test_one_row_cannot_be_left_out_of_its_bag():
    with pytest.raises(DataError, match=r"one row or one group\.\n  Expected at least two"):
        next(OutOfBagBootstrap(1).split(range(1)))


# -- leave p out ---------------------------------------------------------------------------------------


def test_leave_p_out_makes_every_choice_once():
    tests = [tuple(test) for _, test in LeavePOut(2).split(range(6))]
    assert len(tests) == len(set(tests)) == 15 == LeavePOut(2).get_n_splits(range(6))


@given(st.integers(3, 40), random_states)
def test_sampled_choices_leave_p_rows_out(n, seed):
    pairs = list(LeavePOut(2, n_splits=4, random_state=seed).split(range(n)))
    assert len(pairs) == 4
    for train, test in pairs:
        assert len(test) == 2
        assert sorted([*train, *test]) == list(range(n))


def test_leave_p_out_of_groups_leaves_whole_groups():
    groups = np.arange(12) // 3
    pairs = list(LeavePOut(2).split(groups, groups=groups))
    assert len(pairs) == 6
    assert never_parted(groups, pairs)


def test_too_many_choices_are_refused_with_the_way_out():
    with pytest.raises(DataError, match=r"leaving 3 of 891 rows out makes 117,494,685 splits.*\n.*Pass n_splits="):
        splits_of(LeavePOut(3), Task({"x": range(891), "y": range(891)}, target="y"))
    assert len(next(LeavePOut(3).split(range(891)))[1]) == 3  # as in scikit-learn
    with pytest.raises(DataError, match="p=5 for 5 rows"):
        next(LeavePOut(5).split(range(5)))


# -- repeated groups -----------------------------------------------------------------------------------


@pytest.mark.parametrize("splitter", [RepeatedGroupKFold, RepeatedStratifiedGroupKFold])
@given(groups=groups_of_rows, seed=random_states)
def test_each_repeat_tests_every_row_once_and_parts_no_group(splitter, groups, seed):
    y = np.arange(len(groups)) % 2
    pairs = list(splitter(n_splits=3, n_repeats=2, random_state=seed).split(y, y, groups))
    assert len(pairs) == 6
    assert never_parted(groups, pairs)
    for repeat in (pairs[:3], pairs[3:]):
        assert sorted(np.concatenate([test for _, test in repeat]).tolist()) == list(range(len(groups)))


def test_repeats_differ_and_the_seed_decides():
    y, groups = np.arange(40) % 2, np.arange(40) // 2
    one, other = ([t.tolist() for _, t in RepeatedGroupKFold(random_state=s).split(y, y, groups)] for s in (0, 0))
    assert one == other
    assert one[:5] != one[5:10]


def test_ours_work_in_scikit_learns_tools():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.arange(40) % 2
    for splitter in (OutOfBagBootstrap(4, random_state=0), TimeOrderedSplit(4), LeavePOut(1), TrainValidationTest()):
        assert len(cross_val_score(GaussianNB(), X, y, cv=splitter)) == splitter.get_n_splits(X)


# -- time ----------------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 30), min_size=10, max_size=80).filter(lambda t: len(set(t)) >= 5), st.integers(1, 4))
def test_training_is_before_test_and_ties_stay_together(times, n_splits):
    times = np.array(times)
    tested = []
    for train, test in TimeOrderedSplit(n_splits).split(times, times=times):
        assert times[train].max() < times[test].min()
        tested += test.tolist()
    assert len(tested) == len(set(tested))
    later = times >= times[tested].min()
    assert sorted(tested) == np.flatnonzero(later).tolist()


def test_blocks_are_of_about_one_size_in_whatever_order_rows_stand():
    times = np.random.default_rng(0).permutation(600).astype(float)
    pairs = list(TimeOrderedSplit(5).split(times, times=times))
    assert [len(test) for _, test in pairs] == [100] * 5
    assert [len(train) for train, _ in pairs] == [100, 200, 300, 400, 500]


def test_a_gap_in_rows_is_scikit_learns_gap():
    ours = list(TimeOrderedSplit(5, gap=2).split(range(60)))
    theirs = list(TimeSeriesSplit(5, gap=2).split(range(60)))
    for (a, b), (c, d) in zip(ours, theirs, strict=True):
        assert (a.tolist(), b.tolist()) == (c.tolist(), d.tolist())


def test_groups_of_the_test_rows_leave_the_training_rows():
    groups = np.array(list("abcabdaaa"))
    ((train, test),) = TimeOrderedSplit(1).split(groups, groups=groups)
    assert (train.tolist(), test.tolist()) == ([1, 2, 4], [5, 6, 7, 8])


@given(st.integers(0, 3), st.integers(1, 3), random_states)
def test_later_rows_of_groups_not_trained_on_are_tested_once(gap, n_splits, seed):
    rng = np.random.default_rng(seed)
    times, groups = rng.permutation(np.repeat(np.arange(24), 6)), rng.choice([*"aaaabbcdef"], 144)
    splitter = GroupTimeSplit(n_splits, n_group_folds=2, gap=gap, random_state=seed % 7)
    pairs = list(splitter.split(times, groups=groups, times=times))
    tested = np.concatenate([test for _, test in pairs])
    later = times >= times[tested].min()
    assert len(pairs) == splitter.get_n_splits() == 2 * n_splits
    assert never_parted(groups, pairs)
    assert all(times[train].max() + gap < times[test].min() for train, test in pairs)
    assert sorted(tested) == np.flatnonzero(later).tolist()


def test_all_earlier_rows_of_other_groups_are_trained_on():
    groups, times = np.tile([*"abcd"], 10), np.repeat(np.arange(10), 4)
    for train, test in GroupTimeSplit(4, n_group_folds=2).split(groups, groups=groups, times=times):
        expected = (times < times[test].min()) & ~np.isin(groups, groups[test])
        assert train.tolist() == np.flatnonzero(expected).tolist()


def test_a_gap_is_a_span_of_dates_and_a_number_of_rows():
    days = np.repeat(np.arange(40.0), 3)
    for gap in ("5d", "120h", timedelta(days=5), 5):
        for train, test in TimeOrderedSplit(3, gap=gap).split(days, times=days):
            assert days[test].min() - days[train].max() == 6
    for train, test in TimeOrderedSplit(3, gap_rows=7).split(days, times=days):
        assert len(train) == np.count_nonzero(days < days[test].min()) - 7
    ours, theirs = TimeOrderedSplit(3, gap_rows=4).split(range(60)), TimeSeriesSplit(3, gap=4).split(range(60))
    assert [[part.tolist() for part in pair] for pair in ours] == [[part.tolist() for part in pair] for pair in theirs]
    assert str(TimeOrderedSplit(3, gap="5d", gap_rows=7)) == "3 time-ordered splits with a gap of 5d and 7 rows"


def test_patients_with_visits_at_all_times_are_tested_in_folds():
    who, day = np.tile(np.arange(30), 20), np.repeat(np.arange(20), 30)
    task = Task({"x": day % 7, "who": who, "day": day, "y": (who + day) % 2}, "y", group="who", time="day")
    assert splits_of(5, task).how == "2 time-ordered splits × 3 folds of groups"
    brief = Task({"x": day % 7, "who": np.arange(600) // 4, "day": day, "y": day % 2}, "y", group="who", time="day")
    assert splits_of(5, brief).how == "5 time-ordered splits"


def test_folds_of_groups_in_time_that_cannot_be_are_refused():
    with pytest.raises(DataError, match=r"no groups for GroupTimeSplit\.\n  Expected a group for each row"):
        next(GroupTimeSplit(2).split(range(9)))
    with pytest.raises(DataError, match=r"2 groups have rows in the block from time 6, for 3 folds of groups"):
        next(GroupTimeSplit(1, n_group_folds=3).split(range(12), groups=[*"ab"] * 6))
    with pytest.raises(DataError, match=r"n_group_folds=0\.\n  Expected 1 or more"):
        next(GroupTimeSplit(1, n_group_folds=0).split(range(12), groups=[*"ab"] * 6))
    with pytest.raises(DataError, match=r"gap_rows=-1\.\n  Expected a number of rows, 0 or more"):
        next(TimeOrderedSplit(2, gap_rows=-1).split(range(9)))
    with pytest.raises(DataError, match=r"gap='a week'\.\n  Expected seconds, or a span such as '90s'"):
        next(TimeOrderedSplit(2, gap="a week").split(range(9)))


def test_time_orders_that_cannot_be_are_refused():
    with pytest.raises(DataError, match=r"3 distinct times for 3 time-ordered splits\.\n  Expected more distinct"):
        next(TimeOrderedSplit(3).split(range(9), times=[1, 1, 1, 2, 2, 2, 3, 3, 3]))
    with pytest.raises(DataError, match="no row is left to train on before time 3"):
        next(TimeOrderedSplit(2, gap=10).split(range(9), times=np.arange(9)))
    with pytest.raises(DataError, match="no row is left to train on"):
        next(TimeOrderedSplit(2).split(range(9), groups=["a"] * 9))
    with pytest.raises(DataError, match="gap=-1"):
        next(TimeOrderedSplit(2, gap=-1).split(range(9)))


def test_a_gap_of_days_is_kept_whatever_holds_the_dates():
    days = np.datetime64("2024-01-01") + np.arange(12)
    wanted = [[part.tolist() for part in pair] for pair in TimeOrderedSplit(2, gap="2d").split(days, times=range(12))]
    assert [len(train) for train, _ in wanted] == [2, 6]
    for times in (
        days,
        days.astype("datetime64[ns]"),
        days.tolist(),
        pd.Series(days),
        pd.Series(days).dt.tz_localize("UTC"),
    ):
        found = TimeOrderedSplit(2, gap="2d").split(days, times=times)
        assert [[part.tolist() for part in pair] for pair in found] == wanted


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ([np.nan, *range(8)], r"time 'time': 1 of 9 values is missing\.\n  Expected a value for every row"),
        (list("abcabcabc"), r"time 'time' is nominal\.\n  Expected dates, numbers or ordered levels"),
        (range(8), r"8 times for 9 rows\.\n  Expected a time for each row"),
    ],
)
def test_times_that_order_no_rows_are_refused(times, message):
    with pytest.raises(DataError, match=message):
        next(TimeOrderedSplit(2).split(range(9), times=times))


# -- three parts ---------------------------------------------------------------------------------------


def test_three_parts_cover_the_task_with_the_class_shares_kept():
    task = Task({"x": range(100), "y": ["a"] * 80 + ["b"] * 20}, target="y")
    parts = TrainValidationTest(0.2, 0.3, random_state=0).parts(task)
    assert [len(part) for part in parts] == [50, 20, 30]
    assert [int((part.y == "b").sum()) for part in parts] == [10, 4, 6]
    rows = np.concatenate([part.table["x"].values for part in parts])
    assert sorted(rows.tolist()) == list(range(100))


def test_as_a_splitter_it_trains_on_training_and_validation_rows():
    task = Task({"x": range(50), "y": ["a", "b"] * 25}, target="y")
    splitter = TrainValidationTest(random_state=3)
    ((train, test),) = splitter.split(task.y, task.y)
    parts = splitter.parts(task)
    assert test.tolist() == parts.test.table["x"].values.tolist()
    together = [*parts.train.table["x"].values, *parts.validation.table["x"].values]
    assert train.tolist() == sorted(together)


def test_three_parts_keep_groups_whole_and_time_in_order():
    rows = {"x": range(60), "y": ["a", "b"] * 30, "site": [f"s{i // 6}" for i in range(60)], "day": list(range(60))}
    grouped = TrainValidationTest(random_state=0).parts(Task(rows, target="y", group="site"))
    sites = [set(part.groups) for part in grouped]
    assert not sites[0] & sites[1] | sites[0] & sites[2] | sites[1] & sites[2]
    train, validation, test = TrainValidationTest().parts(Task(rows, target="y", time="day"))
    assert train.times.max() < validation.times.min() <= validation.times.max() < test.times.min()
    assert [len(train), len(validation), len(test)] == [36, 12, 12]


def test_shares_that_leave_nothing_to_train_on_are_refused():
    with pytest.raises(DataError, match=r"validation=0.5 and test=0.5\.\n  Expected shares that leave some"):
        next(TrainValidationTest(0.5, 0.5).split(range(9)))


@pytest.mark.parametrize(
    "splitter",
    [Bootstrap(), OutOfBagBootstrap(), RepeatedGroupKFold(), LeavePOut(1), TrainValidationTest()],
    ids=lambda each: type(each).__name__,
)
def test_a_setting_out_of_its_declared_bounds_is_refused(splitter):
    for name, (_, values) in parameters_of(type(splitter)).items():
        for bad in [object(), "a", *(value for each in values for value in each.refused)]:
            with pytest.raises(DataError, match=f"The '{name}' parameter of {type(splitter).__name__} must be .* Got "):
                replace(splitter, **{name: bad})
