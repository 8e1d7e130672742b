"""The warning for rows outside the training range."""

import warnings

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import RANSACRegressor
from sklearn.model_selection import GridSearchCV, cross_val_predict

import probus
from probus.data import Table
from probus.held_out import predicting_held_out
from probus.linear_model import (
    ExtrapolationWarning,
    GeneralizedLinearEstimator,
    HuberRegressor,
    Lasso,
    LinearRegression,
    Ridge,
    SGDRegressor,
)
from probus.linear_model.inference._extrapolation import training_range, warn_of_extrapolation
from probus.svm import LinearSVR

rng = np.random.default_rng(0)
X = rng.uniform(0, 10, size=(40, 3))
MODELS = [
    LinearRegression(), Ridge(), Lasso(alpha=0.1), HuberRegressor(), SGDRegressor(eta0=1e-4), LinearSVR(),
    GeneralizedLinearEstimator(),
]  # fmt: skip


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_rows_far_outside_are_reported_with_their_columns(model):
    data = Table.of({name: X[:, j] for j, name in enumerate(["age", "height", "weight"])})
    model.fit(data, X[:, 0])
    new = X[:5].copy()
    new[:2, 2], new[2, 0] = 16.0, -6.0
    table = Table.of({name: new[:, j] for j, name in enumerate(["age", "height", "weight"])})
    expected = (
        r"3 of 5 rows lie beyond the training range by more than 50 % of it, in weight \(2; trained on .* to .*\), age"
    )
    with pytest.warns(ExtrapolationWarning, match=expected) as caught:
        model.predict(table)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def silent(model, new):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ExtrapolationWarning)
        return model.predict(new)


def test_training_rows_margins_constant_columns_and_sparse_rows_are_silent():
    rows = np.column_stack([X, np.full(40, 3.0)])
    model = LinearRegression().fit(rows, X[:, 0])
    silent(model, rows)
    reach = np.ptp(X[:, 0])
    edge = rows[:1].copy()
    edge[0, 0], edge[0, 3] = X[:, 0].max() + 0.499 * reach, 1e9
    silent(model, edge)
    edge[0, 0] = X[:, 0].max() + 0.501 * reach
    with pytest.warns(ExtrapolationWarning, match="1 of 1 rows lies beyond"):
        model.predict(edge)
    silent(Lasso(alpha=0.01).fit(csr_matrix(rows), X[:, 0]), csr_matrix(100 * rows))


def test_cross_validation_is_silent_and_a_search_that_predicts_is_not():
    data = rng.standard_t(1, size=(40, 4))
    data[7] = 1e6
    with warnings.catch_warnings():
        warnings.simplefilter("error", ExtrapolationWarning)
        cross_val_predict(LinearRegression(), data, data[:, 0], cv=5)
        search = GridSearchCV(Ridge(), {"alpha": [1.0, 2.0]}).fit(data, data[:, 0])
        probus.resample(Ridge(), data, data[:, 0], cv=5)
        with predicting_held_out():
            search.predict([[1e9, 0, 0, 0]])
    with pytest.warns(ExtrapolationWarning, match="1 of 1 rows lies beyond"):
        search.predict([[1e9, 0, 0, 0]])


def test_the_fits_of_scikit_learn_that_predict_are_silent():
    """RANSAC predicts all rows by models of a few."""
    model = RANSACRegressor(LinearRegression(), random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ExtrapolationWarning)
        model.fit(X, X[:, 0] + rng.normal(size=40))
    with pytest.warns(ExtrapolationWarning):
        model.predict(X + 1000)


def test_numbers_near_the_largest_are_no_problem():
    data = np.array([[-1.7e308], [1.7e308], [0.0]])
    trained, names = training_range(data), lambda model, p: ["x"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_extrapolation(LinearRegression(), data, trained, names)
    assert not caught


def test_the_margin_is_wider_for_few_rows():
    assert training_range(np.zeros((10, 1))).margin == 1.25
    assert training_range(np.zeros((1000, 1))).margin == 0.26


def test_many_columns_are_counted():
    model = LinearRegression().fit(rng.random((30, 9)), np.arange(30.0))
    with pytest.warns(ExtrapolationWarning, match="and 6 more columns"):
        model.predict(np.full((2, 9), 9.0))


@pytest.mark.parametrize("order", ["C", "F"])
def test_the_range_is_the_same_for_many_rows(order):
    many = np.asarray(rng.normal(size=(9000, 7)), order=order)
    found = training_range(many)
    np.testing.assert_array_equal([found.low, found.high], [many.min(axis=0), many.max(axis=0)])
    assert training_range(csr_matrix(many)) is None


def test_a_loaded_model_warns_too(tmp_path):
    probus.save(LinearRegression().fit(X, X[:, 0]), tmp_path / "m.probus")
    with pytest.warns(ExtrapolationWarning):
        probus.load(tmp_path / "m.probus").predict(X + 100)


def test_batches_have_no_training_range():
    """The rows of one batch say little about those of the next."""
    model = SGDRegressor(eta0=1e-4).partial_fit(X, X[:, 0])
    assert np.isfinite(silent(model, 100 * X)).all()
