"""Numbers from the words of texts: scores that predict the target, and topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold
from sklearn.preprocessing import normalize
from sklearn.utils.extmath import randomized_svd

from probus.errors import ModelFileError
from probus.preprocessing._hashed_words import BUCKETS, word_counts
from probus.preprocessing._result_cache import Memory
from probus.state import Array, Part, Spec

_MOST_WORDS = 20_000
_FOLDS = 5
_PENALTY = 3.0
_NOTHING = 1e-6  # of the largest singular value: smaller ones are rounding


@dataclass(frozen=True)
class WordFeatures(Part):
    """Features of texts, fitted on the training rows.

    Attributes
    ----------
    words : the hash of each word and pair that at least two rows contain, the 20,000 most frequent.
    idf : their weights, log((1 + n)/(1 + rows that contain it)) + 1.
    topics : words × topics, the first right singular vectors of the TF–IDF matrix of the training rows.
    weights, offsets : words × scores and scores: ridge regressions of the target on that matrix.
    """

    words: np.ndarray
    idf: np.ndarray
    topics: np.ndarray
    weights: np.ndarray
    offsets: np.ndarray

    declared: ClassVar[Mapping[str, Spec]] = {
        "words": Array("i4", "v", 0, BUCKETS),
        "idf": Array("f8", "v"),
        "topics": Array("f8", "v t"),
        "weights": Array("f8", "v s"),
        "offsets": Array("f8", "s"),
    }

    def check(self) -> None:
        """Raise a ModelFileError unless the words are in order."""
        if (np.diff(self.words) <= 0).any():
            raise ModelFileError("WordFeatures: the words are not in order.")

    @classmethod
    def learnt(cls, texts: Sequence[str], targets: np.ndarray, n_topics: int) -> WordFeatures:
        """From the training rows; ``targets`` are rows × scores, without columns where there is no target."""
        counts = word_counts(texts)
        rows_with = np.bincount(counts.indices, minlength=BUCKETS)
        frequent = np.argsort(-rows_with, kind="stable")[:_MOST_WORDS]
        words = np.sort(frequent[rows_with[frequent] > 1]).astype(np.int32)
        idf = np.log((1 + len(texts)) / (1 + rows_with[words])) + 1
        matrix = _tf_idf(counts, words, idf)
        weights, offsets = _ridge(matrix, targets)
        return cls(words, idf, _topics(matrix, n_topics), weights, offsets)

    def numbers(self, texts: Sequence[str]) -> np.ndarray:
        """The scores and topics of each text."""
        matrix = _tf_idf(word_counts(texts), self.words, self.idf)
        return np.hstack([matrix @ self.weights + self.offsets, matrix @ self.topics])

    def strength(self, words: Sequence[str]) -> np.ndarray:
        """The size of the weights of single words, 0 for those that are not known."""
        own = self.weights if self.weights.shape[1] else self.topics
        sizes = self.idf * np.linalg.norm(own, axis=1)
        counts = word_counts(words)
        place = np.searchsorted(self.words, counts.indices)
        known = place < len(self.words)
        known[known] = self.words[place[known]] == counts.indices[known]
        found = np.zeros(len(counts.indices))
        found[known] = sizes[place[known]]
        return np.array([found[first:last].max(initial=0.0) for first, last in pairwise(counts.indptr)])

    @classmethod
    def cross_fitted(
        cls, texts: Sequence[str], targets: np.ndarray, n_topics: int, random_state: Any
    ) -> tuple[WordFeatures, np.ndarray]:
        """The fitted state, and the features of the training rows, whose scores come from fits on the other folds."""
        key = (tuple(texts), targets.tobytes(), n_topics, random_state)
        known = _LEARNT.get(key) if isinstance(random_state, int) else None
        if known is None:
            learnt = cls.learnt(texts, targets, n_topics)
            known = learnt, learnt._with_scores_of_folds(texts, targets, random_state)
            if isinstance(random_state, int):
                arrays = (*learnt.parts().values(), known[1], targets)
                _LEARNT.keep(key, known, 8 * len(texts) + sum(array.nbytes for array in arrays))
        return known

    def _with_scores_of_folds(self, texts: Sequence[str], targets: np.ndarray, random_state: Any) -> np.ndarray:
        numbers = self.numbers(texts)
        if targets.shape[1] and len(texts) > 1:
            matrix = _tf_idf(word_counts(texts), self.words, self.idf)
            folds = KFold(min(_FOLDS, len(texts)), shuffle=True, random_state=random_state)
            for training, held_out in folds.split(targets):
                weights, offsets = _ridge(matrix[training], targets[training])
                numbers[held_out, : targets.shape[1]] = matrix[held_out] @ weights + offsets
        return numbers


_LEARNT = Memory(most=2**28)  # the models of a study learn the same words on each split


def _tf_idf(counts: sparse.csr_matrix, words: np.ndarray, idf: np.ndarray) -> sparse.csr_matrix:
    """(1 + log count) · idf, each row scaled to length 1."""
    matrix = counts[:, words]
    matrix.data = (1 + np.log(matrix.data)) * idf[matrix.indices]
    return normalize(matrix, copy=False) if matrix.nnz else matrix


def _topics(matrix: sparse.csr_matrix, n_topics: int) -> np.ndarray:
    """The first right singular vectors, words × topics."""
    n_topics = min(n_topics, *matrix.shape)
    if not n_topics or not matrix.nnz:
        return np.empty((matrix.shape[1], 0))
    _, sizes, vectors = randomized_svd(matrix, n_topics, random_state=0, flip_sign=False)
    vectors = vectors[sizes > _NOTHING * sizes[0]]
    largest = np.abs(vectors).argmax(axis=1)
    return np.ascontiguousarray((vectors * np.sign(vectors[np.arange(len(vectors)), largest])[:, None]).T)


def _ridge(matrix: sparse.csr_matrix, targets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights, words × scores, and offsets."""
    if not matrix.nnz or not targets.shape[1]:
        return np.zeros((matrix.shape[1], targets.shape[1])), targets.mean(axis=0)
    ridge = Ridge(_PENALTY, solver="sparse_cg", tol=1e-3).fit(matrix, targets)
    return np.ascontiguousarray(ridge.coef_.reshape(targets.shape[1], -1).T), np.atleast_1d(ridge.intercept_)
