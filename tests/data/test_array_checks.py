"""Sparse matrices and dates in arrays, where they are taken."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import silhouette_score as peer_silhouette

from probus.data._array_checks import checked_array, checked_sparse, days_of
from probus.errors import DataError
from probus.linear_model import LinearRegression, Perceptron, Ridge
from probus.linear_model._elastic_net_path import enet_path
from probus.metrics import silhouette_samples
from probus.naive_bayes import GaussianNB


def stored(form="csr"):
    return sparse.random(8, 5, 0.6, format=form, random_state=0)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
def test_every_format_is_read_as_scipy_reads_it(form):
    np.testing.assert_array_equal(checked_sparse(stored(form)).toarray(), stored(form).toarray())


def test_entries_of_one_place_are_summed_in_a_copy():
    twice = sparse.csr_matrix(([1.0, 2.0, 4.0], [1, 0, 1], [0, 3, 3]), shape=(2, 2))
    found = checked_sparse(twice)
    np.testing.assert_array_equal(found.data, [2.0, 5.0])
    np.testing.assert_array_equal(twice.indices, [1, 0, 1])
    assert np.shares_memory(checked_sparse(sound := stored()).data, sound.data)  # nothing is copied without need


def test_what_was_canonical_once_is_looked_at_again():
    X = stored()
    assert X.has_canonical_format
    X.indices[: X.indptr[1]] = X.indices[0]  # SciPy remembers that each place is there once
    assert checked_sparse(X).nnz < X.nnz


@pytest.mark.parametrize(
    ("form", "part", "value", "text"),
    [
        ("csr", "indices", 9, "it has an index 9, where 0 to 4 is possible"),
        ("csc", "indices", -1, "it has an index -1, where 0 to 7 is possible"),
        ("csr", "indptr", 10**6, "indptr does not ascend from 0"),
        ("bsr", "indices", 10**6, "it has an index 1000000"),
        ("coo", "row", 8, "it has an index 8, where 0 to 7 is possible"),
    ],
)
def test_damaged_matrices_are_refused(form, part, value, text):
    X = stored(form)
    getattr(X, part)[2] = value
    with pytest.raises(DataError, match=rf"the sparse matrix is damaged: {text}(?s:.)*Build it anew"):
        checked_sparse(X)
    with pytest.raises(DataError, match="damaged"):
        Ridge().fit(X, np.arange(8.0))


def test_values_that_are_fewer_than_indices_are_refused():
    X = stored()
    X.data = X.data[:-3]
    with pytest.raises(DataError, match="indptr ends at 24 of 21 values"):
        Perceptron().fit(X, np.arange(8) % 2)


def test_functions_of_matrices_refuse_them_too():
    X = stored()
    X.indices[3] = 10**8
    with pytest.raises(DataError, match="damaged"):
        enet_path(X, np.arange(8.0))
    with pytest.raises(DataError, match="damaged"):
        silhouette_samples(X, np.arange(8) % 2)
    assert np.isclose(
        silhouette_samples(stored(), np.arange(8) % 2).mean(), peer_silhouette(stored(), np.arange(8) % 2)
    )


def test_dates_are_days_and_nat_is_missing():
    dates = np.array([["2000-01-01", "NaT"]], "datetime64[s]")
    np.testing.assert_array_equal(days_of(dates), [[10957.0, np.nan]])
    np.testing.assert_array_equal(days_of(np.array([36, -12], "timedelta64[h]")), [1.5, -0.5])
    np.testing.assert_array_equal(checked_array(dates.tolist()), dates.tolist())
    np.testing.assert_array_equal(checked_array([list(dates[0])]), days_of(dates))


@pytest.mark.parametrize("form", [np.asarray, lambda X: X.astype(object), list])
def test_a_missing_date_in_an_array_is_no_number(form):
    X = np.array(["2000-01-01", "2000-02-01", "2000-01-05", "2000-03-01"], "datetime64[D]").reshape(-1, 1)
    fitted = LinearRegression().fit(form(X), [0.0, 31.0, 4.0, 60.0])
    assert np.isclose(fitted.coef_[0], 1.0)  # a unit is a day, whatever the array's is
    X[1] = "NaT"
    with pytest.raises(DataError, match="NaN"):
        LinearRegression().fit(form(X), [0.0, 31.0, 4.0, 60.0])


def test_dates_are_no_target_and_nat_is_no_class():
    dates = np.array(["2000-01-01", "NaT"], "datetime64[D]")
    with pytest.raises(DataError, match="the target is a date or a duration"):
        LinearRegression().fit([[0.0], [1.0]], np.column_stack([dates, dates]))
    with pytest.raises(DataError, match="y contains NaN, NaT or infinity"):
        GaussianNB().fit([[0.0], [1.0]], dates)


def test_whole_numbers_beyond_float_are_refused_by_name():
    with pytest.raises(DataError, match=r"column 'x1' holds a number of 401 digits.\n.*numbers below 1.8e308"):
        LinearRegression().fit([[1, 10**400], [2, 3]], [0.0, 1.0])
