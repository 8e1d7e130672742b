"""Infinite values are the least and the largest of their column, and as good as any other."""

import numpy as np
import pytest

from probus import load, save
from probus.data import Table
from probus.ensemble import (
    BoostingRegressor,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from probus.ensemble.boosting._binning import bins_of
from probus.ensemble.boosting._node_arrays import N_CODES, SIZE
from probus.tree.preparation._design import Design


@pytest.fixture(scope="module")
def infinite():
    """Columns that hold infinities of both signs and gaps, and numbers that hang on which they are."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(800, 3))
    for value in (np.inf, -np.inf, np.nan):
        X[rng.random(X.shape) < 0.1] = value
    y = 3.0 * np.isposinf(X[:, 0]) - 2.0 * np.isneginf(X[:, 1]) + np.isnan(X[:, 2]) + (X[:, 2] > 0)
    return X, y


def large(X):
    """The same with numbers larger than the others for what is infinite."""
    return np.where(np.isinf(X), np.sign(X) * 1e6, X)


@pytest.mark.parametrize("n_classes", [0, 2, 3])
def test_infinities_are_as_good_as_large_numbers(infinite, n_classes):
    X, y = infinite
    if n_classes:
        model, y = HistGradientBoostingClassifier(max_iter=20), np.digitize(y, [0.5, 2.5][: n_classes - 1])
    else:
        model = HistGradientBoostingRegressor(max_iter=20)
    expected = model.fit(large(X), y).predict(large(X))
    model.fit(X, y)
    assert (model.predict(X) == expected).all()
    assert (list(model.staged_predict(X))[-1] == expected).all()
    assert (np.concatenate([model.predict(X[i : i + 10]) for i in range(0, 800, 10)]) == expected).all()
    assert model.score(X, y) > 0.95


def test_shap_values_of_infinities_are_those_of_large_numbers(infinite):
    X, y = infinite
    model = HistGradientBoostingRegressor(max_iter=10)
    expected = model.fit(large(X), y).shap_values(large(X[:50])).values
    assert (model.fit(X, y).shap_values(X[:50]).values == expected).all()


def test_models_of_infinities_are_saved(infinite, tmp_path):
    X, y = infinite
    model = HistGradientBoostingRegressor(max_iter=10).fit(X, y)
    save(model, tmp_path / "model.probus")
    assert (load(tmp_path / "model.probus").predict(X) == model.predict(X)).all()


def test_tables_may_hold_infinities(infinite):
    X, y = infinite
    table = Table.of({name: X[:, j] for j, name in enumerate("abc")}, infer=False)
    model = HistGradientBoostingRegressor(max_iter=10)
    expected = model.fit(X, y).predict(X)
    assert (model.fit(table, y).predict(table) == expected).all()
    assert BoostingRegressor(n_estimators=20).fit(table, y).predict(table).shape == y.shape


def test_finite_values_stay_on_their_side():
    X = np.array([[-np.inf], [-1.0], [1.0], [np.inf]]).repeat(5, axis=0)
    model = HistGradientBoostingRegressor(min_samples_leaf=1, learning_rate=1.0, max_iter=1)
    low, *middle, high = model.fit(X, np.repeat([-9.0, 0.0, 0.0, 9.0], 5)).predict(
        [[-np.inf], [-1e300], [-5.0], [5.0], [1e300], [np.inf]]
    )
    assert np.allclose([low, high], [-9, 9])
    assert np.allclose(middle, 0.0)


def test_infinities_of_both_signs_are_not_taken_for_a_gap():
    bins = bins_of(Design(np.array([[-np.inf], [0.0], [np.inf]]), np.zeros(1, np.int64)))
    assert bins.about[0, SIZE] == bins.about[0, N_CODES] == 3


def test_the_classical_models_refuse_infinities_as_scikit_learn_does():
    with pytest.raises(ValueError, match="infinity"):
        GradientBoostingRegressor().fit([[1.0], [np.inf]], [1.0, 2.0])
