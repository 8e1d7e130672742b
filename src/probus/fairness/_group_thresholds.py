"""A classifier with thresholds for each group, chosen on rows that it was not fitted on."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, logit
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from probus.base import Model
from probus.calibration import FitRows, folds_of, out_of_fold
from probus.data import Table, content_of
from probus.ensemble import aligned_predictions, fit_member
from probus.errors import DataError
from probus.fairness._groups import GroupWarning
from probus.fairness._mitigation import FairClassifier, has_method
from probus.fairness._threshold_rules import (
    SHARED,
    Candidates,
    ThresholdRule,
    best_mixtures,
    best_odds,
    best_thresholds,
)
from probus.naive_bayes import NaiveBayes
from probus.parameters import N_JOBS, RANDOM_STATE, attribute, parameter
from probus.state import Object, Spec
from probus.wrapping import must_take_weights

_OBJECTIVES = ("accuracy", "balanced_accuracy")
_CRITERIA = (*SHARED, "equalized_odds")


class GroupThresholds(FairClassifier):
    """A classifier that selects each group by a threshold of its own, so that a criterion holds.

    The thresholds are chosen on rows that were predicted out of fold. Without randomness the shares of groups differ by
    up to ``tolerance``. With ``randomised`` they are equal there, and a row is selected with a probability that
    ``predict_proba`` returns; equalised odds need that. A row is always decided in the same way: the draw depends on
    what is in it.

    Predictions need the group of each row. Rows of a group that ``fit`` did not have are selected from a probability of
    one half on, with a warning.

    Attributes
    ----------
    estimator_ : the model of all rows.
    rule_ : the thresholds of each group, ``rule_.first``; of mixtures also ``second``, ``mix``, ``ignore``.
    groups_ : how rows become groups.

    Examples
    --------
    >>> from probus.datasets import titanic
    >>> people = titanic()[["Survived", "Sex", "Age", "Fare", "Pclass"]]
    >>> X, y = people.drop("Survived"), people["Survived"]
    >>> model = GroupThresholds(NaiveBayes(), "equal_opportunity", sensitive="Sex").fit(X, y)
    >>> model.groups_.labels, model.rule_.first.round(2)
    (('female', 'male'), array([0.28, 0.32]))
    """

    criterion: str = parameter(
        "The criterion that is to hold; of ``equalized_odds``, true and false positive rates are equal.",
        default="demographic_parity",
        one_of=_CRITERIA,
        kw_only=False,
    )
    tolerance: float = parameter(
        "The largest difference of shares between groups, where that is not exact.", default=0.02, at_least=0, at_most=1
    )
    objective: str = parameter(
        "What is as large as the criterion allows: the share of right decisions, or the mean share over both labels.",
        default="accuracy",
        one_of=_OBJECTIVES,
    )
    randomised: bool = parameter("Whether decisions may be drawn, so that the criterion holds exactly.", default=False)
    cv: Any = parameter(
        'The number of folds, a splitter, or pairs of rows. "prefit" takes a fitted model, and the rows of fit only '
        "choose the thresholds: they should not be those that it was fitted on.",
        default=None,
        of=[],
    )
    n_jobs: int | None = N_JOBS
    random_state: Any = RANDOM_STATE.but(doc="The seed of the folds, and of drawn decisions.")
    rule_: ThresholdRule = attribute()
    fitted: ClassVar[dict[str, Spec]] = {**FairClassifier.fitted, "rule_": Object(ThresholdRule)}

    @classmethod
    def examples(cls) -> list[Model]:
        """Naive Bayes, whose first column is the sensitive one."""
        return [cls(NaiveBayes(), sensitive=0, keep_sensitive=True, cv=2)]

    def fit(self, X: Any, y: Any, sensitive_features: Any = None, sample_weight: Any = None) -> GroupThresholds:
        """Fit the model on all rows and without each fold, and choose the thresholds on the rows left out."""
        if self.criterion == "equalized_odds" and not self.randomised:
            raise DataError(
                "equalised odds without randomness.",
                "randomised=True, or criterion='equal_opportunity'",
                "Single thresholds make one rate equal, not two.",
            )
        if sample_weight is not None:
            must_take_weights([self.estimator])
        rows = self._learn_rows(X, y, sensitive_features, sample_weight)
        if isinstance(self.cv, str):
            self.estimator_ = self._fitted_already()
            at, score = np.arange(len(rows.codes)), self._scores(self.estimator_, rows.X)
        else:
            inner, labels = self._inner(), self.classes_[rows.codes]
            data = FitRows(rows.X, labels, rows.weights, None, rows.codes)
            pairs = folds_of("cv", self.cv, data, self.random_state)
            found = out_of_fold(inner, data, pairs, self._scores, self.n_jobs, keep=False)
            at, score = found.rows, found.predicted
            self.estimator_ = fit_member(inner, rows.X, labels, rows.weights)
        weights = np.ones(len(at)) if rows.weights is None else rows.weights[at]
        self.rule_ = self._rule(score, rows.codes[at] == self._positive, rows.groups.codes[at], weights)
        return self

    def _fitted_already(self) -> Any:
        if self.cv != "prefit":
            raise DataError(f"cv={self.cv!r}.", "a number of folds, a splitter, pairs of rows, or 'prefit'")
        check_is_fitted(self.estimator)
        if self.classes_.tolist() != np.asarray(self.estimator.classes_).tolist():
            raise DataError(
                f"y with the classes {self.classes_.tolist()}.",
                f"those of the model, {self.estimator.classes_.tolist()}",
            )
        return self.estimator

    def _rule(self, score: np.ndarray, actual: np.ndarray, group: np.ndarray, weights: np.ndarray) -> ThresholdRule:
        """The best rule under the criterion."""
        candidates = [
            Candidates.of(score[mine], actual[mine], weights[mine])
            for mine in ((group == code) & (weights > 0) for code in range(len(self.groups_)))
        ]
        objective = (1.0, 1.0)
        if self.objective == "balanced_accuracy":
            objective = (1 / max(weights[actual].sum(), 1e-12), 1 / max(weights[~actual].sum(), 1e-12))
        if self.criterion == "equalized_odds":
            return best_odds(candidates, objective)
        if self.randomised:
            return best_mixtures(candidates, self.criterion, objective)
        return best_thresholds(candidates, self.criterion, objective, self.tolerance)

    def _scores(self, model: Any, X: Table) -> np.ndarray:
        """The probability of the label that selects, or the decision function."""
        if hasattr(model, "predict_proba"):
            return aligned_predictions(model, "predict_proba", X, self.classes_)[:, self._positive]
        if hasattr(model, "decision_function"):
            return np.ravel(model.decision_function(X)) * (1 if self._positive else -1)
        raise DataError(
            f"{type(model).__name__} has neither predict_proba nor decision_function.", "a classifier that has one"
        )

    # -- predicting ------------------------------------------------------------------------------------

    def selection_probability(self, X: Any, sensitive_features: Any = None) -> np.ndarray:
        """The probability that each row is selected: 0 or 1 without randomness.

        Parameters
        ----------
        X : the rows.
        sensitive_features : their groups, where X does not have the sensitive column.

        Returns
        -------
        float64[n].
        """
        return self._probability(*self._read(X, sensitive_features))

    def _probability(self, rows: Table, group: np.ndarray) -> np.ndarray:
        score = self._scores(self.estimator_, rows)
        found = self.rule_.probability(score, np.maximum(group, 0))
        unknown = group < 0
        if unknown.any():
            warnings.warn(
                f"{np.count_nonzero(unknown)} rows of groups that fit did not have are selected without a threshold of "
                "their own.",
                GroupWarning,
                stacklevel=3,
            )
            found[unknown] = score[unknown] >= (0.5 if hasattr(self.estimator_, "predict_proba") else 0.0)
        return found

    def predict(self, X: Any, sensitive_features: Any = None) -> np.ndarray:
        """The decisions; ``sensitive_features`` are the groups where X does not have the sensitive column."""
        rows, group = self._read(X, sensitive_features)
        selected = self._probability(rows, group)
        limit = draws_of(rows, self.random_state) if self.randomised else 0.5
        return self.classes_[np.where(selected > limit, self._positive, 1 - self._positive)]

    @available_if(has_method("predict_proba"))
    def predict_proba(self, X: Any, sensitive_features: Any = None) -> np.ndarray:
        """With ``randomised`` the probability of each decision; else the odds of the model over those of the threshold.

        So a row is selected from one half on, in each group. These are no calibrated probabilities.
        """
        if self.randomised:
            selected = self.selection_probability(X, sensitive_features)
        else:
            rows, group = self._read(X, sensitive_features)
            threshold = np.where(group < 0, 0.5, self.rule_.first[np.maximum(group, 0)])
            selected = expit(logit(self._scores(self.estimator_, rows)) - logit(np.clip(threshold, 0, 1)))
            selected = np.where(np.isnan(selected), 0.0, selected)  # nothing is selected by an infinite threshold
        return np.column_stack([selected, 1 - selected] if self._positive == 0 else [1 - selected, selected])


def draws_of(X: Table, random_state: Any) -> np.ndarray:
    """A number from 0 to 1 for each row that depends on what is in it, and on the seed."""
    seed = int(random_state) if isinstance(random_state, int | np.integer) else 0
    hashes = content_of(X)[:, 0].astype(np.uint64) + np.uint64(seed % 2**32) * np.uint64(0x9E3779B97F4A7C15)
    h = (hashes ^ (hashes >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((h ^ (h >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) / 2**53
