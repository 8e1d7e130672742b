"""Coefficients as a sparse matrix, for models of which most are zero."""

from __future__ import annotations

from typing import Any, TypeVar

from scipy.sparse import csr_array, issparse
from sklearn.utils.validation import check_is_fitted

Fitted = TypeVar("Fitted", bound="SparseCoefficients")


class SparseCoefficients:
    """Parent of models whose coefficients can be converted to a sparse matrix, and back."""

    coef_: Any

    def sparsify(self: Fitted) -> Fitted:
        """Convert ``coef_`` to a sparse matrix, for models with few coefficients; ``densify`` before saving."""
        check_is_fitted(self)
        self.coef_ = csr_array(self.coef_)
        return self

    def densify(self: Fitted) -> Fitted:
        """Convert ``coef_`` back to an array."""
        check_is_fitted(self)
        self.coef_ = self.coef_.toarray() if issparse(self.coef_) else self.coef_
        return self
