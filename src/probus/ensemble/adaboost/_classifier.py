"""AdaBoost for classification."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from scipy.special import softmax
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import HasMethod, NoneAllowed
from probus.base import Classifier, Model, encoded_classes
from probus.data import Level
from probus.display import counted
from probus.ensemble.adaboost._adaboost_base import AdaBoost, AdaBoostRound
from probus.ensemble.adaboost._weak_models import WeakModels
from probus.errors import DataError
from probus.parameters import RANDOM_STATE, attribute, parameter
from probus.state import Labels, Size, Spec
from probus.tree import DecisionTreeClassifier
from probus.wrapping import takes_weights


class AdaBoostClassifier(Classifier, AdaBoost):
    r"""AdaBoost: a weighted vote of weak classifiers, each fitted with larger weights where the previous ones erred.

    Discrete AdaBoost (Freund and Schapire 1997) for two classes, SAMME (Zhu et al. 2009) for K of them. With
    :math:`ε_m` the weighted error of classifier m, its weight is

    .. math:: α_m = η \left(\log\frac{1 - ε_m}{ε_m} + \log(K - 1)\right)

    in the vote, and the weights of the rows it misclassified are multiplied by :math:`e^{α_m}` for the next round.
    Boosting stops after a classifier without error, which gets a weight of 1, and at one that is no better than
    guessing, :math:`ε_m ≥ 1 - 1/K`, which is left out, or raises an error if it is the first.

    Attributes
    ----------
    estimators_, estimator_weights_, estimator_errors_ : the classifiers, :math:`α_m` and :math:`ε_m`; the latter two
        have ``n_estimators`` entries, filled up with 0 and 1 if boosting stopped early.
    history_ : errors and weights of the rounds, to print and plot.
    classes_, n_classes_ : the classes.
    feature_importances_ : of the weak classifiers that report them, weighted.

    Examples
    --------
    >>> from probus.datasets import titanic
    >>> people = titanic()
    >>> model = AdaBoostClassifier(n_estimators=20).fit(people[["Sex", "Age", "Pclass"]], people["Survived"])
    >>> model.history_.weights[:3].round(2)
    array([1.31, 0.76, 0.25])
    """

    estimator: Any = parameter(
        "The weak classifier, any that takes ``sample_weight``; by default "
        "``DecisionTreeClassifier(max_depth=1)``. The ensemble accepts what it accepts: nominal columns, "
        "missing values.",
        default=None,
        of=[HasMethod("fit", "predict"), NoneAllowed()],
        kw_only=False,
    )
    n_estimators: int = parameter("The maximum number of rounds.", default=50, at_least=1)
    learning_rate: float = parameter("η in the formulas above: smaller values need more rounds.", default=1.0, above=0)
    random_state: Any = RANDOM_STATE

    classes_: np.ndarray = attribute()
    n_classes_: int = attribute()
    fitted: ClassVar[dict[str, Spec]] = {**AdaBoost.fitted, "classes_": Labels("K"), "n_classes_": Size("K")}

    @classmethod
    def examples(cls) -> list[Model]:
        """Stumps, pruned trees, and naive Bayes."""
        from probus.naive_bayes import GaussianNB

        pruned = DecisionTreeClassifier(max_depth=3, ccp_alpha=0.01)
        return [cls(n_estimators=3), cls(pruned, n_estimators=3, learning_rate=0.5), cls(GaussianNB(), n_estimators=3)]

    # -- boosting --------------------------------------------------------------------------------------

    def _chosen(self) -> Any:
        return DecisionTreeClassifier(max_depth=1) if self.estimator is None else self.estimator

    def _check_estimator(self) -> None:
        if not takes_weights(self._chosen()):
            raise DataError(
                f"{type(self.estimator).__name__} doesn't support sample_weight.",
                "a classifier that can be fitted on weighted rows",
                "BaggingClassifier takes any classifier.",
            )

    def _target(self, y: Any, n_rows: int) -> np.ndarray:
        self.classes_, codes = encoded_classes(y, n_rows)
        self.n_classes_ = len(self.classes_)
        return codes

    def _chance(self) -> float:
        return 1.0 - 1.0 / self.n_classes_

    def _round(self, weak: WeakModels, member: Any, weight: np.ndarray, random: Any) -> AdaBoostRound | None:
        wrong = weak.fit(member, weight) != weak.y
        error = float(weight[wrong].sum() / weight.sum())
        if error <= 0.0:
            return AdaBoostRound(0.0, 1.0, None)
        if error >= self._chance():
            self._check_first_error(member, error)
            return None
        alpha = self.learning_rate * float(np.log((1.0 - error) / error) + np.log(self.n_classes_ - 1.0))
        with np.errstate(over="ignore"):
            return AdaBoostRound(error, alpha, np.where(wrong, np.exp(alpha), 1.0))

    def _check_first_error(self, member: Any, error: float) -> None:
        if not self.estimators_:
            raise DataError(
                "BaseClassifier in AdaBoostClassifier ensemble is worse than random, ensemble can not be fit: "
                f"{type(member).__name__} has a weighted error of {error:.3f}, guessing one of "
                f"{self.n_classes_} classes has {self._chance():.3f}.",
                "a weak classifier that is better than guessing",
                "Use a stronger one, for example with a larger max_depth.",
            )

    # -- predict-------------------------------------------------------------------------------------------

    def staged_decision_function(self, X: Any) -> Iterator[np.ndarray]:
        """``decision_function`` after 1, 2, … rounds."""
        predictions = self._predictions(X)
        votes, total, places = 0.0, 0.0, np.arange(self.n_classes_)
        for predicted, weight in zip(predictions, self.estimator_weights_, strict=False):
            votes = votes + weight * (np.searchsorted(self.classes_, predicted)[:, None] == places)
            total += weight
            yield self._scores(votes / total)

    def _scores(self, shares: np.ndarray) -> np.ndarray:
        """For each class its share of the vote minus the mean share of the others; for two classes their difference."""
        if self.n_classes_ == 1:
            return np.zeros((len(shares), 1))
        scores = shares - (1.0 - shares) / (self.n_classes_ - 1)
        return scores[:, 1] - scores[:, 0] if self.n_classes_ == 2 else scores

    def _labels(self, scores: np.ndarray) -> np.ndarray:
        return self.classes_[(scores > 0.0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)]

    def _probabilities(self, scores: np.ndarray) -> np.ndarray:
        if scores.ndim == 1:
            return softmax(np.column_stack([-scores, scores]) / 2.0, axis=1)
        return softmax(scores / max(1, self.n_classes_ - 1), axis=1)

    def decision_function(self, X: Any) -> np.ndarray:
        """The weighted vote as scores: float64[n] from -2 to 2 for two classes, otherwise one column per class."""
        *_, last = self.staged_decision_function(X)
        return last

    def predict(self, X: Any) -> np.ndarray:
        """The class that wins the weighted vote."""
        return self._labels(self.decision_function(X))

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """``predict`` after 1, 2, … rounds."""
        return map(self._labels, self.staged_decision_function(X))

    def predict_proba(self, X: Any) -> np.ndarray:
        """The softmax of the scores over K - 1, as in scikit-learn: it ranks well, but is too close to 1/K."""
        return self._probabilities(self.decision_function(X))

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """``predict_proba`` after 1, 2, … rounds."""
        return map(self._probabilities, self.staged_decision_function(X))

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithms of ``predict_proba``."""
        return np.log(self.predict_proba(X))

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """The accuracy after 1, 2, … rounds."""
        return (accuracy_score(y, predicted, sample_weight=sample_weight) for predicted in self.staged_predict(X))

    # -- plot ------------------------------------------------------------------------------------------

    def plot_staged_roc(
        self,
        X: Any,
        y: Any,
        stages: Sequence[int | None] = (1, 5, 25, None),
        *,
        pos_label: Level | None = None,
        ax: Any = None,
    ) -> Any:
        """ROC curves of the vote after the given numbers of rounds, None for all, on one pair of matplotlib axes.

        Stages that boosting did not reach are left out. ``pos_label`` is the second of two classes unless it is given.
        """
        from probus.metrics import plot_curves, roc

        check_is_fitted(self)
        rounds, positive = len(self.estimators_), self._place_of(pos_label)
        wanted = {rounds if stage is None else stage for stage in stages} & set(range(1, rounds + 1))
        if not wanted:
            raise DataError(f"stages={stages!r} of {rounds} rounds.", f"some from 1 to {rounds}, or None for all")
        curves = {}
        for t, scores in enumerate(self.staged_decision_function(X), 1):
            if t in wanted:
                score = scores[:, positive] if scores.ndim == 2 else (2 * positive - 1) * scores
                curves[counted(t, "round")] = roc(y, score, pos_label=self.classes_[positive], band=False)
        return plot_curves(curves, ax)

    def _place_of(self, pos_label: Level | None) -> int:
        if pos_label is None and self.n_classes_ == 2:
            return 1
        found = np.flatnonzero(self.classes_ == pos_label)
        if len(found) == 0:
            raise DataError(f"pos_label={pos_label!r}.", f"one of {', '.join(map(str, self.classes_))}")
        return int(found[0])
