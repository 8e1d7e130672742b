"""How subsets of columns are searched: forward, backward, floating, and all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from math import comb

import numpy as np

from probus.feature_selection._subset_scores import Subset, SubsetScorer

Record = Callable[[Subset, float], bool]  # keeps the best subset of its size; whether the search is done


def forward_steps(scorer: SubsetScorer, d: int, last: int, record: Record) -> None:
    """Add the column that improves the score most, until there are ``last`` columns."""
    inside: Subset = ()
    while len(inside) < last:
        inside, score = scorer.best_of(_one_more(inside, d))
        if record(inside, score):
            return


def backward_steps(scorer: SubsetScorer, d: int, last: int, record: Record) -> None:
    """Leave out the column without which the score is best, until there are ``last`` columns."""
    inside, score = scorer.best_of([tuple(range(d))])
    while not record(inside, score) and len(inside) > last:
        inside, score = scorer.best_of(_one_less(inside))


def floating_steps(scorer: SubsetScorer, d: int, last: int, record: Record) -> None:
    """Add a column; then leave out others as long as that gives a better subset of its size than was known before.

    Pudil, Novovičová and Kittler 1994.
    """
    best: dict[int, float] = {}
    inside: Subset = ()
    while len(inside) < last:
        inside, score = scorer.best_of(_one_more(inside, d))
        best[len(inside)] = max(score, best.get(len(inside), -np.inf))
        if record(inside, score):
            return
        while len(inside) > 2:
            fewer, less = scorer.best_of(_one_less(inside))
            if less <= best.get(len(fewer), -np.inf):
                break
            inside, best[len(fewer)] = fewer, less
            if record(fewer, less):
                return


def all_subsets(d: int, first: int, last: int) -> Iterator[Subset]:
    """Every subset of the sizes from ``first`` to ``last``, the small ones first."""
    for size in range(first, last + 1):
        yield from combinations(range(d), size)


def _one_more(inside: Subset, d: int) -> list[Subset]:
    return [tuple(sorted((*inside, j))) for j in range(d) if j not in inside]


def _one_less(inside: Subset) -> list[Subset]:
    return [tuple(j for j in inside if j != gone) for gone in inside]


# -- how many ------------------------------------------------------------------------------------------


def n_forward(d: int, last: int) -> int:
    """The number of subsets that a forward search scores: d(d + 1)/2 for all columns.

    >>> n_forward(10, 10), n_forward(10, 2)
    (55, 19)
    """
    return sum(d - size for size in range(last))


def n_backward(d: int, last: int) -> int:
    """The number of subsets that a backward search scores, all columns among them: d(d + 1)/2 down to one.

    >>> n_backward(10, 1), n_backward(10, 9)
    (55, 11)
    """
    return 1 + sum(range(last + 1, d + 1))


def n_exhaustive(d: int, first: int, last: int) -> int:
    """The number of subsets of those sizes.

    >>> n_exhaustive(10, 0, 10), n_exhaustive(10, 1, 2)
    (1024, 55)
    """
    return sum(comb(d, size) for size in range(first, last + 1))
