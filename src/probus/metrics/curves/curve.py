"""What every curve can do: be printed, shown, drawn, and become data."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from probus.metrics.curves.drawing import as_html
from probus.metrics.curves.plain import plain

__all__ = ["Curve"]


class Curve(ABC):
    """A result: frozen, with read-only arrays. A child is a frozen dataclass that fills in the abstract methods."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    @abstractmethod
    def __repr__(self) -> str:
        """One or two lines: what it is of, and its main number with the interval."""

    @abstractmethod
    def to_frame(self) -> Any:
        """A polars frame of the points."""

    @abstractmethod
    def plot(self, ax: Any = None) -> Any:
        """Draw on matplotlib axes, new ones by default, which are returned."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON; what is not finite (the threshold above every score) is None."""
        return {field.name: plain(getattr(self, field.name)) for field in dataclasses.fields(self)}  # type: ignore[arg-type]

    def _repr_html_(self) -> str:
        return as_html(self)
