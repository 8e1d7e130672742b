"""Subtrees that were grown separately, assembled into one ``Tree``."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from probus.compiling import njit
from probus.tree import node_columns as nodes
from probus.tree.codes import NOMINAL, Values
from probus.tree.scan import Rules
from probus.tree.subtrees import Grown, Piece
from probus.tree.surrogates import Surrogates
from probus.tree.thresholds import midway
from probus.tree.tree_settings import TreeSettings
from probus.tree.trees import NO_SUBSET, Tree, subset_words

__all__ = ["flat_tree", "joined"]

# what is wanted of the whole numbers of a node once it is grown, in the order of Nodes
_FLAGS = (nodes.MISSING_LEFT, nodes.MISSING_SEEN)
_DECIDED = (nodes.LEFT, nodes.RIGHT, nodes.FEATURE, nodes.LOW, nodes.HIGH, *_FLAGS)


class Nodes(NamedTuple):
    """The nodes of a whole tree, in as little memory as they need: of a large tree, that is what takes the time."""

    left: np.ndarray
    right: np.ndarray
    feature: np.ndarray
    low: np.ndarray
    high: np.ndarray
    missing_left: np.ndarray
    missing_seen: np.ndarray
    impurity: np.ndarray
    others: np.ndarray  # the bounds and the threshold drawn, where there are any
    tallies: np.ndarray
    words: np.ndarray


def joined(pieces: list[Piece], about: np.ndarray, others: bool) -> Nodes:
    """One set of nodes: piece after piece, the root of each also in the place that was left for it."""
    first = np.cumsum([0, *(len(piece.grown.links) for piece in pieces)])
    columns = [np.empty(first[-1], np.uint8 if column in _FLAGS else np.int32) for column in _DECIDED]
    n_words = 0
    for piece, start, end in zip(pieces, first[:-1], first[1:], strict=True):
        own = piece.grown.links
        own[:, nodes.LEFT] += start  # of leaves too: nothing looks at them
        own[:, nodes.RIGHT] += start
        if n_words:
            feature = own[:, nodes.FEATURE]
            own[(feature >= 0) & (about[np.maximum(feature, 0), NOMINAL] == 1), nodes.LOW] += n_words
        n_words += len(piece.grown.words)
        for values, column in zip(columns, _DECIDED, strict=True):
            values[start:end] = own[:, column]
            if piece.parent >= 0:
                values[first[piece.parent] + piece.node] = own[0, column]
    grown = [piece.grown for piece in pieces]
    left, right, feature, low, high, missing_left, missing_seen = columns
    return Nodes(
        left,
        right,
        feature,
        low,
        high,
        missing_left,
        missing_seen,
        impurity=np.concatenate([part.facts[:, nodes.IMPURITY] for part in grown]),
        others=np.concatenate([part.facts for part in grown]) if others else np.empty((0, nodes.N_FACTS)),
        tallies=np.concatenate([part.tallies for part in grown]),
        words=np.concatenate([part.words for part in grown]),
    )


def flat_tree(
    grown: Nodes,
    top: Grown,
    values: Values,
    n_levels: np.ndarray,
    centre: np.ndarray,
    rules: Rules,
    settings: TreeSettings,
) -> Tree:
    """The nodes as a Tree: depth first each comes right before its left child, best first in order of their making."""
    in_place = settings.max_leaf_nodes is not None
    order = np.arange(len(grown.left)) if in_place else depth_first(grown.left, grown.right, grown.feature)
    renumbered = np.empty(len(grown.left), np.int64)
    renumbered[order] = np.arange(len(order))
    feature, low = grown.feature[order].astype(np.int64), grown.low[order].astype(np.int64)
    inner = feature >= 0
    tallies = grown.tallies[order]
    nominal = inner & (n_levels[np.maximum(feature, 0)] > 0)
    left, right = (np.where(inner, renumbered[side[order]], -1) for side in (grown.left, grown.right))
    cut = inner & ~nominal
    threshold = np.where(nominal, np.nan, -2.0)
    if settings.splitter == "random":
        threshold[cut] = grown.others[order, nodes.THRESHOLD][cut]
    else:
        threshold[cut] = _thresholds(feature[cut], low[cut], grown.high[order][cut], values)
    value = tallies[:, 2:] / tallies[:, 1:2]
    if rules.constrained:
        value = _clipped(value, grown.others[order])
    value += centre
    start, words = low, grown.words
    if rules.learn:
        start, words = _in_order_of_nodes(start, nominal, n_levels[np.maximum(feature, 0)], words)
    return Tree(
        children_left=left,
        children_right=right,
        feature=feature,
        threshold=threshold,
        missing_go_to_left=grown.missing_left[order] * inner.view(np.uint8),
        subset=np.where(nominal, start, NO_SUBSET),
        subsets=words,
        impurity=grown.impurity[order],
        n_node_samples=tallies[:, 0].astype(np.int64),
        weighted_n_node_samples=tallies[:, 1].copy(),
        value=value.reshape(len(value), rules.n_outputs, -1),
        n_levels=n_levels.astype(np.int64),
        missing_seen=grown.missing_seen[order] * inner.view(np.uint8),
        surrogates=None if rules.learn else _surrogates(top, renumbered, values, n_levels),
    )


def _in_order_of_nodes(
    start: np.ndarray, nominal: np.ndarray, n_levels: np.ndarray, words: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Where the words of each nominal split begin, and the words, however many threads wrote them."""
    size = np.where(nominal, 2 * subset_words(n_levels), 0)
    begin = np.cumsum(size) - size
    return begin, words[np.repeat(start - begin, size) + np.arange(size.sum())]


def _surrogates(grown: Grown, renumbered: np.ndarray, values: Values, n_levels: np.ndarray) -> Surrogates:
    """The surrogates in the order of the nodes they belong to, best first within each."""
    node = renumbered[grown.surrogate_links[:, nodes.S_NODE]]
    order = np.argsort(node, kind="stable")
    links, facts = grown.surrogate_links[order], grown.surrogate_facts[order]
    feature = links[:, nodes.S_FEATURE]
    nominal = n_levels[feature] > 0
    threshold = np.full(len(links), np.nan)
    cuts = links[~nominal]
    threshold[~nominal] = _thresholds(cuts[:, nodes.S_FEATURE], cuts[:, nodes.S_LOW], cuts[:, nodes.S_HIGH], values)
    return Surrogates(
        start=np.searchsorted(node[order], np.arange(len(grown.links) + 1)),
        feature=feature,
        threshold=threshold,
        flipped=links[:, nodes.S_FLIPPED].astype(np.uint8),
        subset=np.where(nominal, links[:, nodes.S_LOW], NO_SUBSET),
        agreement=facts[:, nodes.AGREEMENT].copy(),
        adjusted=facts[:, nodes.ADJUSTED].copy(),
    )


def _thresholds(feature: np.ndarray, low: np.ndarray, high: np.ndarray, values: Values) -> np.ndarray:
    """Midway between the values on either side of a cut; infinite where all that is known goes left."""
    start, whole = values.start[feature], high < 0
    below = values.high[start + low]
    above = np.where(whole, np.inf, values.low[start + np.where(whole, 0, high)])
    return np.where(whole, np.inf, midway(below, above))


def _clipped(value: np.ndarray, facts: np.ndarray) -> np.ndarray:
    """Predictions within what monotone constraints further up allow."""
    last = np.clip(value[:, -1], facts[:, nodes.LOWER], facts[:, nodes.UPPER])
    return last[:, None] if value.shape[1] == 1 else np.column_stack([1.0 - last, last])


@njit(nogil=True, cache=True)
def depth_first(left, right, feature):
    """The nodes that hang together with the first, each right before its left child.

    left, right, feature (IN) int32[m]
    """
    order, waiting = np.empty(len(left), np.int64), np.empty(len(left), np.int64)
    waiting[0] = 0
    n_waiting, n = 1, 0
    while n_waiting > 0:
        n_waiting -= 1
        node = waiting[n_waiting]
        order[n] = node
        n += 1
        if feature[node] >= 0:
            waiting[n_waiting] = right[node]
            waiting[n_waiting + 1] = left[node]
            n_waiting += 2
    return order[:n].copy()
