"""Pessimistic pruning by upper confidence limits of the errors of leaves (Quinlan 1993, chapter 4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.errors import DataError
from probus.tree._trees import Tree
from probus.tree.prune._reduced_error import worth_no_split
from probus.tree.prune._subtree import subtree


def upper_error(errors: Any, n: Any, confidence: float = 0.25) -> Any:
    r"""The upper confidence limit :math:`U_{CF}(E, N)` of an error rate after E errors in N cases.

    It is the rate p at which E errors or fewer have probability CF, the exact limit of the binomial distribution:
    the quantile 1 - CF of the Beta distribution with parameters E + 1 and N - E, so that E and N may be fractions.

    Parameters
    ----------
    errors : E, the number of errors.
    n : N, the number of cases.
    confidence : CF, the probability.

    Returns
    -------
    The limit.

    >>> [round(float(upper_error(0, n)), 3) for n in (6, 9, 1)]  # Quinlan (1993), page 41
    [0.206, 0.143, 0.75]
    """
    if not 0 < confidence < 1:
        raise DataError(f"confidence={confidence!r}.", "a number between 0 and 1")
    from scipy.stats import beta

    errors, n = np.asarray(errors, dtype=np.float64), np.asarray(n, dtype=np.float64)
    some_right = n - errors > 0
    return np.where(some_right, beta.ppf(1 - confidence, errors + 1, np.where(some_right, n - errors, 1)), 1.0)


def pessimistic_pruned(tree: Tree, confidence: float = 0.25) -> Tree:
    """Prune the tree of a classifier where C4.5's estimate of the errors is not reduced by a split.

    A leaf of N training rows (their weight) with E errors has the estimate :math:`N U_{CF}(E, N)`. From the leaves up,
    a node becomes a leaf if its estimate is not larger than the sum of the leaves below it. Subtree raising, as in
    C4.5, is not done. The limit is defined for classes only: trees of regressors raise an error.

    Parameters
    ----------
    tree : the tree.
    confidence : CF, the confidence of the limits; smaller values prune more.

    Returns
    -------
    The pruned tree.
    """
    if tree.max_n_classes == 1 and tree.node_count > 1:
        raise DataError(
            "pessimistic pruning of a tree without classes.",
            "a tree of a classifier",
            "For numbers use ccp_alpha or prune='reduced_error'.",
        )
    n = tree.weighted_n_node_samples
    errors = n * (1 - tree.value[:, 0].max(axis=1))
    return subtree(
        tree, worth_no_split(tree.children_left, tree.children_right, n * upper_error(errors, n, confidence))
    )
