"""Input that is rare but possible: lazy frames, unpaired surrogates, numbers beyond float, constant targets."""

import numpy as np
import polars as pl
import pytest
from sklearn.model_selection import KFold

import probus
from probus.data._hashing import content_of
from probus.ensemble import BaggingRegressor, RandomForestRegressor
from probus.errors import DataError
from probus.kernel_ridge import KernelRidge
from probus.linear_model import (
    ElasticNetCV,
    GammaRegressor,
    Lasso,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
)
from probus.model_selection import learning_curve
from probus.naive_bayes import CategoricalNB
from probus.neighbors import KNeighborsRegressor
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor

RNG = np.random.default_rng(0)
FRAME = pl.DataFrame({"a": RNG.normal(size=40), "b": RNG.normal(size=40)})
Y = FRAME["a"].to_numpy() + 0.1 * RNG.normal(size=40)


@pytest.mark.parametrize(
    "model",
    [
        LinearRegression(), DecisionTreeRegressor(), KNeighborsRegressor(), probus.tabular(LinearRegression()),
        BaggingRegressor(n_estimators=2, random_state=0), RandomForestRegressor(n_estimators=2, random_state=0),
    ],
)  # fmt: skip
def test_a_lazy_frame_is_collected(model):
    eager = model.fit(FRAME, Y).predict(FRAME)
    lazy = model.fit(FRAME.lazy(), Y).predict(FRAME.lazy())
    np.testing.assert_array_equal(lazy, eager)


def test_a_lazy_frame_has_a_learning_curve():
    lazy, eager = (learning_curve(DecisionTreeRegressor(random_state=0), X, Y) for X in (FRAME.lazy(), FRAME))
    assert repr(lazy) == repr(eager)


def test_unpaired_surrogates_are_letters_like_others():
    cells = np.array([["a\ud800"], ["b"], ["a\ud800"]], dtype=object)
    found = content_of(probus.Table.of({"s": ["a\ud800", "b", "a\ud800"]}))
    assert found[0] == found[2] != found[1]
    assert content_of(cells)[0] == content_of(cells)[2]
    table = probus.Table.of({"s\ud800": ["a\ud800", "b"] * 20, "n": FRAME["a"].to_list()})
    assert DecisionTreeClassifier().fit(table, ["a\ud800", "b"] * 20).predict(table).tolist() == ["a\ud800", "b"] * 20
    probus.examine(table)
    probus.tune(DecisionTreeClassifier(), FRAME, ["a\ud800", "b"] * 20, evaluations=2, progress=None)


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (lambda: LinearRegression().fit(FRAME, [10**400, *Y[1:]]), "y holds a number of 401 digits"),
        (lambda: LinearRegression().fit(FRAME, np.array([[10**400]] * 40, dtype=object)), "y holds a number of 401"),
        (lambda: DecisionTreeClassifier().fit(FRAME, [10**400] + [1] * 39), "y holds a number of 401 digits"),
        (lambda: LinearRegression().fit(FRAME, Y, sample_weight=[10**400] + [1] * 39), "sample_weight holds a number"),
        (lambda: Ridge(alpha=10**400).fit(FRAME, Y), "The 'alpha' parameter of Ridge has 401 digits"),
        (lambda: Lasso(alpha=10**400).fit(FRAME, Y), "The 'alpha' parameter of Lasso has 401 digits"),
    ],
)
def test_whole_numbers_beyond_float_are_refused(action, text):
    with pytest.raises(DataError, match=rf"{text}(?s:.)*below 1.8e308"):
        action()


@pytest.mark.parametrize("model", [PoissonRegressor, GammaRegressor])
@pytest.mark.parametrize("value", [1.0, 3.0])
def test_a_constant_target_is_predicted_and_has_nothing_to_explain(model, value):
    fitted = model().fit(FRAME, np.full(40, value))
    np.testing.assert_allclose(fitted.predict(FRAME), value)
    assert "deviance explained 0" in str(fitted.summary())


@pytest.mark.parametrize("model", [LassoCV, ElasticNetCV])
def test_folds_without_a_weight_are_named(model):
    weights = np.repeat([1.0, 0.0], [8, 32])
    with pytest.raises(DataError, match=r"all training rows of fold 1 of 5 have weight 0\.\n.*Drop the rows"):
        model().fit(FRAME, Y, sample_weight=weights)
    assert np.isfinite(
        model(cv=KFold(2, shuffle=True, random_state=0)).fit(FRAME, Y, sample_weight=weights).coef_
    ).all()


def test_numbers_that_are_no_codes_of_categories_are_refused_before_they_are_counted():
    with pytest.raises(DataError, match=r"the category 1000000000000 in column 1\.\n(?s:.)*OrdinalEncoder"):
        CategoricalNB().fit([[0, 1], [1, 10**12]], [0, 1])


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(
    "model", [LinearRegression, Ridge, Lasso, PoissonRegressor, GammaRegressor, KernelRidge, LogisticRegression]
)
def test_values_whose_squares_overflow_are_refused_without_warnings(model):
    with pytest.raises(DataError, match="whose squares are not finite"):
        model().fit(FRAME.to_numpy() * 1e155, np.arange(40) % 2 + 1.0)
