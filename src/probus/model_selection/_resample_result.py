"""The result of resampling a model: its predictions on the test rows of every split, and scores of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from probus.data import Task
from probus.display import Cells, Notes, OnlyHtml, OnlyText, Paragraph, Result, counted, counted_of, drawing, percent
from probus.errors import DataError, FailedModelError
from probus.metrics import Estimate, Measure, Outcome, Scoring, measure
from probus.model_selection._bootstrap_632 import point632
from probus.model_selection._empty_intervals import reason_of, says_nothing
from probus.model_selection._joined_outcomes import joined
from probus.model_selection._split_intervals import corrected_interval, pooled_interval, score_interval
from probus.model_selection._splits import Splits
from probus.model_selection._tested_rows import Halves, TestedRows, tested_rows

How = Literal["auto", "mean", "pooled", ".632", ".632+"]

_IMPOSSIBLE, _SEEN = 1e-3, 3  # a probability, and rows of a class that has it, fewer than which are no evidence
_WRONG, _MUCH = 1e-5, 0.25  # a probability of the actual class, and the share of the loss that such rows may have
_EPSILON = float(np.finfo(np.float64).eps)  # in place of a probability of 0, as in the logarithmic loss
_OF_ANY_CONSTANT = {"balanced_accuracy", "kappa", "mcc"}  # 1/K, 0 and 0 on any rows with all classes
_FEW = 10  # predictions of a class, fewer than which make its F1 and the like uncertain; and rows of much of a loss


class FailedSplitWarning(UserWarning):
    """A model failed on some splits and was scored there as the constant predictor."""


@dataclass(frozen=True)
class Failure:
    """A split on which a model could not be fitted or used.

    Attributes
    ----------
    split : the number of the split.
    error : the error, in a line.
    cause : the error itself, where it is kept.
    """

    split: int
    error: str
    cause: Exception | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, eq=False, repr=False)
class Resampled(Result):
    """A model's predictions on the test rows of every split: any measure, test or curve needs no refit.

    Attributes
    ----------
    name : of the model.
    task, splits : what it was resampled on, and how.
    outcomes : truth and predictions on the test rows, one outcome per split.
    measures : those reported, the main one first.
    failures : the splits on which it failed; there the constant predictor of the training rows is scored.
    warnings : what the model warned of, and how often.
    notes : remarks on the scores.
    seconds : the time of each split, for fitting and predicting, without compilation.
    models : the fitted models, None where one failed; None unless they were to be kept.
    apparent : for the out-of-bag bootstrap, a model of all rows evaluated on its training rows.
    halves : of a model that proved unstable, models of halves of the rows, for the variance over training sets.
    constant : whether it predicts alike for all rows, whatever they are, as Zero-R does.
    """

    name: str
    task: Task
    splits: Splits
    outcomes: tuple[Outcome, ...]
    measures: tuple[Measure, ...]
    failures: tuple[Failure, ...] = ()
    warnings: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    seconds: np.ndarray = field(default_factory=lambda: np.empty(0))
    models: tuple[Any, ...] | None = None
    apparent: Outcome | None = None
    halves: Halves | None = None
    constant: bool = False

    def __len__(self) -> int:
        return len(self.outcomes)

    @property
    def rows(self) -> tuple[np.ndarray, ...]:
        """The test rows of each split."""
        return tuple(test for _, test in self.splits.pairs)

    # -- failures --------------------------------------------------------------------------------------

    @property
    def failed_everywhere(self) -> bool:
        """Whether the model failed on every split, so that there is nothing to score."""
        return len(self.failures) == len(self.splits)

    @property
    def failure(self) -> str:
        """In words, on how many splits the model failed, and the first error; empty where it never did."""
        return f"{failed_on(self.failures, len(self))}: {self.failures[0].error}" if self.failures else ""

    def check_failures(self) -> None:
        """Raise the first error of a model that failed on every split."""
        if self.failed_everywhere:
            raise FailedModelError(
                f"{self.name} {self.failure}",
                "a model that can be fitted on the training rows and predicts the test rows",
                "Fit it without resampling to see where it fails; probus.tabular(model) prepares columns of any kind.",
            ) from self.failures[0].cause

    # -- scores ----------------------------------------------------------------------------------------

    def scores(self, scoring: Scoring | None = None) -> np.ndarray:
        """The measure on each split; NaN where it is undefined there. None is the main measure."""
        chosen = self._measure(scoring)
        return np.array([score_of(chosen, outcome) for outcome in self.outcomes])

    def estimate(self, scoring: Scoring | None = None, level: float = 0.95, *, how: How = "auto") -> Estimate:
        """The measure with its interval; its ``method`` states how both were computed.

        Parameters
        ----------
        scoring : a measure, its name, or a function of (y_true, y_pred); None is the main measure.
        level : the confidence level.
        how : "mean" takes all splits together. Its interval covers the expected score of a model trained on as many
            rows as each split trains on: it allows for other test rows and for other training rows
            (docs/intervals.md has the measured coverage). RMSE, R², F1 and other functions of means are computed
            from the means over all splits. "pooled" measures each row's first prediction together, with the
            interval of ``probus.metrics.estimate``, for the models as they are; ".632" and ".632+" weigh the
            out-of-bag scores with those on the training rows, for ``OutOfBagBootstrap``; ".632" is too optimistic
            where a model overfits. "auto" is the mean, or pooled where there is one split or every test set is a
            single row.
        """
        estimate = self._estimate(self._measure(scoring), level, how)
        if not self.failures:
            return estimate
        return replace(estimate, method=f"{estimate.method}; {failed_on(self.failures, len(self))}")

    def _estimate(self, chosen: Measure, level: float, how: How = "auto") -> Estimate:
        if how == "auto":
            alone = len(self) == 1 or all(len(outcome) == 1 for outcome in self.outcomes)
            how = "pooled" if alone else "mean"
        if how == "mean":
            return self._mean(chosen, level)
        if how == "pooled":
            rows, outcome = self._first_predictions()
            groups = self.units
            return pooled_interval(chosen, outcome, level=level, groups=None if groups is None else groups[rows])
        if how in (".632", ".632+"):
            plus = how == ".632+"
            return point632(chosen, self.splits, self.outcomes, self.apparent, plus=plus, level=level)
        raise DataError(f"how={how!r}.", "one of 'auto', 'mean', 'pooled', '.632', '.632+'")

    def _mean(self, chosen: Measure, level: float) -> Estimate:
        key = (chosen, level)
        if key not in self._estimates:
            self._estimates[key] = self._over_splits(chosen, level)
        return self._estimates[key]

    def _over_splits(self, chosen: Measure, level: float) -> Estimate:
        tested = self.tested(chosen)
        if tested is None and chosen.pooled:
            found = self._estimate(chosen, level, "pooled")
            return replace(found, method=f"{found.method}, the rows of all folds together")
        if tested is None:
            scores, ratio = self.scores(chosen), self.splits.test_to_train
            estimate = corrected_interval(scores, ratio, level=level, low=chosen.low, high=chosen.high)
            undefined = int(np.isnan(scores).sum())
        else:
            rows, outcome = self._first_predictions()
            groups = None if self.units is None else self.units[rows]
            estimate = score_interval(chosen, tested, outcome, level=level, groups=groups)
            undefined = len(self) - len(np.unique(tested.split))
            notes = [_rarely_predicted(chosen, outcome), _nearly_impossible(tested, outcome, estimate)]
            estimate = replace(estimate, method="; ".join(filter(None, [estimate.method, *notes])))
        if not undefined:
            return estimate
        method = f"{estimate.method}, undefined on {undefined} of {len(self)} splits, which are left out"
        return replace(estimate, method=method)

    @property
    def units(self) -> np.ndarray | None:
        """What rows belong to, as ``Splits.units``."""
        return self.splits.units(self.task)

    def tested(self, scoring: Scoring | None = None) -> TestedRows | None:
        """What each test row of each split adds to the measure; None where it has no derivatives or is undefined."""
        chosen = self._measure(scoring)
        if chosen not in self._tested:
            self._tested.clear()  # of one measure at a time: it is as large as the predictions
            found = tested_rows(chosen, self.outcomes, self.splits, self.units, self.halves)
            if (
                found is not None
                and self.constant
                and ((found.ranked and not chosen.pooled) or chosen.name in _OF_ANY_CONSTANT)
            ):
                found = replace(found, certain=True)  # all rows of a split tie, or have one prediction
            self._tested[chosen] = found
        return self._tested[chosen]

    @cached_property
    def _estimates(self) -> dict[tuple[Measure, float], Estimate]:
        return {}

    @cached_property
    def _tested(self) -> dict[Measure, TestedRows | None]:
        return {}

    def _measure(self, scoring: Scoring | None) -> Measure:
        self.check_failures()
        return self.measures[0] if scoring is None else checked_measure(scoring, self.task)

    # -- predictions -----------------------------------------------------------------------------------

    def pooled(self) -> Outcome:
        """Each row that was tested, once, in the order of the rows, with the first prediction made for it."""
        return self._first_predictions()[1]

    def _first_predictions(self) -> tuple[np.ndarray, Outcome]:
        rows, first = np.unique(np.concatenate(self.rows), return_index=True)
        return rows, joined(self.outcomes).take(first)

    @property
    def predictions(self) -> Any:
        """A polars frame: a line for each test row of each split.

        ``row``, ``split``, ``repeat``, ``actual`` and ``predicted``, then ``p_…`` with the probability of each class,
        or ``score`` where the model gives no probabilities.
        """
        import polars as pl

        everything, sizes = joined(self.outcomes), [len(rows) for rows in self.rows]
        split = np.repeat(np.arange(len(self)), sizes)
        assert everything.predicted is not None
        columns: dict[str, Any] = {
            "row": np.concatenate(self.rows),
            "split": split,
            "repeat": split // self.splits.folds,
            "actual": _labels(everything.actual, everything),
            "predicted": _labels(everything.predicted, everything),
        }
        if everything.probabilities is not None:
            columns |= {f"p_{label}": everything.probabilities[:, k] for k, label in enumerate(everything.classes)}
        elif everything.scores is not None:
            columns["score"] = everything.scores
        return pl.DataFrame(columns)

    @property
    def folds(self) -> Any:
        """A polars frame: a line for each split, with its sizes, its scores, its time and its error if it failed."""
        import polars as pl

        errors = {failure.split: failure.error for failure in self.failures}
        return pl.DataFrame(
            {
                "split": np.arange(len(self)),
                "repeat": np.arange(len(self)) // self.splits.folds,
                "n_train": [len(train) for train, _ in self.splits.pairs],
                "n_test": [len(test) for _, test in self.splits.pairs],
                **({} if self.failed_everywhere else {each.name: self.scores(each) for each in self.measures}),
                "seconds": self.seconds,
                "error": pl.Series([errors.get(split) for split in range(len(self))], dtype=pl.String),
            }
        )

    # -- curves ----------------------------------------------------------------------------------------

    def roc(self, **options: Any) -> Any:
        """The ROC curve of the pooled predictions; options as in ``RocCurve.of``."""
        from probus.metrics import RocCurve

        return RocCurve.of(self.pooled(), **options)

    def precision_recall(self, **options: Any) -> Any:
        """The precision–recall curve of the pooled predictions; options as in ``PrecisionRecallCurve.of``."""
        from probus.metrics import PrecisionRecallCurve

        return PrecisionRecallCurve.of(self.pooled(), **options)

    def calibration(self, **options: Any) -> Any:
        """The calibration curve of the pooled predictions; options as in ``CalibrationCurve.of``."""
        from probus.metrics import CalibrationCurve

        return CalibrationCurve.of(self.pooled(), **options)

    def confusion(self, **options: Any) -> Any:
        """The confusion matrix of the pooled predictions; options as in ``ConfusionMatrix.of``."""
        from probus.metrics import ConfusionMatrix

        return ConfusionMatrix.of(self.pooled(), **options)

    confusion_matrix = confusion

    def plot_roc(self, axes: Any = None, **options: Any) -> Any:
        """Draw the ROC curve, on matplotlib axes, which are returned; options as in ``roc``."""
        return self.roc(**options).plot(axes)

    def plot_precision_recall(self, axes: Any = None, **options: Any) -> Any:
        """Draw the precision–recall curve, on matplotlib axes, which are returned."""
        return self.precision_recall(**options).plot(axes)

    def plot_calibration(self, axes: Any = None, **options: Any) -> Any:
        """Draw the calibration curve, on matplotlib axes, which are returned."""
        return self.calibration(**options).plot(axes)

    def plot_confusion_matrix(self, axes: Any = None, **options: Any) -> Any:
        """Draw the confusion matrix, on matplotlib axes, which are returned."""
        return self.confusion(**options).plot(axes)

    def report(self) -> Any:
        """Precision, recall and F1 of each class, with intervals; of numbers, the measures: a polars frame."""
        return self.confusion().per_class() if self.task.classes else self.to_frame()

    def __getitem__(self, scoring: Scoring) -> Estimate:
        """The estimate of a measure: ``result["f1"]``."""
        return self.estimate(scoring)

    def _parts(self) -> list[Any]:
        head = f"{self.name}: {self.splits.how}, {counted(len(self.task), 'row')}"
        if self.failed_everywhere:
            return [head, Notes(self.remarks())]
        estimates = [(each, self._estimate(each, 0.95)) for each in self.measures]
        shown = [(each, self._shown(each, estimate)) for each, estimate in estimates]
        line = " · ".join(f"{each.name} {estimate}" for each, estimate in shown)
        line += f" (failed on {len(self.failures)} of {len(self)} splits)" if self.failures else ""
        table = Cells([(each.label, estimate) for each, estimate in shown], header=False)
        methods = _methods({each.name: str(estimate.method) for each, estimate in estimates})
        return [head, OnlyText(Paragraph(line)), OnlyHtml(table), Notes([*methods, *self.remarks()])]

    def _shown(self, measure: Measure, estimate: Estimate) -> Estimate | str:
        """The score with its interval, or with the reason why that says nothing."""
        if not says_nothing(estimate, measure):
            return estimate
        return f"{estimate.texts()[0]} (no interval: {reason_of(self, measure, estimate)})"

    def remarks(self) -> list[str]:
        """Failures, warnings and notes, the most serious first."""
        remarks = []
        if self.failures:
            remarks.append(self.failure.replace("failed", "FAILED", 1))
        remarks += [f"warned {counted(count, 'time')}: {text}" for text, count in self.warnings.items()]
        return remarks + [f"note: {note}" for note in self.notes]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON; without scores where the model failed on every split."""
        measures = () if self.failed_everywhere else self.measures
        return {
            "name": self.name,
            "rows": len(self.task),
            "splits": self.splits.how,
            "estimates": {each.name: self.estimate(each).to_dict() for each in measures},
            "scores": {each.name: self.scores(each).tolist() for each in measures},
            "seconds": self.seconds.tolist(),
            "failures": [{"split": failure.split, "error": failure.error} for failure in self.failures],
            "warnings": dict(self.warnings),
            "notes": list(self.notes),
        }

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each measure, with its estimate."""
        return [{"scoring": each.name, **self.estimate(each).to_dict()} for each in self.measures]

    def plot(self, axes: Any = None) -> Any:
        """The main measure on each split and its estimate, on matplotlib axes, which are returned."""
        axes = drawing.new_axes(axes, 6, 1.8)
        main = self.measures[0]
        estimate, scores = self.estimate(main), self.scores(main)
        axes.plot(scores, np.zeros(len(scores)), "|", color=drawing.MUTED, markersize=12)
        axes.plot([estimate.low, estimate.high], [1, 1], color=drawing.BLUE)
        axes.plot(estimate.value, 1, "o", color=drawing.BLUE)
        drawing.tidy(axes, "Each split and the estimate", f"{main.label} of {self.name}", "")
        axes.set_yticks([0, 1], ["splits", "estimate"])
        axes.set_ylim(-0.7, 1.7)
        return axes


def failed_on(failures: Sequence[Any], n: int, what: str = "split") -> str:
    """In words, on how many splits, or other fits, a model failed, and how those were scored.

    >>> failed_on([Failure(3, "ValueError: no")], 10)
    'failed on 1 of 10 splits, scored there as the constant predictor'
    """
    if len(failures) == n:
        return f"failed on {f'all {n} {what}s' if n > 1 else f'the only {what}'}"
    return f"failed on {len(failures)} of {n} {what}s, scored there as the constant predictor"


def _rarely_predicted(chosen: Measure, outcome: Outcome) -> str:
    """For a measure of single classes, which of them the model hardly ever predicts: its score is then hardly known."""
    if chosen.counts is None or chosen.decomposes:
        return ""
    actual, predicted = (
        np.bincount(codes, minlength=len(outcome.classes)) for codes in (outcome.actual, outcome.need("predicted"))
    )
    rare = np.flatnonzero((predicted < _FEW) & (actual >= _FEW))
    notes = [f"{outcome.classes[code]} is predicted for {counted(int(predicted[code]), 'row')} only" for code in rare]
    return ", ".join(notes[:3])


def _nearly_impossible(tested: TestedRows, outcome: Outcome, estimate: Estimate) -> str:
    """For a loss without bound, the rows that it cannot speak for: those of a class with next to no probability.

    Where no row of a class is among many to which the model gives it next to no probability, up to three of them may be
    in a sample of this size by chance (the rule of three), with losses as large as the interval does not show.
    """
    p, n = outcome.probabilities, len(outcome)
    if not tested.unbounded or p is None or not np.isfinite(estimate.high):
        return ""
    worst, note = 0.0, ""
    for c, label in enumerate(outcome.classes):
        improbable = p[:, c] < _IMPOSSIBLE
        other, found = improbable & (outcome.actual != c), int(np.count_nonzero(improbable & (outcome.actual == c)))
        loss = _SEEN / n * float(np.mean(-np.log(np.maximum(p[other, c], _EPSILON)))) if other.any() else 0.0
        if found < _SEEN and estimate.value + loss > estimate.high and loss > worst:
            worst, rows = loss, int(improbable.sum())
            note = (
                f"{counted(rows, 'row')} {'has' if rows == 1 else 'have'} a probability of {label} below "
                f"{_IMPOSSIBLE:g}, and "
                f"{'none' if not found else 'only one' if found == 1 else f'only {found}'} of them is {label}: "
                f"{_SEEN} more, whose absence may be chance, would add {loss:.2g}, which the interval does not show; "
                "calibrate the probabilities, or use the Brier score"
            )
    return note or _few_rows_decide(p[np.arange(n), outcome.actual])


def _few_rows_decide(own: np.ndarray) -> str:
    """That rows with next to no probability of their own class make much of the loss, which such rows decide."""
    losses = -np.log(np.maximum(own, _EPSILON))
    share, rows = float(losses[own < _WRONG].sum() / max(losses.sum(), _EPSILON)), int((own < _WRONG).sum())
    if share < _MUCH or rows > _FEW:
        return ""
    return (
        f"{counted_of(rows, len(own), 'rows', 'has', 'have')} a probability below {_WRONG:g} of the actual class, "
        f"and {percent(share)} of the loss: it varies more than the interval shows; calibrate the probabilities, or "
        "use the Brier score"
    )


def score_of(chosen: Measure, outcome: Outcome) -> float:
    """The measure of an outcome; NaN where no row has a weight."""
    weightless = outcome.weights is not None and not outcome.weights.any()
    return np.nan if weightless else chosen.compute(outcome)


def checked_measure(scoring: Scoring, task: Task) -> Measure:
    """The measure, which fits the kind of the task."""
    chosen = measure(scoring)
    fitting = (
        ("labels", "scores", "probabilities", "predictions", "decisions") if task.classes else ("values", "predictions")
    )
    if chosen.needs not in fitting:
        raise DataError(f"{chosen.name} needs {chosen.needs}.", f"a measure of a {task.kind}")
    return chosen


def _methods(of: dict[str, str]) -> list[str]:
    """The method of most intervals, then those of others, with the names of their measures."""
    usual = min(of.values(), key=lambda method: (-list(of.values()).count(method), len(method)))
    lines = [f"intervals of 95 %: {usual}"]
    for method in dict.fromkeys(method for method in of.values() if method != usual):
        names = ", ".join(name for name, used in of.items() if used == method)
        lines.append(f"{names}: {method.removeprefix(f'{usual}; ')}")
    return lines


def _labels(codes: np.ndarray, outcome: Outcome) -> np.ndarray:
    return np.array(outcome.classes)[codes] if outcome.classes else codes
