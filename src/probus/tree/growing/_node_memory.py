"""The memory that the nodes of trees need at least."""

from __future__ import annotations

import os
from typing import Any

from probus.errors import DataError
from probus.tree.preparation._row_target import Target


def must_fit_into_memory(target: Target, model: Any, n_trees: int = 1) -> None:
    """Raise where class frequencies cannot be held: each node has one for each class, each class at least one leaf.

    model : with the limits ``max_depth`` and ``max_leaf_nodes``, which allow fewer leaves.
    """
    if target.n_classes < 1_000:
        return
    leaves = min(target.n_classes, len(target.y), model.max_leaf_nodes or target.n_classes)
    if model.max_depth is not None:
        leaves = min(leaves, 2 ** min(int(model.max_depth), 62))
    needed = n_trees * (2 * leaves - 1) * target.n_sums * 8
    available = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 2**62
    if needed > available:
        trees = "a tree needs" if n_trees == 1 else f"{n_trees} trees need"
        found = f"{target.n_classes:,} classes: their frequencies in the nodes of"
        raise DataError(
            f"{found} {trees} at least {needed / 2**30:,.0f} GB.",
            f"at most {available / 2**30:,.0f} GB, the memory of this machine",
            "Limit max_depth or max_leaf_nodes, grow fewer trees, or join rare classes.",
        )
