"""The measures known by name: one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from probus.metrics import _confusion as confusion
from probus.metrics import _probabilities as probabilities
from probus.metrics import _ranking as ranking
from probus.metrics import _regression as regression
from probus.metrics._measure import Measure, register
from probus.metrics._outcome import Outcome

Rows = Callable[[Outcome], np.ndarray]
Counts = Callable[[np.ndarray, int | None], np.ndarray]
Whole = Callable[[Outcome], float]

HIGHER, LOWER = True, False
INF = np.inf


def _mean(name: str, label: str, rows: Rows, needs: str, better: bool, low: float, high: float) -> Measure:
    """A weighted mean over rows."""
    return Measure(name, label, partial(_mean_of, rows), needs, better, low, high, rows=rows)


def _from_counts(
    name: str, label: str, counts: Counts, better: bool, low: float, high: float, rows: Rows | None = None
) -> Measure:
    """A function of the confusion matrix; ``rows`` where it is a mean as well."""
    return Measure(name, label, partial(_of_counts, counts), "labels", better, low, high, rows, counts)


def _averages(name: str, label: str, score: confusion.Score) -> Iterator[Measure]:
    """A score of one class: that of the positive class, and its averages over classes."""
    yield _from_counts(name, label, partial(confusion.of_positive, score), HIGHER, 0, 1)
    for average in (confusion.macro, confusion.micro, confusion.weighted):
        how = average.__name__
        yield _from_counts(f"{name}_{how}", f"{how} {label}", partial(average, score), HIGHER, 0, 1)


def _whole(
    name: str, label: str, compute: Whole, needs: str, better: bool, low: float, high: float, **fast: Any
) -> Measure:
    """A function of all rows together; ``fast`` is its ``form``, or the ``interval`` that suits it, …"""
    return Measure(name, label, compute, needs, better, low, high, **fast)


def _mean_of(rows: Rows, outcome: Outcome) -> float:
    return outcome.mean(rows(outcome))


def _of_counts(counts: Counts, outcome: Outcome) -> float:
    return float(counts(confusion.counts_of(outcome), outcome.positive))


# fmt: off
_TABLE = (
    _from_counts("accuracy", "accuracy", confusion.accuracy, HIGHER, 0, 1, rows=confusion.hits),
    _from_counts("error_rate", "error rate", confusion.error, LOWER, 0, 1, rows=confusion.misses),
    _from_counts("balanced_accuracy", "balanced accuracy", confusion.balanced_accuracy, HIGHER, 0, 1),
    *_averages("precision", "precision", confusion.precision),
    *_averages("recall", "recall", confusion.recall),
    *_averages("f1", "F1", confusion.f1),
    _from_counts("specificity", "specificity", confusion.specificity, HIGHER, 0, 1),
    _from_counts("mcc", "Matthews correlation", confusion.matthews, HIGHER, -1, 1),
    _from_counts("kappa", "Cohen's κ", confusion.kappa, HIGHER, -1, 1),
    _whole("roc_auc", "ROC AUC", ranking.area_under_roc, "scores", HIGHER, 0, 1, form=ranking.area_form),
    _whole(
        "roc_auc_ovr", "ROC AUC, one against rest", ranking.area_over_classes, "probabilities", HIGHER, 0, 1,
        form=ranking.areas_form,
    ),
    _whole(
        "average_precision", "average precision", ranking.mean_precision, "scores", HIGHER, 0, 1,
        form=ranking.precision_form, pooled=True,
    ),
    _whole(
        "signal_efficiency", "signal efficiency at ½", ranking.share_above, "probabilities", HIGHER, 0, 1,
        form=ranking.efficiency_form,
    ),
    _whole(
        "background_rejection", "background rejection at ½", ranking.share_below, "probabilities", HIGHER, 0, 1,
        form=ranking.rejection_form,
    ),
    _whole(
        "signal_efficiency_at_rejection", "signal efficiency at 90 % rejection", ranking.efficiency_at_rejection,
        "scores", HIGHER, 0, 1,
    ),
    _mean("log_loss", "log loss", probabilities.surprise, "probabilities", LOWER, 0, INF),
    _mean("brier", "Brier score", probabilities.squared_distance, "probabilities", LOWER, 0, 2),
    _whole(  # its resamples are biased upwards as much again as it is, which the basic interval takes out
        "ece", "calibration error", probabilities.calibration_gap, "probabilities", LOWER, 0, 1, interval="basic",
        by_chance=probabilities.calibration_gap_by_chance, pooled=True,
    ),
    _whole("sse", "SSE", regression.sum_squared, "values", LOWER, 0, INF, form=regression.sse_form),
    _mean("mse", "MSE", regression.squared, "values", LOWER, 0, INF),
    _whole("rmse", "RMSE", regression.root_mean_squared, "values", LOWER, 0, INF, form=regression.rmse_form),
    _mean("mae", "MAE", regression.absolute, "values", LOWER, 0, INF),
    _whole("median_absolute_error", "median absolute error", regression.median_absolute, "values", LOWER, 0, INF),
    _mean("mape", "MAPE", regression.percentage, "values", LOWER, 0, INF),
    _mean("msle", "MSLE", regression.squared_log, "values", LOWER, 0, INF),
    _whole("rmsle", "RMSLE", regression.root_mean_squared_log, "values", LOWER, 0, INF, form=regression.rmsle_form),
    _whole("rse", "RSE", regression.relative_squared, "values", LOWER, 0, INF, form=regression.rse_form),
    _whole("rae", "RAE", regression.relative_absolute, "values", LOWER, 0, INF),
    _whole("r2", "R²", regression.variance_explained, "values", HIGHER, -INF, 1, form=regression.r2_form),
)
# fmt: on

for _each in _TABLE:
    register(_each)
