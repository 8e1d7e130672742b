"""Extremely randomised trees: the cuts are drawn at random too (Geurts, Ernst and Wehenkel 2006)."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from probus.base import Model
from probus.ensemble.forest.forest_base import ForestClassifier, ForestRegressor
from probus.ensemble.forest.forest_parameters import COMMON
from probus.tree.criteria import names_of, not_deprecated

__all__ = ["ExtraTreesClassifier", "ExtraTreesRegressor"]


class ExtraTreesClassifier(ForestClassifier):
    """Many trees that each see all rows, and choose among cuts drawn at random (Geurts, Ernst and Wehenkel 2006).

    scikit-learn's class and parameters, and beside them those that ``RandomForestClassifier`` has. A threshold is drawn
    uniformly between the smallest and the largest value in the node; of a nominal column a random part of the levels
    goes left.

    Examples
    --------
    >>> from probus.datasets import iris
    >>> flowers = iris()
    >>> X, y = flowers.drop("species"), flowers["species"]
    >>> ExtraTreesClassifier(n_estimators=20, max_depth=4, random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    splitter = "random"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **COMMON,
        "criterion": [StrOptions(names_of(classes=True))],
        "class_weight": [dict, list, StrOptions({"balanced", "balanced_subsample"}), None],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "gini",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = "sqrt",
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        class_weight: Any = None,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: Any = None,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        missing: str = "learn",
    ):
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.class_weight = class_weight
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.missing = missing

    @classmethod
    def examples(cls) -> list[Model]:
        """Binned, and exact."""
        return [
            cls(n_estimators=5),
            cls(n_estimators=5, max_bins=None, criterion="entropy", bootstrap=True, oob_score=True),
        ]


class ExtraTreesRegressor(ForestRegressor):
    """Many trees that each see all rows and choose among random cuts, averaged (Geurts, Ernst and Wehenkel 2006).

    scikit-learn's class and parameters, and beside them those that ``RandomForestClassifier`` has. Absolute error is
    not among the criteria: its cuts are not drawn at random.

    Examples
    --------
    >>> from probus.datasets import mtcars
    >>> cars = mtcars()
    >>> forest = ExtraTreesRegressor(n_estimators=50, random_state=0).fit(cars[["wt", "hp"]], cars["mpg"])
    >>> forest.predict({"wt": [2.62], "hp": [110]}).round(1)
    array([21.])
    """

    splitter = "random"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **COMMON,
        "criterion": [StrOptions(names_of(classes=False))],
    }

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: str = "squared_error",
        max_depth: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_features: Any = 1.0,
        max_leaf_nodes: int | None = None,
        min_impurity_decrease: float = 0.0,
        bootstrap: bool = False,
        oob_score: Any = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        warm_start: bool = False,
        ccp_alpha: float = 0.0,
        max_samples: float | None = None,
        monotonic_cst: Any = None,
        max_bins: int | None = 255,
        categorical_features: Any = "from_dtype",
        missing: str = "learn",
    ):
        self.n_estimators = n_estimators
        self.criterion = not_deprecated(criterion)
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_features = max_features
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.bootstrap = bootstrap
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start
        self.ccp_alpha = ccp_alpha
        self.max_samples = max_samples
        self.monotonic_cst = monotonic_cst
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.missing = missing

    @classmethod
    def examples(cls) -> list[Model]:
        """Binned, and exact."""
        return [cls(n_estimators=5), cls(n_estimators=5, max_bins=None, max_features=2, bootstrap=True, oob_score=True)]
