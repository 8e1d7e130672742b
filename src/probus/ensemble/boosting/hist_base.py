"""What the histogram-based classifier and regressor have in common: their parameters, and how they are fitted."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state, resample
from sklearn.utils._param_validation import HasMethods, Interval, RealNotInt, StrOptions

from probus.ensemble.boosting.boosting_base import Boosted, BoostedClassifier
from probus.ensemble.boosting.callbacks import (
    Callback,
    EarlyStopping,
    HeldOut,
    Round,
    ScoreHistory,
    Verbose,
    no_better_score,
)
from probus.ensemble.boosting.categorical_features import check_cardinality
from probus.ensemble.boosting.constraints import interaction_sets, monotone_signs
from probus.ensemble.boosting.fitting import boosted
from probus.ensemble.boosting.plan import Plan
from probus.ensemble.boosting.rows import Rows, strata_of, train_validation_rows
from probus.ensemble.boosting.scoring import Score
from probus.errors import DataError
from probus.losses import Loss
from probus.state import Array, Flag, Maybe, Spec
from probus.tree.design import Design
from probus.tree.trees import Trees

__all__ = ["COMMON", "SKLEARN_LOSS", "Hist"]

_SHARE = Interval(Real, 0.0, 1.0, closed="right")
_PENALTY = Interval(Real, 0.0, None, closed="left")
SKLEARN_LOSS = HasMethods(["gradient_hessian"])
_SCORED = 10_000  # training rows that are scored after each round

COMMON: dict[str, list[Any]] = {
    "learning_rate": [Interval(Real, 0, None, closed="neither")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
    "max_depth": [Interval(Integral, 1, None, closed="left"), None],
    "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
    "l2_regularization": [_PENALTY],
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
    "tol": [_PENALTY],
    "verbose": ["verbose"],
    "random_state": ["random_state"],
    "l1_regularization": [_PENALTY],
    "min_gain": [_PENALTY],
    "min_hessian": [_PENALTY],
    "subsample": [_SHARE],
    "columns_per_tree": [_SHARE],
    "columns_per_level": [_SHARE],
    "n_jobs": [Integral, None],
}


class Hist(Boosted):
    """What classifier and regressor have in common: how they are fitted."""

    fitted: ClassVar[dict[str, Spec]] = {
        **Boosted.fitted,
        "do_early_stopping_": Flag(),
        "is_categorical_": Maybe(Array("?", "d")),
    }

    def _boost(self, rows: Rows, validation: Rows | None) -> None:
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

    def _check_loss(self, loss: Loss, y: np.ndarray, validation: Rows | None) -> None:
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

    def _split_validation(self, rows: Rows, validation: Rows | None) -> tuple[Rows, Rows | None]:
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

    def _history(self, loss: Loss, rows: Rows, held: Rows | None, before: Trees | None) -> ScoreHistory:
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

    def _plan(self, loss: Loss, design: Design) -> Plan:
        d = design.X.shape[1]
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
            monotone=monotone_signs(self, design.n_levels, loss.n_outputs),
            interactions=interaction_sets(self.interaction_cst, d, getattr(self, "feature_names_in_", None)),
            seed=self._seed,
        )
