"""Extremely randomised trees one by one: decision trees with other defaults."""

from __future__ import annotations

from typing import Any

from probus.base import Model
from probus.tree.cart import DecisionTreeClassifier, DecisionTreeRegressor

__all__ = ["ExtraTreeClassifier", "ExtraTreeRegressor"]


class ExtraTreeClassifier(DecisionTreeClassifier):
    """An extremely randomised tree classifier: the best of one random cut for each feature tried (Geurts et al. 2006).

    scikit-learn's class, with all parameters of ``DecisionTreeClassifier``. One such tree varies much with its seed:
    ``ExtraTreesClassifier`` averages many.

    Parameters
    ----------
    splitter : "random" draws one threshold of each feature, uniform between the smallest and the largest value in the
        node, and for a nominal column a random subset of its levels; "best" searches all, as decision trees do.
    max_features : the number of features that a node tries, as for ``DecisionTreeClassifier``.

    Examples
    --------
    >>> from probus.datasets import iris
    >>> flowers = iris()
    >>> X, y = flowers.drop("species"), flowers["species"]
    >>> ExtraTreeClassifier(min_samples_leaf=3, random_state=0).fit(X, y).score(X, y) > 0.85
    True
    """

    def __init__(
        self,
        *,
        criterion: str = "gini",
        splitter: str = "random",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        categorical_features: Any = "from_dtype",
        missing: str = "learn",
        max_surrogates: int = 5,
        max_bins: int | None = None,
        prune: str | None = None,
        validation_fraction: float = 0.25,
        confidence: float = 0.25,
        n_jobs: int | None = None,
    ):
        super().__init__(
            criterion=criterion,
            splitter=splitter,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            random_state=random_state,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            class_weight=class_weight,
            ccp_alpha=ccp_alpha,
            monotonic_cst=monotonic_cst,
            categorical_features=categorical_features,
            missing=missing,
            max_surrogates=max_surrogates,
            max_bins=max_bins,
            prune=prune,
            validation_fraction=validation_fraction,
            confidence=confidence,
            n_jobs=n_jobs,
        )

    @classmethod
    def examples(cls) -> list[Model]:
        """One random cut of each feature tried, exact and on bins."""
        return [cls(), cls(criterion="entropy", max_bins=64)]


class ExtraTreeRegressor(DecisionTreeRegressor):
    """An extremely randomised tree regressor: the best of one random cut for each feature tried (Geurts et al. 2006).

    scikit-learn's class, with all parameters of ``DecisionTreeRegressor``; random cuts as in ``ExtraTreeClassifier``.

    Examples
    --------
    >>> ExtraTreeRegressor(max_depth=1, random_state=0).fit([[1.0], [2.0]], [3.0, 5.0]).predict([[1.0], [2.0]])
    array([3., 5.])
    """

    def __init__(
        self,
        *,
        criterion: str = "squared_error",
        splitter: str = "random",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 1.0,
        random_state: Any = None,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        ccp_alpha: float = 0.0,
        monotonic_cst: Any = None,
        categorical_features: Any = "from_dtype",
        missing: str = "learn",
        max_surrogates: int = 5,
        max_bins: int | None = None,
        prune: str | None = None,
        validation_fraction: float = 0.25,
        confidence: float = 0.25,
        n_jobs: int | None = None,
    ):
        super().__init__(
            criterion=criterion,
            splitter=splitter,
            max_depth=max_depth,
            min_samples_split=min_samples_split,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            max_features=max_features,
            random_state=random_state,
            max_leaf_nodes=max_leaf_nodes,
            min_impurity_decrease=min_impurity_decrease,
            ccp_alpha=ccp_alpha,
            monotonic_cst=monotonic_cst,
            categorical_features=categorical_features,
            missing=missing,
            max_surrogates=max_surrogates,
            max_bins=max_bins,
            prune=prune,
            validation_fraction=validation_fraction,
            confidence=confidence,
            n_jobs=n_jobs,
        )

    @classmethod
    def examples(cls) -> list[Model]:
        """One random cut of each feature tried, exact and on bins."""
        return [cls(), cls(max_bins=64, max_features="sqrt")]
