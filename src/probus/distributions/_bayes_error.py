"""The least error of any classifier, and what nearest neighbours add to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from probus.distributions._distribution import Distribution
from probus.errors import DataError

_TAIL = 1e-12


def bayes_error(classes: Sequence[Distribution], priors: Any = None) -> float:
    """How often the best possible classifier is wrong, where the distribution of each class is known.

    It predicts the class of the largest πₖ fₖ(x). Its error, 1 − ∫ maxₖ πₖ fₖ(x) dx, is a lower bound for every
    classifier on the same variable.

    Parameters
    ----------
    classes : the distribution of the variable in each class, all discrete or none.
    priors : the share of each class; None is equal shares.

    Returns
    -------
    The error.

    >>> from probus.distributions import Normal
    >>> round(bayes_error([Normal(0, 1), Normal(2, 1)]), 4)
    0.1587
    """
    if len(classes) < 2:
        raise DataError(f"{len(classes)} distributions.", "one for each of at least two classes")
    if len({each.discrete for each in classes}) > 1:
        raise DataError("discrete and continuous distributions together.", "distributions of one kind")
    shares = _checked_priors(priors, len(classes))
    if classes[0].discrete:
        ends = [int(each.quantile(1 - _TAIL)) for each in classes]
        joint = shares[:, None] * np.array([each.density(np.arange(max(ends) + 2)) for each in classes])
        return float(joint.sum() - joint.max(axis=0).sum())
    return _continuous_error(classes, shares)


def _checked_priors(priors: Any, n: int) -> np.ndarray:
    shares = np.full(n, 1.0 / n) if priors is None else np.asarray(priors, dtype=np.float64)
    if shares.shape != (n,) or not (shares >= 0).all() or not np.isclose(shares.sum(), 1.0):
        raise DataError(f"priors={priors!r}.", f"{n} shares of 0 or more with the sum 1")
    return shares


def _continuous_error(classes: Sequence[Distribution], shares: np.ndarray) -> float:
    """The error from the cumulative distributions between the points where the best class changes."""
    from scipy.optimize import brentq

    # a grid that is dense where any of the classes is
    levels = np.concatenate([[_TAIL], np.linspace(0.0005, 0.9995, 2000), [1 - _TAIL]])
    grid = np.unique(np.concatenate([each.quantile(levels) for each in classes]))

    def scores(x: Any) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.log(shares)[:, None] + np.array(
                [each._log_density(np.atleast_1d(x), each.known_) for each in classes]
            )

    best = scores(grid).argmax(axis=0)
    cuts, winners = [-np.inf], [best[0]]
    for place in np.flatnonzero(np.diff(best)):
        a, b = best[place], best[place + 1]

        def lead(x: float, a: int = a, b: int = b) -> float:
            at = scores(x)[:, 0]
            return float(np.clip(at[a] - at[b], -1e300, 1e300))

        left, right = grid[place], grid[place + 1]
        cuts.append(brentq(lead, left, right) if lead(left) * lead(right) < 0 else right)
        winners.append(b)
    cuts.append(np.inf)
    error = 0.0
    for winner, low, high in zip(winners, cuts[:-1], cuts[1:], strict=True):
        inside = np.array([each.cumulative(high) - each.cumulative(low) for each in classes])
        error += float(shares @ inside - shares[winner] * inside[winner])
    return error


def neighbours_error_bound(bayes_error: float, n_neighbors: int = 1, n_classes: int = 2) -> float:
    r"""The largest error that nearest neighbours have with ever more rows, from the least possible one.

    One neighbour is at most wrong :math:`R (2 - \frac{K}{K - 1} R)` of the time for K classes, so at most twice as
    often as the best classifier (Cover and Hart 1967). For two classes and an odd number k of neighbours from 3 on it
    is :math:`R (1 + \sqrt{2/k})` (Devroye, Györfi and Lugosi 1996); for an even number that of one fewer.

    Parameters
    ----------
    bayes_error : R, the error of the best possible classifier.
    n_neighbors : k, the number of neighbours that vote.
    n_classes : K, the number of classes.

    Returns
    -------
    The bound.

    >>> round(neighbours_error_bound(0.1), 3), round(neighbours_error_bound(0.1, n_neighbors=50), 3)
    (0.18, 0.12)
    """
    most = 1 - 1 / n_classes
    if not 0 <= bayes_error <= most:
        raise DataError(f"bayes_error={bayes_error!r}.", f"a number from 0 to {most:.3g}, the error of guessing")
    if n_neighbors < 1:
        raise DataError(f"n_neighbors={n_neighbors!r}.", "at least 1")
    one = bayes_error * (2 - bayes_error / most)
    if n_neighbors < 3:
        return float(one)
    if n_classes != 2:
        raise DataError(f"n_classes={n_classes} with n_neighbors={n_neighbors}.", "two classes, or one neighbour")
    odd = n_neighbors - 1 + n_neighbors % 2
    return float(min(one, bayes_error * (1 + np.sqrt(2 / odd))))
