"""Sets of rows that are held out together: a row and its copies."""

from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from probus.neural_network._row_sets import RowSets


def expected_sets(X, y):
    """Lists of rows: those of the same X if one of them is there twice, and each other row."""
    alike = defaultdict(list)
    for row, values in enumerate(X.tolist()):
        alike[tuple(values)].append(row)
    sets = []
    for rows in alike.values():
        outcomes = [y[row] for row in rows]
        sets += [rows] if len(set(outcomes)) < len(outcomes) else [[row] for row in rows]
    return sorted(sets)


@st.composite
def tables(draw):
    """Rows of few or many values, and targets of few classes."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    n, d = draw(st.integers(1, 60)), draw(st.integers(1, 3))
    X = rng.integers(draw(st.sampled_from([1, 2, 5, 1000])), size=(n, d)).astype(np.float64)
    return X, rng.integers(draw(st.sampled_from([1, 2, 4, 50])), size=n), rng


@given(tables())
def test_sets_are_those_of_a_dictionary(table):
    X, y, _ = table
    sets = RowSets.of([X[:, :1], X[:, 1:]], y, y)
    expected = expected_sets(X, y)
    assert [np.flatnonzero(sets.number == i).tolist() for i in range(len(sets))] == expected
    assert sets.size.tolist() == [len(rows) for rows in expected]
    for i, rows in enumerate(expected):
        counts = np.bincount(y[rows])
        assert counts[sets.stratum[i]] == counts.max()


@given(tables(), st.floats(0.01, 0.9))
def test_the_share_of_each_class_is_about_right(table, share):
    """And it is nearer to the share of rows than no row is, of those that are not in too large sets."""
    X, y, rng = table
    sets = RowSets.of([X], y, y)
    held = sets.share_of(rng.permutation(len(sets)), share)
    training, out = sets.split(held)
    assert sorted([*training, *out]) == list(range(len(y)))
    assert not {(*X[row], y[row]) for row in training} & {(*X[row], y[row]) for row in out}
    for code in set(sets.stratum.tolist()):
        size, own = sets.size[sets.stratum == code], sets.size[held[sets.stratum[held] == code]]
        wanted = share * size.sum()
        assert own.sum() <= 2 * wanted + 1
        if size.max() == 1:
            assert own.sum() == round(wanted)
        elif 4 * size.max() <= wanted:
            assert abs(own.sum() - wanted) <= size.max()


@given(tables(), st.integers(2, 6))
def test_folds_are_disjoint_and_about_equal(table, n_folds):
    X, y, rng = table
    sets = RowSets.of([X], y)
    order = rng.permutation(len(sets))
    folds = [sets.split(sets.fold(order, number, n_folds)) for number in range(n_folds)]
    held = [row for _, out in folds for row in out.tolist()]
    assert len(set(held)) == len(held)
    for training, out in folds:
        assert not set(map(tuple, np.column_stack([X, y])[training])) & set(map(tuple, np.column_stack([X, y])[out]))
    assert np.ptp([len(out) for _, out in folds]) <= max(sets.size[sets.number[held]], default=0)
    if sets.size.max() == 1:
        assert len(held) == len(y)


def test_without_copies_rows_are_drawn_one_by_one():
    y, order = np.repeat([0, 1, 2], [47, 30, 3]), np.random.default_rng(0).permutation(80)
    sets = RowSets.of([np.arange(80.0)], y, y)
    for share in (0.1, 0.25, 0.5, 0.77):
        expected = [order[y[order] == code][: round(share * (y == code).sum())] for code in range(3)]
        np.testing.assert_array_equal(sets.split(sets.share_of(order, share))[1], np.sort(np.concatenate(expected)))
    by_class = order[np.argsort(y[order], kind="stable")]
    for number in range(4):
        np.testing.assert_array_equal(sets.split(sets.fold(order, number, 4))[1], np.sort(by_class[number::4]))


def test_a_row_that_most_rows_repeat_is_trained_on():
    X = np.append(np.zeros(900), np.arange(1.0, 101.0))
    sets = RowSets.of([X], X)
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(len(sets))
        held = sets.split(sets.share_of(order, 0.1))[1]
        assert len(held) == 10
        assert held.min() >= 900
        assert len(sets.split(sets.fold(order, seed % 5, 5))[1]) == 20


def test_rows_of_the_same_x_stay_apart_where_no_row_is_repeated():
    X, y = np.repeat([1.0, 2.0], 10), np.arange(20.0)
    assert len(RowSets.of([X], y)) == 20
    y[1] = y[0]
    assert len(RowSets.of([X], y)) == 11


def test_zeros_are_equal_and_so_are_missing_values_and_texts():
    X = np.array([[0.0, np.nan], [-0.0, -np.nan], [0.0, 1.0], [0.0, 1.0]])
    y = np.zeros((4, 1))
    assert RowSets.of([X], y).number.tolist() == [0, 0, 1, 1]
    assert RowSets.of([X], y, texts=[["a", "b"], ["a", "b"], ["c"], ["\udc80"]]).number.tolist() == [0, 0, 1, 2]
    assert RowSets.of([X], y, texts=[["a", "b"], ["ab"], ["c", ""], ["c"]]).number.tolist() == [0, 1, 2, 3]
