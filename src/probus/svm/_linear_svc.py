"""Linear support vector classification."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from probus.base import Model, checked_weights, class_factors, matrix_input
from probus.distances.magnitudes import check_squares
from probus.linear_model import LinearDecision, SparseCoefficients, checked_classes
from probus.parallel import blas_on_one_thread, chunked, thread_count
from probus.parameters import CLASS_WEIGHT, inherited, parameter
from probus.state import Array, Labels, Number, Spec
from probus.svm._flat_rows import FlatRows
from probus.svm._l1_descent import minimise_l1_hinge
from probus.svm._linear_machine import Fit, LinearMachine
from probus.svm._multiclass_descent import minimise_joint

_DUALS: dict[tuple[str, str], tuple[bool, ...]] = {
    ("l2", "hinge"): (True,),
    ("l2", "squared_hinge"): (True, False),
    ("l1", "squared_hinge"): (False,),
}


class LinearSVC(SparseCoefficients, LinearDecision, LinearMachine):
    r"""Linear support vector classification, :math:`\min \frac12 ‖w‖^2 + C \sum_i \max(0, 1 - y_i x_i^⊤ w)^2`.

    As in scikit-learn the intercept is penalised: it is the weight of a column of the constant ``intercept_scaling``.

    Attributes
    ----------
    classes_ : array of classes
    coef_ : array of 1 × columns for two classes, else of classes × columns
    intercept_ : array of 1, or of classes
    n_iter_ : int
    dual_gap_ : float
        The certificate: the objective is at most this far above its minimum, relative to it. The largest of all
        machines.

    Examples
    --------
    >>> model = LinearSVC(C=100.0).fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"])
    >>> model.predict([[1.4], [1.6]]), model.dual_gap_ < 1e-6
    (array(['no', 'yes'], dtype='<U3'), True)
    """

    penalty: str = parameter(
        "½‖w‖², or ‖w‖₁, which sets weights to zero (squared hinge loss only).",
        default="l2",
        one_of=("l1", "l2"),
        kw_only=False,
    )
    loss: str = parameter(
        "max(0, 1 − y xᵀw), or its square.", default="squared_hinge", one_of=("hinge", "squared_hinge"), kw_only=False
    )
    multi_class: str = parameter(
        "For more than two classes: one machine per class against the rest, or joint hinge losses: the largest "
        "(Crammer and Singer) or the sum (Weston and Watkins) of max(0, 1 + xᵀw_k − xᵀw_y) over the other classes k. "
        "The joint ones ignore ``loss``, ``penalty`` and ``dual``.",
        default="ovr",
        one_of=("ovr", "crammer_singer", "weston_watkins"),
    )
    intercept_scaling: float = inherited(default=1)
    class_weight: Any = CLASS_WEIGHT.but(
        doc='Factors of C by class; "balanced" gives all classes the same total weight.'
    )

    fitted: ClassVar[dict[str, Spec]] = {
        "classes_": Labels("K"),
        "coef_": Array("f8", "m d"),
        "intercept_": Array("f8", "m"),
        "n_iter_": Number(),
        "dual_gap_": Number(),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Precise, so that equivalent data give equal models."""
        return [cls(tol=1e-20), cls(loss="hinge", C=0.1, tol=1e-15, max_iter=20_000)]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LinearSVC:
        """Compute the weights."""
        X = matrix_input(self, X, reset=True, order="C", accept_large_sparse=False)
        check_squares(X)
        self.classes_, codes = checked_classes(y, X.shape[0])
        weights = checked_weights(sample_weight, X)
        factors = class_factors(self.class_weight, self.classes_, codes, weights)
        caps = np.full(len(codes), float(self.C)) if weights is None else self.C * weights
        used = np.flatnonzero(caps)
        if len(used) < len(caps):
            X, codes, caps = X[used], codes[used], caps[used]
        if self.multi_class == "ovr":
            self._check_supported(self.penalty, _DUALS)
            fits = self._one_vs_rest(X, codes, caps, factors)
        else:
            fits = [self._joint(X, codes, caps * factors[codes])]
        coef, self.intercept_ = self._weights_of(fits if self.multi_class == "ovr" else _by_class(fits[0]))
        self.coef_ = coef
        self.n_iter_ = max(fit[2] for fit in fits)
        self.dual_gap_ = max(float(fit[1]) for fit in fits)
        return self

    def _one_vs_rest(self, X: Any, codes: np.ndarray, caps: np.ndarray, factors: np.ndarray) -> list[Fit]:
        """One machine for two classes, else one per class, on threads."""
        K, seed = len(factors), self._seed()
        threads = min(K, thread_count(None, 20.0 * X.shape[0] * X.shape[1])) if K > 2 else 1

        def machine(start: int, _: int) -> Fit:
            k = start if K > 2 else 1
            signs = np.where(codes == k, 1.0, -1.0)
            rest = factors[0] if K == 2 else 1.0  # against the rest, only the class itself is weighted, as in LIBLINEAR
            own = caps * np.where(codes == k, factors[k], rest)
            if self.penalty == "l2":
                return self._minimise(X, signs, signs, own, None, seed)
            w, gap, epochs = minimise_l1_hinge(self._with_bias(X), signs, own, 1e-2 * self.tol, self.max_iter)
            return (w if self.fit_intercept else np.append(w, 0.0)), gap, epochs

        with blas_on_one_thread(threads > 1):
            return chunked(machine, K if K > 2 else 1, threads, chunk=1)

    def _joint(self, X: Any, codes: np.ndarray, caps: np.ndarray) -> Fit:
        """The machine with one loss for all classes; of two classes the difference of their weights."""
        W, gap, epochs = minimise_joint(
            FlatRows.of(X, self._bias), codes, caps, len(self.classes_), summed=self.multi_class == "weston_watkins",
            tol=1e-2 * self.tol, max_iter=self.max_iter, seed=self._seed(),
        )  # fmt: skip
        return (W if len(W) > 2 else W[1:] - W[:1]), gap, epochs


def _by_class(fit: Fit) -> list[Fit]:
    W, gap, epochs = fit
    return [(w, gap, epochs) for w in W]
