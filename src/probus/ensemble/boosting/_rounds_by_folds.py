"""How many rounds to boost, by cross-validation: where the signal is weak a hundred are too many, where it is strong a
thousand too few, and the number of rows does not show which.

The rows are dealt into five folds, classes in turn. Models that each leave out a fold are boosted in step, and the
rounds end when the mean score of the folds left out has not improved for long. Small tables, whose scores are noisy,
use all five folds, those with more rows or classes three or one. All rows are then boosted at half the rate or less, in
proportionally more rounds: what overfits is the sum of the steps, and smaller ones are smoother. From ``LARGE`` rows
on, a tenth of them is held out instead, and the model that is best on it is kept.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from probus.ensemble.boosting._binning import bins_of
from probus.ensemble.boosting._iterations import Rounds
from probus.ensemble.boosting._memory_limit import check_memory
from probus.ensemble.boosting._plan import BoostingPlan
from probus.ensemble.boosting._rows import DesignRows, strata_of, train_validation_rows
from probus.ensemble.boosting._scoring import Score
from probus.ensemble.boosting._threads import ThreadPool
from probus.losses import Loss
from probus.parallel import thread_count

LARGE = 10_000  # rows from which on some are held out once
MOST = 2000  # rounds
_FOLDS = 5
_FEWEST, _FEWEST_OF_CLASSES = 500, 1000  # rounds on all rows


def usual_rate(loss: Loss) -> float:
    """The largest learning rate; trees of two classes grow raw predictions fastest."""
    return 0.03 if loss.for_classes and loss.n_outputs == 1 else 0.05


def n_folds(n: int, loss: Loss) -> int:
    """How many of the five folds are left out in turn: fewer where n is large or a round slow; labels need more rows.

    >>> from probus.losses import LogLoss, Softmax, SquaredError
    >>> [n_folds(n, LogLoss()) for n in (500, 2000, 5000)], n_folds(500, SquaredError()), n_folds(500, Softmax(10))
    ([5, 3, 1], 3, 1)
    """
    size = n * (loss.n_outputs if loss.for_classes else 3)
    return 5 if size < 1000 else 3 if size < 3000 else 1


def smaller_steps(plan: BoostingPlan, n_rounds: int) -> tuple[BoostingPlan, int]:
    """The plan with a smaller rate and more rounds, if there are few; the sum of the rates stays."""
    more = max(n_rounds, _FEWEST_OF_CLASSES if plan.loss.for_classes else _FEWEST)
    return replace(plan, rate=plan.rate * n_rounds / more), more


def held_out_tenth(rows: DesignRows, seed: int, *, for_classes: bool) -> tuple[DesignRows, DesignRows]:
    """Training and validation rows."""
    strata = strata_of(rows.y, 0.1) if for_classes else None
    train, held = train_validation_rows(np.arange(len(rows)), 0.1, seed, strata, "n_estimators")
    return rows.some(train), rows.some(held)


def rounds_by_folds(
    plan: BoostingPlan,
    rows: DesignRows,
    start: np.ndarray,
    score: Score,
    max_bins: int,
    n_jobs: int | None,
    *,
    faster: int,
) -> int:
    """The number of rounds, at least one, with the best mean score of rows left out.

    They are counted at a rate that is larger by the factor ``faster``, in as many fewer rounds.
    """
    plan = replace(plan, rate=faster * plan.rate)
    n, k = len(rows), len(start)
    check_memory(plan, n, MOST, stops=True)
    folds = _folds(rows.y, plan)
    held = [np.flatnonzero(folds == f) for f in range(min(n_folds(n, plan.loss), folds.max() + 1))]
    bins = bins_of(rows.design, max_bins, n_jobs, at=rows.at)
    codes = bins.codes(rows.design.X, n_jobs, rows.at)
    with ThreadPool(thread_count(n_jobs, 20.0 * rows.design.X.shape[1] * k * (n + 8_000))) as pool:
        models = [
            Rounds(
                replace(plan, seed=plan.seed + f), bins, codes, rows.y, rows.weight, rows.raw_predictions(start, None),
                pool, np.flatnonzero(folds != f).astype(np.int32),
            )
            for f in range(len(held))
        ]  # fmt: skip
        scores = [_mean_score(score, rows, models, held)]
        for _ in zip(*(model.trees(MOST // faster) for model in models), strict=True):
            scores.append(_mean_score(score, rows, models, held))
            best = int(np.argmax(scores))
            if len(scores) - best > 50 + 0.3 * best:
                break
    return max(1, faster * int(np.argmax(scores)))


def _folds(y: np.ndarray, plan: BoostingPlan) -> np.ndarray:
    """The fold of each row: int64[n]."""
    order = np.random.default_rng(plan.seed).permutation(len(y))
    if plan.loss.for_classes:
        order = order[np.argsort(y[order], kind="stable")]
    folds = np.empty(len(y), np.int64)
    folds[order] = np.arange(len(y)) % _FOLDS
    return folds


def _mean_score(score: Score, rows: DesignRows, models: list[Rounds], held: list[np.ndarray]) -> float:
    """The mean score of the rows left out, each fold counting by its weight."""
    scores, weights = [], []
    for model, some in zip(models, held, strict=True):
        weight = None if rows.weight is None else rows.weight[some]
        scores.append(score(rows.values_of(some), rows.y[some], weight, model.raw[some]))
        weights.append(len(some) if weight is None else weight.sum())
    return float(np.average(scores, weights=weights))
