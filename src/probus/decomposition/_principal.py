"""Principal component analysis."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy import linalg, sparse
from scipy.special import gammaln
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import IntegerIn, NoneAllowed, OneOf, RealIn
from probus.base import Accepts, Model, matrix_input
from probus.decomposition._centred_products import centred_products
from probus.decomposition._component_choice import choose_components
from probus.decomposition._latent_gaussian import LatentGaussian, signed
from probus.distances.magnitudes import check_squares
from probus.errors import DataError
from probus.parameters import RANDOM_STATE, attribute, parameter
from probus.state import Array, Number, Size, Spec


class PrincipalModel(LatentGaussian):
    """Parent of principal component analyses: projection, its inverse, and the covariance of the model."""

    n_components_: int = attribute()
    explained_variance_: np.ndarray = attribute()
    noise_variance_: float = attribute()
    whiten: bool = attribute()

    fitted: ClassVar[dict[str, Spec]] = {
        "n_components_": Size("k"),
        "components_": Array("f8", "k d"),
        "mean_": Array("f8", "d"),
        "explained_variance_": Array("f8", "k"),
        "explained_variance_ratio_": Array("f8", "k"),
        "singular_values_": Array("f8", "k"),
        "noise_variance_": Number(),
    }

    @property
    def loadings_(self) -> np.ndarray:
        """Columns × components: how far a column moves with a component of one standard deviation."""
        return self.components_.T * np.sqrt(self.explained_variance_)

    def _keep(self, variances: np.ndarray, components: np.ndarray, k: int, total: float, n: int) -> None:
        """Keep the first k components; the variance of the others is noise, by probabilistic PCA."""
        d = components.shape[1]
        rank = min(n, d)
        self.n_components_ = int(k)
        self.components_ = signed(components[:k]).copy()
        self.explained_variance_ = variances[:k].copy()
        self.explained_variance_ratio_ = self.explained_variance_ / total if total > 0 else np.zeros(k)
        self.singular_values_ = np.sqrt(self.explained_variance_ * (n - 1))
        rest = max(total - float(variances[:k].sum()), 0.0)
        self.noise_variance_ = rest / (rank - k) if k < rank else 0.0

    def get_covariance(self) -> np.ndarray:
        """components' · diag(variances − noise) · components + noise on the diagonal."""
        check_is_fitted(self)
        above = np.maximum(self.explained_variance_ - self.noise_variance_, 0.0)
        covariance = (self.components_.T * above) @ self.components_
        covariance[np.diag_indices(len(covariance))] += self.noise_variance_
        return covariance

    def transform(self, X: Any) -> np.ndarray:
        """Project rows on the components."""
        check_is_fitted(self)
        X = matrix_input(self, X, reset=False)
        projected = X @ self.components_.T - self.mean_ @ self.components_.T
        return projected / self._scale() if self.whiten else projected

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Rows of the original columns from their projections."""
        check_is_fitted(self)
        X = np.asarray(X, dtype=np.float64)
        return (X * self._scale() if self.whiten else X) @ self.components_ + self.mean_

    def _scale(self) -> np.ndarray:
        scale = np.sqrt(self.explained_variance_)
        return np.maximum(scale, np.finfo(np.float64).eps)


class PCA(PrincipalModel):
    """Principal components: orthogonal directions of the largest variance, of centred columns.

    scikit-learn's class. The covariance matrix is decomposed where rows are at least twice as many as columns, which
    takes one product of the columns. Otherwise the singular values of the rows are computed, by a randomised method
    where few components of a large matrix are computed.

    Attributes
    ----------
    components_, explained_variance_, explained_variance_ratio_, singular_values_, mean_, n_components_, n_samples_, \
    noise_variance_
        As in scikit-learn.
    loadings_ : columns × components, components times standard deviations; ``plot_loadings`` draws them.

    Examples
    --------
    >>> model = PCA().fit([[-1.0, -1.0], [-2.0, -1.0], [-3.0, -2.0], [1.0, 1.0], [2.0, 1.0], [3.0, 2.0]])
    >>> model.explained_variance_ratio_.round(4)
    array([0.9924, 0.0076])
    """

    n_components: Any = parameter(
        'The number of components, or the share of the variance that they hold. "mle" chooses by Minka\'s '
        'likelihood, "parallel" by parallel analysis of the standardised columns (``choose_components``). '
        "None is all.",
        default=None,
        of=[IntegerIn(at_least=0), RealIn(above=0, below=1, besides_int=True), OneOf("mle", "parallel"), NoneAllowed()],
        kw_only=False,
    )
    copy: bool = parameter("It has no effect: the rows are never changed.", default=True)
    whiten: bool = parameter("Whether components are divided by their standard deviations.", default=False)
    svd_solver: str = parameter(
        'How the components are computed: from the covariance matrix ("covariance_eigh"), by all singular '
        'values ("full") or by few of them ("arpack", "randomized"). "auto" decides by the shape.',
        default="auto",
        one_of=("auto", "full", "covariance_eigh", "arpack", "randomized"),
    )
    tol: float = parameter('Tolerance of the singular values of "arpack".', default=0.0, at_least=0)
    iterated_power: Any = parameter(
        'The number of power iterations of "randomized".', default="auto", of=[OneOf("auto"), IntegerIn(at_least=0)]
    )
    n_oversamples: int = parameter(
        'How many more random vectors than components "randomized" uses.', default=10, at_least=1
    )
    power_iteration_normalizer: str = parameter(
        'How "randomized" normalises between its power iterations.', default="auto", one_of=("auto", "LU", "QR", "none")
    )
    random_state: Any = RANDOM_STATE

    @property
    def accepts(self) -> Accepts:
        """Sparse matrices too, by the solvers that need no centred copy."""
        return Accepts(sparse=self.svd_solver in ("auto", "arpack", "covariance_eigh"))

    fitted: ClassVar[dict[str, Spec]] = {**PrincipalModel.fitted, "n_samples_": Number()}

    @classmethod
    def examples(cls) -> list[Model]:
        """By the covariance, by singular values, and randomised."""
        return [cls(), cls(2, whiten=True, svd_solver="full"), cls(1, svd_solver="randomized", random_state=0)]

    def fit(self, X: Any, y: Any = None) -> PCA:
        """Find the components; y is ignored."""
        if sparse.issparse(X) and not self.accepts.sparse:
            raise TypeError(
                'PCA only support sparse inputs with the "arpack" and "covariance_eigh" solvers, while '
                f'"{self.svd_solver}" was passed. Or use TruncatedSVD.'
            )
        rows: Any = matrix_input(self, X, reset=True, ensure_all_finite=False)
        solver = self._solver(rows)
        with np.errstate(all="ignore"):
            mean, products = self._moments(rows, solver)
        if not np.isfinite(mean).all():
            matrix_input(self, X, reset=True)  # whose error names what is not finite
        check_squares(rows)
        self.n_samples_ = n = rows.shape[0]
        self.mean_ = mean
        if products is not None:
            variances, components = by_covariance(products / max(n - 1, 1))
            total = float(variances.sum())
        else:
            variances, components, total = self._by_rows(rows, solver)
        if self.n_components == "parallel":
            count = max(1, choose_components(rows.toarray() if sparse.issparse(rows) else rows).parallel)
        else:
            count = self._count(variances, total, rows.shape, solver)
        self._keep(variances, components, count, total, n)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Find the components and project the rows."""
        return self.fit(X).transform(X)

    def _solver(self, X: Any) -> str:
        if self.svd_solver != "auto":
            return self.svd_solver
        n, d = X.shape
        few = isinstance(self.n_components, Integral) and 1 <= int(self.n_components) < 0.8 * min(n, d)
        if sparse.issparse(X):
            return "arpack" if few and d > 500 else "covariance_eigh"
        if n >= 2 * d and d <= 2000:
            return "covariance_eigh"
        return "randomized" if max(n, d) > 500 and few else "full"

    def _moments(self, X: Any, solver: str) -> tuple[np.ndarray, np.ndarray | None]:
        """The means, and the centred products where the solver needs them."""
        if sparse.issparse(X):
            mean = np.asarray(X.mean(axis=0)).ravel()
            dense = solver == "covariance_eigh"
            products = np.asarray((X.T @ X).todense()) - X.shape[0] * np.outer(mean, mean) if dense else None
            return mean, products
        return centred_products(X) if solver == "covariance_eigh" else (X.mean(axis=0), None)

    def _by_rows(self, X: Any, solver: str) -> tuple[np.ndarray, np.ndarray, float]:
        """Variances and components from the singular values of the rows, and the sum of all variances."""
        n, d = X.shape
        below = max(n - 1, 1)
        k = self._wanted(min(n, d) - (solver == "arpack" and self.n_components is None))
        if solver in ("arpack", "randomized") and not (isinstance(k, Integral) and 1 <= int(k) <= min(n, d)):
            if isinstance(k, str):
                raise DataError(f"n_components={k!r} cannot be a string with svd_solver={solver!r}")
            raise _too_many(self.n_components, 1, n, d, solver)
        if solver == "full":
            sizes, components = linalg.svd(X - self.mean_, full_matrices=False)[1:]
            return sizes**2 / below, components, float((sizes**2).sum()) / below
        random = check_random_state(self.random_state)
        if solver == "arpack":
            if k == min(n, d):
                raise DataError(
                    f"n_components={k!r} must be strictly less than min(n_samples, n_features)={min(n, d)} with "
                    "svd_solver='arpack'"
                )
            start = random.uniform(-1, 1, size=min(n, d))
            sizes, components = sparse.linalg.svds(_centre(X, self.mean_), k=k, tol=self.tol, v0=start)[1:]
            order = np.argsort(-sizes)
            sizes, components = sizes[order], components[order]
        else:
            from sklearn.utils.extmath import randomized_svd

            centred = X - self.mean_
            found = randomized_svd(
                centred,
                n_components=k,
                n_oversamples=self.n_oversamples,
                n_iter=self.iterated_power,
                power_iteration_normalizer=self.power_iteration_normalizer,
                flip_sign=False,
                random_state=random,
            )[2]
            # within the plane that was found: scores are uncorrelated, and their variances exact
            sizes, turned = linalg.svd(centred @ found.T, full_matrices=False)[1:]
            components = turned @ found
        squares = X.multiply(X).sum() if sparse.issparse(X) else np.square(X - self.mean_).sum()
        total = squares - n * np.square(self.mean_).sum() if sparse.issparse(X) else squares
        return sizes**2 / below, components, float(total) / below

    def _wanted(self, most: int) -> Any:
        return most if self.n_components is None else self.n_components

    def _count(self, variances: np.ndarray, total: float, shape: tuple[int, int], solver: str) -> int:
        """The number of components to keep."""
        n, d = shape
        wanted = self._wanted(min(n, d, len(variances)))
        if wanted == "mle":
            if n < d:
                raise DataError("n_components='mle' is only supported if n_samples >= n_features")
            return _most_likely_count(variances, n)
        if not isinstance(wanted, Integral):
            cumulative = np.cumsum(variances / total) if total > 0 else np.ones(len(variances))
            return min(int(np.searchsorted(cumulative, wanted, side="right")) + 1, len(variances))
        if not 0 <= int(wanted) <= min(n, d):
            raise _too_many(wanted, 0, n, d, solver)
        return int(wanted)


def _too_many(wanted: Any, least: int, n: int, d: int, solver: str) -> DataError:
    return DataError(
        f"n_components={wanted!r} must be between {least} and min(n_samples, n_features)={min(n, d)} with "
        f"svd_solver={solver!r}.",
        f"at most {min(n, d)} components of {n:,} rows and {d:,} columns",
    )


def by_covariance(covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Variances, descending, and components."""
    variances, directions = linalg.eigh(covariance)
    return np.maximum(variances[::-1], 0.0), directions.T[::-1]


def _centre(X: Any, mean: np.ndarray) -> sparse.linalg.LinearOperator:
    """The centred rows, without making a matrix that is not sparse."""
    ones = np.ones(X.shape[0])
    return sparse.linalg.LinearOperator(
        shape=X.shape,
        dtype=np.float64,
        matvec=lambda v: X @ v.ravel() - ones * (mean @ v.ravel()),
        rmatvec=lambda u: X.T @ u.ravel() - mean * u.sum(),
        matmat=lambda V: X @ V - np.outer(ones, mean @ V),
        rmatmat=lambda U: X.T @ U - np.outer(mean, U.sum(axis=0)),
    )


def _most_likely_count(variances: np.ndarray, n_rows: int) -> int:
    """The number of components of the largest evidence (Minka 2000, equation 30); more than a rounding error each."""
    least = 1e-15 * variances[0]
    counts = [k for k in range(1, len(variances)) if variances[k - 1] > least]
    return max(counts, key=lambda k: _log_evidence(variances, k, n_rows, least), default=1)


def _log_evidence(variances: np.ndarray, k: int, n_rows: int, least: float) -> float:
    """The logarithm of the probability of the rows if k components stand out of noise, by Laplace's method."""
    d = len(variances)
    noise = max(variances[k:].mean(), least)
    halves = np.arange(d, d - k, -1) / 2.0
    prior = (gammaln(halves) - halves * np.log(np.pi)).sum() - k * np.log(2.0)
    likelihood = -0.5 * n_rows * (np.log(variances[:k]).sum() + (d - k) * np.log(noise))
    model = np.concatenate([variances[:k], np.full(d - k, noise)])
    i, j = np.triu_indices(k, 1, d)
    bends = (variances[i] - variances[j]) * (1.0 / model[j] - 1.0 / model[i])
    curvature = np.log(n_rows * np.maximum(bends, np.finfo(np.float64).tiny)).sum()
    size = d * k - k * (k + 1) / 2.0 + k
    return float(prior + likelihood + 0.5 * (size * np.log(2.0 * np.pi) - curvature - k * np.log(n_rows)))
