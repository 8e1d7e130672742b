"""Lasso and elastic net of several targets with the same columns."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from probus.base import Model, checked_weights, matrix_input
from probus.distances.magnitudes import check_squares
from probus.linear_model._elastic_net import SparseRegressor
from probus.linear_model._linear_base import checked_targets, float_dtype
from probus.linear_model._linear_parameters import ALPHA
from probus.linear_model.solvers._block_descent import BlockProblem, minimise_blocks
from probus.linear_model.solvers._working_set import GAP
from probus.parameters import WARM_START


class MultiTaskElasticNet(SparseRegressor):
    r"""The elastic net of several targets, whose penalty is on the length of each column's row of coefficients.

    :math:`\min_W \frac1{2n} ‖Y - XW - w_0‖_F^2 + α ρ \sum_j ‖W_j‖ + \frac12 α (1 - ρ) ‖W‖_F^2`: a column has a
    coefficient for all targets or for none.

    Attributes
    ----------
    coef_ : array of targets × columns; of columns where y is a vector, whose fit is that of ``ElasticNet``
    intercept_ : array of targets
    dual_gap_ : float
        The certificate: the objective is at most this far above its minimum.
    n_iter_ : int

    Examples
    --------
    >>> X = np.arange(12.0).reshape(6, 2) % 5
    >>> MultiTaskElasticNet(alpha=0.1).fit(X, X[:, :1] * [1.0, 2.0]).coef_.round(2)
    array([[0.97, 0.  ],
           [1.94, 0.  ]])
    """

    alpha: float = ALPHA.but(kw_only=False)
    warm_start: bool = WARM_START

    several_targets: ClassVar[bool] = True

    @classmethod
    def examples(cls) -> list[Model]:
        """A small penalty, so that there is something to predict with."""
        return [cls(alpha=0.01)]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> MultiTaskElasticNet:
        """Compute the coefficients of all targets together."""
        dtype, X = float_dtype(X), matrix_input(self, X, reset=True)
        targets, single = checked_targets(y, X.shape[0])
        weights = checked_weights(None if isinstance(sample_weight, Real) else sample_weight, X)
        check_squares(X, targets)
        problem = BlockProblem(X, targets, weights, intercept=self.fit_intercept)
        n, start = X.shape[0], np.atleast_2d(self.coef_).T if self.warm_start and hasattr(self, "coef_") else None
        rng = check_random_state(self.random_state) if self.selection == "random" else None
        l1, l2 = n * self.alpha * self.l1_ratio, n * self.alpha * (1.0 - self.l1_ratio)
        limit = GAP * self.tol * problem.square
        found = minimise_blocks(problem, start, l1, l2, limit, 1000 if self.max_iter is None else self.max_iter, rng)
        coef = found.coef.T
        intercept = problem.y_mean - coef @ problem.x_mean if self.fit_intercept else np.zeros(len(coef))
        self._keep(coef, intercept, single, X, dtype)
        self.dual_gap_, self.n_iter_ = found.gap / n, max(found.n_iter, 1)
        if not found.gap <= self.tol * problem.square:
            warnings.warn(
                "Objective did not converge. You might want to increase the number of iterations, scale the columns "
                f"or increase alpha. Duality gap {self.dual_gap_:.3e}, tolerance {self.tol * problem.square / n:.3e}.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self


class MultiTaskLasso(MultiTaskElasticNet):
    r"""The lasso of several targets, :math:`\min_W \frac1{2n} ‖Y - XW - w_0‖_F^2 + α \sum_j ‖W_j‖`.

    It is ``MultiTaskElasticNet`` with ``l1_ratio=1``, and has its attributes.

    Examples
    --------
    >>> X = np.arange(12.0).reshape(6, 2) % 5
    >>> MultiTaskLasso(alpha=0.1).fit(X, X[:, :1] * [1.0, 2.0]).coef_.round(2)
    array([[0.98, 0.  ],
           [1.96, 0.  ]])
    """

    l1_ratio = 1.0
