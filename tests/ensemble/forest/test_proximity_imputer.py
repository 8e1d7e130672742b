from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probus.data import Column, Kind, Table
from probus.datasets import airquality, iris, penguins
from probus.ensemble import ProximityImputer, RandomForestClassifier
from probus.errors import DataError, ModelFileError
from probus.preprocessing import DroppedColumnWarning, TypedImputer
from probus.tree.prediction._walk import leaves_of


def with_holes(table, share, seed):
    """The table with that share of each column gone."""
    rng = np.random.default_rng(seed)

    def holed(column):
        nothing = np.nan if column.kind is Kind.NUMERIC else -1
        return replace(
            column, values=np.where(rng.random(len(column)) < share, nothing, column.values).astype(column.values.dtype)
        )

    return Table(holed(column) for column in table)


def complete(table):
    return table.take(~np.logical_or.reduce([column.missing for column in table]))


def error(truth, holed, filled):
    """Errors at the holes, averaged over columns: in standard deviations, or the share of wrong levels."""
    errors = []
    for column in truth:
        gone = holed[column.name].missing
        missed = filled[column.name].values[gone] - column.values[gone]
        numeric = column.kind is Kind.NUMERIC
        errors.append(np.sqrt(np.mean(missed**2)) / column.values.std() if numeric else np.mean(missed != 0))
    return np.mean(errors)


# -- properties ------------------------------------------------------------------------------------------


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 1000), st.sampled_from(["iris", "penguins", "airquality"]))
def test_holes_are_filled_better_than_by_median_and_mode(seed, name):
    truth = {
        "iris": lambda: iris().drop("species"),
        "penguins": lambda: penguins().drop("species", "year"),
        "airquality": lambda: airquality().drop("day"),
    }[name]()
    truth = complete(truth)
    holed = with_holes(truth, 0.15, seed)
    ours = ProximityImputer(20, n_iter=2, random_state=0).fit_transform(holed)
    assert error(truth, holed, ours) < 0.95 * error(truth, holed, TypedImputer("median").fit_transform(holed))


def test_values_that_are_there_pass_and_none_is_missing():
    birds = penguins()
    filled = ProximityImputer(10, n_iter=2, random_state=0).fit_transform(birds.drop("species"), birds["species"])
    for column in filled:
        before = birds[column.name]
        assert not column.missing.any()
        assert (column.kind, column.levels) == (before.kind, before.levels)
        np.testing.assert_array_equal(column.values[~before.missing], before.values[~before.missing])


def test_rows_of_the_fit_fare_the_same_whenever_and_with_whom_they_come():
    holed = with_holes(iris(), 0.2, 1)
    imputer = ProximityImputer(10, n_iter=3, random_state=0)
    together = imputer.fit_transform(holed)
    rows = [7, 3, 140]
    for name in holed.names:
        np.testing.assert_array_equal(imputer.transform(holed)[name].values, together[name].values)
        np.testing.assert_array_equal(imputer.transform(holed.take(rows))[name].values, together[name].values[rows])


def test_the_same_values_come_for_any_number_of_threads():
    holed = with_holes(iris().drop("species"), 0.2, 2)
    one, two = (ProximityImputer(10, n_iter=2, random_state=0, n_jobs=n).fit_transform(holed).numbers() for n in (1, 2))
    assert one.tobytes() == two.tobytes()


# -- against explicit loops ----------------------------------------------------------------------------


def by_loops(table, forests):
    """What randomForest::rfImpute does, with the proximities of all trees: fill, weigh by proximity, again."""
    fills = TypedImputer("median").fit_transform(table)
    for forest in forests:
        leaves = leaves_of(forest, np.column_stack([column.values for column in fills]).astype(float))
        P = (leaves[:, None] == leaves).mean(axis=2)
        columns = []
        for column in table:
            known, values = ~column.missing, fills[column.name].values.copy()
            for i in np.flatnonzero(~known):
                near = P[i, known]
                if near.sum() == 0:
                    continue
                if column.kind is Kind.NUMERIC:
                    values[i] = near @ column.values[known] / near.sum()
                else:
                    values[i] = np.bincount(column.values[known], near).round(9).argmax()
            columns.append(replace(column, values=values))
        fills = Table(columns)
    return fills


def test_filling_is_rf_impute():
    birds = penguins()
    X = with_holes(birds.drop("species"), 0.15, 3)
    imputer = ProximityImputer(20, n_iter=3, random_state=4)
    for y in (birds["species"], birds["year"], None):
        filled, expected = imputer.fit_transform(X, y), by_loops(X, imputer.forests_)
        for column in filled:
            np.testing.assert_allclose(column.values, expected[column.name].values, err_msg=column.name)


def test_with_a_target_forests_predict_it_from_the_filled_rows():
    birds = penguins()
    X, y = with_holes(birds.drop("species"), 0.15, 3), birds["species"]
    imputer = ProximityImputer(10, n_iter=1, random_state=4).fit(X, y)
    seed = np.random.RandomState(4).randint(2**31 - 1)
    forest = RandomForestClassifier(10, min_samples_leaf=5, random_state=int(seed))
    forest.fit(TypedImputer("median").fit_transform(X), y)
    np.testing.assert_array_equal(imputer.forests_[0].threshold, forest.trees_.threshold)
    np.testing.assert_array_equal(imputer.forests_[0].value, forest.trees_.value)


def test_numbers_as_target_and_no_target_work_too():
    days = airquality()
    X = with_holes(days.drop("temperature", "day"), 0.1, 0)
    for y in (days["temperature"], None):
        filled = ProximityImputer(15, n_iter=2, random_state=0).fit_transform(X, y)
        assert not any(column.missing.any() for column in filled)


# -- examples --------------------------------------------------------------------------------------------


def test_new_rows_are_filled_from_training_rows_without_y():
    flowers = iris()
    imputer = ProximityImputer(50, random_state=0).fit(flowers.drop("species"), flowers["species"])
    gap = Table.of({"sepal_length": [5.0, 6.5], "sepal_width": [3.4, 3.0], "petal_length": [1.5, 5.5],
                    "petal_width": [np.nan, np.nan]})  # fmt: skip
    small, large = imputer.transform(gap)["petal_width"].values
    assert small < 0.4
    assert large > 1.7


def test_arrays_come_out_as_arrays_and_gaps_can_be_marked():
    X = with_holes(iris().drop("species"), 0.2, 5).numbers()
    filled = ProximityImputer(5, n_iter=1, indicators=True, random_state=0).fit_transform(X)
    assert filled.shape == (150, 8)
    np.testing.assert_array_equal(filled[:, 4:], np.isnan(X))


def test_text_passes_and_columns_of_nothing_are_left_out():
    table = Table(
        [
            Column.numbers("age", [1.0, np.nan, 3.0, 4.0]),
            Column.text("note", ["so", None, "it", "goes"]),
            Column.numbers("void", [np.nan] * 4),
        ]
    )
    with pytest.warns(DroppedColumnWarning, match="all values are missing: 'void'"):
        filled = ProximityImputer(3, n_iter=1, random_state=0).fit_transform(table)
    assert filled.names == ("age", "note")
    assert not filled["age"].missing.any()
    assert filled["note"].missing.tolist() == [False, True, False, False]


def test_a_level_that_nobody_has_does_not_shift_the_others():
    colour = Column("colour", Kind.NOMINAL, np.array([1, 2, -1, 1, 2, 1], np.int32), ("blue", "green", "red"))
    size = Column.numbers("size", [1.0, 9.0, 1.1, 1.2, 9.1, 0.9])
    imputer = ProximityImputer(30, n_iter=2, min_samples_leaf=1, random_state=0).fit(
        Table([colour, size]), list("aababa")
    )
    assert imputer.transform(Table([colour, size]))["colour"].decoded()[2] == "green"


@pytest.mark.parametrize("parameter", ["n_estimators", "n_iter", "min_samples_leaf"])
def test_counts_below_one_are_an_error(parameter):
    with pytest.raises(DataError, match=rf"'{parameter}' parameter .* must be an int in the range \[1, inf\)\. Got 0"):
        ProximityImputer(**{parameter: 0}).fit([[1.0], [np.nan]])


def test_a_table_of_text_is_an_error():
    with pytest.raises(DataError, match="every column is text"):
        ProximityImputer().fit(Table([Column.text("note", ["a b", "c d"])]))


def test_donors_that_do_not_match_the_schema_are_refused():
    imputer = ProximityImputer(3, n_iter=1, random_state=0).fit(penguins())
    assert leaves_of(imputer.forests_[0], imputer._roughly(imputer.donors_)).tolist() == imputer.leaves_[0].tolist()
    good = imputer.donors_[0, 0]
    for code in (0.5, -1.0, 99.0):
        imputer.donors_[0, 0] = code
        with pytest.raises(ModelFileError, match="donors do not match"):
            imputer.check_fitted_state()
    imputer.donors_[0, 0] = good
    imputer.leaves_[0][0, 0] = 10**6
    with pytest.raises(ModelFileError, match="leaves that do not exist"):
        imputer.check_fitted_state()
