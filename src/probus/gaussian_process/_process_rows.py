"""The rows of a Gaussian process: numbers, or what its kernel takes."""

from __future__ import annotations

from typing import Any

from probus.base import Model, matrix_input
from probus.distances.magnitudes import check_squares
from probus.gaussian_process._kernel_text import kernel_of


def process_rows(model: Model, X: Any, *, reset: bool) -> Any:
    """X as numbers; unchanged for a kernel of other things, such as strings."""
    kernel = kernel_of(model.kernel)
    if kernel is None or kernel.requires_vector_input:
        rows = matrix_input(model, X, reset=reset)
        check_squares(rows)
        return rows
    return X
