"""What is predicted: labels of any type are returned unchanged, and missing labels are refused."""

from __future__ import annotations

from functools import partial

import numpy as np

from probus.data import Column
from probus.testing._outputs import assert_equal_outputs, outputs
from probus.testing._specimen import Specimen, with_missing
from probus.testing.behaviours._behaviour import behaviour, refused

__all__: list[str] = []


def _predicts_classes(specimen: Specimen) -> bool:
    return specimen.is_classifier


def _needs_every_label(specimen: Specimen) -> bool:
    return specimen.is_classifier and not getattr(specimen.model, "partly_labelled", False)


def _predicts(specimen: Specimen) -> bool:
    return specimen.is_classifier or specimen.is_regressor


@behaviour(_needs_every_label)
def missing_labels_are_refused(specimen: Specimen) -> None:
    """A row without a label is refused, however its absence is written."""
    table = specimen.table()
    labels = list(specimen.target(len(table)))
    for missing in (None, np.nan):
        broken = np.array([missing, *labels[1:]], dtype=object)
        refused(partial(specimen.fitted, table, broken), "label")
    numbers = np.arange(len(table)) % 2 * 1.0
    numbers[0] = np.nan
    refused(lambda: specimen.fitted(table, numbers), "nan")
    column = with_missing(Column.labels("answer", [str(label) for label in labels]), np.arange(len(table)) == 0)
    refused(lambda: specimen.fitted(table, column), "'answer'", "missing")


@behaviour(lambda specimen: specimen.is_regressor)
def targets_that_are_not_numbers_are_refused(specimen: Specimen) -> None:
    """Missing and infinite targets are refused."""
    table = specimen.table()
    for value in (np.nan, np.inf):
        y = specimen.target(len(table))
        y[0] = value
        refused(partial(specimen.fitted, table, y), "y")


@behaviour(_predicts)
def the_target_must_be_as_long_as_the_table(specimen: Specimen) -> None:
    """One target per row."""
    table = specimen.table()
    y = specimen.target(len(table))
    refused(lambda: specimen.fitted(table, y[:-1]), str(len(table)), str(len(table) - 1))


@behaviour(_predicts_classes)
def labels_come_back_as_they_were_given(specimen: Specimen) -> None:
    """Strings, whole numbers, booleans and floats for labels: the predictions are of the same type."""
    table = specimen.table()
    codes = np.unique(specimen.target(len(table)), return_inverse=True)[1]
    expected = outputs(specimen.fitted(table), table)
    for labels in (np.array(["a", "b", "ü"]), np.array([3, 7, 9]), np.array(["p", "q", "r"], dtype=object)):
        model = specimen.fitted(table, labels[codes])
        assert model.classes_.dtype == labels.dtype, f"classes_ is of {model.classes_.dtype}, not {labels.dtype}"
        found = outputs(model, table)
        predicted = found["predict"][0]
        assert predicted.dtype.kind == labels.dtype.kind, f"predictions are of {predicted.dtype}, not {labels.dtype}"
        assert set(predicted) <= set(labels), "predictions that are no labels"
        assert_equal_outputs({**found, "predict": []}, {**expected, "predict": []})
    booleans = specimen.fitted(table, codes > 0).predict(table)
    assert booleans.dtype == bool, f"predictions are of {booleans.dtype}, not bool"


@behaviour(_predicts)
def a_column_gives_the_results_of_an_array(specimen: Specimen) -> None:
    """The target may be a Column, a list, or a series."""
    table = specimen.table()
    y = specimen.target(len(table))
    expected = outputs(specimen.fitted(table, y), table)
    column = Column.labels("y", y.tolist()) if specimen.is_classifier else Column.numbers("y", y)
    series = table.with_columns(column).to_polars()["y"]
    for held in (y.tolist(), column, series):
        assert_equal_outputs(outputs(specimen.fitted(table, held), table), expected)
