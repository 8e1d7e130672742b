"""A tree with some of its nodes collapsed to leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.compiling import njit
from probus.tree._surrogates import Surrogates
from probus.tree._trees import LEAF, NO_FEATURE, NO_SUBSET, Tree, subset_words


def subtree(tree: Tree, collapse: Any) -> Tree:
    """The tree with those nodes, a mask or their indices, collapsed to leaves.

    The other nodes keep their order. Leaves among the nodes are unchanged.

    Parameters
    ----------
    tree : the tree.
    collapse : the nodes: a mask or their numbers.

    Returns
    -------
    The subtree.
    """
    closed = tree.is_leaf | _mask(collapse, tree.node_count)
    reached = np.zeros(tree.node_count, np.bool_)
    reach(tree.children_left, tree.children_right, closed, reached)
    kept, number = np.flatnonzero(reached), np.cumsum(reached) - 1
    leaf = closed[kept]
    inner = kept[~leaf]
    subset, subsets, surrogates = _level_sets(tree, kept, inner)

    def of_inner(array: np.ndarray, at_leaf: float) -> np.ndarray:
        return np.where(leaf, at_leaf, array[kept]).astype(array.dtype)

    return Tree(
        children_left=np.where(leaf, LEAF, number[tree.children_left[kept]]),
        children_right=np.where(leaf, LEAF, number[tree.children_right[kept]]),
        feature=of_inner(tree.feature, NO_FEATURE),
        threshold=of_inner(tree.threshold, NO_FEATURE),
        missing_go_to_left=of_inner(tree.missing_go_to_left, 0),
        subset=subset,
        subsets=subsets,
        impurity=tree.impurity[kept],
        n_node_samples=tree.n_node_samples[kept],
        weighted_n_node_samples=tree.weighted_n_node_samples[kept],
        value=tree.value[kept],
        n_levels=tree.n_levels,
        surrogates=surrogates,
        missing_seen=None if tree.missing_seen is None else of_inner(tree.missing_seen, 0),
    )


def _mask(nodes: Any, n_nodes: int) -> np.ndarray:
    nodes = np.asarray(nodes)
    if nodes.dtype == np.bool_:
        return nodes
    mask = np.zeros(n_nodes, np.bool_)
    mask[nodes.astype(np.int64)] = True
    return mask


def _level_sets(tree: Tree, kept: np.ndarray, inner: np.ndarray) -> tuple[np.ndarray, np.ndarray, Surrogates | None]:
    """The offsets of the level sets of the kept nodes, the sets, and the surrogates of the inner nodes."""
    surrogates = tree.surrogates
    starts, features = tree.subset[inner], tree.feature[inner]
    if surrogates is not None:
        count = np.zeros(tree.node_count, np.int64)
        count[inner] = np.diff(surrogates.start)[inner]
        kept_surrogates = _runs(surrogates.start[:-1][kept], count[kept])
        starts = np.concatenate([starts, surrogates.subset[kept_surrogates]])
        features = np.concatenate([features, surrogates.feature[kept_surrogates]])
    words = np.where(starts >= 0, 2 * subset_words(tree.n_levels[features]), 0)
    moved = np.where(starts >= 0, np.cumsum(words) - words, NO_SUBSET)
    subset = np.full(tree.node_count, NO_SUBSET)
    subset[inner] = moved[: len(inner)]
    if surrogates is not None:
        surrogates = Surrogates(
            start=np.concatenate([[0], np.cumsum(count[kept])]),
            feature=surrogates.feature[kept_surrogates],
            threshold=surrogates.threshold[kept_surrogates],
            flipped=surrogates.flipped[kept_surrogates],
            subset=moved[len(inner) :],
            agreement=surrogates.agreement[kept_surrogates],
            adjusted=surrogates.adjusted[kept_surrogates],
        )
    return subset[kept], tree.subsets[_runs(starts, words)], surrogates


def _runs(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """The positions of runs, one after the other.

    >>> _runs(np.array([7, 2]), np.array([2, 3]))
    array([7, 8, 2, 3, 4])
    """
    ends = np.cumsum(lengths)
    return np.repeat(starts - ends + lengths, lengths) + np.arange(lengths.sum())


@njit(nogil=True, cache=True)
def reach(left, right, closed, reached):
    """Mark the nodes that are reachable if rows stop at closed nodes.

    closed (IN)   bool[m]
    reached (OUT) bool[m], initially False
    """
    reached[0] = True
    for t in range(left.shape[0]):
        if reached[t] and not closed[t]:
            reached[left[t]] = True
            reached[right[t]] = True
