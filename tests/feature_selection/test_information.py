"""Mutual information by neighbours: scikit-learn's values, and closed forms."""

import numpy as np
import pytest
from sklearn.feature_selection import mutual_info_classif as their_classif
from sklearn.feature_selection import mutual_info_regression as their_regression

from probus.data import Column, Table
from probus.errors import DataError
from probus.feature_selection import mutual_info_classif, mutual_info_regression
from probus.feature_selection._information import _within


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 7))
    X[:, 1] = rng.integers(0, 5, 400)
    X[:, 2] = 7.0
    X[:, 3] = X[:, 0] + rng.normal(size=400)
    X[:, 4] = np.round(X[:, 0], 1) * 1e9
    X[:, 5] = rng.standard_cauchy(400)
    return X, np.digitize(X[:, 0] + rng.normal(size=400), [-1.0, 0.0, 1.0])


@pytest.mark.parametrize("discrete", ["auto", [1], np.arange(7) == 1])
@pytest.mark.parametrize("k", [1, 3, 10])
def test_information_is_that_of_scikit_learn(rows, discrete, k):
    """For classes of more than 2 k rows: of others, scikit-learn computes distances with rounding errors."""
    X, labels = rows
    how = {"discrete_features": discrete, "n_neighbors": k, "random_state": 3}
    np.testing.assert_allclose(mutual_info_classif(X, labels, **how), their_classif(X, labels, **how), atol=1e-10)
    for y in (X[:, 3], np.round(X[:, 3]), np.arange(400.0)):
        np.testing.assert_allclose(mutual_info_regression(X, y, **how), their_regression(X, y, **how), atol=1e-10)


def test_labels_that_occur_once_are_left_out_as_in_scikit_learn(rows):
    X, labels = rows
    X, labels = X[:, :2], labels.copy()
    labels[:3] = [7, 8, 9]
    ours, theirs = (each(X, labels, random_state=0) for each in (mutual_info_classif, their_classif))
    np.testing.assert_allclose(ours, theirs, atol=1e-10)


def test_sparse_columns_are_discrete_as_in_scikit_learn(rows):
    from scipy.sparse import csr_matrix

    X, labels = rows
    counts = csr_matrix(np.abs(np.round(X)))
    np.testing.assert_allclose(mutual_info_classif(counts, labels), their_classif(counts, labels), atol=1e-12)
    with pytest.raises(DataError, match="can't have continuous features"):
        mutual_info_classif(counts, labels, discrete_features=False)


def test_columns_with_levels_are_discrete(rows):
    X, labels = rows
    table = Table([Column.numbers("x", X[:, 0]), Column.labels("level", [f"L{v:.0f}" for v in X[:, 1]])])
    matrix = their_classif(X[:, :2], labels, discrete_features=[1], random_state=0)
    np.testing.assert_allclose(mutual_info_classif(table, labels, random_state=0), matrix, atol=1e-10)
    np.testing.assert_allclose(mutual_info_classif(table.to_pandas(), labels, random_state=0), matrix, atol=1e-10)


def test_information_of_normal_variables_is_that_of_their_correlation():
    rng = np.random.default_rng(1)
    x, noise = rng.normal(size=(2, 20_000))
    for r in (0.3, 0.9):
        y = r * x + np.sqrt(1 - r * r) * noise
        assert mutual_info_regression(x[:, None], y, random_state=0)[0] == pytest.approx(
            -0.5 * np.log(1 - r * r), abs=0.02
        )


def test_rows_within_a_radius_are_counted_as_by_hand():
    rng = np.random.default_rng(2)
    for values in (np.sort(rng.normal(size=300)), np.sort(rng.integers(0, 9, 300).astype(float)), np.zeros(5)):
        for i in range(0, len(values), 7):
            for radius in (0.0, 0.01, 1.0, 99.0):
                by_hand = int((np.abs(values - values[i]) <= radius).sum())
                assert _within(values, i, radius) == by_hand == _within.py_func(values, i, radius)


def test_missing_values_and_wrong_parameters_are_named():
    table = Table([Column.numbers("age", np.array([1.0, np.nan, 3.0, 4.0]))])
    with pytest.raises(DataError, match=r"column 'age' has missing values(.|\n)*SelectKBest\(\"mutual_information\"\)"):
        mutual_info_classif(table, [0, 1, 0, 1])
    with pytest.raises(DataError, match="n_neighbors=0"):
        mutual_info_classif(np.eye(4), [0, 1, 0, 1], n_neighbors=0)
    with pytest.raises(DataError, match="discrete_features: 'some'"):
        mutual_info_classif(np.eye(4), [0, 1, 0, 1], discrete_features="some")
