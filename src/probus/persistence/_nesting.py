"""Limits on the models inside a model, the same for saving and loading."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from probus.errors import ModelFileError
from probus.persistence._file_format import MOST_DISPLAYED, MOST_OBJECTS


class Nesting:
    """Counts the models and components of a file, and those that ``repr`` of a model would display.

    scikit-learn's ``repr`` displays parameters, and the parameters of models among them, each about three times more
    often than the model that contains it. A model that is n levels deep counts 3ⁿ. Fitted attributes are not displayed.
    """

    def __init__(self) -> None:
        self._objects = 0
        self._displayed = 0
        self._level = 0

    def count(self, where: str) -> None:
        """Count a model or a component; raise if there are too many."""
        self._objects += 1
        self._displayed = self._displayed + 3**self._level if self._level else 1
        if self._objects > MOST_OBJECTS:
            raise ModelFileError(f"{where} is one of more than {MOST_OBJECTS:,} models.", "fewer")
        if self._displayed > MOST_DISPLAYED:
            raise ModelFileError(
                f"{where} is {self._level} models deep in parameters, or one of too many.",
                "fewer, and a model that does not contain itself",
            )

    @contextmanager
    def parameters(self) -> Iterator[None]:
        """The parameters of the model counted last."""
        self._level += 1
        try:
            yield
        finally:
            self._level -= 1

    @contextmanager
    def state(self) -> Iterator[None]:
        """The fitted attributes of the model counted last; a model there is displayed separately."""
        level, displayed = self._level, self._displayed
        self._level = self._displayed = 0
        try:
            yield
        finally:
            self._level, self._displayed = level, displayed
