"""Splits of ratings: what is trained on and what is tested."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, ShuffleSplit

from probus.errors import DataError
from probus.recommend import Biases, LeaveLastOut, Ratings, TimeSplit, UserFolds, resample
from probus.recommend._splits import rating_splits


@pytest.fixture(scope="module")
def data(draw_ratings):
    return Ratings.of(draw_ratings())


@pytest.mark.parametrize("cv", [None, 3, UserFolds(4), UserFolds(3, given=0), TimeSplit(), LeaveLastOut(2)], ids=str)
def test_no_rating_is_trained_on_and_tested(cv, data):
    for train, test in rating_splits(cv, data).pairs:
        assert not np.intersect1d(train, test).size
        assert len(train) + len(test) == len(data)


def test_folds_test_each_rating_once(data):
    assert sorted(np.concatenate([test for _, test in rating_splits(4, data).pairs])) == list(range(len(data)))


def test_new_users_have_no_training_ratings(data):
    for train, test in UserFolds(given=0).split(data):
        assert not np.intersect1d(data.user[train], data.user[test]).size


def test_tested_users_are_known_by_the_given_share(data):
    for train, test in UserFolds(3, given=0.5).split(data):
        for u in np.unique(data.user[test]):
            known, tested = np.sum(data.user[train] == u), np.sum(data.user[test] == u)
            assert known == np.floor(0.5 * (known + tested))


def test_the_latest_ratings_are_tested(data):
    ((train, test),) = TimeSplit(0.3).split(data)
    assert data.times[train].max() < data.times[test].min()
    assert len(test) == pytest.approx(0.3 * len(data), abs=1)


def test_the_last_ratings_of_each_user_are_tested(data):
    ((train, test),) = LeaveLastOut(2).split(data)
    for u in np.unique(data.user):
        times = data.times[train[data.user[train] == u]]
        assert (data.times[test[data.user[test] == u]] > times.max()).all()
        assert np.sum(data.user[test] == u) == 2


def test_splitters_of_scikit_learn_have_the_users_as_groups(data):
    for train, test in rating_splits(GroupKFold(3), data).pairs:
        assert not np.intersect1d(data.user[train], data.user[test]).size
    assert len(rating_splits(ShuffleSplit(2, random_state=0), data)) == 2


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        (1, "1 folds of 1,001 ratings"),
        ("random", "cv='random'"),
        ([], "cv without a split"),
        ([([0, 1], [1, 2])], "trained on and tested in one split"),
        ([([0, 1], [5000])], "rows beyond 1000"),
        ([([0], [])], "without training or test ratings"),
        (UserFolds(given=1.0), "a share of each user's ratings"),
        (UserFolds(1000), "1000 folds of 60 users"),
        (TimeSplit(1.5), "a share of the ratings, between 0 and 1"),
        (LeaveLastOut(0), "1 or more"),
        (LeaveLastOut(500), "no user has more than 500 ratings"),
    ],
)
def test_other_splits_are_refused(cv, message, draw_ratings):
    with pytest.raises(DataError, match=message):
        resample(Biases(), draw_ratings(), cv=cv)


@pytest.mark.parametrize("cv", [TimeSplit(), LeaveLastOut()])
def test_splits_by_time_need_times(cv, draw_ratings):
    table = {key: values for key, values in draw_ratings().items() if key != "time"}
    with pytest.raises(DataError, match="ratings without times"):
        resample(Biases(), table, cv=cv)
    with pytest.raises(DataError, match="of which some have no time"):
        resample(Biases(), {**table, "time": np.where(table["user"] == 3, np.nan, 1.0)}, cv=cv)


def test_equal_times_cannot_be_split(draw_ratings, data):
    with pytest.raises(DataError, match="all of the latest ratings have the same time"):
        resample(Biases(), {**draw_ratings(), "time": np.ones(len(data))}, cv=TimeSplit())
