"""Linear classifiers by stochastic gradient descent."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.special import expit
from sklearn.utils.metaestimators import available_if

from probus.base import Model, class_factors, encoded_classes, matrix_input
from probus.errors import DataError
from probus.linear_model._linear_base import float_dtype
from probus.linear_model._linear_decision import LinearDecision
from probus.linear_model.stochastic._sgd_base import StochasticDescent, Walk, checked_start
from probus.losses.margin_losses import CLASS_LOSSES
from probus.parallel import chunked, thread_count
from probus.parameters import CLASS_WEIGHT, N_JOBS, parameter
from probus.sklearn_seam import check_partial_fit_first_call
from probus.state import Array, Either, Labels, Spec


class DescentClassifier(StochasticDescent, LinearDecision):
    """Parent of the classifiers by stochastic gradient descent, one against the rest for more than two classes."""

    loss: str = parameter(
        '"hinge" (support vectors), "log_loss" (logistic regression), "modified_huber", "squared_hinge", "perceptron", '
        '"sigmoid" (1 / (1 + exp(y f)): bounded and not convex, so that no outlier counts more than 1), '
        "or one of the losses of ``SGDRegressor`` for targets −1 and 1.",
        default="hinge",
        one_of=CLASS_LOSSES,
        kw_only=False,
    )
    n_jobs: int | None = N_JOBS.but(doc="Threads for the problems of several classes; None is all processors.")
    class_weight: Any = CLASS_WEIGHT

    fitted: ClassVar[dict[str, Spec]] = {
        "classes_": Labels("K"),
        "coef_": Either(Array("f8", "m d"), Array("f4", "m d")),
        "intercept_": Array("f8", "m"),
        **StochasticDescent.fitted,
    }

    def fit(
        self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None
    ) -> DescentClassifier:
        """Compute the coefficients, in epochs over all rows."""
        self._check_settings(partial=False)
        dtype, X = float_dtype(X), matrix_input(self, X, reset=True, order="C", accept_large_sparse=False)
        classes, codes = encoded_classes(y, X.shape[0])
        if self.warm_start and getattr(self, "coef_", None) is not None:
            coef_init = self.coef_ if coef_init is None else coef_init
            intercept_init = self.intercept_ if intercept_init is None else intercept_init
        self._forget()
        self.classes_ = classes
        walks = self._descend(X, codes, sample_weight, coef_init, intercept_init, self.max_iter)
        self.coef_ = self.coef_.astype(dtype, copy=False)
        self._warn(walks)
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> DescentClassifier:
        """One epoch over a batch of rows; the first call must pass all ``classes``."""
        first = not hasattr(self, "classes_")
        if first:
            self._check_settings(partial=True)
            if self.class_weight == "balanced":
                raise ValueError(
                    "class_weight 'balanced' is not supported for partial_fit. In order to use 'balanced' weights, use "
                    "compute_class_weight('balanced', classes=classes, y=y). In place of y you can use a large enough "
                    "sample of the full training set target to properly estimate the class frequency distributions. "
                    "Pass the resulting weights as the class_weight parameter."
                )
        dtype, X = float_dtype(X), matrix_input(self, X, reset=first, order="C", accept_large_sparse=False)
        check_partial_fit_first_call(self, classes)
        seen, codes = encoded_classes(y, X.shape[0])
        unknown = seen[~np.isin(seen, self.classes_)]
        if len(unknown):
            raise ValueError(f"classes {unknown.tolist()} are not among those of the first call: {self.classes_}")
        if not hasattr(self, "t_"):
            self.t_ = 1.0
        coef = getattr(self, "_standard_coef" if self.average else "coef_", None)
        intercept = getattr(self, "_standard_intercept" if self.average else "intercept_", None)
        self._descend(X, np.searchsorted(self.classes_, seen)[codes], sample_weight, coef, intercept, 1)
        self.coef_ = self.coef_.astype(dtype, copy=False)
        return self

    def _descend(
        self, X: Any, codes: np.ndarray, sample_weight: Any, coef: Any, intercept: Any, max_iter: int
    ) -> list[Walk]:
        """Solve the problem of two classes, or one for each of several."""
        n_classes = len(self.classes_)
        if n_classes < 2:
            raise DataError(
                f"The number of classes has to be greater than one; got {n_classes} class: "
                f"{self.classes_.tolist()[0]!r}.",
                "two or more classes",
            )
        n_problems = 1 if n_classes == 2 else n_classes
        shape = (n_problems, X.shape[1])
        coef = checked_start(coef, shape, "coef_init")
        intercept = checked_start(intercept, shape[:1], "intercept_init")
        data, held_out, weight = self._training_rows(X, codes, sample_weight, max_iter)
        own = class_factors(self.class_weight, self.classes_, codes)
        walks, seeds = self._start(n_problems, coef, intercept, X.shape[1]), self._seeds(n_problems)
        kept, known = X[held_out], codes[held_out]
        codes = codes[data.source]

        def solve(k: int, _: int) -> None:
            positive, others = (k, 1.0) if n_classes > 2 else (1, own[0])
            y = np.where(codes == positive, 1.0, -1.0)
            weights = data.weight * np.where(codes == positive, own[positive], others)

            def score(w: np.ndarray, b: float) -> float:
                return float(np.average((kept @ w + b > 0.0) == (known == positive), weights=weight[held_out]))

            self._walk(walks[k], data, y, weights, int(seeds[k]), max_iter, score)

        threads = thread_count(self.n_jobs, 20.0 * len(data.rows.values) * n_problems) if n_problems > 1 else 1
        chunked(solve, n_problems, threads, chunk=1)
        self._store(walks)
        return walks


def _has_probabilities(model: Any) -> bool:
    if model.loss not in ("log_loss", "modified_huber"):
        raise AttributeError(f"probability estimates are not available for loss={model.loss!r}")
    return True


class SGDClassifier(DescentClassifier):
    r"""A linear classifier by stochastic gradient descent, :math:`\frac1n \sum_i w_i L(y_i, x_i β + β_0) + α R(β)`.

    Attributes
    ----------
    classes_ : array of classes
    coef_ : array of 1 × columns for two classes, else of classes × columns
    intercept_ : array of 1, or of classes
    n_iter_ : int, epochs
    t_ : float, steps and one

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> SGDClassifier(random_state=0).fit(X, y).predict([[0.5], [2.5]])
    array(['no', 'yes'], dtype='<U3')
    >>> from probus.linear_model.optimisers import Adam
    >>> model = SGDClassifier("log_loss", optimiser=Adam(0.1), random_state=0).fit(X, y)
    >>> model.predict_proba([[0.0], [3.0]]).round(1)
    array([[1., 0.],
           [0., 1.]])
    """

    @classmethod
    def examples(cls) -> list[Model]:
        """Support vectors, and logistic regression by another optimiser."""
        from probus.linear_model.optimisers import Adam

        return [cls(), cls("log_loss", optimiser=Adam(0.05), max_iter=50)]

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, for "log_loss" and "modified_huber"; normalised where there are several."""
        scores = self.decision_function(X)
        raw = expit(scores) if self.loss == "log_loss" else (np.clip(scores, -1.0, 1.0) + 1.0) / 2.0
        if raw.ndim == 1:
            return np.column_stack([1.0 - raw, raw])
        total = raw.sum(axis=1, keepdims=True)
        return np.where(total > 0.0, raw, 1.0) / np.where(total > 0.0, total, raw.shape[1])

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))
