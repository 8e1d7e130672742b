"""Models whose training rows are sampled, and probabilities under the shares of classes before that."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import HasMethod
from probus.augmentation._noise import Noise, RowSampler
from probus.augmentation._random_sampling import RandomOverSampler
from probus.base import (
    Accepts,
    Classifier,
    MetaEstimatorMixin,
    Model,
    PoorScoreMixin,
    Regressor,
    checked_numbers,
    encoded_classes,
)
from probus.data import Table, has_names
from probus.dummy import ZeroRRegressor
from probus.ensemble import aligned_predictions, fit_member, validated
from probus.errors import DataError
from probus.naive_bayes import NaiveBayes
from probus.parameters import attribute, parameter
from probus.state import Array, Labels, Object, Spec
from probus.wrapping import accepted_by_all, must_have_tags

SAMPLER = parameter(
    "What changes the training rows: a sampler of ``probus.augmentation`` or imbalanced-learn.",
    of=[HasMethod("fit_resample")],
    kw_only=False,
)


class SampledModel(MetaEstimatorMixin, Model):
    """Parent of models that are fitted on what a sampler makes of the training rows."""

    sampler: Any = SAMPLER
    estimator: Any = parameter("The model that is fitted on the sampled rows.", kw_only=False)

    estimator_: Any = attribute()
    prepared: ClassVar[str | None] = "estimator"
    fitted: ClassVar[dict[str, Spec]] = {"estimator_": Object(BaseEstimator)}

    @property
    def accepts(self) -> Accepts:
        """What the model accepts, but for sparse matrices and weights: a new row has no weight."""
        return replace(accepted_by_all([self.estimator]), sparse=False, weights=False)

    @property
    def inner_models(self) -> list[Any]:
        """None: validation rows, which must not be sampled, are not passed on."""
        return []

    def _sampled(self, X: Any, y: np.ndarray) -> tuple[Any, np.ndarray]:
        """The rows and targets after sampling, as the model takes them."""
        if not hasattr(self.sampler, "get_params"):
            raise DataError(
                f"{type(self.sampler).__name__} has no get_params.", "a sampler that can be cloned", "Derive it from "
                "sklearn.base.BaseEstimator."
            )  # fmt: skip
        sampler = clone(self.sampler)
        if isinstance(self, Regressor) and isinstance(sampler, RowSampler) and sampler.target == "auto":
            sampler.set_params(target="numbers")  # whole numbers too
        if isinstance(sampler, Model) or not isinstance(X, Table):
            rows, target = sampler.fit_resample(X, y)
            return rows, np.asarray(target)
        rows, target = sampler.fit_resample(X.to_pandas(), y)  # of imbalanced-learn
        if not has_names(rows) and np.ndim(rows) == 2 and np.shape(rows)[1] == X.shape[1]:
            rows = dict(zip(X.names, np.asarray(rows).T, strict=True))
        return X.schema.apply(Table.of(rows, infer=False)), np.asarray(target)


class SampledClassifier(PoorScoreMixin, Classifier, SampledModel):  # of few rows, a sampler repeats some
    r"""A classifier whose training rows are changed by a sampler: ``SMOTE() >> model`` makes one.

    Rows that are predicted are unchanged, in cross-validation and tuning too. Sampling changes the shares of the
    classes, and so the probabilities. They are corrected for that (Elkan 2001; Saerens et al. 2002):

    .. math:: P(k \mid x) \propto Q(k \mid x)\,\frac{\pi_k}{\rho_k}

    Here Q is the model's probability, :math:`\pi` are the shares of the classes among the training rows, and
    :math:`\rho` those after sampling. That is exact where rows are repeated or left out at random, and approximate for
    new rows. Predictions are the most probable class, so that a rare class is not predicted too often. Where missing
    one costs more than a false alarm, give ``ConformalClassifier`` the cost, or pass ``correct=False``.

    Attributes
    ----------
    estimator_ : the fitted model. classes_ : the labels.
    shares_, sampled_shares_ : the share of each class among the training rows, and after sampling.

    Examples
    --------
    >>> from probus.naive_bayes import GaussianNB
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [9.0], [11.0]], [0, 0, 0, 0, 0, 1, 1]
    >>> model = (RandomOverSampler(random_state=0) >> GaussianNB()).fit(X, y)
    >>> model.shares_.round(2), model.sampled_shares_
    (array([0.71, 0.29]), array([0.5, 0.5]))
    """

    correct: bool = parameter(
        "Whether probabilities are corrected for the change of the shares of the classes.", default=True
    )

    classes_: np.ndarray = attribute()
    shares_: np.ndarray = attribute()
    sampled_shares_: np.ndarray = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        **SampledModel.fitted,
        "classes_": Labels("K"),
        "shares_": Array("f8", "K"),
        "sampled_shares_": Array("f8", "K"),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Naive Bayes on repeated rows, whose classes are more than one in every check but few."""
        return [cls(RandomOverSampler(random_state=0), NaiveBayes())]

    def fit(self, X: Any, y: Any) -> SampledClassifier:
        """Fit the model on the sampled rows."""
        must_have_tags(self.estimator)
        if is_regressor(self.estimator):
            raise DataError(f"{type(self.estimator).__name__} is a regressor.", "a classifier", "See SampledRegressor.")
        X = validated(self, X, reset=True)
        self.classes_, codes = encoded_classes(y, X.shape[0])
        self.shares_ = np.bincount(codes) / len(codes)
        rows, labels = self._sampled(X, self.classes_[codes]) if len(self.classes_) > 1 else (X, self.classes_[codes])
        found, sampled = encoded_classes(labels, len(labels))
        if found.tolist() != self.classes_.tolist():
            raise DataError(
                f"after sampling, {type(self.sampler).__name__} has the classes {found.tolist()}.",
                f"those of y: {self.classes_.tolist()}",
            )
        self.sampled_shares_ = np.bincount(sampled) / len(sampled)
        self.estimator_ = fit_member(clone(self.estimator), rows, labels)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class; what the model predicts, where it has no probabilities or they are not corrected."""
        check_is_fitted(self)
        if self.correct and hasattr(self.estimator_, "predict_proba"):
            return self.classes_[self.predict_proba(X).argmax(axis=1)]
        return self.estimator_.predict(validated(self, X, reset=False))

    @available_if(lambda self: hasattr(self._fitted_or_not(), "predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of the classes."""
        check_is_fitted(self)
        found = aligned_predictions(self.estimator_, "predict_proba", validated(self, X, reset=False), self.classes_)
        return corrected(found, self.sampled_shares_, self.shares_) if self.correct else found

    @available_if(
        lambda self: (
            hasattr(self._fitted_or_not(), "decision_function")
            and not (self.correct and hasattr(self._fitted_or_not(), "predict_proba"))
        )
    )
    def decision_function(self, X: Any) -> np.ndarray:
        """The decisions of the model, where no probabilities are corrected."""
        check_is_fitted(self)
        return self.estimator_.decision_function(validated(self, X, reset=False))

    def _fitted_or_not(self) -> Any:
        return vars(self).get("estimator_", self.estimator)


class SampledRegressor(PoorScoreMixin, Regressor, SampledModel):  # of few rows, a sampler changes some
    """A regressor whose training rows are changed by a sampler: ``Mixup() >> model`` makes one.

    Rows that are predicted are unchanged.

    Attributes
    ----------
    estimator_ : the fitted model.

    Examples
    --------
    >>> from probus.linear_model import LinearRegression
    >>> model = (Noise(0.0, target="numbers") >> LinearRegression()).fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 3.0])
    >>> model.predict([[5.0]]).round(6).tolist()
    [5.0]
    """

    @classmethod
    def examples(cls) -> list[Model]:
        """The mean, on rows with noise."""
        return [cls(Noise(random_state=0, target="numbers"), ZeroRRegressor())]

    def fit(self, X: Any, y: Any) -> SampledRegressor:
        """Fit the model on the sampled rows."""
        must_have_tags(self.estimator)
        if is_classifier(self.estimator):
            raise DataError(
                f"{type(self.estimator).__name__} is a classifier.", "a regressor", "See SampledClassifier."
            )
        X = validated(self, X, reset=True)
        rows, target = self._sampled(X, checked_numbers(y, X.shape[0]))
        self.estimator_ = fit_member(clone(self.estimator), rows, target)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The predictions of the model."""
        check_is_fitted(self)
        return self.estimator_.predict(validated(self, X, reset=False))


# -- what users call -----------------------------------------------------------------------------------


def sampled(sampler: Any, model: Any) -> Any:
    """The model, fitted on what the sampler makes of its training rows; ``sampler >> model`` is the same.

    Parameters
    ----------
    sampler : a sampler of ``probus.augmentation`` or imbalanced-learn.
    model : a classifier or a regressor, or a pipeline that ends in one.

    Returns
    -------
    A ``SampledClassifier`` or ``SampledRegressor``.

    >>> from probus.naive_bayes import NaiveBayes
    >>> sampled(RandomOverSampler(), NaiveBayes())
    SampledClassifier(estimator=NaiveBayes(), sampler=RandomOverSampler())
    """
    must_have_tags(model)
    return (SampledRegressor if is_regressor(model) else SampledClassifier)(sampler, model)


def corrected(probabilities: Any, from_shares: Any, to_shares: Any) -> np.ndarray:
    """Probabilities as they are where classes have other shares than in the rows of the fit.

    Bayes' rule: each is multiplied by the new share of its class and divided by the old one, and the row divided by its
    sum. That is exact if only the shares differ, and not what rows of a class are like.

    Parameters
    ----------
    probabilities : of each row and class.
    from_shares : the shares of the classes in the rows of the fit.
    to_shares : their shares where rows are predicted.

    Returns
    -------
    The probabilities.

    >>> corrected([[0.5, 0.5]], [0.5, 0.5], [0.9, 0.1])
    array([[0.9, 0.1]])
    """
    found, old, new = (np.asarray(each, dtype=np.float64) for each in (probabilities, from_shares, to_shares))
    if found.ndim != 2 or old.shape != found.shape[1:] or new.shape != old.shape:
        raise DataError(
            f"probabilities of shape {found.shape}, shares of {old.shape} and {new.shape}.", "a share of each class"
        )
    if not (old > 0).all() or (new < 0).any() or not np.isfinite(new).all():
        raise DataError(f"shares {old.tolist()} and {new.tolist()}.", "positive shares of the fit, none negative")
    weighted = found * (new / old)
    total = weighted.sum(axis=1, keepdims=True)
    return np.divide(weighted, total, out=np.array(found), where=total > 0)
