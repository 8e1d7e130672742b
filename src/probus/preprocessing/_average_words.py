"""Texts as the mean of vectors of their words, which are learnt from the words beside them."""

from __future__ import annotations

from itertools import chain
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds
from sklearn.utils.validation import check_is_fitted

from probus.base import Model
from probus.data import Kind, Table
from probus.display import counted
from probus.errors import DataError, ModelFileError
from probus.parameters import attribute, inherited, parameter
from probus.preprocessing._count_words import CountWords
from probus.preprocessing._transformer import distinct
from probus.sklearn_seam import check_feature_names_in
from probus.state import Array, Many, Spec

_SMOOTHING = 0.75  # of the frequency of the words beside, as in Levy, Goldberg and Dagan (2015)


class AverageWords(CountWords):
    """The mean vector of the words of each text: words that stand beside the same words have similar vectors.

    A word has a row of how much more often others stand beside it than by chance: log(n p(w, v) / (p(w) p(v))), where
    it is positive. The leading singular vectors of these rows are the vectors (Levy, Goldberg and Dagan 2015). Words
    that the training rows lack are left out of the mean, and a text of such words is 0.

    Words as 0 and 1, without vectors, are ``CountWords(binary=True)``.

    Attributes
    ----------
    words_, vectors_ : the words of each text column, and the vector of each.

    Examples
    --------
    >>> texts = ["the cat sleeps", "the dog sleeps", "red wine tastes", "white wine tastes"] * 5
    >>> model = AverageWords(2).fit(texts)
    >>> model.transform(["cat and dog"]).shape
    (1, 2)
    >>> model.similar("cat", k=1)[0][0]
    'dog'
    """

    n_components: int = parameter("The numbers of a vector.", default=50, at_least=1, kw_only=False)
    window: int = parameter("How many words to each side stand beside a word.", default=5, at_least=1)
    sparse_output: bool = inherited(default=False)

    vectors_: list[np.ndarray] = attribute()
    fitted: ClassVar[dict[str, Spec]] = {**CountWords.fitted, "vectors_": Many(Array("f8", "* v"))}

    @classmethod
    def examples(cls) -> list[Model]:
        """Few numbers."""
        return [cls(3)]

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless each word has a vector."""
        super().check_fitted_state()
        if [len(each) for each in self.words_] != [len(each) for each in self.vectors_]:
            raise ModelFileError("AverageWords: the vectors do not match the words.")

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the columns: "text 1", "text 2", … for the numbers of a text."""
        check_is_fitted(self)
        names = check_feature_names_in(self, input_features)
        pairs = list(zip(names, self.schema_, strict=True))
        made = [name for name, field in pairs if field.kind is not Kind.TEXT]
        texts = [name for name, field in pairs if field.kind is Kind.TEXT]
        for name, words in zip(texts, self.words_, strict=True):
            made += [f"{name} {place + 1}" for place in range(self.n_components if len(words) else 0)]
        return np.array(distinct(made), dtype=object)

    def notes(self) -> list[str]:
        """How texts are used, as sentences."""
        texts = [field.name for field in self.schema_ if field.kind is Kind.TEXT]
        return [
            f"{name} is used as the mean vector of {counted(len(words), 'word')}, {self.n_components} numbers"
            for name, words in zip(texts, self.words_, strict=True)
        ]

    def similar(self, word: str, k: int = 5) -> list[tuple[str, float]]:
        """The words whose vectors have the smallest angle to that of a word.

        Parameters
        ----------
        word : a word of the training rows.
        k : how many.

        Returns
        -------
        The words with the cosine of the angle, the most similar first.
        """
        check_is_fitted(self)
        for words, vectors in zip(self.words_, self.vectors_, strict=True):
            at = np.flatnonzero(words == word)
            if len(at):
                lengths = np.linalg.norm(vectors, axis=1)
                cosines = vectors @ vectors[at[0]] / np.maximum(lengths * lengths[at[0]], 1e-300)
                best = [each for each in np.argsort(-cosines, kind="stable") if each != at[0]][:k]
                return [(str(words[each]), float(cosines[each])) for each in best]
        raise DataError(f"the word {word!r} is not in the training rows.", "one of words_")

    def _learn(self, table: Table) -> list[sparse.csr_matrix]:
        counts = super()._learn(table)
        self.vectors_ = [
            self._vectors([text or "" for text in column.values], words)
            for column, words in zip(table.of_kind(Kind.TEXT), self.words_, strict=True)
        ]
        return counts

    def _vectors(self, texts: list[str], words: np.ndarray) -> np.ndarray:
        """The vector of each word, words × numbers."""
        if not len(words):
            return np.zeros((0, self.n_components))
        split = self._vectorizer(None).build_analyzer()
        number = {word: place for place, word in enumerate(words)}
        rows = [[number[word] for word in split(text) if word in number] for text in texts]
        left, values = _leading(_association(_beside(rows, len(words), self.window)), self.n_components)
        return left * np.sqrt(values)

    def _weighted(self, counts: sparse.csr_matrix, place: int) -> sparse.csr_matrix:
        total = np.maximum(np.asarray(counts.sum(axis=1)).ravel(), 1.0)
        return sparse.csr_matrix((counts @ self.vectors_[place]) / total[:, None])


def _beside(rows: list[list[int]], n_words: int, window: int) -> sparse.csr_matrix:
    """How often each word stands within the window of each other, words × words."""
    flat = np.fromiter(chain.from_iterable(rows), np.int64)
    of_row = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    found = sparse.csr_matrix((n_words, n_words))
    for distance in range(1, window + 1):
        same = of_row[distance:] == of_row[:-distance]
        one, other = flat[:-distance][same], flat[distance:][same]
        found += sparse.csr_matrix((np.ones(len(one)), (one, other)), shape=found.shape)
    return found + found.T


def _association(beside: sparse.csr_matrix) -> sparse.csr_matrix:
    """The logarithm of how much more often two words stand beside each other than by chance, 0 at least."""
    pairs = beside.tocoo()
    if not pairs.nnz:
        return beside
    of_word = np.asarray(beside.sum(axis=1)).ravel()
    smooth = of_word**_SMOOTHING
    chance = of_word[pairs.row] * smooth[pairs.col] / smooth.sum()
    values = np.maximum(np.log(pairs.data / chance), 0.0)
    return sparse.csr_matrix((values, (pairs.row, pairs.col)), shape=beside.shape)


def _leading(matrix: sparse.csr_matrix, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The leading left singular vectors, largest entries positive, and singular values; 0 beyond the rank."""
    n = matrix.shape[0]
    if n <= max(2 * k, 100):
        left, values, _ = np.linalg.svd(matrix.toarray())
    else:
        left, values, _ = svds(matrix, k, v0=np.ones(n))
    order = np.argsort(-values, kind="stable")[:k]
    left, values = left[:, order], values[order]
    left = left * np.where(left[np.abs(left).argmax(axis=0), np.arange(len(order))] < 0, -1.0, 1.0)
    missing = k - len(order)
    return np.pad(left, ((0, 0), (0, missing))), np.pad(values, (0, missing))
