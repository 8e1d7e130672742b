"""Which penalty of implicit feedback ranks well where nobody tunes it?

Feedback is drawn in two ways, from factors and popularity and from mixtures of tastes, with 300 to 1,500 users, 200 to
3,000 items and 12 to 90 items of a user on average. A fifth of the pairs is tested. The score of a setting is its
NDCG@10 divided by the best one on the same data. ``choose`` prints the means and the least of these shares, by which
the default was chosen. ``judge`` scores the default, the former one and one that was tuned on MovieLens 100k of the
folder ``PROBUS_BENCH_DATA``, with a fifth of the ratings for testing. All that a user rated counts.

    python -m research.implicit_defaults choose
    python -m research.implicit_defaults judge
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from probus.recommend import ItemNeighbors, MatrixFactorization, Popularity, Ratings

SIZES = ((300, 200, 20), (800, 500, 15), (800, 1500, 40), (1500, 800, 40), (1500, 3000, 12), (400, 600, 90))
SETTINGS = [
    {"regularization": penalty, "unobserved": unobserved}
    for penalty in (0.05, 0.1, 0.2, 0.4, 0.8, 1.5)
    for unobserved in (0.1, 0.2, 0.4)
]
_LENGTH = 10


def drawn(kind: str, n_users: int, n_items: int, per_user: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The users and items of pairs, without repetition."""
    rng = np.random.default_rng(seed)
    spread = np.exp(rng.normal(scale=0.7, size=n_users) - 0.245)
    counts = np.clip(np.round(per_user * spread), 5, n_items // 2).astype(int)
    popularity = rng.normal(size=n_items)
    if kind == "factors":
        users = rng.normal(size=(n_users, 6))
        items = rng.normal(size=(n_items, 6)) * np.linspace(1, 0.4, 6)
        scores = 1.2 * popularity + 0.9 * users @ items.T
    else:
        tastes = rng.dirichlet(np.full(12, 0.2), size=n_users)
        scores = np.log(tastes @ rng.dirichlet(0.3 * np.exp(popularity), size=12) + 1e-6)
    order = np.argsort(-(scores + rng.gumbel(size=scores.shape)), axis=1)
    return np.repeat(np.arange(n_users), counts), order[np.arange(n_items) < counts[:, None]]


def ndcg(model: Any, user: np.ndarray, item: np.ndarray, tested: np.ndarray) -> float:
    """NDCG@10 of a model that is fitted on the pairs that are not tested."""
    fitted = model.fit_ratings(Ratings.of({"user": user[~tested], "item": item[~tested]}))
    users = np.intersect1d(user[tested], fitted.users_)
    lists = fitted.top(np.searchsorted(fitted.users_, users), _LENGTH)[0]
    discount = 1 / np.log2(np.arange(_LENGTH) + 2)
    scores = []
    for each, row in zip(users, lists, strict=True):
        own = item[tested & (user == each)]
        hits = np.isin(fitted.items_[row], own) & (row >= 0)
        scores.append(hits @ discount / discount[: len(own)].sum())
    return float(np.mean(scores))


def choose() -> None:
    """Print how each setting does, compared with the best on the same data."""
    shares = []
    for kind in ("factors", "tastes"):
        for seed, size in enumerate(SIZES):
            user, item = drawn(kind, *size, seed)
            tested = np.random.default_rng(seed).random(len(user)) < 0.2
            models = [MatrixFactorization(implicit=True, random_state=0, n_jobs=1, **how) for how in SETTINGS]
            found = np.array([ndcg(model, user, item, tested) for model in models])
            shares.append(found / found.max())
            print(kind, size, f"best {found.max():.3f} by", SETTINGS[int(found.argmax())], flush=True)
    mean, least = np.mean(shares, axis=0), np.min(shares, axis=0)
    for place in np.argsort(-mean):
        print(f"{mean[place]:.3f} {least[place]:.3f}", SETTINGS[place])


def judge() -> None:
    """Print NDCG@10 on MovieLens 100k, of three splits."""
    import polars as pl

    table = pl.read_parquet(Path(os.environ["PROBUS_BENCH_DATA"]) / "ml100k_ratings.parquet")
    ratings = Ratings.of(table)
    for model in (
        MatrixFactorization(implicit=True, random_state=0, n_jobs=1),
        MatrixFactorization(implicit=True, regularization=1.5, unobserved=0.1, random_state=0, n_jobs=1),
        MatrixFactorization(
            24, implicit=True, regularization=7.0, penalty_by_count=0.0, random_state=0, n_jobs=1, unobserved=0.2
        ),
        ItemNeighbors(implicit=True),
        Popularity(),
    ):
        scores = []
        for seed in range(3):
            tested = np.random.default_rng(seed).random(len(ratings)) < 0.2
            scores.append(ndcg(model, ratings.user, ratings.item, tested))
        print(model, f"{np.mean(scores):.3f}", np.round(scores, 3))


if __name__ == "__main__":
    {"choose": choose, "judge": judge}[sys.argv[1]]()
