"""Mixtures of Gaussian densities."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import ArrayValue, NoneAllowed
from probus.base import Accepts, DensityMixin, Model, checked_weights, matrix_input
from probus.cluster import KMeans
from probus.distances.magnitudes import check_squares
from probus.errors import DataError
from probus.mixture._components import SHAPES, Components, Scatter, updated
from probus.mixture._expectation import expected_sums, log_densities, sums_of_groups
from probus.parameters import RANDOM_STATE, VERBOSE, parameter
from probus.state import Array, Either, Flag, Many, Number, Size, Spec

_MATRICES = Either(Array("f8", "k d d"), Array("f8", "d d"), Array("f8", "k d"), Array("f8", "k"))


class GaussianMixture(DensityMixin, Model):
    r"""A density that is a sum of Gaussian ones, each the density of a group; fitted by expectation and maximisation.

    .. math:: p(x) = \sum_k \pi_k \, N(x;\, \mu_k, \Sigma_k)

    The likelihood of the training rows never falls: an iteration that would lower it, which ``reg_covar`` can cause,
    is not made.

    Attributes
    ----------
    weights_, means_, covariances_, precisions_, precisions_cholesky_ : arrays
    converged_ : bool
    n_iter_ : int
    lower_bound_ : float
        The mean log-likelihood of the training rows.
    lower_bounds_ : list of float
        That at the start and after each iteration.

    Examples
    --------
    >>> model = GaussianMixture(n_components=2, random_state=0).fit([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]])
    >>> sorted(model.means_.ravel().round(3).tolist())
    [0.1, 9.1]
    """

    n_components: int = parameter("Int.", default=1, at_least=1, kw_only=False)
    covariance_type: str = parameter(
        "A covariance matrix for each component, one for all, variances only, or one variance per component.",
        default="full",
        one_of=("full", "tied", "diag", "spherical", "diagonal"),
    )
    tol: float = parameter("The iteration ends when the mean log-likelihood rises by less.", default=1e-3, at_least=0.0)
    reg_covar: float = parameter(
        "Added to the diagonals of the covariances, so that they stay positive definite.", default=1e-6, at_least=0.0
    )
    max_iter: int = parameter("Int.", default=100, at_least=0)
    n_init: int = parameter(
        "The number of starts, of which the one with the greatest likelihood is kept.", default=1, at_least=1
    )
    init_params: str = parameter(
        'How the first groups are found. Starts by "kmeans" are often alike: of several starts, those by '
        '"random_from_data" mostly find better optima.',
        default="kmeans",
        one_of=("kmeans", "k-means++", "random", "random_from_data"),
    )
    weights_init: Any = parameter("Where to start from.", default=None, of=[ArrayValue(), NoneAllowed()])
    means_init: Any = parameter("Where to start from.", default=None, of=[ArrayValue(), NoneAllowed()])
    precisions_init: Any = parameter("Where to start from.", default=None, of=[ArrayValue(), NoneAllowed()])
    random_state: Any = RANDOM_STATE
    warm_start: bool = parameter("Whether to start from the result of the last fit.", default=False)
    verbose: int = VERBOSE
    verbose_interval: int = parameter(
        "Whether to print the log-likelihood, and after how many iterations.", default=10, at_least=1
    )

    accepts = Accepts(weights=True)

    fitted: ClassVar[dict[str, Spec]] = {
        "weights_": Array("f8", "k"),
        "means_": Array("f8", "k d"),
        "covariances_": _MATRICES,
        "precisions_": _MATRICES,
        "precisions_cholesky_": _MATRICES,
        "converged_": Flag(),
        "n_iter_": Size("i"),
        "lower_bound_": Number(),
        "lower_bounds_": Many(Number()),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """One for each shape of covariances."""
        return [cls(n_components=2, covariance_type=shape) for shape in SHAPES]

    @property
    def _shape(self) -> str:
        return "diag" if self.covariance_type == "diagonal" else self.covariance_type

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> GaussianMixture:
        """Find the components; y is ignored."""
        self.fit_predict(X, y, sample_weight)
        return self

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Find the components, and return the most probable one of each row."""
        again = self.warm_start and hasattr(self, "converged_")
        X = matrix_input(self, X, reset=True, ensure_min_samples=2)
        check_squares(X)
        w = checked_weights(sample_weight, X)
        w = np.ones(len(X)) if w is None else w
        if len(X) < self.n_components:
            raise DataError(
                f"Expected n_samples >= n_components but got n_components = {self.n_components}, n_samples = {len(X)}",
                "at least a row for each component",
            )
        random = check_random_state(self.random_state)
        scatter = Scatter.of(X, w) if self._shape == "tied" else None
        best: tuple[Components, list[float], bool] | None = None
        for _ in range(1 if again else self.n_init):
            start = self._components() if again else self._start(X, w, scatter, random)
            found = self._iterate(X, w, start, scatter)
            if best is None or found[1][-1] > best[1][-1]:
                best = found
        assert best is not None
        components, bounds, converged = best
        if not converged and self.max_iter > 0:
            warnings.warn(
                "Best performing initialization did not converge. Try different init parameters, or increase "
                "max_iter, tol, or check for degenerate data.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self._keep(components)
        self.lower_bounds_, self.converged_ = bounds, converged
        self.lower_bound_, self.n_iter_ = bounds[-1], len(bounds) - 1
        return log_densities(X, components).argmax(axis=1)

    def _iterate(
        self, X: np.ndarray, w: np.ndarray, components: Components, scatter: Scatter | None
    ) -> tuple[Components, list[float], bool]:
        """Components, the mean log-likelihood at the start and after each iteration, and whether they converged."""
        total = w.sum()
        sums = expected_sums(X, w, components)
        bounds = [sums.log_likelihood / total]
        for n_iter in range(1, self.max_iter + 1):
            better = updated(self._shape, sums, components.means, self.reg_covar, scatter)
            sums = expected_sums(X, w, better)
            rise = sums.log_likelihood / total - bounds[-1]
            if self.verbose and n_iter % self.verbose_interval == 0:
                print(f"  Iteration {n_iter}\t mean log-likelihood {bounds[-1] + rise:.6f}\t rise {rise:.6f}")
            if rise < 0:
                return components, bounds, True
            components = better
            bounds.append(sums.log_likelihood / total)
            if rise < self.tol:
                return components, bounds, True
        return components, bounds, False

    def _start(
        self, X: np.ndarray, w: np.ndarray, scatter: Scatter | None, random: np.random.RandomState
    ) -> Components:
        """Components of the first groups, or those given."""
        k, shape, d = self.n_components, self._shape, X.shape[1]
        weights, means, covariances = self._first_components(X, w, scatter, random)
        if self.weights_init is not None:
            weights = _checked_shares(_given(self.weights_init, (k,), "weights"))
        if self.means_init is not None:
            means = _given(self.means_init, (k, d), "means")
        if self.precisions_init is not None:
            sizes = {"full": (k, d, d), "tied": (d, d), "diag": (k, d), "spherical": (k,)}
            covariances = _invert(shape, _given(self.precisions_init, sizes[shape], f"{shape} precision"))
        return Components.of(shape, weights, means, covariances)

    def _first_components(
        self, X: np.ndarray, w: np.ndarray, scatter: Scatter | None, random: np.random.RandomState
    ) -> tuple[Any, Any, Any]:
        """Weights, means and covariances of the first groups; none where all three are given."""
        if not any(given is None for given in (self.weights_init, self.means_init, self.precisions_init)):
            return None, None, None
        shares = first_shares(X, w, self.n_components, self.init_params, random)
        weight = shares.sum(axis=0) + 10 * np.finfo(np.float64).eps
        reference = shares.T @ X / weight[:, None]
        sums = sums_of_groups(X, shares, reference, self._shape)
        start = updated(self._shape, sums, reference, self.reg_covar, scatter)
        return start.weights, start.means, start.covariances

    def _keep(self, components: Components) -> None:
        self.weights_, self.means_ = components.weights, components.means
        self.covariances_, self.precisions_cholesky_ = components.covariances, components.factors
        self.precisions_ = components.precisions()

    def _components(self) -> Components:
        return Components(self._shape, self.weights_, self.means_, self.covariances_, self.precisions_cholesky_)

    def _logs(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        return log_densities(matrix_input(self, X, reset=False), self._components())

    def predict(self, X: Any) -> np.ndarray:
        """The most probable component of each row."""
        return self._logs(X).argmax(axis=1)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each component for each row."""
        logs = self._logs(X)
        return np.exp(logs - logsumexp(logs, axis=1, keepdims=True))

    def score_samples(self, X: Any) -> np.ndarray:
        """The logarithm of the density at each row."""
        return logsumexp(self._logs(X), axis=1)

    def score(self, X: Any, y: Any = None) -> float:
        """The mean of the logarithm of the density."""
        return float(self.score_samples(X).mean())

    def sample(self, n_samples: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Rows drawn from the density, and their components."""
        check_is_fitted(self)
        if n_samples < 1:
            raise DataError(f"Invalid value for 'n_samples': {n_samples}. The sampling requires at least one sample.")
        random = check_random_state(self.random_state)
        counts = random.multinomial(n_samples, self.weights_)
        drawn = []
        for k, count in enumerate(counts):
            factor = self._components().factor(k)
            noise = random.standard_normal((count, self.means_.shape[1]))
            # x = μ + z U⁻¹ has covariance (U Uᵀ)⁻¹
            away = np.linalg.solve(factor.T, noise.T).T if factor.ndim == 2 else noise / factor
            drawn.append(self.means_[k] + away)
        return np.vstack(drawn), np.repeat(np.arange(len(counts)), counts)

    def _n_parameters(self) -> int:
        """The number of free parameters."""
        k, d = self.means_.shape
        free = {"full": k * d * (d + 1) // 2, "tied": d * (d + 1) // 2, "diag": k * d, "spherical": k}
        return free[self._shape] + k * d + k - 1

    def bic(self, X: Any) -> float:
        """Bayes' information criterion on the rows; the lower, the better."""
        n = np.shape(X)[0]
        return -2 * self.score(X) * n + self._n_parameters() * np.log(n)

    def aic(self, X: Any) -> float:
        """Akaike's information criterion on the rows; the lower, the better."""
        return -2 * self.score(X) * np.shape(X)[0] + 2 * self._n_parameters()


def _given(values: Any, size: tuple[int, ...], name: str) -> np.ndarray:
    array = check_array(values, dtype=np.float64, ensure_2d=False, allow_nd=True)
    if array.shape != size:
        raise DataError(f"The parameter '{name}' should have the shape of {size}, but got {array.shape}")
    return array


def _checked_shares(weights: np.ndarray) -> np.ndarray:
    if (weights < 0).any() or (weights > 1).any():
        raise DataError(
            "The parameter 'weights' should be in the range [0, 1], but got max value "
            f"{weights.max():.5f}, min value {weights.min():.5f}"
        )
    if not np.isclose(weights.sum(), 1.0):
        raise DataError(f"The parameter 'weights' should be normalized, but got sum(weights) = {weights.sum():.5f}")
    return weights


def _invert(shape: str, precisions: np.ndarray) -> np.ndarray:
    """The covariances of given precisions, which must be symmetric and positive definite."""
    name = f"'{shape} precision'" if shape in ("diag", "spherical", "tied") else f"The elements of '{shape} precision'"
    if shape in ("diag", "spherical"):
        if (precisions <= 0).any():
            raise DataError(f"{name} should be positive")
        return 1.0 / precisions
    for matrix in precisions if shape == "full" else [precisions]:
        if not np.allclose(matrix, matrix.T) or (np.linalg.eigvalsh(matrix) <= 0).any():
            raise DataError(f"{name} should be symmetric, positive-definite")
    return np.linalg.inv(precisions)


# -- the first groups of a mixture ---------------------------------------------------------------------


def first_shares(X: np.ndarray, w: np.ndarray, k: int, how: str, random: np.random.RandomState) -> np.ndarray:
    """The weight of each row in each component, rows × components."""
    if how == "random":
        shares = random.uniform(size=(len(X), k))
        return shares / shares.sum(axis=1, keepdims=True) * w[:, None]
    shares = np.zeros((len(X), k))
    if how == "kmeans":
        labels = KMeans(k, n_init=1, random_state=random).fit(X, sample_weight=w).labels_
        shares[np.arange(len(X)), labels] = w
        return shares
    # one row each: drawn at random, or far from each other
    if how == "random_from_data":
        drawn = random.choice(len(X), size=k, replace=False, p=w / w.sum())
    else:
        from sklearn.cluster import kmeans_plusplus

        drawn = kmeans_plusplus(X, k, random_state=random, sample_weight=w)[1]
    shares[drawn, np.arange(k)] = 1.0
    return shares
