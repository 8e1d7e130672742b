"""Covariances of coefficients that hold for errors of any variance, or that depend on each other within groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import issparse

_CHUNK_CELLS = 2_000_000
_DETERMINED = 1e-9  # of a row or group: 1 − leverage below which it alone determines a direction
_SLIGHT = 1e-3  # the share of a penalty that determines nothing
_INVOLVED = 1e-6  # standard deviations of a coefficient that it moves along such a direction, at least
_AWAY, _SAME = 0.1, 1e-7  # standard errors from the optimum, and the share of predictions, that rounding does not move


@dataclass(frozen=True, eq=False)
class RowScores:
    r"""What each row adds to the equations of an estimate, :math:`\sum_i s_i ⊗ x_i = λθ`, and to their derivative.

    The variable is that of ``SmoothProblem``, output by output: q = K · p numbers.

    X : the rows float64[n, p], dense or sparse. intercept : whether a column of ones follows.
    pull : float64[n, K], s; minus the derivative of the loss of one row. curvature : float64[n, K, K], its second
    derivative. theta : float64[K, p], the estimate. ridge : λ, of coefficients but not of intercepts.
    counts : how many rows each one is; None for one.

    Columns are centred where there is an intercept, so that large means cost no digits.
    """

    X: Any
    intercept: bool
    pull: np.ndarray
    curvature: np.ndarray
    theta: np.ndarray
    ridge: float = 0.0
    counts: np.ndarray | None = None

    @cached_property
    def centre(self) -> np.ndarray:
        """float64[p], what is subtracted of the columns."""
        weight = np.einsum("iaa->i", self.curvature) * self.times(slice(None))
        centre = np.zeros(self.theta.shape[1])
        if self.intercept and weight.sum() > 0:
            centre[:-1] = self.X.T @ (weight / weight.sum())
        return centre

    @cached_property
    def whitening(self) -> np.ndarray:
        """L float64[K, p, r] of centred columns, with L Lᵀ the inverse of the second derivative of the objective.

        It is found twice: the second time from columns that are nearly orthogonal, which leaves rounding errors only
        (Yamamoto et al. 2015).
        """
        k, p = self.theta.shape
        squares = np.zeros(p)
        for which in self._chunks(p):
            weight = np.einsum("iaa->i", self.curvature[which]) * self.times(which)
            squares += weight @ self.rows(which) ** 2
        squares[: p - self.intercept] += self.ridge
        size = np.divide(1.0, np.sqrt(squares), out=np.ones(p), where=squares > 0)
        found = np.kron(np.eye(k), np.diag(size))  # so that the units of the columns do not decide what is singular
        for _ in range(2):
            values, vectors = np.linalg.eigh(self._derivative(found.reshape(k, p, -1)))
            kept = values > len(values) * np.finfo(np.float64).eps * values[-1]
            found = found @ (vectors[:, kept] / np.sqrt(values[kept]))
        return found.reshape(k, p, -1)

    @cached_property
    def shrinkage(self) -> np.ndarray:
        """float64[r, r], what the penalty adds to the second derivative of whitened columns, which is the identity."""
        shrunk = self.whitening[:, : self.theta.shape[1] - self.intercept]
        return self.ridge * np.einsum("apr,aps->rs", shrunk, shrunk, optimize=True)

    @property
    def is_singular(self) -> bool:
        """Whether the rows do not determine all coefficients."""
        return self.whitening.shape[2] < self.theta.size

    @cached_property
    def back(self) -> np.ndarray:
        """L float64[q, r] for the columns as they are: a step Lw of the coefficients is w of whitened columns."""
        back = self.whitening.copy()
        if self.intercept:
            back[:, -1] -= np.einsum("p,apr->ar", self.centre, back)
        return back.reshape(self.theta.size, -1)

    def rows(self, which: Any) -> np.ndarray:
        """Those rows, dense and centred, with the column of ones."""
        X = self.X[which]
        X = X.toarray() if issparse(X) else X
        return np.column_stack([X - self.centre[:-1], np.ones(len(X))]) if self.intercept else X

    def whitened(self, which: Any) -> np.ndarray:
        """float64[m, K, r], those rows times the whitening."""
        return np.einsum("ip,apr->iar", self.rows(which), self.whitening, optimize=True)

    def times(self, which: Any) -> np.ndarray:
        """How many rows each of them is."""
        return np.ones(len(self.pull[which])) if self.counts is None else self.counts[which]

    def chunks(self) -> Iterator[slice]:
        """Rows in turn, as many as fit in memory when they are whitened."""
        return self._chunks(self.whitening[:, 0].size)

    def observed(self) -> RowScores:
        """Without the rows that do not count."""
        if self.counts is None or (self.counts > 0).all():
            return self
        kept = np.flatnonzero(self.counts > 0)
        own = {"X": self.X[kept], "pull": self.pull[kept], "curvature": self.curvature[kept]}
        return replace(self, **own, counts=self.counts[kept])

    def is_optimum(self, spread: np.ndarray) -> bool:
        """Whether a step of Newton's method would hardly move the estimate, whose standard errors are given."""
        slope = -np.einsum("ap,apr->r", self._penalty, self.whitening)
        predictions = 0.0
        for which in self.chunks():
            slope += np.einsum("ia,iar->r", self.pull[which] * self.times(which)[:, None], self.whitened(which))
            raw = self.rows(which) @ self.theta.T + self.theta @ self.centre
            predictions += float(self.times(which) @ np.einsum("ia,iab,ib->i", raw, self.curvature[which], raw))
        away = np.abs(self.back @ slope) > _AWAY * spread
        return not away.any() or float(slope @ slope) <= _SAME**2 * predictions

    @property
    def _penalty(self) -> np.ndarray:
        penalty = self.ridge * self.theta
        penalty[:, self.theta.shape[1] - self.intercept :] = 0.0
        return penalty

    def _chunks(self, cells: int) -> Iterator[slice]:
        n, chunk = len(self.pull), max(1, _CHUNK_CELLS // max(cells, 1))
        return (slice(first, first + chunk) for first in range(0, n, chunk))

    def _derivative(self, along: np.ndarray) -> np.ndarray:
        """The second derivative of the objective along directions float64[K, p, r]."""
        shrunk = along[:, : along.shape[1] - self.intercept]
        found = self.ridge * np.einsum("apr,aps->rs", shrunk, shrunk, optimize=True)
        for which in self._chunks(along[:, 0].size):
            z = np.einsum("ip,apr->iar", self.rows(which), along, optimize=True)
            found += _own(z, self.curvature[which] * self.times(which)[:, None, None])
        return found


@dataclass(frozen=True, eq=False)
class Sandwich:
    """A covariance float64[q, q], and directions float64[m, q] that one row or group alone determines.

    sizes : float64[q, r], whose rows are as long as the coefficients' standard deviations are for equal errors.
    """

    covariance: np.ndarray
    directions: np.ndarray
    sizes: np.ndarray

    def standard_errors(self, contrasts: np.ndarray | None = None) -> np.ndarray:
        """Of the coefficients or of contrasts; infinite for what is not determined without some row or group."""
        of = np.eye(len(self.covariance)) if contrasts is None else contrasts
        errors = np.sqrt(np.maximum(np.einsum("ci,ij,cj->c", of, self.covariance, of), 0.0))
        moved = np.abs(of @ self.directions.T) > _INVOLVED * np.linalg.norm(of @ self.sizes, axis=1)[:, None]
        errors[moved.any(axis=1)] = np.inf
        return errors


def robust_covariance(scores: RowScores) -> Sandwich:
    """The covariance for independent errors of any variance: HC3 (MacKinnon and White 1985).

    It is Σ dᵢ dᵢᵀ, where dᵢ is the step that Newton's method takes from the estimate if row i is left out. For least
    squares the step is exact, and has the residual divided by 1 − leverage. A direction that only row i determines is
    not determined without it.
    """
    scores = scores.observed()
    covariance, directions = np.zeros((scores.back.shape[1],) * 2), []
    slight = min(2 * float(np.linalg.norm(scores.shrinkage)), _SLIGHT)
    for which in scores.chunks():
        z, curvature = scores.whitened(which), scores.curvature[which]
        left = np.eye(z.shape[1]) - curvature @ np.einsum("iar,ibr->iab", z, z, optimize=True)
        alone = np.linalg.norm(left, -2, axis=(1, 2)) <= _DETERMINED + slight
        left[alone] = np.eye(z.shape[1])
        steps = np.einsum("ia,iar->ir", np.linalg.solve(left, scores.pull[which][:, :, None])[:, :, 0], z)
        for i in np.flatnonzero(alone):
            one = slice(i, i + 1)
            steps[i], without = _without(z[one], curvature[one], scores.pull[which][one], scores.shrinkage)
            directions.append(without)
        covariance += steps.T @ (steps * scores.times(which)[:, None])
    return _sandwich(scores, covariance, directions)


def clustered_covariance(scores: RowScores, codes: np.ndarray) -> tuple[Sandwich, int]:
    """The covariance for errors that depend on each other within groups, and the number of groups: CR3.

    It is the jackknife over groups (MacKinnon, Nielsen and Webb 2023): (G − 1) / G · Σ d dᵀ, where d is the step that
    Newton's method takes if a group is left out. ``codes`` has the group of each row.
    """
    codes = codes if scores.counts is None else codes[scores.counts > 0]
    scores = scores.observed()
    order = np.argsort(codes, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
    steps, directions = [], []
    for rows in members:
        times = scores.times(rows)
        curvature, pull = scores.curvature[rows] * times[:, None, None], scores.pull[rows] * times[:, None]
        step, without = _without(scores.whitened(rows), curvature, pull, scores.shrinkage)
        steps.append(step)
        directions.append(without)
    groups, found = len(members), np.array(steps)
    return _sandwich(scores, (groups - 1) / groups * found.T @ found, directions), groups


def _sandwich(scores: RowScores, covariance: np.ndarray, directions: list[np.ndarray]) -> Sandwich:
    back = scores.back
    together = np.vstack([np.empty((0, back.shape[1])), *directions])
    return Sandwich(back @ covariance @ back.T, together @ back.T, back)


def _without(
    z: np.ndarray, curvature: np.ndarray, pull: np.ndarray, shrinkage: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(I − Σ zᵀvz)⁺ Σ zᵀs over a group, and the directions float64[m, r] that no other row determines.

    A slight penalty determines no direction either: Huber's α = 0.0001 keeps fits from being singular, nothing more.
    """
    own = _own(z, curvature)
    values, vectors = np.linalg.eigh(own + shrinkage)
    by_penalty = np.einsum("rk,rs,sk->k", vectors, shrinkage, vectors)
    alone = (values >= 1.0 - _DETERMINED) & (by_penalty <= _SLIGHT)
    kept = vectors[:, ~alone]
    left = np.eye(kept.shape[1]) - kept.T @ own @ kept
    return kept @ np.linalg.solve(left, kept.T @ np.einsum("ia,iar->r", pull, z)), vectors[:, alone].T


def _own(z: np.ndarray, curvature: np.ndarray) -> np.ndarray:
    """Σ zᵀvz over rows."""
    r = z.shape[2]
    return z.reshape(-1, r).T @ np.einsum("iab,ibr->iar", curvature, z, optimize=True).reshape(-1, r)
