"""Rounds that would raise the training loss are given smaller leaf values.

A leaf value is a Newton step −G / (H + λ). Where a class is rare, the hessians p (1 − p) of the other rows of a leaf
are tiny, and one row of that class suffices for a step of hundreds: the class then becomes certain for all rows of
the leaf, and the next round overshoots to the other side. For losses with |L'''| ≤ L'' a step t of a leaf changes the
loss by at most G t + H (e^|t| − 1 − |t|), which is lowest at |t| = log(1 + |G| / H): steps are reduced to that, and
then halved, until the loss does not rise. By the same bound no round with small leaf values raises the loss, so that
few are evaluated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from probus.ensemble.boosting._leaf_values import Leaves, add_leaf_values, set_inner_values
from probus.ensemble.boosting._node_arrays import LEFT
from probus.ensemble.boosting._scoring import total_loss
from probus.losses import Custom

if TYPE_CHECKING:
    from probus.ensemble.boosting._iterations import GrownTree, Rounds


_SAFE = 0.9  # leaf values up to this never raise the loss, at a rate of at most 1, or 0.5 with several outputs
_ROUNDING = 1e-12  # an increase of the mean loss that is rounding
_HALVINGS = 30  # after so many the trees of the round are set to zero


def without_rising_loss(rounds: Rounds, trees: list[GrownTree]) -> list[GrownTree]:
    """The trees of a round; if they raise the training loss, with smaller values, and raw predictions to match."""
    if not _may_rise(rounds, trees):
        return trees
    before = rounds.raw - _change(rounds, trees)
    now = _total_loss(rounds, before)
    weight = len(rounds.train) if rounds.weight is None else rounds.weight[rounds.train].sum()
    limit = now + _ROUNDING * (abs(now) + weight)
    if _total_loss(rounds, rounds.raw) <= limit:
        return trees
    if rounds.loss.bounded_curvature:
        trees = [_scale(tree, _bounded_steps(tree.leaves.value, rounds.plan.step_factor)) for tree in trees]
    change, factor = _change(rounds, trees), 1.0
    while _total_loss(rounds, before + factor * change) > limit:
        factor = 0.5 * factor if factor > 0.5**_HALVINGS else 0.0
    rounds.raw[:] = before + factor * change
    return [_scale(tree, factor * tree.leaves.value) for tree in trees]


def _may_rise(rounds: Rounds, trees: list[GrownTree]) -> bool:
    """Whether theory does not exclude that these trees raise the loss of the rows that they were grown on."""
    plan, loss, n_outputs = rounds.plan, rounds.loss, len(trees)
    if plan.monotone is not None or plan.step_factor > (0.5 if n_outputs > 1 else 1.0):
        return True
    if rounds.searches or loss.constant_hessian:  # each leaf has its best value, or moves towards it
        return n_outputs > 1 or isinstance(loss, Custom)
    return not loss.bounded_curvature or max(np.abs(tree.leaves.value).max() for tree in trees) > _SAFE


def _bounded_steps(values: np.ndarray, factor: float) -> np.ndarray:
    """Leaf values with steps s replaced by log(1 + |s|), with the sign of s."""
    return factor * np.copysign(np.log1p(np.abs(values / factor)), values)


def _scale(tree: GrownTree, values: np.ndarray) -> GrownTree:
    """The tree with other values of its leaves."""
    values, links = values.copy(), tree.grown.links
    values[links[:, LEFT] >= 0] = 0.0
    cover = tree.leaves.cover.copy()
    set_inner_values(links, values[:, None], cover)
    return type(tree)(tree.grown, Leaves(values, cover))


def _change(rounds: Rounds, trees: list[GrownTree]) -> np.ndarray:
    """What the trees add to the raw predictions of all rows."""
    change, rows = np.zeros_like(rounds.raw), np.arange(len(rounds.y), dtype=np.int32)
    for k, tree in enumerate(trees):
        values = tree.leaves.value[:, None]
        add_leaf_values(rounds.codes.by_row, rounds.bins, tree.grown, values, rows, change, k, rounds.pool)
    return change


def _total_loss(rounds: Rounds, raw: np.ndarray) -> float:
    """Of the rows that trees are grown on."""
    return total_loss(rounds.loss, rounds.y, raw, rounds.weight, rounds.train)
