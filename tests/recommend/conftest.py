"""Ratings that tests share: made of biases and factors, so that the best prediction is known."""

import numpy as np
import pytest

from probus.recommend import Biases, ItemNeighbors, MatrixFactorization, Popularity, UserNeighbors

ALL = [
    Biases(),
    Popularity(),
    MatrixFactorization(3, random_state=0),
    MatrixFactorization(3, solver="sgd", random_state=0),
    MatrixFactorization(3, implicit=True, random_state=0),
    ItemNeighbors(),
    UserNeighbors(),
]


def _draw_ratings(n_users=60, n_items=40, share=0.4, noise=0.5, seed=0, factors=2):
    """A frame as a dict: ratings 6 + b_u + c_i + z_u · w_i + noise of random pairs, with times."""
    rng = np.random.default_rng(seed)
    users, items = rng.normal(size=(n_users, factors + 1)) * 0.5, rng.normal(size=(n_items, factors + 1)) * 0.7
    truth = 6 + users[:, :1] + items[:, 0] + users[:, 1:] @ items[:, 1:].T
    user, item = np.nonzero(rng.random((n_users, n_items)) < share)
    rating = truth[user, item] + rng.normal(scale=noise, size=len(user))
    return {"user": user, "item": item, "rating": rating, "time": rng.permutation(len(user)).astype(float)}


def _draw_taste(n_users=60, n_items=40, groups=3, mine=0.4, other=0.05, seed=0):
    """Implicit feedback: users of a group have the items of that group more often than others."""
    rng = np.random.default_rng(seed)
    user_group, item_group = rng.integers(groups, size=n_users), rng.integers(groups, size=n_items)
    probability = np.where(user_group[:, None] == item_group, mine, other)
    user, item = np.nonzero(rng.random((n_users, n_items)) < probability)
    return {"user": user, "item": item}, user_group, item_group


@pytest.fixture(params=ALL, ids=repr)
def model(request):
    """Every model of ratings alone."""
    return request.param


@pytest.fixture(scope="session")
def draw_ratings():
    return _draw_ratings


@pytest.fixture(scope="session")
def draw_taste():
    return _draw_taste


@pytest.fixture(scope="session")
def ratings():
    return _draw_ratings()


@pytest.fixture(scope="session")
def taste():
    return _draw_taste()[0]


@pytest.fixture(scope="session")
def sides():
    """Ratings by a taste that follows from columns, with tables of users and items of mixed kinds and gaps."""
    rng = np.random.default_rng(3)
    n_users, n_items = 60, 40
    young, genre = rng.integers(2, size=n_users), rng.integers(3, size=n_items)
    year = rng.integers(1950, 2000, size=n_items).astype(float)
    liked = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.5]])
    truth = 3 + liked[young][:, genre] + (year - 1975) / 50
    user, item = np.nonzero(rng.random((n_users, n_items)) < 0.3)
    rated = {"user": user, "item": item, "rating": truth[user, item] + rng.normal(scale=0.3, size=len(user))}
    year[rng.random(n_items) < 0.1] = np.nan
    users = {"user": np.arange(n_users), "age": np.where(young, "young", "old").tolist()}
    items = {"item": np.arange(n_items), "genre": np.array(["war", "love", "fun"])[genre].tolist(), "year": year}
    return rated, users, items, truth
