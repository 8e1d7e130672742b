"""Lloyd's iteration for k-means, exact, without most of its distances.

Two bounds are kept for each row: on the distance to its own centre from above, and on that to any other centre from
below (Hamerly 2010). When centres move, the bounds move with them; only rows whose bounds cross need distances. Often
a few centres move far and the others hardly: then the distances to these few are computed for all rows, and the lower
bounds move by the others only.

Rows are measured in blocks by matrix products in single precision, whose rounding errors are bounded: where two centres
are nearer to each other than the error, the distances are computed again in double precision.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probus.compiling import njit
from probus.parallel import blas_on_one_thread, chunked, thread_count

_BLOCK = 1024  # rows: a block of products with a hundred centres stays in the second-level cache
_FEW = 4  # where fewer than one row in so many is searched, blocks are as many times larger
_FAST = 12  # one in so many centres may be a fast one
_MUCH_FASTER = 2.0  # than the fastest of the others, for their distances to be worth computing
_TOO_COARSE = 0.05  # share of searched rows that need double precision, above which all products are made in it
_SMALLEST_SINGLE = 2e6  # products below which a copy of the rows in single precision costs more than it saves


class WeightedRows:
    """Weighted rows, and the copies of them that matrix products need.

    X : rows × columns; centred, so that products lose few digits.
    w : weight of each row.
    """

    def __init__(self, X: np.ndarray, w: np.ndarray, n_jobs: int | None = None):
        self.X, self.w, self.n_jobs = X, w, n_jobs
        self.squares = np.einsum("ij,ij->i", X, X)
        largest = float(np.sqrt(self.squares.max(initial=0.0)))
        # a power of two: scaling by it is exact, and single precision neither overflows nor underflows
        self.scale = 2.0 ** -np.round(np.log2(largest)) if 0 < largest < np.inf else 1.0
        self.largest = largest * self.scale
        self._left: dict[type, np.ndarray] = {}

    def left(self, precision: type) -> np.ndarray:
        """Rows (x, 1), scaled, that are multiplied by the terms of centres."""
        if precision not in self._left:
            left = np.empty((len(self.X), self.X.shape[1] + 1), dtype=precision)

            def part(start: int, stop: int) -> None:
                np.multiply(self.X[start:stop], self.scale, out=left[start:stop, :-1], casting="same_kind")
                left[start:stop, -1] = 1.0

            chunked(part, len(left), self.threads(1), chunk=_FEW * _BLOCK)
            self._left[precision] = left
        return self._left[precision]

    def terms(self, centres: np.ndarray, precision: type) -> tuple[np.ndarray, float]:
        """The matrix (−2 cᵀ ; ‖c‖²) of centres, scaled, and the error of products with it, in scaled units."""
        scaled = centres * self.scale
        squares = np.einsum("ij,ij->i", scaled, scaled)
        terms: np.ndarray = np.vstack([-2.0 * scaled.T, squares]).astype(precision)
        slack = 2.0 * (self.X.shape[1] + 16) * float(np.finfo(precision).eps)
        return terms, slack * (self.largest + float(np.sqrt(squares.max(initial=0.0)))) ** 2

    def threads(self, n_centres: int) -> int:
        """The number of threads for products with so many centres."""
        return thread_count(self.n_jobs, float(self.X.size) * n_centres)


@dataclass
class FittedCentres:
    """Centres, the nearest of each row, and how they were found."""

    centres: np.ndarray
    labels: np.ndarray
    inertia: float
    n_iter: int
    converged: bool


class _Assignment:
    """The nearest centre of each row, kept up to date while centres move."""

    def __init__(self, rows: WeightedRows, centres: np.ndarray):
        n, (k, d) = len(rows.X), centres.shape
        self.rows, self.threads = rows, rows.threads(k)
        self.labels, self.previous = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
        self.upper, self.lower = np.full(n, np.inf), np.zeros(n)  # bounds of distances, in scaled units
        self.sums, self.weight, self.size = np.zeros((k, d)), np.zeros(k), np.zeros(k, np.int64)
        self.precision = np.float32 if float(n) * k * d > _SMALLEST_SINGLE else np.float64
        self.moves = 0  # rows moved between sums since these were computed from all rows
        self.block = _BLOCK

    def update(self, centres: np.ndarray, shifts: np.ndarray) -> bool:
        """Find the nearest centres after each centre has moved by its shift; whether any row changed its centre."""
        rows = self.rows
        terms, error = rows.terms(centres, self.precision)
        left = rows.left(self.precision)
        scaled = centres * rows.scale
        coarse = scaled.astype(self.precision)
        shifts = shifts * rows.scale
        fast, first, most, second = _fast_centres(shifts)
        fast_terms = np.ascontiguousarray(terms[:, fast])
        halves = _half_distances(scaled) if len(scaled) > 1 else np.full(1, np.inf)

        def part(start: int, stop: int) -> np.ndarray:
            wanted = np.empty(stop - start, np.int64)
            near = left[start:stop] @ fast_terms
            m = sift_rows(
                start, stop, left, coarse, shifts, first, most, second, halves, fast, near, error, rows.squares,
                rows.scale, self.labels, self.upper, self.lower, wanted,
            )  # fmt: skip
            if m == 0:
                return np.zeros(2, np.int64)
            wanted = wanted[:m]
            searched = left[start:stop] if m == stop - start else left[wanted]
            bounds = terms.T @ searched.T  # centres × rows, so that rows are compared side by side
            unsure = assign_rows(
                wanted, bounds, error, rows.X, rows.scale, scaled, rows.squares, self.labels, self.upper, self.lower
            )  # fmt: skip
            return np.array([m, unsure])

        with blas_on_one_thread(self.threads > 1):
            searched, unsure = np.sum(chunked(part, len(rows.X), self.threads, chunk=self.block), axis=0)
        self.block = _BLOCK if searched > len(rows.X) // _FEW else _FEW * _BLOCK
        if unsure > _TOO_COARSE * max(searched, _BLOCK):
            self.precision = np.float64
        return self.move_rows() > 0

    def move_rows(self) -> int:
        """Bring the sums up to date with the labels; how many rows have changed theirs."""
        moved = np.flatnonzero(self.labels != self.previous)
        self.moves += len(moved)
        if self.moves > len(self.labels):  # rounding errors of so many moves add up
            self.sums[:], self.weight[:], self.size[:], self.previous[:] = 0.0, 0.0, 0, -1
            self.moves = 0
            add_moved(self.rows.X, self.rows.w, np.arange(len(self.labels)), *self._kept())
        else:
            add_moved(self.rows.X, self.rows.w, moved, *self._kept())
        return len(moved)

    def _kept(self) -> tuple[np.ndarray, ...]:
        return self.labels, self.previous, self.sums, self.weight, self.size


def lloyd(rows: WeightedRows, centres: np.ndarray, max_iter: int, tol: float, verbose: int = 0) -> FittedCentres:
    """Move centres to the means of their rows until no row changes its centre, or centres move by less than tol.

    tol : on the sum of the squared lengths of the moves.
    """
    centres = np.array(centres, dtype=np.float64)
    say = print if verbose else _silent
    say("Initialization complete")
    near = _Assignment(rows, centres)
    shifts = np.zeros(len(centres))
    n_iter, converged, settled = 0, False, False
    for n_iter in range(1, max_iter + 1):
        changed = near.update(centres, shifts)
        if not changed:
            converged = settled = True
            say(f"Converged at iteration {n_iter}: strict convergence.")
            break
        moved = _means(near, centres)
        shifts = np.sqrt(np.einsum("ij,ij->i", moved - centres, moved - centres))
        centres = moved
        if verbose:
            say(f"Iteration {n_iter}, inertia {_inertia(rows, centres, near.labels)}.")
        if (moved_by := float(shifts @ shifts)) <= tol:
            converged = True
            say(f"Converged at iteration {n_iter}: center shift {moved_by} within tolerance {tol}.")
            break
    if not settled:  # labels of the last centres
        near.update(centres, shifts)
    return FittedCentres(centres, near.labels, _inertia(rows, centres, near.labels), n_iter, converged)


def _silent(text: str) -> None:
    """Where nothing is to be printed."""


def nearest_centres(X: np.ndarray, centres: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
    """The number of the centre nearest to each row, of equally near ones the first."""
    centres = np.asarray(centres, dtype=np.float64)
    middle = centres.mean(axis=0)
    rows = WeightedRows(np.ascontiguousarray(X - middle), np.ones(len(X)), n_jobs)
    near = _Assignment(rows, centres - middle)
    near.update(centres - middle, np.zeros(len(centres)))
    return near.labels


def _means(near: _Assignment, centres: np.ndarray) -> np.ndarray:
    """The weighted mean of the rows of each centre; an empty one moves to the row furthest from its own centre."""
    empty = np.flatnonzero(near.size == 0)
    if len(empty):
        _fill_empty(near, centres, empty)
    held = near.size > 0
    means = centres.copy()
    means[held] = near.sums[held] / near.weight[held, None]
    return means


def _fill_empty(near: _Assignment, centres: np.ndarray, empty: np.ndarray) -> None:
    """Give each empty centre the row furthest from its own centre, as scikit-learn does."""
    rows = near.rows
    away = np.empty(len(rows.X))
    distances_to_own(rows.X, centres, near.labels, away)
    away[rows.w <= 0] = -1.0
    furthest = np.argsort(-away, kind="stable")[: len(empty)]
    for centre, row in zip(empty, furthest, strict=False):
        if away[row] <= 0.0:
            return  # fewer distinct rows than centres: it stays empty
        near.labels[row], near.upper[row], near.lower[row] = centre, np.inf, 0.0
    near.move_rows()


def _inertia(rows: WeightedRows, centres: np.ndarray, labels: np.ndarray) -> float:
    away = np.empty(len(rows.X))
    distances_to_own(rows.X, centres, labels, away)
    return float(rows.w @ away)


def _fast_centres(shifts: np.ndarray) -> tuple[np.ndarray, int, float, float]:
    """The fast centres, if any, the centre that moved most of the others, its move, and the next one."""
    order = np.argsort(-shifts, kind="stable")
    f = len(shifts) // _FAST
    if f and shifts[order[0]] <= _MUCH_FASTER * shifts[order[f]]:
        f = 0
    slow = np.append(shifts[order[f:]], 0.0)
    return order[:f], int(order[f]), float(slow[0]), float(slow[1])


def _half_distances(centres: np.ndarray) -> np.ndarray:
    """Half the distance of each centre to its nearest other: rows nearer than that have no nearer centre."""
    from scipy.spatial.distance import cdist

    between = cdist(centres, centres)
    np.fill_diagonal(between, np.inf)
    return 0.5 * between.min(axis=1)


@njit(nogil=True, cache=True, fastmath={"contract", "reassoc"})
def _squares(x, scale, c):
    total = 0.0
    for j in range(x.shape[0]):
        difference = x[j] * scale - c[j]
        total += difference * difference
    return total


@njit(nogil=True, cache=True, fastmath={"contract", "reassoc"})
def _squared_coarsely(x, c):
    """In the precision of the rows, whose error is below that of products."""
    total = x.dtype.type(0)
    for j in range(c.shape[0]):
        total += (x[j] - c[j]) * (x[j] - c[j])
    return total


@njit(nogil=True, cache=True)
def sift_rows(
    start, stop, left, centres, shifts, first, most, second, halves, fast, near, error, squares, scale, labels, upper,
    lower, wanted,
):  # fmt: skip
    """The rows start … stop whose bounds do not show that their centre is still the nearest.

    left (IN)              float[n, d + 1]  rows (x, 1), scaled;  centres (IN) float[k, d] scaled
    shifts (IN)            float64[k]     how far each centre has moved
    first, most, second (IN) the centre that moved furthest but for the fast ones, its move, and the next one
    fast (IN)              int64[f]       centres whose distances to all rows are known;  error (IN) of ``assign_rows``
    near (IN)              float[m, f]    these distances, as ``bounds`` of ``assign_rows``;  squares (IN) float64[n]
    halves (IN)            float64[k]     half the distance to the nearest other centre
    labels (IN)            int32[n]
    upper, lower (IN, OUT) float64[n]     bounds of the distances to the own centre and to the nearest other one
    wanted (OUT)           int64[…]       the rows to search;  returns their number
    """
    found = 0
    for i in range(start, stop):
        own = labels[i]
        if own < 0:
            wanted[found] = i
            found += 1
            continue
        upper[i] = (upper[i] + shifts[own]) * (1.0 + 1e-15)
        lower[i] -= second if own == first else most
        nearest = np.inf
        for f in range(fast.shape[0]):
            if fast[f] != own:
                nearest = min(nearest, near[i - start, f])
        nearest += squares[i] * scale * scale - error
        if nearest < lower[i] * lower[i]:
            lower[i] = np.sqrt(max(nearest, 0.0))
        bound = max(halves[own], lower[i]) * (1.0 - 1e-12)
        if upper[i] < bound:
            continue
        upper[i] = np.sqrt(_squared_coarsely(left[i], centres[own]) + error)
        if upper[i] < bound:
            continue
        wanted[found] = i
        found += 1
    return found


@njit(nogil=True, cache=True)
def two_least(bounds, least, other, best):
    """The two least bounds of each row, and the centre of the first.

    bounds (IN) float[k, m];  least, other (OUT) float[m];  best (OUT) int32[m]
    """
    least[:] = bounds[0]
    other[:] = np.inf
    best[:] = 0
    for j in range(1, bounds.shape[0]):
        row = bounds[j]
        for m in range(row.shape[0]):
            value = row[m]
            lower = value < least[m]
            second = least[m] if lower else value
            other[m] = second if second < other[m] else other[m]
            least[m] = value if lower else least[m]
            best[m] = j if lower else best[m]


@njit(nogil=True, cache=True)
def assign_rows(wanted, bounds, error, X, scale, centres, squares, labels, upper, lower):
    """The nearest centre of each of these rows, from products.

    wanted (IN)        int64[m]
    bounds (IN)        float[k, m]    squared distances less ‖x‖², scaled, each wrong by at most error
    squares (IN)       float64[n]     ‖x‖², not scaled
    labels (OUT)       int32[n];  upper, lower (OUT) float64[n]  bounds of distances
    returns            int            how many rows needed distances in double precision
    """
    least, other = np.empty_like(bounds[0]), np.empty_like(bounds[0])
    best = np.empty(wanted.shape[0], np.int32)
    two_least(bounds, least, other, best)
    unsure = 0
    for m in range(wanted.shape[0]):
        i = wanted[m]
        square = squares[i] * scale * scale
        first, second = np.float64(least[m]), np.float64(other[m])
        labels[i] = best[m]
        if second - first > 2.0 * error:
            upper[i] = np.sqrt(max(first + square + error, 0.0))
            lower[i] = np.sqrt(max(second + square - error, 0.0))
            continue
        unsure += 1
        limit = first + 2.0 * error
        first = second = np.float64(np.inf)
        for j in range(bounds.shape[0]):
            if bounds[j, m] <= limit:
                distance = _squares(X[i], scale, centres[j])
                if distance < first:
                    second = first
                    first = distance
                    labels[i] = j
                elif distance < second:
                    second = distance
            else:
                second = min(second, max(np.float64(bounds[j, m]) + square - error, 0.0))
        upper[i] = np.sqrt(first) * (1.0 + 1e-12)
        lower[i] = np.sqrt(second) * (1.0 - 1e-12)
    return unsure


@njit(nogil=True, cache=True)
def add_moved(X, w, moved, labels, previous, sums, weight, size):
    """Take rows from the sums of the centres that they had, if any, and add them to those of the new ones.

    moved (IN)         int64[m];  labels (IN) int32[n]
    previous (IN, OUT) int32[n]   the centre before, −1 for none
    sums (IN, OUT)     float64[k, d];  weight (IN, OUT) float64[k];  size (IN, OUT) int64[k] rows of positive weight
    """
    for i in moved:
        old, new = previous[i], labels[i]
        for j in range(X.shape[1]):
            value = w[i] * X[i, j]
            sums[new, j] += value
            if old >= 0:
                sums[old, j] -= value
        weight[new] += w[i]
        size[new] += w[i] > 0.0
        if old >= 0:
            weight[old] -= w[i]
            size[old] -= w[i] > 0.0
        previous[i] = new


@njit(nogil=True, cache=True)
def distances_to_own(X, centres, labels, out):
    """The squared distance of each row to its centre."""
    for i in range(X.shape[0]):
        out[i] = _squares(X[i], 1.0, centres[labels[i]])
