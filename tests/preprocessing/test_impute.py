import numpy as np
import pytest

from probus.data import Column, Kind, Table
from probus.errors import DataError, ModelFileError
from probus.preprocessing import DroppedColumnWarning, TypedImputer


def test_values_that_are_there_pass_unchanged(mixed):
    filled = TypedImputer().fit_transform(mixed)
    for before, after in zip(mixed, filled, strict=True):
        assert not after.missing.any()
        assert after.kind is before.kind
        np.testing.assert_array_equal(after.values[~before.missing], before.values[~before.missing])


def test_fills_come_from_the_training_rows_only(mixed):
    training, new = mixed.take(slice(0, 40)), mixed.take(slice(40, 60))
    shifted = new.with_columns(Column.numbers("age", new["age"].values + 1000))
    gone = new["age"].missing
    assert gone.any()
    fills = TypedImputer().fit(training).transform(shifted)["age"].values[gone]
    np.testing.assert_allclose(fills, np.nanmean(training["age"].values))


@pytest.mark.parametrize(("numeric", "expected"), [("mean", 4.0), ("median", 2.0)])
def test_numbers_are_filled_by_mean_or_median(numeric, expected):
    filled = TypedImputer(numeric).fit_transform([[1.0], [2.0], [9.0], [np.nan]])
    assert filled[3, 0] == expected


def test_levels_are_filled_by_the_most_frequent_and_of_equals_the_first():
    table = Table([Column.labels("a", ["x", "y", "y", None]), Column.labels("b", ["y", "x", None, None])])
    assert TypedImputer().fit_transform(table).to_dict() == {"a": ["x", "y", "y", "y"], "b": ["y", "x", "x", "x"]}


def test_missing_can_be_a_level_of_its_own_but_not_among_ordered_ones(mixed):
    filled = TypedImputer(levels="missing").fit_transform(mixed)
    assert filled["colour"].levels[-1] == "missing"
    assert filled["sex"].kind is Kind.NOMINAL
    assert filled["size"].kind is Kind.ORDINAL
    assert filled["size"].levels == ("S", "M", "L")
    np.testing.assert_array_equal(filled["colour"].decoded() == "missing", mixed["colour"].missing)


def test_a_level_of_its_own_needs_missing_values_in_training():
    imputer = TypedImputer(levels="missing").fit(Table([Column.labels("a", ["x", "y", "y"])]))
    assert imputer.transform(Table([Column.labels("a", ["x", None])])).to_dict() == {"a": ["x", "y"]}


def test_a_level_called_missing_is_used_as_it_is():
    filled = TypedImputer(levels="missing").fit_transform(Table([Column.labels("a", ["x", "missing", "y", None])]))
    assert filled["a"].levels == ("missing", "x", "y")
    assert filled.to_dict() == {"a": ["x", "missing", "y", "missing"]}


def test_indicators_mark_missing_values_of_columns_that_lack_values_in_training(mixed):
    filled = TypedImputer(indicators=True).fit_transform(mixed)
    assert "height_missing" not in filled
    for name in ("age", "sex", "smoker", "colour", "size"):
        np.testing.assert_array_equal(filled[f"{name}_missing"].values, mixed[name].missing)
        assert filled[f"{name}_missing"].kind is Kind.BINARY


@pytest.mark.parametrize("labels", [True, False], ids=["classes", "numbers"])
def test_auto_marks_only_missingness_that_depends_on_the_target(labels):
    rng = np.random.default_rng(2)
    y = rng.normal(size=400)
    telling, random = rng.normal(size=(2, 400))
    telling[(y > 0) & (rng.random(400) < 0.5)] = np.nan
    random[rng.random(400) < 0.2] = np.nan
    imputer = TypedImputer(indicators="auto").fit(np.column_stack([telling, random]), y > 0 if labels else y)
    assert imputer.get_feature_names_out().tolist() == ["x0", "x1", "x0_missing"]


def test_a_column_of_nothing_is_left_out_with_a_warning():
    table = Table([Column.numbers("age", [1.0, np.nan]), Column.numbers("void", [np.nan, np.nan])])
    with pytest.warns(DroppedColumnWarning, match="all values are missing: 'void'"):
        imputer = TypedImputer(indicators=True).fit(table)
    filled = imputer.transform(Table([Column.numbers("void", [5.0]), Column.numbers("age", [np.nan])]))
    assert filled.to_dict() == {"age": [1.0], "age_missing": [1]}


def test_a_table_of_nothing_is_an_error():
    with pytest.warns(DroppedColumnWarning), pytest.raises(DataError, match="all values of all columns are missing"):
        TypedImputer().fit(np.full((3, 2), np.nan))


def test_missing_values_in_a_column_that_had_none_are_imputed():
    imputer = TypedImputer(indicators=True).fit([[1.0, 5.0], [3.0, np.nan]])
    assert imputer.transform([[np.nan, 5.0]]).tolist() == [[2.0, 5.0, 0.0]]


def test_text_passes_as_it_is():
    table = Table([Column.numbers("age", [1.0, np.nan]), Column.text("note", ["so", None])])
    assert TypedImputer().fit_transform(table).to_dict() == {"age": [1.0, 1.0], "note": ["so", None]}


@pytest.mark.parametrize("parameter", ["numeric", "levels", "indicators"])
def test_an_unknown_choice_is_an_error(mixed, parameter):
    with pytest.raises(DataError, match=f"The '{parameter}' parameter of TypedImputer must be .* Got 'zero' instead."):
        TypedImputer(**{parameter: "zero"}).fit(mixed)


def test_a_fill_that_is_no_level_is_refused(mixed):
    imputer = TypedImputer().fit(mixed)
    imputer.fills_[2] = 7
    with pytest.raises(ModelFileError, match="'sex' has the fill value 7"):
        imputer.check_fitted_state()
