"""Loadings as a picture."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.display.drawing import BLUE, INK, MUTED, new_axes, tidy
from probus.errors import DataError


def plot_loadings(model: Any, components: tuple[int, int] = (0, 1), ax: Any = None) -> Any:
    """Draw how two components or factors of a fitted model depend on the columns, an arrow for each.

    Parameters
    ----------
    model : a fitted ``PCA``, ``IncrementalPCA`` or ``FactorAnalysis``.
    components : two of them, counted from 0.
    ax : matplotlib axes to draw on; None makes new ones.

    Returns
    -------
    The matplotlib axes.

    Examples
    --------
    >>> from probus.decomposition import PCA
    >>> ax = plot_loadings(PCA().fit([[1.0, 2.0], [2.0, 4.1], [3.0, 5.9]]))
    >>> ax.get_xlabel()
    'component 1 (100 % of the variance)'
    """
    check_is_fitted(model)
    k = len(model.components_)
    if len(set(components)) != 2 or not all(0 <= c < k for c in components):
        raise DataError(f"components {components} of {k}.", f"two different numbers below {k}")
    loadings = model.components_.T if not hasattr(model, "loadings_") else model.loadings_
    names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(len(loadings))])
    ax = new_axes(ax, 5.2, 5.0)
    ends = loadings[:, list(components)]
    reach = 1.25 * (np.abs(ends).max() or 1.0)
    for name, (x, y) in zip(names, ends, strict=True):
        ax.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "->", "color": BLUE, "linewidth": 1.2})
        ax.annotate(
            str(name), (x, y), (4 if x >= 0 else -4, 3), textcoords="offset points", ha="left" if x >= 0 else "right",
            fontsize=8, color=INK, parse_math=False,
        )  # fmt: skip
    ax.axhline(0, color=MUTED, linewidth=0.7)
    ax.axvline(0, color=MUTED, linewidth=0.7)
    ax.set_xlim(-reach, reach)
    ax.set_ylim(-reach, reach)
    tidy(ax, "Loadings", *(_axis(model, component) for component in components))
    return ax


def _axis(model: Any, component: int) -> str:
    shares = getattr(model, "explained_variance_ratio_", None)
    share = "" if shares is None else f" ({100 * shares[component]:.0f} % of the variance)"
    return f"{'factor' if shares is None else 'component'} {component + 1}{share}"
