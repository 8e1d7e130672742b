"""Support vector classification with kernels."""

from __future__ import annotations

from threading import local
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import OneOf, TrueOrFalse
from probus.base import Classifier, Model, class_factors, encoded_classes
from probus.errors import DataError
from probus.parallel import blas_on_one_thread, chunked, thread_count
from probus.parameters import CLASS_WEIGHT, RANDOM_STATE, attribute, parameter
from probus.sklearn_seam import num_samples, safe_indexing
from probus.state import Array, Labels, Maybe, Spec
from probus.svm._dual_problem import nu_svc_problem, svc_problem
from probus.svm._dual_solver import Solver, dual_solver
from probus.svm._kernel_functions import KERNELS
from probus.svm._kernel_machine import COST, NU, KernelMachine
from probus.svm._one_vs_one import PairFit, joined, pair_coefs, pair_decisions, pairs_of, votes, votes_and_decisions
from probus.svm._platt_scaling import coupled, fitted_sigmoid, pair_probabilities
from probus.svm._training_kernel import TrainingKernel

_FOLDS = 5  # of the cross-validation that probabilities come from
_NO_MARGIN = 1e-12  # a smaller margin is rounding: no kernel value distinguishes the classes


class KernelClassifier(Classifier, KernelMachine):
    """Parent of SVC and NuSVC: one machine per pair of classes."""

    probability: Any = parameter(
        "Whether ``predict_proba`` is available: a logistic function of decisions for rows that were left out of the "
        "fit in 5-fold cross-validation.",
        default=False,
        of=[TrueOrFalse(), OneOf("deprecated")],
    )
    class_weight: Any = CLASS_WEIGHT.but(
        doc='Factors of C by class; "balanced" gives all classes the same total weight.'
    )
    decision_function_shape: str = parameter(
        "Whether ``decision_function`` has a column per class or per pair.", default="ovr", one_of=("ovr", "ovo")
    )
    break_ties: bool = parameter(
        "Whether classes that win equally many pairs are decided by the values of their decisions.", default=False
    )
    random_state: Any = RANDOM_STATE.but(doc="The seed of the folds of ``probability=True``.")

    probA_: np.ndarray | None = attribute()
    probB_: np.ndarray | None = attribute()

    fitted: ClassVar[dict[str, Spec]] = {
        "classes_": Labels("K"),
        "class_weight_": Array("f8", "K"),
        **KernelMachine.fitted,
        "n_support_": Array("i4", "K"),
        "n_iter_": Array("i4", "p"),
        "optimality_": Array("f8", "p"),
        "dual_gap_": Array("f8", "p"),
        "probA_": Maybe(Array("f8", "p")),
        "probB_": Maybe(Array("f8", "p")),
    }

    def _fit_pair(self, signs: np.ndarray, weights: np.ndarray, factors: np.ndarray, solve: Solver) -> PairFit:
        """The machine of two classes, with the weights of rows and the factors of their classes."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> KernelClassifier:
        """Find the support vectors."""
        X = self._training_rows(X)
        n = num_samples(X)
        self.classes_, codes = encoded_classes(y, n)
        K = len(self.classes_)
        if K < 2:
            raise DataError(
                f"The number of classes has to be greater than one; got {K} class.", "two or more classes in y"
            )
        self.class_weight_ = class_factors(self.class_weight, self.classes_, codes)
        weights = self._weights(sample_weight, n)
        members = [np.flatnonzero((codes == k) & (weights > 0)) for k in range(K)]
        self.gamma_ = self._effective_gamma(X)
        fits = self._fit_pairs(self._training_kernel(X, members), members, weights)
        solutions = [fit.solution for fit in fits]
        support, self.n_support_, dual = joined(fits, members)
        sign = -1.0 if K == 2 else 1.0  # of two classes, the second is the positive one
        self._keep(X, support, sign * dual, sign * np.array([fit.intercept for fit in fits]))
        self.n_iter_ = np.array([solution.steps for solution in solutions], dtype=np.int32)
        self.optimality_ = np.array([solution.violation for solution in solutions])
        self.dual_gap_ = np.array([solution.relative_gap for solution in solutions])
        self._certify(solutions)
        self.probA_, self.probB_ = self._calibrated(X, codes, weights) if self.probability is True else (None, None)
        return self

    def _fit_pairs(self, kernel: TrainingKernel, members: list[np.ndarray], weights: np.ndarray) -> list[PairFit]:
        """The machines of all pairs of classes, on threads."""
        pairs = pairs_of(len(members))
        threads = thread_count(None, 20.0 * sum(len(rows) for rows in members) ** 2)
        within = threads if len(pairs) == 1 else 1
        largest, memories = sum(sorted(len(rows) for rows in members)[-2:]), local()

        def fit(p: int, _: int) -> PairFit:
            i, j = pairs[p]
            sizes = [len(members[i]), len(members[j])]
            if not hasattr(memories, "own"):  # fresh memory costs more than the values in it
                memories.own = self._memory(largest, within / threads)
            return self._fit_pair(
                np.repeat([1.0, -1.0], sizes),
                weights[np.concatenate([members[i], members[j]])],
                np.repeat(self.class_weight_[[i, j]], sizes),
                dual_solver(kernel, (i, j), memories.own, self.tol, self.max_iter, within),
            )

        with blas_on_one_thread(threads > 1):
            return chunked(fit, len(pairs), threads // within, chunk=1)

    def _calibrated(self, X: Any, codes: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The sigmoid of each pair, from decisions for rows that the machine was not fitted on."""
        decisions = self._decisions_left_out(X, codes, weights)
        sigmoids = []
        for (i, j), decision in zip(pairs_of(len(self.classes_)), decisions.T, strict=True):
            used = np.isfinite(decision) & ((codes == i) | (codes == j)) & (weights > 0)
            sigmoids.append(fitted_sigmoid(decision[used], codes[used] == i))
        A, B = zip(*sigmoids, strict=True)
        return np.array(A), np.array(B)

    def _decisions_left_out(self, X: Any, codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """Decisions float64[rows, pairs] by five folds, positive for the first of a pair; NaN where a class is absent.

        Each class is spread over the folds evenly.
        """
        pairs = pairs_of(len(self.classes_))
        random, folds = check_random_state(self.random_state), np.empty(len(codes), dtype=np.int64)
        for k in range(len(self.classes_)):
            rows = random.permutation(np.flatnonzero(codes == k))
            folds[rows] = np.arange(len(rows)) % _FOLDS
        found = np.full((len(codes), len(pairs)), np.nan)
        weight_of = dict(enumerate(self.class_weight_))
        for fold in range(_FOLDS):
            rest, out = np.flatnonzero((folds != fold) & (weights > 0)), np.flatnonzero(folds == fold)
            present = np.unique(codes[rest])
            if len(out) == 0 or len(present) < 2:
                continue
            model = clone(self).set_params(probability=False, class_weight={k: weight_of[k] for k in present})
            if self.kernel in KERNELS:
                model.set_params(gamma=self.gamma_)
            model.fit(_rows_of(X, rest, rest, self.kernel), codes[rest], weights[rest])
            decisions = model._pair_decisions(_rows_of(X, out, rest, self.kernel))
            decisions = -decisions if len(present) == 2 else decisions
            for (a, b), column in zip(pairs_of(len(present)), decisions.T, strict=True):
                found[out, pairs.index((present[a], present[b]))] = column
        return found

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
            return votes_and_decisions(decisions, len(self.classes_))
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

    def _has_probabilities(self) -> bool:
        if self.probability is not True:
            raise AttributeError("predict_proba is not available when probability=False")
        return True

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """P(y | x) for each row and class; needs ``probability=True`` in ``fit``."""
        check_is_fitted(self)
        if self.probA_ is None or self.probB_ is None:
            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        K, decisions = len(self.classes_), self._pair_decisions(X)
        pairwise = pair_probabilities(-decisions if K == 2 else decisions, self.probA_, self.probB_)
        return np.column_stack([pairwise, 1.0 - pairwise]) if K == 2 else coupled(pairwise, K)

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """log P(y | x) for each row and class."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))


def _rows_of(X: Any, rows: np.ndarray, fitted: np.ndarray, kernel: Any) -> Any:
    """Some rows as a machine fitted on others takes them: of a kernel matrix the columns of those."""
    return X[np.ix_(rows, fitted)] if kernel == "precomputed" else safe_indexing(X, rows)


class SVC(KernelClassifier):
    r"""Support vector classification, :math:`\min \frac12 ‖w‖^2 + C \sum_i \max(0, 1 - y_i (w^⊤ φ(x_i) + b))`.

    More than two classes are decided by the votes of one machine per pair.

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
    probA_, probB_ : arrays of pairs, or None
        The logistic functions of ``probability=True``.
    fit_status_ : int
        0 if the fit ended, 1 if it stopped at ``max_iter``.
    shape_fit_ : tuple
    gamma_ : float
        γ.
    fit_rows_ : array or None
        The rows of the fit, which a callable kernel compares others with.
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

    C: float = COST

    def _fit_pair(self, signs: np.ndarray, weights: np.ndarray, factors: np.ndarray, solve: Solver) -> PairFit:
        if (signs == signs[0]).all():
            raise DataError(
                "Invalid input - all samples with positive weights belong to the same class.",
                "rows of positive weight of every class",
            )
        solution = solve(svc_problem(signs, self.C * weights * factors))
        return PairFit(solution, solution.beta, -solution.levels[0])


class NuSVC(KernelClassifier):
    r"""Support vector classification with the share ν of support vectors in place of C.

    At least a share ν of the rows are support vectors, and at most ν are on the wrong side of the margin.

    Attributes are those of ``SVC``.

    Examples
    --------
    >>> model = NuSVC(nu=0.5, kernel="linear").fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"])
    >>> model.predict([[1.4], [1.6]])
    array(['no', 'yes'], dtype='<U3')
    """

    nu: float = NU.but(
        doc="ν, the least share of support vectors. It is infeasible if a class has less than ν/2 of the rows of a "
        "pair."
    )

    @classmethod
    def examples(cls) -> list[Model]:
        """Precise, and with a γ that separates the rows and does not depend on them: weights equal repetition."""
        return [cls(tol=1e-10, gamma=2.0, nu=0.3)]

    def _fit_pair(self, signs: np.ndarray, weights: np.ndarray, factors: np.ndarray, solve: Solver) -> PairFit:
        total, smaller = weights.sum(), min(weights[signs > 0].sum(), weights[signs < 0].sum())
        if 0.5 * self.nu * total > smaller:
            raise DataError(
                f"specified nu is infeasible: {self.nu:.3g}, where a class has only {smaller / total:.3g} of the rows "
                "of a pair.",
                "at most twice the share of the smaller class",
                f"Choose nu up to {2 * smaller / total:.3g}, or use SVC.",
            )
        solution = solve(nu_svc_problem(signs, weights, self.nu))
        first, second = solution.levels
        margin = 0.5 * (first - second)
        margin = margin if margin > _NO_MARGIN * max(abs(first), abs(second), 1.0) else 1.0
        if (factors == 1.0).all():
            return PairFit(solution, solution.beta / margin, -0.5 * (first + second) / margin)
        solution = solve(svc_problem(signs, weights * factors / margin))
        return PairFit(solution, solution.beta, -solution.levels[0])
