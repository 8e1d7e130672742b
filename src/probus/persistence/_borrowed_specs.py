"""The values that fitted attributes of scikit-learn's classes may have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from probus.errors import ModelFileError
from probus.state import Array, Labels, Maybe, Number, Size, Sizes, Spec

WIDTH = Size("d", most=2**23)  # no array bounds it where a transformer has none, and each column gets a name
COLUMNS: dict[str, Spec] = {"n_features_in_": WIDTH, "feature_names_in_": Maybe(Labels("d"))}


@dataclass(frozen=True)
class Floats(Spec):
    """One number per column, of any precision."""

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiu" or value.shape != (sizes.get("d"),):
            raise ModelFileError(f"{name} is {value!r:.60}.", "one number per column")


@dataclass(frozen=True)
class Count(Spec):
    """The number of rows: one value, or one per column if some values were missing."""

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        (Floats() if isinstance(value, np.ndarray) else Number()).check(name, value, sizes)


@dataclass(frozen=True)
class FloatsOfAnyPrecision(Spec):
    """An array of float32 or float64 of that shape."""

    shape: str

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        Array(value.dtype.str if getattr(value, "dtype", None) in (np.float32, np.float64) else "f8", self.shape).check(
            name, value, sizes
        )


@dataclass(frozen=True)
class Categories(Spec):
    """For each column an array of categories: numbers, or strings and others; None and NaN are categories too."""

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        if not isinstance(value, list) or len(value) != sizes.get("d"):
            raise ModelFileError(f"{name} is {value!r:.60}.", "a list with the categories of each column")
        for categories in value:
            _check_labels(name, categories)
            if not len(categories):
                raise ModelFileError(f"{name}: a column without categories.", "at least one")


def _check_labels(name: str, labels: Any) -> None:
    if not isinstance(labels, np.ndarray) or labels.ndim != 1 or labels.dtype.kind not in "biufUO":
        raise ModelFileError(f"{name} has {labels!r:.60}.", "arrays of labels")
    plain = (str, int, float, bool, type(None), np.generic)
    if labels.dtype.kind == "O" and not all(isinstance(label, plain) for label in labels):
        raise ModelFileError(f"{name} has labels of other types.", "strings, numbers, booleans or None")


@dataclass(frozen=True)
class Fills(Spec):
    """For each column a number or a label."""

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        _check_labels(name, value)
        if len(value) != sizes.get("d"):
            raise ModelFileError(f"{name} has {len(value)} values.", f"{sizes.get('d')}, one per column")


@dataclass(frozen=True)
class IndexLists(Spec):
    """For each column an array of indices, or None."""

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        if not isinstance(value, list) or len(value) != sizes.get("d"):
            raise ModelFileError(f"{name} is {value!r:.60}.", "a list with an item for each column")
        for each in value:
            Maybe(Array("i8", "*", low=0)).check(name, each, sizes)


@dataclass(frozen=True)
class Edges(Spec):
    """For each column the increasing edges of its bins."""

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        if not isinstance(value, np.ndarray) or value.dtype.kind != "O" or value.shape != (sizes.get("d"),):
            raise ModelFileError(f"{name} is {value!r:.60}.", "an array of edges for each column")
        for edges in value:
            FloatsOfAnyPrecision("*").check(name, edges, sizes)


@dataclass(frozen=True)
class DType(Spec):
    """The dtype of an array."""

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        if not isinstance(value, np.dtype):
            raise ModelFileError(f"{name} is {value!r:.60}.", "a dtype")


@dataclass(frozen=True)
class ColumnParts(Spec):
    """Names, fitted transformers and the columns of each."""

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        if not isinstance(value, list) or not all(isinstance(each, tuple) and len(each) == 3 for each in value):
            raise ModelFileError(f"{name} is {value!r:.60}.", "a list of (name, transformer, columns)")
        for own, part, _ in value:
            if not isinstance(own, str) or not (isinstance(part, BaseEstimator) or part in ("drop", "passthrough")):
                raise ModelFileError(f"{name} has {(own, part)!r:.60}.", "a name and a transformer")


@dataclass(frozen=True)
class Slices(Spec):
    """The place of the output of each transformer."""

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        if not isinstance(value, dict) or not all(isinstance(part, str) for part in value):
            raise ModelFileError(f"{name} is {value!r:.60}.", "slices by name")
        for place in value.values():
            if not isinstance(place, slice) or type(place.start) is not int or type(place.stop) is not int:
                raise ModelFileError(f"{name} has {place!r:.60}.", "slices from an integer to an integer")
