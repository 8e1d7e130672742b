"""Covariances of coefficients that hold for errors of any variance, or that depend on each other within groups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import issparse

__all__ = ["RowScores", "clustered_covariance", "distance_to_optimum", "robust_covariance"]

_CHUNK_CELLS = 2_000_000
_DETERMINED = 1e-9  # of a row or group: 1 − leverage below which it alone determines a coefficient


@dataclass(frozen=True, eq=False)
class RowScores:
    r"""What each row adds to the equations of an estimate, :math:`\sum_i s_i ⊗ x_i = 0`, and to their derivative.

    The variable is that of ``SmoothProblem``, output by output: q = K · p numbers.

    X : the rows float64[n, p], dense or sparse. intercept : whether a column of ones follows.
    pull : float64[n, K], s; minus the derivative of the loss of one row. curvature : float64[n, K, K], its second
    derivative. inverse : float64[q, q], the inverse of the second derivative of the objective.
    counts : how many rows each one is; None for one.
    """

    X: Any
    intercept: bool
    pull: np.ndarray
    curvature: np.ndarray
    inverse: np.ndarray
    counts: np.ndarray | None = None

    def rows(self, which: Any) -> np.ndarray:
        """Those rows, dense, with the column of ones."""
        X = self.X[which]
        X = X.toarray() if issparse(X) else X
        return np.column_stack([X, np.ones(len(X))]) if self.intercept else X

    def times(self, which: Any) -> np.ndarray:
        """How many rows each of them is."""
        return np.ones(len(self.pull[which])) if self.counts is None else self.counts[which]

    def observed(self) -> RowScores:
        """Without the rows that do not count."""
        if self.counts is None or (self.counts > 0).all():
            return self
        kept = np.flatnonzero(self.counts > 0)
        own = {"X": self.X[kept], "pull": self.pull[kept], "curvature": self.curvature[kept]}
        return replace(self, **own, counts=self.counts[kept])


def robust_covariance(scores: RowScores) -> np.ndarray:
    """The covariance for independent errors of any variance: HC3 (MacKinnon and White 1985).

    It is Σ dᵢ dᵢᵀ, where dᵢ is the step that Newton's method takes from the estimate if row i is left out. For least
    squares the step is exact, and has the residual divided by 1 − leverage.
    """
    scores = scores.observed()
    n, k = scores.pull.shape
    q = len(scores.inverse)
    covariance, chunk = np.zeros((q, q)), max(1, _CHUNK_CELLS // (q * k))
    for first in range(0, n, chunk):
        which = slice(first, first + chunk)
        x = scores.rows(which)
        reached = x @ scores.inverse.reshape(k, x.shape[1], q)  # K × rows × q: xᵢ times the blocks of the inverse
        leverage = np.einsum("aibp,ip->iab", reached.reshape(k, len(x), k, -1), x)
        pull = _without_own(scores.curvature[which], leverage, scores.pull[which])
        steps = np.einsum("ia,aiq->iq", pull, reached)
        covariance += steps.T @ (steps * scores.times(which)[:, None])
    return covariance


def clustered_covariance(scores: RowScores, codes: np.ndarray) -> tuple[np.ndarray, int]:
    """The covariance for errors that depend on each other within groups, and the number of groups: CR3.

    It is the jackknife over groups (MacKinnon, Nielsen and Webb 2023): (G − 1) / G · Σ d dᵀ, where d is the step that
    Newton's method takes if a group is left out. ``codes`` has the group of each row.
    """
    codes = codes if scores.counts is None else codes[scores.counts > 0]
    scores = scores.observed()
    order = np.argsort(codes, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
    steps = np.array([_step_without(scores, rows) for rows in members])
    groups = len(members)
    return (groups - 1) / groups * steps.T @ steps, groups


def distance_to_optimum(scores: RowScores, penalty: np.ndarray | None = None) -> np.ndarray:
    """The step of Newton's method from the estimate: zero for the rows that it was made from."""
    k = scores.pull.shape[1]
    pull = scores.pull * scores.times(slice(None))[:, None]
    slope = np.column_stack([scores.X.T @ pull[:, a] for a in range(k)])
    slope = np.vstack([slope, pull.sum(axis=0)]) if scores.intercept else slope
    flat = slope.T.ravel()
    return scores.inverse @ (flat if penalty is None else flat - penalty)


def _without_own(curvature: np.ndarray, leverage: np.ndarray, pull: np.ndarray) -> np.ndarray:
    """(I − V M)⁻¹ s of each row: its pull on an estimate that was made without it."""
    if pull.shape[1] == 1:
        left = 1.0 - curvature[:, 0] * leverage[:, 0]
        return np.divide(pull, left, out=np.zeros_like(pull), where=left > _DETERMINED)
    left = np.eye(pull.shape[1]) - curvature @ leverage
    return (np.linalg.pinv(left, rcond=_DETERMINED) @ pull[:, :, None])[:, :, 0]


def _step_without(scores: RowScores, rows: np.ndarray) -> np.ndarray:
    """(A − A_g)⁻¹ u_g, where A is the second derivative of the objective, and A_g and u_g are sums over the group."""
    x, times = scores.rows(rows), scores.times(rows)
    k, q = scores.pull.shape[1], len(scores.inverse)
    pull, curvature = scores.pull[rows] * times[:, None], scores.curvature[rows] * times[:, None, None]
    size = np.sqrt(scores.inverse.diagonal())  # so that the units of the columns do not decide what is singular
    unit = scores.inverse / np.outer(size, size)
    x = x[:, None, :] * size.reshape(k, -1)  # rows × K × p
    slope = np.einsum("ia,iap->ap", pull, x).ravel()
    own = np.einsum("iap,iab,ibr->apbr", x, curvature, x, optimize=True).reshape(q, q)
    return size * np.linalg.lstsq(np.eye(q) - unit @ own, unit @ slope, rcond=_DETERMINED)[0]
