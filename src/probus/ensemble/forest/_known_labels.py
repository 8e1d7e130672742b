"""Labels as the classes of a fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.base import encoded_classes
from probus.errors import DataError


def codes_of(classes: np.ndarray, y: Any, n_rows: int) -> np.ndarray:
    """Labels as places among the classes of the fit.

    >>> codes_of(np.array(["a", "b", "c"]), ["c", "a", "c"], 3)
    array([2, 0, 2])
    """
    found, codes = encoded_classes(y, n_rows)
    known = list(classes)
    strange = [label for label in found if label not in known]
    if strange:
        raise DataError(
            f"label {str(strange[0])!r}, which the fit did not see.",
            "labels of the fit: " + ", ".join(map(str, known)),
        )
    return np.array([known.index(label) for label in found])[codes]
