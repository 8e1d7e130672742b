"""The elastic net by coordinate descent on a working set of columns, with a duality gap as certificate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from probus.linear_model.coordinate_descent import descend
from probus.linear_model.quadratic import Quadratic

__all__ = ["Fit", "WorkingSet"]

_FIRST = 100  # columns in the first working set
_EPOCHS_A_CALL = 10  # at least, before the equations of the support are solved
_LARGEST_SYSTEM = 3000
_OPERATIONS = 200_000_000  # spent on solving again, about as long as the epochs between


@dataclass(frozen=True)
class Fit:
    """Coefficients, the duality gap of half the sum of squares, and the number of epochs."""

    coef: np.ndarray
    gap: float
    n_iter: int
    converged: bool


class WorkingSet:
    """Solves ½ ‖y − Xw‖² + l1 ‖w‖₁ + ½ l2 ‖w‖² for one penalty after the other, each from the solution before.

    Only columns that have been candidates for a coefficient are in the working set, and only their products are
    computed, once for all penalties. A solution is accepted once the duality gap over *all* columns is below the
    tolerance; before that, the columns that violate the optimality conditions most join. With ``rng``, a RandomState,
    coefficients are visited at random.
    """

    def __init__(self, problem: Quadratic, start: np.ndarray | None = None, *, positive: bool = False, rng: Any = None):
        self._problem, self._positive, self._rng = problem, positive, rng
        p = problem.size[1]
        self.w = np.zeros(p) if start is None else np.array(start, dtype=np.float64)
        self._members = np.empty(0, dtype=np.int64)
        self._is_member = np.zeros(p, dtype=bool)
        self._G = np.empty((0, 0))
        support = np.flatnonzero(self.w)
        self._left, self._rr = (problem.products, problem.square)
        if len(support):
            self._join(support)
            self._left, self._rr = problem.correlations(self.w, support)

    def solve(self, l1: float, l2: float, tol: float, max_iter: int) -> Fit:
        """The solution whose gap is at most ``tol``, or the best after ``max_iter`` epochs."""
        epochs, step_tol = 0, 0.3 * np.sqrt(tol / max(len(self._members), 1))
        self._join(self._violators(l1))
        gap = self._gap(l1, l2)
        while gap > tol and epochs < max_iter:
            # solving the equations of the support costs as much as many epochs
            most = max(_EPOCHS_A_CALL, int(np.count_nonzero(self.w)) // 8)
            epochs += self._descend(l1, l2, step_tol, min(max_iter - epochs, most))
            self._left, self._rr = self._problem.correlations(self.w, np.flatnonzero(self.w))
            gap = self._gap(l1, l2)
            violators = self._violators(l1)
            self._join(violators)
            if not len(violators):
                step_tol *= 0.1
        return Fit(self.w.copy(), gap, epochs, gap <= tol)

    def _descend(self, l1: float, l2: float, tol: float, epochs: int) -> int:
        members = self._members
        if not len(members):
            return 1
        w, q = self.w[members], self._left[members]
        order = np.arange(len(members)) if self._rng is None else self._rng.permutation(len(members))
        done = descend(self._G, q, w, order, l1, l2, self._positive, tol, epochs)
        if done == epochs:
            _towards_optimum(self._G, self._problem.products[members], w, l1, l2)
        self.w[members] = w
        return done

    def _violators(self, l1: float) -> np.ndarray:
        """Columns outside the working set whose coefficient should not be 0, at most as many as are in it."""
        size = self._left if self._positive else np.abs(self._left)
        outside = np.flatnonzero((size > l1) & ~self._is_member)
        most = max(_FIRST, len(self._members))
        if len(outside) > most:
            outside = outside[np.argpartition(size[outside], -most)[-most:]]
        return np.sort(outside)

    def _join(self, new: np.ndarray) -> None:
        if not len(new):
            return
        m, old = len(self._members), self._members
        self._members = np.concatenate([old, new])
        self._is_member[new] = True
        larger = np.empty((len(self._members), len(self._members)))
        larger[:m, :m] = self._G
        larger[m:] = self._problem.gram(new, self._members)
        larger[:m, m:] = larger[m:, :m].T
        self._G = larger

    def _gap(self, l1: float, l2: float) -> float:
        """The duality gap: with the penalty l2 as further rows √l2 I of X, the problem is a lasso.

        The residual of the longer rows, times the factor that is best among those that make it feasible, is a dual
        point. Without l1 the gradient bounds the gap.
        """
        w, left = self.w, self._left - l2 * self.w
        squares = self._rr + l2 * float(w @ w)
        if l1 == 0.0:
            slope = float(left @ left)
            return slope / (2.0 * l2) if l2 > 0.0 else np.sqrt(slope) * max(float(np.abs(w).sum()), 1.0)
        y_residual = self._problem.square - float(self._problem.products @ w)
        steepest = max(float(left.max()) if self._positive else float(np.abs(left).max()), 0.0)
        limit = l1 / steepest if steepest > 0.0 else np.inf
        factor = min(max(y_residual / squares, -limit), limit) if squares > 0.0 else 0.0
        primal = 0.5 * squares + l1 * float(np.abs(w).sum())
        return max(primal - factor * y_residual + 0.5 * factor**2 * squares, 0.0)


def _towards_optimum(G: np.ndarray, c: np.ndarray, w: np.ndarray, l1: float, l2: float) -> None:
    """Move w to the optimum for its signs; where some would change, drop those coefficients and solve again.

    For fixed signs the objective is a quadratic, so each step reduces it. Coordinate descent finds the signs in a few
    epochs; for correlated columns it would need thousands for the values.
    """
    support = np.flatnonzero(w)
    solves = _OPERATIONS // max(len(support), 1) ** 3 + 1 if len(support) <= _LARGEST_SYSTEM else 0
    for _ in range(min(solves, len(support))):
        support = np.flatnonzero(w)
        G_own, c_own, now = G[np.ix_(support, support)], c[support], w[support]
        best = _optimum(G_own, c_own, now, l1, l2)
        crossing = np.sign(best) != np.sign(now)
        candidates = [now, np.where(crossing, 0.0, best)]
        if crossing.any():
            shares = -now[crossing] / (best - now)[crossing]
            candidates.append(now + shares.min() * (best - now))  # to the first change of sign
            candidates[-1][np.flatnonzero(crossing)[shares.argmin()]] = 0.0
        values = [0.5 * v @ (G_own @ v + l2 * v) - c_own @ v + l1 * np.abs(v).sum() for v in candidates]
        chosen = int(np.argmin(values))
        w[support] = candidates[chosen]
        if chosen == 0 or not crossing.any():
            return


def _optimum(G: np.ndarray, c: np.ndarray, w: np.ndarray, l1: float, l2: float) -> np.ndarray:
    """The coefficients that are optimal for the signs of w, nearly so where columns are dependent."""
    size = float(G.diagonal().mean())
    for extra in (0.0, 1e-12 * size, 1e-9 * size):
        system = G.copy()
        system.flat[:: len(G) + 1] += l2 + extra
        try:
            factor = linalg.cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
        except linalg.LinAlgError:
            continue
        return linalg.cho_solve(factor, c - l1 * np.sign(w), check_finite=False)
    return w
