"""What a fitted model returns for rows, in a form that can be compared."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from probus.data import Table, is_frame

_METHODS = ("predict", "predict_proba", "decision_function", "score_samples", "transform", "kneighbors")
_OF_TRAINING_ROWS = ("labels_", "embedding_")

Outputs = dict[str, list[np.ndarray]]


def has_outputs(model: Any) -> bool:
    """Whether the model has a method for new rows; some clusterings and maps have results of training rows only."""
    return any(hasattr(model, name) for name in _METHODS)


def outputs(model: Any, X: Any) -> Outputs:
    """The columns of what each method of the model returns for X; its results of the training rows if it has none."""
    if has_outputs(model):
        return {name: _columns(getattr(model, name)(X)) for name in _METHODS if hasattr(model, name)}
    return {name: _columns(getattr(model, name)) for name in _OF_TRAINING_ROWS if hasattr(model, name)}


def _columns(found: Any) -> list[np.ndarray]:
    if isinstance(found, tuple):
        return [column for part in found for column in _columns(part)]
    if isinstance(found, Table) or is_frame(found):
        return [column.decoded() for column in Table.of(found, infer=False)]
    matrix = found.toarray() if sparse.issparse(found) else np.asarray(found)
    return [matrix] if matrix.ndim == 1 else list(matrix.T)


def assert_equal_outputs(found: Outputs, expected: Outputs) -> None:
    """Assert that they are identical."""
    _assert_alike(found, expected, rtol=0.0)


def assert_agree(found: Outputs, expected: Outputs) -> None:
    """Assert that they are equal up to rounding."""
    _assert_alike(found, expected, rtol=1e-8)


def assert_output_for_every_row(found: Outputs, n_rows: int) -> None:
    """Assert that each method returns something for each row."""
    for name, columns in found.items():
        assert all(len(column) == n_rows for column in columns), f"{name} does not return a value for every row"


def _assert_alike(found: Outputs, expected: Outputs, rtol: float) -> None:
    assert found.keys() == expected.keys(), f"different methods: {sorted(found.keys() ^ expected.keys())}"
    for name, columns in found.items():
        assert len(columns) == len(expected[name]), f"{name}: {len(columns)} columns, not {len(expected[name])}"
        for j, (one, other) in enumerate(zip(columns, expected[name], strict=True)):
            what = f"{name}, column {j}"
            if one.dtype.kind == "f" and other.dtype.kind == "f":
                np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol / 10, equal_nan=True, err_msg=what)
            else:
                assert _plain(one) == _plain(other), f"{what}: {one[:8]} is not {other[:8]}"


def _plain(column: np.ndarray) -> list[Any]:
    return [None if value != value else value for value in column.tolist()]


def state_of(model: Any) -> dict[str, Any]:
    """The fitted attributes of a model."""
    return {name: value for name, value in vars(model).items() if name.endswith("_") and not name.startswith("_")}
