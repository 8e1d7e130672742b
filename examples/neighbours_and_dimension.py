"""What nearest neighbours can reach, and what more columns cost them.

First two normal classes, whose least possible error is known. One neighbour is wrong at most twice as often, k
neighbours at most 1 + √(2/k) times as often, once there are enough rows. Then a linear target of ever more columns:
neighbours need exponentially many rows, linear regression does not, since it assumes more, and the assumption is true.
Last the two parts of a test error: the error on the training rows, and how much that one flatters. A tree of more
leaves has less of the first and more of the second.

    python examples/neighbours_and_dimension.py
"""

import numpy as np

from probus.distributions import Normal, bayes_error, neighbours_error_bound
from probus.linear_model import LinearRegression
from probus.neighbors import KNeighborsClassifier, KNeighborsRegressor
from probus.tree import DecisionTreeRegressor


def against_the_bayes_error(rows=4000, gap=2.0, neighbours=(1, 5, 25), seed=0):
    """For each number of neighbours: their error, and its bound."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 2 * rows)
    x = rng.normal(gap * y, 1.0)[:, None]
    least = bayes_error([Normal(0, 1), Normal(gap, 1)])
    errors = {}
    for k in neighbours:
        model = KNeighborsClassifier(k).fit(x[:rows], y[:rows])
        errors[k] = 1 - model.score(x[rows:], y[rows:]), neighbours_error_bound(least, k)
    return least, errors


def as_columns_are_added(columns=(1, 2, 5, 10, 20), rows=300, seed=0):
    """For each number of columns: the mean squared error of neighbours, and of linear regression."""
    rng = np.random.default_rng(seed)
    errors = {}
    for d in columns:
        X = rng.uniform(-1, 1, size=(2 * rows, d))
        y = X.sum(axis=1) / np.sqrt(d) + rng.normal(0, 0.1, 2 * rows)
        models = KNeighborsRegressor(5), LinearRegression()
        errors[d] = [np.mean((m.fit(X[:rows], y[:rows]).predict(X[rows:]) - y[rows:]) ** 2) for m in models]
    return errors


def training_and_test_error(leaves=(2, 8, 32, 128), rows=300, seed=0):
    """For each size of tree: the error on training rows, and how much larger it is on new ones."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(2 * rows, 1))
    y = np.sin(2 * X[:, 0]) + rng.normal(0, 0.3, 2 * rows)
    parts = {}
    for size in leaves:
        model = DecisionTreeRegressor(max_leaf_nodes=size).fit(X[:rows], y[:rows])
        train, test = (np.mean((model.predict(X[part]) - y[part]) ** 2) for part in (slice(rows), slice(rows, None)))
        parts[size] = train, test - train
    return parts


if __name__ == "__main__":
    least, errors = against_the_bayes_error()
    print(f"the least possible error is {least:.3f}")
    for k, (error, bound) in errors.items():
        print(f"  {k:2} neighbours: {error:.3f}, at most {bound:.3f}")
    print("mean squared error of 5 neighbours and of linear regression (noise alone: 0.010)")
    for d, (near, linear) in as_columns_are_added().items():
        print(f"  {d:2} columns: {near:.3f} {linear:.3f}")
    print("error of trees on training rows, and what new rows add")
    for size, (train, more) in training_and_test_error().items():
        print(f"  {size:3} leaves: {train:.3f} + {more:.3f}")
