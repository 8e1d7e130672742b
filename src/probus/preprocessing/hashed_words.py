"""Counts of the words and pairs of words of texts, by scikit-learn's HashingVectorizer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

from probus.preprocessing.memory import Memory

__all__ = ["BUCKETS", "word_counts", "words_of"]

BUCKETS = 2**20

# Thai, Lao, Burmese, Khmer, Japanese and Chinese are written without spaces: there each character is a word.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u065f\u0900-\u0dff"  # accents, points and vowel signs are parts of words
_WORD = rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])[\w{_MARKS}]){{2,}}"


_COUNTS = Memory(most=2**28)  # every model on every split of a study counts the same texts


def word_counts(texts: Sequence[str]) -> sparse.csr_matrix:
    """How often each word and each pair of adjacent words occurs, texts × buckets of a hash.

    Words are in lower case and have two characters or more; in scripts without spaces each character is a word.

    >>> counts = word_counts(["So, so good!", "没有问题", ""])
    >>> counts.sum(axis=1).ravel().tolist()  # so, so, good, so so, so good; four characters and three pairs
    [[5.0, 7.0, 0.0]]
    """
    rows = _buckets(texts)
    ends = np.cumsum([0, *(len(buckets) for buckets, _ in rows)])
    buckets = np.concatenate([buckets for buckets, _ in rows]) if rows else np.empty(0, dtype=np.int32)
    counts = np.concatenate([counts for _, counts in rows]) if rows else np.empty(0)
    return sparse.csr_matrix((counts, buckets, ends), shape=(len(rows), BUCKETS))


def words_of(text: str) -> list[str]:
    """The words of a text, as they are counted.

    >>> words_of("A so-so 问题")
    ['so', 'so', '问', '题']
    """
    return re.findall(_WORD, text)


def _buckets(texts: Sequence[str]) -> list[tuple[np.ndarray, np.ndarray]]:
    """The buckets and counts of each text."""
    found = {text: _COUNTS.get(text) for text in texts}
    new = [text for text, counts in found.items() if counts is None]
    if new:
        matrix = _vectorizer().transform(new)
        rows = zip(*(np.split(part, matrix.indptr[1:-1]) for part in (matrix.indices, matrix.data)), strict=True)
        for text, (buckets, counts) in zip(new, rows, strict=True):
            found[text] = buckets.copy(), counts.copy()
            _COUNTS.keep(text, found[text], 300 + len(text) + buckets.nbytes + counts.nbytes)
    return [found[text] for text in texts]


@cache
def _vectorizer() -> Any:
    from sklearn.feature_extraction.text import HashingVectorizer

    return HashingVectorizer(
        n_features=BUCKETS, ngram_range=(1, 2), token_pattern=_WORD, alternate_sign=False, norm=None
    )
