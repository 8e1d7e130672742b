"""Learning curves: the effect of the number of training rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from probus.arguments import verb
from probus.data import Task
from probus.datasets.source import task_of
from probus.errors import DataError
from probus.metrics import Estimate, Scoring
from probus.model_selection._curve_scores import CurveJob, scores_along
from probus.model_selection._curve_setup import Setup
from probus.model_selection._power_law import extrapolated
from probus.model_selection._progress import ProgressOption
from probus.model_selection._split_intervals import difference_interval
from probus.model_selection._splits import Splits, seeds
from probus.model_selection._train_test_curve import Curve
from probus.model_selection.splitters._units import units_of
from probus.wrapping import name_of

_HALVINGS = 5
_FARTHEST = 4


@dataclass(frozen=True, eq=False, repr=False)
class LearningCurve(Curve):
    """Scores on training and test rows at growing training sizes; see ``learning_curve``."""

    @property
    def axis(self) -> str:
        """Training rows."""
        return "training rows"

    @property
    def logarithmic(self) -> bool:
        """Always: what counts is how often the data were doubled."""
        return True

    @property
    def _column(self) -> str:
        return "train_size"

    @property
    def train_sizes(self) -> tuple[int, ...]:
        """The training sizes, in increasing order."""
        return self.settings

    def _tuple(self) -> tuple[np.ndarray, ...]:
        scores = (np.array(self.train_sizes), self.train_scores, self.test_scores)
        times = (self.scores.fit_times, self.scores.score_times)
        return (*scores, *(each for each in times if each is not None))

    def per_doubling(self, scoring: Scoring | None = None, level: float = 0.95) -> Estimate:
        """By how much the test score improves for each doubling of the rows at the end of the curve, paired by row.

        Measured from the largest size that is at most half the last, or else from the one before the last; sizes at
        which the model failed are left out.
        """
        if len(self.sound) < 2:
            raise DataError("a learning curve of one size.", "at least two, for a slope")
        chosen, sizes = self.measured(scoring), np.array(self.train_sizes)[self.sound]
        before = max(np.flatnonzero(2 * sizes <= sizes[-1]), default=len(sizes) - 2)
        doublings = chosen.better(1) * float(np.log2(sizes[-1] / sizes[before]))
        first, last = self.sound[before], self.sound[-1]
        if self.scores.results:
            a, b = (self.scores.results[place].tested(chosen) for place in (last, first))
            if a is not None and b is not None and len(a.moves) == len(b.moves):
                groups = self.scores.results[last].task.groups
                return difference_interval(a, b, level=level, times=1 / doublings, groups=groups)
        scores = self.scores.test[chosen.name]
        return self._interval((scores[last] - scores[first]) / doublings, level)

    def extrapolate(self, size: int | None = None, scoring: Scoring | None = None, level: float = 0.95) -> Estimate:
        """The test score to expect from that many rows, by default twice the largest size.

        The distance from the best possible score is taken to fall as a + b n⁻ᶜ. That is a habit of learning curves, not
        a law, and it is followed no further than four times the largest size. Sizes at which the model failed are left
        out.
        """
        chosen, last = self.measured(scoring), self.train_sizes[-1]
        size = 2 * last if size is None else size
        best = chosen.high if chosen.greater_is_better else chosen.low
        scores = self.scores.test[chosen.name][self.sound]
        scores = scores[:, np.isfinite(scores).all(axis=0)]
        _check_extrapolation(size, last, best, scores)
        losses = np.abs(best - scores)
        sizes = np.array(self.train_sizes, dtype=np.float64)[self.sound]
        lost = extrapolated(sizes, losses, size, self.splits.test_to_train, level)
        ends = sorted((best - chosen.better(1) * lost.low, best - chosen.better(1) * lost.high))
        low, high = np.clip(ends, chosen.low, chosen.high).tolist()
        return replace(lost, value=best - chosen.better(1) * lost.value, low=low, high=high)


@verb
def learning_curve(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    train_sizes: Iterable[float] | None = None,
    cv: Any = None,
    scoring: Any = None,
    exploit_incremental_learning: bool = False,
    n_jobs: int | None = None,
    pre_dispatch: Any = "all",
    verbose: int = 0,
    shuffle: bool | None = None,
    random_state: Any = None,
    error_score: Any = np.nan,
    return_times: bool = False,
    params: Mapping[str, Any] | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    progress: ProgressOption = None,
) -> LearningCurve:
    """Fit a model on increasing numbers of training rows of each split, and score it on those rows and the test rows.

    With X and y it is scikit-learn's function: the same parameters, defaults, folds and scores, and the result unpacks
    as its tuple (train_sizes, train_scores, test_scores), with fit_times and score_times if ``return_times``.

    With a Task, or a table and ``target``, the model is wrapped by ``tabular`` and the splits are those of
    ``resample``. Training sets are nested. Classes keep their proportions; groups are added one by one, the last
    perhaps in part; of a task with a time the latest rows are used. On a split where the model fails, the constant
    predictor is scored, and the result reports it. A size at which it fails on every split has no score, and a model
    that always fails is a ``FailedModelError``.

    Parameters
    ----------
    estimator : the model that is fitted, of Probus or any that follows scikit-learn.
    X, y : a Task, or features and target.
    target : the column to predict, where X is a table with that column.
    train_sizes : numbers of rows, or fractions of the smallest training set; by default, for a Task all of it and its
        halves, down to 1/32, otherwise 5 sizes from 10 % to all of it.
    cv : as in ``resample`` for a Task, as in scikit-learn for X and y; a number of folds with groups gives grouped
        folds.
    scoring : as in ``resample``; for X and y also any scorer of scikit-learn. By default accuracy, and R² or, for a
        Task, RMSE.
    exploit_incremental_learning : accepted for compatibility; a model is fitted anew at every size.
    shuffle : False takes the first rows of each training set, True shuffles them before; by default False for X and y,
        and classes in proportion for a Task.
    random_state : of the shuffling; for a Task also of the folds and the model, as in ``resample``.
    error_score : the value in train_scores and test_scores where the model fails, or "raise".
    return_times : whether the result unpacks with fit_times and score_times too.
    params : further arguments of ``fit``.
    groups, sample_weight, pos_label, n_jobs, progress : as in ``resample``.
    pre_dispatch, verbose : of joblib.Parallel.

    Returns
    -------
    The scores of each size and split, which print and plot themselves.

    >>> import probus
    >>> from probus.naive_bayes import GaussianNB
    >>> iris = probus.Task(probus.datasets.load("iris"), target="species")
    >>> learning_curve(GaussianNB(), iris, train_sizes=[15, 30, 60, 120], scoring="accuracy")
    GaussianNB: accuracy by training rows, stratified 5-fold cross-validation, 5 times
      training rows  train                 test
      15             0.989 [0.961, 0.997]  0.924 [0.870, 0.957]
      30             0.976 [0.946, 0.990]  0.953 [0.904, 0.978]
      60             0.966 [0.925, 0.985]  0.953 [0.900, 0.979]
      120            0.959 [0.914, 0.981]  0.955 [0.900, 0.980]
    """
    roles = {"groups": groups, "sample_weight": sample_weight, "pos_label": pos_label}
    task = task_of(X, y, target=target, model=estimator, **roles)
    if isinstance(X, Task) or target is not None or isinstance(y, str):
        setup = Setup.of_task(estimator, task, cv, scoring, random_state)
    else:
        setup = Setup.as_in_scikit_learn(estimator, X, task, cv, scoring, params)
        train_sizes = np.linspace(0.1, 1.0, 5) if train_sizes is None else train_sizes
        shuffle = bool(shuffle)
    pairs = setup.splits.pairs
    chosen = _checked_sizes(train_sizes, min(len(train) for train, _ in pairs), len(task.classes))
    orders = _orders(task, setup.splits, random_state, shuffle)
    jobs = [
        CurveJob(size, number, setup.model, (order[:size], test))
        for size in chosen
        for number, (order, (_, test)) in enumerate(zip(orders, pairs, strict=True))
    ]
    how: dict[str, Any] = {"n_jobs": n_jobs, "pre_dispatch": pre_dispatch, "verbose": verbose, "progress": progress}
    scores = scores_along(jobs, setup, error_score=error_score, return_times=return_times, **how)
    return LearningCurve(name_of(setup.model), chosen, scores, setup.splits)


def _checked_sizes(sizes: Iterable[float] | None, most: int, n_classes: int) -> tuple[int, ...]:
    """Numbers of rows in growing order, each possible in every split."""
    if sizes is None:
        least = min(max(2, n_classes), most)
        return tuple(sorted({max(round(most / 2**k), least) for k in range(_HALVINGS + 1)}))
    listed = list(np.ravel(list(sizes)))
    if not listed:
        raise DataError("no sizes.", "one at least, or None for halves of the data")
    rows = set()
    for size in listed:
        share = isinstance(size, (float, np.floating)) and size <= 1
        wanted = size * most if share else size
        if not 0 < wanted < np.inf or (not share and wanted != int(wanted)):
            raise DataError(f"a size of {size}.", "a number of rows, or a share of them between 0 and 1")
        if wanted > most:
            raise DataError(
                f"a size of {size:,.0f} rows, but the smallest training set has {most:,}.",
                f"at most {most:,}",
                "Use more folds, or fewer rows.",
            )
        rows.add(max(int(wanted), 1))
    return tuple(sorted(rows))


def _check_extrapolation(size: float, last: int, best: float, scores: np.ndarray) -> None:
    if not 1 <= size <= _FARTHEST * last:
        raise DataError(f"a size of {size:,g} rows.", f"at most {_FARTHEST} times the largest of the curve, {last:,}")
    if len(scores) < 4 or scores.shape[1] < 4:
        raise DataError(
            f"{len(scores)} sizes and {scores.shape[1]} splits with a score at each.", "at least 4 of both to fit a law"
        )
    if not np.isfinite(best):
        raise DataError("a measure without a best value.", "one that says how far a score is from the best")


# -- the order of the rows -----------------------------------------------------------------------------


def _orders(task: Task, splits: Splits, random_state: Any, shuffle: bool | None) -> list[np.ndarray]:
    """The training rows of each split, in the order in which they are added."""
    if shuffle is not None:
        random = check_random_state(random_state)
        return [random.permutation(train) if shuffle else train for train, _ in splits.pairs]
    if task.times is not None:
        times = task.times
        return [train[np.argsort(-times[train], kind="stable")] for train, _ in splits.pairs]
    codes = task.table[task.target].values if task.classes else np.zeros(len(task), dtype=np.intp)
    states = seeds(0 if random_state is None else random_state, len(splits))
    return [
        train[_mixed(codes[train], None if task.groups is None else task.groups[train], np.random.default_rng(state))]
        for (train, _), state in zip(splits.pairs, states, strict=True)
    ]


def _mixed(codes: np.ndarray, groups: np.ndarray | None, rng: np.random.Generator) -> np.ndarray:
    """Rows, or groups of rows, at random, such that every beginning holds the classes in about their shares.

    The i-th unit of a class that has m comes at i/m: first one of each class, then each at its own pace. A group counts
    for the class most of its rows have.

    >>> codes = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1])
    >>> codes[_mixed(codes, None, np.random.default_rng(0))][:6]
    array([0, 1, 0, 0, 1, 0])
    """
    units = units_of(codes, groups)
    units = [units[i] for i in rng.permutation(len(units))]
    classes = np.array([np.bincount(codes[unit]).argmax() for unit in units])
    due = np.empty(len(units))
    for code in np.unique(classes):
        mine = np.flatnonzero(classes == code)
        due[mine] = np.arange(len(mine)) / len(mine)
    return np.concatenate([units[i] for i in np.argsort(due, kind="stable")])
