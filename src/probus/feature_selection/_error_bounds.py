"""How many columns stability selection chooses wrongly: the bounds of Meinshausen and Bühlmann, Shah and Samworth."""

from __future__ import annotations

import numpy as np

from probus.errors import DataError

BOUNDS = ("unimodal", "general")
_LIMIT = 1 / np.sqrt(3)  # of q / p, up to which the second bound is proven


def stability_bound(q: float, p: int, threshold: float, *, n_pairs: int = 50, bound: str = "unimodal") -> float:
    r"""The largest expected number of columns that are chosen although they are selected rarely.

    Rarely is with a probability of at most q / p, that of a column chosen blindly. "general" is
    :math:`q^2 / ((2\pi - 1) p)` (Meinshausen and Bühlmann 2010), which needs no further assumption for complementary
    pairs of samples. "unimodal" (Shah and Samworth 2013) is tighter where the share of pairs that select a column in
    both halves has a unimodal distribution.

    Parameters
    ----------
    q : the number of columns selected in each half, on average.
    p : the number of columns.
    threshold : the share π of the halves from which a column is chosen, above 1/2.
    n_pairs : the number of pairs of halves.
    bound : "unimodal" or "general".

    Returns
    -------
    The bound.

    >>> round(stability_bound(8, 100, 0.9, bound="general"), 3), round(stability_bound(8, 100, 0.9), 3)
    (0.8, 0.276)
    """
    if not 0.5 < threshold <= 1 or not 0 < q <= p or n_pairs < 1 or bound not in BOUNDS:
        raise DataError(
            f"q={q}, p={p}, threshold={threshold}, n_pairs={n_pairs}, bound={bound!r}.",
            "0 < q ≤ p, a threshold in (1/2, 1], and bound 'unimodal' or 'general'",
        )
    general = q * q / ((2 * threshold - 1) * p)
    share = q / p
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


def largest_number(p: int, threshold: float, max_errors: float, n_pairs: int, bound: str) -> int:
    """The largest number of columns selected in each half whose bound is at most ``max_errors``; at least 1."""
    bounds = (stability_bound(q, p, threshold, n_pairs=n_pairs, bound=bound) for q in range(1, p + 1))
    return max((q for q, most in enumerate(bounds, 1) if most <= max_errors), default=1)


def smallest_threshold(q: int, p: int, max_errors: float, n_pairs: int, bound: str) -> float | None:
    """The smallest threshold, of those that a share of the halves can have, whose bound is at most ``max_errors``."""
    shares = np.arange(n_pairs + 1, 2 * n_pairs + 1) / (2 * n_pairs)
    return next(
        (float(s) for s in shares if stability_bound(q, p, float(s), n_pairs=n_pairs, bound=bound) <= max_errors), None
    )
