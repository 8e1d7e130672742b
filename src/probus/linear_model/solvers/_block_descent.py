"""The lasso of several targets that share their columns, by descent on rows of coefficients, with a duality gap."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg
from scipy.sparse import issparse

from probus.compiling import njit
from probus.linear_model.datafits._moments import centred_rows, moments_of
from probus.linear_model.solvers._newton import damped_cholesky
from probus.linear_model.solvers._working_set import Fit

_FEW_COLUMNS = 1500  # all products of columns are computed, once
_FEW, _FIRST = 100, 50  # columns that are all in the working set; of more, those in the first
_EPOCHS = 5  # between extrapolations
_SHARE = 0.3  # of the gap over all columns, to which the gap of the working set is reduced


class BlockProblem:
    """½ ‖Y − XW‖² of centred, weighted rows: products of columns where there are few of them, else the rows.

    Sparse rows are centred implicitly: they are Z − root meanᵀ, with root those of the weights, whose sum is n.
    """

    def __init__(self, X: Any, Y: np.ndarray, weights: np.ndarray | None, *, intercept: bool):
        n, p = X.shape
        weights = None if weights is None else weights * (n / weights.sum())
        self._gram: np.ndarray | None = None
        if not issparse(X) and p <= _FEW_COLUMNS and n >= p:
            sums = moments_of(X, Y, weights, centred=intercept)
            self._gram, self.products, self.square = sums.gram, sums.xy, float(sums.yy.sum())
            self.x_mean, self.y_mean = sums.x_mean, sums.y_mean
            return
        self._root, self._mean = np.ones((n, 1)), np.zeros((1, p))
        if issparse(X):
            self._root = np.ones((n, 1)) if weights is None else np.sqrt(weights)[:, None]
            self.x_mean, self.y_mean = np.zeros(p), np.zeros(Y.shape[1])
            if intercept:
                self.x_mean, self.y_mean = X.T @ self._root[:, 0] ** 2 / n, (self._root**2 * Y).sum(axis=0) / n
            self._rows, self._Y = X.multiply(self._root).tocsc(), self._root * (Y - self.y_mean)
            self._mean = self.x_mean[None]
        else:
            self._rows, self._Y, self.x_mean, self.y_mean = centred_rows(X, Y, weights, intercept)
        self.products, self.square = self._correlate(self._Y), float((self._Y**2).sum())

    def gram(self, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """XᵀX of those columns."""
        if self._gram is not None:
            return self._gram[np.ix_(rows, columns)]
        product = self._rows[:, rows].T @ self._rows[:, columns]
        if not issparse(product):
            return product
        return product.toarray() - float((self._root**2).sum()) * self._mean[:, rows].T @ self._mean[:, columns]

    def correlations(self, W: np.ndarray, support: np.ndarray) -> tuple[np.ndarray, float]:
        """XᵀR of all columns and ‖R‖² of the residual R = Y − XW, where only ``support`` has coefficients."""
        if self._gram is not None:
            left = self.products - self._gram[:, support] @ W[support]
            return left, max(self.square - float((W * (self.products + left)).sum()), 0.0)
        residual = self._Y - self._rows[:, support] @ W[support]
        if issparse(self._rows):
            residual += self._root * (self._mean[:, support] @ W[support])
        return self._correlate(residual), float((residual**2).sum())

    def _correlate(self, residual: np.ndarray) -> np.ndarray:
        product = self._rows.T @ residual
        return product - self._mean.T @ (self._root.T @ residual) if issparse(self._rows) else product


def minimise_blocks(
    problem: BlockProblem, start: np.ndarray | None, l1: float, l2: float, tol: float, max_iter: int, rng: Any = None
) -> Fit:
    """The minimum of ½ ‖Y − XW‖² + l1 Σ_j ‖W_j‖ + ½ l2 ‖W‖², float64[p, k], to a duality gap of ``tol``.

    Only columns that violate the optimality conditions are in the working set; each time it is solved, the gap is
    computed over all columns.
    """
    p, k = problem.products.shape
    if l1 == 0.0 and l2 > 0.0:
        start = _ridge(problem, l2)
    W = np.zeros((p, k)) if start is None else np.array(start, dtype=np.float64)
    members = np.arange(p if p <= _FEW else 0)
    G, epochs = problem.gram(members, members), 0
    while True:
        support = np.flatnonzero((W != 0).any(axis=1))
        left, square = problem.correlations(W, support)
        gap = _gap(W, left - l2 * W, square + l2 * float((W**2).sum()), problem.products, problem.square, l1, l2)
        if gap <= tol or epochs >= max_iter:
            return Fit(W, gap, epochs, gap <= tol)
        if len(members) < p:
            members, G = _join(problem, members, G, support, np.linalg.norm(left, axis=1) - l1)
        own, Q = np.ascontiguousarray(W[members].T), np.ascontiguousarray(left[members].T)
        wanted = tol if len(members) == p else max(_SHARE * gap, tol)
        epochs += _solve(G, Q, own, problem, members, l1, l2, wanted, max_iter - epochs, rng)
        W[members] = own.T


def _ridge(problem: BlockProblem, l2: float) -> np.ndarray:
    """The solution without absolute values, from the equations of all columns."""
    every = np.arange(len(problem.products))
    system = problem.gram(every, every).copy()
    system.flat[:: len(system) + 1] += l2
    return linalg.cho_solve(damped_cholesky(system), problem.products, check_finite=False)


def _join(
    problem: BlockProblem, members: np.ndarray, G: np.ndarray, support: np.ndarray, excess: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The working set with the columns that violate the conditions most, at most as many again, and its products."""
    excess = excess.copy()
    excess[members] = 0.0
    new = np.setdiff1d(support, members)
    excess[new] = 0.0
    violators = np.flatnonzero(excess > 0.0)
    most = max(_FIRST, len(members))
    if len(violators) > most:
        violators = violators[np.argpartition(excess[violators], -most)[-most:]]
    new = np.concatenate([new, np.sort(violators)])
    if not len(new):
        return members, G
    larger = np.empty((len(members) + len(new),) * 2)
    everyone, m = np.concatenate([members, new]), len(members)
    larger[:m, :m] = G
    larger[m:] = problem.gram(new, everyone)
    larger[:m, m:] = larger[m:, :m].T
    return everyone, larger


def _solve(
    G: np.ndarray, Q: np.ndarray, W: np.ndarray, problem: BlockProblem, members: np.ndarray, l1: float, l2: float,
    tol: float, max_iter: int, rng: Any,
) -> int:  # fmt: skip
    """Reduce the gap of the working set to ``tol`` by epochs of descent and Anderson's extrapolation; their number.

    Q and W are float64[k, m]: the loop over members is the inner one.
    """
    products, epochs = np.ascontiguousarray(problem.products[members].T), 0
    order = np.arange(W.shape[1])
    while epochs < max_iter:
        history = [W.copy()]
        for _ in range(min(_EPOCHS, max_iter - epochs)):
            if rng is not None:
                order = rng.permutation(W.shape[1])
            descend_blocks(G, Q, W, order, l1, l2)
            history.append(W.copy())
            epochs += 1
        square = max(problem.square - float((W * (products + Q)).sum()), 0.0)
        squares = square + l2 * float((W**2).sum())
        if _gap(W.T, (Q - l2 * W).T, squares, products.T, problem.square, l1, l2) <= tol:
            break
        _extrapolate(G, Q, W, products, history, l1, l2)
    return epochs


def _extrapolate(
    G: np.ndarray, Q: np.ndarray, W: np.ndarray, products: np.ndarray, history: list[np.ndarray], l1: float, l2: float
) -> None:
    """Move to the combination of the last iterates whose differences cancel best, where the objective is smaller."""
    if len(history) <= _EPOCHS:
        return
    flat = np.stack([iterate.ravel() for iterate in history])
    steps = np.diff(flat, axis=0)
    system = steps @ steps.T
    system.flat[:: len(system) + 1] += 1e-12 * max(float(np.trace(system)), 1e-300)
    try:
        share = np.linalg.solve(system, np.ones(len(system)))
    except np.linalg.LinAlgError:
        return
    trial = ((share / share.sum()) @ flat[1:]).reshape(W.shape)
    if not np.isfinite(trial).all():
        return
    trial[:, (W == 0).all(axis=0)] = 0.0
    Q_trial = products - trial @ G
    if _objective(trial, Q_trial, products, l1, l2) < _objective(W, Q, products, l1, l2):
        W[:], Q[:] = trial, Q_trial


def _objective(W: np.ndarray, Q: np.ndarray, products: np.ndarray, l1: float, l2: float) -> float:
    """Up to the constant ½ ‖Y‖²."""
    smooth = -0.5 * float((W * (products + Q)).sum()) + 0.5 * l2 * float((W**2).sum())
    return smooth + l1 * float(np.linalg.norm(W, axis=0).sum())


def _gap(
    W: np.ndarray, left: np.ndarray, squares: float, products: np.ndarray, square: float, l1: float, l2: float
) -> float:
    """The duality gap; ``left`` and ``squares`` include the rows √l2 I that make the quadratic penalty part of X."""
    if l1 == 0.0:
        slope = float((left**2).sum())
        return slope / (2.0 * l2) if l2 > 0.0 else np.sqrt(slope) * max(float(np.abs(W).sum()), 1.0)
    y_residual = square - float((products * W).sum())
    steepest = float(np.linalg.norm(left, axis=1).max(initial=0.0))
    limit = l1 / steepest if steepest > 0.0 else np.inf
    factor = min(max(y_residual / squares, -limit), limit) if squares > 0.0 else 0.0
    primal = 0.5 * squares + l1 * float(np.linalg.norm(W, axis=1).sum())
    return max(primal - factor * y_residual + 0.5 * factor**2 * squares, 0.0)


@njit(nogil=True, cache=True)
def descend_blocks(G, Q, W, order, l1, l2):
    """One epoch of descent on the columns of W for ½ tr(WGWᵀ) − tr(CᵀW) + l1 Σ ‖W_j‖ + ½ l2 ‖W‖².

    G (IN)      float64[m, m]  symmetric
    Q (OUT)     float64[k, m]  C − WG, updated
    W (OUT)     float64[k, m]  updated
    order (IN)  int64[m]       in which the columns are visited
    """
    k, m = W.shape
    step = np.empty(k)
    for j in order:
        curvature = G[j, j] + l2
        if curvature <= 0.0:
            continue
        square = 0.0
        for t in range(k):
            step[t] = Q[t, j] + G[j, j] * W[t, j]
            square += step[t] ** 2
        size = np.sqrt(square)
        shrunk = (1.0 - l1 / size) / curvature if size > l1 else 0.0
        moved = False
        for t in range(k):
            new = shrunk * step[t]
            step[t] = new - W[t, j]
            W[t, j] = new
            moved = moved or step[t] != 0.0
        if not moved:
            continue
        row = G[j]
        for t in range(k):
            own, length = Q[t], step[t]
            for i in range(m):
                own[i] -= length * row[i]
