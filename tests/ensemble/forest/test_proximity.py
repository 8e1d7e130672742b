from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import issparse

from probus.data import Column, Table
from probus.datasets import iris, penguins
from probus.ensemble import ExtraTreesClassifier, RandomForestClassifier, RandomForestRegressor
from probus.ensemble.forest._leaf_sharing import add_equal, add_products, memberships
from probus.ensemble.forest._proximity import sharing_of
from probus.errors import DataError


@pytest.fixture(scope="module")
def birds():
    table = penguins()
    return table.drop("species"), table["species"].decoded()


@pytest.fixture(scope="module")
def forest(birds):
    return RandomForestClassifier(30, random_state=1, oob_score=True).fit(*birds)


def by_loops(forest, X, kind):
    """Proximities of all pairs of training rows, tree by tree."""
    leaves = forest.apply(X)
    n, n_trees = leaves.shape
    drawn = np.array([forest.bags_.counts(t) for t in range(n_trees)]).T
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            together = leaves[i] == leaves[j]
            if kind == "all":
                out[i, j] = together.mean()
            elif kind == "oob":
                both = (drawn[i] == 0) & (drawn[j] == 0)
                out[i, j] = together[both].mean() if both.any() else 0.0
            else:
                unseen = np.flatnonzero(drawn[i] == 0)
                shares = [together[t] * drawn[j, t] / drawn[leaves[:, t] == leaves[i, t], t].sum() for t in unseen]
                out[i, j] = np.mean(shares) if len(unseen) else 0.0
    return out


@pytest.mark.parametrize("kind", ["all", "oob", "gap"])
@pytest.mark.parametrize("sparse", [False, True])
def test_proximity_is_what_loops_over_pairs_and_trees_find(kind, sparse):
    flowers = iris().take(np.arange(0, 150, 4))
    X = flowers.drop("species")
    few = RandomForestClassifier(8, random_state=3).fit(X, flowers["species"])
    found = few.proximity(X, kind=kind, sparse=sparse)
    assert issparse(found) == sparse
    if sparse:
        assert found.nnz == np.count_nonzero(found.toarray())
        found = found.toarray()
    np.testing.assert_allclose(found, by_loops(few, X, kind), rtol=1e-12, atol=0)


def test_every_row_is_nearest_to_itself_and_proximity_is_symmetric(forest, birds):
    P = forest.proximity(birds[0])
    np.testing.assert_array_equal(np.diag(P), 1.0)
    np.testing.assert_array_equal(P, P.T)
    assert P.min() >= 0.0
    assert P.max() == 1.0


def test_rows_against_other_rows_are_a_part_of_all_pairs(forest, birds):
    X = birds[0]
    some, others = np.array([3, 200, 7]), np.arange(100, 150)
    part = forest.proximity(X.take(some), X.take(others))
    np.testing.assert_array_equal(part, forest.proximity(X)[np.ix_(some, others)])


def test_gap_proximities_predict_as_the_forest_does_out_of_bag(forest, birds):
    X, y = birds
    shares = np.column_stack([y == label for label in forest.classes_]).astype(float)
    W = forest.proximity(X, kind="gap")
    np.testing.assert_allclose(W @ shares, forest.oob_decision_function_, atol=1e-12)


def test_gap_proximities_of_new_rows_predict_as_the_forest_does():
    rng = np.random.default_rng(0)
    X, y, new = rng.normal(size=(80, 3)), rng.normal(size=80), rng.normal(size=(20, 3))
    forest = RandomForestRegressor(20, min_samples_leaf=3, random_state=0).fit(X, y)
    W = forest.proximity(new, X, kind="gap")
    np.testing.assert_allclose(W.sum(axis=1), 1.0)
    np.testing.assert_allclose(W @ y, forest.predict(new))


def test_the_same_bytes_come_for_any_number_of_threads(birds):
    one, two = (RandomForestClassifier(20, random_state=0, n_jobs=n).fit(*birds) for n in (1, 2))
    for kind in ("all", "oob", "gap"):
        assert one.proximity(birds[0], kind=kind).tobytes() == two.proximity(birds[0], kind=kind).tobytes()


def test_blocks_of_rows_make_up_the_whole(forest, birds, monkeypatch):
    whole = {kind: forest.proximity(birds[0], kind=kind) for kind in ("all", "oob")}
    monkeypatch.setattr("probus.ensemble.forest._leaf_sharing._BLOCK", 1000)
    for kind, P in whole.items():
        np.testing.assert_array_equal(forest.proximity(birds[0], kind=kind), P)
        np.testing.assert_array_equal(forest.proximity(birds[0], kind=kind, sparse=True).toarray(), P)


def test_the_kernel_adds_a_product_of_matrices():
    rng = np.random.default_rng(4)
    leaves = rng.integers(0, 6, size=(7, 4)) + np.arange(4) * 6
    weight = rng.integers(0, 3, size=(7, 4))
    A, B = memberships(leaves, 24), memberships(leaves, 24, weight)
    b, out, plain = B.tocsc(), np.ones((7, 7)), np.ones((7, 7))
    for kernel, into in ((add_products, out), (add_products.py_func, plain)):
        kernel(A.indptr, A.indices, A.data, b.indptr, b.indices, b.data, into)
        np.testing.assert_allclose(into, 1.0 + A.toarray() @ B.toarray().T)


def test_the_kernel_counts_equal_codes():
    rng = np.random.default_rng(4)
    a, b = rng.integers(0, 3, (7, 5)).astype(np.uint16), rng.integers(0, 3, (5, 9)).astype(np.uint16)
    for kernel in (add_equal, add_equal.py_func):
        out = np.ones((7, 9))
        kernel(a, b, np.zeros(4, np.uint16), out)
        np.testing.assert_array_equal(out, 1.0 + (a[:, :, None] == b).sum(axis=1))


@pytest.mark.parametrize("kind", ["all", "oob"])
def test_codes_are_compared_where_leaves_are_large_and_the_proximities_are_the_same(birds, kind):
    stumps = RandomForestClassifier(20, max_depth=1, random_state=0).fit(*birds)
    shared = sharing_of(stumps, birds[0], kind=kind)
    assert shared.compares
    added = replace(shared, codes=None)
    np.testing.assert_array_equal(shared.dense(), added.dense())
    some = np.arange(5, 200, 3)
    np.testing.assert_array_equal(shared.among(some).sums_of_squares(), added.among(some).sums_of_squares())


def test_trees_that_saw_every_row_have_none_out_of_bag(birds):
    trees = ExtraTreesClassifier(5, random_state=0).fit(*birds)
    assert trees.proximity(birds[0]).shape == (344, 344)
    for kind in ("oob", "gap"):
        with pytest.raises(DataError, match=r"bootstrap=False\) has no rows out of bag.*\n.*bootstrap=True"):
            trees.proximity(birds[0], kind=kind)


def test_out_of_bag_needs_the_rows_of_the_fit(forest, birds):
    with pytest.raises(DataError, match=r"10 rows, and RandomForestClassifier was fitted on 344.\n.*in their order"):
        forest.proximity(birds[0].take(slice(0, 10)), kind="oob")
    with pytest.raises(DataError, match="5 rows, and"):
        forest.proximity(birds[0], birds[0].take(slice(0, 5)), kind="gap")
    with pytest.raises(DataError, match=r"kind='oob' with other rows"):
        forest.proximity(birds[0], birds[0], kind="oob")


def test_an_unknown_kind_and_other_columns_are_errors(forest, birds):
    with pytest.raises(DataError, match=r"kind='near'.\n  Expected one of 'all', 'oob', 'gap'"):
        forest.proximity(birds[0], kind="near")
    with pytest.raises(ValueError, match="island"):
        forest.proximity(Table([Column.numbers("bill_length_mm", [40.0])]))
