"""Quadratic discriminant analysis: normal classes, each with its own covariance."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import linalg

from probus.allowed_values import ArrayValue, HasMethod, NoneAllowed, OneOf, RealIn
from probus.base import Model, checked_weights, encoded_classes, matrix_input
from probus.discriminant_analysis._class_covariances import (
    ChosenCovariance,
    checked_class_priors,
    covariance_of,
    refuse_no_weight,
    shrunk,
)
from probus.discriminant_analysis._class_moments import ClassMoments, moments_by_class
from probus.distances.magnitudes import check_squares
from probus.errors import DataError
from probus.naive_bayes import BayesClassifier
from probus.parameters import attribute, parameter
from probus.state import Array, Labels, Many, Maybe, Spec

_PRECISE = 1e-10  # of the largest variance: smaller ones are computed from the rows


class SingularCovarianceError(DataError, linalg.LinAlgError):
    """A covariance without inverse; scikit-learn raises a LinAlgError there."""


class QuadraticDiscriminantAnalysis(ChosenCovariance, BayesClassifier):
    r"""Normal classes, :math:`\log P(k | x) = -\frac12 (x - μ_k)^T Σ_k^{-1} (x - μ_k) - \frac12 \log|Σ_k| + \log π_k`.

    Attributes
    ----------
    means_ : array of classes × columns
    priors_ : array of classes
    rotations_ : for each class, the axes of its distribution, as columns
    scalings_ : for each class, the variances along them
    covariance_ : for each class, its covariance
    classes_ : array of classes

    Examples
    --------
    >>> X = [[-1, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]]
    >>> QuadraticDiscriminantAnalysis().fit(X, ["a", "a", "a", "b", "b", "b"]).predict([[-0.8, -1]])
    array(['a'], dtype='<U1')
    """

    solver: str = parameter(
        '"eigen" takes ``shrinkage`` and ``covariance_estimator``, "svd" ``reg_param``. "svd" decomposes the '
        "products of columns where these are precise enough, which is faster than the rows.",
        default="svd",
        one_of=("svd", "eigen"),
    )
    shrinkage: Any = parameter(
        'How far the covariance of each class is moved towards a sphere, from 0 to 1; "auto" is Ledoit and Wolf\'s.',
        default=None,
        of=[OneOf("auto"), RealIn(at_least=0, at_most=1), NoneAllowed()],
    )
    priors: Any = parameter(
        "Class probabilities; by default the class frequencies.", default=None, of=[ArrayValue(), NoneAllowed()]
    )
    reg_param: float = parameter("The share of the identity in each covariance.", default=0.0, at_least=0, at_most=1)
    store_covariance: bool = parameter("Whether ``covariance_`` is kept.", default=False)
    tol: float = parameter(
        "The variance below which a direction counts as constant, which is an error.", default=1e-4, at_least=0
    )
    covariance_estimator: Any = parameter(
        'With ``fit(X)`` and ``covariance_``, for the solver "eigen".',
        default=None,
        of=[HasMethod("fit"), NoneAllowed()],
    )

    fitted: ClassVar[dict[str, Spec]] = {
        "classes_": Labels("K"),
        "priors_": Array("f8", "K"),
        "means_": Array("f8", "K d"),
        "rotations_": Many(Array("f8", "d d"), "K"),
        "scalings_": Many(Array("f8", "d"), "K"),
        "covariance_": Maybe(Many(Array("f8", "d d"), "K")),
    }

    priors_: np.ndarray = attribute()
    means_: np.ndarray = attribute()
    rotations_: list[np.ndarray] = attribute()
    scalings_: list[np.ndarray] = attribute()
    covariance_: list[np.ndarray] = attribute()

    @classmethod
    def examples(cls) -> list[Model]:
        """With some regularisation, as columns may be constant."""
        return [cls(reg_param=0.1)]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> QuadraticDiscriminantAnalysis:
        """Estimate the mean and the covariance of each class."""
        X = matrix_input(self, X, reset=True)
        check_squares(X)
        self.classes_, codes = encoded_classes(y, len(X))
        weights = checked_weights(sample_weight, X)
        self._check(codes, weights)
        moments = moments_by_class(X, codes, len(self.classes_), weights)
        self.means_ = moments.means
        self.priors_ = checked_class_priors(self.priors, moments.total)
        axes = [self._axes(X, codes, weights, moments, k) for k in range(len(self.classes_))]
        self.scalings_, self.rotations_ = [scaling for scaling, _ in axes], [rotation for _, rotation in axes]
        if hasattr(self, "covariance_"):
            del self.covariance_
        if self.store_covariance:
            self.covariance_ = [(rotation * scaling) @ rotation.T for scaling, rotation in axes]
        return self

    def _check(self, codes: np.ndarray, weights: np.ndarray | None) -> None:
        if len(self.classes_) < 2:
            raise DataError(
                f"The number of classes has to be greater than one. Got {len(self.classes_)} class: "
                f"{self.classes_.tolist()[0]!r}.",
                "two or more classes",
            )
        counts = np.bincount(codes)
        if counts.min() == 1:
            few = self.classes_[counts.argmin()]
            raise DataError(f"y has only 1 sample in class {few}, covariance is ill defined.", "several of each class")
        if self.solver == "svd" and self.covariance_estimator is not None:
            raise ValueError("covariance_estimator is not supported with solver='svd'. Try solver='eigen' instead.")
        self._check_covariance(weights)
        refuse_no_weight(self.classes_, codes, weights)

    def _axes(
        self, X: np.ndarray, codes: np.ndarray, weights: np.ndarray | None, moments: ClassMoments, k: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The variances of a class along its axes, in falling order, and the axes."""
        rows = codes == k
        if not self.accepts.weights:
            covariance = covariance_of(X[rows], self.shrinkage, self.covariance_estimator)
        else:
            covariance = shrunk(moments.scatter[k] / moments.total[k], self.shrinkage or 0.0)
        values, vectors = linalg.eigh(covariance, check_finite=False)
        if self.solver == "svd":
            if values[0] < _PRECISE * values[-1] and rows.sum() > len(values):
                w = None if weights is None else weights[rows]
                values, vectors = _axes_of_rows(X[rows] - moments.means[k], w)
            values = (1.0 - self.reg_param) * np.maximum(values, 0.0) + self.reg_param
        if (values > self.tol).sum() < len(values):
            self._refuse_rank(k, int(rows.sum()))
        return np.ascontiguousarray(values[::-1]), np.ascontiguousarray(vectors[:, ::-1])

    def _refuse_rank(self, k: int, n_rows: int) -> None:
        name, d = self.classes_[k], self.n_features_in_
        found = f"The covariance matrix of class {name} is not full rank."
        if self.solver == "svd" and n_rows <= d:
            raise SingularCovarianceError(
                f"{found} When using `solver='svd'` the number of samples in each class should be more than the number "
                f"of features, but class {name} has {n_rows} samples and {d} features.",
                "more rows, or regularisation",
                "Pass reg_param=0.1, or solver='eigen' and shrinkage='auto'.",
            )
        name = "shrinkage" if self.solver == "eigen" else "reg_param"
        raise SingularCovarianceError(
            f"{found} Increase the value of `{name}` to reduce the collinearity.",
            f"a variance above {self.tol} in every direction",
            "Drop columns that are constant within the class or depend on others.",
        )

    # -- predictions -----------------------------------------------------------------------------------

    def _checked(self, X: Any) -> np.ndarray:
        return matrix_input(self, X, reset=False)

    def _operations_per_row(self) -> float:
        return float(self.n_features_in_**2 * len(self.classes_))

    def _joint_log_likelihood(self, X: np.ndarray) -> np.ndarray:
        roots = [rotation / np.sqrt(scaling) for rotation, scaling in zip(self.rotations_, self.scalings_, strict=True)]
        constant = np.array([-0.5 * np.log(2.0 * np.pi * scaling).sum() for scaling in self.scalings_])
        with np.errstate(divide="ignore"):  # a class that is impossible
            constant += np.log(self.priors_)
        return log_densities(X, self.means_, roots) + constant

    def decision_function(self, X: Any) -> np.ndarray:
        """log P(k | x) up to a constant of the row; for two classes that of the second minus that of the first."""
        scores = self.predict_joint_log_proba(X)
        if len(self.classes_) == 2:
            return scores[:, 1] - scores[:, 0]
        return scores + 0.5 * self.n_features_in_ * np.log(2.0 * np.pi)  # without the constant, as in scikit-learn


def _axes_of_rows(centred: np.ndarray, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    total = len(centred) if weights is None else weights.sum()
    rows = centred if weights is None else centred * np.sqrt(weights)[:, None]
    _, S, Vt = linalg.svd(rows, full_matrices=False, check_finite=False)
    return S[::-1] ** 2 / total, Vt[::-1].T


def log_densities(X: np.ndarray, means: np.ndarray, roots: Any) -> np.ndarray:
    """−½ (x − μ_k)ᵀ A_k A_kᵀ (x − μ_k) of each row and class, as float64[n, K].

    means (IN)  float64[K, d]
    roots (IN)  float64[K, d, d], A_k of the inverse covariances, or float64[K, d], their diagonals
    """
    found = np.empty((len(X), len(means)))
    for k, (mean, root) in enumerate(zip(means, roots, strict=True)):
        with np.errstate(over="ignore", invalid="ignore"):
            z = (X - mean) * root if root.ndim == 1 else (X - mean) @ root
            found[:, k] = -0.5 * np.einsum("ij,ij->i", z, z)
    # squares of numbers beyond 1e154 overflow: the class is impossible, as long as another is not
    return np.nan_to_num(found, copy=False, nan=-1e300, neginf=-1e300)
