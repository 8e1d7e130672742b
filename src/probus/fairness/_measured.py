"""What is measured of each group: rates of decisions, calibration, residuals and errors, and any measure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import t

from probus.errors import DataError
from probus.fairness._groups import Groups
from probus.fairness._intervals import GroupValues
from probus.fairness._rates import RATES, Decisions, rates_of, values_of
from probus.metrics import Measure, Outcome
from probus.metrics.bootstrap import estimate_outcome
from probus.metrics.curves import effective_size

LABELS = {
    "calibration": "probability minus share",
    "mean_residual": "mean residual",
    "mean_absolute_error": "MAE",
} | {rate.name: rate.label for rate in RATES.values()}


@dataclass(frozen=True, eq=False)
class Measured:
    """Values of the groups of a column, by name, and the rows that each is made of."""

    values: dict[str, GroupValues]
    rows: dict[str, np.ndarray]


def measure_groups(outcome: Outcome, groups: Groups, measures: tuple[Measure, ...] = ()) -> Measured:
    """All that can be measured: of decisions where there is a positive class, of residuals of numbers.

    Parameters
    ----------
    outcome : truth and predictions.
    groups : of the same rows.
    measures : further measures, of each group alone.

    Returns
    -------
    The values.
    """
    values: dict[str, GroupValues] = {}
    rows: dict[str, np.ndarray] = {}
    if not outcome.classes:
        residual = outcome.need("predicted") - outcome.actual
        for name, each in (("mean_residual", residual), ("mean_absolute_error", np.abs(residual))):
            values[name], rows[name] = _means(each, outcome.weights, groups, low=0.0 if "error" in name else -np.inf)
    elif outcome.positive is None:
        right = (outcome.need("predicted") == outcome.actual).astype(np.float64)
        everything = Decisions(np.ones(len(right), bool), right > 0, outcome.weights, "right")
        values["accuracy"] = values_of(RATES["selection_rate"], everything, groups)
        rows["accuracy"] = groups.counts
    else:
        decisions = Decisions.of_outcome(outcome)
        for rate in RATES.values():
            values[rate.name], rows[rate.name] = (
                values_of(rate, decisions, groups),
                rates_of(rate, decisions, groups)[2],
            )
        if outcome.probabilities is not None:
            excess = outcome.probabilities[:, outcome.positive] - decisions.actual
            values["calibration"], rows["calibration"] = _means(excess, outcome.weights, groups)
    for measure in measures:
        values[measure.name], rows[measure.name] = _of_measure(measure, outcome, groups), groups.counts
    return Measured(values, rows)


def _means(
    numbers: np.ndarray, weights: np.ndarray | None, groups: Groups, low: float = -np.inf
) -> tuple[GroupValues, np.ndarray]:
    """Weighted means with intervals by Student's t, and the number of rows."""
    w = np.ones(len(numbers)) if weights is None else weights
    total, squares, summed = (np.bincount(groups.codes, each, minlength=len(groups)) for each in (w, w**2, w * numbers))
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = summed / total
        n = effective_size(total, squares)
        spread = np.bincount(groups.codes, w * (numbers - mean[groups.codes]) ** 2, minlength=len(groups)) / total
        error = np.sqrt(spread / np.maximum(n - 1, 1e-9))

    def interval(level: float) -> tuple[np.ndarray, np.ndarray]:
        half = np.asarray(t.ppf((1 + level) / 2, np.maximum(n - 1, 1.0))) * error
        return np.maximum(mean - half, low), mean + half

    return GroupValues(mean, interval), groups.counts


def _of_measure(measure: Measure, outcome: Outcome, groups: Groups) -> GroupValues:
    """A measure of each group; NaN where it is undefined."""
    parts = [outcome.take(groups.rows(code)) for code in range(len(groups))]

    def found(level: float) -> np.ndarray:
        ends = np.full((3, len(parts)), np.nan)
        for code, part in enumerate(parts):
            if len(part) < 2:
                continue
            try:
                each = estimate_outcome(measure, part, level=level, random_state=0)
            except DataError:  # one class only, for example
                continue
            ends[:, code] = each.value, each.low, each.high
        return ends

    return GroupValues(found(0.95)[0], lambda level: (found(level)[1], found(level)[2]))
