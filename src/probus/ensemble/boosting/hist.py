"""Gradient boosting with scikit-learn's histogram classes: their names and parameters, on columns of any kind."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import check_random_state, resample
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions
from sklearn.utils.validation import _check_monotonic_cst

from probus.base import Model
from probus.ensemble.boosting.boosting_base import Boosted, BoostedClassifier, BoostedRegressor
from probus.ensemble.boosting.fitting import Eye, boosted
from probus.ensemble.boosting.plan import Plan
from probus.ensemble.boosting.rows import Rows, held_back, judging, learning_classes, learning_numbers, strata_of
from probus.ensemble.boosting.sklearn_losses import loss_of
from probus.ensemble.boosting.stopping import Score, Watch
from probus.errors import DataError
from probus.losses import Loss, loss_named
from probus.state import Array, Flag, Maybe, Spec
from probus.tree.design import Design

__all__ = ["HistGradientBoostingClassifier", "HistGradientBoostingRegressor"]

_SHARE = Interval(Real, 0.0, 1.0, closed="right")
_PRICE = Interval(Real, 0.0, None, closed="left")
_PEERS_LOSS = HasMethods(["gradient_hessian"])
_SCORED = 10_000  # training rows that are scored after each round

COMMON: dict[str, list[Any]] = {
    "learning_rate": [Interval(Real, 0, None, closed="neither")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
    "max_depth": [Interval(Integral, 1, None, closed="left"), None],
    "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
    "l2_regularization": [_PRICE],
    "max_features": [_SHARE],
    "max_bins": [Interval(Integral, 2, 255, closed="both")],
    "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
    "monotonic_cst": ["array-like", dict, None],
    "interaction_cst": [list, tuple, StrOptions({"pairwise", "no_interactions"}), None],
    "warm_start": ["boolean"],
    "early_stopping": [StrOptions({"auto"}), "boolean"],
    "scoring": [str, callable, None],
    "validation_fraction": [
        Interval(RealNotInt, 0, 1, closed="neither"),
        Interval(Integral, 1, None, closed="left"),
        None,
    ],
    "n_iter_no_change": [Interval(Integral, 1, None, closed="left")],
    "tol": [_PRICE],
    "verbose": ["verbose"],
    "random_state": ["random_state"],
    "l1_regularization": [_PRICE],
    "min_gain": [_PRICE],
    "min_hessian": [_PRICE],
    "subsample": [_SHARE],
    "columns_per_tree": [_SHARE],
    "columns_per_level": [_SHARE],
    "n_jobs": [Integral, None],
}


class _Hist(Boosted):
    """What classifier and regressor have in common: how they are fitted."""

    fitted: ClassVar[dict[str, Spec]] = {
        **Boosted.fitted,
        "do_early_stopping_": Flag(),
        "is_categorical_": Maybe(Array("?", "d")),
    }

    def _boost(self, rows: Rows, judges: Rows | None) -> None:
        """Boost on rows, some held back if that decides when to stop."""
        loss, design = self._loss(), rows.design
        self._check_loss(loss, rows.y, judges)
        self.is_categorical_ = design.n_levels > 0 if (design.n_levels > 0).any() else None
        rows, held = self._shared_out(rows, judges)
        continued = self.warm_start and hasattr(self, "trees_")
        if continued:
            self._check_continues(loss, design)
        self.n_trees_per_iteration_ = loss.n_outputs
        if not continued:
            self.start_ = loss.constant(rows.y, rows.weight)
        if not continued or not hasattr(self, "_seed"):  # a model that was loaded draws its seed again
            self._seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        eye = self._eye(loss, rows, held, continued)
        fit = boosted(
            self._plan(loss, design), rows, self.start_, self.max_iter - (self.n_iter_ if continued else 0),
            max_bins=self.max_bins, n_jobs=self.n_jobs, eye=eye, before=self.trees_ if continued else None,
            verbose=bool(self.verbose),
        )  # fmt: skip
        self.trees_, self.n_iter_ = fit.trees, fit.n_rounds
        self.train_score_, self.validation_score_ = fit.train_scores, fit.validation_scores

    def _check_loss(self, loss: Loss, y: np.ndarray, judges: Rows | None) -> None:
        for_classes = isinstance(self, BoostedClassifier)
        if loss.for_classes != for_classes:
            wanted = "classes" if for_classes else "numbers"
            raise DataError(f"loss {loss.name!r} does not suit {type(self).__name__}.", f"a loss of {wanted}")
        loss.check(y)
        if judges is not None:
            loss.check(judges.y)

    def _check_continues(self, loss: Loss, design: Design) -> None:
        """Trees are added only to trees that see the data alike."""
        if self.n_iter_ > self.max_iter:
            raise DataError(
                f"max_iter={self.max_iter} must be larger than or equal to n_iter_={self.n_iter_} when "
                "warm_start==True.",
                "as many rounds as there are, or more",
            )
        if len(self.start_) != loss.n_outputs or not np.array_equal(self.trees_.n_levels, design.n_levels):
            raise DataError(
                "warm_start continues a fit on other columns, levels or classes.",
                "data as before",
                "Set warm_start=False to begin anew.",
            )

    def _shared_out(self, rows: Rows, judges: Rows | None) -> tuple[Rows, Rows | None]:
        """The rows to learn from and those held back, if any are."""
        stop = len(rows) > 10_000 if self.early_stopping == "auto" else bool(self.early_stopping)
        if judges is not None and self.early_stopping is False:
            raise DataError(
                "X_val and y_val are passed to fit while at the same time early_stopping is False.",
                "early_stopping=True or 'auto'",
            )
        self.do_early_stopping_ = stop or judges is not None
        if judges is not None or not self.do_early_stopping_ or self.validation_fraction is None:
            return rows, judges
        strata = strata_of(rows.y, self.validation_fraction) if isinstance(self, BoostedClassifier) else None
        off = "early_stopping=False"
        learn, held = held_back(np.arange(len(rows)), self.validation_fraction, self._held_seed(), strata, off)
        return rows.some(learn), rows.some(held).apart()

    def _held_seed(self) -> int:
        """The same rows are held back whenever a fit is continued, and by scikit-learn from the same random state."""
        if not (self.warm_start and hasattr(self, "_held")):
            self._held = int(check_random_state(self.random_state).randint(np.iinfo(np.uint32).max, dtype="u8"))
        return self._held

    def _eye(self, loss: Loss, rows: Rows, held: Rows | None, continued: bool) -> Eye | None:
        if not self.do_early_stopping_:
            return None
        some = np.arange(len(rows))
        if len(rows) > _SCORED:
            # a rare class must not be lost to the score
            classes = rows.y if isinstance(self, BoostedClassifier) else None
            some = np.sort(resample(some, replace=False, n_samples=_SCORED, random_state=0, stratify=classes))

        def watch(scores: np.ndarray) -> Watch:
            return Watch(self.n_iter_no_change, float(self.tol), list(scores) if continued else [])

        before = [getattr(self, f"{name}_score_", np.zeros(0)) for name in ("validation", "train")]
        score = Score(self.scoring, loss, getattr(self, "classes_", None))
        return Eye(held, score, watch(before[0]), watch(before[1]), some)

    def _plan(self, loss: Loss, design: Design) -> Plan:
        d = design.X.shape[1]
        signs = _check_monotonic_cst(self, self.monotonic_cst)
        if (signs[design.n_levels > 0] != 0).any():
            raise DataError("Categorical features cannot have monotonic constraints.", "0 for nominal columns")
        if signs.any() and loss.n_outputs > 1:
            raise DataError("monotonic constraints are not supported for multiclass classification.")
        return Plan(
            loss=loss,
            n_columns=d,
            rate=self.learning_rate,
            max_leaves=self.max_leaf_nodes,
            max_depth=self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            min_hessian=self.min_hessian,
            l2=self.l2_regularization,
            l1=self.l1_regularization,
            min_gain=self.min_gain,
            subsample=self.subsample,
            columns_per_tree=self.columns_per_tree,
            columns_per_level=self.columns_per_level,
            columns_per_node=self.max_features,
            monotone=signs.astype(np.int64) if signs.any() else None,
            circles=_circles(self.interaction_cst, d, getattr(self, "feature_names_in_", None)),
            seed=self._seed,
        )


def _circles(constraint: Any, d: int, names: Any) -> np.ndarray | None:
    """The sets of columns that may meet on a path, as a table of marks; columns in none of them are one more."""
    if constraint is None:
        return None
    if isinstance(constraint, str):
        groups: Iterable[Any] = combinations(range(d), 2 if constraint == "pairwise" else 1)
    else:
        groups = constraint
    marks = []
    for group in groups:
        if not isinstance(group, Iterable):
            raise DataError(
                f"Interaction constraints must be a sequence of tuples or lists, got {group!r} in one.",
                "sets of columns that may meet, as [(0, 1), (2, 3)]",
            )
        mark = np.zeros(d, np.uint8)
        for column in group if not isinstance(group, str) else [group]:
            found = np.flatnonzero(names == column) if isinstance(column, str) and names is not None else [column]
            if len(found) != 1 or not isinstance(found[0], (int, np.integer)) or not 0 <= found[0] < d:
                raise DataError(
                    f"Interaction constraints must consist of integer indices in [0, n_features - 1] = [0, {d - 1}], "
                    f"specifying the position of features, or of their names, got {column!r}.",
                    "sets of columns, as [(0, 1), (2, 3)]",
                )
            mark[found[0]] = 1
        marks.append(mark)
    table = np.array(marks, np.uint8).reshape(len(marks), d)
    alone = (table.sum(axis=0) == 0).astype(np.uint8)
    return np.vstack([table, alone]) if alone.any() else table


class HistGradientBoostingClassifier(BoostedClassifier, _Hist):
    """Trees on binned columns, each a step down the log loss (Friedman 2001; Chen and Guestrin 2016).

    scikit-learn's class and parameters, and beside them:

    Parameters
    ----------
    loss : "log_loss", or a loss of ``probus.losses`` for two classes.
    l1_regularization, min_gain, min_hessian : what leaves pay for the size of their step (α), what a split must gain
        (γ), and the least sum of hessians in a leaf.
    subsample : the share of the rows that each tree sees.
    columns_per_tree, columns_per_level : the share of the columns that each tree, and of these that each depth, may
        ask; ``max_features`` is that of each node.
    n_jobs : threads; by default as many as the work can feed. The model is the same for any number.

    Columns of levels are split by the order of their gradients; missing values go where that gains most. Weights that
    are whole numbers count as so many rows.

    Attributes
    ----------
    trees_ : all trees in one set of arrays, those of a round side by side.
    start_ : the raw prediction they start from.

    Examples
    --------
    >>> from probus.datasets import titanic
    >>> people = titanic()
    >>> X, y = people.select("Pclass", "Sex", "Age", "Fare", "Embarked"), people["Survived"]
    >>> HistGradientBoostingClassifier(max_iter=20).fit(X, y).score(X, y) > 0.8
    True
    """

    fitted: ClassVar[dict[str, Spec]] = {**BoostedClassifier.fitted, **_Hist.fitted}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **COMMON,
        "loss": [StrOptions({"log_loss"}), Loss, _PEERS_LOSS],
        "class_weight": [dict, StrOptions({"balanced"}), None],
    }

    def __init__(
        self,
        loss: str | Loss = "log_loss",
        *,
        learning_rate: float = 0.1,
        max_iter: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        max_features: float = 1.0,
        max_bins: int = 255,
        categorical_features: Any = "from_dtype",
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        warm_start: bool = False,
        early_stopping: Any = "auto",
        scoring: Any = "loss",
        validation_fraction: Any = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        verbose: int = 0,
        random_state: Any = None,
        class_weight: Any = None,
        l1_regularization: float = 0.0,
        min_gain: float = 0.0,
        min_hessian: float = 1e-3,
        subsample: float = 1.0,
        columns_per_tree: float = 1.0,
        columns_per_level: float = 1.0,
        n_jobs: int | None = None,
    ):
        self.loss = loss
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.class_weight = class_weight
        self.l1_regularization = l1_regularization
        self.min_gain = min_gain
        self.min_hessian = min_hessian
        self.subsample = subsample
        self.columns_per_tree = columns_per_tree
        self.columns_per_level = columns_per_level
        self.n_jobs = n_jobs

    @classmethod
    def examples(cls) -> list[Model]:
        """Few rounds, on few rows; and one that draws columns and shrinks steps."""
        few: dict[str, Any] = {"max_iter": 20, "min_samples_leaf": 5}
        return [cls(**few), cls(**few, max_features=0.7, l1_regularization=0.1)]

    def _loss(self) -> Loss:
        return loss_of(self.loss, n_classes=self.n_classes_)

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:  # fmt: skip
        """Boost on rows X with classes y; ``X_val`` and ``y_val`` decide when to stop."""
        rows = learning_classes(self, X, y, sample_weight)
        self._boost(rows, judging(self, X_val, y_val, sample_weight_val))
        return self


class HistGradientBoostingRegressor(BoostedRegressor, _Hist):
    """Trees on binned columns, each a step down a loss (Friedman 2001; Chen and Guestrin 2016).

    scikit-learn's class and parameters, and beside them:

    Parameters
    ----------
    loss : "squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", or any loss of
        ``probus.losses``, also one of your own (``probus.losses.custom``).
    l1_regularization, min_gain, min_hessian : what leaves pay for the size of their step (α), what a split must gain
        (γ), and the least sum of hessians in a leaf.
    subsample : the share of the rows that each tree sees.
    columns_per_tree, columns_per_level : the share of the columns that each tree, and of these that each depth, may
        ask; ``max_features`` is that of each node.
    n_jobs : threads; by default as many as the work can feed. The model is the same for any number.

    Examples
    --------
    >>> from probus.datasets import mtcars
    >>> cars = mtcars()
    >>> model = HistGradientBoostingRegressor(min_samples_leaf=3).fit(cars.drop("mpg", "name"), cars["mpg"])
    >>> model.score(cars.drop("mpg", "name"), cars["mpg"]) > 0.9
    True
    """

    fitted: ClassVar[dict[str, Spec]] = {**_Hist.fitted}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **COMMON,
        "loss": [
            StrOptions({"squared_error", "absolute_error", "gamma", "huber", "poisson", "quantile"}),
            Loss,
            _PEERS_LOSS,
        ],
        "quantile": [Interval(Real, 0, 1, closed="both"), None],
    }

    def __init__(
        self,
        loss: str | Loss = "squared_error",
        *,
        quantile: float | None = None,
        learning_rate: float = 0.1,
        max_iter: int = 100,
        max_leaf_nodes: int | None = 31,
        max_depth: int | None = None,
        min_samples_leaf: int = 20,
        l2_regularization: float = 0.0,
        max_features: float = 1.0,
        max_bins: int = 255,
        categorical_features: Any = "from_dtype",
        monotonic_cst: Any = None,
        interaction_cst: Any = None,
        warm_start: bool = False,
        early_stopping: Any = "auto",
        scoring: Any = "loss",
        validation_fraction: Any = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        verbose: int = 0,
        random_state: Any = None,
        l1_regularization: float = 0.0,
        min_gain: float = 0.0,
        min_hessian: float = 1e-3,
        subsample: float = 1.0,
        columns_per_tree: float = 1.0,
        columns_per_level: float = 1.0,
        n_jobs: int | None = None,
    ):
        self.loss = loss
        self.quantile = quantile
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.l2_regularization = l2_regularization
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.l1_regularization = l1_regularization
        self.min_gain = min_gain
        self.min_hessian = min_hessian
        self.subsample = subsample
        self.columns_per_tree = columns_per_tree
        self.columns_per_level = columns_per_level
        self.n_jobs = n_jobs

    @classmethod
    def examples(cls) -> list[Model]:
        """Few rounds, on few rows; one for each way leaves find their step."""
        few: dict[str, Any] = {"max_iter": 20, "min_samples_leaf": 5}
        return [cls(**few), cls("absolute_error", **few), cls(**few, max_depth=3, max_leaf_nodes=None)]

    def _loss(self) -> Loss:
        if self.loss == "quantile" and self.quantile is None:
            raise DataError("loss='quantile' needs a quantile: quantile=None.", "quantile=0.9, or another share")
        if self.loss == "quantile":
            return loss_named("quantile", alpha=self.quantile)
        return loss_of(self.loss)

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None,
        sample_weight_val: Any = None,
    ) -> Self:  # fmt: skip
        """Boost on rows X with numbers y; ``X_val`` and ``y_val`` decide when to stop."""
        rows = learning_numbers(self, X, y, sample_weight)
        self._boost(rows, judging(self, X_val, y_val, sample_weight_val))
        return self
