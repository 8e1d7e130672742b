"""The estimators: conditional inference trees for classes and for numbers."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from probus.base import Accepts, checked_numbers, checked_weights, encoded_classes
from probus.errors import DataError, ModelFileError
from probus.parameters import RANDOM_STATE, attribute, parameter
from probus.state import Array, Spec
from probus.tree._tree_model import TreeClassifier, TreeModel, TreeRegressor
from probus.tree.conditional._independence import Independence, IndependenceData
from probus.tree.conditional._recursive_partitioning import PartitionNode, StoppingRules, grown
from probus.tree.conditional._tree_of_nodes import flattened
from probus.tree.export._split_text import TreeText
from probus.tree.preparation._design import Design, design_of
from probus.tree.preparation._tree_settings import CATEGORICAL_FEATURES

_TESTS: dict[str, Spec] = {"pvalues_": Array("f8", "m d"), "statistics_": Array("f8", "m d")}


class _ConditionalTree(TreeModel):
    """Base class of both estimators."""

    alpha: float = parameter(
        "The significance level: a node is split if the smallest adjusted p-value is below it.",
        default=0.05,
        at_least=0,
        at_most=1,
    )
    teststat: str = parameter(
        '"quadratic" tests columns by a quadratic form, χ² with its rank as degrees of freedom. "maximum" uses the '
        "largest standardised statistic, whose p-value is Šidák's bound: exact for two classes or a number with a "
        "number or two levels, conservative otherwise.",
        default="quadratic",
        one_of=("quadratic", "maximum"),
    )
    testtype: str = parameter(
        'How p-values are adjusted for the number of tests k: "bonferroni" as 1 - (1 - p)^k; "montecarlo" by '
        'permutation of the response (min-P); "univariate" not at all.',
        default="bonferroni",
        one_of=("bonferroni", "montecarlo", "univariate"),
    )
    n_resamples: int = parameter('The number of permutations, for ``testtype="montecarlo"``.', default=9999, at_least=1)
    min_samples_split: int = parameter("The minimum weight of a node to be tested.", default=20, at_least=2)
    min_samples_leaf: int = parameter("The minimum weight of each side of a split.", default=7, at_least=1)
    min_share_leaf: float = parameter(
        "The minimum share of a node's weight on each side of a split.", default=0.01, at_least=0, at_most=0.5
    )
    max_depth: int | None = parameter(
        "The maximum number of splits from the root to a leaf; None sets no limit.", default=None, at_least=1
    )
    max_surrogates: int = parameter(
        "The number of surrogate splits of each node, ranked by the association of their column with the side.",
        default=5,
        at_least=0,
    )
    categorical_features: Any = CATEGORICAL_FEATURES
    random_state: Any = RANDOM_STATE

    pvalues_: np.ndarray = attribute()
    statistics_: np.ndarray = attribute()
    accepts = Accepts(nominal=True, missing=True, weights=True)

    @classmethod
    def examples(cls) -> list[Any]:
        """The default, and settings that split small tables with each type of test."""
        small: dict[str, Any] = {"alpha": 0.9, "min_samples_split": 4, "min_samples_leaf": 2}
        return [cls(), cls(**small), cls(teststat="maximum", testtype="montecarlo", n_resamples=199, **small)]

    def __str__(self) -> str:
        """The fitted tree as text: columns, p-values, predictions."""
        return as_text(self) if hasattr(self, "tree_") else repr(self)

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless there is a row of tests for each node."""
        super().check_fitted_state()
        if len(self.pvalues_) != self.tree_.node_count:
            raise ModelFileError(f"tests of {len(self.pvalues_)} nodes.", f"{self.tree_.node_count}, one for each")

    def _weights(self, sample_weight: Any, design: Design) -> np.ndarray:
        weights = checked_weights(sample_weight, design.X)
        w = np.ones(design.n_rows) if weights is None else weights
        if self.testtype == "montecarlo" and (w != np.floor(w)).any():
            raise DataError(
                "sample_weight has fractions, and testtype='montecarlo' permutes cases.",
                "integers: the number of cases of each row",
                "Use testtype='bonferroni'.",
            )
        return w

    def _grown(self, design: Design, h: np.ndarray, w: np.ndarray) -> list[PartitionNode]:
        """The nodes of the tree for responses h."""
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        how = Independence(self.teststat, self.testtype, self.n_resamples, seed)
        depth = np.inf if self.max_depth is None else self.max_depth
        limits = StoppingRules(
            self.alpha, self.min_samples_split, self.min_samples_leaf, self.min_share_leaf, depth, self.max_surrogates
        )
        nodes = grown(IndependenceData(np.ascontiguousarray(design.X.T), design.n_levels, h, w), how, limits)
        untested = np.full(design.X.shape[1], np.nan)
        self.pvalues_ = np.array([untested if node.tests is None else node.tests.pvalue for node in nodes])
        self.statistics_ = np.array([untested if node.tests is None else node.tests.statistic for node in nodes])
        return nodes


class ConditionalTreeClassifier(_ConditionalTree, TreeClassifier):
    """A tree for classes, grown by tests of independence (Hothorn, Hornik and Zeileis 2006).

    In each node every column is tested for independence of the response by a permutation test. If the smallest
    adjusted p-value is below ``alpha``, that column is split where the two sides differ most; otherwise the node is a
    leaf. So columns with many values have no advantage, and the tree needs no pruning.

    A column is tested on the rows where it is known. A row with a missing value at a split is sent by the first
    surrogate that applies, else to the larger side. Weights are case weights: a row of weight 3 counts as three rows,
    in tests and limits; weights that sum to one give a single leaf.

    Attributes
    ----------
    tree_ : Tree
        The nodes; the impurity is Gini.
    pvalues_, statistics_ : arrays of nodes × columns
        The adjusted p-value and the statistic of each test; NaN where a node was too small to be tested, or the column
        or the response does not vary there.

    Notes
    -----
    The tree is that of R's ``partykit::ctree``, whose ``minsplit``, ``minbucket``, ``minprob`` are the limits here,
    except that ctree has no surrogates by default and sends rows with missing values to a random side. Thresholds are
    training values, not midpoints. Nominal columns with more than 10 levels in a node are split in the order
    of their responses.

    Examples
    --------
    >>> from probus.datasets import iris
    >>> flowers = iris()
    >>> print(ConditionalTreeClassifier().fit(flowers.drop("species"), flowers["species"]))
    [0] all rows: by petal_length, p < 0.001
      [1] petal_length ≤ 1.9: setosa (100 % of 50)
      [2] petal_length > 1.9: by petal_width, p < 0.001
        [3] petal_width ≤ 1.7: by petal_length, p < 0.001
          [4] petal_length ≤ 4.8: versicolor (98 % of 46)
          [5] petal_length > 4.8: versicolor (50 % of 8)
        [6] petal_width > 1.7: virginica (98 % of 46)
    """

    fitted: ClassVar[dict[str, Spec]] = {**TreeClassifier.fitted, **_TESTS}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree."""
        design = design_of(self, X, reset=True, nominal=self.categorical_features)
        self.classes_, label = encoded_classes(y, design.n_rows)
        self.n_classes_ = len(self.classes_)
        w = self._weights(sample_weight, design)
        h = np.eye(self.n_classes_)[label]
        nodes = self._grown(design, h, w)
        shares = np.array([np.average(h[node.rows], axis=0, weights=w[node.rows]) for node in nodes])
        gini = 1.0 - (shares**2).sum(axis=1)
        self.tree_ = flattened(nodes, design.n_levels, w, shares, gini)
        return self


class ConditionalTreeRegressor(_ConditionalTree, TreeRegressor):
    """A tree for numbers, grown by tests of independence (Hothorn, Hornik and Zeileis 2006).

    Attributes and notes are those of ``ConditionalTreeClassifier``; the impurity of a node is the variance
    of its targets.

    Examples
    --------
    >>> from probus.datasets import airquality
    >>> days = airquality()
    >>> days = days.take(~days["ozone"].missing)
    >>> print(ConditionalTreeRegressor(max_depth=2).fit(days.drop("ozone"), days["ozone"]))
    [0] all rows: by temperature, p < 0.001
      [1] temperature ≤ 82: by wind, p = 0.002
        [2] wind ≤ 6.9: 55.6 (n = 10)
        [3] wind > 6.9: 22.33 (n = 69)
      [4] temperature > 82: by wind, p = 0.003
        [5] wind ≤ 10.3: 81.63 (n = 30)
        [6] wind > 10.3: 48.71 (n = 7)
    """

    fitted: ClassVar[dict[str, Spec]] = {**TreeRegressor.fitted, **_TESTS}

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the tree."""
        design = design_of(self, X, reset=True, nominal=self.categorical_features)
        y = checked_numbers(y, design.n_rows)
        w = self._weights(sample_weight, design)
        nodes = self._grown(design, _rescale(y)[:, None], w)
        means = np.array([np.average(y[node.rows], weights=w[node.rows]) for node in nodes])
        spread = [
            np.average((y[node.rows] - m) ** 2, weights=w[node.rows]) for node, m in zip(nodes, means, strict=True)
        ]
        self.tree_ = flattened(nodes, design.n_levels, w, means[:, None], np.array(spread))
        return self


def _rescale(y: np.ndarray) -> np.ndarray:
    """The numbers scaled to about 0 to 1 or 2, so that their squares are finite."""
    unit = np.ldexp(1.0, -np.clip(np.frexp(np.abs(y).max())[1], -1000, 1000))
    return y * unit - y.min() * unit


# -- a conditional tree as text: the split of each node with its p-value -------------------------------


def as_text(model: Any) -> str:
    """A line for each node: its branch, and its split with p-value or its prediction."""
    words, pvalues = TreeText(model), model.pvalues_
    lines = [_line(words, pvalues, 0, "all rows")]
    tree = words.tree
    for node in range(1, tree.node_count):
        parent = int(tree.parents[node])
        split = words.split(parent)
        branch = f"{split.column} {split.side(node == tree.children_left[parent])}"
        lines.append("  " * int(tree.depths[node]) + _line(words, pvalues, node, branch))
    return "\n".join(lines)


def _line(words: TreeText, pvalues: np.ndarray, node: int, branch: str) -> str:
    if words.tree.is_leaf[node]:
        return f"[{node}] {branch}: {words.answer(node)}"
    chosen = int(words.tree.feature[node])
    return f"[{node}] {branch}: by {words.names[chosen]}, {_p_value_text(pvalues[node, chosen])}"


def _p_value_text(p: float) -> str:
    """A p-value as it is printed in papers.

    >>> _p_value_text(0.0312), _p_value_text(1e-9)
    ('p = 0.031', 'p < 0.001')
    """
    return f"p = {p:.3f}" if p >= 0.001 else "p < 0.001"
