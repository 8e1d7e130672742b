"""The number that a model predicts, as a function of tables, and its values over a grid of one or two columns."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from probus.data import Column, Kind, Table, quote_some
from probus.errors import DataError
from probus.held_out import predicting_held_out
from probus.inspection._given_rows import model_of_tables
from probus.inspection.effects._tree_predictions import predictions_over_grid
from probus.model_selection import Resampled
from probus.wrapping import name_of

_LEAST = 1e-9  # in place of a probability of 0
_BATCH = 100_000  # rows that are predicted in one call


@dataclass(frozen=True, eq=False)
class Response:
    """What a model predicts, as one number for each row.

    Attributes
    ----------
    model : the fitted model, which predicts tables.
    names : the columns that it takes.
    unit : what the number is, in words.
    classes : whether it is of a class, and its place among the model's classes.
    margin : whether a probability is turned into log odds.
    """

    model: Any
    names: tuple[str, ...]
    unit: str
    place: int | None = None
    margin: bool = False

    @classmethod
    def of(cls, model: Any, table: Table, label: Any = None, output: str | None = None) -> Response:
        """The predicted number, or the probability of a class: the one named, or the last of two."""
        check_is_fitted(model)
        if output not in (None, "probability", "margin"):
            raise DataError(f"output={output!r}.", "'probability', 'margin' or None")
        names = tuple(map(str, getattr(model, "feature_names_in_", table.names)))
        absent = [name for name in names if name not in table]
        if absent:
            raise DataError(
                f"no column {absent[0]!r}.", "the columns of the model", f"It has {quote_some(table.names)}."
            )
        if not len(table):
            raise DataError("no rows.", "at least one")
        if not is_classifier(model):
            if label is not None or output is not None:
                given = f"label={label!r}" if label is not None else f"output={output!r}"
                raise DataError(f"{given} of {name_of(model)}, which predicts numbers.", "None")
            return cls(model_of_tables(model), names, "prediction")
        if not hasattr(model, "predict_proba"):
            raise DataError(f"{name_of(model)} predicts no probabilities.", "a model that does, or one of numbers")
        classes = np.asarray(model.classes_).tolist()
        if label is None and len(classes) > 2:
            raise DataError(
                f"{len(classes)} classes and no label.", "one of " + quote_some(classes, 12), "Pass label=…."
            )
        if label is not None and label not in classes:
            raise DataError(f"no class {label!r}.", quote_some(classes, 12))
        place = classes.index(label) if label is not None else len(classes) - 1
        unit = f"{'log odds' if output == 'margin' else 'probability'} of {classes[place]}"
        return cls(model_of_tables(model), names, unit, place, output == "margin")

    @predicting_held_out()  # beyond the training rows on purpose, without a warning
    def predict(self, table: Table) -> np.ndarray:
        """float64[n]."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="X has feature names")
            if self.place is None:
                found = np.asarray(self.model.predict(table), np.float64)
                if found.ndim != 1:
                    raise DataError(f"predictions of shape {found.shape}.", "one number for each row")
                return found
            return self._scaled(np.asarray(self.model.predict_proba(table), np.float64)[:, self.place])

    def _scaled(self, p: np.ndarray) -> np.ndarray:
        if not self.margin:
            return p
        p = np.clip(p, _LEAST, 1 - _LEAST)
        return np.log(p / (1 - p))

    # -- over a grid -----------------------------------------------------------------------------------

    def curves(self, table: Table, columns: Sequence[Column]) -> np.ndarray:
        """float64[n, G] or [n, G, H]: where one or two columns have each of the values of these columns."""
        pieces = predictions_over_grid(self.model, table, columns)
        if pieces is None:
            return self._by_predicting(table, columns)
        out = np.empty((len(table), *map(len, columns)))
        for part, predicted in pieces:
            out[part] = predicted if self.place is None else self._scaled(predicted[..., self.place])
        return out

    def _by_predicting(self, table: Table, columns: Sequence[Column]) -> np.ndarray:
        n, sizes = len(table), [len(column) for column in columns]
        points = np.stack(np.meshgrid(*map(np.arange, sizes), indexing="ij"), axis=-1).reshape(-1, len(sizes))
        out = np.empty((n, len(points)))
        step = max(_BATCH // n, 1)
        for start in range(0, len(points), step):
            some = points[start : start + step]
            rows = table.take(np.tile(np.arange(n), len(some)))
            new = [column.take(np.repeat(some[:, k], n)) for k, column in enumerate(columns)]
            changed = Table(rows.with_columns(*new), origin=table.origin)
            out[:, start : start + step] = self.predict(changed).reshape(len(some), n).T
        return out.reshape(n, *sizes)


def table_of(model: Any, X: Any) -> tuple[Any, Table]:
    """The model of a study, and the rows that its curves are of, with the columns that it takes."""
    if not hasattr(model, "fit") and hasattr(getattr(model, "model", None), "fit"):
        if X is None and hasattr(model, "task"):
            X = model.task.X
        model = model.model
    if isinstance(model, Resampled):
        X = model.task.X if X is None else X
    if X is None:
        raise DataError("no rows.", "X, rows of any table with the columns of the model")
    table = Table.of(X, infer=False)
    names = getattr(model, "feature_names_in_", None)
    if names is not None and all(str(name) in table for name in names):
        table = Table(table.select(*map(str, names)), origin=table.origin)
    return model, table


def checked_column(table: Table, name: Any) -> Column:
    """The column, which has values to compare."""
    name = str(name) if isinstance(name, str) or not isinstance(name, int | np.integer) else table.names[int(name)]
    if name not in table:
        raise DataError(f"no column {name!r}.", f"one of {quote_some(table.names, 12)}")
    column = table[name]
    if column.kind is Kind.TEXT:
        raise DataError(f"column {name!r} is text.", "numbers or levels")
    if not (~column.missing).any():
        raise DataError(f"column {name!r} has no values.", "some that are not missing")
    return column


def points_of(column: Column, size: int, *, quantiles: tuple[float, float] = (0.0, 1.0)) -> Column:
    """The grid of a column: its levels, its values if they are few, else quantiles of them."""
    if column.kind.has_levels:
        codes = np.unique(column.values[~column.missing])
        return replace(column, values=codes.astype(column.values.dtype), written=None)
    x = column.values[np.isfinite(column.values)]
    values = np.unique(x)
    if len(values) > size:
        values = np.unique(np.quantile(x, np.linspace(*quantiles, size), method="inverted_cdf"))
    return replace(column, values=values, written=None)


def texts_of(column: Column) -> tuple[Any, ...]:
    """The values of a grid as labels: numbers, or levels."""
    return tuple(column.decoded().tolist())


def over_models(model: Any, table: Table) -> list[tuple[Any, Table]]:
    """The fitted models of a result with the rows that each was fitted on; else the model with all rows."""
    if not isinstance(model, Resampled):
        return [(model, table)]
    model.check_failures()
    if model.models is None:
        raise DataError(
            f"a result of {model.name} without its models.", "one that kept them", "Pass keep_models=True to resample."
        )
    pairs = zip(model.models, model.splits.pairs, strict=True)
    return [(each, table.take(train)) for each, (train, _) in pairs if each is not None]


def jackknife(values: np.ndarray, folds: int) -> np.ndarray:
    """The variance of a fit on all rows, from fits without one fold each: the mean over repeats of (K − 1)²/K s²."""
    folds = folds if 1 < folds <= len(values) else len(values)
    repeats = [values[start : start + folds] for start in range(0, len(values) - folds + 1, folds)]
    return np.asarray(np.mean([(folds - 1) ** 2 / folds * each.var(axis=0, ddof=1) for each in repeats], axis=0))


Curve = Callable[[Any, Table], Any]
