"""The margin of a machine in two columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.base import encoded_classes, is_classifier
from probus.data import Table, has_names
from probus.display.drawing import COLOURS, INK, caption, new_axes, tidy
from probus.errors import DataError

_RESOLUTION = 200  # points of the grid in each direction


def plot_margin(model: Any, X: Any, y: Any = None, ax: Any = None) -> Any:
    """Draw a fitted machine of two columns: where its decision is 0, the margins ±1, and the support vectors.

    Parameters
    ----------
    model : a fitted classifier with ``decision_function``, or a OneClassSVM
    X : rows of two numeric columns
    y : their classes, for a classifier
    ax : matplotlib axes, by default new ones

    Returns
    -------
    ax

    Examples
    --------
    >>> from probus.svm import SVC
    >>> X, y = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 1.0]], [0, 0, 1, 1]
    >>> ax = plot_margin(SVC(kernel="linear").fit(X, y), X, y)
    >>> ax.get_title(loc="left")
    'SVC: 2 support vectors of 4 rows'
    """
    check_is_fitted(model)
    names, rows = _two_columns(model, X)
    classes, codes = (
        encoded_classes(y, len(rows)) if is_classifier(model) else (np.array([""]), np.zeros(len(rows), int))
    )
    ax = new_axes(ax, 5.6, 4.8)
    edge = 0.08 * np.maximum(np.ptp(rows, axis=0), 1e-9)
    ends = zip(rows.min(axis=0) - edge, rows.max(axis=0) + edge, strict=True)
    grid = np.meshgrid(*(np.linspace(low, high, _RESOLUTION) for low, high in ends))
    points = np.column_stack([part.ravel() for part in grid])
    _draw_decisions(ax, grid, model, _like(X, points, names), len(classes))
    for k in range(len(classes)):
        part = rows[codes == k]
        ax.scatter(part[:, 0], part[:, 1], s=22, color=COLOURS[k % len(COLOURS)], linewidths=0, zorder=4)
    support = getattr(model, "support_", np.empty(0, dtype=int))
    own = len(rows) == getattr(model, "shape_fit_", (-1,))[0]
    if support.size and own:
        chosen = rows[support]
        ax.scatter(chosen[:, 0], chosen[:, 1], s=75, facecolors="none", edgecolors=INK, linewidths=0.9, zorder=5)
    if len(classes) > 1:
        caption(ax, [(str(label), COLOURS[k % len(COLOURS)]) for k, label in enumerate(classes)], "upper right")
    counted = f": {support.size} support vectors of {len(rows)} rows" if support.size and own else ""
    tidy(ax, f"{type(model).__name__}{counted}", *names)
    return ax


def _draw_decisions(ax: Any, grid: tuple[np.ndarray, ...], model: Any, points: Any, n_classes: int) -> None:
    """The regions of classes, the boundary and the margins."""
    if n_classes > 2:
        predicted = np.searchsorted(model.classes_, model.predict(points)).reshape(grid[0].shape)
        levels = np.arange(n_classes + 1) - 0.5
        ax.contourf(*grid, predicted, levels, colors=list(COLOURS[:n_classes]), alpha=0.16, zorder=1)
        ax.contour(*grid, predicted, levels, colors=INK, linewidths=0.9, zorder=3)
        return
    decisions = model.decision_function(points).reshape(grid[0].shape)
    sides = [COLOURS[0], COLOURS[1]] if n_classes == 2 else ["#ffffff", COLOURS[0]]
    ax.contourf(*grid, decisions, [-np.inf, 0.0, np.inf], colors=sides, alpha=0.12, zorder=1)
    ax.contour(*grid, decisions, [0.0], colors=INK, linewidths=1.4, zorder=3)
    if n_classes == 2:
        ax.contour(*grid, decisions, [-1.0, 1.0], colors=INK, linewidths=0.9, linestyles="dashed", zorder=3)


def _two_columns(model: Any, X: Any) -> tuple[list[str], np.ndarray]:
    """The names and the values of the columns."""
    named = has_names(X)
    table = Table.of(X, infer=False) if named else None
    rows = np.asarray(table.numbers() if table is not None else X, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != 2 or model.n_features_in_ != 2:
        raise DataError(
            f"plot_margin found a model of {model.n_features_in_} columns and X of shape {rows.shape}.",
            "two columns",
            "Fit the model on two columns, for example those that matter most.",
        )
    return (list(table.names) if table is not None else ["x0", "x1"]), rows


def _like(X: Any, points: np.ndarray, names: list[str]) -> Any:
    """Points as a table where X has names."""
    return points if isinstance(X, (np.ndarray, list)) else Table.of(dict(zip(names, points.T, strict=True)))
