"""Cost-complexity pruning by weakest links (Breiman et al. 1984, chapter 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probus.compiling import njit
from probus.errors import DataError
from probus.tree._trees import LEAF, Tree
from probus.tree.kernel_parts import allocating, inner
from probus.tree.prune._subtree import subtree


def impurity_risk(tree: Tree) -> np.ndarray:
    """The share of the weight in each node times its impurity: scikit-learn's risk.

    Parameters
    ----------
    tree : the tree.

    Returns
    -------
    The risk of each node.
    """
    return tree.weighted_n_node_samples * tree.impurity / tree.weighted_n_node_samples[0]


def misclassification_risk(tree: Tree) -> np.ndarray:
    """The share of the weight that each node would misclassify as a leaf: rpart's risk for classes.

    Parameters
    ----------
    tree : the tree.

    Returns
    -------
    The risk of each node.
    """
    errors = tree.weighted_n_node_samples * (1 - tree.value[:, 0].max(axis=1))
    return errors / tree.weighted_n_node_samples[0]


@dataclass(frozen=True, eq=False)
class PruningPath:
    """The nested trees from the full one to the root, with one node collapsed at each step.

    Attributes
    ----------
    alphas : the penalty per leaf at which each tree becomes optimal; 0 for the full tree.
    impurities : the risk of each tree, the sum over its leaves.
    n_leaves : of each tree.
    order : the node collapsed at each step, so one shorter than the others.
    complexity : the penalty at which each node of the full tree becomes a leaf; 0 for its leaves.
    """

    alphas: np.ndarray
    impurities: np.ndarray
    n_leaves: np.ndarray
    order: np.ndarray
    complexity: np.ndarray

    @property
    def noise(self) -> float:
        """The rounding error of a gain of zero: penalties closer than this are equal."""
        return float(4 * np.finfo(float).eps * self.impurities[-1])

    @property
    def steps(self) -> np.ndarray:
        """The last tree of each distinct penalty: the optimal trees, each smaller than the one before.

        Penalties within the rounding error are equal. The full tree is not among them if some of its splits
        gain nothing.
        """
        return np.flatnonzero(np.append(np.diff(self.alphas) > 1e-12 * self.alphas[1:] + self.noise, True))


def pruning_path(tree: Tree, risk: np.ndarray | None = None) -> PruningPath:
    r"""The sequence of trees of weakest-link pruning, from the full one to the root.

    Each step collapses the inner node t with the smallest gain per leaf, the first in case of ties:
    :math:`\alpha(t) = (R(t) - R(T_t)) / (|T_t| - 1)` with :math:`R(T_t)` the risk and :math:`|T_t|` the number of the
    leaves below it.

    Parameters
    ----------
    tree : the tree.
    risk : the risk of each node as a leaf; by default ``impurity_risk``.

    Returns
    -------
    The subtrees, by the cost at which each is the best.
    """
    risk = impurity_risk(tree) if risk is None else risk
    n_inner = tree.node_count - tree.n_leaves
    alphas, impurities = np.zeros(n_inner + 1), np.zeros(n_inner + 1)
    n_leaves, order = np.zeros(n_inner + 1, np.int64), np.zeros(n_inner, np.int64)
    complexity = np.zeros(tree.node_count)
    n = cut_weakest_links(
        tree.children_left, tree.children_right, tree.parents, risk, alphas, impurities, n_leaves, order, complexity
    )
    return PruningPath(alphas[: n + 1], impurities[: n + 1], n_leaves[: n + 1], order[:n], complexity)


def pruned(tree: Tree, alpha: float, risk: np.ndarray | None = None) -> Tree:
    r"""The smallest subtree with the least :math:`R(T) + \alpha |T|`.

    At ``alpha=0`` splits that gain nothing are removed; estimators whose ``ccp_alpha`` is 0 do not prune, as in
    scikit-learn.

    Parameters
    ----------
    tree : the tree.
    alpha : the cost of each leaf.
    risk : the risk of each node as a leaf; None is ``impurity_risk``.

    Returns
    -------
    The subtree.
    """
    if not alpha >= 0:
        raise DataError(f"alpha={alpha!r}.", "a number of at least 0")
    path = pruning_path(tree, risk)
    return subtree(tree, ~tree.is_leaf & (path.complexity <= alpha + path.noise))


@njit(nogil=True, cache=True)
def cut_weakest_links(left, right, parent, risk, alphas, impurities, n_leaves, order, complexity):
    """Collapse the weakest inner node until the root is a leaf; returns the number of steps.

    A tournament tree finds the smallest penalty: the cost of a step is the depth of the node times log m.

    risk (IN)                              float64[m]
    alphas, impurities, n_leaves (OUT)     one more than there are inner nodes
    order (OUT)                            int64, one for each inner node
    complexity (OUT)                       float64[m], initially zero
    """
    m = left.shape[0]
    below, leaves = np.zeros(m), np.zeros(m, np.int64)
    for t in range(m):
        if left[t] == LEAF:
            add_upwards(t, risk[t], 1, parent, below, leaves)
    price = np.empty(m)
    for t in range(m):
        price[t] = np.inf if left[t] == LEAF else (risk[t] - below[t]) / (leaves[t] - 1)
    winner, stack = tournament(price), np.empty(m, np.int64)
    impurities[0], n_leaves[0] = below[0], leaves[0]
    step, alpha = 0, 0.0
    while leaves[0] > 1:
        weakest = winner[1]
        alpha = max(alpha, price[weakest])  # penalties cannot decrease except by rounding
        close(weakest, alpha, left, right, price, winner, stack, complexity)
        add_upwards(weakest, risk[weakest] - below[weakest], 1 - leaves[weakest], parent, below, leaves)
        t = parent[weakest]
        while t >= 0:
            price[t] = (risk[t] - below[t]) / (leaves[t] - 1)
            replay(t, price, winner)
            t = parent[t]
        order[step] = weakest
        step += 1
        alphas[step], impurities[step], n_leaves[step] = alpha, below[0], leaves[0]
    return step


@inner
def add_upwards(t, risk, count, parent, below, leaves):
    """Add risk and leaves to the sums of a node and of its ancestors.

    The order of the sums is scikit-learn's, so that ties are resolved in the same way.

    below (OUT)  float64[m] the risk of the leaves below each node
    leaves (OUT) int64[m]   their number
    """
    while t >= 0:
        below[t] += risk
        leaves[t] += count
        t = parent[t]


@inner
def close(t, alpha, left, right, price, winner, stack, complexity):
    """Remove a node and its descendants from the tournament, and store the penalty.

    stack (OUT)              int64[m] scratch
    price, complexity (OUT)  float64[m]
    """
    top, stack[0] = 1, t
    while top > 0:
        top -= 1
        t = stack[top]
        if price[t] < np.inf:
            complexity[t], price[t] = alpha, np.inf
            replay(t, price, winner)
            stack[top], stack[top + 1] = left[t], right[t]
            top += 2


@allocating
def tournament(price):
    """The winners of the matches for the smallest penalty: match i is between the winners of 2i and 2i + 1."""
    m = price.shape[0]
    size = 1
    while size < m:
        size *= 2
    winner = np.zeros(2 * size, np.int64)
    for i in range(size):
        winner[size + i] = min(i, m - 1)
    for i in range(size - 1, 0, -1):
        a, b = winner[2 * i], winner[2 * i + 1]
        winner[i] = b if price[b] < price[a] else a
    return winner


@inner
def replay(t, price, winner):
    """Update the matches of one node after its penalty has changed.

    winner (OUT) int64[2 size], see ``tournament``
    """
    i = (winner.shape[0] // 2 + t) // 2
    while i > 0:
        a, b = winner[2 * i], winner[2 * i + 1]
        best = b if price[b] < price[a] else a
        if winner[i] == best and best != t:
            return
        winner[i] = best
        i //= 2
