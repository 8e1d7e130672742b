"""Extremely randomised trees one by one: decision trees with other defaults."""

from __future__ import annotations

from typing import Any

from probus.base import Model
from probus.parameters import inherited
from probus.tree._cart import DecisionTreeClassifier, DecisionTreeRegressor


class ExtraTreeClassifier(DecisionTreeClassifier):
    """An extremely randomised tree classifier: the best of one random cut for each feature tried (Geurts et al. 2006).

    scikit-learn's class, with all parameters of ``DecisionTreeClassifier``. One such tree varies much with its seed:
    ``ExtraTreesClassifier`` averages many.

    Examples
    --------
    >>> from probus.datasets import iris
    >>> flowers = iris()
    >>> X, y = flowers.drop("species"), flowers["species"]
    >>> ExtraTreeClassifier(min_samples_leaf=3, random_state=0).fit(X, y).score(X, y) > 0.85
    True
    """

    splitter: str = inherited(default="random")
    max_features: Any = inherited(default="sqrt")

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

    splitter: str = inherited(default="random")
    max_features: Any = inherited(default=1.0)

    @classmethod
    def examples(cls) -> list[Model]:
        """One random cut of each feature tried, exact and on bins."""
        return [cls(), cls(max_bins=64, max_features="sqrt")]
