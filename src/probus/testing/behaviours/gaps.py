"""Missing values: taken wherever they are, or refused with the way out."""

from __future__ import annotations

import numpy as np

from probus.data import Table
from probus.testing.answers import Answers, answers, assert_answers_every_row
from probus.testing.behaviours.behaviour import behaviour, refused
from probus.testing.specimen import Specimen, with_gaps

__all__: list[str] = []


def _takes_gaps(specimen: Specimen) -> bool:
    return specimen.accepts.missing


def _assert_sound(specimen: Specimen, said: Answers, n: int) -> None:
    """One answer for every row, and none of them nonsense."""
    assert_answers_every_row(said, n)
    if "predict_proba" in said:
        np.testing.assert_allclose(np.sum(said["predict_proba"], axis=0), 1.0, rtol=1e-9)
    if specimen.is_regressor:
        assert np.isfinite(said["predict"]).all(), "predictions that are not numbers"


@behaviour(lambda specimen: not specimen.accepts.missing)
def missing_values_are_refused_by_name(specimen: Specimen) -> None:
    """The refusal names the column and the way out, in fit and after."""
    table = specimen.table()
    gappy = table.with_columns(with_gaps(table["width"], np.arange(len(table)) % 9 == 0))
    refused(lambda: specimen.fitted(gappy), "'width'", "missing", "probus.tabular")
    refused(lambda: specimen.fitted(gappy.to_polars()), "'width'", "missing", "probus.tabular")
    model = specimen.fitted(table)
    refused(lambda: answers(model, gappy), "'width'", "missing")


@behaviour(_takes_gaps)
def values_may_be_missing_everywhere(specimen: Specimen) -> None:
    """A third of every column, and the whole of a row, may be missing in training and after."""
    table = specimen.table(gaps=False)
    rng = np.random.default_rng(2)
    gappy = Table(with_gaps(column, (rng.random(len(table)) < 0.3) | (np.arange(len(table)) == 5)) for column in table)
    _assert_sound(specimen, answers(specimen.fitted(gappy), gappy), len(gappy))


@behaviour(_takes_gaps)
def gaps_may_appear_after_training(specimen: Specimen) -> None:
    """A model trained on whole rows takes rows with gaps, and rows that are nothing but gaps."""
    table = specimen.table(gaps=False)
    model = specimen.fitted(table)
    gappy = specimen.table(gaps=True)
    empty = Table(with_gaps(column, np.ones(len(table), bool)) for column in table)
    _assert_sound(specimen, answers(model, gappy), len(gappy))
    _assert_sound(specimen, answers(model, empty), len(empty))


@behaviour(_takes_gaps)
def a_column_may_be_missing_throughout(specimen: Specimen) -> None:
    """A column without a single value is no reason to fail."""
    table = specimen.table()
    hollow = table.with_columns(*(with_gaps(table[name], np.ones(len(table), bool)) for name in table.names[1::2]))
    _assert_sound(specimen, answers(specimen.fitted(hollow), hollow), len(hollow))
    _assert_sound(specimen, answers(specimen.fitted(hollow), table), len(table))
