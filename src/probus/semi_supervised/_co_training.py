"""Co-training: two views of the columns, each of which labels rows for the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import HasMethod, NoneAllowed
from probus.base import Accepts, Model
from probus.data.row_selection import take_rows
from probus.ensemble import columns_of, validated
from probus.errors import DataError
from probus.naive_bayes import NaiveBayes
from probus.parameters import RANDOM_STATE, attribute, parameter
from probus.semi_supervised._partial_labels import PartialLabels
from probus.semi_supervised._wrapped_classifier import PartlyLabelledClassifier
from probus.state import Array, Labels, Many, Number, Object, Spec
from probus.wrapping import accepted_by_all


class CoTrainingClassifier(PartlyLabelledClassifier):
    """Two classifiers, each on its own columns, that label rows for each other (Blum and Mitchell 1998).

    In each round each labels the rows that it is most sure of, of every class as many as its share among the labelled
    rows; both are fitted again with these. It helps where either view is enough to predict the class, and the views
    are independent given the class. Both probabilities are multiplied for a prediction.

    Attributes
    ----------
    estimators_ : the models of the two views. views_ : the columns of each, by position. classes_ : the labels.
    transduction_ : the label of each row, −1 where it got none.
    labeled_iter_ : the round in which a row got its label: 0 where it had one, −1 where it got none.
    n_iter_ : how often the models were fitted. gain_ : what ``check`` found; None without.

    Examples
    --------
    >>> X = [[0.0, 9.1], [0.5, 8.0], [1.0, 8.5], [5.0, 1.0], [5.5, 1.5], [6.0, 0.5]]
    >>> model = CoTrainingClassifier(NaiveBayes(), random_state=0).fit(X, ["a", "a", None, None, "b", "b"])
    >>> model.transduction_.tolist(), [view.tolist() for view in model.views_]
    (['a', 'a', 'a', 'b', 'b', 'b'], [[0], [1]])
    """

    estimator: Any = parameter(
        "The classifier of the first view, with probabilities.", of=[HasMethod("fit")], kw_only=False
    )
    other_estimator: Any = parameter(
        "The classifier of the second view; None is the same.", default=None, of=[HasMethod("fit"), NoneAllowed()]
    )
    views: Any = parameter(
        "Two lists of columns, by name or position. None is the first half of the columns and the second.",
        default=None,
        of=[],
    )
    n_new: int = parameter(
        "The number of rows that each view labels in a round, at least one of each class.", default=4, at_least=1
    )
    pool_size: int | None = parameter(
        "From how many rows, drawn at random, they are chosen, so that they are spread; None is all.",
        default=75,
        at_least=1,
    )
    threshold: float = parameter(
        "Rows whose probability is not larger than this get no label.", default=0.75, at_least=0, below=1
    )
    max_iter: int = parameter("The number of rounds at most.", default=30, at_least=0)
    random_state: Any = RANDOM_STATE

    estimators_: list[Any] = attribute()
    views_: list[np.ndarray] = attribute()
    n_iter_: int = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        "estimators_": Many(Object(BaseEstimator)),
        "views_": Many(Array("i8", "*", low=0)),
        "n_iter_": Number(),
        "classes_": Labels("K"),
        **PartlyLabelledClassifier.fitted,
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Naive Bayes."""
        return [cls(NaiveBayes(), random_state=0)]

    @property
    def accepts(self) -> Accepts:
        """What both models accept."""
        return accepted_by_all(self._models())

    def _models(self) -> list[Any]:
        return [self.estimator, self.estimator if self.other_estimator is None else self.other_estimator]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CoTrainingClassifier:
        """Fit a model to each view, let each label rows for the other, and repeat."""
        X, labels, weights = self._start(X, y, sample_weight)
        self.views_ = self._views(X)
        random, self.n_iter_ = check_random_state(self.random_state), 1
        views = [columns_of(X, view) for view in self.views_]
        while True:
            pairs = zip(self._models(), views, strict=True)
            self.estimators_ = [self._fit_on_known(model, view, labels, weights) for model, view in pairs]
            if labels.known.all() or self.n_iter_ > self.max_iter or not self._label(views, labels, random):
                break
            self.n_iter_ += 1
        self.transduction_ = labels.written_out()
        self.classes_ = labels.classes
        return self

    def _views(self, X: Any) -> list[np.ndarray]:
        """The columns of each view, by position."""
        width = X.shape[1]
        if self.views is None:
            if width < 2:
                return [np.arange(width), np.arange(width)]
            return [np.arange(width // 2), np.arange(width // 2, width)]
        two = isinstance(self.views, Sequence) and not isinstance(self.views, str) and len(self.views) == 2
        if not two or not all(isinstance(view, (Sequence, np.ndarray)) and not isinstance(view, str)
                              for view in self.views):  # fmt: skip
            raise DataError(f"views={self.views!r}.", "two lists of columns")
        names = [str(name) for name in getattr(self, "feature_names_in_", [])]
        found = []
        for view in self.views:
            places = [names.index(c) if isinstance(c, str) and c in names else c for c in view]
            strange = [
                c for c in places if isinstance(c, bool) or not isinstance(c, (int, np.integer)) or not 0 <= c < width
            ]
            if strange or not places:
                what = f"column {strange[0]!r}" if strange else "a view without columns"
                raise DataError(f"views: {what}.", "columns of X, by name or position, in each view")
            found.append(np.array(places, dtype=np.int64))
        return found

    def _label(self, views: list[Any], labels: PartialLabels, random: np.random.RandomState) -> bool:
        """Let each view label some rows; whether there were any."""
        unknown = np.flatnonzero(~labels.known)
        if self.pool_size is not None and self.pool_size < len(unknown):
            unknown = np.sort(random.permutation(unknown)[: self.pool_size])
        shares = np.bincount(labels.codes[self.labeled_iter_ == 0], minlength=len(labels.classes))
        most = np.maximum(np.round(self.n_new * shares / shares.sum()).astype(int), 1)
        best: dict[int, tuple[float, int]] = {}
        for model, view in zip(self.estimators_, views, strict=True):
            probabilities = model.predict_proba(take_rows(view, unknown))
            places, sure = probabilities.argmax(axis=1), probabilities.max(axis=1)
            codes = np.searchsorted(labels.classes, model.classes_)[places]
            for code, n in enumerate(most):
                own = np.flatnonzero((codes == code) & (sure > self.threshold))
                for place in own[np.argsort(-sure[own], kind="stable")[:n]]:
                    row = int(unknown[place])
                    best[row] = max(best.get(row, (0.0, 0)), (float(sure[place]), code))  # the surer of two views
        for row, (_, code) in best.items():
            labels.codes[row] = code
            self.labeled_iter_[row] = self.n_iter_
        return bool(best)

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row."""
        check_is_fitted(self)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The product of the probabilities of both views, divided by its sum."""
        check_is_fitted(self)
        X = validated(self, X, reset=False)
        pairs = zip(self.estimators_, self.views_, strict=True)
        found = [model.predict_proba(columns_of(X, view)) for model, view in pairs]
        product = found[0] * found[1]
        total = product.sum(axis=1, keepdims=True)
        return np.divide(product, total, out=(found[0] + found[1]) / 2, where=total > 0)
