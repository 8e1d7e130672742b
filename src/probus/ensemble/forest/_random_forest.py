"""Random forests: trees on bootstrap samples, with a random subset of features at each node (Breiman 2001)."""

from __future__ import annotations

from probus.base import Model
from probus.ensemble.forest._forest_base import ForestClassifier, ForestRegressor


class RandomForestClassifier(ForestClassifier):
    """A random forest classifier (Breiman 2001).

    scikit-learn's class and parameters, for one or several outputs. The ``sample_weight`` of ``fit`` is the probability
    of a row to be drawn with ``bootstrap``. Whole numbers count repetitions: as many rows are drawn as they sum to,
    unless that is more than ten times the rows.

    Rows are drawn by their content: the forest does not depend on their order.

    Values of a numeric column are binned once for all trees; columns of fewer values are not. In a nominal column of
    more than 32 levels those of fewer than 10 rows count as one: the best partition of many levels of a row or two each
    would overfit these rows, and be chosen in every node.

    Attributes
    ----------
    trees_ : all trees in one set of arrays; ``estimators_`` gives them one by one, as decision trees.
    oob_curve_ : with ``oob_score``, the share of rows that the trees not grown on them get wrong, after each tree.

    Examples
    --------
    >>> from probus.datasets import penguins
    >>> birds = penguins()
    >>> X, y = birds.drop("species"), birds["species"]
    >>> forest = RandomForestClassifier(n_estimators=50, oob_score=True, random_state=0).fit(X, y)
    >>> forest.oob_score_ > 0.97
    True
    """

    splitter = "best"

    @classmethod
    def examples(cls) -> list[Model]:
        """Binned, and exact."""
        return [cls(n_estimators=5), cls(n_estimators=5, max_bins=None, criterion="entropy", oob_score=True)]


class RandomForestRegressor(ForestRegressor):
    """A random forest regressor (Breiman 2001).

    scikit-learn's class and parameters. Rows are drawn, and rare levels pooled, as in ``RandomForestClassifier``.

    Attributes
    ----------
    oob_curve_ : with ``oob_score``, the mean squared error over rows of the trees not grown on them, after each tree.

    Examples
    --------
    >>> from probus.datasets import mtcars
    >>> cars = mtcars()
    >>> forest = RandomForestRegressor(n_estimators=200, oob_score=True, random_state=0)
    >>> forest = forest.fit(cars[["wt", "hp"]], cars["mpg"])
    >>> forest.oob_score_ > 0.7
    True
    """

    splitter = "best"

    @classmethod
    def examples(cls) -> list[Model]:
        """Binned, and exact."""
        return [cls(n_estimators=5), cls(n_estimators=5, max_bins=None, max_features=2, oob_score=True)]
