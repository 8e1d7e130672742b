"""How subsets of columns are searched: forward, backward, floating, and all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
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


def backward_steps(scorer: SubsetScorer, d: int, last: int, step: float, record: Record) -> None:
    """Leave out the columns without each of which the score is best, ``step`` at a time, until there are ``last``."""
    inside, score = scorer.best_of([tuple(range(d))])
    record(inside, score)
    for size in shrinking(d, last, step)[1:]:
        fewer = _one_less(inside)
        nearest, score = scorer.best_of(fewer)
        record(nearest, score)
        if size < len(nearest):
            needless = np.argsort(-np.nan_to_num(scorer.score(fewer), nan=-np.inf), kind="stable")
            left_out = {inside[place] for place in needless[: len(inside) - size].tolist()}
            nearest, score = scorer.best_of([tuple(j for j in inside if j not in left_out)])
            record(nearest, score)
        inside = nearest


def shrinking(d: int, last: int, step: float) -> list[int]:
    """How many columns are left after each step: ``step`` are left out at a time, or that share of those left.

    >>> shrinking(10, 1, 0.5), shrinking(10, 4, 4)
    ([10, 5, 3, 2, 1], [10, 6, 4])
    """
    sizes = [d]
    while sizes[-1] > last:
        n = sizes[-1]
        sizes.append(max(last, n - max(1, int(step if step >= 1 else step * n))))
    return sizes


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


def n_backward(d: int, last: int, step: float = 1) -> int:
    """The number of subsets that a backward search scores, all columns among them: d(d + 1)/2 down to one.

    >>> n_backward(10, 1), n_backward(10, 9), n_backward(10, 1, 0.5)
    (55, 11, 23)
    """
    sizes = shrinking(d, last, step)
    return 1 + sum(n + (n - fewer > 1) for n, fewer in pairwise(sizes))


def n_exhaustive(d: int, first: int, last: int) -> int:
    """The number of subsets of those sizes.

    >>> n_exhaustive(10, 0, 10), n_exhaustive(10, 1, 2)
    (1024, 55)
    """
    return sum(comb(d, size) for size in range(first, last + 1))
