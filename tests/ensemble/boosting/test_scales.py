"""The scale of weights does not matter, and targets beyond double precision are refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from probus import ensemble
from probus.errors import DataError

X = np.random.default_rng(0).normal(size=(400, 4))
Y = X[:, 0] + X[:, 1] * X[:, 2]
UNEQUAL = np.random.default_rng(1).uniform(0.1, 1.0, 400)
FACTORS = (5e-324, 1e-300, 1e-8, 0.5, 1e6, 1e14, 1e150, 1.7e308)

MODELS = [
    ensemble.HistGradientBoostingRegressor(max_iter=10),
    ensemble.HistGradientBoostingRegressor("absolute_error", max_iter=5, early_stopping=True, random_state=0),
    ensemble.HistGradientBoostingRegressor("huber", max_iter=5, l2_regularization=1.0),
    ensemble.HistGradientBoostingClassifier(max_iter=10),
    ensemble.HistGradientBoostingClassifier(max_iter=5, class_weight="balanced"),
    ensemble.GradientBoostingRegressor(n_estimators=10, subsample=0.5, n_iter_no_change=3, random_state=0),
    ensemble.GradientBoostingClassifier(n_estimators=10, min_weight_fraction_leaf=0.1),
    ensemble.BoostingRegressor(20, random_state=0),
    ensemble.BoostingClassifier(20, random_state=0),
]


def fitted(model, weight):
    """The raw predictions of a clone fitted with such weights."""
    y = np.digitize(Y, [0.0]) if "Classifier" in type(model).__name__ else Y
    fit = clone(model).fit(X, y, weight)
    return fit.decision_function(X) if hasattr(fit, "decision_function") else fit.predict(X)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_equal_weights_are_no_weights(model):
    without = fitted(model, None)
    for factor in FACTORS:
        assert_array_equal(fitted(model, np.full(400, factor)), without)


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_factor_of_the_weights_does_not_change_the_model(model):
    expected = fitted(model, UNEQUAL)
    for factor in FACTORS[1:]:
        assert_allclose(fitted(model, UNEQUAL * factor), expected, rtol=1e-6, atol=1e-9)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_weights_of_all_magnitudes_give_finite_predictions(model):
    weight = np.logspace(-300, 300, 400)
    assert np.isfinite(fitted(model, weight)).all()


def test_large_integer_weights_do_not_count_as_rows():
    model = ensemble.HistGradientBoostingRegressor(max_iter=10)
    times = np.random.default_rng(0).integers(1, 4, 400)
    assert_allclose(fitted(model, times * 1e6), fitted(model, times * 0.1), rtol=1e-6)


def test_validation_weights_may_have_any_scale():
    y = Y > 0
    model = ensemble.HistGradientBoostingClassifier(max_iter=20)
    for factor in (1e-300, 1.7e308):
        model.fit(X, y, X_val=X, y_val=y, sample_weight_val=UNEQUAL * factor)
        assert np.isfinite(model.validation_score_).all()


def test_class_weights_may_have_any_scale():
    model = ensemble.HistGradientBoostingClassifier(max_iter=10)
    usual = fitted(model.set_params(class_weight={0: 0.5, 1: 1.5}), UNEQUAL)
    assert_allclose(fitted(model.set_params(class_weight={0: 5e307, 1: 15e307}), UNEQUAL * 1e308), usual, rtol=1e-6)


@pytest.mark.parametrize("model", [m for m in MODELS if "Regressor" in type(m).__name__], ids=str)
@pytest.mark.parametrize("scale", [2.0**-400, 2.0**-60, 2.0**60, 2.0**400])
def test_predictions_have_the_scale_of_the_target(model, scale):
    model = clone(model)
    if hasattr(model, "tol"):  # an absolute difference of losses
        model.set_params(tol=0.0)
    expected = model.fit(X, Y).predict(X)
    assert_allclose(model.fit(X, Y * scale).predict(X) / scale, expected, rtol=1e-9)


@pytest.mark.parametrize("model", [m for m in MODELS if "Regressor" in type(m).__name__], ids=str)
def test_targets_beyond_double_precision_are_refused(model):
    with pytest.raises(DataError, match=r"y is between -5.405e\+300 and 4.463e\+300: sums of its squ") as error:
        model.fit(X, Y * 1e300)
    assert "absolute values up to 1e+130" in str(error.value)
    assert "Divide y by a power of ten" in str(error.value)
    with pytest.raises(DataError, match="values at least 1e-130 apart"):
        model.fit(X, Y * 1e-300)


def test_a_constant_target_is_predicted_at_any_size():
    model = ensemble.HistGradientBoostingRegressor(max_iter=2)
    assert_allclose(model.fit(X, np.full(400, 1e-300)).predict(X), 1e-300)
