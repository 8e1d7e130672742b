"""The mean size of Shapley values: how much columns move predictions, whether for better or worse."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from probus.data import Table
from probus.errors import DataError
from probus.inspection._row_reasons import Explanations, explain
from probus.inspection.column_importance._importances import Importances
from probus.inspection.column_importance._related_columns import Related
from probus.inspection.column_importance._shuffle_variance import OF_ROWS
from probus.inspection.column_importance._sources import Part, Source
from probus.metrics import Estimate
from probus.metrics.curves import quantile
from probus.model_selection import corrected_interval

_ROWS, _EXPLAINED = 2_000, 100  # of a part for models with exact values; for others
_BACKGROUND, _PREDICTIONS = 50, 300_000
_MOST_CLASSES = 10


def average_shapley(
    source: Source, together: dict[str, tuple[str, ...]], *, level: float = 0.95, random_state: int | None = 0
) -> Importances:
    """The mean absolute Shapley value of each set of columns over the test rows of each part."""
    rng = np.random.default_rng(random_state)
    sizes, methods, units = [], set(), set()
    for part in source.parts:
        found, size = _sizes(part, together, source, rng)
        sizes.append(size)
        methods.add(found.method)
        units.add(found.unit)
    names = tuple(together)
    if len(sizes) == 1:
        each = sizes[0]
        n = len(each)
        covariance = np.atleast_2d(np.cov(each.T)) / n if n > 1 else None
        half = (
            quantile(level, max(n - 1, 1)) * each.std(axis=0, ddof=1) / np.sqrt(n)
            if n > 1
            else np.full(len(names), np.inf)
        )
        value = each.mean(axis=0)
        estimates = [
            Estimate(float(v), max(float(v - h), 0.0), float(v + h), level, OF_ROWS, n)
            for v, h in zip(value, half, strict=True)
        ]
    else:
        means = np.stack([each.mean(axis=0) for each in sizes])
        ratio = source.splits.test_to_train
        estimates = [corrected_interval(column, ratio, level=level, low=0.0) for column in means.T]
        covariance = np.atleast_2d(np.cov(means.T)) * (1 / len(means) + ratio)
    return Importances.of(
        names, estimates, method="shapley",
        quantity=f"mean size of what a column adds to the {' or '.join(sorted(units))}",
        where=source.where, rows_kind="test",
        notes=(*source.notes, *sorted(methods), "a mean of sizes: a column of noise that the model uses is above 0"),
        covariance=covariance, related=Related.of(source.task.X).nearest(together),
    )  # fmt: skip


def _sizes(
    part: Part, together: dict[str, tuple[str, ...]], source: Source, rng: np.random.Generator
) -> tuple[Explanations, np.ndarray]:
    """float64[n, S] for some rows of a part; the mean over classes where there are more than two."""
    model, task = getattr(part.model, "_model", part.model), source.task
    X: Table = part.data.X
    rows = np.sort(rng.permutation(part.rows)[:_ROWS])
    labels: list[Any] = [None]
    if task.classes:
        own = np.asarray(model.classes_).tolist()
        if len(own) > _MOST_CLASSES:
            raise DataError(f"Shapley values of {len(own)} classes.", f"at most {_MOST_CLASSES}")
        labels = [task.pos_label] if task.pos_label in own else own[-1:] if len(own) == 2 else own
    others = X.take(np.sort(rng.permutation(part.rows if part.train is None else part.train)[:_BACKGROUND]))
    total, found = np.zeros((len(rows), len(together))), None
    for label in labels:
        found = _explained(model, X.take(rows), None, label)
        if found.method.startswith("occlusion"):
            rows = rows[:_EXPLAINED]
            total = total[: len(rows)]
            found = _explained(model, X.take(rows), others, label)
        place = {name: j for j, name in enumerate(found.columns)}
        for s, columns in enumerate(together.values()):
            mine = [place[name] for name in columns if name in place]
            total[:, s] += np.abs(found.values[:, mine].sum(axis=1)) / len(labels)
    assert found is not None
    return found, total


def _explained(model: Any, rows: Table, background: Table | None, label: Any) -> Explanations:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X has feature names")
        return explain(model, rows, background, label=label, most_predictions=_PREDICTIONS, tolerance=0.05)
