"""An estimator under test, and data made for it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import get_tags

from probus.base import Accepts, Model
from probus.data import Column, Kind, Table

_CLASSES = ("maybe", "no", "yes")


@dataclass(frozen=True)
class Specimen:
    """An unfitted estimator; its data here are what it declares to accept."""

    model: Model

    @property
    def accepts(self) -> Accepts:
        """What the estimator declares to accept."""
        return self.model.accepts

    @property
    def is_classifier(self) -> bool:
        """Whether it predicts classes."""
        return is_classifier(self.model)

    @property
    def is_regressor(self) -> bool:
        """Whether it predicts numbers."""
        return is_regressor(self.model)

    def has(self, parameter: str) -> bool:
        """Whether the estimator has that parameter."""
        return parameter in self.model.get_params(deep=False)

    def fresh(self, **params: Any) -> Any:
        """A clone, with its seed set where it has one."""
        seed = {"random_state": 0} if self.has("random_state") else {}
        return clone(self.model).set_params(**seed, **params)

    def fitted(self, table: Any = None, y: Any = None, **fit_params: Any) -> Any:
        """A clone fitted to a table, by default the one of ``table()``, and its ``target``."""
        table = self.table() if table is None else table
        y = self.target(np.shape(table)[0]) if y is None else y
        return self.fresh().fit(table, y, **fit_params)

    # -- data ------------------------------------------------------------------------------------------

    def table(self, n: int = 36, *, missing: bool | None = None, text: bool | None = None, seed: int = 0) -> Table:
        """Columns of every kind that the estimator takes, with missing values where it takes those."""
        rng = np.random.default_rng(seed)
        columns = [Column.numbers(name, self.numbers(n, rng)) for name in ("length", "width", "depth")]
        if self.accepts.nominal:
            columns += _level(n, rng)
        if self.accepts.text if text is None else text:
            columns.append(Column.text("note", [f"row {i} is number {i % 7}" for i in range(n)]))
        if self.accepts.missing if missing is None else missing:
            columns = [with_missing(column, rng.random(n) < 0.15) for column in columns]
        return Table(columns)

    def numbers(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Numbers that the estimator can take: small counts where it takes nothing negative."""
        if self.accepts.negative:
            return rng.normal(size=n).round(3)
        return rng.permutation(np.arange(n) % 4).astype(np.float64)

    def target(self, n: int, *, seed: int = 1) -> Any:
        """Labels for a classifier, numbers for a regressor, what others need: no two classes equally frequent."""
        rng = np.random.default_rng(seed)
        if self.is_classifier:
            tags = get_tags(self.model).classifier_tags
            codes = np.arange(n) % 6 % 4 % 3 if tags is None or tags.multi_class else np.arange(n) % 5 % 2
            return np.array(_CLASSES)[rng.permutation(codes)] if n > 1 else np.array(_CLASSES[:n])
        if self.is_regressor or get_tags(self.model).target_tags.required:
            numbers = rng.normal(size=n)
            return np.abs(numbers) + 0.1 if get_tags(self.model).target_tags.positive_only else numbers
        return None


def _level(n: int, rng: np.random.Generator) -> list[Column]:
    colour = [("red", "green", "blue")[i] for i in rng.permutation(np.arange(n) % 3)]
    sex = [("f", "m")[i] for i in rng.permutation(np.arange(n) % 2)]
    size = [("S", "M", "L")[i] for i in rng.permutation(np.arange(n) % 3)]
    return [
        Column.labels("colour", colour, ("blue", "green", "red")),
        Column.labels("sex", sex, ("f", "m")),
        Column.labels("size", size, ("S", "M", "L")).as_kind(["S", "M", "L"]),
    ]


def with_missing(column: Column, gone: np.ndarray) -> Column:
    """The column with those of its values missing."""
    missing = {Kind.NUMERIC: np.nan, Kind.TEXT: None}.get(column.kind, -1)
    values = column.values.copy()
    values[gone] = missing
    return replace(column, values=values)
