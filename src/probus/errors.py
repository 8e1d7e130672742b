"""The exceptions of Probus. Each message has what was found, what was expected, and what to do."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

__all__ = [
    "Advice", "DataError", "FailedModelError", "ModelFileError", "NotStoredError", "ProbusError", "SchemaError",
    "worded",
]  # fmt: skip


@dataclass(frozen=True)
class Advice:
    """A parameter to pass and its value, in the words of Python, or of a command that renders it.

    Attributes
    ----------
    parameter
        Its name in Python.
    value
        What to pass; an ellipsis leaves it to the user, and an empty string only names the parameter.
    python
        The words in Python; without them ``parameter=value``.
    when
        The condition, which follows the words.

    >>> print(Advice("header", False, when="if that is a row"), Advice("skip"), sep="; ")
    header=False if that is a row; skip=…
    """

    parameter: str
    value: Any = ...
    python: str = ""
    when: str = ""

    def __str__(self) -> str:
        return f"{_render(self)} {self.when}".rstrip()


def _in_python(advice: Advice) -> str:
    value = "…" if advice.value is ... else repr(advice.value)
    return advice.python or (f"{advice.parameter}={value}" if advice.value != "" else advice.parameter)


_render = _in_python


@contextmanager
def worded(render: Callable[[Advice], str | None]) -> Iterator[None]:
    """Render advice by a function within a ``with`` block.

    Parameters
    ----------
    render : a function of the advice; where it returns None, the words are those of Python.

    Returns
    -------
    A context manager, for ``with``.
    """
    global _render
    before = _render

    def rendered(advice: Advice) -> str:
        words = render(advice)
        return _in_python(advice) if words is None else words

    _render = rendered
    try:
        yield
    finally:
        _render = before


class ProbusError(ValueError):
    """Base class of every exception that Probus defines.

    Parameters
    ----------
    found : what was found.
    expected : what was expected in its place.
    hint : what to do: a sentence, or parameters to pass.

    >>> print(DataError("column 'age' holds lists.", "one value per cell", "Explode it first."))
    column 'age' holds lists.
      Expected one value per cell. Explode it first.
    >>> print(DataError("'x.csv' has a header and no rows.", hint=Advice("header", False, when="if that is a row")))
    'x.csv' has a header and no rows.
      Pass header=False if that is a row.
    """

    def __init__(self, found: str, expected: str = "", hint: str | Advice | Sequence[Advice] = ""):
        self.advice = () if isinstance(hint, str) else (hint,) if isinstance(hint, Advice) else tuple(hint)
        what_to_do = hint if isinstance(hint, str) else f"Pass {', or '.join(map(str, self.advice))}."
        more = " ".join(part for part in (f"Expected {expected}." if expected else "", what_to_do) if part)
        super().__init__(f"{found}\n  {more}" if more else found)


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
