"""The kind of a column: what its values mean, in contrast to their dtype."""

from __future__ import annotations

from enum import StrEnum

from probus.errors import DataError


class Kind(StrEnum):
    """What the values of a column mean.

    >>> Kind.of("ordinal").has_levels, Kind.NUMERIC.has_levels
    (True, False)
    """

    NUMERIC = "numeric"  # differences are meaningful
    BINARY = "binary"  # two levels
    NOMINAL = "nominal"  # levels without order
    ORDINAL = "ordinal"  # levels in order, distances unknown
    TEXT = "text"  # free text

    @property
    def has_levels(self) -> bool:
        """Whether a column of this kind is stored as codes into levels."""
        return self in (Kind.BINARY, Kind.NOMINAL, Kind.ORDINAL)

    @classmethod
    def of(cls, name: str | Kind) -> Kind:
        """The kind of that name; an error for an unknown name lists the kinds."""
        try:
            return cls(name)
        except ValueError:
            dates = "Dates are numeric: pass their format, such as '%d.%m.%Y' or '%Y%m%d'."
            hint = dates if str(name).lower() in ("date", "dates", "datetime", "time", "timestamp") else ""
            raise DataError(f"unknown kind {name!r}.", "one of " + ", ".join(cls), hint) from None
