"""Tests that fit two models on both halves of five random splits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from probus.comparison._paired_scores import CONSTANT, without_noise
from probus.comparison._significance import Pairing, TestResult, checked_names
from probus.data import Task
from probus.display import counted
from probus.errors import DataError, FailedModelError
from probus.metrics import Estimate, Measure, Scoring, measure
from probus.model_selection import Resampled, Splits, copies_in, repeated_folds, resample, seeds

_REPEATS = 5


def ttest_5x2cv(
    a: Any,
    b: Any,
    X: Any,
    y: Any = None,
    *,
    scoring: Scoring = "accuracy",
    groups: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    random_state: Any = None,
    names: Sequence[str] = ("a", "b"),
    level: float = 0.95,
    n_jobs: int | None = None,
) -> TestResult:
    """Dietterich's (1998) 5×2cv paired t-test: t = q_1^(1) / √(Σ s_i² / 5) with 5 degrees of freedom.

    Five times the rows are halved, and each half trains the models that the other half tests. The differences of their
    scores are q_i^(1) and q_i^(2), with mean q̄_i and s_i² = (q_i^(1) − q̄_i)² + (q_i^(2) − q̄_i)². Halves share no
    training row, which keeps the rate of false alarms; the price is models fitted on half of the rows. The numerator
    is the first of ten differences, so that p depends on the order of the splits: that of ``ftest_5x2cv`` does not.

    The effect is the mean of all ten differences. Its interval has the width of that of one difference, mean ± t ·
    √(Σ s_i² / 5): the mean varies less, by how much is not known. One model beats the other where the test rejects, and
    the interval of the mean lies on the same side of zero as the first difference.

    Parameters
    ----------
    a, b : the models, any estimators; what cannot take the table is put behind ``probus.tabular``.
    X, y : a Task, or features and target, with ``groups``, ``sample_weight`` and ``pos_label`` as in ``resample``.
        Halves are stratified by class; groups stay whole.
    scoring : the name of a measure, or a function of (y_true, y_pred).
    groups, sample_weight, pos_label : as in ``resample``.
    random_state : decides the halves and the models' own random states; None always draws the same.
    names : of the models, for the sentence.
    level : of the interval of the effect.
    n_jobs : the number of jobs that run in parallel; the result does not depend on it.

    Returns
    -------
    The statistic, the p-value and the effect with its interval.

    >>> from probus.datasets import load
    >>> from probus.dummy import OneRClassifier
    >>> from probus.naive_bayes import GaussianNB
    >>> task = Task(load("iris"), target="species")
    >>> ttest_5x2cv(GaussianNB(), OneRClassifier(), task, names=("naive Bayes", "One-R"))
    naive Bayes and One-R: undecided on 150 rows (difference 0.005 [-0.021, 0.032], p = 0.25, 5×2cv t-test)
      t = -1.291, df = 5, p = 0.25
      The difference is the mean of all ten; t and p are of the first, which is -0.0133.
    """
    task = Task.of(X, y, model=a, groups=groups, sample_weight=sample_weight, pos_label=pos_label)
    q, pairing = _five_by_two(a, b, task, scoring, random_state, names, n_jobs)
    return dietterich_t(q, pairing, level=level)


def ftest_5x2cv(
    a: Any,
    b: Any,
    X: Any,
    y: Any = None,
    *,
    scoring: Scoring = "accuracy",
    groups: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    random_state: Any = None,
    names: Sequence[str] = ("a", "b"),
    level: float = 0.95,
    n_jobs: int | None = None,
) -> TestResult:
    """Alpaydin's (1999) combined 5×2cv F-test: F = Σ_i Σ_j (q_i^(j))² / (2 Σ s_i²) with 10 and 5 degrees of freedom.

    As ``ttest_5x2cv``, whose parameters it shares, but all ten differences count, so it does not depend on which split
    comes first, and it has more power. The effect is their mean; its interval holds the differences that the test would
    not reject, and is unbounded where it would reject them all.

    Parameters
    ----------
    a, b, X, y, scoring, groups, sample_weight, pos_label, random_state, names, level, n_jobs : as in ``ttest_5x2cv``.

    Returns
    -------
    The statistic, the p-value and the effect with its interval.

    >>> from probus.datasets import load
    >>> from probus.dummy import OneRClassifier
    >>> from probus.naive_bayes import GaussianNB
    >>> task = Task(load("iris"), target="species")
    >>> ftest_5x2cv(GaussianNB(), OneRClassifier(), task, names=("naive Bayes", "One-R"))
    naive Bayes and One-R: undecided on 150 rows (difference 0.005 [-0.014, 0.024], p = 0.3, 5×2cv F-test)
      F = 1.667, df = 10 and 5, p = 0.3
    """
    task = Task.of(X, y, model=a, groups=groups, sample_weight=sample_weight, pos_label=pos_label)
    q, pairing = _five_by_two(a, b, task, scoring, random_state, names, n_jobs)
    return alpaydin_f(q, pairing, level=level)


# -- the arithmetic ------------------------------------------------------------------------------------


def dietterich_t(q: np.ndarray, pairing: Pairing, *, level: float = 0.95) -> TestResult:
    """The t-test on differences q, float64[5, 2]: a row per repeat, a column per half."""
    from scipy.stats import t

    name, first, mean = "5×2cv t-test", float(q[0, 0]), float(q.mean())
    scale = math.sqrt(float(_variances(q).mean()))
    half_width = float(t.ppf((1 + level) / 2, _REPEATS)) * scale
    effect = Estimate(mean, mean - half_width, mean + half_width, level, f"{name}, mean of ten differences", q.size)
    statistic = _ratio(first, scale)
    pvalue = float(2 * t.sf(abs(statistic), _REPEATS))
    note = f"The difference is the mean of all ten; t and p are of the first, which is {first:.3g}."
    agree = (effect.low > 0 and first > 0) or (effect.high < 0 and first < 0)
    if pvalue < 1 - level and not agree:
        note += " The interval of the mean does not lie on its side of zero, so that neither model is called better."
    return _result(name, statistic, _REPEATS, pvalue, effect, q, pairing, "t", note, agree)


def alpaydin_f(q: np.ndarray, pairing: Pairing, *, level: float = 0.95) -> TestResult:
    """The F-test on differences q, float64[5, 2]: a row per repeat, a column per half."""
    from scipy.stats import f

    name, df = "5×2cv F-test", (2.0 * _REPEATS, float(_REPEATS))
    mean, squares, within = float(q.mean()), float((q**2).sum()), 2 * float(_variances(q).sum())
    statistic = _ratio(squares, within)
    pvalue = float(f.sf(statistic, *df))
    # the test of a difference δ puts q − δ for q: its numerator is a parabola in δ, its denominator stays
    reach = (float(f.ppf(level, *df)) * within - (squares - q.size * mean**2)) / q.size
    half_width = math.sqrt(reach) if reach >= 0 and within else math.inf if within else 0.0
    effect = Estimate(mean, mean - half_width, mean + half_width, level, f"{name}, inverted", q.size)
    return _result(name, statistic, df, pvalue, effect, q, pairing, "F")


def _variances(q: np.ndarray) -> np.ndarray:
    """s² of each repeat."""
    return ((q - q.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)


def _ratio(above: float, below: float) -> float:
    if below:
        return above / below
    return math.copysign(math.inf, above) if above else 0.0


def _result(
    name: str,
    statistic: float,
    df: float | tuple[float, float],
    pvalue: float,
    effect: Estimate,
    q: np.ndarray,
    pairing: Pairing,
    symbol: str,
    note: str = "",
    decides: bool = True,
) -> TestResult:
    sentence = pairing.conclusion(effect, pvalue, name, decides=decides) if q.any() else pairing.no_difference(name)
    if math.isinf(statistic):
        note = " ".join(filter(None, [CONSTANT, note]))
    details = {"differences": q.tolist(), "mean_difference": float(q.mean())}
    names = pairing.names
    return TestResult(name, statistic, df, pvalue, effect, q.size, sentence, symbol, note, names, details, decides)


# -- the fitting ---------------------------------------------------------------------------------------


def _five_by_two(
    a: Any, b: Any, task: Task, scoring: Scoring, random_state: Any, names: Sequence[str], n_jobs: int | None
) -> tuple[np.ndarray, Pairing]:
    """Differences of the scores of both models on both halves of five splits."""
    names, chosen = checked_names(names, 2), measure(scoring)
    # one seed for both models and the halves, also where random_state is a generator that moves on
    seed = None if random_state is None else seeds(random_state, 1)[0]
    splits = halves(task, seed or 0)
    runs = [
        resample(model, task, cv=splits, scoring=[chosen], n_jobs=n_jobs, random_state=seed, name=name)
        for model, name in zip((a, b), names, strict=True)
    ]
    scores = [_check_defined(run, chosen) for run in runs]
    q = without_noise(scores[0] - scores[1], float(np.abs(scores).max()))
    pairing = Pairing(names, counted(len(task), "row"), chosen.greater_is_better)
    return q.reshape(_REPEATS, 2), pairing


def halves(task: Task, seed: int) -> Splits:
    """Five times two folds."""
    if task.times is not None:
        raise DataError(
            f"the task is ordered by {task.time!r}.",
            "rows in no order: 5×2cv trains on each half in turn, and one of them is the future",
            "Use corrected_resampled_ttest on scores of time-ordered splits.",
        )
    copies = copies_in(task)
    repeats = [repeated_folds(task, 2, 1, each, copies) for each in seeds(seed, _REPEATS)]
    pairs = tuple(pair for repeat in repeats for pair in repeat.pairs)
    return Splits(pairs, 2, _REPEATS, f"{repeats[0].how}, {_REPEATS} times", copies=repeats[0].copies)


def _check_defined(run: Resampled, chosen: Measure) -> np.ndarray:
    if run.failures:
        raise FailedModelError(
            f"{run.name} {run.failure}", "a model that works on every half: the test is of its own predictions"
        ) from run.failures[0].cause
    scores = run.scores(chosen)
    lost = int(np.isnan(scores).sum())
    if lost:
        raise DataError(
            f"{chosen.label} of {run.name} is undefined on {lost} of {len(scores)} halves.",
            "a score on every half",
            "Choose another measure, or a task with more rows of each class.",
        )
    return scores
