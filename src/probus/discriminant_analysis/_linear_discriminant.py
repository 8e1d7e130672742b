"""Linear discriminant analysis: normal classes that share a covariance."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from scipy import linalg
from scipy.special import log_softmax
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import ArrayValue, HasMethod, NoneAllowed, OneOf, RealIn
from probus.base import checked_weights, encoded_classes, matrix_input
from probus.discriminant_analysis._class_covariances import (
    ChosenCovariance,
    checked_class_priors,
    covariance_of,
    refuse_no_weight,
    shrunk,
)
from probus.discriminant_analysis._class_moments import ClassMoments, moments_by_class, pooled_moments
from probus.distances.magnitudes import check_squares
from probus.errors import DataError
from probus.linear_model import LinearDecision
from probus.linear_model.datafits import moments_of
from probus.parameters import parameter
from probus.state import Array, Labels, Maybe, Spec

_PRECISE = 1e-8  # eigenvalues of products of unit columns from here on have at least eight digits
_NOISE = 1e-12  # larger than their rounding errors


class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ChosenCovariance, LinearDecision):
    r"""Normal classes of one covariance, :math:`\log P(k | x) = x^T Σ^{-1} μ_k - \frac12 μ_k^T Σ^{-1} μ_k + \log π_k`.

    ``transform`` projects to the directions in which the means of the classes differ most, relative to Σ (Fisher).

    Attributes
    ----------
    coef_, intercept_ : of the second class for two classes, else of each
    means_ : array of classes × columns
    priors_ : array of classes
    covariance_ : array of columns × columns, that within classes
    scalings_ : array of columns × directions; not for "lsqr"
    xbar_ : the mean of the classes; for "svd"
    explained_variance_ratio_ : the shares of the directions in the variance between classes; not for "lsqr"
    classes_ : array of classes

    Examples
    --------
    >>> X = [[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]]
    >>> model = LinearDiscriminantAnalysis().fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> model.predict([[-0.8, -1]]), model.transform(X).shape
    (array(['a'], dtype='<U1'), (6, 1))
    """

    solver: str = parameter(
        '"svd" ignores directions without variance. "lsqr" and "eigen" take ``shrinkage``; "lsqr" has no '
        '``transform``. "svd" decomposes the products of columns where these are precise enough, which is '
        "faster than the rows.",
        default="svd",
        one_of=("svd", "lsqr", "eigen"),
        kw_only=False,
    )
    shrinkage: Any = parameter(
        'How far the covariance of each class is moved towards a sphere, from 0 to 1; "auto" is Ledoit and Wolf\'s.',
        default=None,
        of=[OneOf("auto"), RealIn(at_least=0, at_most=1), NoneAllowed()],
        kw_only=False,
    )
    priors: Any = parameter(
        "Class probabilities; by default the class frequencies.",
        default=None,
        of=[ArrayValue(), NoneAllowed()],
        kw_only=False,
    )
    n_components: int | None = parameter(
        "The number of directions of ``transform``; by default all, one less than there are classes.",
        default=None,
        at_least=1,
        kw_only=False,
    )
    store_covariance: bool = parameter(
        'Whether "svd" keeps ``covariance_``, which the other solvers always do.', default=False, kw_only=False
    )
    tol: float = parameter(
        'The standard deviation, relative to that of the column, below which "svd" ignores a direction.',
        default=1e-4,
        at_least=0,
        kw_only=False,
    )
    covariance_estimator: Any = parameter(
        'With ``fit(X)`` and ``covariance_``, for the solvers "lsqr" and "eigen".',
        default=None,
        of=[HasMethod("fit"), NoneAllowed()],
        kw_only=False,
    )

    fitted: ClassVar[dict[str, Spec]] = {
        "classes_": Labels("K"),
        "priors_": Array("f8", "K"),
        "means_": Array("f8", "K d"),
        "coef_": Array("f8", "m d"),
        "intercept_": Array("f8", "m"),
        "covariance_": Maybe(Array("f8", "d d")),
        "scalings_": Maybe(Array("f8", "d r")),
        "xbar_": Maybe(Array("f8", "d")),
        "explained_variance_ratio_": Maybe(Array("f8", "*")),
    }

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearDiscriminantAnalysis:
        """Estimate means, covariance and discriminants."""
        X = matrix_input(self, X, reset=True, ensure_min_samples=2)
        check_squares(X)
        self.classes_, codes = encoded_classes(y, len(X))
        weights = checked_weights(sample_weight, X)
        self._check(len(X), weights)
        refuse_no_weight(self.classes_, codes, weights)
        for name in ("covariance_", "scalings_", "xbar_", "explained_variance_ratio_"):
            if hasattr(self, name):
                delattr(self, name)
        if self.solver == "svd":
            self._fit_svd(X, codes, weights)
        else:
            self._fit_covariance(X, codes, weights)
        if len(self.classes_) == 2:
            self.coef_, self.intercept_ = np.diff(self.coef_, axis=0), np.diff(self.intercept_)
        return self

    def _check(self, n_rows: int, weights: np.ndarray | None) -> None:
        n_classes = len(self.classes_)
        if n_classes < 2:
            raise DataError(f"the data contain only one class: {self.classes_.tolist()[0]!r}.", "two or more classes")
        if n_rows == n_classes:
            raise DataError("The number of samples must be more than the number of classes.")
        if self.n_components is not None and self.n_components > min(n_classes - 1, self.n_features_in_):
            raise ValueError("n_components cannot be larger than min(n_features, n_classes - 1).")
        if self.solver == "svd" and self.covariance_estimator is not None:
            raise ValueError("covariance estimator is not supported with svd solver. Try another solver")
        self._check_covariance(weights)

    def _priors(self, total: np.ndarray) -> np.ndarray:
        found = checked_class_priors(self.priors, total)
        if abs(found.sum() - 1.0) > 1e-5:
            warnings.warn("The priors do not sum to 1. Renormalizing", UserWarning, stacklevel=5)
        return found / found.sum()

    # -- solvers ---------------------------------------------------------------------------------------

    def _fit_svd(self, X: np.ndarray, codes: np.ndarray, weights: np.ndarray | None) -> None:
        """Scale rows to unit covariance within classes, then find the directions of the means."""
        moments = pooled_moments(X, codes, len(self.classes_), weights)
        self.priors_, self.means_ = self._priors(moments.total), moments.means
        if self.store_covariance:
            self.covariance_ = self._within(X, codes, weights)[1]
        self.xbar_ = self.priors_ @ self.means_
        scalings = _unit_within(X, codes, weights, moments, self.tol)
        between = np.sqrt(self.priors_)[:, None] * (self.means_ - self.xbar_)
        _, S, Vt = linalg.svd(between @ scalings, full_matrices=False)
        self.explained_variance_ratio_ = (S**2 / (S**2).sum() if S.any() else S)[: self._max_components]
        self.scalings_ = scalings @ Vt.T[:, S / S.max(initial=1e-300) > self.tol]
        coef = (self.means_ - self.xbar_) @ self.scalings_
        self.coef_ = coef @ self.scalings_.T
        self.intercept_ = -0.5 * (coef**2).sum(axis=1) + _log(self.priors_) - self.coef_ @ self.xbar_

    def _fit_covariance(self, X: np.ndarray, codes: np.ndarray, weights: np.ndarray | None) -> None:
        """Solve with the covariance within classes, which may be shrunk."""
        self.means_, self.covariance_, self.priors_ = self._within(X, codes, weights)
        if self.solver == "lsqr":
            self.coef_ = linalg.lstsq(self.covariance_, self.means_.T)[0].T
        else:
            between = self._total(X, weights) - self.covariance_
            try:
                values, vectors = linalg.eigh(between, self.covariance_)
            except linalg.LinAlgError as error:
                raise DataError(
                    "the covariance within classes is singular: columns are constant or depend on others.",
                    "columns that vary within classes",
                    "Use solver='svd', or pass shrinkage=0.01.",
                ) from error
            self.explained_variance_ratio_ = np.sort(values / values.sum())[::-1][: self._max_components]
            self.scalings_ = np.ascontiguousarray(vectors[:, np.argsort(values)[::-1]])
            self.coef_ = self.means_ @ self.scalings_ @ self.scalings_.T
        self.intercept_ = -0.5 * (self.means_ * self.coef_).sum(axis=1) + _log(self.priors_)

    def _within(
        self, X: np.ndarray, codes: np.ndarray, weights: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Means, the covariances of the classes averaged with their prior probabilities, and these."""
        n_classes = len(self.classes_)
        if not self.accepts.weights:
            rows = [X[codes == k] for k in range(n_classes)]
            priors = self._priors(np.bincount(codes).astype(np.float64))
            each = np.array([covariance_of(part, self.shrinkage, self.covariance_estimator) for part in rows])
            return np.array([part.mean(axis=0) for part in rows]), np.tensordot(priors, each, 1), priors
        moments = moments_by_class(X, codes, n_classes, weights)
        priors = self._priors(moments.total)
        covariance = np.tensordot(priors / moments.total, moments.scatter, 1)
        return moments.means, shrunk(covariance, self.shrinkage or 0.0), priors

    def _total(self, X: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
        """The covariance of all rows."""
        if not self.accepts.weights:
            return covariance_of(X, self.shrinkage, self.covariance_estimator)
        moments = moments_of(X, np.empty((len(X), 0)), weights, centred=True)
        return shrunk(moments.gram / moments.total, self.shrinkage or 0.0)

    # -- predictions -----------------------------------------------------------------------------------

    @property
    def _max_components(self) -> int:
        return self.n_components or min(len(self.classes_) - 1, self.n_features_in_)

    @property
    def _n_features_out(self) -> int:
        return self._max_components if self.solver == "lsqr" else min(self._max_components, self.scalings_.shape[1])

    def transform(self, X: Any) -> np.ndarray:
        """The rows in the directions that separate the classes best."""
        if self.solver == "lsqr":
            raise NotImplementedError("transform not implemented for 'lsqr' solver (use 'svd' or 'eigen').")
        check_is_fitted(self)
        rows = matrix_input(self, X, reset=False)
        return (rows - self.xbar_ if self.solver == "svd" else rows) @ self.scalings_[:, : self._max_components]

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(k | x) for each row and class, in the order of ``classes_``."""
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """log P(k | x) for each row and class."""
        scores = self.decision_function(X)
        return log_softmax(np.column_stack([np.zeros(len(scores)), scores]) if scores.ndim == 1 else scores, axis=1)


def _log(priors: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):  # a class that is impossible
        return np.log(priors)


def _unit_within(
    X: np.ndarray, codes: np.ndarray, weights: np.ndarray | None, moments: ClassMoments, tol: float
) -> np.ndarray:
    """The matrix that maps columns to directions of unit variance within classes: float64[d, rank]."""
    total = moments.total.sum()
    scale = np.sqrt(np.maximum(moments.scatter.diagonal(), 0.0) / total)
    scale[scale <= 1e-14 * np.abs(moments.means).max(axis=0)] = 1.0  # constant, but for rounding
    if len(scale) <= len(X):
        values, vectors = linalg.eigh(moments.scatter / np.outer(scale, scale) / total)
        kept = values >= max(_PRECISE, tol**2)
        if (kept | (values + _NOISE < tol**2)).all():
            return (vectors[:, kept] / np.sqrt(values[kept]))[:, ::-1] / scale[:, None]
    share = np.sqrt((1.0 if weights is None else weights[:, None]) / total)
    _, S, Vt = linalg.svd((X - moments.means[codes]) / scale * share, full_matrices=False)
    kept = np.greater(S, tol)
    return (Vt[kept].T / S[kept]) / scale[:, None]
