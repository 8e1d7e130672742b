"""Rows in single precision: types as in scikit-learn, values as from double precision."""

import pickle

import numpy as np
import pytest
import sklearn.linear_model as peer
from scipy import sparse

from probus import DataError, linear_model

NAMES = ["Ridge", "ElasticNet", "Lasso", "MultiTaskElasticNet", "MultiTaskLasso", "SGDRegressor", "SGDClassifier"]


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)).astype(np.float32)
    return X, np.column_stack([X @ [1, 2, 0, 0], X @ [0, 1, -1, 0]]) + 0.1 * rng.normal(size=(60, 2))


def settings(name):
    return {"random_state": 0} if name.startswith("SGD") else {"alpha": 0.1}


def target(name, y):
    return y[:, 0] > 0 if name == "SGDClassifier" else y[:, 0] if name == "SGDRegressor" else y


@pytest.mark.parametrize("name", NAMES)
def test_types_are_those_of_scikit_learn_and_values_those_of_double_precision(rows, name):
    X, y = rows
    y, how = target(name, y), settings(name)
    model = getattr(linear_model, name)(**how).fit(X, y)
    theirs = getattr(peer, name)(**how).fit(X, y if name == "SGDClassifier" else y.astype(np.float32))
    double = getattr(linear_model, name)(**how).fit(X.astype(float), y)
    assert model.coef_.dtype == theirs.coef_.dtype == np.float32
    assert double.coef_.dtype == np.float64
    np.testing.assert_allclose(model.coef_, double.coef_, rtol=1e-6, atol=1e-7)
    assert model.predict(X).dtype == theirs.predict(X).dtype
    assert double.predict(X).dtype == double.predict(X.astype(float)).dtype
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_batches_in_single_precision_continue(rows):
    X, y = rows
    model = linear_model.SGDRegressor(random_state=0).partial_fit(X[:30], y[:30, 0]).partial_fit(X[30:], y[30:, 0])
    assert model.coef_.dtype == np.float32
    assert model.t_ == 61


def test_normal_equations_of_sparse_rows_have_no_intercept(rows):
    X, y = sparse.csr_matrix(rows[0]), rows[1]
    with pytest.raises(DataError, match="does not support fitting the intercept on sparse data") as caught:
        linear_model.Ridge(solver="cholesky").fit(X, y)
    assert "fit_intercept=False" in str(caught.value)
    found = linear_model.Ridge(solver="cholesky", fit_intercept=False).fit(X, y).coef_
    np.testing.assert_allclose(found, peer.Ridge(solver="cholesky", fit_intercept=False).fit(X, y).coef_, rtol=1e-4)
