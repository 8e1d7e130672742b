"""The distribution of one column within each class: a normal, a kernel density, or frequencies of levels.

Each is estimated from the values that are not missing. A class without values uses those of all classes. A constant
column is ignored, which is stored as NaN.
"""

from __future__ import annotations

import numpy as np

from probus.errors import DataError

_FAR = 1e150  # standard deviations: a square of this is still finite


def normal_fit(
    x: np.ndarray, label: np.ndarray, w: np.ndarray, n_classes: int, var_smoothing: float, name: str = "x"
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and variance within each class, with a lower bound on the variance from the column's resolution.

    A value represents all numbers rounded to it: an interval as wide as the smallest difference g between two values,
    with variance g²/12. Without this bound a column that is constant within a class would dominate all others. A
    share of the column's total variance is added as well.

    >>> normal_fit(np.array([1.0, 5, 8, np.nan]), np.array([0, 0, 1, 1]), np.ones(4), 2, var_smoothing=0.0)
    (array([3., 8.]), array([4.  , 0.75]))
    """
    counted = ~np.isnan(x) & (w > 0)
    x, label, w = x[counted], label[counted], w[counted]
    varies = len(x) > 0 and x.min() < x.max()
    if not varies:
        return np.full(n_classes, np.nan), np.full(n_classes, np.nan)
    centre = np.average(x, weights=w)
    with np.errstate(over="ignore", under="ignore"):
        spread = np.average((x - centre) ** 2, weights=w)
    if not np.finfo(np.float64).tiny <= spread < np.inf:
        raise DataError(*refuse_variance(name, x))
    total = np.bincount(label, w, n_classes)
    seen = total > 0
    theta, var = np.full(n_classes, centre), np.full(n_classes, spread)
    theta[seen] += np.bincount(label, w * (x - centre), n_classes)[seen] / total[seen]
    var[seen] = np.bincount(label, w * (x - theta[label]) ** 2, n_classes)[seen] / total[seen]
    resolution = np.diff(np.unique(x)).min()
    return theta, np.maximum(var, resolution**2 / 12.0) + var_smoothing * spread


def refuse_variance(name: str, x: np.ndarray) -> tuple[str, str, str]:
    """The error of a column whose variance overflows or underflows."""
    return (
        f"column {name!r} has values from {x.min():g} to {x.max():g}: their variance is outside the range of doubles.",
        "differences between 1e-150 and 1e150",
        "Multiply the column by a constant.",
    )


def clipped(x: np.ndarray, theta: np.ndarray, var: np.ndarray) -> np.ndarray:
    """x with values so far from all classes that their squares overflow moved nearer, on the same side.

    >>> clipped(np.array([2.0, 1e300]), np.zeros(2), np.ones(2))
    array([2.e+000, 1.e+150])
    """
    far = _FAR * np.sqrt(var.min(axis=0))
    return np.clip(x, theta.min(axis=0) - far, theta.max(axis=0) + far)


def normal_log_densities(x: np.ndarray, theta: np.ndarray, var: np.ndarray) -> np.ndarray:
    """log N(x; θ_k, σ²_k) for every value and class; 0, so that the factor is omitted, where either is NaN."""
    scores = -0.5 * ((x[:, None] - theta) ** 2 / var + np.log(2.0 * np.pi * var))
    scores[np.isnan(scores)] = 0.0
    return scores


def class_samples(
    x: np.ndarray, label: np.ndarray, w: np.ndarray, n_classes: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each class the distinct values, ascending, and their weights, for a kernel density."""
    counted = ~np.isnan(x) & (w > 0)
    samples = []
    for k in range(n_classes):
        own = counted & (label == k)
        chosen = own if own.any() else counted
        values, places = np.unique(x[chosen], return_inverse=True)
        samples.append((values, np.bincount(places, w[chosen], len(values))))
    return samples


def level_log_probs(counts: np.ndarray, smoothing: str, alpha: float, epsilon: float) -> np.ndarray:
    """log P(level | class) from weighted counts of K × levels, with every probability above 0.

    laplace: (α + count) / (α levels + total). epsilon: ε where the count is zero, the other frequencies scaled
    so that the sum is 1.

    >>> np.exp(level_log_probs(np.array([[3.0, 0.0]]), "laplace", 1.0, 0.0))
    array([[0.8, 0.2]])
    >>> np.exp(level_log_probs(np.array([[3.0, 0.0]]), "epsilon", 0.0, 0.1))
    array([[0.9, 0.1]])
    """
    n_levels = counts.shape[1]
    if n_levels == 0:
        return counts
    total = counts.sum(axis=1, keepdims=True)
    if smoothing == "laplace":
        return np.log(alpha + counts) - np.log(alpha * n_levels + total)
    empty = counts == 0
    left = 1.0 - epsilon * empty.sum(axis=1, keepdims=True)
    seen = total > 0
    if (left[seen] <= 0).any():
        raise DataError(
            f"epsilon={epsilon:g} for each of {empty.sum(axis=1).max()} levels that do not occur in a class "
            "leaves no probability for those that do.",
            "epsilon below 1 / rows",
            "Pass a smaller epsilon, or None.",
        )
    shares = np.where(empty, epsilon, left * counts / np.where(seen, total, 1.0))
    return np.log(np.where(seen, shares, 1.0 / n_levels))
