"""Random forests: trees on bootstrap samples, with a random subset of features at each node (Breiman 2001)."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from probus.base import Model
from probus.ensemble.forest.forest_base import ForestClassifier, ForestRegressor
from probus.ensemble.forest.forest_parameters import COMMON
from probus.tree.criteria import names_of, not_deprecated

__all__ = ["RandomForestClassifier", "RandomForestRegressor"]


class RandomForestClassifier(ForestClassifier):
    """A random forest classifier (Breiman 2001).

    scikit-learn's class and parameters, for one or several outputs, and in addition:

    Parameters
    ----------
    max_bins : bin the values of each column of numbers into at most so many of about equally many rows, once for all
        trees; columns of fewer values stay as they are. None is exact, and slower.
    categorical_features : for arrays, the columns that hold levels: indices, a mask or names. Tables and frames have
        their kinds ("from_dtype").
    missing : "learn" tries missing values on either side of each split, as scikit-learn does; "error" refuses them.
    sample_weight : of ``fit``, is the probability of a row to be drawn with ``bootstrap``. Whole numbers count
        repetitions: as many rows are drawn as they sum to (unless that is more than ten times the rows).

    Rows are drawn by their content: the forest does not depend on their order.

    In a nominal column of more than 32 levels those of fewer than 10 rows count as one: the best partition of many
    levels of a row or two each would overfit these rows, and be chosen in every node.

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
        bootstrap: bool = True,
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
        return [cls(n_estimators=5), cls(n_estimators=5, max_bins=None, criterion="entropy", oob_score=True)]


class RandomForestRegressor(ForestRegressor):
    """A random forest regressor (Breiman 2001).

    scikit-learn's class and parameters, and beside them those that ``RandomForestClassifier`` has. Rare levels of
    columns of many count as one, as there.

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
        bootstrap: bool = True,
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
        return [cls(n_estimators=5), cls(n_estimators=5, max_bins=None, max_features=2, oob_score=True)]
