"""Fisher's exact test of many rules."""

from __future__ import annotations

from math import exp, lgamma

import numpy as np

from probus.compiling import njit


@njit(nogil=True, cache=True)
def _log_probability(both, one, other, n):
    """ln P(K = both) of the hypergeometric distribution: ``one`` of n baskets drawn, ``other`` hold the item."""
    drawn = lgamma(one + 1.0) - lgamma(both + 1.0) - lgamma(one - both + 1.0)
    rest = lgamma(n - one + 1.0) - lgamma(other - both + 1.0) - lgamma(n - one - other + both + 1.0)
    return drawn + rest - lgamma(n + 1.0) + lgamma(other + 1.0) + lgamma(n - other + 1.0)


@njit(nogil=True, cache=True)
def fisher_tails(both, one, other, n):
    """P(K ≥ both) if the two sides of a rule were independent, summed from the end where terms fall.

    both, one, other (IN) int64[r]  baskets that hold both sides, the one, the other, of n
    """
    tails = np.empty(both.shape[0])
    for r in range(both.shape[0]):
        a, x, y = both[r], one[r], other[r]
        least, most = max(0, x + y - n), min(x, y)
        upper = a * n > x * y
        k = a if upper else a - 1
        total = 0.0
        if least <= k <= most:
            term = exp(_log_probability(k, x, y, n))
            while term > 1e-17 * total and term > 0.0:
                total += term
                if upper:
                    term *= (x - k) * (y - k) / ((k + 1.0) * (n - x - y + k + 1.0))
                    k += 1
                else:
                    term *= k * (n - x - y + k) / ((x - k + 1.0) * (y - k + 1.0))
                    k -= 1
        tails[r] = min(total, 1.0) if upper else max(1.0 - total, 0.0)
    return tails
