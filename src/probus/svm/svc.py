"""Support vector classification with kernels."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import _fit_context
from sklearn.utils import compute_class_weight
from sklearn.utils._param_validation import Hidden, StrOptions
from sklearn.utils.multiclass import _ovr_decision_function
from sklearn.utils.validation import _num_samples, check_is_fitted

from probus.base import Classifier, Model, encoded_classes
from probus.errors import DataError
from probus.parallel import blas_on_one_thread, chunked, thread_count
from probus.state import Array, Labels, Spec
from probus.svm.dual_problem import DualProblem, DualSolution, svc_problem
from probus.svm.kernel_functions import KernelFunction
from probus.svm.kernel_machine import KernelMachine
from probus.svm.one_vs_one import PairFit, joined, pair_coefs, pair_decisions, pairs_of, votes

__all__ = ["SVC"]


class KernelClassifier(Classifier, KernelMachine):
    """Parent of SVC and NuSVC: one machine per pair of classes."""

    class_weight: Any
    decision_function_shape: str
    break_ties: bool

    fitted: ClassVar[dict[str, Spec]] = {
        "classes_": Labels("K"),
        "class_weight_": Array("f8", "K"),
        **KernelMachine.fitted,
        "n_support_": Array("i4", "K"),
        "n_iter_": Array("i4", "p"),
        "optimality_": Array("f8", "p"),
        "dual_gap_": Array("f8", "p"),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{name: kinds for name, kinds in KernelMachine._parameter_constraints.items() if name not in ("epsilon",)},
        "probability": ["boolean", Hidden(StrOptions({"deprecated"}))],
        "class_weight": [StrOptions({"balanced"}), dict, None],
        "decision_function_shape": [StrOptions({"ovr", "ovo"})],
        "break_ties": ["boolean"],
        "random_state": ["random_state"],
    }

    def _problem(self, signs: np.ndarray, weights: np.ndarray) -> DualProblem:
        raise NotImplementedError

    def _pair(self, solution: DualSolution) -> tuple[np.ndarray, float]:
        """The coefficients and the intercept of a solution."""
        raise NotImplementedError

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelClassifier:
        """Find the support vectors."""
        X = self._training_rows(X)
        n = _num_samples(X)
        self.classes_, codes = encoded_classes(y, n)
        K = len(self.classes_)
        if K < 2:
            raise DataError(
                f"The number of classes has to be greater than one; got {K} class.", "two or more classes in y"
            )
        self.class_weight_ = compute_class_weight(self.class_weight, classes=self.classes_, y=self.classes_[codes])
        weights = self._weights(sample_weight, n)
        members = [np.flatnonzero((codes == k) & (weights > 0)) for k in range(K)]
        self.gamma_ = self._effective_gamma(X)
        function, rows = self._function(X)
        solutions = self._solve_pairs(function, rows, members, weights)
        fits = []
        for (i, _), solution in zip(pairs_of(K), solutions, strict=True):
            beta, intercept = self._pair(solution)
            fits.append(PairFit(beta[: len(members[i])], beta[len(members[i]) :], intercept))
        support, self.n_support_, dual = joined(fits, members)
        sign = -1.0 if K == 2 else 1.0  # of two classes, the second is the positive one
        self._keep(X, support, sign * dual, sign * np.array([fit.intercept for fit in fits]))
        self.n_iter_ = np.array([solution.steps for solution in solutions], dtype=np.int32)
        self.optimality_ = np.array([solution.violation for solution in solutions])
        self.dual_gap_ = np.array([solution.relative_gap for solution in solutions])
        self._certify(solutions)
        return self

    def _solve_pairs(
        self, function: KernelFunction, X: Any, members: list[np.ndarray], weights: np.ndarray
    ) -> list[DualSolution]:
        """The solutions of all pairs of classes, on threads."""
        caps = [weights[rows] * weight for rows, weight in zip(members, self.class_weight_, strict=True)]
        pairs = pairs_of(len(members))
        threads = thread_count(None, 20.0 * sum(len(rows) for rows in members) ** 2)

        def solve(start: int, stop: int) -> list[DualSolution]:
            found = []
            for i, j in pairs[start:stop]:
                signs = np.repeat([1.0, -1.0], [len(members[i]), len(members[j])])
                problem = self._problem(signs, np.concatenate([caps[i], caps[j]]))
                rows = np.concatenate([members[i], members[j]])
                found.append(self._solve(problem, function, X, rows, inner, 1.0 / (threads // inner)))
            return found

        inner = threads if len(pairs) == 1 else 1
        with blas_on_one_thread(threads > 1):
            return [found for part in chunked(solve, len(pairs), threads // inner, chunk=1) for found in part]

    # -- predictions -----------------------------------------------------------------------------------

    def _pair_decisions(self, X: Any) -> np.ndarray:
        """The decisions float64[rows, pairs]; of two classes, positive for the second."""
        check_is_fitted(self)
        dual = self._dense_dual_coef()
        if len(self.classes_) == 2:
            return self._kernel_products(X, lambda K: K @ dual.T + self.intercept_)
        return self._kernel_products(X, lambda K: pair_decisions(K, dual, self.n_support_, self.intercept_))

    def _dense_dual_coef(self) -> np.ndarray:
        dual: Any = self.dual_coef_
        return dual.toarray() if sparse.issparse(dual) else dual

    def _linear_coef(self) -> Any:
        if len(self.classes_) == 2:
            return super()._linear_coef()
        coef = pair_coefs(self._dense_dual_coef(), self.n_support_, self.support_vectors_)
        return sparse.csr_matrix(coef) if sparse.issparse(self.support_vectors_) else coef

    def decision_function(self, X: Any) -> np.ndarray:
        """The decision of each row: one for two classes, positive for the second; else of each class ("ovr") or pair.

        "ovo" has one column per pair of classes, positive for the first; "ovr" counts the pairs that a class wins, and
        adds a fraction of its decisions to break ties.
        """
        decisions = self._pair_decisions(X)
        if len(self.classes_) == 2:
            return decisions[:, 0]
        if self.decision_function_shape == "ovr":
            return _ovr_decision_function(decisions < 0, -decisions, len(self.classes_))
        return decisions

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row: the one that wins most pairs."""
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        K = len(self.classes_)
        if self.break_ties and K > 2:
            return self.classes_[self.decision_function(X).argmax(axis=1)]
        decisions = self._pair_decisions(X)
        return self.classes_[(decisions[:, 0] >= 0).astype(np.intp) if K == 2 else votes(decisions, K)]


class SVC(KernelClassifier):
    r"""Support vector classification, :math:`\min \frac12 ‖w‖^2 + C \sum_i \max(0, 1 - y_i (w^⊤ φ(x_i) + b))`.

    More than two classes are decided by the votes of one machine per pair.

    Parameters
    ----------
    C : float
        The weight of the losses against the margin.
    kernel : {"linear", "poly", "rbf", "sigmoid", "precomputed"} or callable
        How similar rows are: x·z, (γ x·z + c)ᵈ, exp(−γ‖x − z‖²), tanh(γ x·z + c), or a function of two sets of rows
        that returns a matrix, such as ``StringKernel``. With "precomputed", X is the kernel matrix.
    degree : int
        d of "poly".
    gamma : {"scale", "auto"} or float
        γ: "scale" is 1 / (columns × variance of X), "auto" 1 / columns.
    coef0 : float
        c of "poly" and "sigmoid".
    shrinking : bool
        As in scikit-learn; working sets make it unnecessary.
    probability : bool
        Whether ``predict_proba`` is available: a logistic function of decisions for rows that were left out of the fit
        in 5-fold cross-validation.
    tol : float
        The largest violation of the optimality conditions, in units of the decision function.
    cache_size : float
        Megabytes for kernel values.
    class_weight : dict, "balanced" or None
        Factors of C by class; "balanced" gives all classes the same total.
    verbose
        As in scikit-learn; ignored.
    max_iter : int
        The largest number of steps of a pair of classes, −1 for no limit.
    decision_function_shape : {"ovr", "ovo"}
        Whether ``decision_function`` has a column per class or per pair.
    break_ties : bool
        Whether classes that win equally many pairs are decided by the values of their decisions.
    random_state
        The folds of ``probability=True``.

    Attributes
    ----------
    classes_, class_weight_ : arrays of classes
    support_ : array of support vectors
        The numbers of the rows that are support vectors, class by class.
    support_vectors_ : array of support vectors × columns
    n_support_ : array of classes
    dual_coef_ : array of (classes − 1) × support vectors
    intercept_ : array of pairs
    coef_ : array of pairs × columns, for a linear kernel
    n_iter_ : array of pairs
    fit_status_ : int
        0 if the fit ended, 1 if it stopped at ``max_iter``.
    shape_fit_ : tuple
    gamma_ : float
        γ.
    optimality_ : array of pairs
        The violation of the optimality conditions that was reached.
    dual_gap_ : array of pairs
        The certificate: the objective is at most this far above its minimum, relative to it.

    Examples
    --------
    >>> model = SVC(kernel="linear").fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"])
    >>> model.predict([[1.4], [1.6]]), model.support_, model.dual_gap_.max() < 1e-6
    (array(['no', 'yes'], dtype='<U3'), array([1, 2], dtype=int32), np.True_)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        name: kinds for name, kinds in KernelClassifier._parameter_constraints.items() if name != "nu"
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: Any = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: Any = None,
        verbose: bool = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
    ):
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Model]:
        """Precise, and with a γ that does not depend on the rows, so that weights equal repetition."""
        return [cls(tol=1e-10, gamma="auto")]

    def _problem(self, signs: np.ndarray, weights: np.ndarray) -> DualProblem:
        if np.unique(signs).size < 2:
            raise DataError(
                "Invalid input - all samples with positive weights belong to the same class.", "two or more classes"
            )
        return svc_problem(signs, self.C * weights)

    def _pair(self, solution: DualSolution) -> tuple[np.ndarray, float]:
        return solution.beta, -solution.levels[0]
