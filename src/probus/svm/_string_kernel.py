"""A kernel between strings: how many substrings they have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from probus.data import Column, Table
from probus.errors import DataError
from probus.state import Flag, Number, Part, Spec

_MOST = 1_000_000_000  # characters of substrings, which are all in memory


@dataclass(frozen=True)
class StringKernel(Part):
    """The spectrum kernel: the product of the counts of each substring in both strings, summed over substrings.

    It is a callable for ``kernel=`` of SVC, NuSVC, SVR, NuSVR and OneClassSVM, whose X is then a column of text: a
    list, an array, a ``Column``, or a table of one column. Other models take its matrix as a precomputed kernel.

    Parameters
    ----------
    length : int
        The length of the substrings, in characters.
    shorter : bool
        Whether shorter substrings count too.
    normalised : bool
        Whether kernels are divided by the root of the product of those of each string with itself, so that long strings
        are not more similar. An empty string has 0.

    Examples
    --------
    >>> StringKernel(length=2, shorter=False)(["abab", "bcd"], ["ab", "bcbc"]).round(3)
    array([[0.894, 0.   ],
           [0.   , 0.632]])
    >>> from probus.svm import SVC
    >>> words = ["walking", "talking", "singing", "walked", "talked", "jumped"]
    >>> SVC(kernel=StringKernel()).fit(words, [1, 1, 1, 0, 0, 0]).predict(["ringing", "kicked"])
    array([1, 0])
    """

    length: int = 3
    shorter: bool = True
    normalised: bool = True

    declared: ClassVar[Mapping[str, Spec]] = {"length": Number(), "shorter": Flag(), "normalised": Flag()}

    def __call__(self, A: Any, B: Any) -> np.ndarray:
        """The kernel of every string of A with every string of B."""
        from sklearn.feature_extraction.text import CountVectorizer

        first, second = _strings(A), _strings(B)
        if self.length < 1:
            raise DataError(f"length={self.length}.", "at least 1")
        characters = sum(self._characters(len(text)) for text in {*first, *second})
        if characters > _MOST:
            raise DataError(
                f"the substrings of up to {self.length} characters have {characters:.2g} characters in all.",
                f"at most {_MOST:.0e}",
                "Choose a smaller length, or split long texts.",
            )
        try:
            counts = CountVectorizer(analyzer=self._substrings, dtype=np.float64).fit_transform(first + second)
        except ValueError:  # no substring of that length in any string
            return np.zeros((len(first), len(second)))
        if self.normalised:
            sizes = np.sqrt(np.asarray(counts.multiply(counts).sum(axis=1)).ravel())
            counts = counts.multiply(1.0 / np.where(sizes > 0, sizes, 1.0)[:, None]).tocsr()
        return (counts[: len(first)] @ counts[len(first) :].T).toarray()

    def _substrings(self, text: str) -> list[str]:
        return [text[start : start + k] for k in self._lengths(len(text)) for start in range(len(text) - k + 1)]

    def _lengths(self, n: int) -> range:
        """The lengths of the substrings of a string of n characters."""
        return range(1 if self.shorter else self.length, min(self.length, n) + 1)

    def _characters(self, n: int) -> int:
        return sum((n - k + 1) * k for k in self._lengths(n))


def _strings(X: Any) -> list[str]:
    """A column of text as a list."""
    if isinstance(X, Table):
        if X.shape[1] != 1:
            raise DataError(f"found a table of {X.shape[1]} columns.", "one column of text", "Select it by name.")
        (X,) = X
    values = X.decoded() if isinstance(X, Column) else np.asarray(X)
    values = values[:, 0] if values.ndim == 2 and values.shape[1] == 1 else values
    if values.ndim != 1 or not all(isinstance(value, str) for value in values.tolist()):
        odd = "an array of shape " + str(values.shape) if values.ndim != 1 else "values that are not strings"
        raise DataError(f"StringKernel found {odd}.", "one string per row", "Replace missing strings with ''.")
    return [str(value) for value in values.tolist()]
