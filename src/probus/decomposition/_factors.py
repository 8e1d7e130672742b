"""Factor analysis by maximum likelihood."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from scipy import linalg, optimize, stats
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import ArrayValue, NoneAllowed
from probus.base import Accepts, Model, matrix_input
from probus.decomposition._centred_products import centred_products
from probus.decomposition._latent_gaussian import LatentGaussian, signed
from probus.decomposition._rotations import promax, varimax
from probus.distances.magnitudes import check_squares
from probus.errors import DataError
from probus.parameters import RANDOM_STATE, parameter
from probus.state import Array, Many, Number, Size, Spec


class FactorAnalysis(LatentGaussian):
    r"""Columns as combinations of few common factors and noise of their own: :math:`x = \mu + \Lambda f + e`.

    Maximum likelihood of the correlations, which does not depend on the units of the columns: the loadings that belong
    to given uniquenesses follow from eigenvectors (Lawley and Maxwell 1971), and the uniquenesses are optimised from
    several starts. scikit-learn's class, which stops far from the optimum on some data, as EM does.

    Attributes
    ----------
    components_ : factors × columns, the loadings in the units of the columns.
    noise_variance_ : of each column. uniquenesses_ : the same as a share of its variance.
    loglike_ : the log-likelihood at the end of each start, ascending; the last is that of the model.
    factor_correlations_ : of the factors, not the identity for "promax".
    rotation_ : the matrix that turned the loadings. mean_, n_iter_ : means, iterations.
    objective_ : the discrepancy of correlations that is minimised; statistic_, dof_, pvalue_ : the test that so many
        factors suffice (Bartlett 1951); NaN where there are too many factors to test.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 1)) * [1.0, 2.0, 3.0, 4.0] + rng.normal(size=(500, 4))
    >>> FactorAnalysis(1).fit(X).uniquenesses_.round(1)
    array([0.5, 0.2, 0.1, 0.1])
    """

    n_components: int | None = parameter(
        "The number of factors; None is as many as columns.", default=None, at_least=0, kw_only=False
    )
    tol: float = parameter(
        "The optimisation from a start ends when the relative change of the likelihood is smaller.",
        default=1e-10,
        at_least=0.0,
    )
    copy: bool = parameter("It has no effect: the rows are never changed.", default=True)
    max_iter: int = parameter("The most iterations from each start.", default=1000, at_least=1)
    noise_variance_init: Any = parameter(
        "The noise of each column to start from, in addition to the other starts.",
        default=None,
        of=[ArrayValue(), NoneAllowed()],
    )
    svd_method: str = parameter(
        "It has no effect: no decomposition of the rows is needed.",
        default="randomized",
        one_of=("lapack", "randomized"),
    )
    iterated_power: int = parameter("It has no effect, as ``svd_method``.", default=3, at_least=0)
    rotation: str | None = parameter(
        'How the loadings are rotated; "promax" is oblique, and None does not rotate.',
        default=None,
        one_of=("varimax", "quartimax", "promax"),
    )
    random_state: Any = RANDOM_STATE.but(default=0)
    n_starts: int = parameter("The number of starts: the usual one, and random ones.", default=4, at_least=1)
    min_uniqueness: float = parameter(
        "The least share of a column's variance that is noise, so that no factor is a single column.",
        default=0.005,
        above=0,
        below=1,
    )

    accepts = Accepts()
    fitted: ClassVar[dict[str, Spec]] = {
        "components_": Array("f8", "k d"),
        "noise_variance_": Array("f8", "d"),
        "uniquenesses_": Array("f8", "d"),
        "mean_": Array("f8", "d"),
        "loglike_": Many(Number()),
        "n_iter_": Number(),
        "factor_correlations_": Array("f8", "k k"),
        "rotation_": Array("f8", "k k"),
        "objective_": Number(),
        "statistic_": Number(),
        "dof_": Number(),
        "pvalue_": Number(),
        "n_samples_": Size("n"),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """One factor, and two with a rotation."""
        return [cls(1, n_starts=1), cls(2, rotation="varimax", n_starts=1)]

    def fit(self, X: Any, y: Any = None) -> FactorAnalysis:
        """Find the uniquenesses and loadings; y is ignored."""
        X = matrix_input(self, X, reset=True)
        check_squares(X)
        n, d = X.shape
        self.n_samples_ = n
        k = d if self.n_components is None else self.n_components
        if k > d:
            raise DataError(f"{k} factors of {d} columns.", f"at most {d} factors")
        self.mean_, products = centred_products(X)
        scale = np.sqrt(np.diag(products) / n)
        constant = scale <= 1e-12 * np.maximum(1.0, np.abs(self.mean_))
        scale = np.where(constant, np.maximum(1e-6, 1e-6 * np.abs(self.mean_)), scale)
        correlation = products / n / np.outer(scale, scale)
        correlation[constant], correlation[:, constant] = 0.0, 0.0
        correlation[np.diag_indices(d)] = 1.0
        found = [self._optimum(correlation, k, start) for start in self._starts(correlation, k, scale)]
        best = min(found, key=lambda each: each.fun)
        if best.nit >= self.max_iter:
            warnings.warn(
                f"FactorAnalysis did not converge in max_iter={self.max_iter} iterations.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self._set(correlation, scale, k, best)
        self._test(float(best.fun), n, d, k)
        base = -0.5 * n * (d * np.log(2 * np.pi) + 2 * np.log(scale).sum() + d + _log_determinant(correlation))
        self.loglike_ = sorted(float(base - 0.5 * n * each.fun) for each in found)
        self.n_iter_ = int(sum(each.nit for each in found))
        return self

    def _starts(self, correlation: np.ndarray, k: int, scale: np.ndarray) -> list[np.ndarray]:
        """Jöreskog's usual start, random ones, and the one of the user."""
        d = len(correlation)
        inverse = np.diag(linalg.pinvh(correlation))
        usual = (1 - 0.5 * k / d) / np.maximum(inverse, 1.0)
        random = check_random_state(self.random_state)
        starts = [usual, *(random.uniform(0.1, 0.9, size=d) for _ in range(self.n_starts - 1))]
        if self.noise_variance_init is not None:
            given = np.asarray(self.noise_variance_init, dtype=np.float64)
            if given.shape != (d,):
                raise ValueError(
                    f"noise_variance_init dimension does not match with number of features: {len(given)} != {d}"
                )
            starts.append(given / scale**2)
        return [np.clip(start, self.min_uniqueness, 1.0) for start in starts]

    def _optimum(self, correlation: np.ndarray, k: int, start: np.ndarray) -> Any:
        return optimize.minimize(
            _discrepancy,
            start,
            args=(correlation, k),
            jac=True,
            method="L-BFGS-B",
            bounds=[(self.min_uniqueness, 1.0)] * len(start),
            options={"maxiter": self.max_iter, "ftol": max(self.tol, np.finfo(float).eps), "gtol": 1e-9},
        )

    def _set(self, correlation: np.ndarray, scale: np.ndarray, k: int, best: Any) -> None:
        """Loadings, rotated on request, in the units of the columns."""
        loadings = signed(_loadings(correlation, k, best.x).T).T
        if self.rotation in ("varimax", "promax"):
            self.rotation_ = varimax(loadings) if self.rotation == "varimax" else promax(loadings)
        else:
            self.rotation_ = _quartimax(loadings) if self.rotation == "quartimax" else np.eye(k)
        self.factor_correlations_ = linalg.inv(self.rotation_.T @ self.rotation_) if k else np.eye(0)
        self.uniquenesses_ = best.x
        self.noise_variance_ = best.x * scale**2
        self.components_ = (loadings @ self.rotation_).T * scale

    def _test(self, objective: float, n: int, d: int, k: int) -> None:
        self.objective_ = max(objective, 0.0)
        self.dof_ = max(((d - k) ** 2 - d - k) // 2, 0)
        corrected = n - 1 - (2 * d + 5) / 6 - 2 * k / 3
        testable = self.dof_ > 0 and corrected > 0
        self.statistic_ = corrected * self.objective_ if testable else float("nan")
        self.pvalue_ = float(stats.chi2.sf(self.statistic_, self.dof_)) if testable else float("nan")

    def transform(self, X: Any) -> np.ndarray:
        """The expected factors of each row, given its columns."""
        check_is_fitted(self)
        X = matrix_input(self, X, reset=False)
        weighted = self.components_ / self.noise_variance_
        inverse = linalg.inv(self.factor_correlations_) if len(self.components_) else np.eye(0)
        return (X - self.mean_) @ weighted.T @ linalg.inv(inverse + weighted @ self.components_.T)

    def get_covariance(self) -> np.ndarray:
        """components' · correlations of the factors · components + noise on the diagonal."""
        check_is_fitted(self)
        return self.components_.T @ self.factor_correlations_ @ self.components_ + np.diag(self.noise_variance_)


def _spectrum(correlation: np.ndarray, uniqueness: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues, descending, and eigenvectors of the correlations in units of the noise."""
    unit = 1 / np.sqrt(uniqueness)
    values, vectors = linalg.eigh(correlation * np.outer(unit, unit))
    return values[::-1], vectors[:, ::-1]


def _loadings(correlation: np.ndarray, k: int, uniqueness: np.ndarray) -> np.ndarray:
    values, vectors = _spectrum(correlation, uniqueness)
    return np.sqrt(uniqueness)[:, None] * vectors[:, :k] * np.sqrt(np.maximum(values[:k] - 1, 0.0))


def _discrepancy(uniqueness: np.ndarray, correlation: np.ndarray, k: int) -> tuple[float, np.ndarray]:
    """Σ (λ − ln λ − 1) over the eigenvalues beyond the factors, and its gradient (Lawley and Maxwell 1971)."""
    values, vectors = _spectrum(correlation, uniqueness)
    rest = np.maximum(values[k:], 1e-12)
    value = float((rest - np.log(rest) - 1).sum())
    loadings = np.sqrt(uniqueness)[:, None] * vectors[:, :k] * np.sqrt(np.maximum(values[:k] - 1, 0.0))
    residual = (loadings**2).sum(axis=1) + uniqueness - np.diag(correlation)
    return value, residual / uniqueness**2


def _log_determinant(correlation: np.ndarray) -> float:
    return float(np.log(np.maximum(linalg.eigvalsh(correlation), 1e-12)).sum())


def _quartimax(loadings: np.ndarray) -> np.ndarray:
    """As varimax without the term of the columns: the squares vary most within each row."""
    turned = np.eye(loadings.shape[1])
    for _ in range(1000):
        u, _, vt = np.linalg.svd(loadings.T @ (loadings @ turned) ** 3)
        before, turned = turned, u @ vt
        if np.abs(turned - before).max(initial=0.0) <= 1e-10:
            break
    return turned
