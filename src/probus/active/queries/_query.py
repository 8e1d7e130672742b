"""What a strategy knows, and what it returns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from probus.data import Column, Kind, Table
from probus.distances import Gower
from probus.ensemble import aligned_predictions, fit_member


class Pool:
    """The rows that may be asked for, and how far they are from each other."""

    def __init__(self, rows: Table):
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def _space(self) -> Gower | None:
        """Gower's distance on the columns that it measures; None where there is none."""
        measured = [column.name for column in self.rows if _is_measured(column)]
        return Gower(self.rows.select(*measured)) if measured else None

    def distances(self, rows: np.ndarray) -> np.ndarray | None:
        """The distances of some rows to all, rows × pool; 1 where nothing can be compared."""
        if self._space is None:
            return None
        found = self._space.distances(self.rows.take(rows))
        found[np.isnan(found)] = 1.0
        return found


def _is_measured(column: Column) -> bool:
    return column.kind is not Kind.TEXT and not (column.kind is Kind.NUMERIC and np.isinf(column.values).any())


@dataclass(frozen=True, eq=False)
class Situation:
    """What is known when a question is chosen.

    Attributes
    ----------
    pool : all rows.
    labelled, codes : the numbers of the rows with a label, and their classes.
    candidates : the numbers of those that may be asked for.
    classes : the labels.
    estimator, model : the model, not fitted, and fitted to the labelled rows.
    random : for what is drawn.
    """

    pool: Pool
    labelled: np.ndarray
    codes: np.ndarray
    candidates: np.ndarray
    classes: np.ndarray
    estimator: Any
    model: Any
    random: np.random.RandomState

    @cached_property
    def probabilities(self) -> np.ndarray:
        """Of the candidates and classes."""
        return self.probabilities_of(self.model, self.candidates)

    def probabilities_of(self, model: Any, rows: np.ndarray) -> np.ndarray:
        """Of rows of the pool, by a fitted model; of one without probabilities, 1 for the class that it predicts."""
        some = self.pool.rows.take(rows)
        if hasattr(model, "predict_proba"):
            return aligned_predictions(model, "predict_proba", some, self.classes)
        return np.eye(len(self.classes))[np.searchsorted(self.classes, model.predict(some))]

    def fit(self, rows: np.ndarray, codes: np.ndarray, estimator: Any = None) -> Any:
        """A model fitted to rows of the pool and their classes."""
        model = clone(self.estimator if estimator is None else estimator)
        return fit_member(model, self.pool.rows.take(rows), self.classes[codes])


class Query(ABC):
    """A strategy: the larger its score, the sooner a row is asked for."""

    name: ClassVar[str]
    why: ClassVar[str]  # a row is asked for, in the words that a person reads
    probabilistic: ClassVar[bool] = True  # whether the model needs predict_proba

    @abstractmethod
    def scores(self, situation: Situation) -> np.ndarray:
        """The score of each candidate."""


def entropy(shares: np.ndarray) -> np.ndarray:
    """−Σ p log p of each row.

    >>> entropy(np.array([[0.5, 0.5], [1.0, 0.0]])).round(3).tolist()
    [0.693, 0.0]
    """
    logs = np.log(shares, out=np.zeros_like(shares), where=shares > 0)
    return np.maximum(-(shares * logs).sum(axis=1), 0.0)
