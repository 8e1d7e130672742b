"""Best subsets: brute force, R's leaps, and what is proven."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import probus
from probus import datasets
from probus.errors import DataError
from probus.linear_model import BestSubset, LinearRegression
from probus.linear_model.solvers._subset_search import Subsets, branch_and_bound, exchange_search

rng = np.random.default_rng(0)


def brute_force(X, y, size):
    """The smallest RSS of all subsets of that size, with an intercept."""
    found = []
    for columns in combinations(range(X.shape[1]), size):
        A = np.column_stack([X[:, columns], np.ones(len(y))])
        found.append(((y - A @ np.linalg.lstsq(A, y, rcond=None)[0]) ** 2).sum())
    return min(found)


@given(st.integers(0, 10_000), st.integers(1, 6), st.booleans())
@settings(max_examples=25)
def test_every_size_is_that_of_brute_force(seed, p, correlated):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(16, p)) + 3 * correlated * draw.normal(size=(16, 1))
    y = X @ draw.normal(size=p) * draw.integers(0, 2) + draw.normal(size=16)
    model = BestSubset(max_features=p).fit(X, y)
    whole = ((y - y.mean()) ** 2).sum()
    np.testing.assert_allclose((1 - model.r2_) * whole, [brute_force(X, y, k) for k in range(p + 1)], rtol=1e-7)
    assert model.proven_.all()
    assert model.optimal_
    np.testing.assert_array_equal(model.subsets_.sum(axis=1), np.arange(p + 1))


# leaps 3.1 of R: summary(regsubsets(mpg ~ ., mtcars, nvmax=10)); extractAIC of the subsets
R2 = [0, 0.752832793658, 0.830227393329, 0.849663556362, 0.857851019062, 0.863737676178, 0.866707845819,
      0.868097637068, 0.868706368906, 0.868944833872, 0.869015764478]  # fmt: skip
SCORES = {
    "cp": [11.626992610842, 1.218731520383, 0.102635739461, 0.789983754829],
    "aic": [73.2173628668, 63.1979989462, 61.3073047438],
    "bic": [76.1488346724, 67.5952066546, 67.170248355],
}


@pytest.mark.parametrize("criterion", SCORES)
def test_subsets_of_cars_are_those_of_leaps(criterion):
    cars = datasets.mtcars()
    model = BestSubset(criterion=criterion).fit(cars.drop("mpg", "name"), cars["mpg"])
    np.testing.assert_allclose(model.r2_, R2, atol=1e-10)
    known = SCORES[criterion]
    np.testing.assert_allclose(model.scores_[1 : len(known) + 1], known, rtol=1e-8)
    assert list(model.feature_names_in_[model.support_]) == ["wt", "qsec", "am"]
    table = model.table()
    assert repr(table).startswith(f"BestSubset: 3 columns by {criterion}")
    assert table.to_frame()["columns"][2] == "cyl, wt"
    assert table.plot().get_ylabel() == criterion
    summary = model.summary()
    assert summary.terms == ("wt", "qsec", "am", "intercept")
    assert "These 3 of 10 columns were chosen with the same rows: intervals are too narrow" in repr(summary)
    own = LinearRegression().fit(cars.select("wt", "qsec", "am"), cars["mpg"])
    np.testing.assert_allclose(model.predict(cars.drop("mpg", "name")), own.predict(cars.select("wt", "qsec", "am")))


def test_the_size_and_the_penalty_can_be_given():
    X = rng.normal(size=(60, 7))
    y = X[:, :3] @ [3.0, 1.0, 0.3] + 0.5 * rng.normal(size=60)
    assert BestSubset(2).fit(X, y).support_.nonzero()[0].tolist() == [0, 1]
    assert BestSubset(0).fit(X, y).predict(X) == pytest.approx(y.mean())
    whole = ((y - y.mean()) ** 2).sum()
    model = BestSubset(penalty=5.0).fit(X, y)
    costs = 0.5 * (1 - model.r2_) * whole + 5.0 * np.arange(8)
    np.testing.assert_allclose(model.scores_, costs)
    assert model.n_features_ == costs.argmin()
    assert BestSubset(penalty=0.0).fit(X, y).n_features_ == 7
    assert BestSubset(penalty=1e6).fit(X, y).n_features_ == 0


def test_cross_validation_repeats_the_search_in_each_fold():
    X = rng.normal(size=(60, 6))
    y = X[:, 1] - X[:, 4] + 0.3 * rng.normal(size=60)
    model = BestSubset(criterion="cv", cv=4).fit(X, y)
    assert model.support_.nonzero()[0].tolist() == [1, 4]
    errors = np.zeros(7)
    for fold in np.split(np.arange(60), 4):
        train = np.setdiff1d(np.arange(60), fold)
        for k in range(7):
            errors[k] += ((y[fold] - BestSubset(k).fit(X[train], y[train]).predict(X[fold])) ** 2).sum()
    np.testing.assert_allclose(model.scores_, errors / 60)


def test_more_columns_are_proven_by_the_criterion_and_not_size_by_size():
    X = rng.normal(size=(200, 45))
    y = X[:, [3, 17, 30]] @ [1.0, -0.5, 0.4] + rng.normal(size=200)
    model = BestSubset().fit(X, y)
    assert model.optimal_
    assert not model.proven_[1:].all()
    sizes = BestSubset(model.n_features_).fit(X, y)
    assert sizes.optimal_
    np.testing.assert_array_equal(sizes.support_, model.support_)
    stopped = BestSubset(max_nodes=10).fit(X, y)
    assert not stopped.optimal_
    assert "not proven" in repr(stopped.table())


def test_many_columns_are_searched_locally():
    X = rng.normal(size=(300, 200))
    truth = [5, 50, 120, 199]
    model = BestSubset(4).fit(X, X[:, truth] @ [1.0, -1.0, 2.0, 0.5] + 0.5 * rng.normal(size=300))
    assert model.support_.nonzero()[0].tolist() == truth
    assert not model.optimal_
    assert model.n_visited_ == 0


def test_branch_and_bound_repairs_a_poor_start():
    X = rng.normal(size=(40, 10)) + rng.normal(size=(40, 1))
    X -= X.mean(axis=0)
    X /= np.linalg.norm(X, axis=0)
    y = rng.normal(size=40)
    y = (y - y.mean()) / np.linalg.norm(y - y.mean())
    G, c = X.T @ X, X.T @ y
    poor = Subsets(np.array([1.0, *[2.0] * 10]), np.zeros((11, 10), dtype=bool))
    assert branch_and_bound(G, c, poor, 10**6)[0]
    good = exchange_search(G, c, 10)
    branch_and_bound(G, c, good, 10**6)
    np.testing.assert_allclose(poor.rss, good.rss)
    np.testing.assert_array_equal(poor.members, good.members)


def test_constant_and_dependent_columns_and_wide_data():
    X = rng.normal(size=(30, 5))
    y = X[:, 0] + X[:, 1] + 0.1 * rng.normal(size=30)
    X[:, 3], X[:, 4] = 7.0, X[:, 0]
    model = BestSubset().fit(X, y)
    assert model.support_[1]
    assert model.support_[0] != model.support_[4]
    assert not model.support_[3]
    wide = rng.normal(size=(10, 20))
    assert BestSubset().fit(wide, rng.normal(size=10)).n_features_ <= 4
    assert BestSubset().fit(np.ones((9, 2)), np.arange(9.0)).n_features_ == 0
    assert BestSubset().fit(X, np.ones(30)).n_features_ == 0


def test_errors_name_the_problem():
    X, y = rng.normal(size=(20, 3)), rng.normal(size=20)
    X[:, 2] = 1.0
    with pytest.raises(DataError, match="n_features is 3, and 2 of 3 columns are not constant"):
        BestSubset(3).fit(X, y)
    with pytest.raises(DataError, match=r"criterion='cp' needs the residual variance of all 9 columns.*8 rows"):
        BestSubset(criterion="cp").fit(rng.normal(size=(8, 9)), np.arange(8.0))
    with pytest.raises(DataError, match="the subset has no column"):
        BestSubset(0).fit(X, y).summary()


def test_a_table_says_what_chose_the_number_of_columns():
    X = rng.normal(size=(30, 4))
    y = X[:, 0] + 0.1 * rng.normal(size=30)
    assert repr(BestSubset(2).fit(X, y).table()).startswith("BestSubset: 2 columns, as given by n_features\n")
    assert repr(BestSubset(max_features=1).fit(X, y).table()).startswith("BestSubset: 1 column by bic\n")


def test_weights_count_rows(tmp_path):
    X, y, w = rng.normal(size=(40, 4)), rng.normal(size=40), rng.integers(0, 3, 40)
    y = y + X[:, 0]
    weighted = BestSubset().fit(X, y, w)
    repeated = BestSubset().fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-10)
    np.testing.assert_allclose(weighted.scores_, repeated.scores_)
    assert repr(weighted.summary()) == repr(repeated.summary())
    with pytest.raises(DataError, match="there are no standard errors"):  # of one row
        BestSubset(2).fit(X, y, w / w.sum()).summary()
    probus.save(weighted, tmp_path / "m.probus")
    assert repr(probus.load(tmp_path / "m.probus").table()) == repr(weighted.table())
