"""A classifier of normal classes with a choice of covariances."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import linalg

from probus.allowed_values import ArrayValue, NoneAllowed
from probus.base import Accepts, Model, checked_weights, encoded_classes, matrix_input
from probus.discriminant_analysis._class_covariances import checked_class_priors, refuse_no_weight
from probus.discriminant_analysis._class_moments import moments_by_class, pooled_moments, variances_by_class
from probus.discriminant_analysis._quadratic_discriminant import log_densities
from probus.distances.magnitudes import check_squares
from probus.errors import DataError
from probus.naive_bayes import BayesClassifier
from probus.parameters import attribute, parameter
from probus.state import Array, Either, Labels, Spec

_CONSTANT = 1e-12  # a standard deviation that small relative to the mean is rounding


class GaussianClassifier(BayesClassifier):
    """Bayes' rule for normal classes, :math:`P(k | x) ∝ π_k N(x; μ_k, Σ_k)`, with a choice of covariances.

    Attributes
    ----------
    classes_ : array of classes
    priors_ : array of classes
    means_ : array of classes × columns
    covariance_ : the covariances: classes × columns × columns, columns × columns, classes × columns or classes
    precision_roots_ : arrays of the same shape, A with Σ⁻¹ = A Aᵀ

    Examples
    --------
    >>> X = [[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]]
    >>> model = GaussianClassifier(covariance="spherical", reg=0).fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> model.predict([[-0.8, -1]]), model.covariance_.round(3)
    (array(['a'], dtype='<U1'), array([0.444, 0.444]))
    """

    covariance: str = parameter(
        '"full": a covariance matrix for each class, which gives quadratic boundaries. "shared": one for all '
        'classes, which gives linear ones. "diagonal": variances of the columns within each class, as in '
        'naive Bayes. "spherical": one variance for each class, so that what counts is the distance to the '
        "mean, in units of the class.",
        default="full",
        one_of=("full", "shared", "diagonal", "spherical"),
        kw_only=False,
    )
    priors: Any = parameter(
        "Class probabilities; by default the class frequencies.", default=None, of=[ArrayValue(), NoneAllowed()]
    )
    reg: float = parameter(
        "How far covariances are moved towards the variances within all classes together, from 0 to 1. A "
        "little keeps matrices of few rows or dependent columns invertible.",
        default=1e-6,
        at_least=0,
        at_most=1,
    )

    accepts = Accepts(weights=True)
    fitted: ClassVar[dict[str, Spec]] = {
        "classes_": Labels("K"),
        "priors_": Array("f8", "K"),
        "means_": Array("f8", "K d"),
        **dict.fromkeys(
            ("covariance_", "precision_roots_"),
            Either(Array("f8", "K d d"), Array("f8", "d d"), Array("f8", "K d"), Array("f8", "K")),
        ),
    }

    priors_: np.ndarray = attribute()
    means_: np.ndarray = attribute()
    covariance_: np.ndarray = attribute()
    precision_roots_: np.ndarray = attribute()

    @classmethod
    def examples(cls) -> list[Model]:
        """Covariances of classes, and one for all; the others take the same steps."""
        return [cls(), cls(covariance="spherical")]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GaussianClassifier:
        """Estimate the means and the covariances."""
        X = matrix_input(self, X, reset=True)
        check_squares(X)
        self.classes_, codes = encoded_classes(y, len(X))
        weights = checked_weights(sample_weight, X)
        refuse_no_weight(self.classes_, codes, weights)
        moments_of_kind = {"full": moments_by_class, "shared": pooled_moments}.get(self.covariance, variances_by_class)
        moments = moments_of_kind(X, codes, len(self.classes_), weights)
        self.means_ = moments.means
        priors = checked_class_priors(self.priors, moments.total)
        self.priors_ = priors / priors.sum()
        self._keep_covariance(moments.total, moments.scatter)
        return self

    def _keep_covariance(self, total: np.ndarray, scatter: np.ndarray) -> None:
        """Regularise the covariances and compute the roots of their inverses."""
        keep = 1.0 - self.reg
        if self.covariance == "shared":
            pooled = self._pool(scatter.diagonal() / total.sum())
            self.covariance_ = keep * scatter / total.sum() + self.reg * np.diag(pooled)
            self.precision_roots_ = self._root(self.covariance_, "the classes")
        elif self.covariance == "full":
            pooled = self._pool(scatter.sum(axis=0).diagonal() / total.sum())
            self.covariance_ = keep * scatter / total[:, None, None] + self.reg * np.diag(pooled)
            names = [f"class {name!r}" for name in self.classes_.tolist()]
            roots = [self._root(matrix, name) for matrix, name in zip(self.covariance_, names, strict=True)]
            self.precision_roots_ = np.array(roots)
        else:
            pooled = self._pool(scatter.sum(axis=0) / total.sum())
            variances = keep * scatter / total[:, None] + self.reg * pooled
            self.covariance_ = variances if self.covariance == "diagonal" else variances.mean(axis=1)
            if not (self.covariance_ > 0.0).all():
                raise self._singular("a class")
            self.precision_roots_ = 1.0 / np.sqrt(self.covariance_)

    def _pool(self, variances: np.ndarray) -> np.ndarray:
        """The variances within classes; 1 for a column that is constant there, which then decides nothing."""
        constant = np.sqrt(np.maximum(variances, 0.0)) <= _CONSTANT * np.abs(self.means_).max(axis=0)
        return np.where(constant, 1.0, variances)

    def _root(self, matrix: np.ndarray, name: str) -> np.ndarray:
        """The upper triangular A with Σ⁻¹ = A Aᵀ."""
        scale = np.sqrt(np.maximum(matrix.diagonal(), 0.0))
        if not (scale > 0.0).all():
            raise self._singular(name)
        try:
            lower = linalg.cholesky(matrix / np.outer(scale, scale), lower=True, check_finite=False)
        except linalg.LinAlgError as error:
            raise self._singular(name) from error
        if lower.diagonal().min() < 1e-7:
            raise self._singular(name)
        return linalg.solve_triangular(lower, np.diag(1.0 / scale), lower=True, check_finite=False).T

    def _singular(self, name: str) -> DataError:
        return DataError(
            f"the covariance of {name} is singular: columns are constant or depend on others, or rows are too few.",
            "columns that vary within each class",
            f"Increase reg, which is {self.reg}, or choose a covariance of fewer parameters.",
        )

    # -- predictions -----------------------------------------------------------------------------------

    def _checked(self, X: Any) -> np.ndarray:
        return matrix_input(self, X, reset=False)

    def _operations_per_row(self) -> float:
        return float(self.n_features_in_ * len(self.classes_)) * (self.n_features_in_ if self._has_matrices else 1)

    @property
    def _has_matrices(self) -> bool:
        return self.covariance in ("full", "shared")

    def _joint_log_likelihood(self, X: np.ndarray) -> np.ndarray:
        d, roots = self.n_features_in_, self.precision_roots_
        if self.covariance == "full":
            halves, scores = np.log(roots.diagonal(axis1=1, axis2=2)).sum(axis=1), log_densities(X, self.means_, roots)
        elif self.covariance == "shared":
            halves = np.log(roots.diagonal()).sum()
            scores = log_densities(X @ roots, self.means_ @ roots, np.ones_like(self.means_))
        else:
            scales = np.broadcast_to(roots if roots.ndim == 2 else roots[:, None], self.means_.shape)
            halves = np.log(scales).sum(axis=1)
            scores = log_densities(X, self.means_, scales)
        with np.errstate(divide="ignore"):  # a class that is impossible
            return scores + (np.log(self.priors_) + halves - 0.5 * d * np.log(2.0 * np.pi))
