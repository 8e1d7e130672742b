"""What a fitted model says about rows, in a form that can be compared."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from probus.data import Table
from probus.data.frames import is_frame

__all__ = ["Answers", "answers", "assert_agree", "assert_answers_every_row", "assert_equal_answers", "state_of"]

_QUESTIONS = ("predict", "predict_proba", "decision_function", "score_samples", "transform", "kneighbors")

Answers = dict[str, list[np.ndarray]]


def answers(model: Any, X: Any) -> Answers:
    """The columns of what each method of the model says about X."""
    return {name: _columns(getattr(model, name)(X)) for name in _QUESTIONS if hasattr(model, name)}


def _columns(said: Any) -> list[np.ndarray]:
    if isinstance(said, tuple):
        return [column for part in said for column in _columns(part)]
    if isinstance(said, Table) or is_frame(said):
        return [column.decoded() for column in Table.of(said, infer=False)]
    matrix = said.toarray() if sparse.issparse(said) else np.asarray(said)
    return [matrix] if matrix.ndim == 1 else list(matrix.T)


def assert_equal_answers(found: Answers, expected: Answers) -> None:
    """Assert that they are the same to the bit."""
    _assert_alike(found, expected, rtol=0.0)


def assert_agree(found: Answers, expected: Answers) -> None:
    """Assert that they are the same but for rounding."""
    _assert_alike(found, expected, rtol=1e-8)


def assert_answers_every_row(said: Answers, n_rows: int) -> None:
    """Assert that each method says something about each row."""
    for name, columns in said.items():
        assert all(len(column) == n_rows for column in columns), f"{name} does not answer for every row"


def _assert_alike(found: Answers, expected: Answers, rtol: float) -> None:
    assert found.keys() == expected.keys(), f"other methods: {sorted(found.keys() ^ expected.keys())}"
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
