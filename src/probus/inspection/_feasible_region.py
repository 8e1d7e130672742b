"""Which weights of two columns classify every row right."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.base import encoded_classes
from probus.display.drawing import BLUE, INK, MUTED, ORANGE, new_axes, tidy
from probus.errors import DataError

_PIXELS = 301


def plot_feasible_region(X: Any, y: Any, *, weights: Any = None, margin: float = 0.0, ax: Any = None) -> Any:
    """Draw the space of the weights of a linear classifier without intercept, of two columns.

    Each row allows a half-plane of weights, :math:`y_i w^T x_i > m`. Where the half-planes of all rows overlap is the
    feasible region: the classes can be separated by a line through the origin if and only if it is not empty. Shades
    count the rows that weights get wrong.

    Parameters
    ----------
    X : two numeric columns.
    y : labels of two classes; the second in their order is 1, the first −1.
    weights : weights to mark, such as those of a fitted model; None marks none.
    margin : m, 0 for the right side, 1 as for the hinge loss.
    ax : matplotlib axes; None makes new ones.

    Returns
    -------
    The matplotlib axes.

    >>> ax = plot_feasible_region([[1.0, 0.0], [1.0, 1.0]], ["on", "off"], weights=[1, -2])  # NOT of the second column
    >>> ax.get_title(loc="left")
    'Weights that classify all rows right: some'
    """
    rows = _numbers(X)
    if rows.ndim != 2 or rows.shape[1] != 2 or not np.isfinite(rows).all():
        raise DataError(f"X of shape {rows.shape}.", "two columns of finite numbers")
    marked = None if weights is None else _numbers(weights).ravel()
    if marked is not None and not (marked.shape == (2,) and np.isfinite(marked).all()):
        raise DataError(f"weights={weights!r}.", "two finite numbers")
    if not (np.isfinite(margin) and margin >= 0):
        raise DataError(f"margin={margin!r}.", "a number of 0 or more")
    classes, codes = encoded_classes(y, len(rows))
    if len(classes) != 2:
        raise DataError(f"{len(classes)} classes.", "two classes")
    signed = rows * np.where(codes == 1, 1.0, -1.0)[:, None]
    ax = new_axes(ax, 5.2, 5.0)
    reach = 1.25 * max(1.0, margin, 0.0 if marked is None else float(np.abs(marked).max()), 3.0 * margin)
    at = np.linspace(-reach, reach, _PIXELS)
    grid = np.stack(np.meshgrid(at, at), axis=-1).reshape(-1, 2)
    wrong = (signed @ grid.T <= margin).sum(axis=0).reshape(_PIXELS, _PIXELS)
    ax.imshow(wrong, origin="lower", extent=(-reach, reach, -reach, reach), cmap="Greys", alpha=0.45, aspect="equal")
    if (wrong == 0).any():
        ax.contourf(at, at, wrong == 0, levels=[0.5, 1.5], colors=[BLUE], alpha=0.45)
    for a, b in signed[: min(len(signed), 60)]:
        length = np.hypot(a, b)
        if length > 0:  # the line a w₁ + b w₂ = m
            nearest = np.array([a, b]) * margin / length**2
            along = np.array([-b, a]) / length * 3 * reach
            ax.plot(*np.stack([nearest - along, nearest + along]).T, color=MUTED, linewidth=0.9)
    if marked is not None:
        ax.plot(*marked, "o", color=ORANGE, markersize=7)
    ax.axhline(0, color=INK, linewidth=0.5)
    ax.axvline(0, color=INK, linewidth=0.5)
    some = "some" if _is_feasible(signed) else "none"
    tidy(ax, f"Weights that classify all rows right: {some}", "weight of the first column", "of the second")
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach))
    return ax


def _numbers(given: Any) -> np.ndarray:
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{error}.", "numbers") from error


def _is_feasible(signed: np.ndarray) -> bool:
    """Whether some weights have y w·x > m for all rows: whether the directions of all rows lie in one half-plane.

    As weights scale, the margin, the units of columns and the lengths of rows do not matter.
    """
    units = np.abs(signed).max(axis=0)
    scaled = signed / np.where(units > 0, units, 1.0)
    lengths = np.abs(scaled).max(axis=1, keepdims=True)
    if not lengths.all():
        return False
    scaled = scaled / lengths
    angles = np.sort(np.arctan2(scaled[:, 1], scaled[:, 0]))
    gaps = np.append(np.diff(angles), angles[0] + 2 * np.pi - angles[-1])
    return bool(gaps.max() > np.pi * (1 + 1e-12))
