"""A light Gaussian process for Bayesian optimisation: Matérn 5/2, a length scale for each parameter."""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.optimize import minimize

_SQRT5 = math.sqrt(5.0)
_LENGTH = (math.sqrt(2.0), math.sqrt(3.0))  # mean and deviation of log length scales, before √d (Hvarfner et al. 2024)
_NOISE = (-6.0, 2.0)  # of the log variance of the noise, relative to scores of variance 1
_SIGNAL = (0.0, 1.0)  # of the log variance of the process
_BOUNDS = {"length": (-3.0, 5.0), "noise": (-14.0, 0.0), "signal": (-3.0, 3.0)}


class GaussianSurrogate:
    """The posterior of a Gaussian process whose hyperparameters are at the mode of their posterior.

    The covariance is σ² (1 + √5 r + 5 r²/3) exp(-√5 r) with r² = Σ_g (Δ_g / l_g)², and a variance of noise. Length
    scales have a log-normal prior that grows with the number of parameters, after Hvarfner, Hellsten and Nardi (2024,
    ICML): without it, few points in many dimensions give length scales at random. The mode is found by L-BFGS with
    analytic gradients.

    Parameters
    ----------
    groups : which parameter each column of X belongs to: columns of one parameter share a length scale
    """

    def __init__(self, groups: np.ndarray):
        self.groups = groups
        self.n_groups = int(groups.max()) + 1 if len(groups) else 0
        prior = [_LENGTH[0] + 0.5 * math.log(max(self.n_groups, 1))] * self.n_groups
        self.mean = np.array([*prior, _SIGNAL[0], _NOISE[0]])
        self.deviation = np.array([*[_LENGTH[1]] * self.n_groups, _SIGNAL[1], _NOISE[1]])
        self.theta = self.mean.copy()

    def fit(self, X: np.ndarray, y: np.ndarray, starts: int = 2) -> GaussianSurrogate:
        """Fit the hyperparameters, from those of the last fit and from the prior's, and condition on the points."""
        self._y_mean, self._y_scale = float(y.mean()), float(y.std()) or 1.0
        z = (y - self._y_mean) / self._y_scale
        squares = self._squares(X, X)
        bounds = [_BOUNDS["length"]] * self.n_groups + [_BOUNDS["signal"], _BOUNDS["noise"]]
        short = self.mean.copy()
        short[: self.n_groups] = math.log(0.5)
        found = [
            minimize(self._loss, start, args=(squares, z), jac=True, method="L-BFGS-B", bounds=bounds,
                     options={"maxiter": 50})
            for start in (self.theta, short, self.mean)[:starts]
        ]  # fmt: skip
        # rounded: another order of additions, on another machine, then gives the same process and the same search
        self.theta = np.round(min(found, key=lambda each: each.fun).x, 2)
        self.X = X
        covariance = self._covariance(squares)[0]
        self._factor = _factor(covariance, self._noise)
        self._weights = cho_solve((self._factor, True), z)
        return self

    def predict(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The mean and the standard deviation of the process, without noise."""
        cross = self._covariance(self._squares(X, self.X))[0]
        mean = cross @ self._weights
        half = solve_triangular(self._factor, cross.T, lower=True, check_finite=False)
        variance = np.maximum(math.exp(self.theta[-2]) - np.einsum("ij,ij->j", half, half), 1e-12)
        return self._y_mean + self._y_scale * mean, self._y_scale * np.sqrt(variance)

    @property
    def _noise(self) -> float:
        return math.exp(self.theta[-1])

    def _squares(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Squared differences, added up within each parameter: (parameters, rows of one, rows of other)."""
        squares = np.zeros((self.n_groups, len(one), len(other)))
        for column, group in enumerate(self.groups):
            squares[group] += (one[:, column, None] - other[None, :, column]) ** 2
        return squares

    def _covariance(self, squares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The covariance, and its derivative by r², for the present hyperparameters."""
        return _matern(squares, self.theta)

    def _loss(self, theta: np.ndarray, squares: np.ndarray, z: np.ndarray) -> tuple[float, np.ndarray]:
        """Minus the log posterior of the hyperparameters, and its gradient."""
        covariance, slope = _matern(squares, theta)
        try:
            factor = _factor(covariance, math.exp(theta[-1]))
        except np.linalg.LinAlgError:
            return 1e25, np.zeros_like(theta)
        alpha = cho_solve((factor, True), z, check_finite=False)
        inverse = cho_solve((factor, True), np.eye(len(z)), check_finite=False)
        value = 0.5 * z @ alpha + np.log(np.diagonal(factor)).sum()
        inner = 0.5 * (inverse - np.outer(alpha, alpha))  # ∂loss/∂K
        gradient = np.empty_like(theta)
        weighted = inner * slope
        lengths = np.exp(-2.0 * theta[:-2])
        gradient[:-2] = -2.0 * lengths * np.einsum("ij,gij->g", weighted, squares)
        gradient[-2] = (inner * covariance).sum()
        gradient[-1] = np.trace(inner) * math.exp(theta[-1])
        pull = (theta - self.mean) / self.deviation
        return float(value + 0.5 * pull @ pull), gradient + pull / self.deviation


def _matern(squares: np.ndarray, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """σ² (1 + a + a²/3) exp(-a) with a = √5 r, and its derivative by r², which is -5/6 σ² (1 + a) exp(-a)."""
    a = _SQRT5 * np.sqrt(np.tensordot(np.exp(-2.0 * theta[:-2]), squares, axes=1))
    decay = math.exp(theta[-2]) * np.exp(-a)
    return decay * (1.0 + a + a * a / 3.0), decay * (1.0 + a) * (-5.0 / 6.0)


def _factor(covariance: np.ndarray, noise: float) -> np.ndarray:
    noisy = covariance.copy()
    noisy[np.diag_indices_from(noisy)] += noise + 1e-8
    return cholesky(noisy, lower=True, check_finite=False)
