"""Shepard's diagram of a map."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.utils.validation import check_is_fitted

from probus.display.drawing import BLUE, ORANGE, new_axes, tidy
from probus.manifold._scaling import disparities_of


def plot_shepard(model: Any, ax: Any = None) -> Any:
    """Draw the distances in a map against the given ones, and the function that the map aims at.

    Parameters
    ----------
    model : A fitted ``MDS`` or ``ClassicalMDS``.
    ax : matplotlib axes to draw on; None makes new ones.

    Returns
    -------
    The matplotlib axes.

    Examples
    --------
    >>> from probus.manifold import MDS
    >>> ax = plot_shepard(MDS(random_state=0).fit([[0.0, 0.0], [3.0, 1.0], [4.0, 0.0], [1.0, 1.0]]))
    >>> ax.get_xlabel()
    'given distance'
    """
    check_is_fitted(model)
    given = squareform(model.dissimilarity_matrix_, checks=False)
    distances = pdist(model.embedding_)
    wanted = disparities_of(given, distances) if getattr(model, "metric_mds", True) is False else given
    ax = new_axes(ax, 5.2, 4.6)
    order = np.lexsort((wanted, given))
    ax.scatter(given, distances, s=8, color=BLUE, alpha=0.5, linewidths=0, rasterized=len(given) > 5000)
    ax.plot(given[order], wanted[order], color=ORANGE, linewidth=1.2)
    stress = np.sqrt(((distances - wanted) ** 2).sum() / ((wanted**2).sum() or 1.0))
    tidy(ax, f"Stress-1 = {stress:.3f}", "given distance", "distance in the map")
    return ax
