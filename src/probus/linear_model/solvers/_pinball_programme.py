"""Sums of asymmetric absolute residuals as a linear programme: an interior point, then an exact vertex.

The programme is min over β of Σ_i (u_i r_i⁺ + l_i r_i⁻) + ½ βᵀ diag(D) β, with r = y − Aβ. Its dual is to maximise
yᵀd − ½ βᵀ diag(D) β subject to Aᵀd = diag(D) β and −l ≤ d ≤ u. A penalty λ|β_j| is a further row e_j with y = 0 and
u = l = λ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, optimize
from scipy.sparse import issparse

from probus.linear_model.solvers._newton import damped_cholesky

_FEW_ROWS = 400  # below, the simplex method is faster than an interior point
_MOST_COLUMNS = 1000  # above, systems of columns are too large
_MANY_TIES = 2000  # rows that are fitted exactly, beyond which the simplex method is slow
_STEP = 0.9995  # of the way to the boundary
_CHUNK_CELLS = 250_000
_TOLERANCE = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


@dataclass(frozen=True)
class PinballProgramme:
    """The rows A, the target y, the weights ``above`` (u) and ``below`` (l) of residuals, and D, mostly zeros."""

    A: Any
    y: np.ndarray
    above: np.ndarray
    below: np.ndarray
    ridge: np.ndarray

    def value(self, beta: np.ndarray) -> float:
        """The objective."""
        r = self.y - self.A @ beta
        return float(np.where(r > 0, self.above, -self.below) @ r + 0.5 * self.ridge @ beta**2)

    def gap(self, beta: np.ndarray, d: np.ndarray) -> float:
        """The objective minus that of the dual: at most this far above the minimum, where d is feasible."""
        return max(self.value(beta) - float(self.y @ d - 0.5 * self.ridge @ beta**2), 0.0)


@dataclass(frozen=True)
class Vertex:
    """Coefficients, the solution d of the dual, the duality gap, and the number of iterations."""

    beta: np.ndarray
    dual: np.ndarray
    gap: float
    n_iter: int
    converged: bool


def solve_pinball(programme: PinballProgramme, method: str = "auto", options: dict[str, Any] | None = None) -> Vertex:
    """The minimum. ``method`` other than "auto" is one of SciPy's HiGHS, on all rows.

    An interior point finds the signs of most residuals. The programme of the other rows is solved by the simplex
    method; where a sign was wrong, that row joins them. So the result is a vertex: as many residuals or penalised
    coefficients as columns are exactly zero.
    """
    n, p = programme.A.shape
    if programme.ridge.any():
        return _interior_point(programme)
    if method != "auto" or n <= _FEW_ROWS or p > _MOST_COLUMNS or n < 3 * p:
        every = np.ones(n, dtype=bool)
        return _vertex(programme, every, np.zeros(n), "highs" if method == "auto" else method, options)
    inner = _interior_point(programme)
    r = np.abs(programme.y - programme.A @ inner.beta)
    most = min(max(50, 4 * p), n - 1)
    kept = r <= max(np.partition(r, most)[most], 1e-7 * float(r.mean()))
    if inner.converged and kept.sum() > _MANY_TIES + most:
        return _tied(programme, inner, kept)
    sign = np.where(programme.y - programme.A @ inner.beta > 0, 1.0, -1.0)
    n_iter = inner.n_iter
    for _ in range(20):
        found = _vertex(programme, kept, sign, "highs", None)
        n_iter += found.n_iter
        wrong = ~kept & (sign * (programme.y - programme.A @ found.beta) < 0)
        if found.converged and not wrong.any():
            return Vertex(found.beta, found.dual, found.gap, n_iter, True)
        if not found.converged:  # the dual of these rows has no solution: more of them
            most = min(4 * most, n - 1)
            wrong = r <= np.partition(r, most)[most]
        kept |= wrong
    return inner


def _tied(programme: PinballProgramme, inner: Vertex, kept: np.ndarray) -> Vertex:
    """The coefficients of the rows that an interior point fits exactly, where they are many.

    The simplex method would exchange tied rows for a long time. They have one solution, which least squares finds.
    """
    gram = programme.A[kept].T @ programme.A[kept]
    gram = gram.toarray() if issparse(gram) else gram
    left = (programme.y - programme.A @ inner.beta)[kept]
    step = linalg.cho_solve(damped_cholesky(gram), programme.A[kept].T @ left, check_finite=False)
    beta = inner.beta + step
    if programme.value(beta) > programme.value(inner.beta):
        return inner
    return Vertex(beta, inner.dual, programme.gap(beta, inner.dual), inner.n_iter, True)


def _vertex(
    programme: PinballProgramme, kept: np.ndarray, sign: np.ndarray, method: str, options: dict[str, Any] | None
) -> Vertex:
    """The solution of the programme for the rows ``kept``, where the others have residuals of the given sign."""
    p = programme.A.shape[1]
    d = np.where(kept, 0.0, np.where(sign > 0, programme.above, -programme.below))
    right = -np.asarray(programme.A.T @ d).ravel()
    bounds = np.column_stack([-programme.below[kept], programme.above[kept]])
    found = optimize.linprog(
        -programme.y[kept], A_eq=programme.A[kept].T, b_eq=right, bounds=bounds, method=method,
        options=options or (_TOLERANCE if method == "highs" else None),
    )  # fmt: skip
    if found.x is None or found.eqlin.marginals is None:
        return Vertex(np.zeros(p), d, np.inf, int(found.nit), False)
    d[kept] = found.x
    beta = -np.asarray(found.eqlin.marginals, dtype=np.float64)
    return Vertex(beta, d, programme.gap(beta, d), int(found.nit), bool(found.success))


@dataclass(frozen=True)
class _Point:
    """a = d + l, s = u + l − a, and the slacks z and w of residuals r = w − z; all positive."""

    beta: np.ndarray
    a: np.ndarray
    s: np.ndarray
    z: np.ndarray
    w: np.ndarray

    @property
    def complementary(self) -> float:
        return float(self.a @ self.z + self.s @ self.w)

    def moved(self, step: _Point, first: float, second: float) -> _Point:
        """a and s moved by ``first`` of the step, the others by ``second``."""
        return _Point(
            self.beta + second * step.beta, self.a + first * step.a, self.s + first * step.s,
            self.z + second * step.z, self.w + second * step.w,
        )  # fmt: skip


@np.errstate(all="ignore")  # the last steps may reach the limits of the arithmetic
def _interior_point(programme: PinballProgramme, tol: float = 1e-10, max_iter: int = 100) -> Vertex:
    """Mehrotra's predictor and corrector with systems of p equations (Portnoy and Koenker 1997).

    At the solution a z = 0 and s w = 0 (complementarity), Aᵀ(a − l) = diag(D) β, and y − Aβ = w − z.
    """
    A, y, ridge, coupled = programme.A, programme.y, programme.ridge, bool(programme.ridge.any())
    now, scale = _start(programme), 1e-4 * float((programme.above + programme.below) @ np.abs(y))
    for iteration in range(max_iter):
        left = ridge * now.beta - A.T @ (now.a - programme.below)
        off = y - A @ now.beta - now.w + now.z
        size = programme.value(now.beta) + scale
        unbalanced = float(np.abs(left) @ np.abs(now.beta)) + float(np.abs(off) @ (now.a + now.s))
        done = now.complementary <= tol * size and unbalanced <= tol * size
        d = now.a - programme.below
        if done or iteration == max_iter - 1:
            break
        Q = 1.0 / (now.w / now.s + now.z / now.a)
        factor = _factorise(A, Q, ridge)
        ahead = _direction(A, Q, factor, now, left, off, -now.a * now.z, -now.s * now.w)
        predicted = now.moved(ahead, *_lengths(now, ahead, 1.0, coupled)).complementary
        mean = (predicted / now.complementary) ** 3 * now.complementary / (2 * len(y))
        az, sw = mean - now.a * now.z - ahead.a * ahead.z, mean - now.s * now.w - ahead.s * ahead.w
        step = _direction(A, Q, factor, now, left, off, az, sw)
        moved = now.moved(step, *_lengths(now, step, _STEP, coupled))
        if not np.isfinite(moved.beta).all() or min(part.min() for part in (moved.a, moved.s, moved.z, moved.w)) <= 0:
            break
        now = moved
    return Vertex(now.beta, d, programme.gap(now.beta, d), iteration, done)


def _start(programme: PinballProgramme) -> _Point:
    """Least squares, its residuals as slacks, and d = 0."""
    weight = programme.above + programme.below
    factor = _factorise(programme.A, weight, programme.ridge)
    beta = linalg.cho_solve(factor, programme.A.T @ (weight * programme.y), check_finite=False)
    r = programme.y - programme.A @ beta
    spread = max(0.1 * float(np.abs(r).mean()), 1e-8 * float(np.abs(programme.y).mean())) or 1.0
    slacks = np.maximum(-r, 0.0) + spread, np.maximum(r, 0.0) + spread
    return _Point(beta, programme.below.copy(), programme.above.copy(), *slacks)


def _direction(
    A: Any, Q: np.ndarray, factor: Any, now: _Point, left: np.ndarray, off: np.ndarray, az: np.ndarray, sw: np.ndarray
) -> _Point:
    """The Newton step for the given right-hand sides of the complementarity conditions."""
    wanted = off - sw / now.s + az / now.a
    beta = linalg.cho_solve(factor, A.T @ (Q * wanted) - left, check_finite=False)
    a = Q * (wanted - A @ beta)
    return _Point(beta, a, -a, (az - now.z * a) / now.a, (sw + now.w * a) / now.s)


def _lengths(now: _Point, step: _Point, share: float, coupled: bool) -> tuple[float, float]:
    """The steps of d and of the slacks that keep them positive; one step where a quadratic penalty couples them."""
    first = min(1.0, share * min(_reach(now.a, step.a), _reach(now.s, step.s)))
    second = min(1.0, share * min(_reach(now.z, step.z), _reach(now.w, step.w)))
    return (min(first, second),) * 2 if coupled else (first, second)


def _reach(x: np.ndarray, step: np.ndarray) -> float:
    """The largest length for which x + length · step is not negative."""
    steepest = float((step / x).min())
    return -1.0 / steepest if steepest < 0.0 else np.inf


def _factorise(A: Any, Q: np.ndarray, ridge: np.ndarray) -> Any:
    """Cholesky's factor of AᵀQA + D."""
    n, p = A.shape
    if issparse(A):
        gram = (A.T @ A.multiply(Q[:, None]).tocsr()).toarray()
    else:
        gram, chunk = np.zeros((p, p)), max(64, _CHUNK_CELLS // max(p, 1))
        for start in range(0, n, chunk):
            rows = A[start : start + chunk]
            gram += rows.T @ (rows * Q[start : start + chunk, None])
    gram.flat[:: p + 1] += ridge
    return damped_cholesky(gram)
