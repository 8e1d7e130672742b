"""Self-training: a model labels the rows that it is sure of, and is fitted again."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np

from probus.allowed_values import HasMethod, InstanceOf, NoneAllowed, OneOf
from probus.base import Model
from probus.data.row_selection import take_rows
from probus.errors import DataError
from probus.naive_bayes import NaiveBayes
from probus.parameters import VERBOSE, attribute, parameter
from probus.semi_supervised._nearest_label import METRIC, NearestLabel
from probus.semi_supervised._partial_labels import PartialLabels
from probus.semi_supervised._wrapped_classifier import DelegatingClassifier
from probus.state import Number, Spec, String
from probus.wrapping import refuse_params


class SelfTrainingClassifier(DelegatingClassifier):
    """A classifier that labels rows it is sure of, and is fitted to them too, again and again (Yarowsky 1995).

    scikit-learn's class and parameters, on any model and columns. An array of strings, in which no label is missing, is
    not refused. Weights are passed on. A wrong label is never taken
    back, and the model confirms it in later rounds: ``max_distance`` keeps rows out that are far from every labelled
    one, ``quotas`` keeps a frequent class from taking all, and ``check`` tests whether any of this helps.

    Attributes
    ----------
    estimator_ : the model of the last round. classes_ : the labels.
    transduction_ : the label of each row, −1 where it got none.
    labeled_iter_ : the round in which a row got its label: 0 where it had one, −1 where it got none.
    n_iter_ : the number of rounds. termination_condition_ : "max_iter", "no_change" or "all_labeled".
    gain_ : what ``check`` found; None without.

    Examples
    --------
    >>> X = [[0.0], [0.5], [1.0], [1.5], [5.0], [5.5], [6.0]]
    >>> model = SelfTrainingClassifier(NaiveBayes(), threshold=0.9).fit(X, ["a", "a", None, None, "b", "b", None])
    >>> model.transduction_.tolist(), model.labeled_iter_.tolist()
    (['a', 'a', 'a', 'a', 'b', 'b', 'b'], [0, 0, 1, 1, 0, 0, 1])
    """

    estimator: Any = parameter(
        "The classifier. Its probabilities decide which rows are labelled: they should be calibrated. None is "
        "``NaiveBayes``.",
        default=None,
        of=[HasMethod("fit"), NoneAllowed()],
        kw_only=False,
    )
    threshold: float = parameter(
        'With criterion="threshold", rows get a label whose probability is larger than this.',
        default=0.75,
        at_least=0,
        below=1,
        kw_only=False,
    )
    criterion: str = parameter(
        '"threshold" labels all rows whose probability is above the threshold, "k_best" the ``k_best`` rows of the '
        "highest ones.",
        default="threshold",
        one_of=("threshold", "k_best"),
        kw_only=False,
    )
    k_best: int = parameter(
        'The number of rows that are labelled in a round with criterion="k_best".',
        default=10,
        at_least=1,
        kw_only=False,
    )
    max_iter: int | None = parameter(
        "The number of rounds at most; None goes on until no row gets a label.", default=10, at_least=0, kw_only=False
    )
    verbose: bool = VERBOSE.but(
        doc="Whether the number of new labels is printed after each round.", default=False, kw_only=False
    )
    quotas: Any = parameter(
        "How many rows of a class are labelled in a round, those of the highest probability first. "
        '"proportional": no class gets more than its share among the labelled rows. A dict has a number for each '
        "class; the others get none. None sets no limits.",
        default=None,
        of=[OneOf("proportional"), InstanceOf(dict), NoneAllowed()],
    )
    max_distance: float | None = parameter(
        "Only rows are labelled that are nearer than this to a row that has a label. None labels far ones too.",
        default=None,
        above=0,
    )
    metric: Any = METRIC

    n_iter_: int = attribute()
    termination_condition_: str = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        **DelegatingClassifier.fitted,
        "n_iter_": Number(),
        "termination_condition_": String(("max_iter", "no_change", "all_labeled")),
    }

    excused: ClassVar[dict[str, str]] = {"check_non_transformer_estimators_n_iter": "n_iter_ can be 0"}
    _strict: ClassVar[bool] = True  # −1 is no class, as in scikit-learn

    @property
    def _model(self) -> Any:
        return NaiveBayes() if self.estimator is None else self.estimator

    @classmethod
    def examples(cls) -> list[Model]:
        """Naive Bayes, with and without limits."""
        return [cls(NaiveBayes()), cls(NaiveBayes(), criterion="k_best", quotas="proportional", max_distance=0.5)]

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> SelfTrainingClassifier:
        """Fit the model on labelled rows, label some of the others, and repeat."""
        refuse_params(params, self, "fit")
        X, labels, weights = self._start(X, y, sample_weight)
        given = self._fit_parameters(params)
        self._warn_of_numbers(labels)
        near = None if self.max_distance is None else NearestLabel(X, labels.known, self.metric)
        self.n_iter_ = 0
        self.termination_condition_ = "max_iter" if self.max_iter == 0 else "all_labeled"
        while not labels.known.all() and (self.max_iter is None or self.n_iter_ < self.max_iter):
            self.n_iter_ += 1
            model = self._fit_on_known(self._model, X, labels, weights, **given)
            rows = self._label(model, X, labels, near)
            if not len(rows):
                self.termination_condition_ = "no_change"
                break
            if self.verbose:
                print(f"End of iteration {self.n_iter_}, added {len(rows)} new labels.")
        if self.n_iter_ == self.max_iter:
            self.termination_condition_ = "max_iter"
        if labels.known.all():
            self.termination_condition_ = "all_labeled"
        self.estimator_ = self._fit_on_known(self._model, X, labels, weights, **given)
        self._finish(labels)
        return self

    def _label(self, model: Any, X: Any, labels: PartialLabels, near: NearestLabel | None) -> np.ndarray:
        """Label the rows that the model is sure of; their numbers."""
        unknown = np.flatnonzero(~labels.known)
        probabilities = model.predict_proba(take_rows(X, unknown))
        places, sure = probabilities.argmax(axis=1), probabilities.max(axis=1)
        codes = np.searchsorted(labels.classes, model.classes_)[places]
        allowed = np.ones(len(unknown), bool) if near is None else near.distances[unknown] < self.max_distance
        chosen = self._chosen(sure, codes, allowed, labels)
        rows = unknown[chosen]
        labels.codes[rows] = codes[chosen]
        self.labeled_iter_[rows] = self.n_iter_
        if near is not None:
            near.add(rows)
        return rows

    def _chosen(self, sure: np.ndarray, codes: np.ndarray, allowed: np.ndarray, labels: PartialLabels) -> np.ndarray:
        """The places of the rows that get a label, by probability, distance and quotas."""
        if self.criterion == "threshold":
            places = np.flatnonzero(allowed & (sure > self.threshold))
        else:
            places = np.flatnonzero(allowed)
            if self.k_best < len(places) and self.quotas is None:
                places = places[np.argpartition(-sure[places], self.k_best)[: self.k_best]]
        if self.quotas is None:
            return places
        total = len(places) if self.criterion == "threshold" else min(self.k_best, len(places))
        most = self._quotas(total, labels)
        kept = [of_class[np.argsort(-sure[of_class], kind="stable")[: most[code]]]
                for code in range(len(labels.classes)) for of_class in [places[codes[places] == code]]]  # fmt: skip
        return np.sort(np.concatenate(kept))

    def _quotas(self, total: int, labels: PartialLabels) -> list[int]:
        """The largest number of new rows of each class."""
        if isinstance(self.quotas, dict):
            known = labels.classes.tolist()
            strange = [label for label in self.quotas if label not in known]
            if strange:
                raise DataError(f"quotas have the class {strange[0]!r}.", f"those of y: {known}")
            for label, most in self.quotas.items():
                if not isinstance(most, (int, np.integer)) or isinstance(most, bool) or most < 0:
                    raise DataError(f"quotas have {most!r} rows of class {label!r}.", "a whole number from 0")
            return [int(self.quotas.get(label, 0)) for label in known]
        counts = np.bincount(labels.codes[self.labeled_iter_ == 0], minlength=len(labels.classes))
        return np.ceil(total * counts / counts.sum()).astype(int).tolist()

    def _fit_parameters(self, params: dict[str, Any]) -> dict[str, Any]:
        if not params:
            return {}
        from sklearn.utils.metadata_routing import process_routing

        return dict(process_routing(self, "fit", **params).estimator.fit)

    def _warn_of_numbers(self, labels: PartialLabels) -> None:
        unknown = int((~labels.known).sum())
        if not unknown:
            warnings.warn("y contains no unlabeled samples", UserWarning, stacklevel=3)
        if self.criterion == "k_best" and self.k_best > unknown:
            warnings.warn(
                "k_best is larger than the amount of unlabeled samples. All unlabeled samples will be labeled in the "
                "first iteration",
                UserWarning,
                stacklevel=3,
            )
