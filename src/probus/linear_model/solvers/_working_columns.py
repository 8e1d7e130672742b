"""The elastic net problem of some columns: coordinate descent, and the equations of the support.

For fixed signs the objective is a quadratic, whose minimum solves a linear system. Coordinate descent finds the signs
in a few epochs; for correlated columns it would need thousands for the values.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from probus.compiling import njit
from probus.linear_model.datafits._quadratic import SparseRows
from probus.linear_model.penalties._separable import Kinks
from probus.linear_model.solvers._coordinate_descent import combined_rows, descend, descend_sparse
from probus.linear_model.solvers._support_equations import SupportEquations

_OPERATIONS = 200_000_000  # spent on solving the equations again without coefficients whose sign would change
_LARGEST_SYSTEM = 4000

_ITERATIONS = 30
_REDUCTION = 1e-3  # of the squared gradient: coordinate descent goes on from there


class WorkingColumns(Protocol):
    """The problem of the members, a growing list of columns; ``w`` are their coefficients, updated in place."""

    slow: float  # the share of the gap left by some epochs above which the equations of the support are solved
    members: np.ndarray
    w: np.ndarray

    def join(self, new: np.ndarray) -> None:
        """Add columns."""

    def load(self, w: np.ndarray) -> None:
        """Start at the coefficients of all columns."""

    def descend(self, order: np.ndarray, l1: float, l2: float, positive: bool, tol: float, epochs: int) -> int:
        """Reduce the objective by coordinate descent; the number of epochs."""

    def solve_support(self, l1: float, l2: float) -> None:
        """Reduce the objective by the equations of the support."""

    def correlations(self) -> tuple[np.ndarray, float]:
        """Xᵀr of the members, and rᵀr."""


class GramColumns:
    """From the products of the members, each computed once; the equations are solved by Cholesky's method."""

    slow = 0.0

    def __init__(self, problem: Any):
        self._problem, self._G, self._equations = problem, np.empty((0, 0)), SupportEquations()
        self.members, self.w, self._q = np.empty(0, dtype=np.int64), np.empty(0), np.empty(0)

    def join(self, new: np.ndarray) -> None:
        """Add columns."""
        m, self.members = len(self.members), np.concatenate([self.members, new])
        larger = np.empty((len(self.members), len(self.members)))
        larger[:m, :m] = self._G
        larger[m:] = self._problem.gram(new, self.members)
        larger[:m, m:] = larger[m:, :m].T
        self._G = larger

    def load(self, w: np.ndarray) -> None:
        """Start at the coefficients of all columns."""
        self.w, self._c = w[self.members], self._problem.products[self.members]
        support = np.flatnonzero(self.w)
        self._q = self._c - combined_rows(self._G, support, self.w[support])

    def descend(self, order: np.ndarray, l1: float, l2: float, positive: bool, tol: float, epochs: int) -> int:
        """Reduce the objective by coordinate descent; the number of epochs."""
        kinks = Kinks.uniform(len(self.w), l1, positive=positive)
        return descend(self._G, self._q, self.w, order, kinks.l1, l2, kinks.low, kinks.high, tol, epochs)

    def correlations(self) -> tuple[np.ndarray, float]:
        """Xᵀr of the members, and rᵀr."""
        return self._q, max(self._problem.square - float(self.w @ (self._c + self._q)), 0.0)

    def solve_support(self, l1: float, l2: float) -> None:
        """Move to the optimum for the present signs; where some would change, drop those and solve again."""
        size = int(np.count_nonzero(self.w))
        for _ in range(min(5 + _OPERATIONS // max(size, 1) ** 3, size)):
            support = np.flatnonzero(self.w)
            if not 0 < len(support) <= _LARGEST_SYSTEM:
                return
            now = self.w[support]
            slope = self._q[support] - l1 * np.sign(now) - l2 * now
            step = self._equations.solve(self._G, l2, support, slope)
            if step is None:
                return
            crossing = (now + step) * now <= 0.0
            steps = [np.where(crossing, -now, step)]
            if crossing.any():
                steps.append(step * (-now[crossing] / step[crossing]).min())
            products = [combined_rows(self._G, support, d) for d in steps]
            changes = [(0.5 * (Gd[support] + l2 * d) - slope) @ d for d, Gd in zip(steps, products, strict=True)]
            best = int(np.argmin(changes))
            if changes[best] >= 0.0 and self._equations.bordered:
                self._equations.refactorise()
                continue
            if changes[best] >= 0.0:
                return
            reached = now + steps[best]
            self.w[support] = np.where(reached * now > 1e-14 * now**2, reached, 0.0)
            self._q -= products[best]
            if not crossing.any():
                return


class SparseColumns:
    """From sparse columns and the residual; the equations are solved by conjugate gradients.

    A coordinate costs as many operations as its column has numbers, while its row of products would have as many as
    there are members.
    """

    slow = 0.3

    def __init__(self, problem: SparseRows):
        self._problem = problem
        self.members, self.w, self._residual, self._level = np.empty(0, dtype=np.int64), np.empty(0), problem.y, 0.0
        self._columns = (np.empty(0), np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int32), np.empty(0))
        self._squares = np.empty(0)

    def join(self, new: np.ndarray) -> None:
        """Add columns."""
        self.members = np.concatenate([self.members, new])
        part, shift = self._problem.X[:, self.members], self._problem.shift[self.members]
        self._columns = (part.data, part.indices, part.indptr, shift)
        sums = np.add.reduceat(np.append(part.data**2, 0.0), part.indptr[:-1]) * (np.diff(part.indptr) > 0)
        self._squares = np.maximum(sums - shift**2, 0.0)

    def load(self, w: np.ndarray) -> None:
        """Start at the coefficients of all columns, those of the last correlations of the problem."""
        self.w = w[self.members]
        self._residual, self._level = self._problem.residual.copy(), float(self._columns[3] @ self.w)

    def descend(self, order: np.ndarray, l1: float, l2: float, positive: bool, tol: float, epochs: int) -> int:
        """Reduce the objective by coordinate descent; the number of epochs."""
        done, self._level = descend_sparse(
            *self._columns, self._squares, self._residual, self._level, self.w, order, l1, l2, positive, tol, epochs
        )
        return done

    def correlations(self) -> tuple[np.ndarray, float]:
        """Xᵀr of the members, and rᵀr."""
        residual = self._residual + self._level * self._problem.unit
        return column_products(*self._columns[:3], residual), float(residual @ residual)  # centred: uᵀr = 0

    def solve_support(self, l1: float, l2: float) -> None:
        """Move towards the optimum for the present signs, coefficients whose sign would change becoming zero."""
        self._level = support_step(*self._columns, self._squares, self._residual, self._level, self.w, l1, l2)


@njit(nogil=True, cache=True)
def column_products(data, indices, starts, vector):
    """Xᵀv of columns that are compressed."""
    out = np.empty(len(starts) - 1)
    for j in range(len(out)):
        total = 0.0
        for i in range(starts[j], starts[j + 1]):
            total += data[i] * vector[indices[i]]
        out[j] = total
    return out


@njit(nogil=True, cache=True)
def support_step(data, indices, starts, shift, squares, residual, level, w, l1, l2):
    """Move w towards the optimum for its signs, a coefficient whose sign would change becoming zero.

    Arguments are those of ``descend_sparse``; returns the new level. For fixed signs, the change of the objective by a
    step d is ½ dᵀAd − gᵀd with A = XᵀX + l2 of the support. The step is g times a polynomial of A, so it never
    increases the objective. Where coefficients change their sign, it is tried with those at zero, and is cut at the
    first change if that does not help.
    """
    support = np.flatnonzero(w)
    m = len(support)
    g, diagonal = np.empty(m), np.empty(m)
    for k in range(m):
        j = support[k]
        total = shift[j] * level - l2 * w[j] - l1 * np.sign(w[j])
        for i in range(starts[j], starts[j + 1]):
            total += data[i] * residual[indices[i]]
        g[k], diagonal[k] = total, max(squares[j] + l2, 1e-300)
    fitted, product = np.empty(len(residual)), np.empty(m)
    d = _solve(data, indices, starts, shift, support, diagonal, g, l2, fitted, product)
    first, crossing = 1.0, False
    step = d.copy()
    for k in range(m):
        now = w[support[k]]
        if now * (now + d[k]) <= 0.0:
            crossing, step[k] = True, -now
            first = min(first, -now / d[k])
    across = _multiply(data, indices, starts, shift, support, step, l2, fitted, product)
    if crossing and 0.5 * step @ product >= g @ step:
        step = first * d
        across = _multiply(data, indices, starts, shift, support, step, l2, fitted, product)
    for k in range(m):
        now = w[support[k]]
        w[support[k]] = now + step[k] if now * (now + step[k]) > 0.0 else 0.0
    for i in range(len(residual)):
        residual[i] -= fitted[i]
    return level + across


@njit(nogil=True)
def _solve(data, indices, starts, shift, support, diagonal, g, l2, fitted, product):
    """A step d with Ad ≈ g, by conjugate gradients with the diagonal as preconditioner."""
    d, rest = np.zeros(len(g)), g.copy()
    scaled = rest / diagonal
    direction = scaled.copy()
    size = rest @ scaled
    enough = _REDUCTION * size
    for _ in range(_ITERATIONS):
        if size <= enough:
            break
        _multiply(data, indices, starts, shift, support, direction, l2, fitted, product)
        curvature = direction @ product
        if curvature <= 0.0:
            break
        d += (size / curvature) * direction
        rest -= (size / curvature) * product
        scaled = rest / diagonal
        before, size = size, rest @ scaled
        direction = scaled + (size / before) * direction
    return d


@njit(nogil=True)
def _multiply(data, indices, starts, shift, support, v, l2, fitted, product):
    """Write Xv of the columns before centring to ``fitted`` and (XᵀX + l2) v to ``product`` (OUT); return shiftᵀv."""
    fitted[:] = 0.0
    across = 0.0
    for k in range(len(support)):
        j = support[k]
        across += shift[j] * v[k]
        for i in range(starts[j], starts[j + 1]):
            fitted[indices[i]] += data[i] * v[k]
    for k in range(len(support)):
        j = support[k]
        total = l2 * v[k] - shift[j] * across
        for i in range(starts[j], starts[j + 1]):
            total += data[i] * fitted[indices[i]]
        product[k] = total
    return across
