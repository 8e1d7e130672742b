"""The tests by name: what each needs, how it is run on a pair of results, and which one suits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from probus.comparison._bayesian import Posterior, bayesian_correlated_ttest
from probus.comparison._bootstrap_rows import outcome_difference
from probus.comparison._five_by_two_cv import alpaydin_f, dietterich_t
from probus.comparison._paired_predictions import mcnemar
from probus.comparison._paired_rows import paired_rows_test
from probus.comparison._paired_scores import corrected_resampled_ttest, resampled_ttest, without_noise
from probus.comparison._significance import Pairing, TestResult
from probus.data import Task
from probus.display import counted
from probus.errors import DataError
from probus.metrics import Measure, Outcome
from probus.model_selection import Resampled, Splits, TestedRows

_PRACTICALLY_EQUAL = 0.01
_OF_FOLD_SCORES = ("corrected_t", "resampled_t", "5x2cv_t", "5x2cv_f", "bayesian")
_OF_FITTED_MODELS = ("mcnemar", "cochran_q")  # they count the rows that fitted models get right


@dataclass(frozen=True, eq=False)
class ComparedResults:
    """Results on the same splits, by name, and the measure to compare by; what tests need is computed once."""

    results: Mapping[str, Resampled]
    measure: Measure
    level: float
    margin: float | None = None

    @cached_property
    def scores(self) -> dict[str, np.ndarray]:
        """The score of each model on each split."""
        return {name: result.scores(self.measure) for name, result in self.results.items()}

    @cached_property
    def tested(self) -> dict[str, TestedRows | None]:
        """What each test row of each split adds to the score of each model; None where that is not known."""
        return {name: result.tested(self.measure) for name, result in self.results.items()}

    @cached_property
    def pooled(self) -> dict[str, Outcome]:
        """Each model's first prediction of every row that was tested."""
        return {name: result.pooled() for name, result in self.results.items()}

    @property
    def task(self) -> Task:
        """What was predicted."""
        return next(iter(self.results.values())).task

    @property
    def splits(self) -> Splits:
        """The splits of all models."""
        return next(iter(self.results.values())).splits

    def both(self, a: str, b: str) -> tuple[np.ndarray, np.ndarray]:
        """The scores of two models on the splits where both have one."""
        scored = np.isfinite(self.scores[a]) & np.isfinite(self.scores[b])
        if scored.sum() < 2:
            raise DataError(
                f"{self.measure.label} of {a!r} and {b!r} is known on {int(scored.sum())} of {len(scored)} splits.",
                "two splits at least to compare their scores",
                "Split differently, or compare the predictions: test='bootstrap'.",
            )
        return self.scores[a][scored], self.scores[b][scored]

    def arguments(self, a: str, b: str) -> dict[str, Any]:
        """The arguments of every test on scores."""
        up = self.measure.greater_is_better
        return {"names": (a, b), "level": self.level, "greater_is_better": up, "n_rows": len(self.task)}


@dataclass(frozen=True)
class Method:
    """A test: its name in code and in words, and how it is run on a pair; None where it needs several data sets."""

    name: str
    words: str
    run: Callable[[ComparedResults, str, str], TestResult | Posterior] | None

    @property
    def across(self) -> bool:
        """Whether it compares over data sets."""
        return self.run is None


def margin_of(measure: Measure, *scores: float) -> float:
    """The difference below which two scores count as equal: 0.01 of a score with bounds, else 1 % of the smaller.

    >>> from probus.metrics import measure
    >>> margin_of(measure("accuracy"), 0.8, 0.9), margin_of(measure("rmse"), 40.0, 50.0)
    (0.01, 0.4)
    """
    bounded = np.isfinite([measure.low, measure.high]).all()
    return _PRACTICALLY_EQUAL * (1.0 if bounded else min(map(abs, scores)))


def check_alpha(alpha: float) -> None:
    """Refuse what is no significance level."""
    if not 0 < alpha < 1:
        raise DataError(f"alpha={alpha}.", "a significance level between 0 and 1", "5 % is 0.05.")


def check_margin(margin: float | None) -> None:
    """Refuse what is no difference."""
    if margin is not None and not 0 <= margin < np.inf:
        raise DataError(f"margin={margin}.", "a difference of at least 0, in the unit of the score, or None")


def check_test(test: str, measure: Measure, n_data_sets: int) -> None:
    """Refuse a test that is unknown, or is not for that measure or that many data sets."""
    measure.check_comparable()
    if test == "auto":
        return
    if test not in METHODS:
        from difflib import get_close_matches

        near = get_close_matches(str(test), METHODS, 2, cutoff=0.5)
        hint = f"Did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise DataError(f"no test {test!r}.", "'auto' or one of " + ", ".join(map(repr, METHODS)), hint)
    if test in _OF_FOLD_SCORES and measure.pooled:
        raise DataError(
            f"test={test!r} with scoring={measure.name!r}, which is biased on the few rows of a fold.",
            "a test that takes the rows of all folds together",
            "Use test='auto'.",
        )
    if not fits(test, measure):
        raise DataError(
            f"test={test!r} with scoring={measure.name!r}.", "accuracy, which it compares", "Use test='bootstrap'."
        )
    if METHODS[test].across and n_data_sets < 2:
        raise DataError(
            f"test={test!r} on one data set.",
            "several, over which it compares",
            "Pass a dict of tasks, or test='auto'.",
        )
    if not METHODS[test].across and n_data_sets > 1:
        raise DataError(f"test={test!r} on {n_data_sets} data sets.", "'wilcoxon', 'friedman' or 'auto'")


def check_test_sets(test: str, splits: Splits, task: Task) -> None:
    """Refuse a test that counts rows where these have weights or groups, or each split has fitted models of its own.

    Rows of one fold share a fitted model, so that rows of several folds are not independent. With models that vary much
    between training sets, McNemar's test and Cochran's Q then reject far too often (docs/comparing.md).
    """
    roles = [name for name in ("sample_weight", "groups") if getattr(task, name) is not None]
    if test in _OF_FITTED_MODELS and roles:
        raise DataError(
            f"test={test!r} with {' and '.join(roles)}, which it ignores.", "independent rows that count alike",
            "Use test='auto'.",
        )  # fmt: skip
    if test in _OF_FITTED_MODELS and len(splits) > 1:
        raise DataError(
            f"test={test!r} on {splits.how}.",
            "one hold-out set, predicted by one fitted model each",
            "Use test='auto', or hold out one test set: cv=StratifiedShuffleSplit(1).",
        )


def fits(test: str, measure: Measure) -> bool:
    """Whether the test, or "auto", can compare by that measure: some count right rows only."""
    return measure.name == "accuracy" or test not in _OF_FITTED_MODELS


def suitable_method(field: ComparedResults) -> tuple[Method, str]:
    """The test that suits models on one data set, and why, in words."""
    n_models, n_splits = len(field.results), len(field.splits)
    models = {1: "one model", 2: "two models"}.get(n_models, f"{n_models} models")
    if _have_split_scores(field) and (_are_rows_paired(field) or not field.measure.pooled):
        why = f"{models}, one data set, the same {n_splits} splits"
        if _are_rows_paired(field):
            return METHODS["paired_rows"], f"{why}: differences row by row"
        return METHODS["corrected_t"], f"{why}, whose training sets share rows"
    where = "one hold-out set" if n_splits == 1 else "splits too small for scores of their own"
    alone = field.task.sample_weight is None and field.splits.units(field.task) is None
    if field.measure.name == "accuracy" and n_splits == 1 and alone:
        return METHODS["mcnemar"], f"{models}, {where}: what counts is the rows that only one of two gets right"
    return METHODS["bootstrap"], f"{models}, {where}: rows are drawn again to see how the difference varies"


def _are_rows_paired(field: ComparedResults) -> bool:
    """Whether the same rows of the same splits add to the score of every model."""
    first, *others = field.tested.values()
    return first is not None and all(each is not None and np.array_equal(each.split, first.split) for each in others)


def _have_split_scores(field: ComparedResults) -> bool:
    """Whether every model has scores on several splits of more than one row."""
    if len(field.splits) < 2 or max(len(test) for _, test in field.splits.pairs) < 2:
        return False
    return all(np.isfinite(scores).sum() > 1 for scores in field.scores.values())


# -- how each is run -----------------------------------------------------------------------------------


def _paired_rows(field: ComparedResults, a: str, b: str) -> TestResult:
    first, second = field.tested[a], field.tested[b]
    if first is None or second is None or len(first.split) != len(second.split):
        raise DataError(
            f"{field.measure.label} of {a!r} and {b!r} is not made of rows that both were tested on.",
            "a measure of rows, counts or ranks",
            "Use test='corrected_t'.",
        )
    pairing = Pairing((a, b), counted(len(field.task), "row"), field.measure.greater_is_better)
    bounds = float(field.measure.low), float(field.measure.high)
    return paired_rows_test(first, second, pairing, field.level, field.splits.units(field.task), bounds)


def _corrected_test(field: ComparedResults, a: str, b: str) -> TestResult:
    return corrected_resampled_ttest(*field.both(a, b), field.splits.test_to_train, **field.arguments(a, b))


def _resampling_test(field: ComparedResults, a: str, b: str) -> TestResult:
    return resampled_ttest(*field.both(a, b), **field.arguments(a, b))


def _bayesian(field: ComparedResults, a: str, b: str) -> Posterior:
    scores = field.both(a, b)
    rope = field.margin if field.margin is not None else margin_of(field.measure, *(float(s.mean()) for s in scores))
    return bayesian_correlated_ttest(*scores, field.splits.test_to_train, rope, **field.arguments(a, b))


def _five_by_two(arithmetic: Callable[..., TestResult], field: ComparedResults, a: str, b: str) -> TestResult:
    if (field.splits.folds, field.splits.repeats) != (2, 5):
        raise DataError(
            f"a 5×2cv test on {field.splits.how}.",
            "five times two folds",
            "Pass the models and the task: compare() then draws them.",
        )
    scores = field.both(a, b)
    if len(scores[0]) < 10:
        raise DataError(f"{field.measure.label} is undefined on {10 - len(scores[0])} of 10 halves.", "a score on each")
    apart = without_noise(scores[0] - scores[1], float(np.abs(scores).max()))
    pairing = Pairing((a, b), counted(len(field.task), "row"), field.measure.greater_is_better)
    return arithmetic(apart.reshape(5, 2), pairing, level=field.level)


def _mcnemar(field: ComparedResults, a: str, b: str) -> TestResult:
    first, second = field.pooled[a], field.pooled[b]
    return mcnemar(first.actual, first.predicted, second.predicted, names=(a, b), level=field.level)


def _bootstrap(field: ComparedResults, a: str, b: str) -> TestResult:
    groups = field.splits.units(field.task)
    if groups is not None:
        groups = groups[np.unique(np.concatenate([test for _, test in field.splits.pairs]))]
    # the same draws for every pair, and the same verdict on every run
    how: dict[str, Any] = {"names": (a, b), "level": field.level, "groups": groups, "random_state": 0}
    return outcome_difference(field.measure, field.pooled[a], field.pooled[b], **how)


METHODS = {
    each.name: each
    for each in (
        Method("paired_rows", "t-test of paired rows, with the variance of training sets", _paired_rows),
        Method("corrected_t", "corrected resampled t-test (Nadeau and Bengio 2003)", _corrected_test),
        Method("resampled_t", "resampled t-test", _resampling_test),
        Method("5x2cv_t", "5×2cv t-test (Dietterich 1998)", partial(_five_by_two, dietterich_t)),
        Method("5x2cv_f", "5×2cv F-test (Alpaydin 1999)", partial(_five_by_two, alpaydin_f)),
        Method("bayesian", "Bayesian correlated t-test (Corani and Benavoli 2015)", _bayesian),
        Method("mcnemar", "McNemar's test", _mcnemar),
        Method("cochran_q", "Cochran's Q, then McNemar's test", _mcnemar),
        Method("bootstrap", "bootstrap of the test rows", _bootstrap),
        Method("wilcoxon", "Wilcoxon's signed-rank test", None),
        Method("friedman", "Friedman's test, then Nemenyi's", None),
    )
}
