"""The exceptions of Probus. Each message has what was found, what was expected, and what to do."""

__all__ = ["DataError", "FailedModelError", "ModelFileError", "NotStoredError", "ProbusError", "SchemaError"]


class ProbusError(ValueError):
    """Base class of every exception that Probus defines.

    >>> print(DataError("column 'age' holds lists.", "one value per cell", "Explode it first."))
    column 'age' holds lists.
      Expected one value per cell. Explode it first.
    """

    def __init__(self, found: str, expected: str = "", hint: str = ""):
        advice = " ".join(part for part in (f"Expected {expected}." if expected else "", hint) if part)
        super().__init__(f"{found}\n  {advice}" if advice else found)


class DataError(ProbusError):
    """A table, column or file cannot be used in its present form."""


class NotStoredError(DataError, AttributeError):
    """A loaded model lacks an attribute that model files do not store; ``hasattr`` is False for it."""


class SchemaError(ProbusError):
    """The columns of new data do not match those of the training data."""


class FailedModelError(ProbusError):
    """A model could not be fitted or used on any of the rows it was tried on; its cause is the first error."""


class ModelFileError(ProbusError):
    """A ``.probus`` file is damaged, unsafe, or not a model file."""
