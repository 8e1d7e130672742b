"""What a forest is asked to predict, and what its classes weigh."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import compute_class_weight, compute_sample_weight

from probus.errors import DataError

__all__ = ["class_weights", "one_target"]


def one_target(y: Any) -> Any:
    """The target as it is; several at once are refused."""
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if len(shape) == 2 and shape[1] > 1:
        raise DataError(
            f"y should be a 1d array, got an array of shape {tuple(shape)}: {shape[1]} targets.",
            "one target",
            "Fit a forest for each of them.",
        )
    return y


def class_weights(
    class_weight: Any, classes: np.ndarray, codes: np.ndarray, sample_weight: np.ndarray | None
) -> np.ndarray | None:
    """What each row weighs by its class; None where classes weigh the same."""
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        return compute_class_weight("balanced", classes=classes, y=classes[codes], sample_weight=sample_weight)[codes]
    return compute_sample_weight(class_weight, classes[codes])
