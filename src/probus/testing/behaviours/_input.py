"""What goes in: kinds taken or refused, containers, names and the order of columns."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any
from unittest import SkipTest

import numpy as np
from scipy import sparse
from sklearn.utils import get_tags

from probus.data import Column, Kind, Table, UnseenLevelWarning
from probus.testing._outputs import assert_agree, assert_equal_outputs, has_outputs, outputs
from probus.testing._specimen import Specimen, with_missing
from probus.testing.behaviours._behaviour import behaviour, refused

__all__: list[str] = []

_ODD_NAMES = ("größe", "列 1", "", " ", "a'b\"c", "__class__", "🙂", "1", "x0", "y", "Name, with; all\tof it")


def _with_column(specimen: Specimen, kind: Kind) -> Table:
    """The specimen's table with a column of that kind, called "added"."""
    table = specimen.table(missing=False)
    cells = [("low", "high")[i % 2] for i in range(len(table))]
    return table.with_columns(Column.labels("added", cells).as_kind(kind))


def _takes_or_refuses_kind(specimen: Specimen, kind: Kind) -> None:
    table = _with_column(specimen, kind)
    if specimen.accepts.nominal:
        outputs(specimen.fitted(table), table)
    else:
        refused(lambda: specimen.fitted(table), "'added'", str(kind), "probus.tabular")


@behaviour()
def binary_columns_are_taken_or_refused_by_name(specimen: Specimen) -> None:
    """A binary column of strings is used, or the message names it and contains a hint."""
    _takes_or_refuses_kind(specimen, Kind.BINARY)


@behaviour()
def nominal_columns_are_taken_or_refused_by_name(specimen: Specimen) -> None:
    """A nominal column is used, or the message names it and contains a hint."""
    _takes_or_refuses_kind(specimen, Kind.NOMINAL)


@behaviour()
def ordinal_columns_are_taken_or_refused_by_name(specimen: Specimen) -> None:
    """An ordinal column is used, or the message names it and contains a hint."""
    _takes_or_refuses_kind(specimen, Kind.ORDINAL)


@behaviour()
def text_columns_are_taken_or_refused_by_name(specimen: Specimen) -> None:
    """A column of text is used, or the message names it."""
    table = _with_column(specimen, Kind.TEXT)
    if specimen.accepts.text:
        outputs(specimen.fitted(table), table)
    else:
        refused(lambda: specimen.fitted(table), "'added'", "text", "probus.tabular")


@behaviour(lambda specimen: not specimen.accepts.nominal)
def string_columns_of_frames_are_refused_by_name(specimen: Specimen) -> None:
    """The message is the same for a frame as for a Table."""
    frame = _with_column(specimen, Kind.NOMINAL).to_polars()
    refused(lambda: specimen.fitted(frame), "'added'", "probus.tabular")


@behaviour(lambda specimen: not specimen.accepts.infinite)
def infinite_values_are_refused(specimen: Specimen) -> None:
    """Infinity is not a number to learn from or to predict for."""
    table = specimen.table()
    broken = table.with_columns(_with_value(table["width"], np.inf))
    refused(lambda: specimen.fitted(broken), "inf")
    model = specimen.fitted(table)
    if has_outputs(model):
        refused(lambda: outputs(model, broken), "inf")


@behaviour(lambda specimen: specimen.accepts.infinite)
def infinite_values_are_as_good_as_large_ones(specimen: Specimen) -> None:
    """Where infinity is taken it is a number larger than all others, in training and after."""
    table = specimen.table()
    infinite, large = (table.with_columns(_with_value(table["width"], value)) for value in (np.inf, 1e9))
    assert_equal_outputs(outputs(specimen.fitted(infinite), infinite), outputs(specimen.fitted(large), large))


@behaviour(lambda specimen: not specimen.accepts.nominal and not specimen.accepts.text)
def infinite_values_in_arrays_are_refused(specimen: Specimen) -> None:
    """The same for a bare array."""
    matrix = specimen.table(missing=False).numbers()
    matrix[3, 1] = -np.inf
    refused(lambda: specimen.fitted(matrix), "inf")


@behaviour(lambda specimen: not specimen.accepts.negative)
def negative_values_are_refused(specimen: Specimen) -> None:
    """A model for non-negative numbers refuses negative ones."""
    table = specimen.table()
    refused(lambda: specimen.fitted(table.with_columns(_with_value(table["width"], -1.0))), "negative")


def _with_value(column: Column, value: float) -> Column:
    values = column.values.copy()
    values[3] = value
    return Column.numbers(column.name, values)


@behaviour()
def columns_are_matched_by_name(specimen: Specimen) -> None:
    """The order of the columns of a Table, and columns that were not there before, change nothing."""
    table = specimen.table()
    model = specimen.fitted(table)
    more = Column.numbers("more", np.arange(len(table)))
    shuffled = Table([more, *reversed(tuple(table))])
    assert_equal_outputs(outputs(model, shuffled), outputs(model, table))


@behaviour(lambda specimen: has_outputs(specimen.model))
def a_missing_column_is_named(specimen: Specimen) -> None:
    """A Table without a column of the fit is refused, naming the column."""
    table = specimen.table()
    model = specimen.fitted(table)
    refused(lambda: outputs(model, table.drop("width")), "'width'")


@behaviour()
def odd_names_are_names_like_others(specimen: Specimen) -> None:
    """What a column is called changes nothing."""
    table = specimen.table()
    renamed = Table(column.renamed(name) for column, name in zip(table, _ODD_NAMES, strict=False))
    model = specimen.fitted(renamed)
    names = list(model.feature_names_in_)
    assert names == list(renamed.names), f"feature_names_in_ is {names}"
    assert_equal_outputs(outputs(model, renamed), outputs(specimen.fitted(table), table))


@behaviour(lambda specimen: specimen.accepts.nominal and has_outputs(specimen.model))
def unseen_levels_become_missing_with_one_warning(specimen: Specimen) -> None:
    """A level that was not in training counts as missing, with one warning."""
    table = specimen.table()
    model = specimen.fitted(table)
    colours = [
        None if gone else str(c) for c, gone in zip(table["colour"].decoded(), table["colour"].missing, strict=True)
    ]
    strange = table.with_columns(Column.labels("colour", ["ultraviolet", *colours[1:]]))
    absent = table.with_columns(with_missing(table["colour"], np.arange(len(table)) == 0))
    for method in outputs(model, table):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            if not specimen.accepts.missing:
                refused(partial(getattr(model, method), strange), "'colour'", "missing")
            else:
                getattr(model, method)(strange)
        unseen = [str(w.message) for w in caught if issubclass(w.category, UnseenLevelWarning)]
        assert len(unseen) == 1, f"{method}: {len(unseen)} warnings of unseen levels, not one"
        assert "'colour'" in unseen[0], f"the warning does not name the column: {unseen[0]}"
        assert "ultraviolet" in unseen[0], f"the warning does not name the level: {unseen[0]}"
    if specimen.accepts.missing:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnseenLevelWarning)
            assert_equal_outputs(outputs(model, strange), outputs(model, absent))


# -- containers ----------------------------------------------------------------------------------------


def _agrees_with_table(specimen: Specimen, table: Table, held: Any) -> None:
    y = specimen.target(len(table))
    assert_agree(outputs(specimen.fitted(held, y), held), outputs(specimen.fitted(table, y), table))


@behaviour()
def a_polars_frame_gives_the_results_of_a_table(specimen: Specimen) -> None:
    """The same data as a Table and as a polars frame give the same outputs."""
    table = specimen.table(text=False)
    _agrees_with_table(specimen, table, table.to_polars())


@behaviour()
def a_pandas_frame_gives_the_results_of_a_table(specimen: Specimen) -> None:
    """The same data as a Table and as a pandas frame give the same outputs."""
    try:
        import pandas  # noqa: F401
    except ImportError:
        raise SkipTest("pandas is not installed") from None
    table = specimen.table(text=False)
    _agrees_with_table(specimen, table, table.to_pandas())


@behaviour(lambda specimen: has_outputs(specimen.model))
def records_give_the_results_of_a_table(specimen: Specimen) -> None:
    """New rows as a list of dicts give the outputs of the same rows of a Table."""
    table = specimen.table(text=False)
    model, few = specimen.fitted(table), table.take(slice(0, 6))
    columns = few.to_dict()
    records = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    assert_agree(outputs(model, records), outputs(model, few))


@behaviour()
def an_array_gives_the_results_of_a_table(specimen: Specimen) -> None:
    """The same numbers as a Table and as an array give the same outputs."""
    table = specimen.table(text=False)
    numeric = table.select(*(column.name for column in table.of_kind(Kind.NUMERIC)))
    _agrees_with_table(specimen, numeric, numeric.numbers())
    _agrees_with_table(specimen, numeric, numeric.numbers().tolist())


@behaviour(lambda specimen: has_outputs(specimen.model))
def a_fit_on_an_array_predicts_a_table_or_a_frame(specimen: Specimen) -> None:
    """Columns with names go by position, with scikit-learn's warning, where the fit saw an array."""
    table = Table(specimen.table(text=False).of_kind(Kind.NUMERIC))
    matrix = table.numbers()
    model = specimen.fitted(matrix, specimen.target(len(matrix)))
    for named in (table, table.to_polars()):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = outputs(model, named)
        texts = [str(warning.message) for warning in caught]
        assert any("was fitted without feature names" in text for text in texts), f"no warning of names: {texts}"
        assert_agree(found, outputs(model, matrix))


@behaviour(lambda specimen: specimen.accepts.nominal and get_tags(specimen.model).input_tags.string)
def an_array_of_objects_gives_the_results_of_a_table(specimen: Specimen) -> None:
    """Strings in an array are levels."""
    table = specimen.table(text=False).drop("size")
    cells = np.empty(table.shape, dtype=object)
    for j, column in enumerate(table):
        cells[:, j] = column.decoded()
    _agrees_with_table(specimen, table, cells)


@behaviour(lambda specimen: specimen.accepts.sparse)
def a_sparse_matrix_gives_the_results_of_an_array(specimen: Specimen) -> None:
    """The same numbers, stored sparsely, give the same outputs."""
    matrix = Table(specimen.table().of_kind(Kind.NUMERIC)).numbers()
    rows = np.arange(len(matrix))
    matrix[rows, rows % matrix.shape[1]] = 0.0  # one zero a row: rows that are all zeros would be tied in distance
    y = specimen.target(len(matrix))
    stored = sparse.csr_array(matrix)
    assert_agree(outputs(specimen.fitted(stored, y), stored), outputs(specimen.fitted(matrix, y), matrix))


def _days(moments: np.ndarray) -> np.ndarray:
    return (moments - np.datetime64("1970-01-01")) / np.timedelta64(1, "D")


@behaviour()
def missing_dates_in_arrays_are_missing(specimen: Specimen) -> None:
    """NaT is a missing value, and no number: it is used as one, or refused."""
    rng = np.random.default_rng(0)
    days = (np.datetime64("2000-01-01") + rng.integers(0, 1000, (36, 3))).astype("datetime64[us]")
    days[3, 1] = "NaT"
    if specimen.accepts.missing:
        table = Table([Column.numbers(f"x{j}", column, dates=True) for j, column in enumerate(_days(days).T)])
        assert_agree(*(outputs(specimen.fitted(X, specimen.target(36)), X) for X in (days, table)))
    else:
        refused(lambda: specimen.fitted(days), "NaN")
