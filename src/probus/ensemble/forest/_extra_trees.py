"""Extremely randomised trees: the cuts are drawn at random too (Geurts, Ernst and Wehenkel 2006)."""

from __future__ import annotations

from probus.base import Model
from probus.ensemble.forest._forest_base import ForestClassifier, ForestRegressor
from probus.parameters import inherited


class ExtraTreesClassifier(ForestClassifier):
    """Many trees that each see all rows, and choose among cuts drawn at random (Geurts, Ernst and Wehenkel 2006).

    scikit-learn's class and parameters. A threshold is drawn uniformly between the smallest and the largest value in
    the node; of a nominal column a random part of the levels goes left.

    Examples
    --------
    >>> from probus.datasets import iris
    >>> flowers = iris()
    >>> X, y = flowers.drop("species"), flowers["species"]
    >>> ExtraTreesClassifier(n_estimators=20, max_depth=4, random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    splitter = "random"
    bootstrap: bool = inherited(default=False)

    @classmethod
    def examples(cls) -> list[Model]:
        """Binned, and exact."""
        return [
            cls(n_estimators=5),
            cls(n_estimators=5, max_bins=None, criterion="entropy", bootstrap=True, oob_score=True),
        ]


class ExtraTreesRegressor(ForestRegressor):
    """Many trees that each see all rows and choose among random cuts, averaged (Geurts, Ernst and Wehenkel 2006).

    scikit-learn's class and parameters. Absolute error cannot be the criterion: its cuts are not drawn at random.

    Examples
    --------
    >>> from probus.datasets import mtcars
    >>> cars = mtcars()
    >>> forest = ExtraTreesRegressor(n_estimators=50, random_state=0).fit(cars[["wt", "hp"]], cars["mpg"])
    >>> forest.predict({"wt": [2.62], "hp": [110]}).round(1)
    array([21.])
    """

    splitter = "random"
    bootstrap: bool = inherited(default=False)

    @classmethod
    def examples(cls) -> list[Model]:
        """Binned, and exact."""
        return [cls(n_estimators=5), cls(n_estimators=5, max_bins=None, max_features=2, bootstrap=True, oob_score=True)]
