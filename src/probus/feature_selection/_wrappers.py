"""The wrappers: forward, backward, floating and exhaustive searches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from probus.display import counted
from probus.errors import DataError
from probus.feature_selection._search_steps import (
    all_subsets,
    backward_steps,
    floating_steps,
    forward_steps,
    n_backward,
    n_exhaustive,
    n_forward,
)
from probus.feature_selection._subset_scores import Subset, SubsetScorer
from probus.feature_selection._subset_search import STEP, SubsetSearch
from probus.metrics import Measure
from probus.parameters import parameter

_BATCH = 64  # subsets of an exhaustive search that are scored together


class ForwardSelection(SubsetSearch):
    """Add columns one at a time, each time the one that improves the cross-validated score of a model most.

    A search through all d columns fits d(d + 1)/2 subsets on every split. The scores of the path are on the splits that
    chose, and so optimistic: ``nested_selection`` gives honest ones.

    Attributes
    ----------
    path : the best subset of each size with its score and interval, as a result that prints and plots itself.
    support_ : which columns are chosen.
    subsets_, scores_ : the columns of each size, and their score; size 0 is the constant predictor.
    n_subsets_ : how many subsets were scored.

    >>> import probus
    >>> from probus.naive_bayes import GaussianNB
    >>> iris = probus.Task(probus.datasets.load("iris"), target="species")
    >>> selector = ForwardSelection(GaussianNB(), scoring="accuracy").fit(iris)
    >>> selector.n_subsets_, selector.path.selected
    (10, ('petal_length', 'petal_width'))
    """

    def _walk(self, scorer: SubsetScorer, d: int, first: int, last: int, record: Any) -> None:
        forward_steps(scorer, d, last, record)

    def _count_subsets(self, d: int, first: int, last: int) -> int:
        return n_forward(d, last)


class BackwardSelection(SubsetSearch):
    """Leave out columns one at a time, each time the one without which the score of a model is best.

    A search from d columns down to one fits d(d + 1)/2 subsets on every split. It finds columns that help only
    together, which a forward search may miss. With many columns, ``step=0.1`` leaves out a tenth of them at a time.

    Attributes
    ----------
    path : the best subset of each size with its score and interval, as a result that prints and plots itself.
    support_ : which columns are chosen.
    subsets_, scores_ : the columns of each size, and their score; size 0 is the constant predictor.
    n_subsets_ : how many subsets were scored.
    """

    _grows = False

    step: float = STEP

    @classmethod
    def _of_examples(cls) -> dict[str, Any]:
        return {"k": 1, "step": 0.9}

    def _walk(self, scorer: SubsetScorer, d: int, first: int, last: int, record: Any) -> None:
        backward_steps(scorer, d, first, self.step, record)

    def _count_subsets(self, d: int, first: int, last: int) -> int:
        return n_backward(d, first, self.step)


class FloatingSelection(SubsetSearch):
    """Add columns one at a time, and after each step leave out those that are needless now.

    A column is left out where the subset without it is better than the best one known of its size (Pudil et al. 1994).
    That takes more fits than ``ForwardSelection``: those of d(d + 1)/2 subsets at least.

    Attributes
    ----------
    path : the best subset of each size with its score and interval, as a result that prints and plots itself.
    support_ : which columns are chosen.
    subsets_, scores_ : the columns of each size, and their score; size 0 is the constant predictor.
    n_subsets_ : how many subsets were scored.
    """

    def _walk(self, scorer: SubsetScorer, d: int, first: int, last: int, record: Any) -> None:
        floating_steps(scorer, d, last, record)

    def _count_subsets(self, d: int, first: int, last: int) -> int:
        return n_forward(d, last)


class ExhaustiveSelection(SubsetSearch):
    """Score every subset of the columns: the best of each size for certain, by 2^d - 1 subsets on every split.

    For least squares, ``probus.linear_model.BestSubset`` finds the best subsets of up to 60 columns in other ways.

    Attributes
    ----------
    path : the best subset of each size with its score and interval, as a result that prints and plots itself.
    support_ : which columns are chosen.
    subsets_, scores_ : the columns of each size, and their score; size 0 is the constant predictor.
    n_subsets_ : how many subsets were scored.
    """

    max_columns: int | None = parameter(
        "The size of the largest subset; None is all columns.", default=None, at_least=1
    )
    penalty: float | None = parameter(
        "In place of ``choose``: the subset whose score, less this for each column, is best is chosen.",
        default=None,
        at_least=0.0,
    )
    max_subsets: int = parameter("More subsets than this are an error before the first fit.", default=5_000, at_least=1)

    def _walk(self, scorer: SubsetScorer, d: int, first: int, last: int, record: Any) -> None:
        for size in range(first, last + 1):
            subsets = list(all_subsets(d, size, size))
            done = False
            for start in range(0, len(subsets), _BATCH):
                part = subsets[start : start + _BATCH]
                known = np.isfinite(scorer.score(part)).any()
                if known or start + _BATCH >= len(subsets):  # an error only where no subset of the size can be fitted
                    done |= record(*scorer.best_of(part if known else subsets))
            if done:
                return

    def _count_subsets(self, d: int, first: int, last: int) -> int:
        return n_exhaustive(d, first, last)

    def _sizes(self, d: int) -> tuple[int, int]:
        first, last = super()._sizes(d)
        last = last if self.max_columns is None else min(last, self.max_columns)
        number = n_exhaustive(d, first, last)
        if number > self.max_subsets:
            raise DataError(
                f"{number:,} subsets of {counted(d, 'column')}.",
                f"at most max_subsets={self.max_subsets:,}",
                "Set max_columns, or use ForwardSelection or FloatingSelection.",
            )
        return first, last

    def choice(
        self, subsets: Sequence[Subset], values: Sequence[float], gaps: Sequence[Any], chosen: Measure, stopped: str
    ) -> tuple[int, str]:
        """As of the other searches, or by the penalty."""
        if self.penalty is None or self.k is not None or self.min_score is not None:
            return super().choice(subsets, values, gaps, chosen, stopped)
        filled = [i for i, subset in enumerate(subsets) if subset]
        penalty = self.penalty
        best = max(filled, key=lambda i: chosen.better(values[i]) - penalty * len(subsets[i]))
        return best, f"with the best {chosen.name} less {penalty:g} for each"
