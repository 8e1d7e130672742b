"""The steps of a pipeline before its model, fitted once on the same rows for all configurations."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable
from typing import Any

from sklearn.pipeline import Pipeline

__all__ = ["KeptSteps"]

_MOST_CELLS = 10_000_000  # of the training rows of all splits together, above which nothing is kept
_HELD_OUT = ("early_stopping", "n_iter_no_change", "n_estimators", "validation_fraction", "random_state")


class KeptSteps:
    """What steps learnt and returned on the training rows of a split; a step whose parameters changed is fitted again.

    Of every step the latest fit is kept, for each set of rows. A copy, as that of a cloned pipeline, is the object
    itself; a pickled one, for another process, is empty.
    """

    def __init__(self, cells: int):
        self._kept: dict[Hashable, tuple[bytes, Any]] = {}
        self._small = cells <= _MOST_CELLS

    def given_to(self, model: Any, rows: Hashable) -> Any:
        """The model, which then takes the steps that are known for these rows from here, where it is a pipeline."""
        if self._small and isinstance(model, Pipeline) and len(model.steps) > 1 and model.memory is None:
            params = model.steps[-1][1].get_params(deep=False) if hasattr(model.steps[-1][1], "get_params") else {}
            held_out = tuple(repr(params.get(name)) for name in _HELD_OUT)  # rows that the model sets aside itself
            model.set_params(memory=_OneFit(self._kept, (rows, held_out)))
        return model

    def __reduce__(self) -> Any:
        return KeptSteps, (0 if self._small else _MOST_CELLS + 1,)


class _OneFit:
    """The ``memory`` of a pipeline for one ``fit``, in the form of joblib's."""

    def __init__(self, kept: dict[Hashable, tuple[bytes, Any]], rows: Hashable):
        self._kept, self._rows = kept, rows

    def cache(self, function: Callable[..., Any], **_: Any) -> Callable[..., Any]:
        """The function that fits one step, which calls it only for what is not known."""
        before: list[bytes] = []

        def fitted(transformer: Any, *values: Any, **named: Any) -> Any:
            before.append(pickle.dumps(transformer))
            place, key = (self._rows, len(before)), b"".join(before)
            if self._kept.get(place, (b"",))[0] != key:
                self._kept[place] = (key, function(transformer, *values, **named))
            return self._kept[place][1]

        return fitted

    def __deepcopy__(self, _: Any) -> _OneFit:
        return self
