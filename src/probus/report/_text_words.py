"""The words of a text that move the predictions of a model, over the rows of a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import Table
from probus.display import Cells, Result, counted, rounded
from probus.inspection import WordEffects, text_step, word_effects

_SHOWN = 12  # words of a text
_FEWEST_ROWS = 3  # with a word


@dataclass(frozen=True, eq=False, repr=False)
class TextWords(Result):
    """The words and phrases of a column that change a prediction most when they are left out.

    column : the text. quantity : what they change. words : each with the rows that have it, and its mean effect. rows :
    the rows that were looked at.
    """

    column: str
    quantity: str
    words: tuple[tuple[str, int, float], ...]
    rows: int

    def lines(self) -> list[list[str]]:
        """The header and a line for each word, as text."""
        head = ["word or phrase", "rows", f"adds to the {self.quantity}"]
        return [head, *([word, f"{n:,}", f"{'+' * (size > 0)}{rounded(size, 2)}"] for word, n, size in self.words)]

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each word."""
        return [{"word": word, "rows": n, "effect": size} for word, n, size in self.words]

    def _parts(self) -> list[Any]:
        return [f"Words of {self.column}, {counted(self.rows, 'row')}", Cells(self.lines(), right=[1, 2], margin=2)]


def text_words(
    model: Any,
    predict: Callable[[Table], np.ndarray],
    X: Table,
    outputs: dict[str, int],
    rows: np.ndarray,
) -> tuple[TextWords, ...]:
    """The words of each text that the model uses; ``outputs`` are columns of the prediction by what they are."""
    found = []
    for name in texts_of(model, X):
        for quantity, k in outputs.items():
            effects = effects_of(model, predict, X.take(rows), name, np.full(len(rows), k))
            words = tuple(effects.totals(_FEWEST_ROWS)[:_SHOWN])
            if words:
                found.append(TextWords(name, quantity, words, len(rows)))
    return tuple(found)


def texts_of(model: Any, X: Table) -> list[str]:
    """The columns that the model uses by their words."""
    step = text_step(model)
    return [] if step is None else [name for name in dict.fromkeys(step.sources().values()) if name in X.names]


def effects_of(
    model: Any, predict: Callable[[Table], np.ndarray], X: Table, name: str, outputs: np.ndarray
) -> WordEffects:
    """What the words of each row change of the output that belongs to the row."""
    step = text_step(model)
    assert step is not None

    def score(rows: Table, which: np.ndarray) -> np.ndarray:
        return predict(rows)[np.arange(len(which)), outputs[which]]

    return word_effects(score, X, name, lambda words: step.strength(name, words))
