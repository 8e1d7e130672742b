"""What is measured of each group: rates of decisions, calibration, residuals and errors, and any measure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import t

from probus.errors import DataError
from probus.fairness._groups import Groups
from probus.fairness._intervals import GroupValues
from probus.fairness._rates import RATES, Decisions, clustered_errors, rates_of, values_of
from probus.metrics import Measure, Outcome
from probus.metrics.bootstrap import estimate_outcome
from probus.metrics.curves import effective_size

LABELS = {
    "calibration": "mean p − share",
    "mean_residual": "mean residual",
    "mean_absolute_error": "MAE",
} | {rate.name: rate.label for rate in RATES.values()}


@dataclass(frozen=True, eq=False)
class Measured:
    """Values of the groups of a column, by name, and the rows that each is made of."""

    values: dict[str, GroupValues]
    rows: dict[str, np.ndarray]


def measure_groups(
    outcome: Outcome, groups: Groups, measures: tuple[Measure, ...] = (), clusters: np.ndarray | None = None
) -> Measured:
    """All that can be measured: of decisions where there is a positive class, of residuals of numbers.

    Parameters
    ----------
    outcome : truth and predictions.
    groups : of the same rows.
    measures : further measures, of each group alone.
    clusters : what each row belongs to, as codes, where rows of one are alike.

    Returns
    -------
    The values.
    """
    values: dict[str, GroupValues] = {}
    rows: dict[str, np.ndarray] = {}
    if not outcome.classes:
        residual = outcome.need("predicted") - outcome.actual
        for name, each in (("mean_residual", residual), ("mean_absolute_error", np.abs(residual))):
            values[name], rows[name] = _means(
                each, outcome.weights, groups, clusters, 0.0 if "error" in name else -np.inf
            )
    elif outcome.positive is None:
        right = (outcome.need("predicted") == outcome.actual).astype(np.float64)
        everything = Decisions(np.ones(len(right), bool), right > 0, outcome.weights, "right", clusters)
        values["accuracy"] = values_of(RATES["selection_rate"], everything, groups)
        rows["accuracy"] = groups.counts
    else:
        decisions = Decisions.of_outcome(outcome, clusters)
        for rate in RATES.values():
            found = rates_of(rate, decisions, groups)
            values[rate.name], rows[rate.name] = found.group_values, found.rows
        if outcome.probabilities is not None:
            excess = outcome.probabilities[:, outcome.positive] - decisions.actual
            values["calibration"], rows["calibration"] = _means(excess, outcome.weights, groups, clusters)
    for measure in measures:
        values[measure.name], rows[measure.name] = of_measure(measure, outcome, groups, clusters), groups.counts
    return Measured(values, rows)


def _means(
    numbers: np.ndarray, weights: np.ndarray | None, groups: Groups, clusters: np.ndarray | None, low: float = -np.inf
) -> tuple[GroupValues, np.ndarray]:
    """Weighted means with intervals by Student's t, and the number of rows."""
    w = np.ones(len(numbers)) if weights is None else weights
    total, squares, summed = (np.bincount(groups.codes, each, minlength=len(groups)) for each in (w, w**2, w * numbers))
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = summed / total
        n = effective_size(total, squares)
        spread = np.bincount(groups.codes, w * (numbers - mean[groups.codes]) ** 2, minlength=len(groups)) / total
        error = np.sqrt(spread / np.maximum(n - 1, 1e-9))
    if clusters is not None:
        error, n = clustered_errors(numbers, w, groups.codes, mean, clusters)

    def interval(level: float) -> tuple[np.ndarray, np.ndarray]:
        half = np.asarray(t.ppf((1 + level) / 2, np.maximum(n - 1, 1.0))) * error
        return np.maximum(mean - half, low), mean + half

    return GroupValues(mean, interval), groups.counts


def of_measure(measure: Measure, outcome: Outcome, groups: Groups, clusters: np.ndarray | None = None) -> GroupValues:
    """A measure of each group; NaN where it is undefined."""

    def found(level: float) -> np.ndarray:
        ends = np.full((3, len(groups)), np.nan)
        for code in range(len(groups)):
            rows = groups.rows(code)
            if len(rows) < 2:
                continue
            try:
                inside = None if clusters is None else clusters[rows]
                each = estimate_outcome(measure, outcome.take(rows), level=level, groups=inside, random_state=0)
            except DataError:  # one class only, for example
                continue
            ends[:, code] = each.value, each.low, each.high
        return ends

    def interval(level: float) -> tuple[np.ndarray, np.ndarray]:
        _, low, high = found(level)
        return low, high

    return GroupValues(found(0.95)[0], interval)
