"""Implicit feedback: each block step solves its weighted least squares problem."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from probus.errors import DataError
from probus.recommend import MatrixFactorization, Popularity, Ratings, UserFolds, resample
from probus.recommend._alternating import penalty_of
from probus.recommend._kernels import BLOCK, block_steps


def dense_solution(data, items, unobserved, penalty, prior, weights):
    """The best factors of each user by weighted least squares over all pairs, without any shortcut."""
    found = np.empty((len(data.users), items.shape[1]))
    held = np.zeros((len(data.users), len(data.items)))
    held[data.user, data.item] = weights
    for u, row in enumerate(held):
        # Σ c (1 − z·w)² over what the user has, plus α Σ (z·w)² over all items
        gram = (items * (row + unobserved)[:, None]).T @ items + penalty[u] * np.eye(items.shape[1])
        found[u] = np.linalg.solve(gram, items.T @ row + penalty[u] * prior[u])
    return found


@pytest.mark.parametrize("blocks", [1, 3])
def test_sweeps_end_at_the_solution_of_dense_weighted_least_squares(taste, blocks):
    data, rng = Ratings.of(taste), np.random.default_rng(0)
    d = blocks * BLOCK
    items = (rng.normal(size=(len(data.items), d)) * 0.3).astype(np.float32)
    weights = rng.uniform(0.5, 3.0, size=len(data)).astype(np.float32)
    rows = Ratings.of({**taste, "rating": weights}, rating="rating", implicit=True).by_user
    penalty = rng.uniform(0.5, 2.0, size=len(data.users)).astype(np.float32)
    prior = (rng.normal(size=(len(data.users), d)) * 0.1).astype(np.float32)
    mine = (rng.normal(size=(len(data.users), d)) * 0.1).astype(np.float32)
    for _ in range(1 if blocks == 1 else 60):  # one block holds all factors: a single step is exact
        block_steps(
            0, len(mine), rows.indptr.astype(np.int64), rows.indices, rows.data.astype(np.float32), items,
            items.T @ items, np.float32(0.2), penalty, prior, mine,
        )  # fmt: skip
    expected = dense_solution(data, items.astype(float), 0.2, penalty, prior, weights)
    assert_allclose(mine, expected, atol=2e-4)


def objective_of(model, data):
    """The objective by brute force over all pairs."""
    scores = model.user_factors_ @ model.item_factors_.T
    held = scores[data.user, data.item]
    counts = [
        np.bincount(codes, minlength=n) + model.unobserved * other
        for codes, n, other in (
            (data.user, len(data.users), len(data.items)),
            (data.item, len(data.items), len(data.users)),
        )
    ]
    total = np.sum((1 + model.alpha * data.values) * (1 - held) ** 2) + model.unobserved * np.sum(scores**2)
    for factors, count in zip((model.user_factors_, model.item_factors_), counts, strict=True):
        total += penalty_of(model) * np.sum(count**model.penalty_by_count * np.sum(factors**2, axis=1))
    return total


@pytest.mark.parametrize("how", [{}, {"alpha": 2.0}, {"penalty_by_count": 1.0, "regularization": 0.01}], ids=str)
def test_the_objective_never_rises_and_is_that_of_all_pairs(taste, how):
    model = MatrixFactorization(20, implicit=True, random_state=0, tol=1e-9, max_iter=10, **how).fit(taste)
    assert (np.diff(model.objective_) <= 1e-4 * model.objective_[0]).all()
    assert_allclose(model.objective_[-1], objective_of(model, Ratings.of(taste)), rtol=1e-4)


def test_factors_without_a_penalty_are_refused(taste):
    with pytest.raises(DataError, match=r"(?s)regularization=0 with implicit=True.*a penalty above 0"):
        MatrixFactorization(20, implicit=True, regularization=0).fit(taste)


def test_the_result_does_not_depend_on_the_number_of_threads(draw_taste):
    taste = draw_taste(300, 200)[0]
    one, three = (
        MatrixFactorization(32, implicit=True, random_state=0, n_jobs=n, max_iter=4).fit(taste) for n in (1, 3)
    )
    assert np.array_equal(one.user_factors_, three.user_factors_)


def test_users_get_items_of_their_taste(draw_taste):
    taste, user_group, item_group = draw_taste()
    model = MatrixFactorization(8, implicit=True, regularization=0.5, random_state=0).fit(taste)
    found = model.recommend(n=3)
    own = [item_group[item] == user_group[user] for user in found.users for item in found[user]]
    assert np.mean(own) > 0.9


def test_it_ranks_better_than_popularity(taste):
    how = {"cv": UserFolds(3, given=0.7), "scoring": "ndcg@5", "halvings": 0}
    model = resample(MatrixFactorization(8, implicit=True, regularization=0.5, random_state=0), taste, **how)
    assert model.estimate().low > resample(Popularity(), taste, **how).estimate().high
