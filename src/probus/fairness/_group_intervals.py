"""Intervals of any metric by group: by rates and measures of ours where the metric is one, else by drawn rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t

from probus.display import Cells, Results, figure
from probus.errors import DataError
from probus.fairness._gaps import Gap
from probus.fairness._groups import Groups
from probus.fairness._intervals import GroupValues, largest_difference, smallest_ratio
from probus.fairness._measured import of_measure
from probus.fairness._rates import OF_RIGHT, RATES, Decisions, cluster_codes, rates_of
from probus.metrics import Estimate, Measure, Outcome, measure

_DRAWS = 200
_AND = " · "

_RATES = {
    "accuracy_score": "accuracy", "recall_score": "true_positive_rate", "precision_score": "positive_predictive_value",
    "zero_one_loss": "error_rate", "accuracy": "accuracy", "recall": "true_positive_rate",
    "precision": "positive_predictive_value",
} | {name: name for name in RATES}  # fmt: skip
_MEASURES = {
    "balanced_accuracy_score": "balanced_accuracy", "f1_score": "f1", "roc_auc_score": "roc_auc",
    "average_precision_score": "average_precision", "log_loss": "log_loss", "matthews_corrcoef": "mcc",
    "mean_absolute_error": "mae", "mean_squared_error": "mse", "root_mean_squared_error": "rmse", "r2_score": "r2",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class MetricInterval:
    """A metric by group.

    Attributes
    ----------
    metric : its name.
    control : the values of control features within which groups are compared; empty where there are none.
    labels : of the groups.
    values : the estimate of each group; NaN where it is not defined.
    difference, ratio : the largest difference and the smallest ratio, with intervals for all groups together; NaN
        where fewer than two groups have a value.
    method : how intervals are made.
    """

    metric: str
    control: str
    labels: tuple[str, ...]
    values: tuple[Estimate, ...]
    difference: Gap
    ratio: Gap
    method: str


class MetricIntervals(Results[MetricInterval]):
    """Intervals of metrics by group, by the name of a metric, and with control features by both names.

    Attributes
    ----------
    items : one for each metric and combination of control features.
    """

    def __getitem__(self, key: Any) -> Any:
        """An item by its place, its metric, or its metric and control."""
        if isinstance(key, int | slice):
            return self.items[key]
        name, control = key if isinstance(key, tuple) else (key, None)
        for each in self.items:
            if each.metric == name and control in (None, each.control):
                return each
        raise KeyError(key)

    def _parts(self) -> list[Any]:
        header = ["metric", "group", "value"]
        lines = [header]
        for each in self.items:
            name = f"{each.metric}, {each.control}" if each.control else each.metric
            for label, value in zip(each.labels, each.values, strict=True):
                lines.append([name, label, _shown(value)])
            for label, gap in (("largest difference", each.difference), ("smallest ratio", each.ratio)):
                lines.append([name, label, _shown(gap)])
        return [Cells(lines)]

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each metric and group, and for the difference and the ratio."""
        rows = []
        for each in self.items:
            named = [
                *zip(each.labels, each.values, strict=True), ("difference", each.difference), ("ratio", each.ratio)
            ]  # fmt: skip
            rows += [
                {
                    "metric": each.metric, "control": each.control, "group": label, "value": found.value,
                    "low": found.low, "high": found.high, "method": each.method,
                }
                for label, found in named
            ]  # fmt: skip
        return rows


def _shown(found: Estimate) -> str:
    """A value with its interval, or without where there is none."""
    if np.isnan(found.value):
        return "–"
    return figure(found.value) if np.isnan(found.low) else str(found)


def intervals_of(
    metrics: Sequence[Any], y: np.ndarray, predicted: np.ndarray, columns: Mapping[str, np.ndarray], n_controls: int,
    level: float, clusters: Any,
) -> MetricIntervals:  # fmt: skip
    """Intervals of metrics by group, within each combination of the first columns.

    Parameters
    ----------
    metrics : functions with names and parameters.
    y, predicted : the truth and the predictions.
    columns : control features, then sensitive ones.
    n_controls : how many are control features.
    level : the confidence level.
    clusters : what each row belongs to; None for rows that are independent.

    Returns
    -------
    The intervals.
    """
    codes = cluster_codes(clusters, len(y))
    names = list(columns)
    controls = _combined({name: columns[name] for name in names[:n_controls]}, len(y))
    sensitive = _combined({name: columns[name] for name in names[n_controls:]}, len(y))
    found = []
    for code, control in enumerate(controls.labels):
        rows = controls.rows(code)
        present, place = np.unique(sensitive.codes[rows], return_inverse=True)
        groups = Groups(sensitive.name, tuple(sensitive.labels[each] for each in present.tolist()), place)
        inside = None if codes is None else np.unique(codes[rows], return_inverse=True)[1]
        found += [_interval(each, control, y, predicted, rows, groups, inside, level) for each in metrics]
    return MetricIntervals(found)


def _interval(
    metric: Any, control: str, y: np.ndarray, predicted: np.ndarray, rows: np.ndarray, groups: Groups,
    clusters: np.ndarray | None, level: float,
) -> MetricInterval:  # fmt: skip
    """The intervals of a metric on some rows."""
    values, method = _values(metric, y, predicted, rows, groups, clusters)
    low, high = values.interval(level)
    counts = groups.counts.tolist()
    each = tuple(
        Estimate(float(v), float(a), float(b), level, method, n)
        for v, a, b, n in zip(values.values, low, high, counts, strict=True)
    )
    shown = np.where(np.isnan(low), np.nan, values.values)
    compared = GroupValues(shown, values.interval)
    none = Gap(np.nan, np.nan, np.nan, level, "not defined")
    difference = ratio = none
    if np.count_nonzero(~np.isnan(shown)) > 1:
        difference = Gap.of(largest_difference(compared, level))
        if np.nanmin(shown) >= 0:
            ratio = Gap.of(smallest_ratio(compared, level))
    return MetricInterval(metric.name, control, groups.labels, each, difference, ratio, method)


def _values(
    metric: Any, y: np.ndarray, predicted: np.ndarray, rows: np.ndarray, groups: Groups, clusters: np.ndarray | None
) -> tuple[GroupValues, str]:
    """The metric of each group with intervals, and how these are made."""
    value = np.array([_number(metric, y, predicted, rows[groups.rows(code)]) for code in range(len(groups))])
    for found in (_as_rate, _as_measure):
        try:
            values = found(metric, y[rows], predicted[rows], rows, groups, clusters)
        except DataError:  # such as three classes
            continue
        if values is not None and np.allclose(values[0].values, value, rtol=1e-9, atol=1e-12, equal_nan=True):
            return values
    return _by_draws(metric, y, predicted, rows, groups, clusters, value), f"{_DRAWS} draws of rows"


Known = tuple[GroupValues, str] | None


def _as_rate(
    metric: Any, y: np.ndarray, predicted: np.ndarray, rows: np.ndarray, groups: Groups, clusters: np.ndarray | None
) -> Known:
    """By the rate that the metric is."""
    name = _RATES.get(_name(metric.function))
    if name is None or set(metric.params) - {"sample_weight"}:
        return None
    weights = metric.params.get("sample_weight")
    weights = None if weights is None else weights[rows]
    if name in OF_RIGHT:
        decisions = Decisions.of_right(y, predicted, weights, clusters)
    else:
        decisions = Decisions.of(y, predicted, metric.classes.get("pos_label"), weights, clusters)
    method = "Wilson" if clusters is None else "Korn and Graubard"
    return rates_of(RATES[name], decisions, groups).group_values, method


def _as_measure(
    metric: Any, y: np.ndarray, predicted: np.ndarray, rows: np.ndarray, groups: Groups, clusters: np.ndarray | None
) -> Known:
    """By the measure that the metric is."""
    function = metric.function
    known = function if isinstance(function, Measure) else _MEASURES.get(_name(function))
    if known is None or set(metric.params) - {"sample_weight"}:
        return None
    known = measure(known)
    weights = metric.params.get("sample_weight")
    weights = None if weights is None else weights[rows]
    outcome = Outcome.of(y, predicted, needs=known.needs, sample_weight=weights, **metric.classes)
    return of_measure(known, outcome, groups, clusters), f"as of {known.name}"


def _by_draws(
    metric: Any, y: np.ndarray, predicted: np.ndarray, rows: np.ndarray, groups: Groups, clusters: np.ndarray | None,
    value: np.ndarray,
) -> GroupValues:  # fmt: skip
    """By the standard deviation over draws of the rows, or clusters, of each group."""
    error, units = np.full((2, len(groups)), np.nan)
    for code in range(len(groups)):
        mine = groups.rows(code)
        draw, units[code] = _drawer(mine, clusters)
        if units[code] > 1 and np.isfinite(value[code]):
            random = np.random.default_rng([code, len(mine)])
            drawn = [_number(metric, y, predicted, rows[draw(random)]) for _ in range(_DRAWS)]
            if np.isfinite(drawn).mean() > 0.9 and np.nanmin(drawn) < np.nanmax(drawn):  # else nothing is known
                error[code] = np.nanstd(drawn, ddof=1) * np.sqrt(units[code] / (units[code] - 1))

    def interval(level: float) -> tuple[np.ndarray, np.ndarray]:
        half = t.ppf((1 + level) / 2, np.maximum(units - 1, 1)) * error
        return value - half, value + half

    return GroupValues(value, interval)


def _drawer(mine: np.ndarray, clusters: np.ndarray | None) -> tuple[Callable[[np.random.Generator], np.ndarray], int]:
    """A function that draws rows of a group, or whole clusters of them, and the number of these."""
    if clusters is None:
        return lambda random: mine[random.integers(0, len(mine), len(mine))], len(mine)
    found, place = np.unique(clusters[mine], return_inverse=True)
    parts = [mine[place == each] for each in range(len(found))]
    return lambda random: np.concatenate([parts[k] for k in random.integers(0, len(parts), len(parts))]), len(parts)


def _number(metric: Any, y: np.ndarray, predicted: np.ndarray, rows: np.ndarray) -> float:
    """The metric as a number; NaN where it is none, or not defined."""
    try:
        found = metric.of(y, predicted, rows)
    except (ValueError, ZeroDivisionError):
        return np.nan
    return float(found) if isinstance(found, int | float | np.number) else np.nan


def _name(function: Any) -> str:
    """What the function is called where it is one of ours or of scikit-learn; empty for others."""
    if isinstance(function, Measure):
        return function.name
    module = getattr(function, "__module__", "") or ""
    return getattr(function, "__name__", "") if module.startswith(("probus.", "sklearn.")) else ""


def _combined(columns: Mapping[str, np.ndarray], n: int) -> Groups:
    """The combinations of values that occur; one of all rows where there is no column."""
    if not columns:
        return Groups("", ("",), np.zeros(n, np.int64))
    texts = np.array([_AND.join(map(str, cells)) for cells in zip(*columns.values(), strict=True)], dtype=object)
    place = {text: code for code, text in enumerate(dict.fromkeys(sorted(texts.tolist())))}
    codes = np.array([place[text] for text in texts.tolist()], np.int64)
    return Groups(" and ".join(columns), tuple(place), codes)
