"""The picture of losses: of the margin for classes, of the residual for numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from probus.display.drawing import COLOURS, INK, MUTED, tidy

Curve = Callable[[np.ndarray], np.ndarray]

_MARGIN: Mapping[str, Curve] = {
    "0/1": lambda z: (z <= 0).astype(np.float64),
    "hinge": lambda z: np.maximum(1 - z, 0),
    "squared hinge": lambda z: np.maximum(1 - z, 0) ** 2,
    "logistic, base 2": lambda z: np.log1p(np.exp(-z)) / np.log(2),
    "exponential": lambda z: np.exp(-z),
    "perceptron": lambda z: np.maximum(-z, 0),
    "sigmoid": lambda z: 1 / (1 + np.exp(z)),
}
_DELTA, _EPSILON, _QUANTILE = 1.0, 0.8, 0.8
_RESIDUAL: Mapping[str, Curve] = {
    "squared": lambda r: 0.5 * r**2,
    "absolute": np.abs,
    f"Huber, δ = {_DELTA:g}": lambda r: np.where(np.abs(r) <= _DELTA, 0.5 * r**2, _DELTA * (np.abs(r) - 0.5 * _DELTA)),
    f"insensitive, ε = {_EPSILON:g}": lambda r: np.maximum(np.abs(r) - _EPSILON, 0),
    f"quantile, α = {_QUANTILE:g}": lambda r: np.where(r >= 0, _QUANTILE, _QUANTILE - 1) * r,
}


def plot_losses(axes: Any = None) -> Any:
    """Draw the losses of classification over the margin y f(x), and those of regression over the residual y − f(x).

    Learning minimises a surrogate of the 0/1 loss, which counts errors but has no slope. Most are convex. How fast a
    curve rises on the left is how much outliers count: the sigmoid is bounded, and therefore not convex.

    Parameters
    ----------
    axes : two matplotlib axes, optional

    Returns
    -------
    The two matplotlib axes.

    Examples
    --------
    >>> left, right = plot_losses()
    >>> [line.get_label() for line in left.lines][:3]
    ['0/1', 'hinge', 'squared hinge']
    """
    if axes is None:
        from matplotlib import pyplot

        axes = pyplot.subplots(1, 2, figsize=(11.0, 4.4), layout="constrained")[1]
    left, right = axes
    _draw(left, _MARGIN, np.linspace(-2.2, 2.6, 961), (-0.06, 4.2))
    tidy(left, "Classification: losses of the margin", "margin  y f(x)", "loss")
    _mark_sides(left)
    _draw(right, _RESIDUAL, np.linspace(-3.2, 3.2, 961), (-0.06, 3.2))
    tidy(right, "Regression: losses of the residual", "residual  y − f(x)", "loss")
    for ax, place in ((left, "upper right"), (right, "upper center")):
        ax.legend(loc=place, frameon=True, framealpha=0.9, edgecolor="none", fontsize=9, labelcolor="linecolor")
    return axes


def _draw(ax: Any, curves: Mapping[str, Curve], x: np.ndarray, ends: tuple[float, float]) -> None:
    colours = [INK, *COLOURS] if "0/1" in curves else list(COLOURS)
    for (name, curve), colour in zip(curves.items(), colours, strict=False):
        values = curve(x)
        if name == "0/1":
            values = np.where(np.abs(x) < x[1] - x[0], np.nan, values)  # no line at the jump
        ax.plot(x, values, label=name, color=colour, linewidth=2.4 if name == "0/1" else 1.8)
    ax.set(xlim=(x[0], x[-1]), ylim=ends)


def _mark_sides(ax: Any) -> None:
    """Name the sides of the boundary."""
    ax.axvline(0.0, color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
    style: Any = {"color": MUTED, "fontsize": 9, "va": "top", "transform": ax.get_xaxis_transform()}
    ax.text(-0.06, 0.985, "wrong", ha="right", **style)
    ax.text(0.06, 0.985, "right", ha="left", **style)
