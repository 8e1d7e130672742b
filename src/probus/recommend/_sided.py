"""What models of columns of users and items have in common: the tables, and who is only in them."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from probus.display import listed
from probus.errors import DataError
from probus.recommend._features import Features, mean_ratings
from probus.recommend._ratings import Ratings
from probus.recommend._recommender import Recommender
from probus.recommend._side_tables import SideTable


class SidedRecommender(Recommender):
    """Base class of recommenders that use tables of users and of items.

    Users and items that are only in a table are known too: they are recommended and recommended to.
    """

    sided: ClassVar[bool] = True

    def read_sides(self, data: Ratings, users: Any, items: Any) -> tuple[SideTable | None, SideTable | None]:
        """The tables of users and items, checked."""
        own = data.columns
        read = []
        for what, side, name, ids in (
            ("user", users, own.user, data.users),
            ("item", items, own.item, data.items),
        ):
            table = side if side is None or isinstance(side, SideTable) else SideTable.of(side, what, None, name)
            if table is not None and not (table.ids.codes(ids.labels) >= 0).any():
                raise DataError(
                    f"no {what} of the ratings is in the table of {what}s: "
                    f"{listed(map(str, ids.labels[:3]))} against {listed(map(str, table.ids.labels[:3]))}.",
                    f"the ids of {what}s that the ratings have",
                )
            read.append(table)
        if read[0] is None and read[1] is None and not self._does_without:
            raise DataError(
                f"{type(self).__name__} without tables of users and items.",
                "columns that describe users, items or both",
                "Pass fit(ratings, users=…, items=…).",
            )
        self._sides = (read[0], read[1])
        return read[0], read[1]

    _does_without: ClassVar[bool] = False

    def fit_ratings(self, data: Ratings, users: SideTable | None = None, items: SideTable | None = None) -> Self:
        """Fit on ratings and tables that were read before."""
        everyone = data.users if users is None else data.users.joined(users.ids.labels)
        everything = data.items if items is None else data.items.joined(items.ids.labels)
        return super().fit_ratings(data.among(everyone, everything), users, items)

    @property
    def sides(self) -> tuple[SideTable | None, SideTable | None]:
        """The tables that the model was fitted with; none after loading."""
        return getattr(self, "_sides", (None, None))

    @staticmethod
    def _features(data: Ratings, users: SideTable | None, items: SideTable | None) -> tuple[Features, Features]:
        means = (
            mean_ratings(data.user, data.values, len(data.users)),
            mean_ratings(data.item, data.values, len(data.items)),
        )
        return Features.of(users, data.users, means[0]), Features.of(items, data.items, means[1])


def shrunk_regression(features: np.ndarray, targets: np.ndarray, weights: np.ndarray, penalty: float) -> np.ndarray:
    """The coefficients of a weighted ridge regression of several targets, without an intercept.

    The penalty is a multiple of the sum of the weights: 1 halves the coefficient of a single standardised column.

    >>> shrunk_regression(np.array([[1.0], [-1.0]]), np.array([[2.0], [-2.0]]), np.ones(2), 1.0).ravel()
    array([1.])
    """
    gram = (features * weights[:, None]).T @ features
    gram[np.diag_indices_from(gram)] += penalty * weights.sum()
    return np.asarray(np.linalg.solve(gram, features.T @ (weights[:, None] * targets)))
