"""Results of forests beyond predictions, as methods; each is implemented in a file of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from probus.ensemble.forest._mislabelled import LikelyMislabelled
    from probus.ensemble.forest._permutation import PermutationImportance
    from probus.ensemble.forest._proximity_map import ProximityMap


class Insights:
    """Of every forest: proximities, what is computed from them, and permutation importances."""

    def proximity(self, X: Any, Y: Any = None, *, kind: str = "all", sparse: bool = False) -> Any:
        r"""How alike a forest finds two rows, for each row of X (down) and each of Y, or of X again (across).

        Parameters
        ----------
        X : the rows, down.
        Y : the rows across; None takes those of X.
        kind : "all" is the share of trees in which both come to the same leaf (Breiman 2001). A tree separates the
            classes of the rows it was grown on, so that this flatters the rows of the fit. "oob" counts for each pair
            only the trees that were trained on neither, and is 0 where there are none: X are the rows of the fit, in
            their order, and there is no Y. "gap" is the weight of a row of the fit in the prediction of the forest,
            :math:`p_{ij} = |S_i|^{-1} \sum_{t \in S_i} c_{jt} / \sum_{k \sim_t i} c_{kt}` (Rhodes, Cutler and Moon
            2023). Here :math:`S_i` are the trees that were not trained on row i, :math:`c_{jt}` how often row j was
            drawn for tree t, and k runs over the rows in the leaf of i. Each row of the result sums to 1, and the mean
            of y with these weights is the prediction out of bag. It is not symmetric, and Y are the rows of the fit,
            or X where there is no Y.
        sparse : a SciPy sparse array of the pairs that share a leaf, instead of all, which take 8 bytes each. Where
            trees are grown to the end, the more rows there are the fewer of their pairs share one.

        Returns
        -------
        A matrix of proximities, X × Y.

        >>> from probus.datasets import iris
        >>> from probus.ensemble import RandomForestClassifier
        >>> flowers = iris()
        >>> forest = RandomForestClassifier(200, random_state=0).fit(flowers.drop("species"), flowers["species"])
        >>> forest.proximity(flowers.drop("species").take([0, 1, 50, 149])).round(1)
        array([[1., 1., 0., 0.],
               [1., 1., 0., 0.],
               [0., 0., 1., 0.],
               [0., 0., 0., 1.]])
        """
        from probus.ensemble.forest._proximity import proximity

        return proximity(self, X, Y, kind=kind, sparse=sparse)  # type: ignore[arg-type]

    def proximity_map(self, X: Any, y: Any = None, *, kind: str = "all") -> ProximityMap:
        r"""Rows as points in a plane whose squared distances come as near to 1 − proximity as a plane allows.

        Classical scaling: the two leading eigenvectors of :math:`\frac12 J P J`, where P holds the proximities and
        :math:`J` takes away means. Proximities of kind "all" are inner products, so 1 − proximity is a squared distance
        (Breiman), and P is never formed.

        Parameters
        ----------
        X : the rows.
        y : classes or numbers that colour the points.
        kind : of proximity, "all" or "oob"; see ``proximity``. Among the rows of the fit "all" separates classes too
            well.

        Returns
        -------
        The points, which plot themselves.

        >>> from probus.datasets import iris
        >>> from probus.ensemble import RandomForestClassifier
        >>> flowers = iris()
        >>> X, y = flowers.drop("species"), flowers["species"]
        >>> seen = RandomForestClassifier(200, random_state=0).fit(X, y).proximity_map(X, y, kind="oob")
        >>> seen.points.shape, seen.explained.sum() > 0.6
        ((150, 2), np.True_)
        """
        from probus.ensemble.forest._proximity_map import proximity_map

        return proximity_map(self, X, y, kind=kind)  # type: ignore[arg-type]

    def outlier_scores(self, X: Any, y: Any = None, *, kind: str = "all") -> np.ndarray:
        r"""How far each row lies outside its class, in robust standard deviations; above 10 is suspect (Breiman).

        Of a row i it is :math:`n / \sum_j \mathrm{prox}(i, j)^2` over the n rows j of its class, less the median of the
        class, divided by the class's median absolute deviation (times 1.4826; by the mean deviation where that is 0).

        Parameters
        ----------
        X : the rows.
        y : the classes; None takes all rows for one class.
        kind : of proximity, "all" or "oob"; see ``proximity``.

        Returns
        -------
        A score for each row.

        >>> from probus.datasets import iris
        >>> from probus.ensemble import RandomForestClassifier
        >>> flowers = iris()
        >>> X, y = flowers.drop("species"), flowers["species"]
        >>> forest = RandomForestClassifier(200, random_state=0).fit(X, y)
        >>> np.sort(forest.outlier_scores(X, y).argsort()[-2:])
        array([106, 119])
        """
        from probus.ensemble.forest._outliers import outlier_scores

        return outlier_scores(self, X, y, kind=kind)  # type: ignore[arg-type]

    def permutation_importance(
        self,
        X: Any,
        y: Any,
        *,
        kind: str = "oob",
        n_repeats: int = 1,
        level: float = 0.95,
        random_state: Any = None,
    ) -> PermutationImportance:
        """By how much the error of each tree on rows out of its bag increases when one column is shuffled among them.

        The share of wrong classes or the mean squared error of each single tree is taken with the column as it is and
        shuffled. The importance is the mean of the differences over the trees. Columns that hold the same information
        share their importance.

        A row counts where it is predicted and where its value is given to another row. With uᵢ the mean rise of both,
        the variance over rows is Var(u)/n. That is the variance for kind "all": other rows, the same forest. For kind
        "oob" the variance is doubled, because the rows also grew the trees. That interval is meant for the importance
        that a forest on another sample of n rows is expected to have. The factor of two is a rule of thumb: in
        simulations it held 84 to 100 % of expected importances. Of two columns that correlate by 0.7 it held only 66 to
        72 %: forests on other samples prefer one or the other (docs/ensembles.md).

        Parameters
        ----------
        kind : "oob" or "all": which rows a tree predicts.
        X, y : for kind "oob" the rows of the fit, in their order, each tree taking those not in its bag; with "all" any
            rows, best ones that the forest was not fitted on.
        n_repeats : how often each tree's rows are shuffled.
        level : of the intervals.
        random_state : of the shuffles.

        Returns
        -------
        The importance of each column with its interval.

        >>> from probus.datasets import penguins
        >>> from probus.ensemble import RandomForestClassifier
        >>> birds = penguins()
        >>> X, y = birds[["bill_length_mm", "flipper_length_mm", "sex", "year"]], birds["species"]
        >>> forest = RandomForestClassifier(200, random_state=0).fit(X, y)
        >>> worth = forest.permutation_importance(X, y, random_state=0)
        >>> [name for name, _ in worth.ranked]
        ['flipper_length_mm', 'bill_length_mm', 'sex', 'year']
        >>> worth["bill_length_mm"].low > 0.2
        True
        """
        from probus.ensemble.forest._permutation import permutation_importance

        how: Any = {"kind": kind, "n_repeats": n_repeats, "level": level, "random_state": random_state}
        return permutation_importance(self, X, y, **how)  # type: ignore[arg-type]


class InsightsIntoClasses(Insights):
    """Of forests whose trees hold shares of classes."""

    def likely_mislabelled(self, X: Any, y: Any, *, margin: float = 0.5) -> LikelyMislabelled:
        """The rows of the fit whose label is clearly outvoted by the trees not trained on them, the most suspect first.

        A row is listed where the out-of-bag probability of another class exceeds that of its label by more than
        ``margin``, and only if the out-of-bag predictions are right more often than the most frequent class (sign test
        at 1 %): a forest no better than chance outvotes half of all labels. That vote is also the one of the rows most
        alike: of each class it is the sum of the row's "gap" proximities to the rows that have it. Rows that are in
        every bag are passed over. What is suspect may be rare and right: check before you change a label.
        docs/ensembles.md has the share of planted errors that were found.

        Parameters
        ----------
        X, y : the rows of the fit, in their order, and their labels.
        margin : 0 lists every label that is outvoted.

        Returns
        -------
        The rows, the most suspect first, which display and plot themselves.

        >>> from probus.datasets import iris
        >>> from probus.ensemble import RandomForestClassifier
        >>> flowers = iris()
        >>> X, y = flowers.drop("species"), flowers["species"].decoded()
        >>> y[[3, 77]] = ["virginica", "setosa"]
        >>> found = RandomForestClassifier(200, random_state=0).fit(X, y).likely_mislabelled(X, y)
        >>> found.rows[0], found.suggested[0], found.of_suggested[0] > 0.9
        (np.int64(3), 'setosa', np.True_)
        >>> 77 in found.rows
        True
        """
        from probus.ensemble.forest._mislabelled import likely_mislabelled

        return likely_mislabelled(self, X, y, margin=margin)  # type: ignore[arg-type]


class InsightsIntoNumbers(Insights):
    """Of forests whose trees hold numbers."""

    def quantiles(self, X: Any, q: Any = (0.05, 0.5, 0.95)) -> np.ndarray:
        r"""For each row of X the quantiles of its target.

        For a row x the training target :math:`y_i` weighs :math:`w_i(x) = \frac1T \sum_t c_{it} 1[i \sim_t x] / \sum_{k
        \sim_t x} c_{kt}`: its share of the leaf that x comes to, averaged over the trees. Where the prediction is the
        mean of the targets with these weights, the quantile is the least y with :math:`\sum_i w_i(x) 1[y_i \le y] \ge
        q` (Meinshausen 2006): an observed target, never one in between. Leaves of a few rows (``min_samples_leaf=5`` or
        more) make better quantiles than trees grown to the end.

        Parameters
        ----------
        X : the rows.
        q : a number between 0 and 1, for one quantile of each row, or several, for as many columns.

        Returns
        -------
        A quantile for each row, or a column for each quantile.

        >>> from probus.datasets import mtcars
        >>> from probus.ensemble import RandomForestRegressor
        >>> cars = mtcars()
        >>> X, y = cars[["wt", "hp"]], cars["mpg"]
        >>> forest = RandomForestRegressor(300, min_samples_leaf=3, random_state=0).fit(X, y)
        >>> low, middle, high = forest.quantiles(X, [0.05, 0.5, 0.95]).T
        >>> np.mean((low <= y.values) & (y.values <= high)) >= 0.9
        np.True_
        """
        from probus.ensemble.forest._quantiles import quantiles

        return quantiles(self, X, q)  # type: ignore[arg-type]
