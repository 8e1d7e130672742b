"""Kernel ridge regression."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import linalg
from scipy.sparse import issparse
from sklearn.base import MultiOutputMixin
from sklearn.metrics.pairwise import KERNEL_PARAMS, PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import ArrayValue, CallableValue, InstanceOf, NoneAllowed, OneOf, RealIn
from probus.base import Accepts, Model, Regressor, checked_weights, matrix_input
from probus.distances.magnitudes import check_squares
from probus.errors import DataError
from probus.linear_model import checked_alphas, checked_targets
from probus.parameters import RANDOM_STATE, attribute, parameter
from probus.state import Array, Either, Maybe, Number, Spec
from probus.svm import KernelColumns, KernelFunction

_CHUNK = 4096  # rows that are predicted together


class KernelRidge(MultiOutputMixin, Regressor):
    r"""Ridge regression with a kernel, :math:`\hat y(x) = \sum_i c_i k(x, x_i)` with :math:`(K + αI) c = y`.

    Attributes
    ----------
    dual_coef_ : array of rows, or rows × targets; of landmarks where there are such
    X_fit_ : the rows, or the landmarks; a precomputed matrix as it was given
    landmarks_ : array, the numbers of the landmarks; None without
    approximation_error_ : float
        The share of the trace of the kernel matrix that the approximation lacks, from 0 (exact) to 1.
    loo_residuals_ : array of rows, or rows × targets
        The residual of each row from a fit to all others, without fitting again; None unless ``leave_one_out``.

    Examples
    --------
    >>> X = np.linspace(0.0, 6.0, 40)[:, None]
    >>> model = KernelRidge(alpha=0.01, kernel="rbf", leave_one_out=True).fit(X, np.sin(X[:, 0]))
    >>> bool(np.abs(model.predict([[1.0]]) - np.sin(1.0)) < 0.01), bool(np.abs(model.loo_residuals_).max() < 0.1)
    (True, True)
    >>> few = KernelRidge(alpha=0.01, kernel="rbf", n_landmarks=20, random_state=0).fit(X, np.sin(X[:, 0]))
    >>> few.dual_coef_.shape, few.approximation_error_ < 1e-3
    ((20,), True)
    """

    alpha: Any = parameter(
        "The weight of the penalty.", default=1, of=[RealIn(at_least=0), ArrayValue()], kw_only=False
    )
    kernel: Any = parameter(
        'A name of ``sklearn.metrics.pairwise.pairwise_kernels`` ("linear", "rbf", "poly", …), "precomputed", '
        "or a function of two rows.",
        default="linear",
        of=[
            OneOf(
                "additive_chi2",
                "chi2",
                "cosine",
                "laplacian",
                "linear",
                "poly",
                "polynomial",
                "precomputed",
                "rbf",
                "sigmoid",
            ),
            CallableValue(),
        ],
    )
    gamma: float | None = parameter("Parameters of the named kernels.", default=None, at_least=0)
    degree: float = parameter("Parameters of the named kernels.", default=3, at_least=0)
    coef0: float = parameter("Parameters of the named kernels.", default=1)
    kernel_params: dict[str, Any] | None = parameter(
        "Parameters of a function.", default=None, of=[InstanceOf(dict), NoneAllowed()]
    )
    n_landmarks: int | None = parameter(
        "The kernel matrix is approximated from that many of its columns (Nyström): memory and time then grow "
        "with the number of rows and not with its square and cube. ``approximation_error_`` says how well. "
        "None is exact.",
        default=None,
        at_least=1,
    )
    leave_one_out: bool = parameter(
        "Whether ``loo_residuals_`` are computed, which doubles the time of an exact fit.", default=False
    )
    random_state: Any = RANDOM_STATE

    fitted: ClassVar[dict[str, Spec]] = {
        "dual_coef_": Either(Array("f8", "m"), Array("f8", "m t")),
        "X_fit_": Array("f8", "* *"),
        "landmarks_": Maybe(Array("i8", "m")),
        "approximation_error_": Number(),
        "loo_residuals_": Maybe(Either(Array("f8", "*"), Array("f8", "* t"))),
    }

    landmarks_: np.ndarray | None = attribute()

    @property
    def accepts(self) -> Accepts:
        """Numbers that share a scale."""
        return Accepts(sparse=True, weights=True, scaled=True, negative="chi2" not in str(self.kernel))

    @classmethod
    def examples(cls) -> list[Model]:
        """Exact, and from landmarks."""
        return [cls(kernel="rbf", leave_one_out=True), cls(kernel="rbf", n_landmarks=20)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelRidge:
        """Solve for the coefficients of the rows, or of the landmarks."""
        X = matrix_input(self, X, reset=True)
        check_squares(X)
        targets, single = checked_targets(y, X.shape[0])
        weights = checked_weights(sample_weight, X)
        alphas = checked_alphas(self.alpha, targets.shape[1])
        root = np.ones(X.shape[0]) if weights is None else np.sqrt(weights)
        fit = self._fit_exactly if self.n_landmarks is None else self._fit_landmarks
        dual, loo = fit(X, targets * root[:, None], alphas, root)
        self.dual_coef_ = dual[:, 0].copy() if single else dual
        self.loo_residuals_ = None if loo is None else (loo[:, 0].copy() if single else loo)
        return self

    def _fit_exactly(
        self, X: Any, targets: np.ndarray, alphas: np.ndarray, root: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        _must_fit_into_memory(X.shape[0])
        K = np.outer(root, root) * self._kernel(X)
        self.X_fit_, self.landmarks_, self.approximation_error_ = X, None, 0.0
        dual, loo = np.empty_like(targets), np.empty_like(targets) if self.leave_one_out else None
        for alpha in np.unique(alphas):
            own = alphas == alpha
            dual[:, own], inverse = _solve(K, float(alpha), targets[:, own], self.leave_one_out)
            if loo is not None:
                loo[:, own] = dual[:, own] / inverse[:, None] / np.where(root > 0.0, root, 1.0)[:, None]
        return dual * root[:, None], loo

    def _fit_landmarks(
        self, X: Any, targets: np.ndarray, alphas: np.ndarray, root: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """Ridge regression on the features F of K ≈ F Fᵀ."""
        precomputed = self.kernel == "precomputed"
        factor = nystroem_factor(
            (lambda rows: X[:, rows]) if precomputed else lambda rows: self._kernel(X, X[rows]),
            self._diagonal(X),
            int(self.n_landmarks or 0),
            check_random_state(self.random_state),
        )
        self.landmarks_, self.approximation_error_ = factor.landmarks, factor.error
        self.X_fit_ = X if precomputed else X[factor.landmarks]
        F, S = factor.F * root[:, None], factor.F[factor.landmarks]
        products, right = F.T @ F, F.T @ targets
        beta, loo = np.empty_like(right), np.empty_like(targets) if self.leave_one_out else None
        for alpha in np.unique(alphas):
            own = alphas == alpha
            beta[:, own], inverse = _regularise(products, float(alpha), right[:, own])
            if loo is not None:
                leverage = np.einsum("ij,ij->i", F @ inverse, F)
                loo[:, own] = (targets[:, own] - F @ beta[:, own]) / np.maximum(1.0 - leverage, 1e-12)[:, None]
                loo[:, own] /= np.where(root > 0.0, root, 1.0)[:, None]
        return linalg.solve_triangular(S, beta, lower=True, trans="T", check_finite=False), loo

    def _diagonal(self, X: Any) -> np.ndarray:
        """k(x, x) of each row."""
        if self.kernel == "precomputed":
            return np.diagonal(X).copy()
        if self.kernel in ("rbf", "laplacian", "cosine"):
            return np.ones(X.shape[0])
        return np.array([self._kernel(X[[i]])[0, 0] for i in range(X.shape[0])])

    def _kernel(self, X: Any, Y: Any = None) -> np.ndarray:
        if self.kernel not in PAIRWISE_KERNEL_FUNCTIONS:  # a callable, or precomputed
            return pairwise_kernels(X, Y, metric=self.kernel, n_jobs=1, **(self.kernel_params or {}))
        if self.kernel == "rbf" and not (issparse(X) or issparse(Y)):
            return self._gaussian(X, X if Y is None else Y)
        names = [name for name in ("gamma", "degree", "coef0") if name in KERNEL_PARAMS[self.kernel]]
        return PAIRWISE_KERNEL_FUNCTIONS[self.kernel](X, Y, **{name: getattr(self, name) for name in names})

    def _gaussian(self, X: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """The Gaussian kernel, which keeps the digits of small distances between large values."""
        gamma = 1.0 / X.shape[1] if self.gamma is None else float(self.gamma)
        columns, out = KernelColumns(KernelFunction("rbf", gamma), Y), np.empty((len(X), len(Y)))
        columns.fill(columns.left(X), out)
        return out

    def predict(self, X: Any) -> np.ndarray:
        """The predicted number of each row; one column per target where there are several."""
        check_is_fitted(self)
        X = matrix_input(self, X, reset=False)
        parts = [self._product(X[first : first + _CHUNK]) for first in range(0, X.shape[0], _CHUNK)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _product(self, X: Any) -> np.ndarray:
        if self.kernel == "precomputed":
            return (X if self.landmarks_ is None else X[:, self.landmarks_]) @ self.dual_coef_
        return self._kernel(X, self.X_fit_) @ self.dual_coef_


def _must_fit_into_memory(n_rows: int) -> None:
    """Raise where the kernel matrix and its factor need more memory than there is."""
    needed = 16 * n_rows**2
    available = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 2**62
    if needed > available:
        raise DataError(
            f"the kernel matrix of {n_rows:,} rows and its factor take {needed / 2**30:,.0f} GB.",
            f"at most {available / 2**30:,.0f} GB, the memory of this machine",
            "Pass n_landmarks=1000, which approximates the matrix.",
        )


def _solve(K: np.ndarray, alpha: float, targets: np.ndarray, inverse: bool) -> tuple[np.ndarray, np.ndarray]:
    """The solution of (K + αI) c = y, and the diagonal of the inverse; least squares where that is singular."""
    A = K.copy()
    A.flat[:: len(A) + 1] += alpha
    try:
        factor = linalg.cholesky(A, lower=True, overwrite_a=True, check_finite=False)
    except linalg.LinAlgError:
        warnings.warn("Singular matrix in solving dual problem. Using least-squares solution instead.", stacklevel=5)
        A = K + alpha * np.eye(len(K))
        pseudo = linalg.pinvh(A, check_finite=False)
        return pseudo @ targets, np.diagonal(pseudo)
    dual = linalg.cho_solve((factor, True), targets, check_finite=False)
    if not inverse:
        return dual, np.empty(0)
    half = linalg.lapack.dtrtri(factor, lower=1)[0]
    return dual, np.einsum("ij,ij->j", half, half)


def _regularise(products: np.ndarray, alpha: float, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The solution of (FᵀF + αI) β = Fᵀy, and the inverse; both within the range of FᵀF where that is singular."""
    values, vectors = linalg.eigh(products, check_finite=False)
    kept = values > len(values) * np.finfo(np.float64).eps * values.max(initial=0.0)
    inverse = np.where(kept, 1.0 / np.where(kept, values + alpha, 1.0), 0.0)
    matrix = (vectors * inverse) @ vectors.T
    return matrix @ right, matrix


# -- Nyström's approximation of a kernel matrix from some of its columns -------------------------------


_BLOCK = 64  # columns that are drawn and computed together, if that is a tenth of all or less
_ROUNDING = 1e-12  # of the diagonal


@dataclass(frozen=True)
class Factor:
    """K ≈ F Fᵀ.

    F : float64[n, m]. landmarks : int64[m], the rows whose columns of K were used.
    error : the share of the trace of K that is missing, trace(K − F Fᵀ) / trace(K): 0 is exact.
    """

    F: np.ndarray
    landmarks: np.ndarray
    error: float


def nystroem_factor(
    columns: Callable[[np.ndarray], np.ndarray], diagonal: np.ndarray, m: int, random: np.random.RandomState
) -> Factor:
    """A factor of rank m by Cholesky's method with random pivots (Chen, Epperly, Tropp and Webber 2025).

    Landmarks are drawn in blocks, with probabilities proportional to what is missing of the diagonal, so that they
    spread over the rows. This is exact as soon as nothing is missing.

    columns : the columns K[:, rows] of the kernel matrix. diagonal : k(x, x) of each row.
    """
    n = len(diagonal)
    F, chosen = np.empty((n, min(m, n))), np.empty(0, np.int64)
    missing = diagonal.astype(np.float64).copy()
    most = min(_BLOCK, max(1, m // 10))
    smallest = _ROUNDING * max(diagonal.max(initial=0.0), 0.0)
    while len(chosen) < F.shape[1]:
        open_ = np.flatnonzero(missing > smallest)
        size = min(most, F.shape[1] - len(chosen), len(open_))
        if size == 0:
            break
        share = missing[open_] / missing[open_].sum()
        block = open_[random.choice(len(open_), size, replace=False, p=share)]
        done = len(chosen)
        G = columns(block) - F[:, :done] @ F[block, :done].T
        L, kept = _independent(G[block], smallest)
        block, G = block[kept], G[:, kept]
        new = linalg.solve_triangular(L, G.T, lower=True, check_finite=False).T
        F[:, done : done + len(block)] = new
        chosen = np.append(chosen, block)
        missing = np.maximum(missing - (new**2).sum(axis=1), 0.0)
        missing[block] = 0.0
    total = float(diagonal.sum())
    return Factor(F[:, : len(chosen)], chosen, float(missing.sum()) / total if total > 0.0 else 0.0)


def _independent(G: np.ndarray, smallest: float) -> tuple[np.ndarray, np.ndarray]:
    """The Cholesky factor of the largest part of a matrix that has one, and the rows of that part."""
    packed, order, rank, _ = linalg.lapack.dpstrf(G, tol=max(smallest, np.finfo(float).eps * np.abs(G).max()), lower=1)
    rank = max(int(rank), 1)
    kept = order[:rank] - 1
    return np.tril(packed[:rank, :rank]), kept
