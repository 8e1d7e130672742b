"""Missing values: accepted everywhere, or refused with a hint."""

from __future__ import annotations

import numpy as np

from probus.data import Table
from probus.testing._outputs import Outputs, assert_output_for_every_row, has_outputs, outputs
from probus.testing._specimen import Specimen, with_missing
from probus.testing.behaviours._behaviour import behaviour, refused

__all__: list[str] = []


def _takes_missing(specimen: Specimen) -> bool:
    return specimen.accepts.missing


def _assert_sound(specimen: Specimen, found: Outputs, n: int) -> None:
    """One output for every row, and probabilities that sum to one."""
    assert_output_for_every_row(found, n)
    if "predict_proba" in found:
        np.testing.assert_allclose(np.sum(found["predict_proba"], axis=0), 1.0, rtol=1e-9)
    if specimen.is_regressor:
        assert np.isfinite(found["predict"]).all(), "predictions that are not numbers"


@behaviour(lambda specimen: not specimen.accepts.missing)
def missing_values_are_refused_by_name(specimen: Specimen) -> None:
    """The message names the column and contains a hint, in fit and predict."""
    table = specimen.table()
    incomplete = table.with_columns(with_missing(table["width"], np.arange(len(table)) % 9 == 0))
    refused(lambda: specimen.fitted(incomplete), "'width'", "missing", "probus.tabular")
    refused(lambda: specimen.fitted(incomplete.to_polars()), "'width'", "missing", "probus.tabular")
    model = specimen.fitted(table)
    if has_outputs(model):
        refused(lambda: outputs(model, incomplete), "'width'", "missing")


@behaviour(_takes_missing)
def values_may_be_missing_everywhere(specimen: Specimen) -> None:
    """A third of every column, and the whole of a row, may be missing in fit and predict."""
    table = specimen.table(missing=False)
    rng = np.random.default_rng(2)
    incomplete = Table(
        with_missing(column, (rng.random(len(table)) < 0.3) | (np.arange(len(table)) == 5)) for column in table
    )
    _assert_sound(specimen, outputs(specimen.fitted(incomplete), incomplete), len(incomplete))


@behaviour(_takes_missing)
def missing_values_may_appear_after_training(specimen: Specimen) -> None:
    """A model trained on complete rows takes rows with missing values, and rows of nothing else."""
    table = specimen.table(missing=False)
    model = specimen.fitted(table)
    incomplete = specimen.table(missing=True)
    empty = Table(with_missing(column, np.ones(len(table), bool)) for column in table)
    _assert_sound(specimen, outputs(model, incomplete), len(incomplete))
    _assert_sound(specimen, outputs(model, empty), len(empty))


@behaviour(_takes_missing)
def a_column_may_be_missing_throughout(specimen: Specimen) -> None:
    """A column without a single value is no reason to fail."""
    table = specimen.table()
    partly_empty = table.with_columns(
        *(with_missing(table[name], np.ones(len(table), bool)) for name in table.names[1::2])
    )
    _assert_sound(specimen, outputs(specimen.fitted(partly_empty), partly_empty), len(partly_empty))
    _assert_sound(specimen, outputs(specimen.fitted(partly_empty), table), len(table))
