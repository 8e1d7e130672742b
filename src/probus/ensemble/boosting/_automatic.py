"""Gradient boosting with defaults that depend on the data, so that they rarely need tuning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from probus.allowed_values import CallableValue, InstanceOf, NoneAllowed, OneOf
from probus.base import Model
from probus.callbacks import Callback, EarlyStopping, no_better_score
from probus.ensemble.boosting._boosting_base import SHARE, Boosted, BoostedClassifier, BoostedRegressor
from probus.ensemble.boosting._callbacks import HeldOut, ScoreHistory
from probus.ensemble.boosting._constraints import monotone_signs
from probus.ensemble.boosting._fitting import boosted
from probus.ensemble.boosting._plan import BoostingPlan
from probus.ensemble.boosting._rounds_by_folds import (
    LARGE,
    MOST,
    held_out_tenth,
    rounds_by_folds,
    smaller_steps,
    usual_rate,
)
from probus.ensemble.boosting._rows import (
    DesignRows,
    classification_rows,
    regression_rows,
    validation_pair,
    validation_rows,
)
from probus.ensemble.boosting._scoring import Score
from probus.losses import Loss, loss_named, loss_names
from probus.parameters import CLASS_WEIGHT, inherited, parameter
from probus.state import Spec
from probus.tree import Trees

_DEEPEST = 8  # of symmetric trees, which have 2^depth leaves
_LEVEL_PENALTY = 3.0  # rows that a level needs in a split, and an L2 penalty on its leaves: many tables are small


class _Settled(Boosted):
    """What classifier and regressor have in common: how the defaults depend on the data."""

    n_estimators: int | None = parameter(
        "The number of rounds; fewer if early stopping on ``X_val`` ends the fit. None chooses it by cross-validation "
        "with ``scoring``, and from 10,000 rows on by a tenth of the rows, which are held out.",
        default=None,
        at_least=1,
        kw_only=False,
    )
    learning_rate: float | None = parameter("The factor of the values of each tree.", default=None, above=0.0)
    max_leaf_nodes: int | None = parameter(
        "None grows symmetric trees, whose nodes of one depth have the same split, 5 deep, from 3,000 rows on 6 deep. "
        "With a number, and with None from 10,000 rows on (then n^0.4, at most 64), the leaf with the largest gain is "
        "split first.",
        default=None,
        at_least=2,
    )
    max_depth: int | None = parameter(
        "The depth of symmetric trees, up to 8, in place of that above; the maximum depth of others.",
        default=None,
        at_least=1,
    )
    min_samples_leaf: int = parameter("The minimum number of rows in a leaf.", default=1, at_least=1)
    l2_regularization: float = parameter("The L2 penalty on leaf values; 0 is none.", default=1.0, at_least=0.0)
    subsample: float = inherited(default=0.7)
    max_features: float = parameter(
        "The share of columns drawn for each node or, in symmetric trees, depth.", default=0.5, of=[SHARE]
    )
    monotonic_cst: Any = inherited(
        doc="1, -1 or 0 for each column, or a dict of names: predictions only increase, or decrease, with it. The leaf "
        "with the largest gain is split first then.",
        default=None,
    )
    scoring: Any = parameter(
        '"loss", or a scorer of scikit-learn, by which the number of rounds is chosen. None is the score of the model.',
        default="loss",
        of=[InstanceOf(str), CallableValue(), NoneAllowed()],
    )
    n_iter_no_change: int = parameter(
        "With ``X_val`` and ``y_val`` in ``fit``, and from 10,000 rows on, boosting stops after this many rounds "
        "without a better score, and the rounds up to the best are kept.",
        default=50,
        at_least=1,
    )
    n_models: int = parameter(
        "The number of boosted models whose raw predictions are averaged. Each draws its own samples of rows and "
        "columns (without samples they are alike), and from 10,000 rows on its own held-out tenth. Four take up to "
        "four times as long and mostly predict better (docs/ensembles.md). ``n_iter_`` counts the rounds of all, the "
        "scores are those of the last, and staged predictions go through one model after the other.",
        default=1,
        at_least=1,
    )

    def _boost(self, rows: DesignRows, validation: DesignRows | None) -> None:
        loss = self._loss()
        loss.check(rows.y)
        self.start_ = loss.constant(rows.y, rows.weight)
        self.n_trees_per_iteration_ = loss.n_outputs
        plan, n_rounds = self._plan(loss, rows), self.n_estimators or MOST
        chosen = self.n_estimators is None and validation is None and len(rows) >= 2
        if chosen and len(rows) < LARGE:
            given = self.learning_rate is not None
            max_bins, score = bins_for(len(rows), rows.design.n_levels), self._score(loss)
            n_rounds = rounds_by_folds(plan, rows, self.start_, score, max_bins, self.n_jobs, faster=1 if given else 2)
            plan, n_rounds = (plan, n_rounds) if given else smaller_steps(plan, n_rounds)
        models = []
        for seed in seeds_of(plan.seed, self.n_models):
            train, held = rows, validation
            if chosen and len(rows) >= LARGE:
                train, held = held_out_tenth(rows, seed, for_classes=loss.for_classes)
            models.append(self._boosted(replace(plan, seed=seed), train, held, n_rounds))
        self.trees_ = mean_of(models)
        self.n_iter_ = len(self.trees_) // loss.n_outputs

    def _boosted(self, plan: BoostingPlan, rows: DesignRows, validation: DesignRows | None, n_rounds: int) -> Trees:
        """The trees of one model, up to the best round on validation rows; the scores become attributes."""
        history = None if validation is None else self._history(plan.loss, rows, validation)
        callbacks: list[Callback] = []
        if history is not None:
            callbacks += [history, EarlyStopping(history.validation, no_better_score, self.n_iter_no_change, 0.0)]
        max_bins = bins_for(len(rows), rows.design.n_levels)
        trees = boosted(plan, rows, self.start_, n_rounds, max_bins=max_bins, n_jobs=self.n_jobs, callbacks=callbacks)
        self.train_score_ = np.array(history.train if history else [])
        self.validation_score_ = np.array(history.validation if history else [])
        if history is None:
            return trees
        return trees.take(0, max(1, int(self.validation_score_.argmax())) * plan.loss.n_outputs)  # 0 is the constant

    def _plan(self, loss: Loss, rows: DesignRows) -> BoostingPlan:
        n, rate = len(rows), self.learning_rate
        if rate is None:
            rate = usual_rate(loss) if self.n_estimators is None else rate_for(n, loss)
        depth = self.max_depth or depth_for(n)
        monotone = monotone_signs(self, rows.design.n_levels, loss.n_outputs)
        symmetric = self.max_leaf_nodes is None and n < LARGE and depth <= _DEEPEST and monotone is None
        return BoostingPlan(
            loss=loss,
            n_columns=rows.design.X.shape[1],
            rate=rate,
            max_leaves=2**depth if symmetric else self.max_leaf_nodes or leaves_for(n),
            max_depth=depth if symmetric else self.max_depth,
            min_samples_leaf=self.min_samples_leaf,
            l2=self.l2_regularization,
            level_l2=_LEVEL_PENALTY,
            level_rows=_LEVEL_PENALTY,
            subsample=self.subsample,
            columns_per_node=self.max_features,
            shared=True,
            symmetric=symmetric,
            score_noise=1.0 if symmetric else 0.0,
            monotone=monotone,
            seed=int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max)),
        )

    def _score(self, loss: Loss) -> Score:
        return Score(self.scoring, loss, getattr(self, "classes_", None))

    def _history(self, loss: Loss, rows: DesignRows, validation: DesignRows) -> ScoreHistory:
        return ScoreHistory(
            self._score(loss), rows, np.arange(min(len(rows), 1000)), HeldOut(validation, self.start_, None)
        )


def seeds_of(seed: int, n: int) -> list[int]:
    """The seeds of n models; the first is that of a single one."""
    others = np.random.default_rng(seed).integers(np.iinfo(np.int32).max, size=n - 1)
    return [seed, *others.tolist()]


def mean_of(models: Sequence[Trees]) -> Trees:
    """The trees of all models, whose sum is the mean of theirs."""
    if len(models) == 1:
        return models[0]
    every = Trees.joined(models)
    return replace(every, value=every.value / len(models))


def rate_for(n: int, loss: Loss) -> float:
    """The learning rate for n rows; it grows with n.

    It is smaller for classification, where raw predictions can grow without limit and overfit sooner.
    """
    if loss.for_classes:
        return float(np.clip(0.01 * (n / 1000) ** 0.5, 0.01, 0.02))
    return float(0.05 * min(1.0, n / 20_000) ** 0.2)


def depth_for(n: int) -> int:
    """The depth of symmetric trees for n rows."""
    return 5 if n < 3000 else 6


def leaves_for(n: int) -> int:
    """The maximum number of leaves of other trees for n rows."""
    return int(np.clip(round(n**0.4), 5, 64))


def bins_for(n: int, n_levels: np.ndarray) -> int:
    """The maximum number of bins of a column for n rows; more take longer and are no better, but levels need theirs."""
    return int(np.clip(max(n // 32, n_levels.max(initial=0)), 64, 255))


class BoostingClassifier(BoostedClassifier, _Settled):
    """Gradient boosting for classification with defaults that depend on the data and need no tuning.

    Many small trees, each on a sample of the rows, each depth on a sample of the columns; classes share the splits
    of a round. Accepts columns of any kind and missing values. ``HistGradientBoostingClassifier`` is the same engine
    with scikit-learn's parameters.

    Examples
    --------
    >>> from probus.datasets import penguins
    >>> birds = penguins()
    >>> X, y = birds.drop("species"), birds["species"]
    >>> BoostingClassifier(random_state=0).fit(X, y).score(X, y) > 0.98
    True
    """

    fitted: ClassVar[dict[str, Spec]] = BoostedClassifier.fitted

    learning_rate: float | None = inherited(
        doc="The factor of the values of each tree. None with a chosen ``n_estimators`` is 0.03 for two classes and "
        "0.05 for more, and smaller if fewer than 1000 rounds are best: then there are 1000. With a given one it "
        "depends on the number of rows n: 0.01 · (n / 1000)^0.5, from 0.01 to 0.02.",
        default=None,
    )
    class_weight: Any = CLASS_WEIGHT

    @classmethod
    def examples(cls) -> list[Model]:
        """Few rounds on all rows: with drawn rows, weights do not equal repetition."""
        return [cls(20, subsample=1.0, min_samples_leaf=5, learning_rate=0.1)]

    def _loss(self) -> Loss:
        return loss_named("log_loss", n_classes=self.n_classes_)

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None,
        sample_weight_val: Any = None, eval_set: Any = None,
    ) -> Self:  # fmt: skip
        """Fit the model; ``X_val`` and ``y_val``, or ``eval_set=(X_val, y_val)``, are used for early stopping."""
        X_val, y_val = validation_pair(eval_set, X_val, y_val)
        rows = classification_rows(self, X, y, sample_weight)
        self._boost(rows, validation_rows(self, X_val, y_val, sample_weight_val))
        return self


class BoostingRegressor(BoostedRegressor, _Settled):
    """Gradient boosting for regression with defaults that depend on the data and need no tuning.

    Many small trees, each on a sample of the rows, each depth on a sample of the columns. Accepts columns of any kind
    and missing values. ``HistGradientBoostingRegressor`` is the same engine with scikit-learn's parameters.

    Examples
    --------
    >>> from probus.datasets import mtcars
    >>> cars = mtcars()
    >>> X, y = cars.drop("mpg", "name"), cars["mpg"]
    >>> BoostingRegressor(random_state=0).fit(X, y).score(X, y) > 0.9
    True
    """

    fitted: ClassVar[dict[str, Spec]] = Boosted.fitted

    loss: str | Loss = parameter(
        'The loss to minimise: a name, or any loss of ``probus.losses``. "huber" and "absolute_error" are robust to '
        "outliers.",
        default="squared_error",
        of=[OneOf(*(name for name in loss_names(for_classes=False) if name != "quantile")), InstanceOf(Loss)],
    )
    learning_rate: float | None = inherited(
        doc="The factor of the values of each tree. None with a chosen ``n_estimators`` is 0.05, and smaller if fewer "
        "than 500 rounds are best: then there are 500. With a given one it depends on the number of rows n: "
        "0.05 · (n / 20,000)^0.2, at most 0.05.",
        default=None,
    )

    @classmethod
    def examples(cls) -> list[Model]:
        """Few rounds on all rows: with drawn rows, weights do not equal repetition."""
        return [cls(20, subsample=1.0, min_samples_leaf=5, learning_rate=0.1)]

    def _loss(self) -> Loss:
        return loss_named(self.loss)

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, X_val: Any = None, y_val: Any = None,
        sample_weight_val: Any = None, eval_set: Any = None,
    ) -> Self:  # fmt: skip
        """Fit the model; ``X_val`` and ``y_val``, or ``eval_set=(X_val, y_val)``, are used for early stopping."""
        X_val, y_val = validation_pair(eval_set, X_val, y_val)
        rows = regression_rows(self, X, y, sample_weight)
        self._boost(rows, validation_rows(self, X_val, y_val, sample_weight_val))
        return self
