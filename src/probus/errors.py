"""The family of errors: each says what was found, what was expected, and what to do."""

__all__ = ["DataError", "ModelFileError", "ProbusError", "SchemaError"]


class ProbusError(ValueError):
    """Parent of every error Probus raises on purpose.

    >>> print(DataError("column 'age' holds lists.", "one value per cell", "Explode it first."))
    column 'age' holds lists.
      Expected one value per cell. Explode it first.
    """

    def __init__(self, found: str, expected: str = "", hint: str = ""):
        advice = " ".join(part for part in (f"Expected {expected}." if expected else "", hint) if part)
        super().__init__(f"{found}\n  {advice}" if advice else found)


class DataError(ProbusError):
    """A table, a column or a file that cannot be used as it is."""


class SchemaError(ProbusError):
    """New data whose columns do not fit those seen before."""


class ModelFileError(ProbusError):
    """A ``.probus`` file that is damaged, hostile or from elsewhere."""
