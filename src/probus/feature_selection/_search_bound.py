"""What searching subsets costs: how far the best score on validation rows may be above that of new rows."""

from __future__ import annotations

from math import exp, lgamma, log, sqrt

from probus.errors import DataError


def subset_search_bound(
    n_validation: int,
    *,
    n_subsets: int | None = None,
    n_columns: int | None = None,
    largest: int | None = None,
    n_splits: int = 1,
    level: float = 0.95,
    width: float = 1.0,
) -> float:
    r"""How far the error of the chosen subset may be above its validation error: √(C / n) of the validation rows.

    With probability ``level`` it holds for all m subsets together that error < validation error + √(C / n), where C =
    ln(m / (1 - level)) / 2 (Hoeffding's inequality for each subset, and the union bound). So it holds for the best one
    too, however it was found. Forward selection and other searches that follow the scores may end at any subset. Then m
    is the number of all that they could have reached, not of those that they visited. It is given by ``n_columns`` and
    ``largest``. In cross-validation n are the rows of a test fold, and m counts each of ``n_splits`` models.

    Parameters
    ----------
    n_validation : the validation rows, which no subset was fitted on.
    n_subsets : the number of subsets, where they were chosen in advance.
    n_columns, largest : in its place, the columns, and the size of the largest subset; None is all columns.
    n_splits : the number of splits.
    level : the probability.
    width : the range of the loss of a row: 1 for errors of classification.

    Returns
    -------
    The bound.

    >>> round(subset_search_bound(1000, n_subsets=1), 3), round(subset_search_bound(1000, n_columns=20), 3)
    (0.039, 0.092)
    """
    if (n_subsets is None) == (n_columns is None):
        raise DataError("neither or both of n_subsets and n_columns.", "one of them")
    if n_validation < 1 or not 0 < level < 1 or n_splits < 1 or width <= 0 or (n_subsets or n_columns or 0) < 1:
        raise DataError(
            f"n_validation={n_validation}, n_subsets={n_subsets}, n_columns={n_columns}, n_splits={n_splits}, "
            f"level={level}, width={width}.",
            "positive numbers, and a level between 0 and 1",
        )
    logs = log(n_subsets) if n_subsets is not None else _log_number(int(n_columns or 0), largest)
    return width * sqrt((logs + log(n_splits) - log(1 - level)) / (2 * n_validation))


def _log_number(d: int, largest: int | None) -> float:
    """The logarithm of the number of subsets of up to ``largest`` columns, the empty one included.

    >>> round(exp(_log_number(5, 2)))
    16
    """
    most = d if largest is None else min(largest, d)
    logs = [lgamma(d + 1) - lgamma(size + 1) - lgamma(d - size + 1) for size in range(most + 1)]
    top = max(logs)
    return top + log(sum(exp(each - top) for each in logs))
