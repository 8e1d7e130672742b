"""Copies of models, and input that is not modified."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
from sklearn.base import clone

from probus.data import Table
from probus.testing._outputs import assert_equal_outputs, outputs, state_of
from probus.testing._specimen import Specimen
from probus.testing.behaviours._behaviour import behaviour

__all__: list[str] = []


@behaviour()
def a_clone_is_unfitted_with_equal_parameters(specimen: Specimen) -> None:
    """``clone`` copies parameters, not fitted state."""
    model = specimen.fitted()
    copy = clone(model)
    assert not state_of(copy), f"the clone is fitted: {sorted(state_of(copy))}"
    assert repr(copy) == repr(model), f"{copy!r} is not {model!r}"


@behaviour()
def a_pickled_model_predicts_the_same(specimen: Specimen) -> None:
    """Pickling, which process pools do, changes nothing."""
    table = specimen.table()
    model = specimen.fitted(table)
    assert_equal_outputs(outputs(pickle.loads(pickle.dumps(model)), table), outputs(model, table))


@behaviour()
def input_is_left_as_it_was(specimen: Specimen) -> None:
    """Neither fitting nor predicting modifies the data."""
    table = specimen.table()
    y = specimen.target(len(table))
    rows, labels = _frozen(table), repr(y)
    outputs(specimen.fitted(table, y), table)
    assert _frozen(table) == rows, "the table has changed"
    assert repr(y) == labels, "the target has changed"


@behaviour()
def a_model_keeps_its_own_copy(specimen: Specimen) -> None:
    """Later changes to the training data do not change the model."""
    table = specimen.table()
    mine = Table(column.take(np.arange(len(table))) for column in table)
    model = specimen.fitted(mine)
    expected = outputs(model, table)
    for column in mine:
        column.values[:] = column.values[0]
    assert_equal_outputs(outputs(model, table), expected)


def _frozen(table: Table) -> list[tuple[Any, ...]]:
    return [(c.name, c.kind, c.levels, c.values.dtype.str, repr(c.values.tolist())) for c in table]
