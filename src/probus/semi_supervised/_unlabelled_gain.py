"""Whether rows without labels make a model better or worse, on held-out labels."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils.metaestimators import available_if

from probus.augmentation import concatenate
from probus.base import Accepts, Classifier, MetaEstimatorMixin
from probus.comparison import Comparison, Pair, compare
from probus.data import Table, Task, is_frame
from probus.data.row_selection import take_rows
from probus.display import Notes, Result, counted
from probus.ensemble import fit_member
from probus.errors import DataError
from probus.metrics import Estimate, Measure, Scoring
from probus.parameters import attribute, parameter
from probus.semi_supervised._partial_labels import UNLABELLED, PartialLabels
from probus.state import Labels, Object, Spec
from probus.wrapping import accepted_by_all, estimator_has

WITH, WITHOUT = "with unlabelled rows", "labelled rows only"
_FOLDS = 5


class UnlabelledRowsWarning(UserWarning):
    """Rows without labels make a model worse on held-out labels."""


@dataclass(frozen=True, eq=False, repr=False)
class UnlabelledGain(Result):
    """A model with unlabelled rows against the same on labelled rows only, on held-out labels.

    Attributes
    ----------
    comparison : the scores of both, which ``compare`` returned.
    n_labelled, n_unlabelled : the numbers of rows.
    """

    comparison: Comparison
    n_labelled: int
    n_unlabelled: int

    @property
    def measure(self) -> Measure:
        """What the two are compared by."""
        return self.comparison.measure

    @property
    def gain(self) -> Estimate:
        """By how much the score is better with unlabelled rows; below 0 it is worse."""
        sign = 1 if (self._pair.a == WITH) == self.measure.greater_is_better else -1
        found = self._pair.difference
        low, high = sorted((sign * found.low, sign * found.high))
        return Estimate(sign * found.value, low, high, found.level, found.method, found.n)

    @property
    def pvalue(self) -> float:
        """The p-value of no difference."""
        return self._pair.adjusted

    @property
    def worse(self) -> bool:
        """Whether the unlabelled rows make the model worse, by a test at 5 %."""
        return self.pvalue < 0.05 and self.gain.value < 0

    @property
    def better(self) -> bool:
        """Whether the unlabelled rows make the model better, by a test at 5 %."""
        return self.pvalue < 0.05 and self.gain.value > 0

    @property
    def sentence(self) -> str:
        """The conclusion."""
        rows, scores = counted(self.n_unlabelled, "row") + " without a label", self._scores()
        if self.better or self.worse:
            verb, gain = ("improve", self.gain) if self.better else ("worsen", self._turned)
            return f"{rows} {verb} {self.measure.label} by {gain} ({scores})."
        return f"Whether {rows} improve {self.measure.label} is undecided: gain {self.gain} ({scores})."

    def to_dict(self) -> dict[str, Any]:
        """The gain, its p-value, and the sentence."""
        gain = self.gain
        ends = {"gain": float(gain.value), "low": float(gain.low), "high": float(gain.high)}
        return {"measure": self.measure.name, **ends, "pvalue": float(self.pvalue), "sentence": self.sentence}

    @property
    def _pair(self) -> Pair:
        return self.comparison.tests[WITH, WITHOUT]

    @property
    def _turned(self) -> Estimate:
        """The loss, where the gain is negative."""
        gain = self.gain
        return Estimate(-gain.value, -gain.high, -gain.low, gain.level, gain.method, gain.n)

    def _scores(self) -> str:
        scores = {name: self.comparison[name].estimate(self.measure) for name in (WITHOUT, WITH)}
        return f"{scores[WITHOUT].value:.3f} without, {scores[WITH].value:.3f} with them, p = {self.pvalue:.2g}"

    def _parts(self) -> list[Any]:
        notes = [f"tested on the {self.n_labelled:,} rows with a label: {self.comparison.where}"]
        return [self.sentence, self.comparison, Notes(notes)]

    def _rows(self) -> list[dict[str, Any]]:
        return [self.to_dict()]


def unlabelled_gain(
    model: Any, X: Any, y: Any = None, *, target: str | None = None, against: Any = None,
    scoring: Scoring | None = None, cv: Any = None, sample_weight: Any = None, random_state: Any = 0,
    n_jobs: int | None = None,
) -> UnlabelledGain:  # fmt: skip
    """Compare a model that uses rows without labels with one that does not, on held-out labels.

    Only rows with a label are tested. Each training set is the labelled rows of the other folds; the model gets all
    unlabelled rows beside them. The interval and the test are those of ``compare``.

    Parameters
    ----------
    model : a classifier that takes −1 or missing labels: of this package, or scikit-learn's.
    X, y : rows and labels; or a table and the name of its ``target``.
    target : the column of labels, where X is a table that has it.
    against : the classifier on labelled rows only. None is the ``estimator`` of the model.
    scoring, cv, n_jobs : as in ``compare``.
    sample_weight : the weight of each row.
    random_state : the seed of the folds.

    Returns
    -------
    The gain with its interval, and the scores of both.

    >>> import probus
    >>> from probus.naive_bayes import GaussianNB
    >>> from probus.semi_supervised import SelfTrainingClassifier
    >>> iris = probus.datasets.iris()
    >>> X, y = iris.drop("species"), iris["species"].decoded().astype(object)
    >>> y[np.random.default_rng(0).random(150) < 0.7] = None
    >>> found = unlabelled_gain(SelfTrainingClassifier(GaussianNB()), X, y, scoring="accuracy")
    >>> found.better, found.worse, found.n_labelled
    (False, False, 54)
    """
    if target is not None or isinstance(y, str):
        name = target if target is not None else y
        table = Table.of(X)
        if name not in table:
            raise DataError(f"target={name!r}.", f"one of the columns {', '.join(table.names[:8])}")
        X, y = table.drop(name), table[name]
    if is_frame(X) or type(X) is dict or isinstance(X, list):
        X = Table.of(X, infer=False) if not isinstance(X, list) else np.asarray(X)
    labels = PartialLabels.of(y, X.shape[0])
    if labels.known.all():
        raise DataError("every row has a label.", "rows without one: −1 or a missing value")
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    how = {"scoring": scoring, "random_state": random_state, "n_jobs": n_jobs}
    return compare_without(model, X, labels, weights, cv=cv, against=against, **how)


def compare_without(
    model: Any, X: Any, labels: PartialLabels, weights: np.ndarray | None, *, cv: Any = None, against: Any = None,
    scoring: Scoring | None = None, random_state: Any = 0, n_jobs: int | None = None,
) -> UnlabelledGain:  # fmt: skip
    """The comparison of a model with its own ``estimator`` on labelled rows."""
    against = getattr(model, "_model", getattr(model, "estimator", None)) if against is None else against
    if against is None:
        raise DataError(
            f"{type(model).__name__} has no estimator to compare with.", "against=, a classifier of labelled rows"
        )
    alone = clone(model)
    if "check" in alone.get_params(deep=False):
        alone.set_params(check=None)
    known, unknown = np.flatnonzero(labels.known), np.flatnonzero(~labels.known)
    counts = labels.counts
    if cv is None:
        cv = min(_FOLDS, int(counts.min()))
    if isinstance(cv, int) and (cv < 2 or counts.min() < cv):
        rare = labels.classes.tolist()[int(counts.argmin())]
        raise DataError(
            f"class {rare!r} has {counted(int(counts.min()), 'row')} with a label, for {cv} folds.",
            "two rows of each class at least, and no more folds than rows of a class",
            "Label more rows, or leave the check out.",
        )
    both = {
        WITH: WithUnlabelled(alone, take_rows(X, unknown), None if weights is None else weights[unknown]),
        WITHOUT: clone(against),
    }
    known_weights = None if weights is None else weights[known]
    task = Task.of(take_rows(X, known), labels.of_rows(known), model=alone, sample_weight=known_weights)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=UserWarning, message="k_best is larger")
        found = compare(both, task, scoring=scoring, cv=cv, random_state=random_state, n_jobs=n_jobs)
    return UnlabelledGain(found, len(known), len(unknown))


def warn_of_loss(found: UnlabelledGain) -> None:
    """Warn where unlabelled rows make the model worse."""
    if found.worse:
        warnings.warn(
            f"{found.sentence} The fit on labelled rows alone is better: use the estimator without them.",
            UnlabelledRowsWarning,
            stacklevel=4,
        )


class WithUnlabelled(MetaEstimatorMixin, Classifier):
    """A model to whose training rows the same unlabelled ones are added in every fit."""

    estimator: Any = parameter("The model.", kw_only=False)
    unlabelled: Any = parameter("The rows.", kw_only=False, of=[])
    unlabelled_weights: Any = parameter("Their weights.", default=None, kw_only=False, of=[])

    estimator_: Any = attribute()
    classes_: np.ndarray = attribute()
    prepared: ClassVar[str | None] = "estimator"
    fitted: ClassVar[dict[str, Spec]] = {"estimator_": Object(BaseEstimator), "classes_": Labels("K")}

    @property
    def accepts(self) -> Accepts:
        """What the model accepts."""
        return accepted_by_all([self.estimator])

    def __sklearn_clone__(self) -> WithUnlabelled:
        return WithUnlabelled(clone(self.estimator), self.unlabelled, self.unlabelled_weights)  # rows are not copied

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> WithUnlabelled:
        """Fit the model on the rows and the unlabelled ones."""
        labels = np.asarray(y).astype(object)
        more = np.full(self.unlabelled.shape[0], UNLABELLED, dtype=object)
        weights = None
        if sample_weight is not None:
            beside = np.ones(len(more)) if self.unlabelled_weights is None else self.unlabelled_weights
            weights = np.concatenate([sample_weight, beside])
        targets = np.concatenate([labels, more])
        if not any(isinstance(label, str) for label in labels.tolist()):
            targets = np.array(targets.tolist())
        self.estimator_ = fit_member(clone(self.estimator), _stacked(X, self.unlabelled), targets, weights)
        self.classes_ = np.unique(np.asarray(y))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The predictions of the model."""
        return self.estimator_.predict(X)

    @available_if(estimator_has("predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of the model."""
        return self.estimator_.predict_proba(X)


def _stacked(first: Any, second: Any) -> Any:
    if isinstance(first, Table):
        return concatenate(first, Table.of(second).select(*first.names))
    if sparse.issparse(first):
        return sparse.vstack([first, second], format="csr")
    return np.concatenate([np.asarray(first), np.asarray(second)])
