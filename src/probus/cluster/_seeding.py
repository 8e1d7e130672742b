"""Where centres start: greedy k-means++, or rows drawn at random."""

from __future__ import annotations

import numpy as np

from probus.cluster._lloyd import WeightedRows
from probus.compiling import njit
from probus.parallel import blas_on_one_thread, chunked

_BLOCK = 4096
_PRECISE = 1e4  # how many times the error of a product the mean squared distance must be for single precision


def random_rows(rows: WeightedRows, k: int, random: np.random.RandomState) -> np.ndarray:
    """Different rows, drawn with probabilities by weight."""
    drawn = random.choice(len(rows.X), size=k, replace=False, p=rows.w / rows.w.sum())
    return rows.X[drawn]


def plus_plus(rows: WeightedRows, k: int, random: np.random.RandomState) -> np.ndarray:
    """Rows drawn one after another with probability ∝ weight · squared distance to the nearest row drawn before.

    Of several drawn each time, the one that lowers the sum of these most is kept (Arthur & Vassilvitskii 2007).
    """
    n, trials = len(rows.X), 2 + int(np.log(k))
    centres = np.empty((k, rows.X.shape[1]))
    centres[0] = rows.X[random.choice(n, p=rows.w / rows.w.sum())]
    nearest = np.full(n, np.inf)
    search = _Potential(rows, k, trials)
    total = search.keep(search.measure(centres[:1], nearest), 0, nearest)
    for c in range(1, k):
        ends = np.cumsum(rows.w * nearest)
        drawn = np.minimum(np.searchsorted(ends, random.uniform(size=trials) * ends[-1]), n - 1)
        candidates = rows.X[drawn]
        potentials = search.measure(candidates, nearest, total)
        best = int(np.argmin(potentials))
        centres[c] = candidates[best]
        total = search.keep(potentials, best, nearest)
    return centres


class _Potential:
    """The sums of weighted squared distances to the nearest centre, if one of several candidates were a centre."""

    def __init__(self, rows: WeightedRows, k: int, trials: int):
        self.rows = rows
        self.threads = rows.threads(k)
        self.found = np.empty((len(rows.X), trials))
        self.precision = np.float32 if float(rows.X.size) * k > 2e6 else np.float64

    def measure(self, candidates: np.ndarray, nearest: np.ndarray, total: float = np.inf) -> np.ndarray:
        """The potential with each candidate added; distances are kept for ``keep``."""
        rows = self.rows
        terms, error = rows.terms(candidates, self.precision)
        if self.precision is np.float32 and total * rows.scale**2 < _PRECISE * error * rows.w.sum():
            self.precision = np.float64  # distances have become as small as the errors of products
            terms, _ = rows.terms(candidates, self.precision)
        left, found = rows.left(self.precision), self.found[:, : len(candidates)]

        def part(start: int, stop: int) -> np.ndarray:
            products = left[start:stop] @ terms
            inside = slice(start, stop)
            return potentials(
                products, rows.squares[inside], rows.scale, rows.w[inside], nearest[inside], found[inside]
            )

        with blas_on_one_thread(self.threads > 1):
            return np.sum(chunked(part, len(rows.X), self.threads, chunk=_BLOCK), axis=0)

    def keep(self, potentials: np.ndarray, best: int, nearest: np.ndarray) -> float:
        """Make a candidate a centre; the potential after that."""
        nearest[:] = self.found[:, best]
        return float(potentials[best])


@njit(nogil=True, cache=True)
def potentials(products, squares, scale, w, nearest, found):
    """Squared distances to the nearest of the centres and each candidate.

    products (IN) float[m, t]    scaled squared distances less ‖x‖²
    squares (IN)  float64[m]     ‖x‖²;  w (IN) float64[m];  nearest (IN) float64[m]
    found (OUT)   float64[m, t];  returns float64[t] their weighted sums
    """
    trials = products.shape[1]
    sums = np.zeros(trials)
    unit = 1.0 / (scale * scale)
    for i in range(products.shape[0]):
        for t in range(trials):
            distance = max(products[i, t] * unit + squares[i], 0.0)
            kept = min(distance, nearest[i])
            found[i, t] = kept
            sums[t] += w[i] * kept
    return sums
