"""The elastic net by coordinate descent on a working set of columns, with a duality gap as certificate."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from probus.errors import DataError
from probus.linear_model.datafits._quadratic import ProductsOnly, Quadratic, SparseRows
from probus.linear_model.solvers._few_columns import descend_path
from probus.linear_model.solvers._working_columns import GramColumns, SparseColumns, WorkingColumns
from probus.parallel import blas_on_one_thread

GAP = 0.01  # the duality gap is reduced to this share of the tolerance: the last digits are cheap
_FIRST = 100  # columns in the first working set
_SHARE = 0.1  # of the gap over all columns, to which the gap of the working set is reduced
_SMALL, _LAST_DIGITS, _MORE_ROUNDS = 200, 1e-6, 10  # members for which a much smaller gap is tried, some rounds long
_ROUNDING = 4 * np.finfo(np.float64).eps
_FEW, _FEW_EPOCHS = 64, 50  # columns whose path is compiled, and epochs after which a penalty is left to the rest
_EPOCHS = 10  # before the equations of the support are solved


@dataclass(frozen=True)
class Fit:
    """Coefficients, the duality gap of half the sum of squares, and the number of epochs."""

    coef: np.ndarray
    gap: float
    n_iter: int
    converged: bool


class WorkingSet:
    """Solves ½ ‖y − Xw‖² + l1 ‖w‖₁ + ½ l2 ‖w‖² for one penalty after the other, each from the solution before.

    Only columns that have been candidates for a coefficient are in the working set. A solution is accepted once the
    duality gap over *all* columns is below the tolerance; before that, the columns that violate the optimality
    conditions most join. With ``rng``, a RandomState, coefficients are visited at random.
    """

    def __init__(self, problem: Quadratic, start: np.ndarray | None = None, *, positive: bool = False, rng: Any = None):
        self._problem, self._positive, self._rng = problem, positive, rng
        self._least = _ROUNDING * problem.square  # a smaller gap is rounding
        p = problem.size[1]
        self.w = np.zeros(p) if start is None else np.array(start, dtype=np.float64)
        self._columns: WorkingColumns = (
            SparseColumns(problem) if isinstance(problem, SparseRows) else GramColumns(problem)
        )
        self._is_member = np.zeros(p, dtype=bool)
        self._join(np.flatnonzero(self.w))

    def solve_path(self, l1s: np.ndarray, l2s: np.ndarray, tol: float, max_iter: int) -> list[Fit]:
        """The solution for each pair of penalties; where columns are few, compiled as far as few epochs are enough."""
        fits: list[Fit] = []
        with blas_on_one_thread(len(self.w) > _FEW):  # between short products, threads wait longer than they work
            while len(fits) < len(l1s):
                fits += self._descend(l1s[len(fits) :], l2s[len(fits) :], tol, max_iter)
                if len(fits) < len(l1s):
                    self._extrapolate(fits, l1s)
                    fits.append(self.solve(float(l1s[len(fits)]), float(l2s[len(fits)]), tol, max_iter))
        return fits

    def _extrapolate(self, fits: list[Fit], l1s: np.ndarray) -> None:
        """Start where the last two solutions lead to: while its support is the same, a lasso path is straight."""
        k = len(fits)
        if k < 2 or l1s[k - 2] == l1s[k - 1]:
            return
        last, before = fits[-1].coef, fits[-2].coef
        ahead = last + (last - before) * min((l1s[k - 1] - l1s[k]) / (l1s[k - 2] - l1s[k - 1]), 1.0)
        self.w = np.where(ahead * last > 0.0, ahead, 0.0)

    def _descend(self, l1s: np.ndarray, l2s: np.ndarray, tol: float, max_iter: int) -> list[Fit]:
        """The solutions up to the first penalty that needs more than some epochs, for few columns only."""
        problem, p = self._problem, len(self.w)
        if not isinstance(problem, ProductsOnly) or p > _FEW or self._rng is not None or not l1s[0] > 0.0:
            return []
        coefs, gaps, epochs = np.empty((len(l1s), p)), np.empty(len(l1s)), np.empty(len(l1s), dtype=np.int64)
        low = np.full(p, 0.0 if self._positive else -np.inf)
        w = self.w.copy()
        done = descend_path(
            problem.products_of_columns, problem.products, problem.square, w, l1s, l2s, low,
            max(_LAST_DIGITS * tol, self._least), min(_FEW_EPOCHS, max_iter), coefs, gaps, epochs,
        )  # fmt: skip
        if done:
            self.w = coefs[done - 1].copy()
            self._join(np.flatnonzero((self.w != 0) & ~self._is_member))
        return [Fit(coefs[k], float(gaps[k]), int(epochs[k]), True) for k in range(done)]

    def solve(self, l1: float, l2: float, tol: float, max_iter: int) -> Fit:
        """The solution whose gap is at most ``tol``, or the best after ``max_iter`` epochs."""
        epochs, wanted = 0, tol
        while True:
            left, rr = self._problem.correlations(self.w, np.flatnonzero(self.w), l1)
            gap = self._gap(left, rr, l1, l2)
            if gap <= max(tol, self._least) or epochs >= max_iter:
                return Fit(self.w.copy(), gap, epochs, gap <= tol)
            violators, start = self._violators(left, l1), self.w.copy()
            self._join(violators)
            # an early working set is not worth a precise solution
            wanted = max(_SHARE * gap, 0.3 * tol) if len(violators) or not epochs else 0.1 * wanted
            epochs += self._reduce(l1, l2, wanted, max_iter - epochs)
            if not len(violators) and _is_still(start, self.w):
                return Fit(start, gap, epochs, False)

    def _reduce(self, l1: float, l2: float, tol: float, max_epochs: int) -> int:
        """Solve the problem of the working set to a gap of ``tol``, if it is small to the last digits; the epochs."""
        columns = self._columns
        if not len(columns.members):
            return 1
        columns.load(self.w)
        epochs, m, gap = 0, len(columns.members), np.inf
        step_tol = 0.3 * np.sqrt(tol / m)
        for rounds in count():
            order = np.arange(m) if self._rng is None else self._rng.permutation(m)
            start = columns.w.copy()
            most = min(_EPOCHS, max_epochs - epochs)
            done = columns.descend(order, l1, l2, self._positive, step_tol, most)
            epochs += done
            before, gap = gap, self._members_gap(l1, l2)
            enough = max(tol * _LAST_DIGITS if m <= _SMALL and rounds < _MORE_ROUNDS else tol, self._least)
            if gap > enough and gap >= columns.slow * before:
                columns.solve_support(l1, l2)
                gap = self._members_gap(l1, l2)
            if gap <= enough or epochs >= max_epochs or _is_still(start, columns.w):
                break
            if done < most:
                step_tol *= 0.1
        self.w[columns.members] = columns.w
        return epochs

    def _members_gap(self, l1: float, l2: float) -> float:
        columns, problem = self._columns, self._problem
        left, rr = columns.correlations()
        yr = problem.square - float(problem.products[columns.members] @ columns.w)
        return duality_gap(left, rr, yr, columns.w, l1, l2, self._positive)

    def _violators(self, left: np.ndarray, l1: float) -> np.ndarray:
        """Columns outside the working set whose coefficient should not be 0, at most as many as are in it."""
        size = left if self._positive else np.abs(left)
        outside = np.flatnonzero((size > l1) & ~self._is_member)
        most = max(_FIRST, len(self._columns.members))
        if len(outside) > most:
            outside = outside[np.argpartition(size[outside], -most)[-most:]]
        return np.sort(outside)

    def _join(self, new: np.ndarray) -> None:
        if len(new):
            self._columns.join(new)
            self._is_member[new] = True

    def _gap(self, left: np.ndarray, rr: float, l1: float, l2: float) -> float:
        yr = self._problem.square - float(self._problem.products @ self.w)
        return duality_gap(left, rr, yr, self.w, l1, l2, self._positive)


def _is_still(before: np.ndarray, after: np.ndarray) -> bool:
    """Whether coefficients have changed by rounding only: further epochs would reduce no gap."""
    return bool(np.abs(after - before).max() <= _ROUNDING * np.abs(after).max())


def duality_gap(left: np.ndarray, rr: float, yr: float, w: np.ndarray, l1: float, l2: float, positive: bool) -> float:
    """The duality gap from Xᵀr, rᵀr and yᵀr: with the penalty l2 as further rows √l2 I of X, the problem is a lasso.

    The residual of the longer rows, times the factor that is best among those that make it feasible, is a dual point.
    Without l1 the gradient bounds the gap.
    """
    left = left - l2 * w
    squares = rr + l2 * float(w @ w)
    if l1 == 0.0:
        left = np.where((w == 0.0) & (left < 0.0), 0.0, left) if positive else left
        slope = float(left @ left)
        return slope / (2.0 * l2) if l2 > 0.0 else np.sqrt(slope) * max(float(np.abs(w).sum()), 1.0)
    steepest = max(float(left.max()) if positive else float(np.abs(left).max()), 0.0)
    limit = l1 / steepest if steepest > 0.0 else np.inf
    factor = min(max(yr / squares, -limit), limit) if squares > 0.0 else 0.0
    primal = 0.5 * squares + l1 * float(np.abs(w).sum())
    return max(primal - factor * yr + 0.5 * factor**2 * squares, 0.0)


def path_fits(
    problem: Quadratic,
    alphas: np.ndarray,
    l1_ratio: float,
    *,
    start: Any = None,
    positive: bool = False,
    max_iter: int = 1000,
    tol: float = 1e-4,
    selection: str = "cyclic",
    random_state: Any = None,
    quiet: bool = False,
) -> list[Fit]:
    """The fit for each penalty, from the one before; unless ``quiet``, with a warning where one has not converged."""
    if selection not in ("cyclic", "random"):
        raise ValueError("selection should be either random or cyclic.")
    rng = check_random_state(random_state) if selection == "random" else None
    columns = WorkingSet(problem, start, positive=positive, rng=rng)
    n, limit = problem.size[0], GAP * tol * problem.square
    fits = columns.solve_path(alphas * (l1_ratio * n), alphas * ((1.0 - l1_ratio) * n), limit, max_iter)
    if not all(np.isfinite(fit.gap) and np.isfinite(fit.coef).all() for fit in fits):
        raise DataError(
            "Coordinate descent iterations resulted in non-finite parameter values: numbers of X or y are so large "
            "that their squares overflow.",
            "numbers below about 1e150",
            "Pre-process the columns, for example with StandardScaler.",
        )
    rough = [fit for fit in fits if fit.gap > tol * problem.square]
    if rough and not quiet:
        warnings.warn(
            "Objective did not converge. You might want to increase the number of iterations (max_iter), scale the "
            f"columns, or increase alpha. Of {len(fits)} penalties, {len(rough)} did not converge in {max_iter} "
            f"epochs: duality gap {max(fit.gap for fit in rough) / n:.3e}, tolerance {tol * problem.square / n:.3e}.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return fits
