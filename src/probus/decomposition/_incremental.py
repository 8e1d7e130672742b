"""Principal component analysis of rows that arrive in batches."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import gen_batches

from probus.base import Accepts, Model, matrix_input
from probus.decomposition._centred_products import centred_products
from probus.decomposition._principal import PrincipalModel, by_covariance
from probus.distances.magnitudes import check_squares
from probus.errors import DataError
from probus.parameters import parameter
from probus.state import Array, Number, Spec


class IncrementalPCA(PrincipalModel):
    """Principal components of all rows so far, batch by batch.

    scikit-learn's class, but exact: the products of the columns are kept and updated (Chan, Golub and LeVeque 1979), so
    that the components are those of ``PCA`` on all rows, for any batches. They take columns × columns numbers.

    Attributes
    ----------
    components_, explained_variance_, explained_variance_ratio_, singular_values_, mean_, var_, \
    noise_variance_, n_components_, n_samples_seen_, batch_size_
        As in scikit-learn.
    products_ : Σ (x − mean)(x − mean)ᵀ of the rows so far.

    Examples
    --------
    >>> model = IncrementalPCA(n_components=1)
    >>> for batch in ([[1.0, 2.0], [2.0, 4.1]], [[3.0, 5.9], [4.0, 8.0]]):
    ...     model = model.partial_fit(batch)
    >>> model.components_.round(3)
    array([[0.451, 0.893]])
    """

    n_components: int | None = parameter(
        "The number of components; None is all.", default=None, at_least=1, kw_only=False
    )
    whiten: bool = parameter("Whether components are divided by their standard deviations.", default=False)
    copy: bool = parameter("It has no effect: the rows are never changed.", default=True)
    batch_size: int | None = parameter(
        "The rows of a batch in ``fit``; None is five times the number of columns.", default=None, at_least=1
    )

    accepts = Accepts(sparse=True)
    fitted: ClassVar[dict[str, Spec]] = {
        **PrincipalModel.fitted,
        "var_": Array("f8", "d"),
        "products_": Array("f8", "d d"),
        "n_samples_seen_": Number(),
        "batch_size_": Number(),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Small batches."""
        return [cls(batch_size=7)]

    def fit(self, X: Any, y: Any = None) -> IncrementalPCA:
        """Find the components, batch by batch; y is ignored."""
        X = matrix_input(self, X, reset=True)
        check_squares(X)
        n, d = X.shape
        self.n_samples_seen_ = 0
        self.batch_size_ = 5 * d if self.batch_size is None else self.batch_size
        for part in gen_batches(n, self.batch_size_):
            self._add(_dense(X[part]))
        return self._update()

    def partial_fit(self, X: Any, y: Any = None, check_input: bool = True) -> IncrementalPCA:
        """Add a batch of rows; y is ignored."""
        first = not hasattr(self, "n_samples_seen_")
        rows = _dense(matrix_input(self, X, reset=first)) if check_input else X
        check_squares(rows)
        if first:
            self.n_samples_seen_, self.batch_size_ = 0, len(rows)
            if not check_input:
                self.n_features_in_ = rows.shape[1]
        self._add(rows)
        return self._update()

    def _add(self, rows: np.ndarray) -> None:
        """Update the means and products by those of a batch."""
        mean, products = centred_products(rows)
        if self.n_samples_seen_ == 0:
            self.mean_, self.products_, self.n_samples_seen_ = mean, products, len(rows)
            return
        n, m = self.n_samples_seen_, len(rows)
        step = mean - self.mean_
        self.products_ = self.products_ + products + n * m / (n + m) * np.outer(step, step)
        self.mean_ = self.mean_ + step * m / (n + m)
        self.n_samples_seen_ = n + m

    def _update(self) -> IncrementalPCA:
        n, d = self.n_samples_seen_, len(self.mean_)
        wanted = min(n, d) if self.n_components is None else self.n_components
        if wanted > d:
            raise DataError(
                f"n_components={wanted} invalid for n_features={d}, need more rows than columns for IncrementalPCA "
                "processing"
            )
        if wanted > n:
            raise DataError(
                f"n_components={wanted} must be less or equal to the batch number of samples {n} for the first "
                "partial_fit call."
            )
        self.var_ = np.diag(self.products_) / n
        variances, components = by_covariance(self.products_ / max(n - 1, 1))
        self._keep(variances, components, wanted, float(variances.sum()), n)
        return self


def _dense(rows: Any) -> np.ndarray:
    return rows.toarray() if hasattr(rows, "toarray") else rows
