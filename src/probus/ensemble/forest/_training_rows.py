"""Which trees of a forest were trained on which rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from probus.errors import DataError
from probus.parallel import chunked, thread_count

if TYPE_CHECKING:
    from probus.ensemble.forest._forest_base import Forest


def must_have_one_output(model: Forest, what: str) -> None:
    """Raise where a forest has several outputs."""
    if model.n_outputs_ > 1:
        raise DataError(
            f"{what} of a forest with {model.n_outputs_} outputs.", "one output", "Fit a forest for each output."
        )


def must_be_training_rows(model: Forest, n_rows: int) -> None:
    """Raise unless there are as many rows as in the fit."""
    if n_rows != model.bags_.n_rows:
        raise DataError(
            f"{n_rows:,} rows, and {type(model).__name__} was fitted on {model.bags_.n_rows:,}.",
            "the rows of the fit, in their order",
            "Whether a tree was trained on a row is known for those only; for others use kind='all'.",
        )


def must_be_out_of_bag(model: Forest, n_rows: int) -> None:
    """Raise unless these are as many rows as in the fit, and trees have left some out."""
    if model.bags_.size == 0:
        raise DataError(
            f"{type(model).__name__}(bootstrap=False) has no rows out of bag: every tree is trained on every row.",
            "bootstrap=True",
            "Or kind='all', best with rows that the forest was not fitted on.",
        )
    must_be_training_rows(model, n_rows)


def times_drawn(model: Forest) -> np.ndarray:
    """How often each row of the fit was drawn for each tree: int32[n, T]; once where nothing is drawn."""
    bags = model.bags_
    out = np.empty((len(bags), bags.n_rows), np.int32)

    def draw(first: int, last: int) -> None:
        for t in range(first, last):
            out[t] = bags.counts(t)

    chunked(draw, len(bags), thread_count(model.n_jobs, 5.0 * out.size))
    return np.ascontiguousarray(out.T)
