"""A model of columns of users and items."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone

from probus.base import Model
from probus.ensemble import HistGradientBoostingRegressor
from probus.linear_model import Ridge
from probus.parameters import RANDOM_STATE, attribute, parameter
from probus.recommend._ratings import Ratings
from probus.recommend._recommender import ITEM, RATING, SCALE, TIME, USER, Recommender
from probus.recommend._side_tables import SideTable
from probus.recommend._sided import SidedRecommender
from probus.state import Array, Object, Spec
from probus.wrapping import set_random_states


class ContentBased(SidedRecommender):
    """A regression of the rating on the columns of user and item: ŷ = f(x_u, x_i).

    It knows new users and new items by their columns, and learns nothing about a single one. A linear model of the
    columns orders the items alike for all users, since x_u and x_i are added; trees find what users of a kind like.
    Columns of any kind, with missing values, are prepared by ``tabular``.

    >>> ratings = {"user": ["a", "a", "b", "b"], "item": [1, 2, 1, 2], "rating": [5, 1, 5, 2]}
    >>> films = {"item": [1, 2, 3, 4], "genre": ["comedy", "war", "comedy", "war"]}
    >>> model = ContentBased(Ridge(alpha=0.1)).fit(ratings, items=films)
    >>> model.recommend("a", n=1)["a"]
    [3]
    """

    model: Any = parameter(
        "The regressor, of Probus or scikit-learn; None is ``HistGradientBoostingRegressor()``.",
        default=None,
        of=[],
        kw_only=False,
    )
    user: str | None = USER
    item: str | None = ITEM
    rating: str | None = RATING
    time: str | None = TIME
    scale: Any = SCALE
    random_state: Any = RANDOM_STATE

    model_: Any = attribute()
    user_columns_: np.ndarray = attribute()
    item_columns_: np.ndarray = attribute()

    fitted: ClassVar[dict[str, Spec]] = {
        **Recommender.fitted,
        "model_": Object(BaseEstimator),
        "user_columns_": Array("f8", "U p"),
        "item_columns_": Array("f8", "I q"),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """With a quick model inside."""
        return [cls(Ridge())]

    def _fit(self, data: Ratings, users: SideTable | None, items: SideTable | None) -> None:
        of_users, of_items = self._features(data, users, items)
        self.user_columns_, self.item_columns_ = of_users.matrix, of_items.matrix
        model = HistGradientBoostingRegressor() if self.model is None else clone(self.model)
        if self.random_state is not None:
            set_random_states(model, self.random_state)
        self.model_ = model.fit(self._joined(data.user, data.item), data.values)

    def _joined(self, user: np.ndarray, item: np.ndarray) -> np.ndarray:
        """The columns of each user and item, side by side; zeros, the means, for new ones."""
        sides = ((self.user_columns_, user), (self.item_columns_, item))
        return np.hstack([np.vstack([each, np.zeros((1, each.shape[1]))])[codes] for each, codes in sides])

    def _predict(self, user: np.ndarray, item: np.ndarray) -> np.ndarray:
        if not len(user):
            return np.empty(0)
        return np.asarray(self.model_.predict(self._joined(user, item)), dtype=np.float64)

    def _scores(self, user: np.ndarray) -> np.ndarray:
        n_items = len(self.items_)
        pairs = np.repeat(user, n_items), np.tile(np.arange(n_items), len(user))
        return self._predict(*pairs).reshape(len(user), n_items)
