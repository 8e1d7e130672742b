"""Columns the user calls nominal: by index, mask or name, from arrays or frames, they give one model."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from probus.data import Table
from probus.ensemble import GradientBoostingClassifier, HistGradientBoostingClassifier, HistGradientBoostingRegressor
from probus.ensemble.boosting._categorical_features import nominal_columns
from probus.errors import DataError


@pytest.fixture(scope="module")
def levels():
    """A column of numbers and one of codes of twelve levels, and classes that hang on both."""
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.normal(size=900), rng.integers(0, 12, 900)])
    return X, ((X[:, 1] % 3 == 0) & (X[:, 0] > -0.5)).astype(int)


def frames(X):
    """The same as frames whose second column is categorical."""
    import pandas as pd
    import polars as pl

    names = [f"level {int(code):02}" for code in X[:, 1]]
    yield pd.DataFrame({"number": X[:, 0], "level": pd.Categorical(names)})
    yield pl.DataFrame({"number": X[:, 0], "level": pl.Series(names, dtype=pl.Categorical)})
    yield Table.of({"number": X[:, 0], "level": names}, infer=False)


@pytest.mark.parametrize("model", [HistGradientBoostingClassifier(max_iter=10), GradientBoostingClassifier()])
def test_frames_with_categories_are_arrays_whose_columns_are_named(levels, model):
    X, y = levels
    expected = model.set_params(categorical_features=[1]).fit(X, y).predict_proba(X)
    assert (model.set_params(categorical_features=[False, True]).fit(X, y).predict_proba(X) == expected).all()
    model.set_params(categorical_features="from_dtype")
    for frame in frames(X):
        assert (model.fit(frame, y).predict_proba(frame) == expected).all()


def test_columns_of_numbers_may_be_named_nominal(levels):
    X, y = levels
    table = Table.of({"number": X[:, 0], "level": X[:, 1]}, infer=False)
    model = HistGradientBoostingClassifier(max_iter=10, categorical_features=[1])
    expected = model.fit(X, y).predict_proba(X)
    for named in (table, table.to_pandas()):
        model.set_params(categorical_features=["level"]).fit(named, y)
        assert (model.predict_proba(named) == expected).all()
        assert model.is_categorical_.tolist() == [False, True]


def test_the_order_of_categories_does_not_matter(levels):
    import pandas as pd

    X, y = levels
    named = np.array(list("abcdefghijkl"))[X[:, 1].astype(int)]
    orders = [sorted(set(named)), list(dict.fromkeys(named)), sorted(set(named), reverse=True)]
    given = [pd.DataFrame({"x": X[:, 0], "c": pd.Categorical(named, order)}) for order in orders]
    model = HistGradientBoostingClassifier(max_iter=10)
    first, *others = [model.fit(frame, y).predict_proba(frame) for frame in given]
    for other in others:
        assert (other == first).all()


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ([b"a", b"b"], "must be an array-like of bool, int or str, got: bytes8"),
        ([0.5], "must be an array-like of bool, int or str, got: float64"),
        (np.array([b"a", 1.5, "b"], object), "must be an array-like of bool, int or str, got: bytes, float, str"),
        ([0, -1], r"set as integer indices must be in \[0, n_features - 1\], got: -1.\n  Expected 0 to 1"),
        ([2], r"set as integer indices must be in \[0, n_features - 1\], got: 2"),
        ([True] * 3, r"set as a boolean mask must have shape \(n_features,\), got: \(3,\).\n  Expected 2 marks"),
        (["level"], "array of integers or as a boolean mask when the model is fitted on data without feature names"),
    ],
)
def test_what_names_no_column_is_told(levels, chosen, told):
    for model in (HistGradientBoostingRegressor, GradientBoostingClassifier):
        with pytest.raises(DataError, match=f"categorical_features.*{told}"):
            model(categorical_features=chosen).fit(*levels)


def test_names_that_no_column_has_are_told(levels):
    X, y = levels
    for frame in frames(X):
        with pytest.raises(DataError, match=r"item value 'other' which is not a valid feature name of the training"):
            HistGradientBoostingRegressor(categorical_features=["level", "other"]).fit(frame, y)


def test_indices_come_from_whatever_has_columns():
    assert nominal_columns([True, False], [[1, 2], [3, 4]]).tolist() == [0]
    assert nominal_columns([1], csr_array(np.eye(2))).tolist() == [1]
    assert nominal_columns(np.array(["b", "a"], object), {"a": [1], "b": [2]}).tolist() == [1, 0]
    assert nominal_columns(None, np.eye(2)) is None
    assert nominal_columns("from_dtype", np.eye(2)) == "from_dtype"


def test_fewer_bins_than_levels_are_refused_unless_max_bins_is_the_usual():
    X, y = np.arange(300.0)[:, None], np.arange(300.0)
    with pytest.raises(DataError, match=r"feature at index 0 is expected to have a cardinality <= 16 .* of 300"):
        HistGradientBoostingRegressor(categorical_features=[0], max_bins=16).fit(X, y)
    with pytest.raises(DataError, match="feature 'level' is expected to have a cardinality <= 16"):
        HistGradientBoostingRegressor(categorical_features=[0], max_bins=16).fit({"level": X[:, 0]}, y)
    HistGradientBoostingRegressor(categorical_features=[0], max_iter=1).fit(X, y)
