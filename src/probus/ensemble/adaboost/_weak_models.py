"""Fitting weak models in each round on the same rows, of which only the weights change."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import issparse

from probus.base import Model
from probus.data import Kind, Table
from probus.data.row_selection import take_rows
from probus.ensemble._inputs import validated_any_shape
from probus.ensemble._members import fit_member
from probus.ensemble.forest._bags import order_by_content
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor, Tree, of_one_class
from probus.tree.growing import build_tree, coding_of
from probus.tree.preparation import Columns, Design, Target, TreeSettings, Values, design_of, settings_of

_REPEATED = 10  # integer weights up to this mean count as repeated rows
_MOST_CELLS = 1e8  # of a sparse matrix that is made dense to find equal rows


class WeakModels(ABC):
    """The rows and their target, and how models are fitted to them.

    y : the target. own : the weights of the rows before boosting, all above 0.
    """

    def __init__(self, y: np.ndarray, own: np.ndarray):
        self.y = y
        self.own = own

    @abstractmethod
    def fit(self, member: Any, weight: np.ndarray) -> np.ndarray:
        """Fit a model with these weights; its prediction for each row."""

    @abstractmethod
    def fit_drawn(self, member: Any, rows: np.ndarray) -> np.ndarray:
        """Fit a model on drawn rows, which may repeat; its prediction for each row."""

    @abstractmethod
    def content(self) -> np.ndarray:
        """The rows as a matrix of numbers that distinguishes them."""

    @cached_property
    def order(self) -> np.ndarray:
        """The rows in an order that depends only on their content."""
        return order_by_content(self.content(), self.y)

    def draw(self, weight: np.ndarray, random: np.random.RandomState) -> np.ndarray:
        """As many rows as there are, drawn by weight; a row of weight 2 counts as two rows.

        Rows are drawn from the order of their content, so that their order in the input does not matter.
        """
        whole = self.own.sum() <= _REPEATED * len(self.own) and bool((self.own == np.floor(self.own)).all())
        size = int(self.own.sum()) if whole else len(self.own)
        ends = np.cumsum(weight[self.order])
        at = np.searchsorted(ends / ends[-1], random.random_sample(size), side="right")
        return self.order[at]


class AnyModels(WeakModels):
    """Models that are fitted by their own ``fit``."""

    def __init__(self, X: Any, y: np.ndarray, own: np.ndarray):
        super().__init__(y, own)
        self.X = X

    def fit(self, member: Any, weight: np.ndarray) -> np.ndarray:
        """See the parent."""
        # normalised, as in scikit-learn: for some models, such as those with a penalty, the scale of weights matters
        return np.asarray(fit_member(member, self.X, self.y, weight / weight.sum()).predict(self.X))

    def fit_drawn(self, member: Any, rows: np.ndarray) -> np.ndarray:
        """See the parent."""
        return np.asarray(fit_member(member, take_rows(self.X, rows), self.y[rows], None).predict(self.X))

    def content(self) -> np.ndarray:
        """See the parent; where X is not numeric, or a large sparse matrix, only the target distinguishes rows."""
        if isinstance(self.X, Table):
            return np.column_stack([self.y, *(c.values for c in self.X if c.kind is not Kind.TEXT)])[:, 1:]
        if issparse(self.X):
            return self.X.toarray() if np.prod(self.X.shape, dtype=float) <= _MOST_CELLS else self.y[:, None]
        try:
            return np.asarray(self.X, dtype=np.float64).reshape(len(self.X), -1)
        except (TypeError, ValueError):
            return self.y[:, None]


class PlainTrees(WeakModels):
    """Decision trees of ours: their columns are validated, coded and sorted once for all rounds.

    y : codes of classes, or numbers where ``n_classes`` is 0. shared : attributes that trees take from the ensemble.
    """

    def __init__(self, design: Design, y: np.ndarray, own: np.ndarray, n_classes: int, shared: dict[str, Any]):
        super().__init__(y, own)
        self.design = design
        self.n_classes = n_classes
        self.shared = shared
        self.coding: tuple[Columns, Values] | None = None

    def fit(self, member: Any, weight: np.ndarray) -> np.ndarray:
        """See the parent."""
        settings, n_classes = _settings(member, self.design, weight), max(2, self.n_classes) if self.n_classes else 1
        halved = self.n_classes == 2 and settings.criterion in ("gini", "brier")
        if halved:  # the Gini impurity of two classes is twice the variance of 0 and 1, which is faster to minimise
            settings, n_classes = _of_variance(settings), 1
        target = Target(self.y.astype(np.float64) if n_classes == 1 else self.y, weight, n_classes)
        if self.coding is None:
            member._validate_params()
            self.coding = coding_of(self.design, target, settings, member.n_jobs)
        columns, values = self.coding
        coding = columns._replace(lists=columns.lists.copy()), values
        tree = build_tree(self.design, target, settings, member.n_jobs, coding)
        return self._attach(member, _of_two_classes(tree) if halved else tree)

    def fit_drawn(self, member: Any, rows: np.ndarray) -> np.ndarray:
        """See the parent; for numbers."""
        mine, times = np.unique(rows, return_counts=True)
        design, target = Design(self.design.X[mine], self.design.n_levels), Target(self.y[mine], times.astype(float), 1)
        return self._attach(member, build_tree(design, target, _settings(member, design, target.weight), member.n_jobs))

    def content(self) -> np.ndarray:
        """See the parent."""
        return self.design.X

    def _attach(self, member: Any, tree: Tree) -> np.ndarray:
        """Set the tree as the member's; its prediction for each row."""
        vars(member).update(self.shared, tree_=of_one_class(tree) if self.n_classes == 1 else tree)
        value = member.tree_.value[:, 0]
        predicted = value.argmax(axis=1) if self.n_classes else value[:, 0]
        return predicted[tree.apply(self.design.X)]


def _of_variance(settings: TreeSettings) -> TreeSettings:
    return replace(settings, criterion="squared_error", min_impurity_decrease=0.5 * settings.min_impurity_decrease)


def _of_two_classes(tree: Tree) -> Tree:
    """A tree whose values are shares of the second class, with the shares of both classes as values."""
    share = np.clip(tree.value, 0.0, 1.0)
    return replace(tree, value=np.concatenate([1.0 - share, share], axis=2), impurity=2.0 * tree.impurity)


def _settings(member: Any, design: Design, weight: np.ndarray) -> TreeSettings:
    n_rows, n_features = design.X.shape
    return settings_of(member, n_rows, n_features, design.n_levels, weight)


def is_plain_tree(model: Any) -> bool:
    """Whether it is one of our decision trees that only has to be grown: no pruning, class weights or constraints."""
    if type(model) not in (DecisionTreeClassifier, DecisionTreeRegressor):
        return False
    unusual = (model.prune, model.monotonic_cst, getattr(model, "class_weight", None))
    whole = model.ccp_alpha == 0.0 and getattr(model, "max_purity", 1.0) == 1.0 and model.leaf_rule is None
    whole &= not callable(model.criterion)
    return all(choice is None for choice in unusual) and whole and model.criterion != "poisson"


def training_input(ensemble: Model, estimator: Any, X: Any) -> Any:
    """X validated for ``fit``: a Design for plain trees, otherwise as it is passed to the models."""
    if is_plain_tree(estimator):
        return design_of(ensemble, X, reset=True, nominal=estimator.categorical_features)
    return validated_any_shape(ensemble, X, reset=True)


def prediction_input(ensemble: Model, members: list[Any], X: Any) -> tuple[Any, dict[str, bool]]:
    """X validated once for all fitted models, and the keywords with which to call their ``predict``."""
    if is_plain_tree(members[0]):
        return design_of(ensemble, X, reset=False).X, {"check_input": False}
    return validated_any_shape(ensemble, X, reset=False), {}
