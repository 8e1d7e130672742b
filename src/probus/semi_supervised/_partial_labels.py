"""Targets of which some are unknown."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import column_or_1d

from probus.base import encoded_classes, is_absent, target_array
from probus.data import Column
from probus.errors import DataError

UNLABELLED = -1
_LIKE_MISSING = ("", "-1", "nan", "NaN", "None", "NA")


@dataclass(eq=False)
class PartialLabels:
    """The labels of rows, of which some are unknown.

    classes : the sorted labels. codes : int64[n], the class of each row, and −1 where it is unknown; what is found out
    about them changes it. written : the dtype of the target.
    """

    classes: np.ndarray
    codes: np.ndarray
    written: np.dtype[Any]

    @classmethod
    def of(cls, y: Any, n_rows: int, *, strict: bool = False) -> PartialLabels:
        """The labels; −1, None, NaN and the missing values of a column are unknown ones.

        Of −1 and 1 alone both are classes, and a single class is an error. A ``strict`` reading is scikit-learn's: −1
        is always unknown, and a single class is allowed.

        >>> labels = PartialLabels.of(["yes", None, "no", -1], 4)
        >>> labels.classes.tolist(), labels.codes.tolist()
        (['no', 'yes'], [1, -1, 0, -1])
        """
        values, known = _read(y)
        if not strict and _are_signs(values):
            known = np.ones(len(values), dtype=bool)
        if len(values) != n_rows:
            raise DataError(
                f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows and y has "
                f"{len(values)}.",
                "one y per row, −1 or a missing value where it is unknown",
            )
        if not known.any():
            raise DataError(
                f"none of {len(values):,} rows has a label.",
                "a label in some rows, of two classes at least",
                "probus.cluster finds groups without labels; probus.active asks for labels.",
            )
        classes, found = encoded_classes(_uniform(values[known]), int(known.sum()))
        codes = np.full(len(values), UNLABELLED)
        codes[known] = found
        if len(classes) == 1 and not known.all():
            only = f"all {int(known.sum())} labels are {classes.tolist()[0]!r}; −1 and missing values are unknown."
            if not strict:
                raise DataError(only, "labels of two classes at least", "Label a row of another class.")
            hint = " If −1 is a class, write it in another way." if classes[0] == 1 else ""
            warnings.warn(f"{only} Every row is predicted to be of this class.{hint}", UserWarning, stacklevel=5)
        return cls(classes, codes, values.dtype)

    @property
    def known(self) -> np.ndarray:
        """bool[n], whether the label of a row is known, or was found."""
        return self.codes >= 0

    @property
    def counts(self) -> np.ndarray:
        """int64[K], the number of rows of each class."""
        return np.bincount(self.codes[self.known], minlength=len(self.classes))

    def of_rows(self, rows: np.ndarray) -> np.ndarray:
        """The labels of rows that have one."""
        return self.classes[self.codes[rows]]

    def written_out(self) -> np.ndarray:
        """The labels of all rows, −1 where unknown, as in the target."""
        if self.classes.dtype.kind in "OUSb":
            labels = np.full(len(self.codes), UNLABELLED, dtype=object)
            labels[self.known] = self.of_rows(self.known)
            return labels
        labels = np.full(len(self.codes), UNLABELLED, dtype=np.promote_types(self.classes.dtype, np.int8))
        labels[self.known] = self.of_rows(self.known)
        return labels


def _are_signs(values: np.ndarray) -> bool:
    """Whether an array of numbers is made of −1 and 1; a warning says that both are classes."""
    if values.dtype.kind not in "if" or set(np.unique(values).tolist()) != {-1, 1}:
        return False
    warnings.warn(
        "y has the values −1 and 1 only: both are classes, and every row has a label.", UserWarning, stacklevel=5
    )
    return True


def _read(y: Any) -> tuple[np.ndarray, np.ndarray]:
    """The values of a target, and which of them are labels."""
    if y is None:
        raise DataError("requires y to be passed, but the target y is None.", "a label for some rows")
    if isinstance(y, Column):
        known = ~y.missing
        values = y.decoded()
        return values, known & _are_known(values)
    values = target_array(y, "labels")
    if values.ndim != 1:
        values = column_or_1d(values, warn=True)
    if values.dtype.kind in "US":
        strange = [text for text in _LIKE_MISSING if (values == text).any()]
        if strange:
            raise DataError(
                f"y has dtype string, and values {strange[0]!r}: it is not clear whether these are labels.",
                "None or −1 where a label is unknown, in an array of dtype object or a column",
                "Use y.astype(object), then y[unknown] = None.",
            )
    return values, _are_known(values)


def _are_known(values: np.ndarray) -> np.ndarray:
    if values.dtype.kind == "O":
        return np.array([_is_label(value) for value in values.tolist()], dtype=bool)
    if values.dtype.kind == "f":
        return ~np.isnan(values) & (values != UNLABELLED)
    if values.dtype.kind in "iu":
        return values != UNLABELLED
    return np.ones(len(values), dtype=bool)


def _is_label(value: Any) -> bool:
    """Whether a value of an array of objects is a label: not None, NaN or −1."""
    return not is_absent(value) and (isinstance(value, (str, bool)) or value != UNLABELLED)


def _uniform(labels: np.ndarray) -> np.ndarray:
    """Numbers of dtype object as numbers: with None or NaN among them, whole numbers came as objects or floats."""
    if labels.dtype.kind == "O" and not any(isinstance(label, str) for label in labels.tolist()):
        return np.array(labels.tolist())
    if labels.dtype.kind == "f" and bool((labels == np.floor(labels)).all()) and bool((np.abs(labels) < 2**53).all()):
        return labels.astype(np.int64)
    return labels
