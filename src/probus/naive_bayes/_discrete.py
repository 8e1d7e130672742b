"""Naive Bayes for counts, such as word counts, and for binary features."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csc_array, issparse
from sklearn.preprocessing import binarize
from sklearn.utils.validation import check_non_negative

from probus.allowed_values import ArrayValue, NoneAllowed, RealIn
from probus.base import Accepts, PoorScoreMixin, checked_weights, encoded_classes, matrix_input
from probus.naive_bayes._class_priors import codes_among
from probus.naive_bayes._posterior import BayesClassifier
from probus.parameters import attribute, parameter
from probus.sklearn_seam import check_partial_fit_first_call
from probus.state import Array, Labels, Spec

_SMALLEST_ALPHA = 1e-10


_ALPHA = parameter(
    "Pseudo-count added to every column: Laplace smoothing.", default=1.0, of=[RealIn(at_least=0), ArrayValue()]
)
FORCE_ALPHA = parameter("If False, an alpha below 1e-10 is set to 1e-10.", default=True)
FIT_PRIOR = parameter("Whether class probabilities are estimated; if False, all are equal.", default=True)
CLASS_PRIOR = parameter(
    "Class probabilities, used instead of the estimates.", default=None, of=[ArrayValue(), NoneAllowed()]
)


class DiscreteBayes(PoorScoreMixin, BayesClassifier):
    """Base class of the models that add counts, smooth them by ``alpha`` and take logarithms."""

    alpha: Any = attribute()
    force_alpha: bool = attribute()
    fit_prior: bool = attribute()
    class_prior: Any = attribute()
    class_count_: np.ndarray = attribute()

    @abstractmethod
    def _training_input(self, X: Any, *, reset: bool) -> Any:
        """X, validated for counting."""

    @abstractmethod
    def _count(self, X: Any, codes: np.ndarray, weights: np.ndarray | None, n_classes: int) -> Any:
        """The counts of some rows, whose classes are given by codes."""

    @abstractmethod
    def _keep(self, counts: Any, *, first: bool) -> None:
        """Store the first counts, or add later ones to them."""

    @abstractmethod
    def _smooth(self, alpha: Any) -> None:
        """Compute log probabilities from the counts."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Count within each class."""
        X = self._training_input(X, reset=True)
        classes, codes = encoded_classes(y, X.shape[0])
        return self._learn(X, classes, codes, sample_weight, first=True)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Update the model with a batch of rows; the first call must pass all ``classes``.

        Fitting batches one after the other gives the result of ``fit`` on all rows.
        """
        first = check_partial_fit_first_call(self, classes)
        X = self._training_input(X, reset=first)
        codes = codes_among(self.classes_, y, X.shape[0])
        return self._learn(X, self.classes_, codes, sample_weight, first)

    def _learn(self, X: Any, classes: np.ndarray, codes: np.ndarray, sample_weight: Any, first: bool) -> Self:
        weights = checked_weights(sample_weight, X)
        counts = self._count(X, codes, weights, len(classes))
        class_count = np.bincount(codes, weights, minlength=len(classes)).astype(np.float64)
        self.classes_ = classes
        self.class_count_ = class_count if first else self.class_count_ + class_count
        self._keep(counts, first=first)
        self._smooth(self._check_alpha())
        self.class_log_prior_ = self._log_prior()
        return self

    def _check_alpha(self) -> Any:
        """The pseudo-count, or one for each column; at least 1e-10 unless ``force_alpha``."""
        alpha: Any = self.alpha if isinstance(self.alpha, Real) else np.asarray(self.alpha)
        smallest = np.min(alpha)
        if isinstance(alpha, np.ndarray):
            if alpha.shape[0] != self.n_features_in_:
                raise ValueError(
                    "When alpha is an array, it should contains `n_features`. "
                    f"Got {alpha.shape[0]} elements instead of {self.n_features_in_}."
                )
            if smallest < 0:
                raise ValueError("All values in alpha must be greater than 0.")
        if smallest < _SMALLEST_ALPHA and not self.force_alpha:
            warnings.warn(
                f"alpha too small will result in numeric errors, setting alpha = {_SMALLEST_ALPHA:.1e}. "
                "Use `force_alpha=True` to keep alpha unchanged.",
                stacklevel=2,
            )
            return np.maximum(alpha, _SMALLEST_ALPHA)
        return alpha

    def _log_prior(self) -> np.ndarray:
        n_classes = len(self.classes_)
        if self.class_prior is not None:
            if len(self.class_prior) != n_classes:
                raise ValueError("Number of priors must match number of classes.")
            return np.log(np.asarray(self.class_prior, dtype=np.float64))
        if not self.fit_prior:
            return np.full(n_classes, -np.log(n_classes))
        with np.errstate(divide="ignore"):  # a class may have no rows yet
            return np.log(self.class_count_) - np.log(self.class_count_.sum())


class ColumnSums(DiscreteBayes):
    """Base class of the models that need only the sum of each column within each class."""

    feature_count_: np.ndarray = attribute()
    accepts = Accepts(sparse=True, weights=True)
    fitted: ClassVar[dict[str, Spec]] = {
        "classes_": Labels("K"),
        "class_count_": Array("f8", "K"),
        "class_log_prior_": Array("f8", "K"),
        "feature_count_": Array("f8", "K d"),
        "feature_log_prob_": Array("f8", "K d"),
    }

    def _count(self, X: Any, codes: np.ndarray, weights: np.ndarray | None, n_classes: int) -> np.ndarray:
        n = len(codes)
        each = np.ones(n) if weights is None else weights
        membership = csc_array((each, codes, np.arange(n + 1)), shape=(n_classes, n))
        return (membership.tocsr() @ X).toarray() if issparse(X) else membership @ X

    def _keep(self, counts: np.ndarray, *, first: bool) -> None:
        self.feature_count_ = counts if first else self.feature_count_ + counts


class MultinomialNB(ColumnSums):
    """Naive Bayes for counts, such as word counts: a row is drawn from its class's distribution over columns.

    log P(x | y) = Σ_j x_j log P(j | y) up to a constant of x, with P(j | y) = (N_yj + α) / (N_y + α d).

    Examples
    --------
    >>> words = [[2, 1, 0], [1, 1, 0], [0, 1, 3]]
    >>> MultinomialNB().fit(words, ["sport", "sport", "news"]).predict([[0, 0, 1]])
    array(['news'], dtype='<U5')
    """

    alpha: Any = _ALPHA
    force_alpha: bool = FORCE_ALPHA
    fit_prior: bool = FIT_PRIOR
    class_prior: Any = CLASS_PRIOR

    accepts = Accepts(sparse=True, weights=True, negative=False)

    def _training_input(self, X: Any, *, reset: bool) -> Any:
        X = matrix_input(self, X, reset=reset)
        check_non_negative(X, "MultinomialNB (input X)")
        return X

    def _checked(self, X: Any) -> Any:
        return matrix_input(self, X, reset=False)

    def _smooth(self, alpha: Any) -> None:
        smoothed = self.feature_count_ + alpha
        self.feature_log_prob_ = np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))

    def _joint_log_likelihood(self, X: Any) -> np.ndarray:
        return X @ self.feature_log_prob_.T + self.class_log_prior_


class BernoulliNB(ColumnSums):
    """Naive Bayes for binary features, which are independent given the class.

    log P(x | y) = Σ_j [x_j log p_yj + (1 − x_j) log(1 − p_yj)], with p_yj = (N_yj + α) / (N_y + 2α).

    Examples
    --------
    >>> model = BernoulliNB().fit([[3, 0], [1, 0], [0, 5]], [1, 1, 0])
    >>> model.predict_proba([[1, 0]]).round(3)
    array([[0.09, 0.91]])
    """

    alpha: Any = _ALPHA
    force_alpha: bool = FORCE_ALPHA
    binarize: float | None = parameter(
        "Values above it are 1, others 0; with None, X must hold zeros and ones.", default=0.0, at_least=0
    )
    fit_prior: bool = FIT_PRIOR
    class_prior: Any = CLASS_PRIOR

    def _training_input(self, X: Any, *, reset: bool) -> Any:
        X = matrix_input(self, X, reset=reset)
        if self.binarize is None:
            return X
        return binarize(X, threshold=self.binarize) if issparse(X) else np.greater(X, self.binarize).astype(np.float64)

    def _checked(self, X: Any) -> Any:
        return self._training_input(X, reset=False)

    def _smooth(self, alpha: Any) -> None:
        smoothed = self.class_count_[:, None] + 2.0 * alpha
        self.feature_log_prob_ = np.log(self.feature_count_ + alpha) - np.log(smoothed)

    def _joint_log_likelihood(self, X: Any) -> np.ndarray:
        log_absent = np.log(1.0 - np.exp(self.feature_log_prob_))
        all_absent = self.class_log_prior_ + log_absent.sum(axis=1)
        return X @ (self.feature_log_prob_ - log_absent).T + all_absent
