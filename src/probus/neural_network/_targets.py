"""Targets of networks: classes and their probabilities, and numbers in one column or several."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_array

from probus.base import ProbabilisticClassifier, checked_numbers, encoded_classes, refuse_labels, target_array
from probus.data import Column
from probus.errors import DataError
from probus.parameters import parameter
from probus.state import Labels, Spec


class NetworkClassifier(ProbabilisticClassifier):
    """Parent of the networks that predict classes."""

    label_smoothing: float = parameter(
        "The share of each row's target that is spread over all classes, which keeps probabilities from 0 and 1.",
        default=0.0,
        at_least=0,
        below=1,
    )

    fitted: ClassVar[dict[str, Spec]] = {"classes_": Labels("K")}

    @abstractmethod
    def _probabilities(self, X: Any) -> np.ndarray:
        """The probability of each class, or of each label, rows × classes."""

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class, or of each label.

        Parameters
        ----------
        X : the rows.

        Returns
        -------
        Rows × classes.
        """
        return self._probabilities(X)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row; for several labels, which of them it has.

        Parameters
        ----------
        X : the rows.

        Returns
        -------
        The classes.
        """
        probabilities = self.predict_proba(X)  # first, as it checks that the model is fitted
        return self.classes_[probabilities.argmax(axis=1)]

    def _class_codes(self, y: Any, n_rows: int, *, learn: bool) -> np.ndarray:
        """The place of each row's class in ``classes_``, rows × 1, which are those of y with ``learn``."""
        found, codes = encoded_classes(y, n_rows)
        if learn:
            self.classes_ = found
        unknown = np.setdiff1d(found, self.classes_).tolist()
        if unknown:
            raise DataError(
                f"class {unknown[0]!r} is not among the classes of the first batch.",
                f"one of {', '.join(map(repr, self.classes_.tolist()[:10]))}",
                "Pass all classes in the first call of partial_fit.",
            )
        return np.searchsorted(self.classes_, found)[codes].astype(np.int64)[:, None]


def target_numbers(y: Any, n_rows: int) -> np.ndarray:
    """The numbers of a target: one for each row, or rows × targets where there are several."""
    values: Any = y if y is None or isinstance(y, Column) else target_array(y, "numbers")
    if getattr(values, "ndim", 1) != 2 or values.shape[1] == 1:
        return checked_numbers(values, n_rows)
    refuse_labels(values)
    values = check_array(values, dtype=np.float64, input_name="y")
    if len(values) != n_rows:
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows and y has {len(values)}.",
            "one y per row",
        )
    return values
