"""The picture of a tree of merges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.cluster import hierarchy
from sklearn.utils.validation import check_is_fitted

from probus.cluster._merge_tree import HierarchicalModel, with_sizes
from probus.display.drawing import COLOURS, MUTED, new_axes, tidy
from probus.errors import DataError


def plot_dendrogram(
    model: HierarchicalModel,
    ax: Any = None,
    *,
    n_clusters: int | None = None,
    labels: Sequence[str] | None = None,
    max_leaves: int = 60,
) -> Any:
    """Draw the tree of a hierarchical clustering, coloured by the clusters of a cut.

    Parameters
    ----------
    model : a fitted ``AgglomerativeClustering`` or ``DivisiveClustering``
    ax : matplotlib axes, optional
    n_clusters : the number of clusters to colour; that of the model if None
    labels : the names of the rows
    max_leaves : a larger tree is drawn without its lowest merges; the numbers of rows are shown in brackets

    Returns
    -------
    The matplotlib axes.

    Examples
    --------
    >>> from probus.cluster import AgglomerativeClustering
    >>> model = AgglomerativeClustering(2).fit([[0.0], [1.0], [5.0], [7.0]])
    >>> plot_dendrogram(model, labels=["a", "b", "c", "d"]).get_ylabel()
    'height'
    """
    if not isinstance(model, HierarchicalModel):
        raise DataError(
            f"{type(model).__name__} has no tree of merges.",
            "a fitted AgglomerativeClustering or DivisiveClustering of probus.cluster",
        )
    check_is_fitted(model)
    if getattr(model, "connectivity", None) is not None:
        raise DataError("a tree with connectivity can have several roots.", "a model without connectivity")
    n, k = model.n_leaves_, model.n_clusters_ if n_clusters is None else n_clusters
    merges = with_sizes(model.children_, np.maximum.accumulate(model.distances_))
    whole = max_leaves >= n
    names = [str(i) for i in range(n)] if labels is None else list(labels)
    if len(names) != n:
        raise DataError(f"{len(names)} labels of {n} rows.", "a label for each row")
    drawn = hierarchy.dendrogram(
        merges,
        no_plot=True,
        p=max_leaves,
        truncate_mode=None if whole else "lastp",
        labels=names,
        link_color_func=_colours(model, k),
        get_leaves=True,
    )
    ax = new_axes(ax, max(6.4, 0.16 * len(drawn["ivl"])), 4.6)
    for x, y, colour in zip(drawn["icoord"], drawn["dcoord"], drawn["color_list"], strict=True):
        ax.plot(x, y, color=colour, linewidth=1.3, solid_joinstyle="round")
    tidy(ax, f"Tree of {n:,} rows, cut into {k}", "", "height")
    ax.grid(False, axis="x")
    ax.set_xticks(np.arange(len(drawn["ivl"])) * 10 + 5, drawn["ivl"], rotation=90, fontsize=8, parse_math=False)
    ax.set_xlim(0, 10 * len(drawn["ivl"]))
    ax.set_ylim(0, None)
    return ax


def _colours(model: HierarchicalModel, k: int) -> Any:
    """The colour of each merge: that of its cluster, grey above the cut."""
    n = model.n_leaves_
    cluster = np.concatenate([model.cut(n_clusters=k), np.full(n - 1, -1)])
    for i, (a, b) in enumerate(model.children_[: n - k]):
        cluster[n + i] = cluster[a] if cluster[a] == cluster[b] else -1
    return lambda node: MUTED if cluster[node] < 0 else COLOURS[int(cluster[node]) % len(COLOURS)]
