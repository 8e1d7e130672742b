"""What samplers have in common: rows in, more or fewer rows out, in the container they came in."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from probus.allowed_values import CallableValue, InstanceOf, OneOf, RealIn
from probus.base import Accepts, Model, encoded_classes, table_input
from probus.data import Column, Kind, Table, has_names, is_frame
from probus.data.row_selection import take_rows
from probus.errors import DataError
from probus.parameters import RANDOM_STATE, attribute, parameter
from probus.preprocessing import as_array
from probus.state import Labels, Maybe, Plain, Spec

_STRATEGIES = ("auto", "minority", "majority", "not minority", "not majority", "all")


@dataclass(frozen=True)
class NewRows:
    """What a sampler makes of rows.

    kept : the numbers of the rows that stay, in order; a row may occur more than once.
    added : rows that are new, if there are any; y : their targets, as codes of classes or numbers.
    """

    kept: np.ndarray
    added: Table | None = None
    y: np.ndarray | None = None


class Sampler(Model):
    """Parent of samplers, which change the rows of a training and no others.

    ``fit_resample(X, y)`` is that of imbalanced-learn. ``sampler >> model`` is a model that samples its training rows;
    rows that are predicted are unchanged.
    """

    accepts = Accepts(nominal=True, text=True, missing=True, own_levels=True)
    random_state: Any = RANDOM_STATE

    changes_rows: ClassVar[bool] = True  # by which pipelines know that it is no transformer
    fitted: ClassVar[dict[str, Spec]] = {"classes_": Maybe(Labels("*")), "sampling_strategy_": Maybe(Plain())}

    @classmethod
    def examples(cls) -> list[Model]:
        """None: the checks of estimators are for those that predict or transform."""
        return []

    def fit(self, X: Any, y: Any) -> Sampler:
        """Check the rows and set ``sampling_strategy_``; ``fit_resample`` does it too."""
        self._read(X, y)
        return self

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """The rows and targets after sampling: the rows that stay, then the new ones.

        X is an array, a frame or a Table, and the result is of the same type.
        """
        table, target, decode = self._read(X, y)
        made = self._resample(table, target, check_random_state(self.random_state))
        if made.added is None:
            return take_rows(X if has_names(X) else np.asarray(X), made.kept), decode(target[made.kept])
        rows = concatenate(table.take(made.kept), made.added)
        return _like(X, rows), decode(np.concatenate([target[made.kept], made.y]))

    @abstractmethod
    def _resample(self, table: Table, target: np.ndarray, random: np.random.RandomState) -> NewRows:
        """What becomes of the rows."""

    def _read(self, X: Any, y: Any) -> tuple[Table, np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        """The rows, the target as codes or numbers, and how codes become labels."""
        table = table_input(self, X, reset=True)
        self.classes_, codes = encoded_classes(y, len(table))
        return table, codes, self.classes_.take


class ClassSampler(Sampler):
    """Parent of samplers that change the shares of the classes."""

    sampling_strategy: Any = parameter(
        "Which classes are sampled, to the number of rows of the largest (of the smallest, by samplers that remove "
        'rows): "auto", "minority", "majority", "not minority", "not majority" or "all". A number is the share of the '
        "smaller of two classes among the larger; a dict has the number of rows of each class that is sampled; a "
        "function returns such a dict from y.",
        default="auto",
        of=[OneOf(*_STRATEGIES), RealIn(above=0, at_most=1), InstanceOf(dict), CallableValue()],
        kw_only=False,
    )
    sampling_strategy_: dict[Any, int] = attribute()

    _removes: ClassVar[bool] = False

    def _read(self, X: Any, y: Any) -> tuple[Table, np.ndarray, Callable[[np.ndarray], np.ndarray]]:
        table, codes, decode = super()._read(X, y)
        if len(self.classes_) < 2:
            raise DataError(
                f"one class, {self.classes_.tolist()[0]!r}.",
                "rows of at least two classes",
                f"The target y needs to have more than 1 class for {type(self).__name__}.",
            )
        wanted = self._wanted(np.bincount(codes), decode(codes))
        self.sampling_strategy_ = {self.classes_.tolist()[code]: n for code, n in wanted.items()}
        return table, codes, decode

    def _wanted(self, counts: np.ndarray, labels: np.ndarray) -> dict[int, int]:
        """How many rows each class gets (of samplers that remove rows: keeps), by its code; ties in their order."""
        strategy = self.sampling_strategy
        strategy = strategy(labels) if callable(strategy) else strategy
        if isinstance(strategy, Mapping):
            return self._by_class(strategy, counts)
        smallest, largest = int(counts.argmin()), int(counts.argmax())
        if isinstance(strategy, str):
            chosen = {"minority": [smallest], "majority": [largest], "all": list(range(len(counts)))}
            chosen["not minority"] = [code for code in range(len(counts)) if code != smallest]
            chosen["not majority"] = [code for code in range(len(counts)) if code != largest]
            chosen["auto"] = chosen["not minority" if self._removes else "not majority"]
            aim = int(counts[smallest if self._removes else largest])
            return {code: aim if self._removes else aim - int(counts[code]) for code in chosen[strategy]}
        if len(counts) != 2:
            raise DataError(
                f"sampling_strategy={strategy} for {len(counts)} classes.", "two classes, or a number of rows by class"
            )
        if self._removes:
            return self._checked({largest: int(counts[smallest] / strategy)}, counts)
        return self._checked({smallest: int(counts[largest] * strategy) - int(counts[smallest])}, counts)

    def _by_class(self, strategy: Mapping[Any, int], counts: np.ndarray) -> dict[int, int]:
        known = {label: code for code, label in enumerate(self.classes_.tolist())}
        strange = [label for label in strategy if label not in known]
        if strange:
            raise DataError(f"sampling_strategy has the class {strange[0]!r}.", f"those of y: {list(known)}")
        rows = {known[label]: int(n) for label, n in strategy.items()}
        return self._checked({code: n if self._removes else n - int(counts[code]) for code, n in rows.items()}, counts)

    def _checked(self, wanted: dict[int, int], counts: np.ndarray) -> dict[int, int]:
        """The numbers, none of which may ask of a sampler what it does not do."""
        for code, n in wanted.items():
            label, has = self.classes_.tolist()[code], int(counts[code])
            if self._removes and not 0 < n <= has:
                raise DataError(f"{n:,} rows of class {label!r}, which has {has:,}.", "as many, or fewer")
            if not self._removes and n < 0:
                raise DataError(
                    f"{n + has:,} rows of class {label!r}, which has {has:,}.", "as many, or more", "This sampler adds."
                )
        return dict(sorted(wanted.items()))


# -- rows ----------------------------------------------------------------------------------------------


def concatenate(first: Table, second: Table) -> Table:
    """The rows of two tables of the same schema, one after the other."""
    joined = [replace(c, values=np.concatenate([c.values, second[c.name].values]), written=None) for c in first]
    return Table(joined, origin=first.origin, notes=first.notes)


def with_values(table: Table, values: Mapping[str, np.ndarray]) -> Table:
    """The table with other values in some columns, of the same kinds and levels."""
    return table.with_columns(*(replace(table[name], values=each, written=None) for name, each in values.items()))


def _like(X: Any, rows: Table) -> Any:
    """The rows in the container of X."""
    if isinstance(X, Table):
        return rows
    if is_frame(X):
        return rows.to_native()
    if has_names(X):
        return rows.to_dict()
    return as_array(rows)


def numeric_columns(table: Table) -> list[Column]:
    """The columns of numbers, dates included."""
    return table.of_kind(Kind.NUMERIC)
