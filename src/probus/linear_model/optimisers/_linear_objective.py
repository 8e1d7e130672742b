"""The objective of a linear model: the mean loss of the rows plus a penalty."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from probus.errors import DataError
from probus.linear_model.optimisers._linear_rows import rows_of
from probus.losses.margin_losses import CLASS_LOSSES, loss_code, total_loss


class LinearObjective:
    r"""A linear model as an objective, :math:`\frac1n \sum_i w_i L(y_i, x_i β + β_0) + \frac12 λ_2 ‖β‖^2 + λ_1 ‖β‖_1`.

    Parameters
    ----------
    X : matrix of rows × columns, sparse or not
    y : array of rows
        Numbers, or −1 and 1 for losses of classes.
    loss : str
        A loss of ``SGDClassifier``: "squared_error", "hinge", "log_loss", …
    alpha : float
        The weight λ₂ of the quadratic penalty.
    l1 : float
        The weight λ₁ of the absolute values, of which a subgradient is used.
    fit_intercept : bool
        Whether the last component of a point is an intercept, which is not penalised.
    sample_weight : array of rows, optional
    epsilon : float
        The parameter of the losses that have one.

    Examples
    --------
    >>> squares = LinearObjective([[1.0], [2.0]], [1.0, 3.0], loss="squared_error")
    >>> squares.value(np.array([1.0])), squares.gradient(np.array([1.0]))
    (0.25, array([-1.]))
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        *,
        loss: str = "squared_error",
        alpha: float = 0.0,
        l1: float = 0.0,
        fit_intercept: bool = False,
        sample_weight: Any = None,
        epsilon: float = 0.1,
    ):
        if loss not in CLASS_LOSSES:
            raise DataError(f"loss={loss!r}.", f"one of {', '.join(CLASS_LOSSES)}")
        self.X: Any = csr_array(X) if issparse(X) else np.asarray(X, dtype=np.float64)
        self.y = np.asarray(y, dtype=np.float64)
        self.n_examples = len(self.y)
        if self.X.shape[0] != self.n_examples:
            raise DataError(f"X has {self.X.shape[0]} rows and y has {self.n_examples}.", "one y per row")
        self.weight = np.ones(self.n_examples) if sample_weight is None else np.asarray(sample_weight, np.float64)
        self.loss = loss_code(loss, epsilon)
        self.penalty = (float(alpha), float(l1))
        self.fit_intercept = fit_intercept
        self.n_variables = self.X.shape[1] + fit_intercept
        self._rows: Any = None

    @property
    def rows(self) -> Any:
        """The rows in the form of the kernels."""
        if self._rows is None:
            self._rows = rows_of(self.X)
        return self._rows

    def value(self, w: np.ndarray) -> float:
        """The value at a point."""
        return self._losses(w, slice(None))[0] + self.penalty_at(w)

    def penalty_at(self, w: np.ndarray) -> float:
        """The penalty at a point."""
        beta = self._beta(w)
        return float(0.5 * self.penalty[0] * (beta @ beta) + self.penalty[1] * np.abs(beta).sum())

    def gradient(self, w: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """The gradient at a point, of the mean of all examples or of some."""
        chosen = slice(None) if rows is None else rows
        slopes = self._losses(w, chosen)[1]
        return self._with_intercept(slopes @ self.X[chosen] / len(slopes), slopes.mean()) + self._penalty_slope(w)

    def example_gradients(self, w: np.ndarray) -> np.ndarray:
        """The gradient of each example: float64[n_examples, d]."""
        slopes = self._losses(w, slice(None))[1]
        dense = self.X.toarray() if issparse(self.X) else self.X
        parts = slopes[:, None] * dense
        parts = np.column_stack([parts, slopes]) if self.fit_intercept else parts
        return parts + self._penalty_slope(w)

    def _losses(self, w: np.ndarray, rows: Any) -> tuple[float, np.ndarray]:
        """The mean loss and the slopes of rows."""
        p = self.X[rows] @ self._beta(w) + (w[-1] if self.fit_intercept else 0.0)
        slopes = np.empty(len(p))
        return total_loss(*self.loss, self.y[rows], p, self.weight[rows], slopes) / len(p), slopes

    def _beta(self, w: np.ndarray) -> np.ndarray:
        return w[:-1] if self.fit_intercept else w

    def _penalty_slope(self, w: np.ndarray) -> np.ndarray:
        beta = self._beta(w)
        return self._with_intercept(self.penalty[0] * beta + self.penalty[1] * np.sign(beta), 0.0)

    def _with_intercept(self, beta: np.ndarray, last: float) -> np.ndarray:
        return np.append(beta, last) if self.fit_intercept else beta
