"""Which rows share leaves with which: a product of two sparse matrices of rows by leaves, or a comparison of codes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array, vstack

from probus.compiling import njit
from probus.parallel import chunked, thread_count
from probus.tree import Trees

_BLOCK = 2**21  # pairs at once, 16 MB, so that beside the result little is held
_WORTH_COMPARING = 20  # codes in the time of one addition: they are compared many abreast, additions wait for memory
_TILE = 1024  # others at once whose codes stay in the cache
_NOBODY, _NOWHERE = 2**16 - 1, 2**16 - 2  # codes of rows and others that do not count, equal to no other


def memberships(leaves: np.ndarray, n_nodes: int, weight: np.ndarray | None = None) -> csr_array:
    """Rows × nodes: the weight of a row in each of its leaves, by default 1; zeros are not stored.

    >>> memberships(np.array([[0, 2], [1, 2]]), 3).toarray()
    array([[1., 0., 1.],
           [0., 1., 1.]])
    """
    n, n_trees = leaves.shape
    if weight is None:
        starts, leaf, weighs = np.arange(0, n * n_trees + 1, n_trees), leaves.ravel(), np.ones(leaves.size)
    else:
        there = weight > 0
        starts = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
        leaf, weighs = leaves[there], weight[there].astype(np.float64)
    narrow = np.int32 if len(leaf) < 2**31 else np.int64
    return csr_array((weighs, leaf.astype(narrow, copy=False), starts.astype(narrow)), shape=(n, n_nodes))


class LeafCodes(NamedTuple):
    """Leaves as small numbers within their trees: uint16[n, T] of rows, uint16[T, m] of others."""

    rows: np.ndarray
    others: np.ndarray


def leaf_codes(trees: Trees, here: np.ndarray, there: np.ndarray, counts: np.ndarray | None = None) -> LeafCodes | None:
    """The leaves of rows and others as codes; None where trees are too many or too large, and leaves small anyway.

    counts : bool[n, T] the trees in which a row counts, where rows and others are the same; None for all.
    """
    if max(len(trees), int(np.diff(trees.start).max())) >= _NOWHERE:
        return None
    rows, others = ((leaves - trees.start[:-1]).astype(np.uint16) for leaves in (here, there))
    if counts is not None:
        rows[~counts], others[~counts] = _NOBODY, _NOWHERE
    return LeafCodes(rows, np.ascontiguousarray(others.T))


@dataclass(frozen=True, eq=False)
class LeafSharing:
    """For rows against others the weight of the leaves that they share: ``(rows @ others.T) / divisor``.

    rows, others : as ``memberships`` makes them.
    trees : what each row is divided by.
    out_of_bag : where the divisor is instead the number of trees in which both are, two float32 matrices of rows by
        trees and others by trees. Pairs with no such tree share nothing.
    codes : the same leaves, where each weighs 1, for trees of few leaves, whose rows share so many that comparing all
        is faster than adding up those that are the same.
    """

    rows: csr_array
    others: csc_array
    trees: np.ndarray
    out_of_bag: tuple[np.ndarray, np.ndarray] | None = None
    codes: LeafCodes | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and others."""
        return self.rows.shape[0], self.others.shape[0]

    def among(self, chosen: np.ndarray) -> LeafSharing:
        """The sharing of some of the rows with each other, where rows and others are the same."""
        unseen = None if self.out_of_bag is None else self.out_of_bag[0][chosen]
        codes = self.codes and LeafCodes(self.codes.rows[chosen], np.ascontiguousarray(self.codes.others[:, chosen]))
        rows = self.rows[chosen]
        both = None if unseen is None else (unseen, unseen)
        return LeafSharing(rows, csc_array(rows), self.trees[chosen], both, codes)

    @cached_property
    def additions(self) -> float:
        """How many additions the product takes."""
        here, there = (np.diff(m.tocsc().indptr).astype(np.float64) for m in (self.rows, self.others))
        return float(here @ there)

    @cached_property
    def compares(self) -> bool:
        """Whether codes are compared instead of products added."""
        return self.codes is not None and self._comparisons < _WORTH_COMPARING * self.additions

    @property
    def _comparisons(self) -> float:
        return 0.0 if self.codes is None else float(len(self.codes.rows)) * self.codes.others.size

    @property
    def work(self) -> float:
        """How many elementary operations all pairs take."""
        return self._comparisons / _WORTH_COMPARING if self.compares else self.additions

    @property
    def block(self) -> int:
        """How many rows to take at once."""
        return int(np.clip(_BLOCK // max(self.shape[1], 1), 1, 256))

    def _divisor(self, first: int, last: int) -> np.ndarray:
        if self.out_of_bag is None:
            return np.maximum(self.trees[first:last, None], 1)
        return np.maximum(self.out_of_bag[0][first:last] @ self.out_of_bag[1].T, 1)

    def fill(self, first: int, last: int, out: np.ndarray) -> np.ndarray:
        """Put the rows from first up to last into ``out``, which holds zeros."""
        if self.compares:
            add_equal(self.codes.rows[first:last], self.codes.others, np.zeros(_TILE, np.uint16), out)  # type: ignore[union-attr]
        else:
            a, b = self.rows[first:last], self.others
            add_products(a.indptr, a.indices, a.data, b.indptr, b.indices, b.data, out)
        out /= self._divisor(first, last)
        return out

    def dense(self, n_jobs: int | None = None) -> np.ndarray:
        """All pairs."""
        out = np.zeros(self.shape)
        threads = thread_count(n_jobs, self.work + out.size)
        chunked(lambda first, last: self.fill(first, last, out[first:last]), len(out), threads, chunk=self.block)
        return out

    def sparse(self, n_jobs: int | None = None) -> csr_array:
        """The pairs that share a leaf."""
        others = self.others.T.tocsr()

        def part(first: int, last: int) -> Any:
            found = csr_array(self.rows[first:last] @ others)
            if self.out_of_bag is None:
                divisor: Any = np.repeat(self._divisor(first, last).ravel(), np.diff(found.indptr))
            else:
                place = np.repeat(np.arange(last - first), np.diff(found.indptr))
                divisor = self._divisor(first, last)[place, found.indices]
            found.data /= divisor
            return found

        threads = thread_count(n_jobs, 3.0 * self.additions)
        whole = csr_array(vstack(chunked(part, self.shape[0], threads, chunk=self.block), format="csr"))
        whole.sort_indices()
        return whole

    def sums_of_squares(self, n_jobs: int | None = None) -> np.ndarray:
        """For each row the sum of its squared shares, without holding the pairs."""

        def part(first: int, last: int) -> np.ndarray:
            block = self.fill(first, last, np.zeros((last - first, self.shape[1])))
            return np.einsum("ij,ij->i", block, block)

        threads = thread_count(n_jobs, self.work)
        return np.concatenate(chunked(part, self.shape[0], threads, chunk=self.block))


@njit(nogil=True, cache=True)
def add_products(a_start, a_leaf, a_weight, b_start, b_row, b_weight, out):
    """Add the product of a matrix stored by rows and the transpose of one stored by columns.

    a_start, a_leaf, a_weight (IN) the rows, CSR
    b_start, b_row, b_weight (IN)  the others, CSC: for each leaf those that came to it
    out (OUT)                      float64[n, m]
    """
    for i in range(out.shape[0]):
        for p in range(a_start[i], a_start[i + 1]):
            leaf, weight = a_leaf[p], a_weight[p]
            for k in range(b_start[leaf], b_start[leaf + 1]):
                out[i, b_row[k]] += weight * b_weight[k]


@njit(nogil=True, cache=True)
def add_equal(a, b, tally, out):
    """Add for each row and other the number of trees in which their codes are the same.

    a, b (IN)    uint16[n, T], uint16[T, m]
    tally (WORK) uint16[*] as many others as are taken at once
    out (INOUT)  float64[n, m]
    """
    m, size = b.shape[1], len(tally)
    for first in range(0, m, size):
        width = min(size, m - first)
        for i in range(a.shape[0]):
            for j in range(width):
                tally[j] = 0
            for t in range(a.shape[1]):
                code, codes = a[i, t], b[t, first : first + width]  # a view, or the loop is not run sixteen abreast
                for j in range(width):
                    tally[j] += np.uint16(codes[j] == code)
            for j in range(width):
                out[i, first + j] += tally[j]
