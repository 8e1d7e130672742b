"""Models of other libraries, which know no Table, and are given the rows in the form in which they came."""

from __future__ import annotations

from typing import Any

from probus.data import Table
from probus.wrapping import libraries_of

_PREDICT = ("predict", "predict_proba", "decision_function")


class OfGivenRows:
    """A model that predicts frames where the rows came in one; else tables, or arrays where it knows none of ours.

    Parameters
    ----------
    model : the fitted model.
    """

    def __init__(self, model: Any):
        self._model = model

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._model, name)
        return found if name not in _PREDICT else lambda table: found(self._given(table))

    def __getitem__(self, steps: slice) -> Any:
        return OfGivenRows(self._model[steps])

    def transform(self, table: Table) -> Any:
        """What the steps of a pipeline make of the rows."""
        return self._model.transform(self._given(table))

    def _given(self, table: Table) -> Any:
        if table.origin:
            return table.to_native()
        return table if libraries_of(self._model) & {"probus", "sklearn"} else table.numbers()


def model_of_tables(model: Any) -> Any:
    """The model if it is ours, else wrapped."""
    return model if type(model).__module__.startswith("probus.") else OfGivenRows(model)
