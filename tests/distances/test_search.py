import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist

from probus.distances import DISTANCES, distance_of, pairwise_distances
from probus.distances import _kd_tree_search as kd_tree_search
from probus.distances import _product_search as product_search
from probus.distances._kd_tree_search import KDTreeSearch, count_in_tree, nearest_in_tree
from probus.distances._minkowski import ColumnSearch, column_nearest, effective_metric
from probus.distances._product_search import ProductSearch
from probus.distances.box_tree import fill_leaves, halve
from probus.neighbors import KNeighborsClassifier, NearestNeighbors

small = st.integers(-6, 6).map(float)


def sorted_pairs(X, queries, k, metric, **params):
    """All distances, sorted; of equal ones the first rows."""
    matrix = cdist(queries, X, metric, **params)
    rows = np.argsort(matrix, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(matrix, rows, axis=1), rows


@pytest.fixture
def products_even_for_little_data(monkeypatch):
    monkeypatch.setattr(product_search, "_FEW", 0)


@settings(max_examples=60, deadline=None)
@given(arrays(float, st.tuples(st.integers(3, 30), st.integers(1, 6)), elements=small), st.integers(1, 3))
def test_every_search_finds_the_first_of_the_nearest_rows(X, k):
    queries = X[::2] + 0.5
    for search, metric, params in [
        (ProductSearch(X), "euclidean", {}),
        (KDTreeSearch(X), "euclidean", {}),
        (KDTreeSearch(X, 1), "cityblock", {}),
        (KDTreeSearch(X, np.inf), "chebyshev", {}),
        (KDTreeSearch(X, 3), "minkowski", {"p": 3}),
        (ColumnSearch(X, 1), "cityblock", {}),
        (ColumnSearch(X, np.inf), "chebyshev", {}),
        (ColumnSearch(X, 3), "minkowski", {"p": 3}),
        (ColumnSearch(X, 0), "hamming", {}),
    ]:
        distances, rows = search.nearest(queries, k)
        expected, expected_rows = sorted_pairs(X, queries, k, metric, **params)
        np.testing.assert_allclose(distances, expected, atol=1e-12)
        np.testing.assert_array_equal(rows, expected_rows)
        np.testing.assert_allclose(search.distances(queries), cdist(queries, X, metric, **params), atol=1e-12)


@pytest.mark.parametrize("n", [1, 32, 33, 64, 65, 256, 257, 5000])
@pytest.mark.parametrize("d", [1, 3, 9])
def test_a_tree_of_any_size_finds_what_comparing_all_pairs_finds(n, d):
    rng = np.random.default_rng(n + d)
    X = rng.integers(-40, 40, size=(n, d)) / 8.0  # exact squares, so that ties are ties
    X[n // 2 :: 2] = X[0]
    queries = np.vstack([X[::97], rng.integers(-40, 40, size=(20, d)) / 8.0])
    k = min(n, 6)
    distances, rows = KDTreeSearch(X).nearest(queries, k)
    expected, expected_rows = sorted_pairs(X, queries, k, "sqeuclidean")
    np.testing.assert_array_equal(distances, np.sqrt(expected))
    np.testing.assert_array_equal(rows, expected_rows)


def test_the_number_of_threads_does_not_matter():
    X = np.random.default_rng(1).normal(size=(3000, 4)).round(1)
    one, two = (KDTreeSearch(X).nearest(X, 5, n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one[0], two[0])
    np.testing.assert_array_equal(one[1], two[1])


def test_duplicates_are_not_all_measured():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8000, 3))
    X[rng.permutation(8000)[:4000]] = X[0]
    search = KDTreeSearch(X)
    leaves = len(search._tree.leaves)
    assert search.share_measured(X, k=20) * leaves < 20  # of 256; the duplicates fill half of them
    products = ProductSearch(X)
    assert products._search(X[:1], np.float64, *product_search.empty_nearest(1, 20)) < 4000


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0, np.inf])
@pytest.mark.parametrize("d", [1, 3, 7])
def test_rows_within_a_radius_are_counted(d, p):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, d))
    X[::3] = X[0]
    queries = np.vstack([X[:30], rng.normal(size=(10, d))])
    search = KDTreeSearch(X, p)
    away, rows = search.nearest(queries, 600)
    without = np.where(np.arange(40) < 20, np.arange(40), -1)
    own = (rows == without[:, None]).argmax(axis=1)
    for radius in (0.0, 0.5, away[3, 40], away[25, 300], 1e300):  # some of them exactly the distances of rows
        near = away <= radius
        expected = near.sum(axis=1) - near[np.arange(40), own] * (without >= 0)
        np.testing.assert_array_equal(search.count(queries, radius, without), expected)


def test_the_rows_of_branches_within_the_radius_are_counted_without_measuring_them(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8000, 2))
    X[::2] = X[0]
    measured = []
    monkeypatch.setattr(kd_tree_search, "count_in_tree", lambda *given: measured.append(count_in_tree(*given)))
    KDTreeSearch(X).count(X[:1], 0.1, np.array([-1]))
    assert sum(measured) < 20  # of 256 leaves, half of which are copies


def test_kernels_are_compiled_once_for_arrays_that_can_be_written_and_those_that_cannot():
    X = np.random.default_rng(0).normal(size=(300, 2))
    fixed = X.copy()
    fixed.flags.writeable = False
    kernels = [nearest_in_tree, halve, fill_leaves, product_search.scan, product_search.sift, column_nearest]
    for made in (KDTreeSearch, ProductSearch, lambda rows: ColumnSearch(rows, 1)):
        made(X).nearest(X, 2)
        before = [len(kernel.signatures) for kernel in kernels]
        made(fixed).nearest(fixed, 2)
        assert [len(kernel.signatures) for kernel in kernels] == before


@pytest.mark.parametrize("scale", [1e-150, 1e-9, 1.0, 1e9, 1e150])
@pytest.mark.parametrize("offset", [0.0, 1e6])
@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_bounds_never_lose_a_neighbour(products_even_for_little_data, monkeypatch, scale, offset, precision):
    """Whatever the scale, the place and the precision of the products, the answers are those of all pairs."""
    monkeypatch.setattr(ProductSearch, "_precision", lambda self, queries, k: precision)
    rng = np.random.default_rng(1)
    X = (rng.normal(size=(700, 9)) + offset) * scale
    X[::70] *= 1e3
    queries = (rng.normal(size=(40, 9)) + offset) * scale
    distances, rows = ProductSearch(X).nearest(queries, 7)
    expected, expected_rows = sorted_pairs(X / scale, queries / scale, 7, "euclidean")
    np.testing.assert_allclose(distances / scale, expected, rtol=1e-9)
    np.testing.assert_array_equal(rows, expected_rows)


def test_coarse_bounds_turn_to_double_precision():
    rng = np.random.default_rng(2)
    far_apart = np.concatenate([rng.normal(size=(900, 4)), rng.normal(size=(900, 4)) + 1e6])
    search = ProductSearch(far_apart)
    assert search._precision(far_apart, 3) is np.float64
    assert ProductSearch(far_apart[:900])._precision(far_apart[:900], 3) is np.float32


def test_the_search_follows_metric_and_size():
    wide, narrow = np.ones((2000, 20)), np.ones((2000, 3))
    chosen = [
        type(distance_of(name).search(X, params, "auto")).__name__
        for X, metric in [(wide, "minkowski"), (narrow, "minkowski"), (wide, "manhattan"), (narrow, "canberra")]
        for name, params in [effective_metric(metric, 2, None)]
    ]
    assert chosen == ["ProductSearch", "KDTreeSearch", "ColumnSearch", "NoneType"]


def test_a_tree_is_used_where_it_visits_few_leaves():
    rng = np.random.default_rng(6)
    spread = rng.normal(size=(9000, 16))
    flat = rng.normal(size=(9000, 2)) @ rng.normal(size=(2, 16))  # sixteen columns, two dimensions
    chosen = [type(distance_of("euclidean").search(X, {}, "auto")).__name__ for X in (spread, flat)]
    assert chosen == ["ProductSearch", "KDTreeSearch"]


def test_kernels_run_as_plain_python():
    rng = np.random.default_rng(3)
    X, queries = rng.normal(size=(9, 2)), rng.normal(size=(2, 2))
    nearest, rows = np.full((2, 3), np.inf), np.full((2, 3), -1)
    product_search.scan.py_func(X, queries, nearest, rows)
    np.testing.assert_array_equal(rows, sorted_pairs(X, queries, 3, "euclidean")[1])


def test_hellinger_is_the_distance_of_the_roots():
    rng = np.random.default_rng(4)
    X, queries = rng.dirichlet(np.ones(5), 60), rng.dirichlet(np.ones(5), 20)
    expected, expected_rows = sorted_pairs(np.sqrt(X / 2), np.sqrt(queries / 2), 4, "euclidean")
    model = NearestNeighbors(n_neighbors=4, metric="hellinger").fit(X)
    distances, rows = model.kneighbors(queries)
    np.testing.assert_allclose(distances, expected)
    np.testing.assert_array_equal(rows, expected_rows)
    matrix = pairwise_distances(queries, X, metric="hellinger")
    np.testing.assert_allclose(np.sort(matrix, axis=1)[:, :4], expected)
    near = model.radius_neighbors(queries, 0.2, return_distance=False)
    assert [list(row) for row in near] == [list(np.flatnonzero(row <= 0.2)) for row in matrix]


def test_hellinger_refuses_negative_numbers():
    with pytest.raises(ValueError, match="Negative values in data passed to Hellinger's distance"):
        KNeighborsClassifier(1, metric="hellinger").fit([[-1.0]], [0])


@pytest.mark.parametrize("name", sorted({distance.names[0] for distance in DISTANCES.values() if distance.own}))
def test_a_distance_of_our_own_gives_the_same_matrix_and_neighbours(name):
    X = np.random.default_rng(5).random((30, 3))
    distances, rows = NearestNeighbors(n_neighbors=30, metric=name).fit(X).kneighbors(X)
    matrix = pairwise_distances(X, metric=name)
    np.testing.assert_allclose(np.take_along_axis(matrix, rows, axis=1), distances, atol=1e-12)
