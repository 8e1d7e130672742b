"""How weak models are fitted round after round on the same rows, of which only the weights change."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from probus.base import Model
from probus.ensemble.members import entered, fitted_member, rows_of
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor
from probus.tree.build import build_tree, coding_of
from probus.tree.classes import of_one_class
from probus.tree.codes import Columns, Values
from probus.tree.design import Design, design_of
from probus.tree.flat import Tree
from probus.tree.growth import Growth, Target
from probus.tree.parameters import growth_of

__all__ = ["AnyModels", "PlainTrees", "WeakModels", "is_plain_tree", "seen", "taught"]


class WeakModels(ABC):
    """The rows, with a target in terms of which models answer, and how models learn them."""

    y: np.ndarray

    @abstractmethod
    def fit(self, member: Any, weight: np.ndarray) -> np.ndarray:
        """Fit a model on rows of such weights; what it then says of each row."""

    @abstractmethod
    def fit_drawn(self, member: Any, rows: np.ndarray) -> np.ndarray:
        """Fit a model on drawn rows, some more than once; what it then says of each row."""


class AnyModels(WeakModels):
    """Models that are fitted by their own ``fit``."""

    def __init__(self, X: Any, y: np.ndarray):
        self.X = X
        self.y = y

    def fit(self, member: Any, weight: np.ndarray) -> np.ndarray:
        """See the parent."""
        # as shares, as scikit-learn hands them on: to some models, such as those with a penalty, their scale matters
        return np.asarray(fitted_member(member, self.X, self.y, weight / weight.sum()).predict(self.X))

    def fit_drawn(self, member: Any, rows: np.ndarray) -> np.ndarray:
        """See the parent."""
        return np.asarray(fitted_member(member, rows_of(self.X, rows), self.y[rows], None).predict(self.X))


class PlainTrees(WeakModels):
    """Decision trees of ours: their columns are validated, coded and sorted once for all rounds.

    y : codes of classes, or numbers where ``n_classes`` is 0
    shared : the attributes that every tree has from the ensemble
    """

    def __init__(self, design: Design, y: np.ndarray, n_classes: int, shared: dict[str, Any]):
        self.design = design
        self.y = y
        self.n_classes = n_classes
        self.shared = shared
        self.coding: tuple[Columns, Values] | None = None

    def fit(self, member: Any, weight: np.ndarray) -> np.ndarray:
        """See the parent."""
        target = self._target(self.y, weight)
        growth = _growth(member, self.design, target)
        if self.coding is None:
            member._validate_params()
            self.coding = coding_of(self.design, target, growth, member.n_jobs)
        columns, values = self.coding
        coding = columns._replace(lists=columns.lists.copy()), values
        return self._hung_in(member, build_tree(self.design, target, growth, member.n_jobs, coding))

    def fit_drawn(self, member: Any, rows: np.ndarray) -> np.ndarray:
        """See the parent."""
        mine, times = np.unique(rows, return_counts=True)
        design, target = Design(self.design.X[mine], self.design.n_levels), self._target(self.y[mine], times)
        growth = _growth(member, design, target)
        return self._hung_in(member, build_tree(design, target, growth, member.n_jobs))

    def _target(self, y: np.ndarray, weight: np.ndarray) -> Target:
        # one class alone is two of which one is never there, as for a single tree
        return Target(y, weight.astype(np.float64, copy=False), max(2, self.n_classes) if self.n_classes else 1)

    def _hung_in(self, member: Any, tree: Tree) -> np.ndarray:
        """Give the tree to its estimator; what it says of each row."""
        vars(member).update(self.shared, tree_=of_one_class(tree) if self.n_classes == 1 else tree)
        value = member.tree_.value[:, 0]
        said = value.argmax(axis=1) if self.n_classes else value[:, 0]
        return said[tree.apply(self.design.X)]


def _growth(member: Any, design: Design, target: Target) -> Growth:
    n_rows, n_features = design.X.shape
    return growth_of(member, n_rows, n_features, design.n_levels, target.weight)


def is_plain_tree(model: Any) -> bool:
    """Whether it is a decision tree of ours that only has to be grown: not pruned, and without rules for the target."""
    if type(model) not in (DecisionTreeClassifier, DecisionTreeRegressor):
        return False
    unusual = (model.prune, model.monotonic_cst, getattr(model, "class_weight", None))
    return all(choice is None for choice in unusual) and model.ccp_alpha == 0.0 and model.criterion != "poisson"


def taught(ensemble: Model, estimator: Any, X: Any) -> Any:
    """X at the door of ``fit``: a Design for plain trees, else as the models will see it."""
    if is_plain_tree(estimator):
        return design_of(ensemble, X, reset=True, nominal=estimator.categorical_features)
    return entered(ensemble, X, reset=True)


def seen(ensemble: Model, members: list[Any], X: Any) -> tuple[Any, dict[str, bool]]:
    """New rows as fitted models take them, and how ``predict`` is to take them: checked once, not by each."""
    if is_plain_tree(members[0]):
        return design_of(ensemble, X, reset=False).X, {"check_input": False}
    return entered(ensemble, X, reset=False), {}
