"""Clusters, each of which gets the most frequent label among its rows."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from probus.allowed_values import HasMethod, NoneAllowed
from probus.base import Model, accepts_of
from probus.cluster import KMeans, KMedoids
from probus.data import Table, is_frame
from probus.errors import DataError
from probus.naive_bayes import NaiveBayes
from probus.parameters import RANDOM_STATE, attribute, parameter
from probus.pipeline import tabular
from probus.semi_supervised._partial_labels import PartialLabels
from probus.semi_supervised._wrapped_classifier import DelegatingClassifier
from probus.state import Array, Spec

_MANY = 3000  # rows, beyond which distances between all of them take long
_PER_CLASS = 3  # clusters


class ClusterThenLabel(DelegatingClassifier):
    """A classifier that is fitted on the labels of clusters: each row gets the most frequent one of its cluster.

    Rows keep the labels they have. A cluster without a labelled row, or whose labels disagree, gives none. This helps
    where clusters are classes, and hurts where they are not: ``check`` tests it on held-out labels.

    Attributes
    ----------
    estimator_ : the model. classes_ : the labels.
    transduction_ : the label of each row, −1 where it got none. labeled_iter_ : 0 for rows that had a label, 1 for rows
    that got one, −1 for the others.
    labels_ : the cluster of each row. cluster_classes_ : the place of the label of each cluster in ``classes_``, or −1.
    gain_ : what ``check`` found; None without.

    Examples
    --------
    >>> X = [[0.0], [0.5], [1.0], [5.0], [5.5], [6.0]]
    >>> model = ClusterThenLabel(NaiveBayes(), n_clusters=2).fit(X, ["a", None, None, None, None, "b"])
    >>> model.transduction_.tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']
    """

    estimator: Any = parameter("The classifier.", of=[HasMethod("fit")], kw_only=False)
    clusterer: Any = parameter(
        "What finds clusters: its ``labels_`` are used, and −1 among them is no cluster. None is ``KMedoids`` with "
        "Gower's distance, or for more than 3,000 rows ``KMeans`` after preparation.",
        default=None,
        of=[HasMethod("fit"), NoneAllowed()],
    )
    n_clusters: int | None = parameter(
        "The number of clusters where ``clusterer`` is None; None is three for each class.", default=None, at_least=1
    )
    purity: float = parameter(
        "The share of the most frequent class among the labelled rows of a cluster, from which it is its label.",
        default=0.75,
        above=0,
        at_most=1,
    )
    random_state: Any = RANDOM_STATE

    labels_: np.ndarray = attribute()
    cluster_classes_: np.ndarray = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        **DelegatingClassifier.fitted,
        "labels_": Array("i8", "n"),
        "cluster_classes_": Array("i8", "*"),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Naive Bayes."""
        return [cls(NaiveBayes(), random_state=0)]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> ClusterThenLabel:
        """Find clusters of all rows, label them, and fit the model."""
        X, labels, weights = self._start(X, y, sample_weight)
        self.labels_ = self._clusters(X, len(labels.classes))
        self.cluster_classes_ = self._label_clusters(labels, weights)
        places = np.append(self.cluster_classes_, -1)[self.labels_]
        new = np.flatnonzero(~labels.known & (places >= 0))
        labels.codes[new] = places[new]
        self.labeled_iter_[new] = 1
        self.estimator_ = self._fit_on_known(self.estimator, X, labels, weights)
        self._finish(labels)
        return self

    def _clusters(self, X: Any, n_classes: int) -> np.ndarray:
        """The cluster of each row."""
        n_clusters = _PER_CLASS * n_classes if self.n_clusters is None else self.n_clusters
        n_clusters = min(n_clusters, X.shape[0])
        typed = isinstance(X, Table) or is_frame(X)
        if self.clusterer is not None:
            clusterer = clone(self.clusterer)
        elif X.shape[0] > _MANY or not (typed or isinstance(X, np.ndarray)):
            clusterer = KMeans(n_clusters, random_state=self.random_state)
        else:
            clusterer = KMedoids(n_clusters, metric="gower", random_state=self.random_state)
        if typed and not accepts_of(clusterer).nominal:
            clusterer = tabular(clusterer)
        clusterer.fit(X)
        last = clusterer.steps[-1][1] if hasattr(clusterer, "steps") else clusterer
        found = np.asarray(getattr(last, "labels_", None))
        if found.shape != (X.shape[0],):
            raise DataError(f"{type(last).__name__} has no labels_ of the rows.", "a clusterer")
        return found.astype(np.int64)

    def _label_clusters(self, labels: PartialLabels, weights: np.ndarray | None) -> np.ndarray:
        """The class of each cluster: the one of most weight, if it has enough of it."""
        rows = np.flatnonzero(labels.known & (self.labels_ >= 0))
        counts = np.zeros((int(self.labels_.max(initial=-1)) + 1, len(labels.classes)))
        np.add.at(counts, (self.labels_[rows], labels.codes[rows]), 1.0 if weights is None else weights[rows])
        total = counts.sum(axis=1)
        pure = (total > 0) & (counts.max(axis=1, initial=0.0) >= self.purity * total - 1e-12)
        return np.where(pure, counts.argmax(axis=1), -1)
