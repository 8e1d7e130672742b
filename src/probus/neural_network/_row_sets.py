"""Sets of rows that are held out together: a row and its copies, given as rows or by whole weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np

_AT_ONCE = 1024  # rows that are compared


@dataclass(frozen=True, eq=False)
class RowSets:
    """Sets of rows of which all are trained on, or none; without copies, each row is one.

    Rows of the same X are one set where two of them agree in y too. Sets of the same X and y would be wrong for tables
    of few different rows: all rows of one outcome would be held out, and training on the others would contradict them.

    Attributes
    ----------
    number : for each row that of its set, in the order of the rows.
    size : the rows of each set.
    stratum : the most frequent class of each set; 0 without classes.
    """

    number: np.ndarray
    size: np.ndarray
    stratum: np.ndarray

    @classmethod
    def of(
        cls,
        arrays: Sequence[np.ndarray],
        target: np.ndarray,
        strata: np.ndarray | None = None,
        texts: Sequence[Sequence[str]] | None = None,
    ) -> RowSets:
        """The sets of rows.

        Parameters
        ----------
        arrays : X, with an entry for each row in each.
        target : the target of each row, in one column or several.
        strata : the class of each row, or None.
        texts : what else rows of X have.

        Returns
        -------
        The sets.
        """
        n = len(target)
        alike = _first_alike(arrays, texts)
        same = _first_alike([alike, target])
        copied = np.bincount(same, minlength=n)[same] > 1
        several = np.zeros(n, bool)
        several[alike[copied]] = True
        number = np.unique(np.where(several[alike], alike, np.arange(n)), return_inverse=True)[1]
        size = np.bincount(number)
        return cls(number, size, np.zeros(len(size), np.int64) if strata is None else _most_frequent(strata, number))

    def __len__(self) -> int:
        return len(self.size)

    def share_of(self, order: np.ndarray, share: float) -> np.ndarray:
        """Sets that have about a share of the rows of each class: the first ones in an order of the sets."""
        held = []
        for code in np.unique(self.stratum):
            own = self._not_too_large(order[self.stratum[order] == code], share)
            middle = np.cumsum(self.size[own]) - self.size[own] / 2
            held.append(own[middle < self._wanted(own, share)])
        return np.concatenate(held)

    def fold(self, order: np.ndarray, number: int, n_folds: int) -> np.ndarray:
        """The sets of one of several folds, to which sets are dealt by class and size, else in an order of the sets."""
        own = self._not_too_large(order, 1 / n_folds)
        own = own[np.lexsort((-self.size[own], self.stratum[own]))]
        return own[number::n_folds]

    def split(self, held: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rows to train on where some sets are held out, and the rows of those."""
        out = np.isin(self.number, held)
        return np.flatnonzero(~out), np.flatnonzero(out)

    def _not_too_large(self, sets: np.ndarray, share: float) -> np.ndarray:
        """Sets that are nearer to a share of their rows than none is; larger ones are always trained on."""
        while (large := (self.size[sets] > 1) & (self.size[sets] / 2 >= self._wanted(sets, share))).any():
            sets = sets[~large]
        return sets

    def _wanted(self, sets: np.ndarray, share: float) -> int:
        """The rows that are a share of those of some sets."""
        return round(share * int(self.size[sets].sum()))


def _most_frequent(strata: np.ndarray, number: np.ndarray) -> np.ndarray:
    """The most frequent class of each set; of several, the last."""
    pairs, counts = np.unique(np.column_stack([number, strata]), axis=0, return_counts=True)
    found = np.empty(number.max() + 1, strata.dtype)
    for_set, code = pairs[np.argsort(counts, kind="stable")].T
    found[for_set] = code  # the last of a set, which is the most frequent, stays
    return found


def _first_alike(arrays: Sequence[np.ndarray], texts: Sequence[Sequence[str]] | None = None) -> np.ndarray:
    """For each row, the first that has the same contents."""
    n, first = len(arrays[0]), dict[bytes, int]()
    found = np.empty(n, np.intp)
    for start in range(0, n, _AT_ONCE):
        parts = [_comparable(each[start : start + _AT_ONCE]) for each in arrays]
        for row in range(start, min(start + _AT_ONCE, n)):
            contents = blake2b(b"" if texts is None else repr(texts[row]).encode(), digest_size=16)
            for part in parts:
                contents.update(part[row - start])
            found[row] = first.setdefault(contents.digest(), row)
    return found


def _comparable(rows: np.ndarray) -> np.ndarray:
    """Rows as a matrix whose bytes are equal where its numbers are: with one zero and one missing value."""
    flat = np.ascontiguousarray(rows.reshape(len(rows), int(np.prod(rows.shape[1:])))) + np.zeros(1, rows.dtype)
    return np.where(np.isnan(flat), np.nan, flat) if flat.dtype.kind == "f" else flat
