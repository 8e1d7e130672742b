"""Naive Bayes with a normal distribution for each column within each class."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from probus.allowed_values import ArrayValue, NoneAllowed
from probus.base import Accepts, checked_weights, encoded_classes, matrix_input
from probus.errors import DataError
from probus.naive_bayes._class_priors import checked_priors, codes_among
from probus.naive_bayes._distributions import clipped, refuse_variance
from probus.naive_bayes._kernels import Moments, class_moments, gaussian_scores, merge_moments
from probus.naive_bayes._posterior import CHUNK, BayesClassifier
from probus.parallel import chunked, thread_count
from probus.parameters import parameter
from probus.sklearn_seam import check_partial_fit_first_call
from probus.state import Array, Labels, Number, Spec


class GaussianNB(BayesClassifier):
    """Naive Bayes for numeric columns, normal within each class.

    log P(x | y) = −½ Σ_j [log 2πσ²_yj + (x_j − θ_yj)² / σ²_yj], with maximum likelihood means and variances.

    Examples
    --------
    >>> X, y = [[-2.0, -1], [-1, -1], [-1, -2], [1, 1], [1, 2], [2, 1]], [1, 1, 1, 2, 2, 2]
    >>> model = GaussianNB().fit(X, y)
    >>> model.theta_
    array([[-1.33333333, -1.33333333],
           [ 1.33333333,  1.33333333]])
    >>> model.predict([[-0.8, -1]])
    array([1])
    """

    priors: Any = parameter(
        "Class probabilities; by default the class frequencies.", default=None, of=[ArrayValue(), NoneAllowed()]
    )
    var_smoothing: float = parameter(
        "The share of the largest variance of all columns that is added to every variance, so that none is zero.",
        default=1e-9,
        at_least=0,
    )

    accepts = Accepts(weights=True)
    fitted: ClassVar[dict[str, Spec]] = {
        "classes_": Labels("K"),
        "class_count_": Array("f8", "K"),
        "class_prior_": Array("f8", "K"),
        "theta_": Array("f8", "K d"),
        "var_": Array("f8", "K d"),
        "epsilon_": Number(),
    }

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GaussianNB:
        """Estimate mean and variance of each column within each class."""
        X = matrix_input(self, X, reset=True)
        self.classes_, codes = encoded_classes(y, len(X))
        return self._learn(X, codes, sample_weight, past=None)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> GaussianNB:
        """Update the model with a batch of rows; the first call must pass all ``classes``.

        Fitting batches one after the other gives the result of ``fit`` on all rows.
        """
        first = check_partial_fit_first_call(self, classes)
        X = matrix_input(self, X, reset=first)
        codes = codes_among(self.classes_, y, len(X))
        return self._learn(X, codes, sample_weight, past=None if first else self._past_moments())

    def _learn(self, X: np.ndarray, codes: np.ndarray, sample_weight: Any, past: Moments | None) -> GaussianNB:
        prior = None if self.priors is None else checked_priors(self.priors, len(self.classes_))
        weights = checked_weights(sample_weight, X)
        moments = _moments(X, codes, weights, len(self.classes_))
        if past is not None:
            merge_moments(past, moments)
            moments = past
        # as in scikit-learn, the largest variance ignores the weights
        counted = moments if weights is None or past is not None else _moments(X, codes, None, len(self.classes_))
        self.epsilon_ = float(self.var_smoothing * _pooled_variance(counted).max())
        self.class_count_ = moments.total
        self.theta_ = moments.shift + moments.mean
        self.var_ = moments.ssd / np.where(moments.total > 0, moments.total, 1.0)[:, None] + self.epsilon_
        self.class_prior_ = moments.total / moments.total.sum() if prior is None else prior
        self._check_variances(X)
        return self

    def _check_variances(self, X: np.ndarray) -> None:
        """Raise an error where a variance overflows, or underflows to that of a constant column."""
        strange = ~np.isfinite(self.var_).all(axis=0) | (self.var_ < np.finfo(np.float64).tiny).all(axis=0)
        for j in np.flatnonzero(strange):
            if X[:, j].min() < X[:, j].max():
                names = getattr(self, "feature_names_in_", None)
                raise DataError(*refuse_variance(str(j if names is None else names[j]), X[:, j]))

    def _past_moments(self) -> Moments:
        ssd = (self.var_ - self.epsilon_) * self.class_count_[:, None]
        return Moments(self.class_count_.copy(), self.theta_.copy(), np.zeros_like(ssd), ssd)

    def _checked(self, X: Any) -> np.ndarray:
        return matrix_input(self, X, reset=False)

    def _joint_log_likelihood(self, X: np.ndarray) -> np.ndarray:
        # if a column is constant in every class, any common variance will do
        var = np.where((self.var_ == 0).all(axis=0), 1.0, self.var_)
        with np.errstate(divide="ignore"):  # a class without weight has probability 0
            constant = np.log(self.class_prior_) - 0.5 * np.log(2.0 * np.pi * var).sum(axis=1)
            precision = 1.0 / var
        scores = np.empty((len(X), len(constant)))
        gaussian_scores(np.require(X, requirements=["C", "W"]), constant, self.theta_, precision, scores)
        if not np.isfinite(scores.sum()):  # a square has overflowed, or a class has probability 0
            X = clipped(X, self.theta_, var)
            gaussian_scores(np.require(X, requirements=["C", "W"]), constant, self.theta_, precision, scores)
        return scores


def _moments(X: np.ndarray, codes: np.ndarray, weights: np.ndarray | None, n_classes: int) -> Moments:
    """The moments of each class, computed on threads and merged in a fixed order."""
    w = np.empty(0) if weights is None else weights

    def part(start: int, stop: int) -> Moments:
        block, out = (_no_moments(n_classes, X.shape[1]) for _ in range(2))
        rows = np.require(X[start:stop], requirements=["C", "W"])
        class_moments(rows, codes[start:stop], w[start:stop], block, out)
        return out

    first, *others = chunked(part, len(X), thread_count(None, X.size), chunk=CHUNK)
    for other in others:
        merge_moments(first, other)
    return first


def _no_moments(n_classes: int, n_columns: int) -> Moments:
    return Moments(np.zeros(n_classes), *np.zeros((3, n_classes, n_columns)))


def _pooled_variance(moments: Moments) -> np.ndarray:
    """The variance of each column over all classes."""
    share = (moments.total / moments.total.sum())[:, None]
    means = (moments.shift - moments.shift[moments.total.argmax()]) + moments.mean
    with np.errstate(over="ignore"):  # a variance that is not finite is an error of the fit
        between = (share * (means - (share * means).sum(axis=0)) ** 2).sum(axis=0)
    return between + moments.ssd.sum(axis=0) / moments.total.sum()
