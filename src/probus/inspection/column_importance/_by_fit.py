"""What fitted models say about columns themselves: the impurity that splits remove, and standardised coefficients."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from probus.data import Table
from probus.ensemble.forest import Forest
from probus.errors import DataError
from probus.inspection._column_sources import sources_of
from probus.inspection.column_importance._importances import Importances
from probus.inspection.column_importance._related_columns import Related
from probus.inspection.column_importance._sources import Part, Source
from probus.metrics import Estimate
from probus.metrics.curves import quantile
from probus.wrapping import name_of

_ROWS = 5_000
_OF_TREES = "over the trees of this forest"
_OF_TRAINING = "over training sets, by a jackknife of the splits"
_NO_INTERVAL = "no interval of a single fit: pass cv, or a result of resample with its models"


def read_impurities(source: Source, together: dict[str, tuple[str, ...]], *, level: float = 0.95) -> Importances:
    """The share of the decrease of impurity by splits on each set of columns, on the training rows."""
    quantity = "share of the impurity that splits on a column remove"
    return _read(source, together, _impurities, "impurity", quantity, level)


def read_weights(source: Source, together: dict[str, tuple[str, ...]], *, level: float = 0.95) -> Importances:
    """The coefficient of each column for one standard deviation of it, and of the target where it is a number."""
    what = "log odds" if source.task.classes else f"standard deviations of {source.task.target}"
    return _read(
        source, together, _weights, "weight", f"coefficient of a standard deviation of a column, in {what}", level
    )


def _read(
    source: Source, together: dict[str, tuple[str, ...]], read: Callable[..., np.ndarray], method: str, quantity: str,
    level: float,
) -> Importances:  # fmt: skip
    sets = list(together.values())
    each = [read(part.model, part.data.X.take(_rows_of(part)), sets) for part in source.parts]
    if method == "weight":
        each = [one / _standard_deviation(part, source) for one, part in zip(each, source.parts, strict=True)]
    covariance = None
    if len(each) > 1:
        values, covariance, df = _jackknifed(np.stack([one[0] for one in each]), source)
        how = _OF_TRAINING
    elif len(each[0]) > 1:
        values, covariance = each[0].mean(axis=0), np.atleast_2d(np.cov(each[0].T)) / len(each[0])
        df, how = len(each[0]) - 1.0, _OF_TREES
    else:
        values, df, how = each[0][0], np.inf, _NO_INTERVAL
    half = np.full(len(sets), np.inf)
    if covariance is not None:
        half = quantile(level, df) * np.sqrt(np.diag(covariance))
    n = len(each[0]) if len(each) == 1 else len(each)
    estimates = [
        Estimate(float(v), float(v - h), float(v + h), level, how, n) for v, h in zip(values, half, strict=True)
    ]
    remarks = ["read from the fit: a column of noise that the model uses is above 0"] if method == "impurity" else []
    return Importances.of(
        tuple(together), estimates, method=method, quantity=quantity,
        where="the rows that the model was fitted on", rows_kind="training",
        notes=(*source.notes, *remarks),
        covariance=covariance, related=Related.of(source.task.X).nearest(together),
    )  # fmt: skip


def _jackknifed(values: np.ndarray, source: Source) -> tuple[np.ndarray, np.ndarray, float]:
    """The mean over splits, and the covariance of a fit on all rows: each split is a fit without its test rows.

    The delete-a-group jackknife: (K − 1)/K Σ (θₖ − θ)² over the K folds of a repeat, averaged over repeats.
    """
    folds = source.splits.folds if source.splits.folds > 1 else len(values)
    repeats = [values[start : start + folds] for start in range(0, len(values) - folds + 1, folds)]
    covariances = [(folds - 1) ** 2 / folds * np.atleast_2d(np.cov(each.T)) for each in repeats]
    return values.mean(axis=0), np.mean(covariances, axis=0), float(len(values) - 1)


def own_importances(pipeline: Any, table: Table) -> np.ndarray | None:
    """The importance of each column of a table by a fitted model's own account, without sign.

    Of trees the share of the impurity, of linear models the size of the weights; None where the model has neither, or
    where it is not known which column its own were made of.

    Parameters
    ----------
    pipeline : a fitted model, or a pipeline that ends in one.
    table : rows as the pipeline takes them, best training rows.
    """
    _, last = _steps_of(pipeline)
    own = hasattr(last, "feature_importances_")
    coefficients = getattr(last, "coef_", None)
    if not own and (coefficients is None or callable(coefficients)):
        return None
    try:
        found = (_impurities if own else _weights)(pipeline, table, [(name,) for name in table.names])
    except UnknownSources:
        return None
    return np.abs(found.mean(axis=0))


class UnknownSources(DataError):
    """A model has another number of values than columns whose source is known."""


def _steps_of(model: Any) -> tuple[Any, Any]:
    """The pipeline or model that is fitted, and its last step."""
    inner = getattr(model, "_model", model)
    inner = getattr(inner, "best_estimator_", inner)
    steps = list(getattr(inner, "steps", []))
    return inner, steps[-1][1] if steps else inner


def _rows_of(part: Part) -> np.ndarray:
    """Training rows where they are known."""
    return part.rows[:_ROWS] if part.train is None else part.train[:_ROWS]


def _sources(inner: Any, table: Table, n: int) -> list[str | None]:
    """The given column that each column of the model was made of."""
    found: list[str | None] = sources_of(inner, table) if len(getattr(inner, "steps", [])) > 1 else [*table.names]
    if len(found) != n:
        raise UnknownSources(f"{name_of(inner)} has {n} values for {len(found)} columns.", "one for each column")
    return found


def _impurities(model: Any, table: Table, sets: list[tuple[str, ...]]) -> np.ndarray:
    """float64[T or 1, S]: of each tree of a forest, or of the model."""
    inner, last = _steps_of(model)
    if not hasattr(last, "feature_importances_"):
        raise DataError(
            f"{name_of(last)} has no impurities.", "a model of trees, with feature_importances_",
            "method='permutation' takes any model.",
        )  # fmt: skip
    each = np.asarray(last.feature_importances_, np.float64)[None]
    if isinstance(last, Forest) and len(last.trees_) > 1:
        each = np.stack([tree.importances() for tree in last.trees_])
        total = each.sum(axis=1, keepdims=True)
        each = each / np.where(total > 0, total, 1.0)
    names = _sources(inner, table, each.shape[1])
    place = np.array([[name in columns for columns in sets] for name in names], np.float64)
    return np.asarray(each @ place)


def _weights(model: Any, table: Table, sets: list[tuple[str, ...]]) -> np.ndarray:
    """float64[1, S]: signed for a single column with one coefficient, else the standard deviation of what is added."""
    inner, last = _steps_of(model)
    coefficients = getattr(last, "coef_", None)
    if coefficients is None or callable(coefficients):
        raise DataError(
            f"{name_of(last)} has no coefficients.",
            "a linear model, with coef_",
            "method='permutation' takes any model.",
        )
    coefficients = np.atleast_2d(np.asarray(getattr(coefficients, "todense", lambda: coefficients)()))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="X has feature names")
        made = inner[:-1].transform(table) if len(getattr(inner, "steps", [])) > 1 else table
    Z = Table.of(made.toarray() if hasattr(made, "toarray") else made, infer=False).numbers()
    names = _sources(inner, table, Z.shape[1])
    found = []
    for columns in sets:
        mine = [j for j, name in enumerate(names) if name in columns]
        added = (Z[:, mine] - Z[:, mine].mean(axis=0)) @ coefficients[:, mine].T
        size = float(np.sqrt(np.mean(np.var(added, axis=0))))
        single = len(mine) == 1 and len(coefficients) == 1
        found.append(size * float(np.sign(coefficients[0, mine[0]])) if single else size)
    return np.array([found])


def _standard_deviation(part: Part, source: Source) -> float:
    """Of the target where it is a number; else 1."""
    return 1.0 if source.task.classes else float(np.std(part.data.actual[_rows_of(part)])) or 1.0
