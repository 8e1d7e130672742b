"""Neighbours: ratings of similar items by the same user, or of the same item by similar users."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_matrix

from probus.base import Model
from probus.errors import ModelFileError
from probus.parallel import chunked, thread_count
from probus.parameters import N_JOBS, attribute, inherited, parameter
from probus.recommend._factorization import Biases
from probus.recommend._kernels import first_items
from probus.recommend._ratings import Ratings
from probus.recommend._recommender import IMPLICIT, ITEM, RATING, SCALE, TIME, USER, Recommender
from probus.recommend._side_tables import SideTable
from probus.spaces import Integer, Real, Space
from probus.state import Array, Maybe, Object, Spec

_ROWS = 256  # whose similarities are computed at a time


class _Neighbors(Recommender):
    """Base class of both."""

    n_neighbors: int = parameter("The number of neighbours that are kept.", default=100, at_least=1, kw_only=False)
    shrinkage: float = parameter(
        "A similarity that rests on n ratings in common is multiplied by n / (n + shrinkage).",
        default=100.0,
        at_least=0.0,
    )
    damping: float = parameter(
        "What is added to the sum of similarities by which their weighted sum is divided, so that a few similar "
        "neighbours change the prediction by less.",
        default=0.5,
        at_least=0.0,
    )
    regularization: float = parameter("The penalty on squared biases.", default=5.0, at_least=0.0)
    implicit: bool = IMPLICIT
    user: str | None = USER
    item: str | None = ITEM
    rating: str | None = RATING
    time: str | None = TIME
    scale: Any = SCALE
    n_jobs: int | None = N_JOBS

    neighbor_starts_: np.ndarray = attribute()
    neighbors_: np.ndarray = attribute()
    similarities_: np.ndarray = attribute()
    residuals_: np.ndarray = attribute()
    baseline_: Any = attribute()

    fitted: ClassVar[dict[str, Spec]] = {
        **Recommender.fitted,
        "neighbor_starts_": Array("i8", "*", low=0),
        "neighbors_": Array("i4", "M", low=0),
        "similarities_": Array("f8", "M"),
        "residuals_": Array("f8", "N"),
        "baseline_": Maybe(Object(Biases)),
    }
    _of_items: ClassVar[bool] = True

    @classmethod
    def examples(cls) -> list[Model]:
        """Of ratings, and of implicit feedback."""
        return [cls(5), cls(5, implicit=True)]

    def search_space(self) -> Space:
        """The number of neighbours and the shrinkage of similarities."""
        return Space(
            {
                "n_neighbors": Integer(20, 400, log=True),
                "shrinkage": Real(5.0, 500.0, log=True),
                "damping": Real(0.0, 3.0),
            }
        )

    def _fit(self, data: Ratings, users: SideTable | None, items: SideTable | None) -> None:
        rows = data.by_user
        if self.implicit:
            self.baseline_, residuals = None, np.ones(rows.nnz)
        else:
            self.baseline_ = Biases(regularization=self.regularization).fit_ratings(data)
            who = np.repeat(np.arange(rows.shape[0], dtype=np.int32), np.diff(rows.indptr))
            residuals = rows.data - self.baseline_._predict(who, rows.indices)
        self.residuals_ = np.asarray(residuals, dtype=np.float64)
        found = self._residual_rows(rows.shape)
        nearest = _nearest(found.T.tocsr() if self._of_items else found, self.n_neighbors, self.shrinkage, self.n_jobs)
        self.neighbor_starts_ = nearest.indptr.astype(np.int64)
        self.neighbors_, self.similarities_ = nearest.indices.astype(np.int32), nearest.data

    def _residual_rows(self, shape: tuple[int, int]) -> csr_matrix:
        return csr_matrix((self.residuals_, self.seen_items_, self.seen_starts_), shape=shape)

    def _predict(self, user: np.ndarray, item: np.ndarray) -> np.ndarray:
        different, place = np.unique(user, return_inverse=True)
        found = np.zeros(len(user))
        order = np.argsort(place, kind="stable")
        for start in range(0, len(different), _ROWS):
            some = order[np.searchsorted(place[order], start) : np.searchsorted(place[order], start + _ROWS)]
            moves = self._moves(different[start : start + _ROWS])
            known = item[some] >= 0
            found[some[known]] = moves[place[some[known]] - start, item[some[known]]]
        return found if self.baseline_ is None else found + self.baseline_._predict(user, item)

    def _scores(self, user: np.ndarray) -> np.ndarray:
        moves = self._moves(user)
        return moves if self.baseline_ is None else moves + self.baseline_._scores(user)

    def _moves(self, user: np.ndarray) -> np.ndarray:
        """float64[n, I]: what neighbours add to the baseline; of implicit feedback, the sum of similarities."""
        n_users, n_items = len(self.users_), len(self.items_)
        rated = self._residual_rows((n_users, n_items))
        n = n_items if self._of_items else n_users
        similar = csr_matrix((self.similarities_, self.neighbors_, self.neighbor_starts_), shape=(n, n))
        known = np.flatnonzero(user >= 0)
        moves = np.zeros((len(user), n_items))
        if not len(known):
            return moves
        of = user[known]
        if self._of_items:
            left, right = rated[of], similar.T.tocsr()
            presence = _ones(left), abs(right)
        else:
            left, right = similar[of], rated
            presence = abs(left), _ones(right)
        moves[known] = (left @ right).toarray()
        if self.baseline_ is not None:
            weight = (presence[0] @ presence[1]).toarray()
            moves[known] = np.divide(
                moves[known], weight + self.damping, out=np.zeros_like(weight), where=weight + self.damping > 0
            )
        return moves

    def check_fitted_state(self) -> None:
        """Raise where the neighbours of a file contradict the numbers of users and items."""
        super().check_fitted_state()
        n, starts = len(self.items_ if self._of_items else self.users_), self.neighbor_starts_
        right = len(starts) == n + 1 and starts[0] == 0 and starts[-1] == len(self.neighbors_)
        if not right or (np.diff(starts) < 0).any() or self.neighbors_.max(initial=-1) >= n:
            raise ModelFileError("neighbours that do not belong to the ratings.", "those of each user or item")


class ItemNeighbors(_Neighbors):
    """A rating is predicted from those that the user gave to similar items (Sarwar et al. 2001).

    Prediction: the baseline of ``Biases``, plus the mean of how the user's ratings of the nearest items differ from
    theirs, weighted by similarity. The similarity of two items is the cosine of these differences over users who rated
    both, shrunk where they are few. Of implicit feedback, items are ordered by the sum of similarities.

    >>> ratings = {"user": ["a", "a", "b", "b", "c"], "item": [1, 2, 1, 2, 1], "rating": [5, 5, 1, 1, 5]}
    >>> ItemNeighbors(shrinkage=0, damping=0).fit(ratings).predict({"user": ["c"], "item": [2]}) > 4
    array([ True])
    """

    n_neighbors: int = inherited(kw_only=False)


class UserNeighbors(_Neighbors):
    """A rating is predicted from those that similar users gave to the same item (Resnick et al. 1994).

    As ``ItemNeighbors``, with users in place of items.
    """

    n_neighbors: int = inherited(kw_only=False)
    _of_items: ClassVar[bool] = False


def _nearest(rows: csr_matrix, n_neighbors: int, shrinkage: float, n_jobs: int | None) -> csr_matrix:
    """The most similar rows of each row: shrunk cosines over the columns that both have, those above 0."""
    n = rows.shape[0]
    ones, squares = _ones(rows), csr_matrix((rows.data**2, rows.indices, rows.indptr), shape=rows.shape)
    columns, of_columns, present = rows.T.tocsc(), ones.T.tocsc(), squares.T.tocsc()
    k = min(n_neighbors, max(n - 1, 1))
    nearest, values = np.empty((n, k), np.int32), np.zeros((n, k))

    def some(start: int, stop: int) -> None:
        products = (rows[start:stop] @ columns).toarray()
        mine = (squares[start:stop] @ of_columns).toarray()  # Σ of squares over the columns that both have
        theirs = (ones[start:stop] @ present).toarray()
        both = (ones[start:stop] @ of_columns).toarray()
        norm = np.sqrt(mine * theirs)
        similar = (
            np.divide(products, norm, out=np.zeros_like(norm), where=norm > 0) * both / (both + max(shrinkage, 1e-9))
        )
        similar[np.arange(stop - start), np.arange(start, stop)] = -np.inf
        similar[similar <= 0] = -np.inf
        found = nearest[start:stop]
        first_items(similar, k, found)
        values[start:stop] = np.take_along_axis(similar, np.maximum(found, 0), axis=1)

    threads = thread_count(n_jobs, 4.0 * float(np.sum(np.diff(rows.T.tocsr().indptr) ** 2.0)) + 20.0 * n * n)
    chunked(some, n, threads, chunk=_ROWS)
    kept = nearest >= 0
    starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
    return csr_matrix((values[kept], nearest[kept], starts), shape=(n, n))


def _ones(rows: csr_matrix) -> csr_matrix:
    return csr_matrix((np.ones(rows.nnz), rows.indices, rows.indptr), shape=rows.shape)
