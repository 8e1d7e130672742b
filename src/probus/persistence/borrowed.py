"""The classes of scikit-learn that a model file may contain, and their fitted attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from probus.errors import ModelFileError
from probus.state import Array, Labels, Maybe, Number, Size, Sizes, Spec

__all__ = ["BORROWED", "borrowed_classes"]


@dataclass(frozen=True)
class _Floats(Spec):
    """One floating-point number per column, of any precision."""

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiu" or value.shape != (sizes.get("d"),):
            raise ModelFileError(f"{name} is {value!r:.60}.", "one number per column")


@dataclass(frozen=True)
class _Count(Spec):
    """The number of rows: one value, or one per column if some values were missing."""

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        (_Floats() if isinstance(value, np.ndarray) else Number()).check(name, value, sizes)


@dataclass(frozen=True)
class _Coefficients(Spec):
    """One row for each class, or a single one: a number per column, or a single number."""

    shape: str

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """See the class."""
        Array(value.dtype.str if getattr(value, "dtype", None) in (np.float32, np.float64) else "f8", self.shape).check(
            name, value, sizes
        )


_COLUMNS: dict[str, Spec] = {"n_features_in_": Size("d"), "feature_names_in_": Maybe(Labels("d"))}

BORROWED: Mapping[str, Mapping[str, Spec]] = {
    "sklearn.linear_model.LogisticRegression": {
        **_COLUMNS,
        "classes_": Labels("K"),
        "coef_": _Coefficients("R d"),
        "intercept_": _Coefficients("R"),
        "n_iter_": Array("i4", "*"),
    },
    "sklearn.linear_model.RidgeCV": {
        **_COLUMNS,
        "coef_": _Coefficients("d"),
        **dict.fromkeys(("intercept_", "alpha_", "best_score_"), Number()),
    },
    "sklearn.pipeline.Pipeline": {},  # its fitted steps are its parameters
    "sklearn.preprocessing.MinMaxScaler": {
        **_COLUMNS,
        "n_samples_seen_": _Count(),
        **dict.fromkeys(("min_", "scale_", "data_min_", "data_max_", "data_range_"), _Floats()),
    },
    "sklearn.preprocessing.StandardScaler": {
        **_COLUMNS,
        "n_samples_seen_": _Count(),
        **dict.fromkeys(("mean_", "var_", "scale_"), Maybe(_Floats())),
    },
}


@cache
def borrowed_classes() -> Mapping[str, type]:
    """The classes by the names they have in files, from where they are defined: public names may be patched."""
    from sklearn.linear_model._logistic import LogisticRegression
    from sklearn.linear_model._ridge import RidgeCV
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing._data import MinMaxScaler, StandardScaler

    classes = (LogisticRegression, RidgeCV, Pipeline, MinMaxScaler, StandardScaler)
    return dict(zip(BORROWED, classes, strict=True))
