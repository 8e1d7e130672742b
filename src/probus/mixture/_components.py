"""The Gaussian components of a mixture: means, covariances of one of four shapes, and how sums of rows update them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cholesky, solve_triangular

from probus.errors import DataError

SHAPES = ("full", "tied", "diag", "spherical")


@dataclass(frozen=True)
class Components:
    """Weights, means, covariances, and the factors of their inverses: Σ⁻¹ = U Uᵀ.

    Covariances and factors are k × d × d (full), d × d (tied), k × d (diag) or k (spherical).
    """

    shape: str
    weights: np.ndarray
    means: np.ndarray
    covariances: np.ndarray
    factors: np.ndarray

    @classmethod
    def of(cls, shape: str, weights: np.ndarray, means: np.ndarray, covariances: np.ndarray) -> Components:
        """With the factors computed from the covariances; a DataError where one has no inverse."""
        return cls(shape, weights, means, covariances, _factors(shape, covariances))

    def factor(self, k: int) -> np.ndarray:
        """The factor of a component: a matrix, or the diagonal of one."""
        if self.shape == "full":
            return self.factors[k]
        if self.shape == "tied":
            return self.factors
        return self.factors[k] * np.ones(self.means.shape[1])

    def log_constants(self) -> np.ndarray:
        """The logarithm of each component's weight and of its density at its mean."""
        d = self.means.shape[1]
        with np.errstate(divide="ignore"):
            roots = [np.log(np.diag(f) if f.ndim == 2 else f).sum() for f in map(self.factor, range(len(self.means)))]
            return np.log(self.weights) + np.array(roots) - 0.5 * d * np.log(2 * np.pi)

    def precisions(self) -> np.ndarray:
        """The inverses of the covariances."""
        if self.shape == "full":
            return self.factors @ self.factors.transpose(0, 2, 1)
        return self.factors @ self.factors.T if self.shape == "tied" else self.factors**2


@dataclass
class ResponsibilitySums:
    """Sums over rows, each times its responsibility and weight, of deviations from a reference per component.

    log_likelihood : Σ w log p(x).
    weight : k. first : k × d, of x − m. second : of (x − m)(x − m)ᵀ, k × d × d (full) or k × d, its diagonal.
    """

    log_likelihood: float
    weight: np.ndarray
    first: np.ndarray
    second: np.ndarray

    def __add__(self, other: ResponsibilitySums) -> ResponsibilitySums:
        return ResponsibilitySums(
            self.log_likelihood + other.log_likelihood,
            self.weight + other.weight,
            self.first + other.first,
            self.second + other.second,
        )


@dataclass(frozen=True)
class Scatter:
    """The mean of all rows, and Σ w (x − mean)(x − mean)ᵀ, which tied covariances need."""

    middle: np.ndarray
    total: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray, w: np.ndarray) -> Scatter:
        """That of weighted rows."""
        middle = np.average(X, axis=0, weights=w)
        away = X - middle
        return cls(middle, (w[:, None] * away).T @ away)

    def within(self, weight: np.ndarray, means: np.ndarray) -> np.ndarray:
        """What is left of it around the means of groups."""
        away = means - self.middle
        return self.total - (weight[:, None] * away).T @ away


def updated(
    shape: str, sums: ResponsibilitySums, reference: np.ndarray, reg_covar: float, scatter: Scatter | None
) -> Components:
    """The weights, means and covariances of greatest likelihood given the responsibilities."""
    weight = sums.weight + 10 * np.finfo(np.float64).eps
    shifts = sums.first / weight[:, None]
    means = reference + shifts
    covariances: Any
    if shape == "full":
        covariances = sums.second / weight[:, None, None] - shifts[:, :, None] * shifts[:, None, :]
        covariances += reg_covar * np.eye(means.shape[1])
    elif shape == "tied":
        assert scatter is not None
        covariances = scatter.within(weight, means) / weight.sum() + reg_covar * np.eye(means.shape[1])
    else:
        covariances = np.maximum(sums.second / weight[:, None] - shifts**2, 0.0) + reg_covar
        if shape == "spherical":
            covariances = covariances.mean(axis=1)
    return Components.of(shape, weight / weight.sum(), means, covariances)


def _factors(shape: str, covariances: np.ndarray) -> np.ndarray:
    if shape in ("diag", "spherical"):
        if not (covariances > 0).all():
            raise _singular()
        return 1.0 / np.sqrt(covariances)
    if shape == "tied":
        return _inverse_root(covariances)
    return np.stack([_inverse_root(covariance) for covariance in covariances])


def _inverse_root(covariance: np.ndarray) -> np.ndarray:
    try:
        root = cholesky(covariance, lower=True)
    except (LinAlgError, ValueError):
        raise _singular() from None
    return solve_triangular(root, np.eye(len(root)), lower=True).T


def _singular() -> DataError:
    return DataError(
        "Fitting the mixture model failed because some components have ill-defined empirical covariance "
        "(for instance caused by singleton or collapsed samples). Try to decrease the number of components, increase "
        "reg_covar, or scale the input data.",
        "components that spread in every direction",
    )
