"""Recommenders of implicit feedback against the package implicit, by the time of iterations at equal ranking."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from benchmarks.measure import Contest
from probus.recommend import MatrixFactorization, Ratings

_ITERATIONS, _THREADS, _LENGTH = 10, 2, 10


def contests() -> Iterator[Contest]:
    for n_users, n_items, factors in ((20_000, 5_000, 64), (20_000, 5_000, 128)):
        yield _implicit(n_users, n_items, factors)


def feedback(n_users: int, n_items: int, per_user: int = 60) -> tuple[csr_matrix, csr_matrix]:
    """What users of twenty mixed tastes have, of items of unequal popularity: for training, and a fifth for testing."""
    rng = np.random.default_rng(0)
    tastes = rng.dirichlet(np.full(20, 0.15), size=n_users)
    items = rng.dirichlet(1 / np.arange(1, n_items + 1) ** 0.6, size=20)
    own = rng.permuted(np.arange(n_items)[None].repeat(20, axis=0), axis=1)
    sums = np.cumsum(items, axis=1)
    user = np.repeat(np.arange(n_users), per_user)
    taste = (np.cumsum(tastes, axis=1)[user] < rng.random(len(user))[:, None]).sum(axis=1).clip(max=19)
    place = np.array([np.searchsorted(sums[t], r) for t, r in zip(taste, rng.random(len(user)), strict=True)])
    item = own[taste, place.clip(max=n_items - 1)]
    pairs = np.unique(user * n_items + item)
    tested = rng.random(len(pairs)) < 0.2
    return tuple(  # type: ignore[return-value]
        csr_matrix((np.ones(len(some), np.float32), np.divmod(some, n_items)), shape=(n_users, n_items))
        for some in (pairs[~tested], pairs[tested])
    )


def ndcg(lists: np.ndarray, tested: csr_matrix) -> float:
    """NDCG@10 of lists of items, one for each user."""
    discount = 1 / np.log2(np.arange(_LENGTH) + 2)
    best = np.concatenate([[0.0], np.cumsum(discount)])
    scores = []
    for row, start, stop in zip(lists, tested.indptr[:-1], tested.indptr[1:], strict=True):
        if stop > start:
            hits = np.isin(row[:_LENGTH], tested.indices[start:stop])
            scores.append(hits @ discount / best[min(stop - start, _LENGTH)])
    return float(np.mean(scores))


def _implicit(n_users: int, n_items: int, factors: int) -> Contest:
    from implicit.als import AlternatingLeastSquares

    train, test = feedback(n_users, n_items)
    user, item = train.nonzero()
    ratings = Ratings.of({"user": user, "item": item})
    everyone = np.arange(n_users)

    def ours() -> Any:
        model = MatrixFactorization(
            factors, implicit=True, regularization=0.4, unobserved=0.2, penalty_by_count=0.0, max_iter=_ITERATIONS,
            tol=0.0,
            n_jobs=_THREADS, random_state=0,
        )  # fmt: skip
        return model.fit_ratings(ratings)

    def theirs() -> Any:
        model = AlternatingLeastSquares(
            factors, regularization=2.0, alpha=6.0, iterations=_ITERATIONS, num_threads=_THREADS, random_state=0
        )
        model.fit(train, show_progress=False)
        return model

    def quality(mine: Any, peer: Any) -> str:
        own = mine.items_[mine.top(everyone, _LENGTH)[0]]
        others, _ = peer.recommend(everyone, train, N=_LENGTH, filter_already_liked_items=True)
        return f"NDCG@10 {ndcg(own, test):.3f}; {ndcg(others, test):.3f}"

    size = f"{n_users:,} users, {n_items:,} items, {train.nnz:,} pairs, {factors} factors, {_ITERATIONS} iterations"
    return Contest(f"implicit feedback, {size}", ours, "implicit, ALS", theirs, 2.0, quality, rounds=3)
