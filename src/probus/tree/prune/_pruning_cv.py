"""Cross-validation of pruned trees at every penalty per leaf."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy.sparse import issparse
from sklearn.base import clone

from probus.data import Table, checked_sparse, has_names
from probus.tree._trees import Tree
from probus.tree.prune._cost_complexity import PruningPath, pruning_path
from probus.tree.prune._node_losses import LossAt, climb, loss_at


@dataclass(frozen=True, eq=False)
class Validation:
    """The estimator, data and losses of a cross-validation.

    grower : an estimator with one ``tree_``. X : see ``indexable``. target : codes of the classes, or numbers.
    weights : of rows, or None. classes : None for numbers. risk : of the nodes of a tree, for pruning. loss : of rows,
    see ``loss_at``.
    """

    grower: Any
    X: Any
    target: np.ndarray
    weights: np.ndarray | None
    classes: np.ndarray | None
    risk: Callable[[Tree], np.ndarray]
    loss: str

    def risks(
        self, folds: Sequence[tuple[Any, Any]], alphas: np.ndarray, n_jobs: int | None
    ) -> tuple[np.ndarray, np.ndarray]:
        r"""The mean loss at each of the alphas over all test rows, and its standard error.

        The error is rpart's, :math:`\sqrt{\sum_i w_i (l_i - \bar l)^2} / \sum_i w_i`.
        """
        run = Parallel(n_jobs=n_jobs, prefer="threads")
        parts = run(delayed(self._fold)(train, test, alphas) for train, test in folds)
        sums, squares, weight = (np.sum(each, axis=0) for each in zip(*parts, strict=True))
        return sums / weight, np.sqrt(np.maximum(squares - sums**2 / weight, 0)) / weight

    def risks_of(self, model: Any, alphas: np.ndarray) -> np.ndarray:
        """The mean loss of a fitted estimator on all rows, its tree pruned at each of the alphas."""
        sums, _, weight = self._losses(model, np.arange(len(self.target)), alphas)
        return sums / weight

    def _fold(self, train: Any, test: Any, alphas: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        labels = self.target if self.classes is None else self.classes[self.target]
        weights = None if self.weights is None else self.weights[train]
        return self._losses(grown(self.grower, _rows(self.X, train), labels[train], weights), test, alphas)

    def _losses(self, model: Any, rows: Any, alphas: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """The weighted sums of losses and of their squares over rows, and the weight of these."""
        tree: Tree = model.tree_
        w = np.ones(len(self.target))[rows] if self.weights is None else self.weights[rows]
        at = loss_at(self.loss, self._values(model), self.target[rows])
        path = pruning_path(tree, self.risk(tree))
        return *losses_along(tree, path, model.apply(_rows(self.X, rows)), at, w, alphas), w.sum()

    def _values(self, model: Any) -> np.ndarray:
        """The values of the nodes, with a column for every class even if the fold does not contain it."""
        value = model.tree_.value[:, 0]
        if self.classes is None:
            return value
        shares = np.zeros((len(value), len(self.classes)))
        shares[:, np.searchsorted(self.classes, model.classes_)] = value
        return shares


def grown(grower: Any, X: Any, y: Any, weights: Any) -> Any:
    """A clone of an estimator, fitted."""
    return clone(grower).fit(X, y, **({} if weights is None else {"sample_weight": weights}))


def indexable(X: Any) -> Any:
    """X as a Table, a CSR matrix or an array, whose rows can be selected by index."""
    if issparse(X):
        return checked_sparse(X).tocsr()
    if has_names(X):
        return Table.of(X, infer=False)
    return np.asarray(X)


def _rows(X: Any, rows: Any) -> Any:
    return X.take(rows) if isinstance(X, Table) else X[rows]


# -- the losses of rows in all pruned trees at once ----------------------------------------------------


def losses_along(
    tree: Tree, path: PruningPath, leaves: np.ndarray, at: LossAt, w: np.ndarray, alphas: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The weighted sums of the losses and of their squares, over all rows, in the tree pruned at each of the alphas.

    As alpha rises, a row ends at nodes closer to the root, and its loss changes only there. So each row is visited once
    per node of its path, for any number of alphas.

    Parameters
    ----------
    path : of the tree. leaves : of the rows in the full tree.
    at : see ``loss_at``. w : weights of the rows. alphas : ascending.
    """
    everyone = np.arange(len(leaves))
    loss = at(everyone, leaves)
    sums, squares = np.zeros((2, len(alphas) + 1))
    sums[0], squares[0] = w @ loss, w @ loss**2
    first = np.searchsorted(alphas + path.noise, path.complexity)  # index of the first alpha at which a node is a leaf
    for rows, _, above in climb(tree, leaves):
        now = at(rows, above)
        np.add.at(sums, first[above], w[rows] * (now - loss[rows]))
        np.add.at(squares, first[above], w[rows] * (now**2 - loss[rows] ** 2))
        loss[rows] = now
    return np.cumsum(sums)[:-1], np.cumsum(squares)[:-1]
