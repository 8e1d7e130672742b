"""What the histogram-based classifier and regressor have in common: their parameters, and how they are fitted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state, resample

from probus.allowed_values import CallableValue, InstanceOf, IntegerIn, NoneAllowed, OneOf, RealIn, TrueOrFalse
from probus.callbacks import Callback, EarlyStopping, Verbose, no_better_score
from probus.ensemble.boosting._boosting_base import SHARE, Boosted, BoostedClassifier
from probus.ensemble.boosting._callbacks import HeldOut, Round, ScoreHistory
from probus.ensemble.boosting._categorical_features import check_cardinality
from probus.ensemble.boosting._constraints import interaction_sets, monotone_signs
from probus.ensemble.boosting._fitting import boosted
from probus.ensemble.boosting._plan import BoostingPlan
from probus.ensemble.boosting._rows import DesignRows, strata_of, train_validation_rows
from probus.ensemble.boosting._scoring import Score
from probus.errors import DataError
from probus.losses import Loss
from probus.parameters import VERBOSE, WARM_START, parameter
from probus.state import Array, Flag, Maybe, Spec
from probus.tree import Trees
from probus.tree.preparation import Design

_SCORED = 10_000  # training rows that are scored after each round


class Hist(Boosted):
    """What classifier and regressor have in common: how they are fitted."""

    learning_rate: float = parameter(
        "The factor of the values of each tree. Smaller values need more rounds and often predict better.",
        default=0.1,
        above=0.0,
    )
    max_iter: int = parameter(
        "The maximum number of rounds, each of one tree or of a tree for each class.", default=100, at_least=1
    )
    max_leaf_nodes: int | None = parameter(
        "The maximum number of leaves of a tree; None sets no limit.", default=31, at_least=2
    )
    max_depth: int | None = parameter(
        "The maximum number of splits from the root to a leaf; None sets no limit.", default=None, at_least=1
    )
    min_samples_leaf: int = parameter(
        "The minimum number of rows in a leaf. Lower it for tables of few rows.", default=20, at_least=1
    )
    l2_regularization: float = parameter("The L2 penalty on leaf values; 0 is none.", default=0.0, at_least=0.0)
    max_features: float = parameter("The share of columns drawn for each node.", default=1.0, of=[SHARE])
    max_bins: int = parameter(
        "The maximum number of bins of a numeric column, of about equally many rows; missing values have their own.",
        default=255,
        at_least=2,
        at_most=255,
    )
    interaction_cst: Any = parameter(
        "Sets of columns that may interact: a branch of a tree uses columns of one set. "
        '"no_interactions" puts each column in a set of its own, "pairwise" allows all pairs; None allows everything.',
        default=None,
        of=[InstanceOf(list), InstanceOf(tuple), OneOf("pairwise", "no_interactions"), NoneAllowed()],
    )
    warm_start: bool = WARM_START.but(
        doc="Whether ``fit`` keeps the rounds of the previous fit and adds those that ``max_iter`` lacks."
    )
    early_stopping: Any = parameter(
        'Whether boosting stops once the score no longer improves. "auto" does with more than 10,000 rows, or with '
        "``X_val`` in ``fit``.",
        default="auto",
        of=[OneOf("auto"), TrueOrFalse()],
    )
    scoring: Any = parameter(
        'What early stopping observes: "loss", or a scorer of scikit-learn. None is the score of the model.',
        default="loss",
        of=[InstanceOf(str), CallableValue(), NoneAllowed()],
    )
    validation_fraction: Any = parameter(
        "The rows held out for early stopping: their share or their number. None observes the training rows.",
        default=0.1,
        of=[RealIn(above=0, below=1, besides_int=True), IntegerIn(at_least=1), NoneAllowed()],
    )
    n_iter_no_change: int = parameter(
        "Early stopping ends the fit after this many rounds without a better score.", default=10, at_least=1
    )
    tol: float = parameter("The improvement of the score that counts for early stopping.", default=1e-7, at_least=0.0)
    verbose: int = VERBOSE
    l1_regularization: float = parameter("The L1 penalty on leaf values (α); 0 is none.", default=0.0, at_least=0.0)
    min_gain: float = parameter("The minimum gain of a split (γ).", default=0.0, at_least=0.0)
    min_hessian: float = parameter("The minimum sum of hessians in a leaf.", default=1e-3, at_least=0.0)
    columns_per_tree: float = parameter("The share of columns drawn for each tree.", default=1.0, of=[SHARE])
    columns_per_level: float = parameter(
        "The share of columns, of those of the tree, drawn for each depth.", default=1.0, of=[SHARE]
    )

    fitted: ClassVar[dict[str, Spec]] = {
        **Boosted.fitted,
        "do_early_stopping_": Flag(),
        "is_categorical_": Maybe(Array("?", "d")),
    }

    def _boost(self, rows: DesignRows, validation: DesignRows | None) -> None:
        """Fit the trees, with sample rows held out for early stopping if that is on."""
        loss, design = self._loss(), rows.design
        self._check_loss(loss, rows.y, validation)
        check_cardinality(design.n_levels, self.max_bins, getattr(self, "feature_names_in_", None))
        self.is_categorical_ = design.n_levels > 0 if (design.n_levels > 0).any() else None
        rows, held = self._split_validation(rows, validation)
        continued = self.warm_start and hasattr(self, "trees_")
        if continued:
            self._check_continues(loss, design)
        self.n_trees_per_iteration_ = loss.n_outputs
        if not continued:
            self.start_ = loss.constant(rows.y, rows.weight)
        if not continued or not hasattr(self, "_seed"):  # a loaded model draws its seed again
            self._seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        before, done = (self.trees_, self.n_iter_) if continued else (None, 0)
        history = self._history(loss, rows, held, before) if self.do_early_stopping_ else None
        self.trees_ = boosted(
            self._plan(loss, design), rows, self.start_, self.max_iter - done, max_bins=self.max_bins,
            n_jobs=self.n_jobs, callbacks=self._callbacks(history, done), before=before,
        )  # fmt: skip
        self.n_iter_ = len(self.trees_) // loss.n_outputs
        self.train_score_ = np.array(history.train if history else [])
        self.validation_score_ = np.array(history.validation if history else [])

    def _check_loss(self, loss: Loss, y: np.ndarray, validation: DesignRows | None) -> None:
        for_classes = isinstance(self, BoostedClassifier)
        if loss.for_classes != for_classes:
            wanted = "classes" if for_classes else "numbers"
            raise DataError(f"loss {loss.name!r} cannot be used by {type(self).__name__}.", f"a loss of {wanted}")
        loss.check(y)
        if validation is not None:
            loss.check(validation.y)

    def _check_continues(self, loss: Loss, design: Design) -> None:
        """Raise unless a warm start continues a fit on the same kind of data."""
        if self.n_iter_ > self.max_iter:
            raise DataError(
                f"max_iter={self.max_iter} must be larger than or equal to n_iter_={self.n_iter_} when "
                "warm_start==True.",
                "at least the number of rounds so far",
            )
        if len(self.start_) != loss.n_outputs or not np.array_equal(self.trees_.n_levels, design.n_levels):
            raise DataError(
                "warm_start continues a fit on different columns, levels or classes.",
                "data as before",
                "Set warm_start=False to start again.",
            )

    def _split_validation(
        self, rows: DesignRows, validation: DesignRows | None
    ) -> tuple[DesignRows, DesignRows | None]:
        """The training rows, and the validation rows if there are any."""
        stop = len(rows) > 10_000 if self.early_stopping == "auto" else bool(self.early_stopping)
        if validation is not None and self.early_stopping is False:
            raise DataError(
                "X_val and y_val are passed to fit while at the same time early_stopping is False.",
                "early_stopping=True or 'auto'",
            )
        self.do_early_stopping_ = stop or validation is not None
        if validation is not None or not self.do_early_stopping_ or self.validation_fraction is None:
            return rows, validation
        strata = strata_of(rows.y, self.validation_fraction) if isinstance(self, BoostedClassifier) else None
        off = "early_stopping=False"
        train, held = train_validation_rows(
            np.arange(len(rows)), self.validation_fraction, self._validation_seed(), strata, off
        )
        return rows.some(train), rows.some(held)

    def _validation_seed(self) -> int:
        """The seed of the validation split, the same when a fit is continued, and the same as in scikit-learn."""
        if not (self.warm_start and hasattr(self, "_seed_of_validation")):
            self._seed_of_validation = int(
                check_random_state(self.random_state).randint(np.iinfo(np.uint32).max, dtype="u8")
            )
        return self._seed_of_validation

    def _history(self, loss: Loss, rows: DesignRows, held: DesignRows | None, before: Trees | None) -> ScoreHistory:
        sample = np.arange(len(rows))
        if len(rows) > _SCORED:
            # stratified, so that rare classes are scored
            classes = rows.y if isinstance(self, BoostedClassifier) else None
            sample = np.sort(resample(sample, replace=False, n_samples=_SCORED, random_state=0, stratify=classes))
        score = Score(self.scoring, loss, getattr(self, "classes_", None))
        history = ScoreHistory(score, rows, sample, None if held is None else HeldOut(held, self.start_, before))
        if before is not None:
            history.train += list(self.train_score_)
            history.validation += list(self.validation_score_)
        return history

    def _callbacks(self, history: ScoreHistory | None, done: int) -> list[Callback]:
        callbacks: list[Callback] = []
        columns: dict[str, Callable[[Round], float]] = {"Leaves": lambda finished: finished.n_leaves}
        if history is not None:
            callbacks += [history, EarlyStopping(history.monitored, no_better_score, self.n_iter_no_change, self.tol)]
            columns["Score"] = lambda _: history.monitored[-1]
        if self.verbose:
            callbacks.append(Verbose(columns, self.max_iter, done, all_rounds=True))
        return callbacks

    def _plan(self, loss: Loss, design: Design) -> BoostingPlan:
        d = design.X.shape[1]
        return BoostingPlan(
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
            monotone=monotone_signs(self, design.n_levels, loss.n_outputs),
            interactions=interaction_sets(self.interaction_cst, d, getattr(self, "feature_names_in_", None)),
            seed=self._seed,
        )
