"""Neighbours, compared with a plain loop over users and items."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from probus.recommend import Biases, ItemNeighbors, Ratings, UserNeighbors


def by_loop(data, of_items, n_neighbors, shrinkage, damping, implicit):
    """Predictions for all pairs."""
    n_users, n_items = len(data.users), len(data.items)
    rest, held = np.zeros((n_users, n_items)), np.zeros((n_users, n_items), bool)
    baseline = np.zeros((n_users, n_items))
    held[data.user, data.item] = True
    if implicit:
        rest[held] = 1.0
    else:
        model = Biases(regularization=5.0).fit_ratings(data)
        baseline = model._scores(np.arange(n_users))
        rest[data.user, data.item] = data.values - baseline[data.user, data.item]
    a, b = (rest.T, held.T) if of_items else (rest, held)
    similar = np.zeros((len(a), len(a)))
    for i in range(len(a)):
        for j in range(len(a)):
            both = b[i] & b[j]
            norm = np.sqrt(np.sum(a[i, both] ** 2) * np.sum(a[j, both] ** 2))
            if i != j and norm > 0:
                similar[i, j] = max(0.0, a[i] @ a[j] / norm) * both.sum() / (both.sum() + shrinkage)
        similar[i, np.argsort(-similar[i], kind="stable")[n_neighbors:]] = 0.0
    moves = np.zeros_like(a)
    for i in range(len(a)):
        for c in range(a.shape[1]):
            weight = similar[i][b[:, c]].sum() + damping
            total = similar[i][b[:, c]] @ a[b[:, c], c]
            moves[i, c] = total if implicit else total / weight if weight > 0 else 0.0
    return baseline + (moves.T if of_items else moves)


@pytest.mark.parametrize("implicit", [False, True])
@pytest.mark.parametrize(("cls", "of_items"), [(ItemNeighbors, True), (UserNeighbors, False)])
def test_predictions_are_those_of_the_definition(ratings, cls, of_items, implicit):
    table = dict(ratings)  # whose items have many users in common, so that no two similarities are equal
    if implicit:
        del table["rating"], table["time"]
    data = Ratings.of(table)
    model = cls(6, shrinkage=2.0, damping=0.1, implicit=implicit, scale=None if implicit else (-50, 50)).fit(table)
    expected = by_loop(data, of_items, 6, 2.0, 0.1, implicit)
    assert_allclose(model._scores(np.arange(len(data.users))), expected, atol=1e-8)
    assert_allclose(model.predict(table), expected[data.user, data.item], atol=1e-8)


def test_neighbours_are_better_than_the_biases_where_tastes_differ(sides):
    rated = sides[0]
    train = {key: values[::2] for key, values in rated.items()}
    test = {key: values[1::2] for key, values in rated.items()}

    def error(model):
        return np.mean((model.fit(train).predict(test) - test["rating"]) ** 2)

    best = error(Biases())
    assert error(ItemNeighbors(shrinkage=5.0)) < best
    assert error(UserNeighbors(shrinkage=5.0)) < best


@pytest.mark.parametrize("cls", [ItemNeighbors, UserNeighbors])
def test_the_result_does_not_depend_on_the_number_of_threads(ratings, cls):
    one, four = (cls(5, n_jobs=n).fit(ratings) for n in (1, 4))
    assert np.array_equal(one.similarities_, four.similarities_)
    assert np.array_equal(one.neighbors_, four.neighbors_)
