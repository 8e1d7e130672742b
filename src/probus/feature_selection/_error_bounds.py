"""How many columns stability selection chooses wrongly: the bounds of Meinshausen and Bühlmann, Shah and Samworth."""

from __future__ import annotations

import numpy as np

from probus.errors import DataError

BOUNDS = ("unimodal", "r-concave", "general")
_GRID = np.geomspace(1e-5, 1e5, 2_000)
_LIMIT = 1 / np.sqrt(3)  # of q / p, up to which the second bound is proven


def stability_bound(q: float, p: int, threshold: float, *, n_pairs: int = 50, bound: str = "unimodal") -> float:
    r"""The largest expected number of columns that are chosen although they are selected rarely.

    Rarely is with a probability of at most q / p, that of a column chosen blindly. The bound "general" is that of
    Meinshausen and Bühlmann (2010), :math:`q^2 / ((2\pi - 1) p)`. It needs no further assumption for complementary
    pairs. Those of Shah and Samworth (2013) are tighter. "unimodal" is for shares with a unimodal distribution: the
    share of pairs that select a column in both halves. "r-concave" is for that share being -1/2-concave, and the share
    of halves -1/4-concave.

    Parameters
    ----------
    q : the number of columns selected in each half, on average.
    p : the number of columns.
    threshold : the share π of the halves from which a column is chosen, above 1/2.
    n_pairs : the number of pairs of halves.
    bound : "unimodal", "r-concave" or "general".

    Returns
    -------
    The bound.

    >>> round(stability_bound(8, 100, 0.9, bound="general"), 3), round(stability_bound(8, 100, 0.9), 3)
    (0.8, 0.276)
    """
    if not 0.5 < threshold <= 1 or not 0 < q <= p or n_pairs < 1 or bound not in BOUNDS:
        raise DataError(
            f"q={q}, p={p}, threshold={threshold}, n_pairs={n_pairs}, bound={bound!r}.",
            f"0 < q ≤ p, a threshold in (1/2, 1], and a bound of {', '.join(map(repr, BOUNDS))}",
        )
    general = q * q / ((2 * threshold - 1) * p)
    share = q / p
    if bound == "r-concave":
        both = concave_tail(share**2, 2 * threshold - 1, n_pairs, -1 / 2)
        return float(min(general, p * min(both, concave_tail(share, threshold, 2 * n_pairs, -1 / 4))))
    if bound == "general" or share > _LIMIT:
        return float(general)
    least = min(0.5 + share**2, 0.5 + 1 / (2 * n_pairs) + 0.75 * share**2)
    if threshold <= least:
        return float(general)
    if threshold <= 0.75:
        factor = 1 / (2 * (2 * threshold - 1 - 1 / (2 * n_pairs)))
    else:
        factor = 4 * (1 - threshold + 1 / (2 * n_pairs)) / (1 + 1 / n_pairs)
    return float(min(general, factor * q * q / p))


def concave_tail(mean: float, t: float, n: int, r: float) -> float:
    """The largest probability of t or more, of r-concave distributions on 0, 1/n, …, 1 with a mean of at most ``mean``.

    It is that of probabilities proportional to (a + i)^(1/r) up to some k, and less than that at k + 1, such that the
    mean is reached. The best a and k are found on a grid. From half of t on, a mean gives no bound but 1.

    >>> round(concave_tail(0.01, 0.5, 50, -0.5), 5)
    0.0028
    """
    centre, least = mean * n, int(np.ceil(t * n - 1e-9))
    if least <= np.ceil(2 * centre):
        return 1.0
    values = (_GRID[:, None] + np.arange(n + 2)) ** (1 / r)
    sums, moments = np.cumsum(values, axis=1), np.cumsum(values * np.arange(n + 2), axis=1)
    best = 0.0
    for k in range(least - 1, n):
        scale = (k + 1 - centre) / ((k + 1) * sums[:, k] - moments[:, k])
        last = 1 - scale * sums[:, k]
        possible = (last >= 0) & (last <= scale * values[:, k + 1])
        if possible.any():
            best = max(best, float((1 - scale * sums[:, least - 1])[possible].max()))
    return best or 1.0


def largest_number(p: int, threshold: float, max_errors: float, n_pairs: int, bound: str) -> int:
    """The largest number of columns selected in each half whose bound is at most ``max_errors``; at least 1."""
    low, high = 1, p  # the bound grows with q
    while low < high:
        q = (low + high + 1) // 2
        fits = stability_bound(q, p, threshold, n_pairs=n_pairs, bound=bound) <= max_errors
        low, high = (q, high) if fits else (low, q - 1)
    return low


def smallest_threshold(q: int, p: int, max_errors: float, n_pairs: int, bound: str) -> float | None:
    """The smallest threshold, of those that a share of the halves can have, whose bound is at most ``max_errors``."""
    shares = np.arange(n_pairs + 1, 2 * n_pairs + 1) / (2 * n_pairs)
    return next(
        (float(s) for s in shares if stability_bound(q, p, float(s), n_pairs=n_pairs, bound=bound) <= max_errors), None
    )
