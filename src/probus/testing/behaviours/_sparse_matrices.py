"""Sparse matrices that are odd, damaged or the caller's own."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy import sparse

from probus.data import Kind, Table
from probus.testing._outputs import assert_equal_outputs, has_outputs, outputs
from probus.testing._specimen import Specimen
from probus.testing.behaviours._behaviour import behaviour, refused

__all__: list[str] = []


def _stored(specimen: Specimen) -> sparse.csr_matrix:
    """Rows, none of which is all zeros."""
    matrix = Table(specimen.table(missing=False).of_kind(Kind.NUMERIC)).numbers()
    rows = np.arange(len(matrix))
    matrix[rows, rows % matrix.shape[1]] = 0.0
    return sparse.csr_matrix(matrix)


def _repeat(X: sparse.csr_matrix) -> sparse.csr_matrix:
    """The same matrix, each entry stored as two halves, the columns of a row in descending order."""
    rows, columns = (np.repeat(each, 2) for each in X.nonzero())
    order = np.lexsort((-columns, rows))
    values = np.repeat(X.data, 2)[order] / 2.0
    return sparse.csr_matrix((values, columns[order], 2 * X.indptr), shape=X.shape)


@behaviour(lambda specimen: specimen.accepts.sparse)
def repeated_sparse_entries_count_as_their_sum(specimen: Specimen) -> None:
    """Entries of one place are summed, as SciPy reads them, and their order is no matter."""
    X = _stored(specimen)
    y, twice = specimen.target(X.shape[0]), _repeat(X)
    assert_equal_outputs(outputs(specimen.fitted(twice, y), twice), outputs(specimen.fitted(X, y), X))


@behaviour(lambda specimen: specimen.accepts.sparse)
def a_sparse_matrix_of_the_caller_is_not_changed(specimen: Specimen) -> None:
    """Neither its arrays nor what they hold."""
    X = _repeat(_stored(specimen))
    names = ("data", "indices", "indptr")
    own, before = [getattr(X, name) for name in names], [getattr(X, name).copy() for name in names]
    outputs(specimen.fitted(X, specimen.target(X.shape[0])), X)
    for j, name in enumerate(names):
        assert getattr(X, name) is own[j], f"{name} is another array"
        assert np.array_equal(own[j], before[j]), f"{name} has changed"


@behaviour(lambda specimen: specimen.accepts.sparse)
def sparse_indices_out_of_range_are_refused(specimen: Specimen) -> None:
    """They would be read from other memory, as kernels do not check them."""
    X = _stored(specimen)
    y = specimen.target(X.shape[0])
    columns, starts = _stored(specimen), _stored(specimen)
    columns.indices[5], starts.indptr[3] = 10**8, 10**8
    model = specimen.fitted(X, y)
    for damaged in (columns, starts):
        refused(partial(specimen.fitted, damaged, y), "the sparse matrix is damaged")
        if has_outputs(model):
            refused(partial(outputs, model, damaged), "the sparse matrix is damaged")
