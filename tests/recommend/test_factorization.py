"""Matrix factorisation: its steps are ridge regressions, its objective never rises, and it finds what made the data."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import approx_fprime
from sklearn.linear_model import Ridge as Peer

from probus.linear_model import Ridge
from probus.recommend import Biases, MatrixFactorization, Ratings
from probus.recommend._alternating import penalty_of
from probus.recommend._kernels import descend, ridge_steps


def parts(model):
    users = np.column_stack([model.user_bias_, model.user_factors_])
    items = np.column_stack([model.item_bias_, model.item_factors_])
    return model.intercept_, users, items


def objective_of(model, data, penalty_users, penalty_items, ratio=1.0):
    mean, users, items = parts(model)
    predicted = mean + users[data.user, 0] + items[data.item, 0]
    predicted = predicted + np.sum(users[data.user, 1:] * items[data.item, 1:], axis=1)
    total = np.sum((data.values - predicted) ** 2)
    for vectors, weight in ((users, penalty_users), (items, penalty_items)):
        total += np.sum(weight * (np.sum(vectors[:, 1:] ** 2, axis=1) + ratio * vectors[:, 0] ** 2))
    return total


@pytest.mark.parametrize("regressor", [Ridge, Peer])
@pytest.mark.parametrize("biased", [True, False])
def test_a_step_of_a_user_is_a_ridge_regression_on_the_items_the_user_rated(ratings, regressor, biased):
    data = Ratings.of(ratings)
    rows, rng = data.by_user, np.random.default_rng(0)
    items = rng.normal(size=(len(data.items), 4))
    penalty = np.full(len(data.users), 2.0)
    out = np.zeros((len(data.users), 4))
    ridge_steps(
        0, len(out), rows.indptr.astype(np.int64), rows.indices, rows.data, items, 3.0, penalty, 1.0,
        np.zeros_like(out), biased, out,
    )  # fmt: skip
    for u in (0, 7, 33):
        rated = rows.indices[rows.indptr[u] : rows.indptr[u + 1]]
        target = rows.data[rows.indptr[u] : rows.indptr[u + 1]] - 3.0 - items[rated, 0]
        design = np.column_stack([np.ones(len(rated)) * biased, items[rated, 1:]])
        expected = regressor(alpha=2.0, fit_intercept=False).fit(design, target).coef_
        assert_allclose(out[u], expected, atol=1e-8)


@pytest.mark.parametrize(
    "how",
    [{}, {"penalty_by_count": 1.0, "regularization": 0.05}, {"biases": False}, {"bias_regularization": 0.01}],
    ids=str,
)
def test_the_objective_never_rises_and_is_that_of_the_definition(ratings, how):
    data = Ratings.of(ratings)
    model = MatrixFactorization(3, random_state=0, tol=0.0, max_iter=12, **how).fit(ratings)
    assert len(model.objective_) == 12
    assert (np.diff(model.objective_) <= 1e-9 * model.objective_[0]).all()
    lam, nu = penalty_of(model), model.penalty_by_count
    weights = [lam * np.bincount(codes).astype(float) ** nu for codes in (data.user, data.item)]
    ratio = 1 / 3 if model.bias_regularization is None else model.bias_regularization / lam
    assert_allclose(objective_of(model, data, *weights, ratio), model.objective_[-1])


def test_als_ends_where_the_gradient_is_zero(ratings):
    data = Ratings.of(ratings)
    model = MatrixFactorization(2, random_state=0, tol=1e-13, max_iter=2000, penalty_by_count=0.0).fit(ratings)
    _, users, items = parts(model)
    weights = [np.full(len(each), penalty_of(model)) for each in (users, items)]

    def moved(z):
        model.user_factors_ = np.vstack([z, users[1:, 1:]])
        return objective_of(model, data, *weights, ratio=1 / 3)

    assert np.abs(approx_fprime(users[0, 1:], moved, 1e-6)).max() < 1e-3


def test_a_step_of_descent_is_the_gradient_of_half_the_squared_error_and_the_penalties():
    rng = np.random.default_rng(1)
    z, w, mean, rating, rate = rng.normal(size=4), rng.normal(size=4), 0.3, 2.0, 1e-3

    def loss(all_of_it):
        z, w, mean = all_of_it[:4], all_of_it[4:8], all_of_it[8]
        penalties = 0.7 * np.sum(z[1:] ** 2) + 0.9 * np.sum(w[1:] ** 2) + 0.5 * (0.7 * z[0] ** 2 + 0.9 * w[0] ** 2)
        return ((mean + z[0] + w[0] + z[1:] @ w[1:] - rating) ** 2 + penalties) / 2

    users, items = z[None].copy(), w[None].copy()
    zero = np.zeros(1, dtype=np.int64)
    penalties = np.array([0.7]), np.array([0.9])
    arguments = (zero, zero.astype(np.int32), zero.astype(np.int32), np.array([rating]), mean)
    after = descend(*arguments, users, items, *penalties, 0.5, True, rate)
    step = np.concatenate([users[0] - z, items[0] - w, [after - mean]])
    gradient = approx_fprime(np.concatenate([z, w, [mean]]), loss, 1e-7)
    assert_allclose(step, -rate * gradient, atol=1e-8)


def test_descent_comes_near_the_objective_of_als(ratings):
    how = {"factors": 2, "penalty_by_count": 0.0, "regularization": 1.0, "random_state": 0, "tol": 0.0}
    als = MatrixFactorization(**how, max_iter=200).fit(ratings)
    sgd = MatrixFactorization(**how, solver="sgd", learning_rate=0.05, max_iter=200).fit(ratings)
    assert sgd.objective_[-1] < 1.1 * als.objective_[-1]


@pytest.mark.parametrize("solver", ["als", "sgd"])
def test_ratings_made_of_biases_and_factors_are_recovered(ratings, solver):
    small = {key: values[::2] for key, values in ratings.items()}
    rest = {key: values[1::2] for key, values in ratings.items()}
    model = MatrixFactorization(2, solver=solver, random_state=0, max_iter=60).fit(small)
    found = np.sqrt(np.mean((model.predict(rest) - rest["rating"]) ** 2))
    constant = np.std(rest["rating"])
    assert found < 0.85 * constant


def test_the_result_does_not_depend_on_the_number_of_threads(ratings):
    one, four = (MatrixFactorization(40, random_state=0, n_jobs=n, max_iter=15) for n in (1, 4))
    big = {**ratings}
    assert np.array_equal(one.fit(big).user_factors_, four.fit(big).user_factors_)


def test_new_users_and_items_get_the_biases_that_are_known(ratings):
    model = MatrixFactorization(3, random_state=0).fit(ratings)
    found = model.predict({"user": ["0", "new", "new"], "item": ["other", "1", "other"]})
    expected = [model.intercept_ + model.user_bias_[0], model.intercept_ + model.item_bias_[1], model.intercept_]
    assert_allclose(found, expected)


@pytest.mark.parametrize("penalty", [2.0, 0.0])
def test_without_factors_it_is_biases(ratings, penalty):
    how = {
        "regularization": penalty,
        "bias_regularization": 2.0,
        "penalty_by_count": 0.0,
        "tol": 1e-12,
        "max_iter": 200,
    }
    model, biases = MatrixFactorization(0, **how).fit(ratings), Biases(regularization=2.0).fit(ratings)
    assert_allclose(model.user_bias_, biases.user_bias_, atol=1e-5)


def test_biases_without_penalty_are_a_regression_on_indicators(ratings):
    data = Ratings.of(ratings)
    design = np.zeros((len(data), len(data.users) + len(data.items)))
    design[np.arange(len(data)), data.user] = design[np.arange(len(data)), len(data.users) + data.item] = 1.0
    expected = design @ np.linalg.lstsq(design, data.values, rcond=None)[0]
    found = Biases(regularization=1e-9, scale=(-100, 100)).fit(ratings).predict(ratings)
    assert_allclose(found, expected, atol=1e-4)


def test_parts_of_the_biases_can_be_left_out(ratings):
    mean = Biases(of_users=False, of_items=False).fit(ratings)
    assert_allclose(mean.predict(ratings), np.mean(ratings["rating"]), atol=1e-6)
    assert np.abs(Biases(of_users=False).fit(ratings).user_bias_).max() < 1e-8


def test_predictions_are_on_the_scale(ratings):
    rounded = {**ratings, "rating": np.clip(np.round(ratings["rating"]), 1, 5)}
    found = MatrixFactorization(20, regularization=0.01, random_state=0).fit(rounded).predict(rounded)
    assert found.min() >= 1
    assert found.max() <= 5
