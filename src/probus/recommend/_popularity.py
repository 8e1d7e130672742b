"""The baseline of rankings: the items that most users have."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from probus.parameters import attribute
from probus.recommend._ratings import Ratings
from probus.recommend._recommender import ITEM, RATING, TIME, USER, Recommender
from probus.recommend._side_tables import SideTable
from probus.state import Array, Spec


class Popularity(Recommender):
    """The items that most users have rated, the same for everybody.

    A score is the share of users that have the item.

    >>> ratings = {"user": ["a", "b", "b", "c"], "item": [1, 1, 2, 1]}
    >>> Popularity().fit(ratings).recommend("c")["c"]
    [2]
    """

    user: str | None = USER
    item: str | None = ITEM
    rating: str | None = RATING
    time: str | None = TIME

    popularity_: np.ndarray = attribute()

    fitted: ClassVar[dict[str, Spec]] = {**Recommender.fitted, "popularity_": Array("f8", "I")}
    predicts_ratings: ClassVar[bool] = False

    def _fit(self, data: Ratings, users: SideTable | None, items: SideTable | None) -> None:
        self.popularity_ = np.diff(data.by_item.indptr) / len(data.users)

    def _predict(self, user: np.ndarray, item: np.ndarray) -> np.ndarray:
        return np.append(self.popularity_, 0.0)[item]

    def _scores(self, user: np.ndarray) -> np.ndarray:
        return np.tile(self.popularity_, (len(user), 1))
