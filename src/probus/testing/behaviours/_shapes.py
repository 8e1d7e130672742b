"""Tables of odd shapes: one row, one class, constants, more columns than rows, nothing at all."""

from __future__ import annotations

import numpy as np

from probus.data import Column, Table
from probus.testing._outputs import assert_agree, assert_output_for_every_row, has_outputs, outputs
from probus.testing._specimen import Specimen
from probus.testing.behaviours._behaviour import behaviour, refusal, refused

__all__: list[str] = []


@behaviour(lambda specimen: has_outputs(specimen.model))
def one_row_is_predicted_as_among_many(specimen: Specimen) -> None:
    """The output for a row does not depend on the other rows."""
    table = specimen.table()
    model = specimen.fitted(table)
    together = outputs(model, table)
    for row in (0, 7, len(table) - 1):
        alone = outputs(model, table.take([row]))
        assert_agree(alone, {name: [column[[row]] for column in columns] for name, columns in together.items()})


@behaviour()
def one_row_is_enough_or_refused(specimen: Specimen) -> None:
    """Training on a single row works, or is refused with a message."""
    table = specimen.table(missing=False).take([0])
    message = refusal(lambda: outputs(specimen.fitted(table), table))
    assert message != "", "it is refused without a message"


@behaviour(lambda specimen: specimen.is_classifier)
def one_class_is_predicted_or_refused(specimen: Specimen) -> None:
    """Where all labels are one, it is the prediction for every row, or the message contains "class"."""
    table = specimen.table()
    labels = np.full(len(table), "only")
    message = refusal(lambda: specimen.fitted(table, labels))
    if message is not None:
        assert "class" in message, f"the message does not mention the class: {message}"
        return
    model = specimen.fitted(table, labels)
    assert set(model.predict(table)) == {"only"}, "another class is predicted than the only one"
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(model.predict_proba(table), np.ones((len(table), 1)))


@behaviour()
def constant_columns_do_no_harm(specimen: Specimen) -> None:
    """Columns with a single value are taken, alone and among others."""
    table = specimen.table()
    constant = [Column.numbers("one", np.ones(len(table))), Column.numbers("zero", np.zeros(len(table)))]
    if specimen.accepts.nominal:
        constant.append(Column.labels("same", ["same"] * len(table)))
    for columns in (Table(constant), table.with_columns(*constant)):
        found = outputs(specimen.fitted(columns), columns)
        for name in {"predict_proba", "decision_function"} & found.keys():
            assert np.isfinite(found[name]).all(), f"{name} is not finite"


@behaviour()
def more_columns_than_rows_are_taken(specimen: Specimen) -> None:
    """Ten rows of three hundred columns are a table like others."""
    rng = np.random.default_rng(4)
    table = Table(Column.numbers(f"c{j}", specimen.numbers(10, rng)) for j in range(300))
    assert_output_for_every_row(outputs(specimen.fitted(table), table), 10)


@behaviour()
def duplicate_rows_are_taken(specimen: Specimen) -> None:
    """A table of two rows, many times over, is a table like others."""
    table = specimen.table(missing=False).take(np.arange(40) % 2)
    assert_output_for_every_row(outputs(specimen.fitted(table), table), 40)


@behaviour()
def nothing_to_learn_from_is_refused(specimen: Specimen) -> None:
    """No rows or no columns: the message states which."""
    table = specimen.table()
    y = specimen.target(len(table))
    no_rows = table.take([])
    refused(lambda: specimen.fitted(no_rows, None if y is None else y[:0]), "0")
    refused(lambda: specimen.fitted(Table([]), None if y is None else y[:0]), "0")


@behaviour()
def a_number_that_is_a_name_counts_as_a_number(specimen: Specimen) -> None:
    """A binary column whose levels are 0 and 1 can be taken by any model."""
    table = specimen.table()
    flags = Column.labels("flag", [i % 2 for i in range(len(table))], (0, 1))
    widened = table.with_columns(flags)
    outputs(specimen.fitted(widened), widened)
