"""An intercept takes up any offset of columns: coefficients and predictions are the same, near zero and far from it."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone

from probus.linear_model import (
    GammaRegressor,
    GeneralizedLinearEstimator,
    HuberRegressor,
    LogisticRegression,
    PoissonRegressor,
)
from probus.linear_model.datafits._offsets import far_offset

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 3))
Y = X[:, 0] + 0.1 * rng.normal(size=200)
TWO = (X[:, 0] + 0.5 * rng.normal(size=200) > 0).astype(int)
THREE = TWO + (X[:, 1] > 1.0)
MODELS = [
    (LogisticRegression(), TWO), (LogisticRegression(C=np.inf), TWO), (LogisticRegression(), THREE),
    (LogisticRegression(l1_ratio=1.0, C=0.5), TWO), (HuberRegressor(), Y), (HuberRegressor(scale="mad"), Y),
    (PoissonRegressor(), np.exp(Y)), (GammaRegressor(), np.exp(Y)),
    (GeneralizedLinearEstimator("log_loss"), TWO), (GeneralizedLinearEstimator("huber"), Y),
]  # fmt: skip


@pytest.mark.parametrize(("model", "y"), MODELS)
@pytest.mark.parametrize("offset", [1e4, 1e6, 1e9])
def test_coefficients_do_not_depend_on_the_offset_of_columns(model, y, offset):
    near = clone(model).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        far = clone(model).fit(X + offset, y)
    np.testing.assert_allclose(far.coef_, near.coef_, rtol=1e-5, atol=1e-5 * np.abs(near.coef_).max())
    difference = far.predict(X + offset).astype(float) - near.predict(X)
    assert np.abs(difference).max() <= 1e-15 * offset + 1e-5


@pytest.mark.parametrize(("model", "y"), MODELS)
def test_a_warm_start_far_from_zero_is_at_the_minimum(model, y):
    if "warm_start" not in model.get_params():
        pytest.skip("no warm start")
    far = clone(model).set_params(warm_start=True).fit(X + 1e6, y)
    coef = far.coef_.copy()
    np.testing.assert_allclose(far.fit(X + 1e6, y).coef_, coef, rtol=1e-5, atol=1e-6)


def test_only_columns_that_are_far_are_moved():
    assert far_offset(X, intercept=True) is None
    assert far_offset(X + 1e6, intercept=False) is None
    assert far_offset(np.column_stack([np.ones(9), np.arange(9.0)]), intercept=True) is None  # a constant one stays
