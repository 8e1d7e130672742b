"""What the machines with kernels have in common: parameters, rows, kernels and the products of a prediction."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import CallableValue, OneOf, RealIn
from probus.base import Accepts, Model, matrix_input
from probus.data import Column, Table
from probus.errors import DataError
from probus.parallel import blas_on_one_thread, chunked, thread_count
from probus.parameters import MAX_ITER, TOL, VERBOSE, parameter
from probus.sklearn_seam import num_samples
from probus.state import Array, Either, Labels, Many, Maybe, Number, Spec
from probus.svm._dual_problem import DualSolution
from probus.svm._kernel_functions import KERNELS, KernelColumns, KernelFunction
from probus.svm._training_kernel import TrainingKernel

_FEWEST_ROWS = 64  # of the kernel matrix that are in memory, whatever ``cache_size`` is
_MANY_ROWS = 2000  # from which on single precision, where it does no harm, saves time
_PREDICTED = 256  # rows whose kernel with the support vectors is at hand during a prediction

COST = parameter(
    "The weight of the losses against the penalty: larger values fit the rows more closely.",
    default=1.0,
    above=0.0,
    at_most=np.inf,
)
NU = parameter(
    "ν: at least this share of the rows are support vectors, and at most this share have larger errors.",
    default=0.5,
    above=0.0,
    at_most=1.0,
)
EPSILON = parameter("Errors up to ε do not count.", default=0.1, at_least=0.0)


class KernelMachine(Model):
    """Parent of the machines with kernels."""

    kernel: Any = parameter(
        "How similar rows are: x·z, (γ x·z + c)ᵈ, exp(−γ‖x − z‖²), tanh(γ x·z + c), or a function of two sets of rows "
        'that returns a matrix, such as ``StringKernel``. With "precomputed", X is the kernel matrix.',
        default="rbf",
        of=[OneOf(*KERNELS), CallableValue()],
    )
    degree: int = parameter('d of "poly".', default=3, at_least=0, at_most=np.iinfo(np.int32).max)
    gamma: Any = parameter(
        'γ: "scale" is 1 / (columns × variance of X), "auto" 1 / columns.',
        default="scale",
        of=[OneOf("scale", "auto"), RealIn(at_least=0.0)],
    )
    coef0: float = parameter('c of "poly" and "sigmoid".', default=0.0)
    tol: float = TOL.but(
        doc="The largest violation of the optimality conditions, in units of what is predicted.",
        default=1e-3,
        at_least=None,
        above=0.0,
    )
    shrinking: bool = parameter("Without effect, as working sets make it unnecessary.", default=True)
    cache_size: float = parameter("Megabytes for kernel values.", default=200, above=0)
    verbose: Any = VERBOSE.but(doc="Without effect, as the fit prints nothing.", default=False)
    max_iter: int = MAX_ITER.but(
        doc="The maximum number of steps, of each pair of classes; −1 is no limit.", default=-1, at_least=-1
    )

    fitted: ClassVar[dict[str, Spec]] = {
        "support_": Array("i4", "s"),
        "support_vectors_": Array("f8", "* *"),
        "fit_rows_": Maybe(Either(Labels("n"), Array("f8", "n *"))),
        "dual_coef_": Array("f8", "* s"),
        "intercept_": Array("f8", "*"),
        "fit_status_": Number(),
        "shape_fit_": Many(Number()),
        "gamma_": Number(),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Precise, and with a γ that does not depend on the rows, so that weights equal repetition."""
        return [cls(tol=1e-10, gamma="auto")]

    @property
    def accepts(self) -> Accepts:
        """Numbers on one scale; with a precomputed kernel, the kernel matrix."""
        return Accepts(sparse=self.kernel != "precomputed", weights=True, scaled=self.kernel != "precomputed")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    # -- the rows and the kernel of a fit --------------------------------------------------------------

    def _training_rows(self, X: Any) -> Any:
        """The rows as validated, or unchanged for a callable kernel."""
        if sparse.issparse(X) and self.kernel == "precomputed":
            raise TypeError("Sparse precomputed kernels are not supported. Pass X.toarray().")
        if callable(self.kernel):
            X = _as_given(X)
            self.n_features_in_ = X.shape[1] if getattr(X, "ndim", 1) == 2 else 1
            return X
        X = matrix_input(self, X, reset=True, order="C", accept_large_sparse=False)
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise DataError(
                f"Precomputed matrix must be a square matrix. Input is a {X.shape[0]}x{X.shape[1]} matrix.",
                "the kernel of every row with every row",
            )
        return X

    def _weights(self, sample_weight: Any, n: int) -> np.ndarray:
        """The weight of each row; rows of weight 0 or less take no part."""
        if sample_weight is None:
            return np.ones(n)
        weights = np.asarray(sample_weight, dtype=np.float64)
        if weights.shape != (n,):
            raise DataError(
                f"sample_weight and X have incompatible shapes: {weights.shape} weights for {n} rows.",
                "one weight per row of X",
            )
        if not np.isfinite(weights).all():
            raise DataError("sample_weight contains NaN or infinity.", "finite weights", "Drop those rows.")
        if not (weights > 0).any():
            raise DataError("Invalid input - all samples have zero or negative weights.", "a positive weight")
        return weights

    def _function(self, X: Any) -> tuple[KernelFunction, Any]:
        """The kernel, and the rows it is computed from: for a callable its matrix."""
        if callable(self.kernel):
            K = _matrix_of(self.kernel, X, X)
            if K.shape != (num_samples(X),) * 2:
                raise DataError(
                    f"the kernel returned a matrix of shape {K.shape} for {num_samples(X)} rows.",
                    "the kernel of every row of the first argument with every row of the second",
                )
            return KernelFunction("precomputed"), K
        return self._named_function(), X

    def _named_function(self) -> KernelFunction:
        return KernelFunction(self.kernel, self.gamma_, self.coef0, self.degree)

    def _effective_gamma(self, X: Any) -> float:
        if callable(self.kernel) or self.kernel == "precomputed":
            return 0.0
        if self.gamma == "auto":
            return 1.0 / X.shape[1]
        if self.gamma != "scale":
            return float(self.gamma)
        with np.errstate(over="ignore", invalid="ignore"):
            variance = _sparse_variance(X) if sparse.issparse(X) else X.var()
        return float(1.0 / (X.shape[1] * variance)) if variance != 0 else 1.0

    def _training_kernel(self, X: Any, members: list[np.ndarray]) -> TrainingKernel:
        """The kernel of the rows, class by class; half of the memory is for values that pairs of classes share."""
        function, rows = self._function(X)
        if not function.is_finite(rows):
            raise _not_finite()
        error = 2e-3 * self.tol if rows.shape[0] >= _MANY_ROWS else 0.0
        return TrainingKernel(function, rows, members, error, int(0.5e6 * self.cache_size) // 4)

    def _memory(self, n: int, share: float = 1.0) -> np.ndarray:
        """Memory for kernel rows of problems of up to n rows: a share of what is allowed, for some rows at least."""
        allowed = int(share * self.cache_size * 1e6) // 4
        return np.empty(n * min(n, max(allowed // n, _FEWEST_ROWS)), dtype=np.float32)

    def _keep(self, X: Any, support: np.ndarray, dual_coef: np.ndarray, intercept: np.ndarray) -> None:
        """Store the support vectors and their coefficients."""
        if not (np.isfinite(dual_coef).all() and np.isfinite(intercept).all()):
            raise _not_finite()
        self.support_ = support.astype(np.int32)
        given = callable(self.kernel) or self.kernel == "precomputed"
        self.support_vectors_ = np.empty((0, 0)) if given else X[support]
        self.fit_rows_ = X if callable(self.kernel) else None
        self.dual_coef_ = sparse.csr_matrix(dual_coef) if sparse.issparse(X) and not given else dual_coef
        self.intercept_ = intercept
        self.shape_fit_ = tuple(np.shape(X)) if hasattr(X, "shape") else (num_samples(X),)

    def _certify(self, solutions: list[DualSolution]) -> None:
        """Store what the solutions certify; warn where they are not what ``tol`` asks for."""
        worst = max(solution.violation for solution in solutions)
        self.fit_status_ = int(worst > self.tol and any(solution.stopped for solution in solutions))
        if self.fit_status_:
            warnings.warn(
                f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing your data with "
                "StandardScaler or MinMaxScaler.",
                ConvergenceWarning,
                stacklevel=3,
            )
        elif worst > self.tol:
            warnings.warn(
                f"The optimality conditions are violated by {worst:.1e}, more than tol={self.tol:.1e}, and further "
                "steps do not reduce that. Scale the columns, or choose a smaller C or a larger tol.",
                ConvergenceWarning,
                stacklevel=3,
            )

    # -- predictions -----------------------------------------------------------------------------------

    def _kernel_products(self, X: Any, combine: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """``combine`` of the kernel of some rows with the support vectors, float64[rows, s], for all rows."""
        check_is_fitted(self)
        X, columns = self._checked_rows(X)
        n = X.shape[0]
        if self.support_.size == 0:
            return combine(np.zeros((n, 0)))
        threads = thread_count(None, 10.0 * n * max(1, self.support_.size) * max(1, self.shape_fit_[-1]))

        def part(start: int, stop: int) -> np.ndarray:
            K = np.empty((stop - start, self.support_.size))
            columns.fill(columns.left(X[start:stop]), K)
            return combine(K)

        with blas_on_one_thread(threads > 1), np.errstate(over="ignore", invalid="ignore"):
            found = np.concatenate(chunked(part, n, threads, chunk=_PREDICTED))
        if np.isnan(found).any():
            raise _not_finite("the kernel of some rows with the support vectors is not finite")
        return found

    def _checked_rows(self, X: Any) -> tuple[Any, KernelColumns]:
        """The rows to predict, and the kernel with the support vectors."""
        if callable(self.kernel):
            K = _matrix_of(self.kernel, _as_given(X), self.fit_rows_)
            if K.ndim != 2 or K.shape[1] != self.shape_fit_[0]:
                raise DataError(
                    f"the kernel returned a matrix of shape {K.shape}; X was fitted with {self.shape_fit_[0]} rows.",
                    "the kernel of every row of the first argument with every row of the second",
                )
            return K[:, self.support_], KernelColumns(KernelFunction("precomputed"), K)
        X = matrix_input(self, X, reset=False, order="C", accept_large_sparse=False)
        if self.kernel == "precomputed":
            return X[:, self.support_], KernelColumns(KernelFunction("precomputed"), X)
        if sparse.issparse(X) and not sparse.issparse(self.support_vectors_):
            raise DataError(
                f"cannot use sparse input in {type(self).__name__!r} trained on dense data.",
                "dense rows, as in fit",
                "Pass X.toarray().",
            )
        return X, KernelColumns(self._named_function(), self.support_vectors_ if self.support_.size else X[:1])

    @property
    def coef_(self) -> Any:
        """The weights of the columns; only for a linear kernel."""
        if self.kernel != "linear":
            raise AttributeError("coef_ is only available when using a linear kernel")
        coef = self._linear_coef()
        (coef.data if sparse.issparse(coef) else coef).flags.writeable = False
        return coef

    def _linear_coef(self) -> Any:
        return self.dual_coef_ @ self.support_vectors_


def _not_finite(found: str = "The dual coefficients or intercepts are not finite") -> DataError:
    return DataError(
        f"{found}. The input data may contain large values and need to be preprocessed.",
        "values whose kernel is finite",
        "Scale the columns, for example with sklearn.preprocessing.StandardScaler.",
    )


def _sparse_variance(X: Any) -> float:
    """The variance of all values of a sparse matrix, zeros included, by deviations from their mean."""
    mean, size = X.mean(), X.shape[0] * X.shape[1]
    return float(((X.data - mean) ** 2).sum() + (size - X.nnz) * mean**2) / size


def _matrix_of(kernel: Callable[[Any, Any], Any], A: Any, B: Any) -> np.ndarray:
    """The matrix that a callable returns, as float64."""
    K = kernel(A, B)
    return np.asarray(K.toarray() if sparse.issparse(K) else K, dtype=np.float64)


def _as_given(X: Any) -> Any:
    """What a callable kernel is given: X, as an array where it is a list, a column or a table."""
    if isinstance(X, Table):
        columns = list(X)
        return X.numbers() if all(column.is_number_like for column in columns) else _as_given(_only(columns))
    if isinstance(X, Column):
        return X.decoded()
    return np.asarray(X) if isinstance(X, list) else X


def _only(columns: list[Column]) -> Column:
    if len(columns) != 1:
        raise DataError(
            f"found a table of {len(columns)} columns, not all of numbers.", "numbers, or one column of text"
        )
    return columns[0]
