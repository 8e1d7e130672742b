import warnings
from datetime import date, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.svm import SVC
from sklearn.utils.validation import validate_data

import probus
from probus.base import (
    Accepts,
    Model,
    Transformer,
    accepts_of,
    checked_numbers,
    checked_weights,
    encoded_classes,
    matrix_input,
)
from probus.data import Column, Table
from probus.errors import DataError


class Numbers(Model):
    """Takes numbers only."""

    def fit(self, X, y=None):
        matrix_input(self, X, reset=True)
        return self


def test_a_table_is_matched_to_the_fit_by_name():
    model = Numbers().fit(Table.of({"a": [1.0, 2.5], "b": [3.0, 4.5]}))
    swapped = Table.of({"b": [3.0, 4.5], "a": [1.0, 2.5]})
    np.testing.assert_array_equal(matrix_input(model, swapped, reset=False), [[1.0, 3.0], [2.5, 4.5]])


ARRAYS = {
    "numbers": np.array([[1.0, 2.0], [3.0, 4.0]]),
    "integers": np.array([[1, 2], [3, 4]]),
    "bools": np.array([[True, False], [True, True]]),
    "single": np.ones((2, 3), np.float32),
    "columns first": np.asfortranarray([[1.0, 2.0], [3.0, 4.0]]),
    "big endian": np.array([[1.0, 2.0]], ">f8"),
    "sum overflows": np.full((2, 2), 1.7e308),
}


@pytest.mark.parametrize("X", ARRAYS.values(), ids=ARRAYS)
@pytest.mark.parametrize("order", [None, "C", "F"])
def test_the_quick_check_of_arrays_gives_what_the_validation_of_scikit_learn_gives(X, order):
    model, peer = Numbers().fit(pd.DataFrame({"a": [1.0]})), Numbers()
    ours = matrix_input(model, X, reset=True, order=order)
    theirs = validate_data(peer, X, dtype=np.float64, order=order)
    np.testing.assert_array_equal(ours, theirs)
    assert (ours.dtype, ours.flags.c_contiguous) == (np.float64, theirs.flags.c_contiguous)
    assert model.n_features_in_ == X.shape[1]
    assert not hasattr(model, "feature_names_in_")
    assert matrix_input(model, X, reset=False, order=order).flags.c_contiguous == theirs.flags.c_contiguous


@pytest.mark.parametrize("X", [np.empty((0, 2)), np.empty((2, 0)), np.ones(3), np.array([[1.0, np.nan]])])
def test_arrays_that_cannot_be_fitted_are_refused(X):
    model = Numbers().fit(pd.DataFrame({"a": [1.0]}))
    with pytest.raises(ValueError, match=r"Found array|Expected 2D array|contains NaN"):
        matrix_input(model, X, reset=True)


@pytest.mark.parametrize("frame", [pd.DataFrame, Table.of])
@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"sex": ["m", "f"]},
            r"Numbers does not accept columns that are not numeric: 'sex'(?s:.)*tabular\(Numbers\(\)\)",
        ),
        ({"age": [1.0, None]}, r"Numbers does not accept missing values \(NaN\): 'age' \(numeric\)"),
        ({"age": [1.0, np.inf]}, r"Numbers does not accept infinite values \(inf\): 'age'"),
    ],
)
def test_columns_that_a_model_does_not_accept_are_named_with_a_hint(frame, columns, message):
    with pytest.raises(DataError, match=message):
        Numbers().fit(frame(columns))


def test_a_declaration_becomes_tags():
    class Everything(Transformer):
        accepts = Accepts(nominal=True, missing=True, negative=False)

    tags = Everything().__sklearn_tags__().input_tags
    assert (tags.categorical, tags.allow_nan, tags.sparse, tags.positive_only) == (True, True, False, True)


def test_models_from_elsewhere_declare_by_their_tags():
    assert accepts_of(SVC()) == Accepts(sparse=True, scaled=True)
    assert accepts_of(HistGradientBoostingClassifier()) == Accepts(missing=True)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed"),
        (["a", None, "b"], "1 of 3 labels are missing"),
        ([0.0, np.nan, 1.0], "Input y contains NaN"),
        (Column.labels("t", ["a", None, "b"]), "target 't': 1 of 3 labels are missing"),
        (["a", "b"], "X has 3 rows and y has 2"),
        ([0.5, 1.2, 3.4], "Unknown label type"),
    ],
)
def test_bad_targets_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        encoded_classes(y, 3)


def test_a_column_serves_as_target():
    classes, codes = encoded_classes(Column.labels("t", ["no", "yes", "no"]), 3)
    assert classes.tolist() == ["no", "yes"]
    assert codes.tolist() == [0, 1, 0]


def test_weights_are_checked():
    assert checked_weights(None, [[1]]) is None
    with pytest.raises(ValueError, match="at least one non-zero"):
        checked_weights([0, 0], [[1], [2]])
    with pytest.raises(ValueError, match=r"[Nn]egative"):
        checked_weights([1, -1], [[1], [2]])
    assert checked_weights(2, np.ones((2, 1))).tolist() == [2.0, 2.0]
    with pytest.raises(DataError, match="NaN"):
        checked_weights(float("nan"), np.ones((2, 1)))


@pytest.mark.parametrize(
    "y", [["yes", "no", "no"], np.array(["yes", "no", "no"]), np.array(["yes", 1.0, "no"], object)]
)
def test_labels_are_no_numbers(y):
    with pytest.raises(DataError, match=r"values that are not numbers: 'yes', 'no'\.\n.*numbers\. Use a classifier"):
        checked_numbers(y, 3)
    assert checked_numbers(np.array(["1", "2", "3e1"], object), 3).tolist() == [1.0, 2.0, 30.0]


@pytest.mark.parametrize(
    "y",
    [
        pd.Series(pd.date_range("2024", periods=3)),
        pd.Series(pd.date_range("2024", periods=3, tz="UTC")),
        pl.Series([date(2024, 1, day) for day in (1, 2, 3)]),
        pl.Series([timedelta(days=day) for day in (1, 2, 3)]),
        np.array(["2024-01-01"] * 3, dtype="datetime64[D]"),
    ],
)
def test_dates_and_durations_as_target_are_refused_because_their_unit_would_be_a_guess(y):
    with pytest.raises(DataError, match=r"the target is a date or a duration(?s:.)*days since the first date"):
        checked_numbers(y, 3)


def test_a_target_that_no_array_can_hold_is_refused():
    wide = pl.Series([1, 2, 3], dtype=pl.Int128)
    with pytest.raises(DataError, match=r"the target cannot be read: .*i128(?s:.)*one value per row, numbers"):
        checked_numbers(wide, 3)
    with pytest.raises(DataError, match=r"the target cannot be read: .*i128(?s:.)*one value per row, labels"):
        encoded_classes(wide, 3)


def test_masked_values_of_an_array_are_missing():
    rows = np.ma.masked_values([[1.0], [-9999.0], [3.0]], -9999.0)
    with pytest.raises(DataError, match="NaN"):
        Numbers().fit(rows, ["a", "b", "a"])


@pytest.mark.parametrize("how", ["fit", "tabular", "resample", "tune"])
def test_strings_of_numbers_and_dates_are_named_where_dtypes_make_them_levels(how):
    price = np.random.default_rng(0).permutation(np.arange(1_000, 61_000, 1_000))
    days = pd.date_range("2024-01-01", periods=60)
    X = pd.DataFrame(
        {"price": [f"{each:,}" for each in price], "day": days.astype(str), "code": [f"{i:03}" for i in range(60)]}
    )
    y, tree = price * 2.0, probus.tree.DecisionTreeRegressor(random_state=0)

    def run(X):
        if how in ("fit", "tabular"):
            return (tree if how == "fit" else probus.tabular(tree)).fit(X, y).score(X, y)
        return probus.resample(tree, X, y) if how == "resample" else probus.tune(tree, X, y, evaluations=2)

    with pytest.warns(
        UserWarning, match=r"'price' \(numbers, '1,000'\), 'day' \(dates, '2024-01-01'\)\. Pass probus.Table\(X\)"
    ):
        run(X)
    with warnings.catch_warnings():
        warnings.filterwarnings("error", "strings that are numbers")
        run(Table(X))
        run(X.astype("category"))
