"""Rows that hold the same have the same content, in whatever container and wherever they stand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from probus.data._hashing import content_of
from probus.datasets import penguins
from probus.ensemble.stacking._blending import held_out

SMALL = arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 3)), elements=st.sampled_from([0, 1, -2.5]))


@given(SMALL)
def test_content_is_equal_just_where_rows_are(X):
    content = content_of(X)[:, 0]
    same = (X[:, None] == X[None]).all(axis=2)
    np.testing.assert_array_equal(content[:, None] == content[None], same)


@given(SMALL)
def test_sparse_rows_have_the_content_of_dense_ones(X):
    for stored in (sparse.csr_array(X), sparse.csc_array(X), sparse.coo_array(X)):
        np.testing.assert_array_equal(content_of(stored), content_of(X))
    np.testing.assert_array_equal(content_of(X.astype(np.float32)), content_of(X))


@pytest.mark.parametrize("form", ["to_pandas", "to_polars", "to_arrow"])
def test_frames_have_the_content_of_tables(form):
    table = penguins()
    np.testing.assert_array_equal(content_of(getattr(table, form)()), content_of(table))
    rows = np.random.default_rng(0).permutation(len(table))
    np.testing.assert_array_equal(content_of(table.take(rows)), content_of(table)[rows])


def test_arrays_of_objects_have_content_too():
    cells = np.array([["a", 1], ["b", 1], ["a", 1]], dtype=object)
    assert content_of(cells)[0] == content_of(cells)[2] != content_of(cells)[1]


@given(st.integers(0, 1000), st.lists(st.integers(0, 3), min_size=40, max_size=40).filter(lambda w: sum(w) > 20))
def test_weights_hold_out_what_repetition_would(seed, weights):
    X, y, w = np.arange(40.0)[:, None] % 25, np.arange(40) % 2, np.array(weights)
    rows = np.repeat(np.arange(40), w)
    labels = np.arange(2)
    weighted = held_out(X, y, 0.3, w.astype(float), seed, labels)
    repeated = held_out(X[rows], y[rows], 0.3, None, seed, labels)
    np.testing.assert_array_equal(weighted[rows], repeated)
