"""The dual problem of a support vector machine, and what its solution certifies.

All five machines are min ½ βᵀKβ − cᵀβ with lo ≤ β ≤ hi and a fixed sum of β in one or two groups. A prediction is
Σ βᵢ k(xᵢ, x) + b.

=============  =======================  ============  ==============================================
machine        β                        c             sums
=============  =======================  ============  ==============================================
SVC            y α, 0 ≤ α ≤ C           y             0
NuSVC          y α, 0 ≤ α ≤ 1           0             ν/2 of the rows for y = 1, the opposite for −1
OneClassSVM    α, 0 ≤ α ≤ 1             0             ν of the rows
SVR            α, −α*, up to C          y − ε, y + ε  0
NuSVR          α, −α*, up to C          y, y          ν C/2 of the rows, and the opposite
=============  =======================  ============  ==============================================
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class DualProblem:
    """A problem of m variables on n rows; m is n, or 2n where each row has two variables, one behind the other.

    c, lo, hi : float64[m]
    split : where the second group of variables begins; m where there is one
    start : float64[m], a point that fulfils the constraints
    """

    c: np.ndarray
    lo: np.ndarray
    hi: np.ndarray
    split: int
    start: np.ndarray
    n: int

    @property
    def groups(self) -> list[slice]:
        """The groups of variables."""
        m = len(self.c)
        return [slice(0, self.split)] + [slice(self.split, m)] * (self.split < m)


@dataclass(frozen=True)
class DualSolution:
    """A point, its gradient, the number of steps to it, and whether the last allowed step was reached."""

    problem: DualProblem
    beta: np.ndarray
    gradient: np.ndarray
    steps: int
    stopped: bool

    @cached_property
    def levels(self) -> list[float]:
        """The gradient of the free variables of each group: their mean, or the middle of what is possible."""
        return [self._level(group) for group in self.problem.groups]

    def _level(self, group: slice) -> float:
        g, beta = self.gradient[group], self.beta[group]
        rises, falls = beta < self.problem.hi[group], beta > self.problem.lo[group]
        free = rises & falls
        if free.any():
            return float(g[free].mean())
        ends = [end(g[side]) for end, side in ((np.min, rises), (np.max, falls)) if side.any()]
        return float(np.mean(ends))

    @property
    def objective(self) -> float:
        """½ βᵀKβ − cᵀβ."""
        return 0.5 * float(self.beta @ (self.gradient - self.problem.c))

    @cached_property
    def violation(self) -> float:
        """How much the optimality conditions are violated, in units of the decision function: ``tol`` or less."""
        found = [0.0]
        for group in self.problem.groups:
            g, beta = self.gradient[group], self.beta[group]
            rises, falls = g[beta < self.problem.hi[group]], g[beta > self.problem.lo[group]]
            if len(rises) and len(falls):
                found.append(float(falls.max() - rises.min()))
        return max(found)

    @cached_property
    def gap(self) -> float:
        """The duality gap: the objective of a convex problem is at most this far above its minimum."""
        total = 0.0
        for group, level in zip(self.problem.groups, self.levels, strict=True):
            slope = self.gradient[group] - level
            room = np.where(
                slope > 0, self.beta[group] - self.problem.lo[group], self.problem.hi[group] - self.beta[group]
            )
            total += float(np.sum(np.abs(slope[slope != 0]) * room[slope != 0]))
        return total

    @property
    def relative_gap(self) -> float:
        """The duality gap relative to the objective."""
        size = abs(self.objective)
        return self.gap / size if size > 0 else self.gap


def svc_problem(signs: np.ndarray, caps: np.ndarray) -> DualProblem:
    """Two classes, y = ±1, with the C of each row."""
    ends = signs * caps
    n = len(signs)
    return DualProblem(signs, np.minimum(ends, 0.0), np.maximum(ends, 0.0), n, np.zeros(n), n)


def nu_svc_problem(signs: np.ndarray, caps: np.ndarray, nu: float) -> DualProblem:
    """Two classes, those of y = 1 first."""
    n, split = len(signs), int(np.sum(signs > 0))
    total = 0.5 * nu * caps.sum()
    start = np.concatenate([_spread(caps[:split], total), -_spread(caps[split:], total)])
    ends = signs * caps
    return DualProblem(np.zeros(n), np.minimum(ends, 0.0), np.maximum(ends, 0.0), split, start, n)


def one_class_problem(caps: np.ndarray, nu: float) -> DualProblem:
    """No target."""
    n = len(caps)
    return DualProblem(np.zeros(n), np.zeros(n), caps, n, _spread(caps, nu * caps.sum()), n)


def svr_problem(y: np.ndarray, caps: np.ndarray, epsilon: float) -> DualProblem:
    """A numeric target with errors up to ε free of cost."""
    n, none = len(y), np.zeros(len(y))
    c = np.concatenate([y - epsilon, y + epsilon])
    return DualProblem(c, np.concatenate([none, -caps]), np.concatenate([caps, none]), 2 * n, np.zeros(2 * n), n)


def nu_svr_problem(y: np.ndarray, caps: np.ndarray, nu: float) -> DualProblem:
    """A numeric target with an ε that ν determines."""
    n, none = len(y), np.zeros(len(y))
    half = _spread(caps, 0.5 * nu * caps.sum())
    start = np.concatenate([half, -half])
    return DualProblem(np.concatenate([y, y]), np.concatenate([none, -caps]), np.concatenate([caps, none]), n, start, n)


def _spread(caps: np.ndarray, total: float) -> np.ndarray:
    """A total given to the first rows, each up to its cap."""
    return np.clip(total - np.concatenate([[0.0], np.cumsum(caps)[:-1]]), 0.0, caps)
