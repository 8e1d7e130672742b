"""Standard errors under other assumptions than a model's own, from the rows it was fitted on."""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from probus.base import Model, checked_weights, matrix_input
from probus.data import Column
from probus.errors import DataError
from probus.linear_model.inference._coefficient_summary import CoefficientSummary, Inference, StandardErrors
from probus.linear_model.inference._sandwich import RowScores, clustered_covariance, robust_covariance

_KEPT = 250_000  # numbers of X up to which a model keeps a copy of the rows
_FEW_GROUPS = 10


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """The rows of a fit: X as validated, y as float64[n], codes or float64[n, t], and the weights that were given.

    parameters : those of the fit; None where the rows were given to the summary.
    """

    X: Any
    y: np.ndarray
    weights: np.ndarray | None
    parameters: dict[str, Any] | None = None


class ModelOfRows(Model):
    """Parent of models that have robust and clustered standard errors.

    A fitted model keeps its training rows for them, up to 250,000 numbers; copies and files leave them out.
    """

    kinds_of_errors: ClassVar[tuple[str, ...]] = ("model", "robust", "clustered")

    def __getstate__(self) -> dict[str, Any]:
        """Without the training rows, which are needed for summaries only."""
        state = dict(super().__getstate__())
        state.pop("_training_rows", None)
        return state

    def summary(
        self,
        *,
        level: float = 0.95,
        errors: str = "model",
        groups: Any = None,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
    ) -> CoefficientSummary:
        """Coefficients with standard errors, intervals, test statistics and p-values; notes have tests of assumptions.

        level : the probability with which an interval covers its coefficient.
        errors : "model" for the model's own standard errors; "robust" for errors of any variance (HC3); "clustered" for
            rows that depend on each other within ``groups`` (CR3); "quasi", of ``PoissonRegressor``, for counts whose
            variance is a multiple of their mean.
        groups : the group of each row, for "clustered".
        X, y, sample_weight : the training rows, where the model does not have them any more: loaded from a file,
            copied, or fitted on more than 250,000 numbers.
        """
        check_is_fitted(self)
        kept = self._inference_of_rows()
        return self._summary(level, kept, self._standard_errors(errors, kept, X, y, sample_weight, groups))

    def _inference_of_rows(self) -> Inference | None:
        """What the model kept for its standard errors; None where it has none."""
        return getattr(self, "inference_", None)

    @abstractmethod
    def _summary(self, level: float, kept: Inference | None, errors: StandardErrors | None) -> CoefficientSummary:
        """The summary; ``errors`` take the place of the model's own."""

    @abstractmethod
    def _row_scores(self, rows: TrainingRows) -> list[RowScores]:
        """For each target what rows add to its equations."""

    @abstractmethod
    def _checked_target(self, y: Any, n_rows: int) -> np.ndarray:
        """The target of ``TrainingRows``."""

    def _keep_rows(self, X: Any, y: np.ndarray, weights: np.ndarray | None) -> None:
        """Keep the rows of the fit unless they are many."""
        self.__dict__.pop("_training_rows", None)
        if (X.nnz if issparse(X) else X.size) <= _KEPT:
            own = None if weights is None else weights.copy()
            # the caller may change theirs
            self._training_rows = TrainingRows(X.copy(), np.array(y), own, self.get_params(deep=False))

    def _standard_errors(
        self, errors: str, kept: Inference | None, X: Any, y: Any, sample_weight: Any, groups: Any
    ) -> StandardErrors | None:
        """Those of ``summary(errors=...)``; None for those of the model, or where it has none."""
        if errors not in self.kinds_of_errors:
            raise DataError(f"errors={errors!r}.", "one of " + ", ".join(map(repr, self.kinds_of_errors)))
        if groups is not None and errors != "clustered":
            raise DataError(f"groups with errors={errors!r}.", 'errors="clustered"')
        if errors in ("model", "quasi") or kept is None:
            return None
        rows = self._rows_of_fit(errors, X, y, sample_weight)
        codes = _codes(groups, rows) if errors == "clustered" else None
        fitted = self if rows.parameters is None else copy(self).set_params(**rows.parameters)
        sizes, count = [], 0
        for scores in fitted._row_scores(rows):
            found = robust_covariance(scores)
            as_many = len(found.standard_errors(fitted._contrasts(scores.theta.size))) == len(kept.covariance)
            if rows.parameters is None and not (as_many and scores.is_optimum(found.standard_errors())):
                raise DataError(
                    f"{type(self).__name__}: X, y or sample_weight are not those of the fit, parameters were changed "
                    "since, or the fit has not converged.",
                    "the rows that the model was fitted on, to convergence",
                )
            if codes is not None:
                found, count = clustered_covariance(scores, codes)
            sizes.append(found.standard_errors(fitted._contrasts(scores.theta.size)))
        if codes is None:
            return StandardErrors(np.array(sizes), kept.freedom, ("Standard errors are robust (HC3): they hold for "
                                  "any variance of the errors. Rows are taken as independent.",))  # fmt: skip
        notes = [f"Standard errors hold for rows that depend on each other within {count:,} groups (CR3)."]
        if count < _FEW_GROUPS:
            notes.append(f"So few groups say little about the precision: intervals by t with {count - 1} degrees "
                         "of freedom are wide, and may still be too narrow.")  # fmt: skip
        return StandardErrors(np.array(sizes), float(count - 1), tuple(notes))

    def _contrasts(self, n: int) -> np.ndarray | None:
        """The coefficients of the summary as functions of the n of the fit; None where they are the same."""
        return None

    def _rows_of_fit(self, errors: str, X: Any, y: Any, sample_weight: Any) -> TrainingRows:
        if X is not None and y is not None:
            checked = matrix_input(self, X, reset=False)
            return TrainingRows(
                checked, self._checked_target(y, checked.shape[0]), checked_weights(sample_weight, checked)
            )
        rows = getattr(self, "_training_rows", None)
        if rows is None or X is not None or y is not None or sample_weight is not None:
            raise DataError(
                f"{type(self).__name__}: errors={errors!r} without the training rows, which files, copies and fits of "
                "more than 250,000 numbers do not keep.",
                "X and y as in fit, and sample_weight if there was one",
                f'summary(errors="{errors}", X=X, y=y{", groups=groups" * (errors == "clustered")})',
            )
        return rows


def _codes(groups: Any, rows: TrainingRows) -> np.ndarray:
    if groups is None:
        raise DataError(
            'errors="clustered" without groups.', "the group of each row", "summary(errors='clustered', groups=patient)"
        )
    values = groups.values if isinstance(groups, Column) else np.asarray(groups)
    n = rows.X.shape[0]
    if values.shape != (n,):
        raise DataError(f"groups of shape {values.shape}.", f"the group of each of {n} rows")
    if any(value is None or value != value for value in values.tolist()):
        raise DataError("groups with missing values.", "the group of every row")
    codes = np.unique(values.astype(str) if values.dtype == object else values, return_inverse=True)[1]
    observed = codes if rows.weights is None else codes[rows.weights > 0]
    if len(np.unique(observed)) < 2:
        raise DataError("groups with one value.", "two groups or more")
    return codes
