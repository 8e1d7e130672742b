"""Residuals of a regression: whether they have a trend, are normal, have one variance, and which rows matter most."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg, stats
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from probus.base import checked_numbers, matrix_input
from probus.display import Cells, Notes, Result
from probus.errors import DataError
from probus.linear_model._linear_base import LinearRegressor
from probus.linear_model._linear_regression import LinearRegression

_SHOWN = 5000  # points in a plot
_NAMED = 3


def plot_residuals(model: Any, X: Any, y: Any) -> Any:
    """Four plots of the residuals of a fitted regression; returns the matplotlib axes, 2 × 2.

    Residuals against fitted values, their quantiles against those of a normal distribution, the root of their size
    against fitted values, and against the leverage of the rows, with Cook's distances. The last is for linear models on
    dense columns; for others it is a histogram.

    Parameters
    ----------
    model : a fitted regression of one target, of any library
    X, y : the rows; those of the training for leverage and Cook's distance

    Returns
    -------
    The matplotlib axes, 2 × 2.

    Examples
    --------
    >>> X = np.arange(20.0)[:, None]
    >>> axes = plot_residuals(LinearRegression().fit(X, X[:, 0] ** 2), X, X[:, 0] ** 2)
    >>> axes.shape
    (2, 2)
    """
    return residual_diagnostics(model, X, y).plot()


def residual_diagnostics(model: Any, X: Any, y: Any) -> ResidualDiagnostics:
    """Fitted values, residuals, standardised residuals, leverages and Cook's distances of each row.

    Parameters
    ----------
    model : A fitted regression of one target, of any library.
    X, y : the rows; those of the training for leverage and Cook's distance.

    Returns
    -------
    The figures of each row.

    >>> X = np.arange(6.0)[:, None]
    >>> found = residual_diagnostics(LinearRegression().fit(X, [0, 1, 2, 3, 4, 9.0]), X, [0, 1, 2, 3, 4, 9.0])
    >>> int(found.cook.argmax()), found.leverage.sum().round(6)
    (5, np.float64(2.0))
    """
    check_is_fitted(model)
    fitted = np.asarray(model.predict(X), dtype=np.float64)
    if fitted.ndim > 1 and fitted.shape[1] > 1:
        raise DataError(f"the model predicts {fitted.shape[1]} targets.", "one target", "Fit a model for each.")
    fitted = fitted.ravel()
    residual = checked_numbers(y, len(fitted)) - fitted
    leverage = _leverage(model, X)
    n, used = len(fitted), 1.0 if leverage is None else float(leverage.sum())
    freedom = max(n - used, 1.0)
    scale = np.sqrt(float(residual @ residual) / freedom)
    scale = scale if scale > 0.0 else 1.0
    if leverage is None:
        return ResidualDiagnostics(type(model).__name__, fitted, residual, residual / scale, None, None)
    rest = np.maximum(1.0 - leverage, 1e-12)
    standardised = residual / (scale * np.sqrt(rest))
    cook = standardised**2 * leverage / (rest * used) if isinstance(model, LinearRegression) else None
    return ResidualDiagnostics(type(model).__name__, fitted, residual, standardised, leverage, cook)


def _leverage(model: Any, X: Any) -> np.ndarray | None:
    """The diagonal of X (XᵀX)⁻¹ Xᵀ of a linear model with an intercept or without; None for others."""
    if not isinstance(model, LinearRegressor):
        return None
    rows = matrix_input(model, X, reset=False)
    if issparse(rows) or rows.shape[0] <= rows.shape[1] + 1:
        return None
    if getattr(model, "fit_intercept", True):
        rows = np.column_stack([rows, np.ones(len(rows))])
    length = np.sqrt((rows**2).sum(axis=0))
    Q, R, _ = linalg.qr(rows / np.where(length > 0, length, 1.0), mode="economic", pivoting=True)
    size = np.abs(R.diagonal())
    rank = int((size > max(rows.shape) * np.finfo(np.float64).eps * size[0]).sum())
    return np.einsum("ij,ij->i", Q[:, :rank], Q[:, :rank])


@dataclass(frozen=True, repr=False, eq=False)
class ResidualDiagnostics(Result):
    """Fitted values and residuals of each row.

    Attributes
    ----------
    model : the name of the model.
    fitted, residual : the fitted value of each row, and its residual.
    standardised : residuals divided by their standard deviation.
    leverage : how much a row determines its own fitted value, between 0 and 1.
    cook : cook's distance, the change of all fitted values without the row; of least squares.
    """

    model: str
    fitted: np.ndarray
    residual: np.ndarray
    standardised: np.ndarray
    leverage: np.ndarray | None
    cook: np.ndarray | None

    def _parts(self) -> Iterable[Any]:
        yield f"{self.model}: residuals of {len(self.residual):,} rows"
        low, middle, high = np.quantile(self.residual, [0.25, 0.5, 0.75])
        largest = np.argsort(-np.abs(self.standardised), kind="stable")[:_NAMED]
        head = ["row", "fitted", "residual", "standardised", *(["Cook's distance"] * (self.cook is not None))]
        rows = [
            [str(i), f"{self.fitted[i]:.4g}", f"{self.residual[i]:.4g}", f"{self.standardised[i]:.2f}"]
            + ([] if self.cook is None else [f"{self.cook[i]:.3g}"])
            for i in largest
        ]
        yield Cells([head, *rows], right=range(1, len(head)))
        yield Notes([f"Quartiles of the residuals {low:.4g}, {middle:.4g}, {high:.4g}; the largest are listed."])

    def _rows(self) -> Any:
        columns = ("fitted", "residual", "standardised", "leverage", "cook")
        return {name: getattr(self, name) for name in columns if getattr(self, name) is not None}

    def plot(self) -> Any:
        """The four plots; returns the matplotlib axes, 2 × 2."""
        from matplotlib import pyplot

        _, axes = pyplot.subplots(2, 2, figsize=(9.6, 8.4), layout="constrained")
        shown = self._show()
        self._plot_fitted(axes[0, 0], shown)
        self._plot_quantiles(axes[0, 1])
        self._plot_scale(axes[1, 0], shown)
        (self._plot_histogram if self.leverage is None else self._plot_leverage)(axes[1, 1], shown)
        return axes

    def _show(self) -> np.ndarray:
        """The rows that are drawn: all of them, or a sample with the largest residuals."""
        n = len(self.residual)
        if n <= _SHOWN:
            return np.arange(n)
        sample = np.random.default_rng(0).choice(n, _SHOWN, replace=False)
        return np.unique(np.concatenate([sample, np.argsort(-np.abs(self.standardised))[:20]]))

    def _plot_fitted(self, ax: Any, shown: np.ndarray) -> None:
        from probus.display.drawing import MUTED, tidy

        _points(ax, self.fitted[shown], self.residual[shown])
        ax.axhline(0.0, color=MUTED, linewidth=0.8)
        _trend(ax, self.fitted[shown], self.residual[shown])
        self._name_rows(ax, self.fitted, self.residual, np.abs(self.standardised))
        tidy(ax, "Residuals: a trend is missed by the model", "fitted", "residual")

    def _plot_quantiles(self, ax: Any) -> None:
        from probus.display.drawing import MUTED, tidy

        n = len(self.residual)
        order = np.argsort(self.standardised, kind="stable")
        drawn = np.unique(np.linspace(0, n - 1, min(n, _SHOWN)).astype(int))
        normal = stats.norm.ppf((np.arange(n) + 0.5) / n)
        _points(ax, normal[drawn], self.standardised[order][drawn])
        ends = np.array([normal[0], normal[-1]])
        ax.plot(ends, ends, color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)))
        place = np.empty(n)
        place[order] = normal
        self._name_rows(ax, place, self.standardised, np.abs(self.standardised))
        tidy(ax, "Quantiles: on the line if errors are normal", "normal quantile", "standardised residual")

    def _plot_scale(self, ax: Any, shown: np.ndarray) -> None:
        from probus.display.drawing import tidy

        root = np.sqrt(np.abs(self.standardised))
        _points(ax, self.fitted[shown], root[shown])
        _trend(ax, self.fitted[shown], root[shown])
        tidy(ax, "Scale: level if errors have one variance", "fitted", "√ |standardised residual|")

    def _plot_leverage(self, ax: Any, shown: np.ndarray) -> None:
        from probus.display.drawing import MUTED, tidy

        assert self.leverage is not None
        _points(ax, self.leverage[shown], self.standardised[shown])
        ax.axhline(0.0, color=MUTED, linewidth=0.8)
        if self.cook is not None:
            used, reach = float(self.leverage.sum()), ax.get_ylim()
            h = np.linspace(max(float(self.leverage.min()), 1e-4), min(1.1 * float(self.leverage.max()), 0.999), 100)
            for distance in (0.5, 1.0):
                edge = np.sqrt(distance * used * (1.0 - h) / h)
                for sign in (-1, 1):
                    ax.plot(h, sign * edge, color=MUTED, linewidth=0.8, linestyle=(0, (4, 3)))
                inside = np.flatnonzero((edge < reach[1]) & (edge > 0))
                if len(inside):
                    ax.annotate(f"Cook {distance:g}", (h[inside[-1]], edge[inside[-1]]), fontsize=8, color=MUTED)
            ax.set_ylim(reach)
            self._name_rows(ax, self.leverage, self.standardised, self.cook)
        tidy(ax, "Influence: rows beyond the lines move the fit", "leverage", "standardised residual")

    def _plot_histogram(self, ax: Any, shown: np.ndarray) -> None:
        from probus.display.drawing import BLUE, tidy

        ax.hist(self.residual, bins=min(40, max(8, len(self.residual) // 20)), color=BLUE, alpha=0.75)
        tidy(ax, "Distribution of residuals", "residual", "rows")

    def _name_rows(self, ax: Any, x: np.ndarray, y: np.ndarray, size: np.ndarray) -> None:
        """Write the number of each of the most extreme rows beside it."""
        from probus.display.drawing import ORANGE

        for i in np.argsort(-size, kind="stable")[:_NAMED]:
            ax.annotate(
                str(i), (x[i], y[i]), textcoords="offset points", xytext=(4, 3), fontsize=8, color=ORANGE, clip_on=True
            )


def _points(ax: Any, x: np.ndarray, y: np.ndarray) -> None:
    from probus.display.drawing import BLUE

    faint = 0.75 if len(x) < 300 else 0.35
    ax.scatter(x, y, s=14, color=BLUE, alpha=faint, linewidths=0, rasterized=len(x) > 2000)


def _trend(ax: Any, x: np.ndarray, y: np.ndarray) -> None:
    """A local linear regression on two thirds of the rows (Cleveland 1979, without weights of residuals)."""
    from probus.display.drawing import ORANGE

    if len(x) < 10 or np.ptp(x) == 0.0:
        return
    grid = np.unique(np.quantile(x, np.linspace(0, 1, 60)))
    ax.plot(grid, [_local_mean(x, y, at) for at in grid], color=ORANGE, linewidth=1.6)


def _local_mean(x: np.ndarray, y: np.ndarray, at: float) -> float:
    distance = np.abs(x - at)
    reach = np.partition(distance, 2 * len(x) // 3)[2 * len(x) // 3] or 1.0
    w = np.clip(1.0 - (distance / reach) ** 3, 0.0, None) ** 3
    centre, level = np.average(x, weights=w), np.average(y, weights=w)
    spread = float(w @ (x - centre) ** 2)
    return float(level + (at - centre) * (w @ ((x - centre) * (y - level))) / spread) if spread > 0.0 else float(level)
