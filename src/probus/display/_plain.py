"""Results as data that JSON can hold."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Lists, dicts and scalars; what is not finite is None, because JSON cannot hold it.

    >>> plain({"thresholds": np.array([np.inf, 0.5]), "classes": ("a", "b")})
    {'thresholds': [None, 0.5], 'classes': ['a', 'b']}
    """
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return plain({field.name: getattr(value, field.name) for field in dataclasses.fields(value)})
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
