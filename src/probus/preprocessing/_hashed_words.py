"""Counts of the words and pairs of words of texts, by scikit-learn's HashingVectorizer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from scipy import sparse

from probus.data import WORD
from probus.preprocessing._result_cache import Memory

BUCKETS = 2**20

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
        n_features=BUCKETS, ngram_range=(1, 2), token_pattern=WORD, alternate_sign=False, norm=None
    )
