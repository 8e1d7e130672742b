"""Splits of ratings: at random, by user, by time, and the last of each user."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import KFold
from sklearn.utils import check_random_state

from probus.display import counted, percent
from probus.errors import DataError
from probus.model_selection import Splits
from probus.recommend._ratings import Ratings

_FOLDS = 5
Pair = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class UserFolds:
    """Each fold tests some of the users, of whose ratings a share is known.

    Parameters
    ----------
    n_splits : the number of folds of users.
    given : the share of the ratings of a tested user that is trained on, drawn at random; 0 tests new users.
    random_state : draws users and ratings.

    >>> ratings = Ratings.of({"user": [1, 1, 2, 2], "item": [1, 2, 1, 2], "rating": [1, 2, 3, 4]})
    >>> [test.tolist() for _, test in UserFolds(2, given=0, random_state=0).split(ratings)]
    [[2, 3], [0, 1]]
    """

    n_splits: int = _FOLDS
    given: float = 0.8
    random_state: Any = 0

    def split(self, ratings: Ratings) -> Iterator[Pair]:
        """Training and test rows of each fold."""
        if not 0 <= self.given < 1:
            raise DataError(f"given={self.given!r}.", "a share of each user's ratings, from 0 to below 1")
        rng = check_random_state(self.random_state)
        _check_folds(self.n_splits, len(ratings.users), "user")
        fold = np.empty(len(ratings.users), dtype=np.int64)
        fold[rng.permutation(len(fold))] = np.arange(len(fold)) % self.n_splits
        place = _place_in_user(ratings, rng.permutation(len(ratings)))
        count = np.bincount(ratings.user, minlength=len(fold))[ratings.user]
        tested = place >= np.floor(self.given * count)
        for number in range(self.n_splits):
            test = tested & (fold[ratings.user] == number)
            yield np.flatnonzero(~test), np.flatnonzero(test)

    def __str__(self) -> str:
        known = "new users" if self.given == 0 else f"users of whose ratings {percent(self.given)} are known"
        return f"{self.n_splits} folds of {known}"


@dataclass(frozen=True)
class TimeSplit:
    """The latest ratings are tested by a model of those before.

    Parameters
    ----------
    test_size : the share of the ratings that is tested.
    """

    test_size: float = 0.2

    def split(self, ratings: Ratings) -> Iterator[Pair]:
        """The ratings before a time, and those from then on."""
        if not 0 < self.test_size < 1:
            raise DataError(f"test_size={self.test_size!r}.", "a share of the ratings, between 0 and 1")
        times = _times(ratings)
        cut = np.quantile(times, 1 - self.test_size, method="lower")
        test = times > cut
        if not test.any():
            raise DataError("all of the latest ratings have the same time.", "times that differ")
        yield np.flatnonzero(~test), np.flatnonzero(test)

    def __str__(self) -> str:
        return f"the latest {percent(self.test_size)} of the ratings"


@dataclass(frozen=True)
class LeaveLastOut:
    """The last ratings of each user are tested; users with no more than these are not.

    Parameters
    ----------
    n : how many of each user.

    >>> ratings = Ratings.of({"user": [1, 1, 2], "item": [1, 2, 1], "rating": [4, 5, 3], "time": [9, 7, 8]})
    >>> [(train.tolist(), test.tolist()) for train, test in LeaveLastOut().split(ratings)]
    [([1, 2], [0])]
    """

    n: int = 1

    def split(self, ratings: Ratings) -> Iterator[Pair]:
        """All other ratings, and the last ones of each user."""
        if not isinstance(self.n, (int, np.integer)) or self.n < 1:
            raise DataError(f"n={self.n!r}.", "how many ratings of each user are tested, 1 or more")
        order = np.argsort(_times(ratings), kind="stable")
        place = _place_in_user(ratings, order)
        count = np.bincount(ratings.user, minlength=len(ratings.users))[ratings.user]
        test = (place >= count - self.n) & (count > self.n)
        if not test.any():
            raise DataError(
                f"no user has more than {counted(int(self.n), 'rating')}.",
                "users with ratings to learn from and to test",
            )
        yield np.flatnonzero(~test), np.flatnonzero(test)

    def __str__(self) -> str:
        return "the last rating of each user" if self.n == 1 else f"the last {self.n} ratings of each user"


def rating_splits(cv: Any, ratings: Ratings, random_state: Any = None) -> Splits:
    """The splits of ratings: a number of random folds, a splitter, ours or scikit-learn's, or pairs of rows."""
    if isinstance(cv, Splits):
        return cv
    if cv is None or (isinstance(cv, (int, np.integer)) and not isinstance(cv, bool)):
        folds = _FOLDS if cv is None else int(cv)
        _check_folds(folds, len(ratings), "rating")
        seed = 0 if random_state is None else random_state
        return _checked(
            list(KFold(folds, shuffle=True, random_state=seed).split(ratings.user)), f"{folds} random folds", ratings
        )
    if isinstance(cv, (UserFolds, TimeSplit, LeaveLastOut)):
        return _checked(list(cv.split(ratings)), str(cv), ratings)
    if hasattr(cv, "split") and not isinstance(cv, str):
        nothing = np.zeros((len(ratings), 1))
        return _checked(list(cv.split(nothing, ratings.values, ratings.user)), type(cv).__name__, ratings)
    try:
        pairs = [(np.asarray(train), np.asarray(test)) for train, test in cv]
    except (TypeError, ValueError):
        raise DataError(
            f"cv={cv!r}.", "a number of folds, UserFolds(), TimeSplit(), LeaveLastOut(), or pairs of rows"
        ) from None
    return _checked(pairs, "given", ratings)


def _checked(pairs: list[Pair], how: str, ratings: Ratings) -> Splits:
    for train, test in pairs:
        if not len(train) or not len(test):
            raise DataError(f"a split of {how} without training or test ratings.", "some of both")
        if max(train.max(), test.max()) >= len(ratings) or min(train.min(), test.min()) < 0:
            raise DataError(f"rows beyond {len(ratings) - 1} in cv.", "numbers of ratings")
        if np.intersect1d(train, test).size:
            raise DataError("ratings that are trained on and tested in one split.", "different ones")
    if not pairs:
        raise DataError("cv without a split.", "one split or more")
    return Splits(tuple(pairs), folds=len(pairs), repeats=1, how=how)


def _check_folds(folds: int, n: int, what: str) -> None:
    if not 2 <= folds <= n:
        raise DataError(f"{folds} folds of {counted(n, what)}.", f"2 or more, and no more than there are {what}s")


def _place_in_user(ratings: Ratings, order: np.ndarray) -> np.ndarray:
    """The place of each rating among those of its user, in that order of all ratings, from 0."""
    sorted_by_user = order[np.argsort(ratings.user[order], kind="stable")]
    starts = np.concatenate([[0], np.cumsum(np.bincount(ratings.user, minlength=len(ratings.users)))])
    place = np.empty(len(ratings), dtype=np.int64)
    place[sorted_by_user] = np.arange(len(ratings)) - starts[ratings.user[sorted_by_user]]
    return place


def _times(ratings: Ratings) -> np.ndarray:
    if ratings.times is None:
        raise DataError("ratings without times.", "a column of times", "Name it: the model's parameter time='…'.")
    if np.isnan(ratings.times).any():
        raise DataError("ratings of which some have no time.", "a time for each", "Leave these rows out.")
    return ratings.times
