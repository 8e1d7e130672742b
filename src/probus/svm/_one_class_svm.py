"""The support of a distribution, by a kernel machine without a target."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from probus.base import OutlierMixin, matrix_input
from probus.detection import Explanation, explanation_of, typical_contributions, typical_values
from probus.errors import DataError
from probus.sklearn_seam import num_samples
from probus.state import Array, Maybe, Spec
from probus.svm._dual_problem import DualSolution, one_class_problem
from probus.svm._kernel_machine import NU
from probus.svm._single_machine import SingleMachine


class OneClassSVM(OutlierMixin, SingleMachine):
    r"""The region that contains most rows: a share of about ν lies outside.

    Attributes
    ----------
    support_, support_vectors_, dual_coef_, intercept_, coef_, fit_status_, shape_fit_, gamma_, n_support_, n_iter_, \
    optimality_, dual_gap_
        As of ``SVR``.
    offset_ : array of 1
        ``decision_function`` is ``score_samples`` less this.
    typical_ : array of columns, or None
        The medians of the columns, for ``explain``; None of sparse matrices, and of precomputed and
        callable kernels.

    Examples
    --------
    >>> model = OneClassSVM(nu=0.2, gamma=1.0).fit([[0.0], [0.1], [0.2], [0.3], [9.0]])
    >>> model.predict([[0.15], [5.0]])
    array([ 1, -1])
    """

    nu: float = NU.but(
        doc="ν: at most this share of the rows lies outside, and at least this share are support vectors."
    )

    fitted: ClassVar[dict[str, Spec]] = {
        **SingleMachine.fitted,
        "offset_": Array("f8", "*"),
        "typical_": Maybe(Array("f8", "d")),
    }

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> OneClassSVM:
        """Find the support vectors; y is ignored."""
        X = self._training_rows(X)
        weights = self._weights(sample_weight, num_samples(X))
        rows = np.flatnonzero(weights > 0)
        self._fit_single(X, rows, one_class_problem(weights[rows], self.nu))
        self.offset_ = -self.intercept_
        measured = self.kernel != "precomputed" and not callable(self.kernel) and not issparse(X)
        self.typical_ = typical_values(X) if measured else None
        return self

    def _coefficients(self, solution: DualSolution) -> tuple[np.ndarray, float]:
        return solution.beta, -solution.levels[0]

    def decision_function(self, X: Any) -> np.ndarray:
        """How far inside the region each row is; negative outside."""
        return self._raw(X)

    def score_samples(self, X: Any) -> np.ndarray:
        """The decision function without its offset."""
        return self.decision_function(X) + self.offset_

    def explain(self, X: Any) -> Explanation:
        """Which columns make rows odd: how much ``score_samples`` would rise if a value were the median."""
        check_is_fitted(self)
        if self.typical_ is None:
            raise DataError(
                "the model was fitted on a sparse matrix, or has no kernel of columns.", "a dense table to explain"
            )
        rows = matrix_input(self, X, reset=False)
        names = getattr(self, "feature_names_in_", None)

        def score(rows: np.ndarray) -> np.ndarray:
            return self.score_samples(rows if names is None else dict(zip(names, rows.T, strict=True)))

        scores = score(rows)
        return explanation_of(self, rows, scores, typical_contributions(score, rows, scores, self.typical_))

    def predict(self, X: Any) -> np.ndarray:
        """1 for rows inside the region, −1 for rows outside."""
        return np.where(self.decision_function(X) > 0, 1, -1).astype(np.intp)
