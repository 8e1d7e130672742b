"""Which rows share leaves with which, as a product of two sparse matrices of rows by leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from scipy.sparse import csc_array, csr_array, vstack

from probus.parallel import chunked, thread_count

__all__ = ["Sharing", "memberships"]

_BLOCK = 2**21  # pairs at once, 16 MB, so that beside the result little is held


def memberships(leaves: np.ndarray, n_nodes: int, weight: np.ndarray | None = None) -> csr_array:
    """Rows × nodes: what a row weighs in each of its leaves, 1 unless told; what weighs nothing is left out.

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


@dataclass(frozen=True, eq=False)
class Sharing:
    """For rows against others the weight of the leaves that they share: ``(rows @ others.T) / divisor``.

    rows, others : as ``memberships`` makes them.
    trees : what each row is divided by.
    out_of_bag : where the divisor is instead the number of trees in which both are, two float32 matrices of rows by
        trees and others by trees; pairs with no such tree share nothing.
    """

    rows: csr_array
    others: csc_array
    trees: np.ndarray
    out_of_bag: tuple[np.ndarray, np.ndarray] | None = None

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and others."""
        return self.rows.shape[0], self.others.shape[0]

    def among(self, chosen: np.ndarray) -> Sharing:
        """The sharing of some of the rows with each other, where rows and others are the same."""
        unseen = None if self.out_of_bag is None else self.out_of_bag[0][chosen]
        rows = self.rows[chosen]
        return Sharing(rows, csc_array(rows), self.trees[chosen], None if unseen is None else (unseen, unseen))

    @property
    def work(self) -> float:
        """How many additions the product takes."""
        here, there = (np.diff(m.tocsc().indptr).astype(np.float64) for m in (self.rows, self.others))
        return float(here @ there)

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

        threads = thread_count(n_jobs, 3.0 * self.work)
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
