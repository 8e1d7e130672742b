"""Rows that a classifier cannot distinguish from artificial ones."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from probus.augmentation import artificial_rows, concatenate
from probus.base import Accepts, Model, table_input
from probus.detection import CONTAMINATION, Detector
from probus.ensemble import RandomForestClassifier, fit_member
from probus.errors import DataError
from probus.parameters import RANDOM_STATE, attribute, parameter
from probus.state import Object, Spec
from probus.wrapping import set_random_states

_LEAST = 1e-3  # of a probability, so that scores are finite


class ContrastDetector(Detector):
    """Rows that a classifier takes for artificial ones (Hastie, Tibshirani and Friedman 2009, section 14.2.4).

    Artificial rows have columns drawn independently of each other: from their whole range, or from the values of the
    column, which no longer fit together then. The score of a row is the log-odds of the classifier that it is real, an
    estimate of the log ratio of the two densities. It takes columns of any kind, and the classifier decides which
    relations between columns count.

    Attributes
    ----------
    estimator_ : the fitted classifier of real (1) and artificial rows (−1). offset_ : the threshold.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=300)
    >>> model = ContrastDetector(method="permuted", random_state=0).fit(np.column_stack([x, x]))
    >>> model.score_samples([[1.0, 1.0], [1.0, -1.0]]).round(1)
    array([ 1.4, -3.8])
    """

    estimator: Any = parameter(
        "A classifier with ``predict_proba``. None is a random forest with leaves of at least 5 rows.",
        default=None,
        kw_only=False,
        of=[],
    )
    method: str = parameter(
        'How artificial rows are drawn: "uniform" from the whole range of each column, "permuted" from its values.',
        default="uniform",
        one_of=("uniform", "permuted"),
    )
    share: float = parameter("The number of artificial rows for each real one.", default=1.0, above=0)
    contamination: Any = CONTAMINATION
    random_state: Any = RANDOM_STATE

    estimator_: Any = attribute()
    accepts = Accepts(nominal=True, missing=True)
    fitted: ClassVar[dict[str, Spec]] = {**Detector.fitted, "estimator_": Object(BaseEstimator)}

    @classmethod
    def examples(cls) -> list[Model]:
        """A forest of few trees."""
        return [cls(RandomForestClassifier(10, min_samples_leaf=3), random_state=0)]

    def fit(self, X: Any, y: Any = None) -> ContrastDetector:
        """Fit the classifier; y is ignored."""
        table = table_input(self, X, reset=True)
        random = check_random_state(self.random_state)
        n = max(round(self.share * len(table)), 1)
        odd = artificial_rows(table, n, self.method, 0.1, random)
        labels = np.repeat([1, -1], [len(table), n])
        self.estimator_ = fit_member(self._classifier(random), concatenate(table, odd), labels)
        self._set_typical(table)
        self._set_threshold(lambda: self._scores(table), None)
        return self

    def _classifier(self, random: np.random.RandomState) -> Any:
        if self.estimator is None:
            return RandomForestClassifier(min_samples_leaf=5, random_state=random.randint(np.iinfo(np.int32).max))
        if not (is_classifier(self.estimator) and hasattr(self.estimator, "predict_proba")):
            raise DataError(f"{type(self.estimator).__name__}.", "a classifier with predict_proba")
        return set_random_states(clone(self.estimator), random)

    def _scores(self, rows: Any) -> np.ndarray:
        real = np.clip(self.estimator_.predict_proba(rows)[:, 1], _LEAST, 1.0 - _LEAST)
        return np.log(real / (1.0 - real))

    def score_samples(self, X: Any) -> np.ndarray:
        """The log-odds that each row is real."""
        check_is_fitted(self)
        return self._scores(table_input(self, X, reset=False))
