"""Weights of rows mean what repetition means."""

from __future__ import annotations

from functools import partial
from typing import Any
from unittest import SkipTest

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from probus.testing._outputs import Outputs, assert_agree, has_outputs, outputs
from probus.testing._specimen import Specimen
from probus.testing.behaviours._behaviour import behaviour, refused

__all__: list[str] = []


def _weighs(specimen: Specimen) -> bool:
    return specimen.accepts.weights


def _take(y: Any, rows: np.ndarray) -> Any:
    return None if y is None else y[rows]


def _must_not_draw(specimen: Specimen) -> None:
    if specimen.has("random_state"):
        raise SkipTest("it draws rows at random, and repetition changes the draw")


def _fit(specimen: Specimen, table: Any, y: Any, rows: np.ndarray, **fit_params: Any) -> Any:
    """A clone fitted to those rows; a row and its repetitions lie in one fold where it deals rows to folds itself."""
    dealt = [(np.flatnonzero(rows % 3 != fold), np.flatnonzero(rows % 3 == fold)) for fold in range(3)]
    folds = {"cv": dealt} if specimen.has("cv") else {}
    return specimen.fresh(**folds).fit(table.take(rows), _take(y, rows), **fit_params)


def _outputs(model: Any, table: Any, rows: np.ndarray) -> Outputs:
    """Those for the table, or the results of these training rows where the model has no method for new ones."""
    found = outputs(model, table)
    if has_outputs(model):
        return found
    return {name: [column[rows] for column in columns] for name, columns in found.items()}


@behaviour()
def weights_are_declared_where_fit_takes_them(specimen: Specimen) -> None:
    """``Accepts.weights`` and the signature of ``fit`` agree."""
    takes = has_fit_parameter(specimen.model, "sample_weight")
    declared = specimen.accepts.weights
    assert takes == declared, f"fit takes them: {takes}; Accepts declares: {declared}"


@behaviour(_weighs)
def weights_equal_repetition(specimen: Specimen) -> None:
    """A row of weight 3 is that row three times."""
    _must_not_draw(specimen)
    table = specimen.table()
    y = specimen.target(len(table))
    # by scikit-learn's definition, a row of weight 0 among many others still makes them a cluster
    least = 0 if has_outputs(specimen.model) else 1
    weights = np.random.default_rng(3).integers(least, 4, len(table))
    rows = np.repeat(np.arange(len(table)), weights)
    weighted = _fit(specimen, table, y, np.arange(len(table)), sample_weight=weights.astype(float))
    repeated = _fit(specimen, table, y, rows)
    assert_agree(_outputs(weighted, table, rows), outputs(repeated, table))


@behaviour(lambda specimen: _weighs(specimen) and has_outputs(specimen.model))
def a_weight_of_zero_is_absence(specimen: Specimen) -> None:
    """A row of weight 0 has no effect, for any values."""
    _must_not_draw(specimen)
    table = specimen.table()
    y = specimen.target(len(table))
    weights = (np.arange(len(table)) % 5 != 0).astype(float)
    rows = np.flatnonzero(weights)
    weighted = _fit(specimen, table, y, np.arange(len(table)), sample_weight=weights)
    without = _fit(specimen, table, y, rows)
    assert_agree(outputs(weighted, table), outputs(without, table))


@behaviour(_weighs)
def weights_of_one_are_no_weights(specimen: Specimen) -> None:
    """Weights of 1, as floats, as whole numbers, and None are the same."""
    table = specimen.table()
    expected = outputs(specimen.fitted(table), table)
    for weights in (np.ones(len(table)), np.ones(len(table), int), [1] * len(table), None):
        assert_agree(outputs(specimen.fitted(table, sample_weight=weights), table), expected)


@behaviour(_weighs)
def weights_that_make_no_sense_are_refused(specimen: Specimen) -> None:
    """Weights that are negative, all zero, missing, or too few."""
    table = specimen.table()
    n = len(table)
    nonsense = (np.full(n, -1.0), np.zeros(n), np.full(n, np.nan), np.ones(n - 1))
    for weights, word in zip(nonsense, ("negative", "zero", "nan", "sample_weight"), strict=True):
        refused(partial(specimen.fitted, table, sample_weight=weights), word)
