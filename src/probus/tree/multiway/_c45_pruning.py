"""C4.5's pruning by upper confidence limits of the errors of leaves (Quinlan 1993, chapter 4)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, sqrt

import numpy as np

from probus.tree.multiway._multiway_growth import GrowingNode, Training, divided, first_best

_TOLERATED = 0.1  # a simpler tree may have this many more errors, as in C4.5

# normal quantiles to two digits, between which release 8 interpolates
_CONFIDENCES = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.00)
_QUANTILES = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.00)


def added_errors(n: float, errors: float, confidence: float) -> float:
    r"""Errors to add to the observed errors of n rows to reach the upper confidence limit of the error rate.

    Without errors the limit is exact, :math:`1 - CF^{1/n}`; from one error on it is the normal approximation to the
    binomial with continuity correction, and in between, which fractional rows make possible, it is linear.

    >>> [round(added_errors(n, 0, 0.25) / n, 3) for n in (6, 9, 1)]  # Quinlan (1993), chapter 4
    [0.206, 0.143, 0.75]
    >>> round((1 + added_errors(16, 1, 0.25)) / 16, 3)
    0.157
    """
    if n <= 0:
        return 0.0
    if errors < 1:
        none = n * (1 - confidence ** (1 / n))
        return none if errors <= 0 else none + errors * (added_errors(n, 1.0, confidence) - none)
    if errors + 0.5 >= n:
        return 0.67 * (n - errors)
    z2 = np.interp(confidence, _CONFIDENCES, _QUANTILES) ** 2
    e = errors + 0.5
    rate = (e + z2 / 2 + sqrt(z2 * (e * (1 - e / n) + z2 / 4))) / (n + z2)
    return float(n * rate - errors)


def collapse(root: GrowingNode) -> None:
    """Collapse the nodes whose splits do not reduce the training error."""
    errors: dict[int, float] = {}
    for node in reversed(_every(root)):  # children before parents
        below = sum(errors[id(child)] for child in node.children)
        if node.children and below >= node.errors - 1e-3:  # C4.5's tolerance
            node.become_leaf()
        errors[id(node)] = below if node.children else node.errors


def _every(root: GrowingNode) -> list[GrowingNode]:
    nodes = [root]
    for node in nodes:
        nodes.extend(node.children)
    return nodes


# -- pruning -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Visit:
    """A node with its rows, before or after its children are pruned."""

    node: GrowingNode
    rows: np.ndarray
    w: np.ndarray
    below_done: bool = False


def prune(root: GrowingNode, training: Training, confidence: float, raising: bool) -> None:
    """Replace nodes by leaves, or with ``raising`` by their heaviest branch, where this does not increase the errors.

    From the leaves up a node becomes a leaf if its expected errors are not more than those of its subtree and its
    heaviest branch. Else it is replaced by the branch if this, with all rows of the node, has no more than the subtree.
    """
    expected: dict[int, float] = {}
    waiting = [_Visit(root, np.arange(len(training.y)), training.w)]
    while waiting:
        visit = waiting.pop()
        node = visit.node
        if not visit.below_done:
            node.counts = training.counts(visit.rows, visit.w)
            expected[id(node)] = _as_leaf(node.counts, confidence)
            if node.split is not None:
                waiting.append(replace(visit, below_done=True))
                waiting.extend(_below(visit, training))
            continue
        as_leaf = expected[id(node)]
        as_tree = sum(expected[id(child)] for child in node.children)
        heaviest = node.children[first_best(np.array([child.weight for child in node.children]))]
        as_branch = _errors_of(heaviest, visit, training, confidence, as_tree + _TOLERATED) if raising else inf
        if as_leaf <= min(as_tree, as_branch) + _TOLERATED:
            node.become_leaf()
        elif as_branch <= as_tree + _TOLERATED:
            node.become(heaviest)
            waiting.append(replace(visit, below_done=False))
        else:
            expected[id(node)] = as_tree


def _as_leaf(counts: np.ndarray, confidence: float) -> float:
    n = float(counts.sum())
    errors = n - float(counts.max())
    return errors + added_errors(n, errors, confidence)


def _below(visit: _Visit, training: Training) -> list[_Visit]:
    """The visits to the children; levels that are new here because the subtree was raised get a leaf each."""
    node = visit.node
    assert node.split is not None
    known = node.split.n_children
    visits = []
    for place, rows, w in divided(node.split, training.X, visit.rows, visit.w):
        if place >= known:
            assert node.split.routes is not None
            routes = node.split.routes.copy()
            routes[place - known] = len(node.children)
            node.children.append(GrowingNode(training.counts(rows, w)))
            node.split = replace(node.split, routes=routes, n_children=len(node.children))
            visits.append(_Visit(node.children[-1], rows, w))
        else:
            visits.append(_Visit(node.children[place], rows, w))
    return visits


def _errors_of(branch: GrowingNode, visit: _Visit, training: Training, confidence: float, limit: float) -> float:
    """The expected errors of a branch with all rows of the visit; infinite once they exceed the limit."""
    errors = 0.0
    waiting = [(branch, visit.rows, visit.w)]
    while waiting:
        node, rows, w = waiting.pop()
        if node.split is None:
            errors += _as_leaf(training.counts(rows, w), confidence)
        else:
            for place, part, part_w in divided(node.split, training.X, rows, w):
                if place < node.split.n_children and node.children[place].split is not None:
                    waiting.append((node.children[place], part, part_w))
                else:
                    errors += _as_leaf(training.counts(part, part_w), confidence)
        if errors > limit:
            return inf
    return errors
