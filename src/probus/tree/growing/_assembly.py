"""Subtrees that were grown separately, assembled into one ``Tree``."""

from __future__ import annotations

import numpy as np

from probus.compiling import njit
from probus.memory import return_free_memory
from probus.tree import _node_columns as nodes
from probus.tree._surrogates import Surrogates
from probus.tree._trees import NO_SUBSET, Tree, subset_words
from probus.tree.growing._subtrees import Grown, Nodes, Piece
from probus.tree.preparation._codes import NOMINAL, Values
from probus.tree.preparation._design import Design
from probus.tree.preparation._tree_settings import TreeSettings
from probus.tree.splitting._scan import SplitRules
from probus.tree.splitting._thresholds import midway

_MANY = 200_000  # nodes from which memory is returned to the system
_OF_ROOTS = Nodes._fields[: Nodes._fields.index("impurity")]  # what is known of a node when it is split


def joined(pieces: list[Piece], about: np.ndarray, in_place: bool) -> tuple[Nodes, np.ndarray]:
    """One set of nodes, the root of each piece in the place that was left for it; and the new number of each node.

    Depth first each comes right before its left child, ``in_place`` they stay in order of their making. The list is
    emptied on the way, part by part, so that no memory is needed twice.
    """
    first = np.cumsum([0, *(len(piece.nodes.left) for piece in pieces)])
    n_words = 0
    for piece, start in zip(pieces, first, strict=False):
        own = piece.nodes
        own.left[:] += start  # of leaves too: nothing looks at them
        own.right[:] += start
        if n_words:
            nominal = (own.feature >= 0) & (about[np.maximum(own.feature, 0), NOMINAL] == 1)
            own.low[nominal] += n_words
        n_words += len(own.words)
    roots = [(first[piece.parent] + piece.node, start) for piece, start in zip(pieces, first, strict=False)][1:]
    parts = [piece.nodes._asdict() for piece in pieces]
    pieces.clear()

    def taken(name: str) -> np.ndarray:
        whole = np.concatenate([part.pop(name) for part in parts])
        if len(renumbered) >= _MANY:
            return_free_memory()  # of the parts, which are small
        for place, root in roots if name in _OF_ROOTS else ():
            whole[place] = whole[root]
        return whole

    renumbered = np.empty(first[-1], np.int32)
    left, right, feature = taken("left"), taken("right"), taken("feature")
    order = np.arange(len(left)) if in_place else depth_first(left, right, feature)
    renumbered = renumbered[: len(left)]
    renumbered[order] = np.arange(len(order), dtype=np.int32)
    feature = feature[order]
    left, right = (np.where(feature >= 0, renumbered[child[order]], np.int32(-1)) for child in (left, right))
    others = {name: taken(name) for name in ("others", "words")}
    others["others"] = others["others"][order] if len(others["others"]) else others["others"]
    per_node = {name: taken(name)[order] for name in Nodes._fields[3:] if name not in others}
    return Nodes(left=left, right=right, feature=feature, **per_node, **others), renumbered


def flat_tree(
    pieces: list[Piece],
    about: np.ndarray,
    surrogates: Grown | None,
    values: Values,
    design: Design,
    centre: np.ndarray,
    rules: SplitRules,
    settings: TreeSettings,
) -> Tree:
    """The pieces as one Tree. What is used is freed on the way: a large tree takes as much memory as the data."""
    grown, renumbered = joined(pieces, about, in_place=settings.max_leaf_nodes is not None)
    n_levels, feature = design.n_levels, grown.feature
    inner = feature >= 0
    nominal = inner & (n_levels[np.maximum(feature, 0)] > 0)
    threshold = _all_thresholds(grown, inner & ~nominal, nominal, values, design.X, settings)
    start, words = grown.low, grown.words
    if rules.learn:
        start, words = _in_order_of_nodes(start, nominal, n_levels[np.maximum(feature, 0)], words)
    subset, nothing = np.where(nominal, start, NO_SUBSET), np.empty(0, np.int32)
    del start
    grown = grown._replace(low=nothing, high=nothing, below=nothing, above=nothing)
    count, weight = grown.tallies[:, 0].astype(np.int64), grown.tallies[:, 1].copy()
    value = grown.tallies[:, 2:] / weight[:, None]
    grown = grown._replace(tallies=nothing)
    if rules.constrained:
        value = _clip(value, grown.others)
    value += centre
    return Tree(
        children_left=grown.left,
        children_right=grown.right,
        feature=feature,
        threshold=threshold,
        missing_go_to_left=grown.missing_left * inner.view(np.uint8),
        subset=subset,
        subsets=words,
        impurity=grown.impurity,
        n_node_samples=count,
        weighted_n_node_samples=weight,
        value=value.reshape(len(value), rules.n_outputs, -1),
        n_levels=n_levels.astype(np.int64),
        missing_seen=grown.missing_seen * inner.view(np.uint8),
        surrogates=None if surrogates is None else _surrogates(surrogates, renumbered, values, design),
    )


def _all_thresholds(
    grown: Nodes, cut: np.ndarray, nominal: np.ndarray, values: Values, X: np.ndarray, settings: TreeSettings
) -> np.ndarray:
    """The threshold of each node that has a ``cut``, NaN for nominal splits, −2 for leaves."""
    threshold = np.where(nominal, np.nan, -2.0)
    if settings.splitter == "random":
        threshold[cut] = grown.others[cut, nodes.THRESHOLD]
    else:
        sides = grown.feature[cut], grown.low[cut], grown.high[cut]
        threshold[cut] = _thresholds(*sides, values, X, grown.below[cut], grown.above[cut])
    return threshold


def _in_order_of_nodes(
    start: np.ndarray, nominal: np.ndarray, n_levels: np.ndarray, words: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Where the words of each nominal split begin, and the words, however many threads wrote them."""
    size = np.where(nominal, 2 * subset_words(n_levels), 0)
    begin = np.cumsum(size) - size
    return begin, words[np.repeat(start - begin, size) + np.arange(size.sum())]


def _surrogates(grown: Grown, renumbered: np.ndarray, values: Values, design: Design) -> Surrogates:
    """The surrogates in the order of the nodes they belong to, best first within each."""
    node = renumbered[grown.surrogate_links[:, nodes.S_NODE]]
    order = np.argsort(node, kind="stable")
    links, facts = grown.surrogate_links[order], grown.surrogate_facts[order]
    feature = links[:, nodes.S_FEATURE]
    nominal = design.n_levels[feature] > 0
    threshold = np.full(len(links), np.nan)
    feature_of, low, high = links[~nominal][:, [nodes.S_FEATURE, nodes.S_LOW, nodes.S_HIGH]].T
    threshold[~nominal] = _thresholds(feature_of, low, high, values, design.X)
    return Surrogates(
        start=np.searchsorted(node[order], np.arange(len(grown.links) + 1)),
        feature=feature,
        threshold=threshold,
        flipped=links[:, nodes.S_FLIPPED].astype(np.uint8),
        subset=np.where(nominal, links[:, nodes.S_LOW], NO_SUBSET),
        agreement=facts[:, nodes.AGREEMENT].copy(),
        adjusted=facts[:, nodes.ADJUSTED].copy(),
    )


def _thresholds(
    feature: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    values: Values,
    X: np.ndarray,
    below: np.ndarray | None = None,
    above: np.ndarray | None = None,
) -> np.ndarray:
    """Midway between the values on either side of a cut; infinite where all that is known goes left.

    low, high : the codes on either side. below, above : rows that have them, for columns without ``values``
    """
    start, whole = values.start[feature], high < 0
    smaller, larger = np.empty(len(feature)), np.full(len(feature), np.inf)
    coded = values.start[feature + 1] > start
    smaller[coded] = values.high[start[coded] + low[coded]]
    cut = coded & ~whole
    larger[cut] = values.low[start[cut] + high[cut]]
    if below is not None and above is not None:
        smaller[~coded] = X[below[~coded], feature[~coded]]
        cut = ~coded & ~whole
        larger[cut] = X[above[cut], feature[cut]]
    return np.where(whole, np.inf, midway(smaller, larger))


def _clip(value: np.ndarray, facts: np.ndarray) -> np.ndarray:
    """Predictions within what monotone constraints further up allow."""
    last = np.clip(value[:, -1], facts[:, nodes.LOWER], facts[:, nodes.UPPER])
    return last[:, None] if value.shape[1] == 1 else np.column_stack([1.0 - last, last])


@njit(nogil=True, cache=True)
def depth_first(left, right, feature):
    """The nodes that are connected with the first, each right before its left child.

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
